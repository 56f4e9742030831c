"""The paper's network on many folds at once, its rounding, and what the paper leaves open."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from crisplogic.datasets import Dataset
from crisplogic.nn import FeatureSelector, Fuzzy, LogicLayer, LogicNetwork
from crisplogic.rules import RuleSet
from crisplogic.snap import snap
from crisplogic.training import PAPER_CONFIG, OnEpoch, PhaseConfig, TrainingData, train
from experiments.harness.evaluation import Split, count_ties, error_of
from experiments.harness.store import Document
from experiments.reproduction.descent import folded_rows

EPSILON = 0.001  # as the paper states


@dataclass(frozen=True)
class Reading:
    """One reading of the paper; the defaults are those of ``LogicClassifier.as_in_paper``.

    Stated by the paper and fixed: depth 2, a learning rate of 0.01, an L1 penalty of 0.0001,
    stochastic gradient descent. Open: all fields. ``selector`` is how its weights start, or
    ``"program"`` for the authors' program, which keeps them in [0, 1] and divides those of a
    unit by their sum. ``crossing`` is how alpha gets past 0: by the mean of the slopes on both
    sides, not at all, by flipping alpha (the paper's text) or by flipping it inside the
    gradient (the authors' program). ``penalty`` says whether a step scales the L1 penalty by
    the learning rate.
    """

    width: int = 8
    epochs: int = PAPER_CONFIG.epochs
    loss: Literal["squared", "cross_entropy"] = "squared"
    alpha: Literal["uniform", "zero"] = "uniform"
    selector: Literal["mean", "ones", "random", "program"] = "mean"
    crossing: Literal["mean", "none", "flip", "flip in gradient"] = "mean"
    penalty: Literal["scaled", "unscaled"] = "scaled"

    @property
    def settings(self) -> PhaseConfig:
        """How to train; one row per step."""
        paper = PAPER_CONFIG
        unscaled = self.penalty == "unscaled"
        return PhaseConfig(
            epochs=self.epochs,
            batch_size=paper.batch_size,
            learning_rate=paper.learning_rate,
            l1=paper.l1 / paper.learning_rate if unscaled else paper.l1,
            optimizer="sgd",
            loss="squared_error" if self.loss == "squared" else self.loss,
        )

    def network(
        self, columns: int, classes: int, copies: int, generator: torch.Generator
    ) -> LogicNetwork:
        """Networks with the start values of this reading, side by side.

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

    def used_weight(self, direction: Tensor | None = None) -> Tensor:
        """The weights after they are brought back into range and normalised, in place."""
        weights = self.weight.data.clamp_(0.0, 1.0)
        weights.div_(weights.sum(-1, keepdim=True).clamp_min(1e-12))
        return super().used_weight(direction)


class FlippedFuzzy(Fuzzy):
    """The paper's text taken literally: an alpha within epsilon of 0 changes its sign."""

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


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FoldFigures:
    """One fold: errors are shares of its test rows.

    ``snapped_...`` is about the rules of the rounded network: ``tied`` counts the rows on
    which classes tie, ``classes`` those that are predicted. ``without_tanh_error`` is that of
    the same rules without the tanh between their two levels. ``majority_error`` is that of
    always predicting the most frequent class of the training rows.
    """

    majority_error: float
    network_error: float
    snapped_error: float
    without_tanh_error: float
    snapped_tied: int
    snapped_classes: int
    snapped_literals: int


def train_networks(
    reading: Reading,
    table: Dataset,
    splits: Sequence[Split],
    seed: int,
    device: torch.device,
    on_epoch: OnEpoch = lambda epoch: None,
) -> list[LogicNetwork]:
    """One network per fold, on the CPU, trained side by side with one row per step.

    Every step shows the same row to all networks. It has weight 0 for networks that may not
    see it, and their L1 penalty is scaled down in all steps, so that an epoch costs them what
    it would cost alone.
    """
    generator = torch.Generator().manual_seed(seed)
    classes, y = np.unique(table.y, return_inverse=True)
    rows = folded_rows(table.X, y, splits)
    penalty_scale = rows.weights.mean(1)
    network = reading.network(rows.inputs.shape[-1], len(classes), len(splits), generator)
    network.to(device)
    seen = [
        each.to(device) for each in (rows.inputs, rows.targets, rows.weights, penalty_scale)
    ]
    train(network, TrainingData(*seen), reading.settings, generator, on_epoch=on_epoch)
    return [_of_fold(network, number, table, split) for number, split in enumerate(splits)]


def measure_folds(
    networks: Sequence[LogicNetwork], table: Dataset, splits: Sequence[Split]
) -> Document:
    """The figures of every fold, and the rules of the first."""
    rules = [round_network(network, table) for network in networks]
    folds = [
        _measure_fold(network, rules_, table, split)
        for network, rules_, split in zip(networks, rules, splits, strict=True)
    ]
    return {
        "folds": [asdict(fold) for fold in folds],
        "first_rules": json.loads(rules[0].to_json()),
    }


def round_network(network: LogicNetwork, table: Dataset) -> RuleSet:
    """The rules by the paper's snapping: every parameter at the nearest whole value."""
    return snap(network, table.feature_names, np.unique(table.y).tolist())


def without_tanh(network: LogicNetwork) -> LogicNetwork:
    """The snapped network without the tanh between its levels."""
    bare = copy.deepcopy(network)
    bare.snap()
    for name, layer in bare.logic.named_children():
        if isinstance(layer, nn.Tanh):
            setattr(bare.logic, name, nn.Identity())
    return bare


def _of_fold(networks: LogicNetwork, number: int, table: Dataset, split: Split) -> LogicNetwork:
    network = networks.copy(number).cpu()
    network.fit(torch.from_numpy(table.X[split.train]))
    return network


@torch.no_grad()
def _measure_fold(
    network: LogicNetwork, rules: RuleSet, table: Dataset, split: Split
) -> FoldFigures:
    X, y = table.X[split.test], table.y[split.test]
    inputs, labels = torch.from_numpy(X), np.array(rules.labels)
    by_rules = rules.predict(X)
    return FoldFigures(
        majority_error=error_of(_most_frequent(table.y[split.train]), y),
        network_error=error_of(labels[network.predict(inputs)], y),
        snapped_error=error_of(by_rules, y),
        without_tanh_error=error_of(labels[without_tanh(network).predict(inputs)], y),
        snapped_tied=count_ties(rules.scores(X)),
        snapped_classes=len(np.unique(by_rules)),
        snapped_literals=rules.size,
    )


def _most_frequent(y: NDArray[np.str_]) -> NDArray[np.str_]:
    labels, counts = np.unique(y, return_counts=True)
    most: NDArray[np.str_] = labels[[counts.argmax()]]
    return most
