"""EvidenceAccumulator: computes the evidence of rules and terms, chunk by chunk of rows."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from crisplogic.algebra import UNKNOWN
from crisplogic.expr import Const, Expr, Var, measure, total
from crisplogic.expr.walk import unique_nodes
from crisplogic.rules.analysis.evidence import ClassEvidence, Evidence, Kind, NumberEvidence
from crisplogic.rules.formatting import Wording, terms_of
from crisplogic.rules.memberships import Indicator, Membership
from crisplogic.rules.metrics import unit_of
from crisplogic.rules.scoring import Scorer, winners

if TYPE_CHECKING:
    from crisplogic.rules import ClassificationRules, RegressionRules, RuleSet

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]


class Item(NamedTuple):
    """A term or a rule: the position of its label, its expression, the sum without it."""

    position: int
    kind: Kind
    expr: Expr
    weight: int
    rest: Expr


AnyEvidence = TypeVar("AnyEvidence", bound=Evidence)


class EvidenceAccumulator(ABC, Generic[AnyEvidence]):
    """Sums over the rows of a table, one for each item, added chunk by chunk."""

    def __init__(self, rules: RuleSet, table: Any, y: Any, sample_weight: Any) -> None:
        self.rules, self.matrix = rules, rules.matrix(table)
        self.targets = rules.read_targets(len(self.matrix), y, sample_weight)
        self.judged = self.targets.values is not None
        self.items = list(_items(rules))
        self.inputs = [
            [node.index for node in unique_nodes([item.expr]) if isinstance(node, Var)]
            for item in self.items
        ]
        self.true = self._zeros()
        self.sums = self._zeros()
        self.unknown = self._zeros()

    def records(self) -> list[AnyEvidence]:
        """The evidence on all rows: rules in their order, each before its terms."""
        for chunk, scores, values, rests in self._compute():
            self._add(chunk, scores, values, rests)
        wording = Wording(self.rules)
        return [self._record(wording, number) for number in range(len(self.items))]

    def _zeros(self) -> Floats:
        return np.zeros(len(self.items))

    def _compute(self) -> Iterator[tuple[slice, Floats, Floats, Floats]]:
        """Scores, the values of items, and the scores without them, chunk by chunk.

        The sum without an item is computed anew: a difference would not be quite the same, and
        ties are decided by the last bit. Shape: (classes, rows), and twice (items, rows).
        """
        rules, items = self.rules, self.items
        without = items if self.judged else []
        places = [item.position for item in without]
        ones, zeros = [1.0] * len(items), [0.0] * len(items)
        scorer = Scorer(
            rules.memberships,
            [*rules.expressions, *(each.expr for each in items), *(e.rest for e in without)],
            [*rules.intercepts, *zeros, *(rules.intercepts[place] for place in places)],
            [*rules.factors, *ones, *(rules.factors[place] for place in places)],
        )
        classes = len(rules.rules)
        for chunk, computed in scorer.scores(self.matrix):
            scores, values, rests = np.split(computed, [classes, classes + len(items)])
            yield chunk, scores, values, rests

    def _add(self, chunk: slice, scores: Floats, values: Floats, rests: Floats) -> None:
        count = self.targets.total
        rules = self.rules
        missing = unknown_inputs(rules.memberships, rules.used, self.matrix[chunk])
        truths = []
        for number, (item, value) in enumerate(zip(self.items, values, strict=True)):
            truths.append(self._is_true(item, value, scores))
            self.true[number] += count(chunk, truths[-1])
            self.sums[number] += count(chunk, value)
            gaps = [missing[index] for index in self.inputs[number] if index in missing]
            if gaps:
                asked = np.logical_or.reduce(gaps)
                self.unknown[number] += count(chunk, asked & (value == UNKNOWN))
        if self.targets.values is not None:
            self._judge(chunk, self.targets.values[chunk], truths, scores, rests)

    def _is_true(self, item: Item, value: Floats, scores: Floats) -> Truths:
        """Where an item is true."""
        true: Truths = value > 0
        return true

    @abstractmethod
    def _judge(
        self,
        chunk: slice,
        targets: NDArray[Any],
        truths: list[Truths],
        scores: Floats,
        rests: Floats,
    ) -> None:
        """Compare the predictions, and those without each item, with the targets."""

    @abstractmethod
    def _record(self, wording: Wording, number: int) -> AnyEvidence:
        """The evidence of one item."""

    def _share(self, part: float) -> float:
        """A part of all rows."""
        return share(part, self.targets.sum_of_weights)

    def _common(self, wording: Wording, number: int) -> dict[str, Any]:
        """The fields that both kinds of evidence share."""
        item, true = self.items[number], self.true[number]
        is_rule = item.kind == "rule"
        return {
            "label": self.rules.labels[item.position],
            "kind": item.kind,
            "text": wording.rule(item.position) if is_rule else wording.whole(item.expr),
            "literals": measure([item.expr], self.rules.counted).literals,
            "weight": item.weight,
            "rows": int(true) if self.targets.weights is None else float(true),
            "support": self._share(true),
            "unknown": self._share(self.unknown[number]),
        }


class ClassAccumulator(EvidenceAccumulator[ClassEvidence]):
    """Sums of right and wrong predictions."""

    def __init__(
        self, rules: ClassificationRules, table: Any, y: Any, sample_weight: Any
    ) -> None:
        super().__init__(rules, table, y, sample_weight)
        self.right = self._zeros()
        self.wrong_without = self._zeros()
        self.wrong = 0.0
        self.of_class = np.zeros(len(rules.rules))

    def _is_true(self, item: Item, value: Floats, scores: Floats) -> Truths:
        return super()._is_true(
            item, scores[item.position] if item.kind == "rule" else value, scores
        )

    def _judge(
        self,
        chunk: slice,
        targets: NDArray[Any],
        truths: list[Truths],
        scores: Floats,
        rests: Floats,
    ) -> None:
        count = self.targets.total
        self.wrong += count(chunk, winners(scores) != targets)
        for position in range(len(scores)):
            self.of_class[position] += count(chunk, targets == position)
        pairs = zip(self.items, truths, rests, strict=True)
        for number, (item, true, rest) in enumerate(pairs):
            self.right[number] += count(chunk, true & (targets == item.position))
            without = scores.copy()
            without[item.position] = rest
            self.wrong_without[number] += count(chunk, winners(without) != targets)

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

    ``other`` are the rows where an item is not true.
    """

    def __init__(self, rules: RegressionRules, table: Any, y: Any, sample_weight: Any) -> None:
        super().__init__(rules, table, y, sample_weight)
        most = rules.scale * len(terms_of(rules.expressions[0]))
        known = np.empty(0) if self.targets.values is None else self.targets.values
        self.unit = unit_of(known, np.array([*rules.intercepts, most]))
        self.other = self._zeros()
        self.where_true = self._zeros()
        self.elsewhere = self._zeros()
        self.squares_without = self._zeros()
        self.squares = 0.0

    def _judge(
        self,
        chunk: slice,
        targets: NDArray[Any],
        truths: list[Truths],
        scores: Floats,
        rests: Floats,
    ) -> None:
        count = self.targets.total
        targets = targets / self.unit
        self.squares += count(chunk, (scores[0] / self.unit - targets) ** 2)
        for number, (true, rest) in enumerate(zip(truths, rests, strict=True)):
            self.other[number] += count(chunk, ~true)
            self.where_true[number] += count(chunk, np.where(true, targets, 0.0))
            self.elsewhere[number] += count(chunk, np.where(true, 0.0, targets))
            self.squares_without[number] += count(chunk, (rest / self.unit - targets) ** 2)

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
        return self.unit * share(total, rows, self.judged)

    def _error(self, squares: float) -> float:
        rows = self.targets.sum_of_weights
        return self.unit * math.sqrt(share(squares, rows, self.judged))


def share(part: float, whole: float, known: bool = True) -> float:
    """A part of a whole; NaN where the whole is nothing, or nothing is known.

    >>> share(1, 4), share(0, 0)
    (0.25, nan)
    """
    return float(part / whole) if known and whole else math.nan


def _items(rules: RuleSet) -> Iterator[Item]:
    for position, expr in enumerate(rules.expressions):
        terms = terms_of(expr)
        yield Item(position, "rule", expr, 1, Const(UNKNOWN))
        for term, weight in Counter(terms).items():
            rest = total(other for other in terms if other != term)
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
