"""Tally: what terms and rules say of rows, counted a chunk of rows after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crisplogic.algebra import UNKNOWN
from crisplogic.expr import Const, Expr, Var, total
from crisplogic.expr.walk import unique_nodes
from crisplogic.rules.answers import Answers
from crisplogic.rules.scoring import Scorer, winners
from crisplogic.rules.unknown import unknown_inputs
from crisplogic.rules.wording import terms_of

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet

Floats = NDArray[np.float64]
Kind = Literal["term", "rule"]


class Item(NamedTuple):
    """A term or a rule: which class it speaks for, what it says, what is left without it."""

    position: int
    kind: Kind
    expr: Expr
    weight: int
    rest: Expr


class Tally:
    """Sums over rows: a number for each item, or for each class."""

    def __init__(self, rules: RuleSet, items: Sequence[Item], answers: Answers) -> None:
        self.rules, self.items, self.answers = rules, items, answers
        self.inputs = [
            [node.index for node in unique_nodes([item.expr]) if isinstance(node, Var)]
            for item in items
        ]
        self.true = np.zeros(len(items))
        self.right = np.zeros(len(items))
        self.sums = np.zeros(len(items))
        self.unknown = np.zeros(len(items))
        self.wrong_without = np.zeros(len(items))
        self.wrong = 0.0
        self.of_class = np.zeros(len(rules.rules))

    @classmethod
    def of(cls, rules: RuleSet, matrix: Floats, answers: Answers) -> Tally:
        """All rows of a matrix that :meth:`RuleSet.matrix` made, counted."""
        tally = cls(rules, list(_items(rules)), answers)
        for chunk, scores, values, rests in _computed(rules, tally.items, matrix, answers):
            tally._add(chunk, matrix[chunk], scores, values, rests)
        return tally

    def _add(
        self, chunk: slice, matrix: Floats, scores: Floats, values: Floats, rests: Floats
    ) -> None:
        count = self.answers.total
        missing = unknown_inputs(self.rules.memberships, self.rules.used, matrix)
        truths = []
        for number, (item, value) in enumerate(zip(self.items, values, strict=True)):
            truths.append((scores[item.position] if item.kind == "rule" else value) > 0)
            self.true[number] += count(chunk, truths[-1])
            self.sums[number] += count(chunk, value)
            gaps = [missing[index] for index in self.inputs[number] if index in missing]
            if gaps:
                asked = np.logical_or.reduce(gaps)
                self.unknown[number] += count(chunk, asked & (value == UNKNOWN))
        if self.answers.targets is not None:
            self._judge(chunk, self.answers.targets[chunk], truths, scores, rests)

    def _judge(
        self,
        chunk: slice,
        targets: NDArray[np.intp],
        truths: list[NDArray[np.bool_]],
        scores: Floats,
        rests: Floats,
    ) -> None:
        count = self.answers.total
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


def _items(rules: RuleSet) -> Iterator[Item]:
    for position, expr in enumerate(rules.expressions):
        terms = terms_of(expr)
        yield Item(position, "rule", expr, 1, Const(UNKNOWN))
        for term, weight in Counter(terms).items():
            rest = total(other for other in terms if other != term)
            yield Item(position, "term", term, weight, rest)


def _computed(
    rules: RuleSet, items: Sequence[Item], matrix: Floats, answers: Answers
) -> Iterator[tuple[slice, Floats, Floats, Floats]]:
    """Scores, the values of items, and the scores without them, a chunk after the other.

    What is left without an item is summed up anew: a difference would not be quite the same,
    and ties are decided by the last bit. Shape: (classes, rows), and twice (items, rows).
    """
    asked = items if answers.targets is not None else ()
    exprs = [*rules.expressions, *(item.expr for item in items), *(item.rest for item in asked)]
    intercepts = [
        *rules.intercepts,
        *[0.0] * len(items),
        *(rules.intercepts[item.position] for item in asked),
    ]
    classes = len(rules.rules)
    for chunk, computed in Scorer(rules.memberships, exprs, intercepts).scores(matrix):
        scores, values, rests = np.split(computed, [classes, classes + len(items)])
        yield chunk, scores, values, rests
