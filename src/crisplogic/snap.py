"""Snapping: from a network to rules. The only bridge between torch and expressions.

A network snaps as in the paper. Every alpha is rounded to -1, 0 or 1 and becomes *nor*, *nxor*
or *and*. Every selector weight is rounded to -1, 0 or 1 and negates, drops or keeps an
expression. The training decides how good the rules are (see :mod:`crisplogic.training`).

A network that computes with hard thresholds (``LogicNetwork.snap(crisp=True)``) becomes crisp
rules: its learned memberships are steps, and a unit of any level but the last is one
expression. It is one expression in a network with skip connections, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crisplogic.algebra import FALSE, TRUE, UNKNOWN
from crisplogic.algebra.pairing import pair_indices
from crisplogic.expr import And, Const, Expr, Not, Or, Squash, Var, Xor, total
from crisplogic.expr.nodes import MAX_DEPTH
from crisplogic.nn import FeatureSelector, Fuzzy, LearnedMembership, LogicNetwork
from crisplogic.rules import ClassificationRules, LevelMoves, Membership, Ramp, Rule, Step
from crisplogic.rules.rule import Label
from crisplogic.rules.snap_report import SnappedLevel, SnapReport

Floats = NDArray[np.float64]

# A level nests at most five nodes: the tanh of a sum of negated nxor, which is a negated xor.
# The last level has no tanh.
MAX_LEVELS = (MAX_DEPTH + 1) // 5


def snap(
    network: LogicNetwork, features: Sequence[str], labels: Sequence[Label]
) -> ClassificationRules:
    """Convert a network to rules, simplified by laws that change no score.

    They are rules for classes, whose scores are the outputs of the network. They are crisp if
    the network is.

    >>> import torch
    >>> network = LogicNetwork(2, 1, depth=1, memberships=1)
    >>> network.fit(torch.tensor([[20.0, 16.0], [60.0, 34.0]]))
    >>> (fuzzy, selector), = network.levels()
    >>> with torch.no_grad():
    ...     _ = fuzzy.alpha.fill_(0.9)
    ...     _ = selector.weight.copy_(torch.tensor([[-0.8, 0.0, 0.0, 0.0, 0.6]]))
    >>> print(snap(network, ["age", "bmi"], ["well"]).to_text())
    well = ¬(age>40±20 & bmi>25±9) + bmi>25±9
    >>> network.snap(crisp=True)
    >>> snap(network, ["age", "bmi"], ["well"]).memberships
    (Step(feature=0, threshold=40.0), Step(feature=1, threshold=25.0))
    """
    memberships = _memberships(network)
    values: list[Expr] = [Var(index) for index in range(len(memberships))]
    if network.crisp:  # a step would be true or false of a column that never varied
        lows, highs = (_values(ends) for ends in network.membership.ends())
        for index in np.flatnonzero(lows == highs).tolist():
            values[index] = Const(UNKNOWN)
    beside, levels = values if network.skip else [], list(network.levels())
    for number, level in enumerate(levels, 1):
        values = _level_expressions(values, *level)
        if number < len(levels):
            units = [Squash(each) for each in values] if network.has_sums else values
            values = [*units, *beside]
    rules = tuple(Rule(label, value) for label, value in zip(labels, values, strict=True))
    scale = network.log_scale.exp().item()
    intercepts = tuple(_values(network.intercept).tolist())
    return ClassificationRules(
        tuple(features), memberships, rules, scale, intercepts, crisp=network.crisp
    ).simplified()


def moves(before: LogicNetwork, after: LogicNetwork) -> tuple[LevelMoves, ...]:
    """The distance of each parameter of ``before`` to its snapped value in ``after``."""
    return tuple(
        LevelMoves(
            alpha=_values(fuzzy_after.snapped_alpha()) - _values(fuzzy_before.alpha),
            weight=_values(selector_after.snapped_weight(fuzzy_after.direction()))
            - _values(selector_before.soft_weight(fuzzy_before.direction())),
        )
        for (fuzzy_before, selector_before), (fuzzy_after, selector_after) in zip(
            before.levels(), after.levels(), strict=True
        )
    )


def snapped_levels(network: LogicNetwork, report: SnapReport) -> tuple[SnappedLevel, ...]:
    """The alphas and weights of a network, before it was snapped and after.

    ``report`` says how far they moved: ``snapped_levels(clf.network_, clf.snap_report_)``.
    """
    found = []
    for (fuzzy, selector), moved in zip(network.levels(), report.levels, strict=True):
        alpha = _values(fuzzy.alpha)
        weight = _values(selector.soft_weight(fuzzy.direction()))
        found.append(SnappedLevel(alpha, alpha + moved.alpha, weight, weight + moved.weight))
    return tuple(found)


def _level_expressions(
    values: list[Expr], fuzzy: Fuzzy, selector: FeatureSelector
) -> list[Expr]:
    """One sum for each unit of the selector, over the pairs that it keeps."""
    left, right = pair_indices(len(values))
    extended = [*values, Const(FALSE), Const(TRUE)]
    alpha = _values(fuzzy.snapped_alpha())

    def term(pair: int, weight: float) -> Expr:
        joined = _join(alpha[pair], extended[left[pair]], extended[right[pair]])
        return joined if weight > 0 else Not(joined)

    return [
        total(term(pair, row[pair]) for pair in np.flatnonzero(row).tolist())
        for row in _values(selector.snapped_weight(fuzzy.direction()))
    ]


def _join(alpha: float, x: Expr, y: Expr) -> Expr:
    """Join a pair by *and*, *nxor* or *nor*."""
    if alpha > 0:
        return And((x, y))
    return Not(Xor((x, y))) if alpha == 0 else Not(Or((x, y)))


def _memberships(network: LogicNetwork) -> tuple[Membership, ...]:
    membership, columns = network.membership, cycle(network.columns.tolist())
    if network.crisp and isinstance(membership, LearnedMembership):
        thresholds = _values(membership.thresholds()).tolist()
        return tuple(map(Step, columns, thresholds))
    lows, highs = (_values(ends).tolist() for ends in membership.ends())
    kind = Ramp if isinstance(membership, LearnedMembership) else Membership
    return tuple(map(kind, columns, lows, highs))


def _values(tensor: Tensor) -> Floats:
    return tensor.detach().to(dtype=torch.float64, device="cpu").numpy()
