"""Reasons: the few statements that decided each row of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import Expr, negate, split_sign, to_text
from crisplogic.expr.negations import push_negations
from crisplogic.expr.walk import inputs_in
from crisplogic.parameters import COUNT
from crisplogic.rules.describe import has_words
from crisplogic.rules.formatting import terms_of
from crisplogic.rules.scoring import Scorer, winners
from crisplogic.rules.words import Words

if TYPE_CHECKING:
    from crisplogic.rules import RuleSet

Floats = NDArray[np.float64]

# The places of texts of a statement, to be added.
NEGATED, UNKNOWN = 1, 2


class Reason(NamedTuple):
    """A statement that holds for a row, and what it adds to the prediction.

    >>> str(Reason("glucose>127", 0.5))
    'glucose>127 (+0.5)'
    """

    text: str
    amount: float

    def __str__(self) -> str:
        return f"{self.text} ({float(f'{self.amount:.4g}'):+.15g})"


@dataclass(frozen=True, eq=False)
class Reasons(Sequence[tuple[Reason, ...]]):
    """The statements that decided each row, the most important first.

    A statement is a term of a rule, or its negation where the term is false, so every one
    holds for its row, more or less.

    - For classes, ``amounts`` are what each adds to the lead of the predicted class over the
      next one, in points of the score. Only statements that speak for the predicted class are
      listed. A row without any was decided by the intercepts.
    - For a number, they are what each adds to it, in its units, and may be negative. The
      greatest in size come first. Crisp rules add to a base: all of an amount where a
      statement holds, half of it where that is unknown, nothing where it fails.

    Shape: (rows, n) each; a row with fewer reasons ends in empty texts and zeros.
    """

    texts: NDArray[np.object_]
    amounts: Floats

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, row: int) -> tuple[Reason, ...]: ...

    @overload
    def __getitem__(self, row: slice) -> Reasons: ...

    def __getitem__(self, row: int | slice) -> tuple[Reason, ...] | Reasons:
        if isinstance(row, slice):
            return Reasons(self.texts[row], self.amounts[row])
        pairs = zip(self.texts[row].tolist(), self.amounts[row].tolist(), strict=True)
        return tuple(Reason(text, amount) for text, amount in pairs if text)

    def lines(self) -> list[str]:
        """One text a row: ``glucose>127 (+1); age<40 (+0.5)``."""
        return ["; ".join(map(str, row)) for row in self]


class _Statements(NamedTuple):
    """The terms of all rules, each once up to its sign, with how often each rule has it.

    Shape: ``counts`` (rules, statements), below 0 where a rule has the negation.
    """

    exprs: list[Expr]
    counts: Floats


def _statements(rules: RuleSet) -> _Statements:
    counted: dict[Expr, Counter[int]] = {}
    for position, expr in enumerate(rules.expressions):
        for term in terms_of(expr):
            bare, sign = split_sign(term)
            if inputs_in([bare]):
                counted.setdefault(bare, Counter())[position] += sign
    counts = np.zeros((len(rules.rules), len(counted)))
    for number, of_rules in enumerate(counted.values()):
        for position, count in of_rules.items():
            counts[position, number] = rules.factors[position] * count
    return _Statements(list(counted), counts)


def find_reasons(rules: RuleSet, table: Any, n: int = 3, coded: bool = False) -> Reasons:
    """The statements that decided each row, at most ``n`` of them; see :class:`Reasons`.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, Rule
    >>> ramps = Ramp(0, 107.0, 147.0), Ramp(1, 30.0, 50.0)
    >>> both = Rule("ill", parse("(0 & ~1) + 0")), Rule("well", parse("unknown"))
    >>> rules = ClassificationRules(("glucose", "age"), ramps, both)
    >>> for line in rules.reasons([[150, 35], [100, 60]]).lines():
    ...     print(line)
    glucose>127±20 (+1); glucose>127±20 & age<40±10 (+0.5)
    ¬(glucose>127±20 & age<40±10) (+1); glucose<127±20 (+1)
    """
    COUNT.check("n", n)
    matrix = rules.matrix(table, coded)
    exprs, counts = _statements(rules)
    n = min(n, len(exprs))
    texts = np.full((len(matrix), n), "", dtype=object)
    amounts = np.zeros((len(matrix), n))
    if not n:
        return Reasons(texts, amounts)
    words = np.array([_ways(rules, expr) for expr in exprs], dtype=object)
    signed = rules.predicts == "number"
    for chunk, scores, values in _values(rules, exprs, matrix):
        weights = _weights(counts, scores)
        added = values * weights
        ways = np.where(values < 0, NEGATED, 0)
        if signed and has_words(rules):  # which speak of a base, and of what is added to it
            added += np.abs(weights)
            ways[values == 0] = UNKNOWN
            ways = np.where((values == 0) & (weights < 0), UNKNOWN + NEGATED, ways)
        best = _largest(np.abs(added) if signed else added, n)
        amount = np.take_along_axis(added, best, axis=0)
        keep = (amount != 0) if signed else (amount > 0)
        way = np.take_along_axis(ways, best, axis=0)
        texts[chunk] = np.where(keep, words[best, way], "").T
        amounts[chunk] = np.where(keep, amount, 0.0).T
    return Reasons(texts, amounts)


def _ways(rules: RuleSet, expr: Expr) -> list[str]:
    """A statement and its negation as text, and that both are unknown; of crisp rules in words.

    In the order of :data:`NEGATED` and :data:`UNKNOWN`.
    """
    if has_words(rules):
        words = Words(rules)
        both = [words.statement(push_negations(expr, negated)) for negated in (False, True)]
    else:
        both = [to_text(expr, rules.names), to_text(negate(expr), rules.names)]
    return [*both, *(f"unknown whether {text}" for text in both)]


def _values(
    rules: RuleSet, exprs: list[Expr], matrix: Floats
) -> Iterator[tuple[slice, Floats, Floats]]:
    """Scores and the values of statements. Shape: (rules, rows) and (statements, rows)."""
    scorer = Scorer(
        rules.memberships,
        [*rules.expressions, *exprs],
        [*rules.intercepts, *[0.0] * len(exprs)],
        [*rules.factors, *[1.0] * len(exprs)],
        rules.crisp,
    )
    for chunk, computed in scorer.scores(matrix):
        scores, values = np.split(computed, [len(rules.rules)])
        yield chunk, scores, values


def _weights(counts: Floats, scores: Floats) -> Floats:
    """How often each statement counts for the first of the classes, less for the next one.

    With one rule, as for a number, there is no next one.

    Shape: ``counts`` (rules, statements), ``scores`` (rules, rows); (statements, rows).
    """
    first = winners(scores)
    weights: Floats = counts[first].T
    if len(scores) == 1:
        return weights
    others = scores.copy()
    others[first, np.arange(scores.shape[1])] = -np.inf
    weights -= counts[winners(others)].T
    return weights


def _largest(amounts: Floats, n: int) -> NDArray[np.intp]:
    """The positions of the ``n`` largest in each column, the largest first.

    Equal ones come in their order. Shape: (statements, rows) to (n, rows).
    """
    order: NDArray[np.intp] = np.argsort(-amounts, axis=0, kind="stable")[:n]
    return order
