"""What the paper leaves open, and what we chose: one reading of it is one record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from crisplogic.nn import FeatureSelector, Fuzzy, LogicLayer, LogicNetwork
from crisplogic.training import PAPER_CONFIG, PhaseConfig

EPSILON = 0.001  # as the paper states


@dataclass(frozen=True)
class Reading:
    """One way to read the paper; the defaults are those of ``LogicClassifier.as_in_paper``.

    Stated by the paper and fixed: depth 2, a learning rate of 0.01, an L1 price of 0.0001,
    stochastic gradient descent. Open: all that is here. ``selector`` is how its weights
    start, or ``"program"`` for the authors' program, which keeps them in [0, 1] and
    divides those of a unit by their sum. ``crossing`` is how alpha gets past 0: by the mean of
    the slopes on both sides, not at all, by flipping alpha (the paper's text) or by flipping
    it inside the gradient (the authors' program). ``price`` says whether a step scales the L1
    price by the learning rate.
    """

    width: int = 8
    epochs: int = PAPER_CONFIG.epochs
    loss: Literal["squared", "cross_entropy"] = "squared"
    alpha: Literal["uniform", "zero"] = "uniform"
    selector: Literal["mean", "ones", "random", "program"] = "mean"
    crossing: Literal["mean", "none", "flip", "flip in gradient"] = "mean"
    price: Literal["scaled", "unscaled"] = "scaled"

    @property
    def settings(self) -> PhaseConfig:
        """How to train; one row a step."""
        paper = PAPER_CONFIG
        unscaled = self.price == "unscaled"
        return PhaseConfig(
            epochs=self.epochs,
            batch_size=paper.batch_size,
            learning_rate=paper.learning_rate,
            l1=paper.l1 / paper.learning_rate if unscaled else paper.l1,
            optimizer="sgd",
            loss=self.loss,
        )

    def network(
        self, columns: int, classes: int, copies: int, generator: torch.Generator
    ) -> LogicNetwork:
        """Networks as this reading starts them, side by side.

        >>> network = Reading(alpha="zero").network(3, 2, 4, torch.Generator())
        >>> [fuzzy.alpha.abs().max().item() for fuzzy, _ in network.levels()]
        [0.0, 0.0]
        """
        network = LogicNetwork(
            columns, classes, self.width, depth=2, copies=copies, generator=generator
        )
        for layer in _logic_layers(network):
            _START_ALPHA[self.alpha](layer.fuzzy.alpha.data)
            layer.selector = self._selector(layer, copies, generator)
            layer.fuzzy = self._fuzzy(layer.fuzzy, copies)
        return network

    def _selector(
        self, layer: LogicLayer, copies: int, generator: torch.Generator
    ) -> FeatureSelector:
        if self.selector == "program":
            return NormalisedSelector(layer.fuzzy.units, layer.out_features, copies=copies)
        selector = layer.selector
        if self.selector == "ones":
            nn.init.ones_(selector.weight)
        if self.selector == "random":
            nn.init.uniform_(selector.weight, -1.0, 1.0, generator=generator)
        return selector

    def _fuzzy(self, fuzzy: Fuzzy, copies: int) -> Fuzzy:
        if self.crossing == "mean":
            return fuzzy
        kind = _CROSSINGS[self.crossing]
        other = kind(fuzzy.units, epsilon=0.0, copies=copies, generator=torch.Generator())
        other.alpha = fuzzy.alpha
        return other


class NormalisedSelector(FeatureSelector):
    """The selector of the authors' program: weights in [0, 1] that sum to 1 in every unit."""

    def used_weight(self, turn: Tensor | None = None) -> Tensor:
        """The weights after they are brought back into range and normalised, in place."""
        weights = self.weight.data.clamp_(0.0, 1.0)
        weights.div_(weights.sum(-1, keepdim=True).clamp_min(1e-12))
        return super().used_weight(turn)


class FlippedFuzzy(Fuzzy):
    """The paper's text by the letter: an alpha within epsilon of 0 changes its sign."""

    def used_alpha(self) -> Tensor:
        """The alphas after those close to 0 are flipped, in place."""
        alpha = self.alpha.data
        alpha.mul_(_side(alpha))
        return super().used_alpha()


class FlippedGradientFuzzy(Fuzzy):
    """The authors' program: within epsilon of 0 the gradient is that of the other side."""

    def used_alpha(self) -> Tensor:
        """Minus alpha where it is close to 0, with the gradient passed on as it is."""
        alpha = super().used_alpha()
        return alpha + (alpha * _side(alpha) - alpha).detach()


def _side(alpha: Tensor) -> Tensor:
    """-1 where alpha is within epsilon of 0, 1 elsewhere."""
    return 1.0 - 2.0 * (alpha.abs() < EPSILON).to(alpha.dtype)


def _logic_layers(network: LogicNetwork) -> Iterator[LogicLayer]:
    return (layer for layer in network.logic if isinstance(layer, LogicLayer))


_START_ALPHA: dict[str, Callable[[Tensor], Tensor]] = {
    "uniform": lambda alpha: alpha,  # as drawn
    "zero": lambda alpha: alpha.zero_(),
}
_CROSSINGS: dict[str, type[Fuzzy]] = {
    "none": Fuzzy,
    "flip": FlippedFuzzy,
    "flip in gradient": FlippedGradientFuzzy,
}
