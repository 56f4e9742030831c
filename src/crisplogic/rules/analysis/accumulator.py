"""Tally: what terms and rules say of rows, counted a chunk of rows after the other."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from crisplogic.algebra import UNKNOWN
from crisplogic.expr import Const, Expr, Var, measure, total
from crisplogic.expr.walk import unique_nodes
from crisplogic.rules.formatting import Wording, terms_of
from crisplogic.rules.memberships import Indicator, Membership
from crisplogic.rules.metrics import unit_of
from crisplogic.rules.scoring import Scorer, winners
from crisplogic.rules.targets import Answers, NumberAnswers, Weighed

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]
Kind = Literal["term", "rule"]


class Item(NamedTuple):
    """A term or a rule: which class it speaks for, what it says, what is left without it."""

    position: int
    kind: Kind
    expr: Expr
    weight: int
    rest: Expr


class Tally:
    """Sums over rows, one for each item; what answers add to them, each kind of rules knows."""

    def __init__(self, rules: RuleSet, counts: Weighed, judged: bool) -> None:
        self.rules, self.counts, self.judged = rules, counts, judged
        self.items = list(_items(rules))
        self.inputs = [
            [node.index for node in unique_nodes([item.expr]) if isinstance(node, Var)]
            for item in self.items
        ]
        self.true = self._zeros()
        self.sums = self._zeros()
        self.unknown = self._zeros()

    def _zeros(self) -> Floats:
        return np.zeros(len(self.items))

    def counted(self, matrix: Floats) -> Self:
        """All rows of a matrix that :meth:`RuleSet.matrix` made, added."""
        for chunk, scores, values, rests in _computed(self, matrix):
            self._add(chunk, matrix[chunk], scores, values, rests)
        return self

    def _add(
        self, chunk: slice, matrix: Floats, scores: Floats, values: Floats, rests: Floats
    ) -> None:
        count = self.counts.total
        missing = unknown_inputs(self.rules.memberships, self.rules.used, matrix)
        truths = []
        for number, (item, value) in enumerate(zip(self.items, values, strict=True)):
            truths.append(self._is_true(item, value, scores))
            self.true[number] += count(chunk, truths[-1])
            self.sums[number] += count(chunk, value)
            gaps = [missing[index] for index in self.inputs[number] if index in missing]
            if gaps:
                asked = np.logical_or.reduce(gaps)
                self.unknown[number] += count(chunk, asked & (value == UNKNOWN))
        if self.judged:
            self._judge(chunk, truths, scores, rests)

    def _is_true(self, item: Item, value: Floats, scores: Floats) -> Truths:
        """Where an item speaks for what it belongs to."""
        raise NotImplementedError

    def _judge(self, chunk: slice, truths: list[Truths], scores: Floats, rests: Floats) -> None:
        """Compare what is predicted, and what would be without each item, with the answers."""
        raise NotImplementedError

    def described(self, wording: Wording, number: int) -> dict[str, Any]:
        """What is told of an item in the same way whatever the rules predict."""
        item, every = self.items[number], self.counts.sum_of_weights
        rule = item.kind == "rule"
        true = self.true[number]
        return {
            "label": self.rules.labels[item.position],
            "kind": item.kind,
            "text": wording.rule(item.position) if rule else wording.whole(item.expr),
            "literals": measure([item.expr], self.rules.counted).literals,
            "weight": item.weight,
            "rows": float(true) if self.counts.weights is not None else int(true),
            "support": share(true, every),
            "unknown": share(self.unknown[number], every),
        }


class ClassTally(Tally):
    """Sums that tell how well rules and terms know the classes of rows."""

    def __init__(self, rules: RuleSet, answers: Answers) -> None:
        super().__init__(rules, answers, answers.targets is not None)
        self.answers = answers
        self.right = self._zeros()
        self.wrong_without = self._zeros()
        self.wrong = 0.0
        self.of_class = np.zeros(len(rules.rules))

    def _is_true(self, item: Item, value: Floats, scores: Floats) -> Truths:
        said: Truths = (scores[item.position] if item.kind == "rule" else value) > 0
        return said

    def _judge(self, chunk: slice, truths: list[Truths], scores: Floats, rests: Floats) -> None:
        count = self.answers.total
        assert self.answers.targets is not None
        targets = self.answers.targets[chunk]
        self.wrong += count(chunk, winners(scores) != targets)
        for position in range(len(scores)):
            self.of_class[position] += count(chunk, targets == position)
        for number, (item, true, rest) in enumerate(
            zip(self.items, truths, rests, strict=True)
        ):
            self.right[number] += count(chunk, true & (targets == item.position))
            without = scores.copy()
            without[item.position] = rest
            self.wrong_without[number] += count(chunk, winners(without) != targets)


class NumberTally(Tally):
    """Sums that tell how near rules and terms come to the numbers of rows.

    ``other`` are the rows where an item is not true. Numbers are summed up in a ``unit`` in
    which no square of them is too large.
    """

    def __init__(self, rules: RuleSet, answers: NumberAnswers) -> None:
        super().__init__(rules, answers, answers.targets is not None)
        self.answers = answers
        most = rules.scale * len(terms_of(rules.expressions[0]))
        known = np.empty(0) if answers.targets is None else answers.targets
        self.unit = unit_of(known, np.array([*rules.intercepts, most]))
        self.other = self._zeros()
        self.where_true = self._zeros()
        self.elsewhere = self._zeros()
        self.squares_without = self._zeros()
        self.squares = 0.0

    def _is_true(self, item: Item, value: Floats, scores: Floats) -> Truths:
        said: Truths = value > 0  # the number itself is no opinion
        return said

    def _judge(self, chunk: slice, truths: list[Truths], scores: Floats, rests: Floats) -> None:
        count = self.answers.total
        assert self.answers.targets is not None
        targets = self.answers.targets[chunk] / self.unit
        self.squares += count(chunk, (scores[0] / self.unit - targets) ** 2)
        for number, (true, rest) in enumerate(zip(truths, rests, strict=True)):
            self.other[number] += count(chunk, ~true)
            self.where_true[number] += count(chunk, np.where(true, targets, 0.0))
            self.elsewhere[number] += count(chunk, np.where(true, 0.0, targets))
            self.squares_without[number] += count(chunk, (rest / self.unit - targets) ** 2)


def share(part: float, whole: float, known: bool = True) -> float:
    """A part of a whole; NaN where there is nothing to be a part of, or nothing known.

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


def _computed(tally: Tally, matrix: Floats) -> Iterator[tuple[slice, Floats, Floats, Floats]]:
    """Scores, the values of items, and the scores without them, a chunk after the other.

    What is left without an item is summed up anew: a difference would not be quite the same,
    and ties are decided by the last bit. Shape: (classes, rows), and twice (items, rows).
    """
    rules, items = tally.rules, tally.items
    asked = items if tally.judged else ()
    exprs = [*rules.expressions, *(item.expr for item in items), *(item.rest for item in asked)]
    intercepts = [
        *rules.intercepts,
        *[0.0] * len(items),
        *(rules.intercepts[item.position] for item in asked),
    ]
    factors = [
        *rules.factors,
        *[1.0] * len(items),
        *(rules.factors[item.position] for item in asked),
    ]
    classes = len(rules.rules)
    scorer = Scorer(rules.memberships, exprs, intercepts, factors)
    for chunk, computed in scorer.scores(matrix):
        scores, values, rests = np.split(computed, [classes, classes + len(items)])
        yield chunk, scores, values, rests


def unknown_inputs(
    memberships: Sequence[Membership], used: Sequence[int], matrix: Floats
) -> dict[int, NDArray[np.bool_]]:
    """Where inputs are unknown; those that are known everywhere are left out.

    A value on the threshold is known, although its membership is 0. Of a category, a value
    that was never seen is as good as missing.

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
        told = membership.indicated(column) if isinstance(membership, Indicator) else column
        gaps = np.isnan(told)
        if gaps.any():
            found[index] = gaps
    return found
