"""The normal form of yes/no rules: statements, what each is worth, and what is needed.

A person can compute predictions from it by adding whole numbers. A statement counts where it
holds, and half where it is unknown. Exports and reports read it, too.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from crisplogic.algebra import UNKNOWN
from crisplogic.errors import RuleError
from crisplogic.expr import Const, Expr, Var
from crisplogic.expr.negations import push_negations
from crisplogic.expr.walk import unique_nodes
from crisplogic.rules.decision import log_odds, positive_by_name
from crisplogic.rules.memberships import Missing
from crisplogic.rules.number_format import all_digits
from crisplogic.rules.scoring import split_intercept
from crisplogic.rules.statements import count_votes

if TYPE_CHECKING:
    from crisplogic.rules import ClassificationRules, RegressionRules, RuleSet
    from crisplogic.rules.rule import Label


@dataclass(frozen=True)
class Item:
    """A statement, and the points that each class gets where it holds.

    Half of them where it is unknown. Of a checklist and of a number there is one entry, which
    is above 0. The ``expression`` has a *not* before literals and exclusive ors alone.
    """

    expression: Expr
    points: tuple[int, ...]


@dataclass(frozen=True)
class Checklist:
    """Of two classes the ``positive`` one, if enough statements hold; else the ``other``.

    ``count`` is the sum of the points of statements that hold, and half of those of unknown
    ones. The positive class is predicted where the count is at least ``needed``, a multiple of
    one half. Its probability is ``1 / (1 + exp(-slope * (count - even)))``.
    """

    positive: Label
    other: Label
    items: tuple[Item, ...]
    needed: float
    slope: float
    even: float
    can_be_unknown: bool = True

    @property
    def total(self) -> int:
        """All points together, the greatest count."""
        return sum(item.points[0] for item in self.items)

    @property
    def has_points(self) -> bool:
        """Whether statements differ in what they are worth."""
        return self.total != len(self.items)

    @property
    def always(self) -> Label | None:
        """The class that is predicted whatever the count is; None where it matters."""
        if self.needed <= 0:
            return self.positive
        return self.other if self.needed > self.total else None

    def probability(self, count: float) -> float:
        """How likely the positive class is at a count."""
        power = self.slope * (self.even - count)
        return 0.0 if power > 700 else 1 / (1 + math.exp(power))


@dataclass(frozen=True)
class ScoreCard:
    """The class with the most points, the first of them in a tie.

    A class has ``bases`` to begin with, and the points of statements that hold. Probabilities
    are the softmax of ``slope`` times the points.
    """

    labels: tuple[Label, ...]
    bases: tuple[float, ...]
    items: tuple[Item, ...]
    slope: float
    can_be_unknown: bool = True


@dataclass(frozen=True)
class NumberCard:
    """A number: ``base``, and ``unit`` times the points of every statement that holds.

    With a ``transform`` the sum is the logarithm of the number.
    """

    label: Label
    base: float
    items: tuple[Item, ...]
    unit: float
    transform: str | None = None
    can_be_unknown: bool = True

    @property
    def amounts(self) -> tuple[float, ...]:
        """What each statement adds where it holds."""
        return tuple(_times(self.unit, item.points[0]) for item in self.items)


NormalForm = Checklist | ScoreCard | NumberCard


def normal_form(rules: RuleSet) -> NormalForm:
    """The statements of yes/no rules and what they are worth, as data.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Rule, Step
    >>> steps = Step(0, 40.0), Step(1, 127.0)
    >>> both = Rule("ill", parse("0 + 1 + ~(0 & ~1)")), Rule("well", parse("unknown"))
    >>> form = normal_form(
    ...     ClassificationRules(("age", "glucose"), steps, both, 1.0, (-0.5, 0.0), crisp=True)
    ... )
    >>> form.positive, form.needed, form.total
    ('ill', 2.0, 3)
    """
    from crisplogic.rules import ClassificationRules, RegressionRules  # made of what this reads

    if not rules.crisp:
        raise RuleError("only yes/no rules are a checklist or a score card; these are graded")
    if isinstance(rules, RegressionRules):
        return _number_card(rules)
    assert isinstance(rules, ClassificationRules)
    return _checklist(rules) if len(rules.rules) == 2 else score_card(rules)


class _Votes:
    """The votes of all rules for statements, and for what is true anyway, by rule."""

    def __init__(self, rules: RuleSet) -> None:
        self.anyway = [0] * len(rules.rules)
        self.statements: list[tuple[Expr, tuple[int, ...]]] = []
        for expr, votes in count_votes(rules).items():
            statement = push_negations(expr)
            if isinstance(statement, Const):
                added = (int(statement.value) * vote for vote in votes)
                self.anyway = list(map(int.__add__, self.anyway, added))
            else:
                self.statements.append((statement, votes))

    def items(self, weights: Sequence[Sequence[int]]) -> Iterator[Item]:
        """The statements with points; ``weights`` turn the votes of rules into points.

        Each is written so that its points are above 0 in sum.
        """
        for statement, votes in self.statements:
            points = [sum(map(int.__mul__, votes, row)) for row in weights]
            if not any(points):
                continue
            if sum(points) < 0:
                statement, points = push_negations(statement, True), [-each for each in points]
            yield Item(statement, tuple(points))


def _checklist(rules: ClassificationRules) -> Checklist:
    positive = _positive(rules)
    other = 1 - positive
    votes = _Votes(rules)
    signs = [1 if at == positive else -1 for at in (0, 1)]
    items = tuple(votes.items([signs]))
    share = math.gcd(*(item.points[0] for item in items)) or 1
    total = sum(item.points[0] for item in items)
    anyway = sum(map(int.__mul__, votes.anyway, signs))

    wholes, rests = zip(*map(split_intercept, rules.intercepts), strict=True)

    def is_positive(halves: int) -> bool:
        # The sums that the program compares, in the same order.
        score = wholes[positive] + float(halves * share - total + anyway) + rests[positive]
        threshold = wholes[other] + rests[other]
        return score > threshold or (score == threshold and positive == 0)

    unknown = _can_be_unknown(rules, items)
    step = 1 if unknown else 2
    halves = range(0, 2 * (total // share) + 1, step)
    needed = step * bisect_left(halves, True, key=is_positive) / 2
    odds = log_odds(rules.probability_of_a_tie)
    if rules.positive is not None and rules.positive != rules.labels[positive]:
        odds = -odds
    ahead = rules.intercepts[positive] - rules.intercepts[other] + anyway - total
    return Checklist(
        positive=rules.labels[positive],
        other=rules.labels[other],
        items=tuple(Item(each.expression, (each.points[0] // share,)) for each in items),
        needed=needed,
        slope=2 * rules.scale * share,
        even=-(ahead + odds / rules.scale) / (2 * share) + 0.0,
        can_be_unknown=unknown,
    )


def _positive(rules: ClassificationRules) -> int:
    """The class that statements speak for: the one that has some, or the one so called."""
    if rules.positive is not None:
        return rules.labels.index(rules.positive)
    told = [any(isinstance(node, Var) for node in unique_nodes([e])) for e in rules.expressions]
    if told[0] != told[1]:
        return told.index(True)
    named = positive_by_name(rules.labels)
    return 1 if named is None else named


def score_card(rules: ClassificationRules) -> ScoreCard:
    """The score card of yes/no rules for any number of classes, two included."""
    count = len(rules.rules)
    votes = _Votes(rules)
    items = tuple(votes.items([[int(a == b) for b in range(count)] for a in range(count)]))
    bases = []
    for at, intercept in enumerate(rules.intercepts):
        points = sum(item.points[at] for item in items)
        bases.append(float((_exact(intercept) + votes.anyway[at] - points) / 2))
    return ScoreCard(
        rules.labels,
        tuple(bases),
        items,
        2 * rules.scale,
        _can_be_unknown(rules, items),
    )


def _number_card(rules: RegressionRules) -> NumberCard:
    votes = _Votes(rules)
    items = tuple(votes.items([[1]]))
    points = votes.anyway[0] - sum(item.points[0] for item in items)
    return NumberCard(
        label=rules.labels[0],
        base=float(_exact(rules.intercepts[0]) + _exact(rules.scale) * points),
        items=items,
        unit=_times(rules.scale, 2),
        transform=rules.transform,
        can_be_unknown=_can_be_unknown(rules, items),
    )


def _can_be_unknown(rules: RuleSet, items: Sequence[Item]) -> bool:
    """Whether a missing value could leave a statement open: *is missing* is always known."""
    nodes = list(unique_nodes(item.expression for item in items))
    if any(isinstance(node, Const) and node.value == UNKNOWN for node in nodes):
        return True
    inputs = (node.index for node in nodes if isinstance(node, Var))
    return any(not isinstance(rules.memberships[index], Missing) for index in inputs)


def _exact(number: float) -> Decimal:
    """The number as it is printed: sums of it are as a person would compute them."""
    return Decimal(all_digits(number))


def _times(number: float, times: int) -> float:
    """A product as a person would compute it.

    >>> _times(0.1, 3)
    0.3
    """
    return float(_exact(number) * times)
