"""Snapping: from a network to rules. The only bridge between torch and expressions.

A network snaps as in the paper: every alpha goes to the nearest of -1, 0 and 1 and so
becomes *nor*, *nxor* or *and*; every selector weight goes to the nearest of -1, 0 and 1 and
so negates, drops or keeps an expression. How good the rules are is decided before, by how
the network was trained (see :mod:`crisplogic.training`): this step is the same for all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crisplogic.algebra import FALSE, TRUE
from crisplogic.algebra.pairing import pair_indices
from crisplogic.expr import And, Const, Expr, Not, Or, Squash, Var, Xor, total
from crisplogic.expr.nodes import MAX_DEPTH
from crisplogic.nn import FeatureSelector, Fuzzy, LearnedMembership, LogicNetwork
from crisplogic.rules import LevelMoves, Membership, Ramp, Rule, RuleSet
from crisplogic.rules.rule import Label

Floats = NDArray[np.float64]

# A level nests at most five nodes: a tanh of a sum of negated, negated exclusive ors. The
# last level goes without the tanh.
MOST_LEVELS = (MAX_DEPTH + 1) // 5


def snap(network: LogicNetwork, features: Sequence[str], labels: Sequence[Label]) -> RuleSet:
    """The rules that a network snaps to, simplified by the laws that change no score.

    >>> import torch
    >>> network = LogicNetwork(2, 1, depth=1)
    >>> (fuzzy, selector), = network.levels()
    >>> with torch.no_grad():
    ...     _ = fuzzy.alpha.fill_(0.9)
    ...     _ = selector.weight.copy_(torch.tensor([[-0.8, 0.0, 0.0, 0.0, 0.6]]))
    >>> print(snap(network, ["age", "bmi"], ["well"]))
    well = ¬(age & bmi) + bmi
    """
    memberships = _memberships(network)
    values: list[Expr] = [Var(index) for index in range(len(memberships))]
    levels = list(network.levels())
    for number, level in enumerate(levels, 1):
        sums = _level_expressions(values, *level)
        values = sums if number == len(levels) else [Squash(each) for each in sums]
    rules = tuple(Rule(label, value) for label, value in zip(labels, values, strict=True))
    scale = network.log_scale.exp().item()
    intercepts = tuple(_values(network.intercept).tolist())
    return RuleSet(tuple(features), memberships, rules, scale, intercepts).simplified()


def moves(before: LogicNetwork, after: LogicNetwork) -> tuple[LevelMoves, ...]:
    """How far each parameter of ``before`` is from the snapped value it has in ``after``."""
    return tuple(
        LevelMoves(
            alpha=_values(fuzzy_after.snapped_alpha()) - _values(fuzzy_before.alpha),
            weight=_values(selector_after.snapped_weight(fuzzy_after.turn()))
            - _values(selector_before.soft_weight(fuzzy_before.turn())),
        )
        for (fuzzy_before, selector_before), (fuzzy_after, selector_after) in zip(
            before.levels(), after.levels(), strict=True
        )
    )


def _level_expressions(
    values: list[Expr], fuzzy: Fuzzy, selector: FeatureSelector
) -> list[Expr]:
    """One sum a unit of the selector, over the pairs it keeps."""
    left, right = pair_indices(len(values))
    extended = [*values, Const(FALSE), Const(TRUE)]
    alpha = _values(fuzzy.snapped_alpha())

    def term(pair: int, weight: float) -> Expr:
        joined = _joined(alpha[pair], extended[left[pair]], extended[right[pair]])
        return joined if weight > 0 else Not(joined)

    return [
        total(term(pair, row[pair]) for pair in np.flatnonzero(row).tolist())
        for row in _values(selector.snapped_weight(fuzzy.turn()))
    ]


def _joined(alpha: float, x: Expr, y: Expr) -> Expr:
    """*and*, *nxor* or *nor* of a pair."""
    if alpha > 0:
        return And((x, y))
    return Not(Xor((x, y))) if alpha == 0 else Not(Or((x, y)))


def _memberships(network: LogicNetwork) -> tuple[Membership, ...]:
    lows, highs = (_values(ends) for ends in network.membership.ends())
    kind = Ramp if isinstance(network.membership, LearnedMembership) else Membership
    columns = network.columns.tolist()
    return tuple(
        kind(columns[number % network.n_selected_features], float(low), float(high))
        for number, (low, high) in enumerate(zip(lows, highs, strict=True))
    )


def _values(tensor: Tensor) -> Floats:
    return tensor.detach().to(dtype=torch.float64, device="cpu").numpy()
