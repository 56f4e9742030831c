"""EvidenceAccumulator: computes the evidence of rules and terms, chunk by chunk of rows."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from crisplogic.algebra import UNKNOWN
from crisplogic.expr import Const, Expr, measure, total
from crisplogic.expr.walk import inputs_in
from crisplogic.rules.analysis.evidence import ClassEvidence, Evidence, Kind, NumberEvidence
from crisplogic.rules.formatting import Wording, terms_of
from crisplogic.rules.memberships import Indicator, Membership
from crisplogic.rules.metrics import unit_of
from crisplogic.rules.scoring import Scorer, says_yes, winners

if TYPE_CHECKING:
    from crisplogic.rules import ClassificationRules, RegressionRules, RuleSet
    from crisplogic.rules.targets import Targets

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]


class Item(NamedTuple):
    """A term or a rule: the position of its label, its expression, the sum without it."""

    position: int
    kind: Kind
    expr: Expr
    weight: int
    rest: Expr


class Chunk(NamedTuple):
    """Scores, the values of items and the scores without them, for a slice of the rows.

    Shape: ``scores`` (rules, rows), ``values`` and ``rests`` (items, rows).
    """

    rows: slice
    scores: Floats
    values: Floats
    rests: Floats


AnyEvidence = TypeVar("AnyEvidence", bound=Evidence)


class EvidenceAccumulator(ABC, Generic[AnyEvidence]):
    """Sums over the rows of tables, one for each item, added chunk by chunk.

    Rows that are ``judged`` come with what they are known to be.
    """

    # Attributes with a number for each item.
    sums_of_items: ClassVar[tuple[str, ...]] = ("true", "sums", "unknown")

    def __init__(self, rules: RuleSet, judged: bool) -> None:
        self.rules, self.judged = rules, judged
        self.items = list(_items(rules, judged))
        self.inputs = [inputs_in([item.expr]) for item in self.items]
        self.scorer, self.parts = self._make_scorer()
        self.total, self.weighted = 0.0, False
        self.true = self._zeros()
        self.sums = self._zeros()
        self.unknown = self._zeros()

    def add(
        self, table: Any, y: Any = None, sample_weight: Any = None, coded: bool = False
    ) -> Self:
        """Add the rows of a table, whose categories may be ``coded`` already."""
        matrix = self.rules.matrix(table, coded)
        return self.count(matrix, self.rules.read_targets(len(matrix), y, sample_weight))

    def count(self, matrix: Floats, targets: Targets[Any]) -> Self:
        """Add rows with their targets. Shape: ``matrix`` (rows, features)."""
        self.total += targets.sum_of_weights
        self.weighted |= targets.weights is not None
        self._begin(targets)
        for chunk in self._chunks(matrix):
            truths = self._count(chunk, matrix, targets)
            if targets.values is not None:
                self._judge(chunk, truths, targets)
        return self

    def empty(self) -> Self:
        """The same before any row was added, to count other rows with."""
        made = copy(self)
        made.total, made.weighted = 0.0, False
        for name in self.sums_of_items:
            setattr(made, name, self._zeros())
        return made

    def merge(self, other: Self) -> None:
        """Add what another one has counted."""
        self.total += other.total
        self.weighted |= other.weighted
        for name in self.sums_of_items:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def records(self) -> list[AnyEvidence]:
        """The evidence on all rows: rules in their order, each before its terms."""
        wording = Wording(self.rules)
        return [self._record(wording, number) for number in range(len(self.items))]

    @abstractmethod
    def _truths(self, chunk: Chunk) -> Iterator[Truths]:
        """Where each item is true."""

    @abstractmethod
    def _judge(self, chunk: Chunk, truths: list[Truths], targets: Targets[Any]) -> None:
        """Compare the predictions, and those without each item, with the targets."""

    def _begin(self, targets: Targets[Any]) -> None:
        """Look at the targets of some rows before they are counted."""

    @abstractmethod
    def _record(self, wording: Wording, number: int) -> AnyEvidence:
        """The evidence of one item."""

    def _zeros(self) -> Floats:
        return np.zeros(len(self.items))

    def _make_scorer(self) -> tuple[Scorer, list[int]]:
        """What computes scores, values and rests, and where each of these ends."""
        # The sum without an item is computed anew: a difference would not be quite the same,
        # and ties are decided by the last bit.
        rules, items = self.rules, self.items
        without = items if self.judged else []
        positions = [item.position for item in without]
        scorer = Scorer(
            rules.memberships,
            [*rules.expressions, *(each.expr for each in items), *(e.rest for e in without)],
            [*rules.intercepts, *[0.0] * len(items), *(rules.intercepts[p] for p in positions)],
            [*rules.factors, *[1.0] * len(items), *(rules.factors[p] for p in positions)],
            rules.crisp,
        )
        return scorer, [len(rules.rules), len(rules.rules) + len(items)]

    def _chunks(self, matrix: Floats) -> Iterator[Chunk]:
        for rows, computed in self.scorer.scores(matrix):
            yield Chunk(rows, *np.split(computed, self.parts))

    def _count(self, chunk: Chunk, matrix: Floats, targets: Targets[Any]) -> list[Truths]:
        """Add what needs no targets; returns where each item is true."""
        rules, count = self.rules, targets.total
        missing = unknown_inputs(rules.memberships, rules.used, matrix[chunk.rows])
        truths = list(self._truths(chunk))
        for number, (true, value) in enumerate(zip(truths, chunk.values, strict=True)):
            self.true[number] += count(chunk.rows, true)
            self.sums[number] += count(chunk.rows, value)
            gaps = [missing[index] for index in self.inputs[number] if index in missing]
            if gaps:
                asked = np.logical_or.reduce(gaps)
                self.unknown[number] += count(chunk.rows, asked & (value == UNKNOWN))
        return truths

    def _share(self, part: float) -> float:
        """A part of all rows."""
        return share(part, self.total)

    def _common(self, wording: Wording, number: int) -> dict[str, Any]:
        """The fields that both kinds of evidence share."""
        item, true = self.items[number], self.true[number]
        is_rule = item.kind == "rule"
        return {
            "label": self.rules.labels[item.position],
            "kind": item.kind,
            "text": wording.rule(item.position) if is_rule else wording.whole(item.expr),
            "literals": measure([item.expr]).literals,
            "weight": item.weight,
            "rows": float(true) if self.weighted else int(true),
            "support": self._share(true),
            "unknown": self._share(self.unknown[number]),
        }


class ClassAccumulator(EvidenceAccumulator[ClassEvidence]):
    """Sums of right and wrong predictions."""

    rules: ClassificationRules
    sums_of_items = (*EvidenceAccumulator.sums_of_items, "right", "wrong_without")

    def __init__(self, rules: ClassificationRules, judged: bool) -> None:
        super().__init__(rules, judged)
        self.right = self._zeros()
        self.wrong_without = self._zeros()
        self.wrong = 0.0
        self.of_class = np.zeros(len(rules.rules))

    def empty(self) -> Self:
        """The same before any row was added."""
        made = super().empty()
        made.wrong, made.of_class = 0.0, np.zeros_like(self.of_class)
        return made

    def merge(self, other: Self) -> None:
        """Add what another one has counted."""
        super().merge(other)
        self.wrong += other.wrong
        self.of_class = self.of_class + other.of_class

    def _truths(self, chunk: Chunk) -> Iterator[Truths]:
        yes = says_yes(chunk.scores, self.rules.constant)
        for item, value in zip(self.items, chunk.values, strict=True):
            yield yes[item.position] if item.kind == "rule" else value > 0

    def _judge(self, chunk: Chunk, truths: list[Truths], known: Targets[Any]) -> None:
        rows, scores, count = chunk.rows, chunk.scores, known.total
        assert known.values is not None
        targets = known.values[rows]
        self.wrong += count(rows, winners(scores) != targets)
        for position in range(len(scores)):
            self.of_class[position] += count(rows, targets == position)
        triples = zip(self.items, truths, chunk.rests, strict=True)
        for number, (item, true, rest) in enumerate(triples):
            self.right[number] += count(rows, true & (targets == item.position))
            without = scores.copy()
            without[item.position] = rest
            self.wrong_without[number] += count(rows, winners(without) != targets)

    def _record(self, wording: Wording, number: int) -> ClassEvidence:
        item, right = self.items[number], self.right[number]
        more_wrong = self._share(self.wrong_without[number] - self.wrong)
        return ClassEvidence(
            **self._common(wording, number),
            coverage=share(right, self.of_class[item.position], self.judged),
            precision=share(right, self.true[number], self.judged),
            contribution=self._share(item.weight * self.sums[number]),
            effect=100 * more_wrong if self.judged else math.nan,
        )


class NumberAccumulator(EvidenceAccumulator[NumberEvidence]):
    """Sums of numbers and squared errors, in a ``unit`` in which no square is too large.

    ``other`` are the rows where an item is not true. What is merged has to have one unit.
    """

    rules: RegressionRules
    sums_of_items = (
        *EvidenceAccumulator.sums_of_items,
        *("other", "where_true", "elsewhere", "squares_without"),
    )

    def __init__(self, rules: RegressionRules, judged: bool, unit: float | None = None) -> None:
        super().__init__(rules, judged)
        self.unit = unit
        self.other = self._zeros()
        self.where_true = self._zeros()
        self.elsewhere = self._zeros()
        self.squares_without = self._zeros()
        self.squares = 0.0

    def empty(self) -> Self:
        """The same before any row was added."""
        made = super().empty()
        made.squares = 0.0
        return made

    def merge(self, other: Self) -> None:
        """Add what another one has counted."""
        super().merge(other)
        self.squares += other.squares

    def _begin(self, targets: Targets[Any]) -> None:
        if self.unit is None:  # the first rows tell how large numbers are
            most = self.rules.scale * len(terms_of(self.rules.expressions[0]))
            known = np.empty(0) if targets.values is None else targets.values
            self.unit = unit_of(known, np.array([*self.rules.intercepts, most]))

    def _truths(self, chunk: Chunk) -> Iterator[Truths]:
        yield from chunk.values > 0

    def _judge(self, chunk: Chunk, truths: list[Truths], known: Targets[Any]) -> None:
        rows, count = chunk.rows, known.total
        assert known.values is not None
        assert self.unit is not None
        targets = known.values[rows] / self.unit
        numbers = self.rules.numbers
        self.squares += count(rows, (numbers(chunk.scores[0]) / self.unit - targets) ** 2)
        for number, (true, rest) in enumerate(zip(truths, chunk.rests, strict=True)):
            self.other[number] += count(rows, ~true)
            self.where_true[number] += count(rows, np.where(true, targets, 0.0))
            self.elsewhere[number] += count(rows, np.where(true, 0.0, targets))
            without = numbers(rest) / self.unit
            self.squares_without[number] += count(rows, (without - targets) ** 2)

    def _record(self, wording: Wording, number: int) -> NumberEvidence:
        item = self.items[number]
        return NumberEvidence(
            **self._common(wording, number),
            mean=self._mean(self.where_true[number], self.true[number]),
            mean_elsewhere=self._mean(self.elsewhere[number], self.other[number]),
            contribution=self.rules.scale * self._share(item.weight * self.sums[number]),
            effect=self._error(self.squares_without[number]) - self._error(self.squares),
        )

    def _mean(self, total: float, rows: float) -> float:
        return (self.unit or 1.0) * share(total, rows, self.judged)

    def _error(self, squares: float) -> float:
        return (self.unit or 1.0) * math.sqrt(share(squares, self.total, self.judged))


def share(part: float, whole: float, known: bool = True) -> float:
    """A part of a whole; NaN where the whole is nothing, or nothing is known.

    >>> share(1, 4), share(0, 0)
    (0.25, nan)
    """
    return float(part / whole) if known and whole else math.nan


def _items(rules: RuleSet, judged: bool) -> Iterator[Item]:
    """Rules and terms; what is left without them is needed only where they are judged."""
    for position, expr in enumerate(rules.expressions):
        terms = terms_of(expr)
        yield Item(position, "rule", expr, 1, Const(UNKNOWN))
        for term, weight in Counter(terms).items():
            others = (other for other in terms if other != term) if judged else ()
            rest = total(others)
            yield Item(position, "term", term, weight, rest)


def unknown_inputs(
    memberships: Sequence[Membership], used: Sequence[int], matrix: Floats
) -> dict[int, NDArray[np.bool_]]:
    """Where inputs are unknown; inputs that are known everywhere are left out.

    A value on the threshold is known, although its membership is 0. An unseen value of a
    category counts as missing.

    Shape: ``matrix`` (rows, features); (rows,) each.

    >>> table = np.array([[127.0], [np.nan]])
    >>> {number: gaps.tolist() for number, gaps in unknown_inputs(
    ...     [Membership(0, 107.0, 147.0)], [0], table).items()}
    {0: [False, True]}
    """
    found = {}
    for index in used:
        membership = memberships[index]
        column = matrix[:, membership.feature]
        known = membership.indicated(column) if isinstance(membership, Indicator) else column
        gaps = np.isnan(known)
        if gaps.any():
            found[index] = gaps
    return found
