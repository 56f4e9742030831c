"""Random expressions, and the paper's networks with Eq. 1, 2 or 3 to learn them with.

Many networks are trained side by side. Every one learns a truth table of its own, one pattern
at a time, as in the paper; they only share the tensors that they are computed with.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from crisplogic.algebra import fuzzy_root, fuzzy_squared
from crisplogic.expr import And, Expr, Not, Or, Var, Xor, evaluate
from crisplogic.nn import AllPairings, FeatureSelector, Fuzzy
from crisplogic.training import PhaseConfig

Floats = NDArray[np.float64]

RIVALS: dict[int, Callable[..., Any]] = {1: fuzzy_squared, 3: fuzzy_root}


def patterns(variables: int) -> Floats:
    """All boolean inputs. Shape: (2 ** variables, variables).

    >>> patterns(2).tolist()
    [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
    """
    return np.array(list(product((-1.0, 1.0), repeat=variables)))


def draw(variables: int, count: int, seed: int = 0) -> list[Expr]:
    """Expressions of two pairs with different truth tables, each of all variables it can hold.

    Two pairs hold four variables. Of three, one stands in both pairs; of five and six, those
    that are not mentioned are there to be left out.

    >>> from crisplogic.expr import to_text
    >>> [to_text(expr) for expr in draw(4, 2)]
    ['¬(¬(1 ⊕ ¬0) ⊕ ¬(3 & 2))', '(¬1 & ¬0) ⊕ ¬(¬2 & 3)']
    """
    drawing = random.Random(f"{variables} {seed}")  # a text: the same on every machine
    found: dict[bytes, Expr] = {}
    while len(found) < count:
        expr = _drawn(variables, drawing)
        values = evaluate(expr, patterns(variables))
        if len(needed(values)) == min(variables, 4):
            found.setdefault(values.tobytes(), expr)
    return list(found.values())


def needed(values: Floats) -> list[int]:
    """The variables that a truth table depends on. Shape: (2 ** variables,).

    >>> needed(evaluate(And((Var(0), Var(2))), patterns(3)))
    [0, 2]
    """
    variables = len(values).bit_length() - 1
    table = values.reshape((2,) * variables)
    return [k for k in range(variables) if (table.take(0, k) != table.take(1, k)).any()]


def _drawn(variables: int, drawing: random.Random) -> Expr:
    if variables == 3:
        first, both, last = drawing.sample(range(3), 3)
        places = [first, both, both, last]
    else:
        places = drawing.sample(range(variables), 4)
    literals = [_perhaps_not(Var(place), drawing) for place in places]
    pairs = [_joined(literals[:2], drawing), _joined(literals[2:], drawing)]
    return _joined(pairs, drawing)


def _joined(operands: Sequence[Expr], drawing: random.Random) -> Expr:
    """With *and*, *or*, *xor*, *nand*, *nor* or *nxor*, each as likely as the others."""
    return _perhaps_not(drawing.choice((And, Or, Xor))(tuple(operands)), drawing)


def _perhaps_not(expr: Expr, drawing: random.Random) -> Expr:
    return drawing.choice((expr, Not(expr)))


class RivalFuzzy(Fuzzy):
    """A fuzzy layer with Eq. 1 or 3 in place of Eq. 2; autograd finds the derivatives.

    Shape: (copies, rows, units, 2) to (copies, rows, units).

    >>> layer = RivalFuzzy(1, equation=3, copies=1)
    >>> _ = nn.init.constant_(layer.alpha, 1.0)
    >>> layer(torch.tensor([[[[1.0, 1.0]], [[1.0, -1.0]]]])).flatten().tolist()
    [1.0, -1.0]
    """

    def __init__(
        self, units: int, equation: int, copies: int, generator: torch.Generator | None = None
    ) -> None:
        super().__init__(units, copies=copies, generator=generator)
        self.equation = RIVALS[equation]

    def forward(self, pairs: Tensor) -> Tensor:
        """One value a pair."""
        x, y = pairs.unbind(-1)
        values: Tensor = self.equation(x, y, self.used_alpha().unsqueeze(-2))
        return values


class ExpressionNetworks(nn.Module):
    """The paper's ten layers less the first two: boolean inputs are normalised already.

    There are two outputs, c_0 and c_1, and the greater wins. Starts depend on the seed alone,
    so that the same copy starts with the same alphas under every equation.

    Shape: (copies, rows, variables) to (copies, rows, 2).

    >>> ExpressionNetworks(2, variables=3, width=8, copies=5)(torch.zeros(5, 1, 3)).shape
    torch.Size([5, 1, 2])
    """

    def __init__(
        self, equation: int, variables: int, width: int, copies: int, seed: int = 0
    ) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.layers = nn.Sequential()
        for inputs, outputs in ((variables, width), (width, 2)):
            pairings = AllPairings(inputs)
            units = pairings.out_features
            operators = (
                Fuzzy(units, copies=copies, generator=generator)
                if equation == 2
                else RivalFuzzy(units, equation, copies, generator)
            )
            selector = FeatureSelector(units, outputs, copies=copies)
            self.layers.extend([pairings, operators, selector, nn.Tanh()])
        del self.layers[-1]  # the tanh stands between the levels only

    def forward(self, inputs: Tensor) -> Tensor:
        """The scores of both classes."""
        scores: Tensor = self.layers(inputs)
        return scores

    def l1(self) -> Tensor:
        """The sum of the absolute selector weights of all copies."""
        selectors = [layer for layer in self.layers if isinstance(layer, FeatureSelector)]
        return torch.stack([selector.l1().sum() for selector in selectors]).sum()

    def snap(self, snapped: bool) -> None:
        """Work with the nearest whole alphas and weights, or with those learned."""
        for layer in self.layers:
            if isinstance(layer, Fuzzy | FeatureSelector):
                layer.snapped = snapped


def train(
    networks: ExpressionNetworks,
    inputs: Tensor,
    truth: Tensor,
    settings: PhaseConfig,
    moments: Iterable[int],
    seed: int,
) -> Iterator[list[list[bool]]]:
    """Train by plain gradient descent; yield which networks are right, soft and rounded.

    That is tested after each of ``moments``, numbers of presentations. Every network sees all
    patterns, in its own order, before one is repeated.

    Shape: ``inputs`` (patterns, variables), ``truth`` (copies, patterns) of -1 and 1; yields
    (2, copies).
    """
    steps = _steps(networks, inputs, truth, settings, torch.Generator().manual_seed(seed))
    for before, moment in pairwise([0, *moments]):
        for _ in range(moment - before):
            next(steps)
        yield [right(networks, inputs, truth, snapped).tolist() for snapped in (False, True)]


@torch.no_grad()
def right(networks: ExpressionNetworks, inputs: Tensor, truth: Tensor, snapped: bool) -> Tensor:
    """Which networks answer every pattern rightly; a tie goes to the first class, false.

    Shape: as in :func:`train`; returns (copies,).
    """
    networks.snap(snapped)
    scores: Tensor = networks(inputs.expand(len(truth), -1, -1))
    networks.snap(False)
    answers = scores[..., 1] > scores[..., 0]
    return (answers == (truth > 0)).all(-1)


def _steps(
    networks: ExpressionNetworks,
    inputs: Tensor,
    truth: Tensor,
    settings: PhaseConfig,
    generator: torch.Generator,
) -> Iterator[None]:
    """An endless iterator; each step presents one pattern to every network."""
    parameters = list(networks.parameters())
    copies = torch.arange(len(truth))
    while True:
        for places in torch.rand(truth.shape, generator=generator).argsort(1).unbind(1):
            answer = truth[copies, places]
            scores = networks(inputs[places].unsqueeze(1)).squeeze(1)
            errors = scores - torch.stack([-answer, answer], dim=1)
            loss = errors.square().sum() / 2 + settings.l1 * networks.l1()
            gradients = torch.autograd.grad(loss, parameters)
            with torch.no_grad():
                for parameter, gradient in zip(parameters, gradients, strict=True):
                    parameter.sub_(gradient, alpha=settings.learning_rate)
            yield
