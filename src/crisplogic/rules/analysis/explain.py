"""Explaining rows: the values of all that rules are made of, put into records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.expr import Expr, Squash, Var, split_sign
from crisplogic.expr.size import repeated
from crisplogic.expr.walk import unique_nodes
from crisplogic.rules.analysis.explanation import (
    Cell,
    Explanation,
    NumberExplanation,
    Part,
    Verdict,
)
from crisplogic.rules.formatting import Wording, terms_of
from crisplogic.rules.scoring import Scorer
from crisplogic.tables import UNSEEN
from crisplogic.tables.columns import as_array
from crisplogic.tables.encode import text_columns

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import ClassificationRules, RuleSet

Floats = NDArray[np.float64]


# Any: which of both explanations it is, rules know, but not their type; whoever asks does, too.
def explain_row(rules: RuleSet, row: Any) -> Any:
    """Why one row is predicted as it is: what is true of it and what that is worth.

    The ``row`` is a dictionary by column, a row of a data frame, a list of values in the order
    of the columns, or a table of one row. The terms of a class and its intercept, added in
    their order, are its score to the last bit.

    Of a number it says what each term adds to it, see :class:`NumberExplanation`: there the
    prediction is right to the last bit, the sum of what is added nearly so.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, RegressionRules, Rule
    >>> ramps = Ramp(0, 107.0, 147.0), Ramp(1, 30.0, 50.0)
    >>> ill, well = Rule("ill", parse("(0 & ~1) + 0")), Rule("well", parse("~0"))
    >>> rules = ClassificationRules(
    ...     ("glucose", "age"), ramps, (ill, well), intercepts=(0.0, 0.5)
    ... )
    >>> print(rules.explain({"glucose": 150, "age": 35}))
    predicted: ill (88%); next: well (12%)
    <BLANKLINE>
    ill = 1.5
      +0.50  true     glucose>127 & age<40
             +1.00  true     glucose>127    glucose = 150
             +0.50  true     age<40         age = 35
      +1.00  true     glucose>127           glucose = 150
    <BLANKLINE>
    well = -0.5
      -1.00  false    glucose<127           glucose = 150
      +0.50           anyway

    >>> price = Rule("price", parse("(0 & ~1) + 0"))
    >>> rules = RegressionRules(("rooms", "age"), ramps, (price,), 4.0, (22.5,))
    >>> print(rules.explain({"rooms": 150, "age": 35}))
    predicted: price = 28.5
    <BLANKLINE>
      +22.500                  anyway
       +2.000  +0.50  true     rooms>127 & age<40
                      +1.00  true     rooms>127    rooms = 150
                      +0.50  true     age<40       age = 35
       +4.000  +1.00  true     rooms>127           rooms = 150
    """
    table = _as_table(row, rules)
    explained = list(explain_rows(rules, table))
    if len(explained) != 1:
        raise TableError(
            f"explain needs one row, got {len(explained)}; use explain_each for several"
        )
    return explained[0]


def explain_rows(rules: RuleSet, table: Any) -> Iterator[Any]:
    """An explanation for each row of a table, one after the other.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, Rule
    >>> old, young = Rule("old", parse("0")), Rule("young", parse("~0"))
    >>> rules = ClassificationRules(("age",), (Ramp(0, 30.0, 50.0),), (old, young))
    >>> [each.predicted for each in rules.explain_each([[20], [60]])]
    ['young', 'old']
    """
    matrix = rules.matrix(table)
    teller = (_NumberTeller if rules.predicts == "number" else _ClassTeller)(rules)
    texts = text_columns(table, rules.features, teller.categories)
    for chunk, values in teller.scorer.scores(matrix):
        words = [
            {
                at: text.uniques[text.codes[row]]
                for at, text in texts.items()
                if text.codes[row] >= 0
            }
            for row in range(chunk.start, chunk.stop)
        ]
        yield from teller.told(values, _Cells(matrix[chunk], words))


def _as_table(row: Any, rules: RuleSet) -> Any:
    """One row in whatever form as a table that holds it."""
    if hasattr(row, "to_dict") and getattr(row, "ndim", 2) == 1:  # a row of a data frame
        named = any(isinstance(key, str) for key in row.to_dict())
        row = row.to_dict() if named else list(row)
    if isinstance(row, Mapping):
        missing = [name for name in rules.features if name not in row]
        if missing:
            raise TableError(f"the row has no value for {', '.join(map(repr, missing))}")
        return [[row[name] for name in rules.features]]
    if hasattr(row, "columns") or hasattr(row, "column_names"):
        return row
    return [row] if as_array(row).ndim == 1 else row


class _Teller:
    """The rules taken apart once, to be told of many rows."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.wording = Wording(rules)
        features = [membership.feature for membership in rules.memberships]
        self.columns = [(feature, rules.features[feature]) for feature in features]
        levels = enumerate(rules.levels)
        mentioned = {features[index] for index in rules.used}
        self.categories = [at for at, its in levels if its is not None and at in mentioned]
        nodes = list(unique_nodes(rules.expressions))
        self.places = {node: place for place, node in enumerate(nodes, len(rules.rules))}
        # The same steps as for predicting, so that all numbers are the same to the last bit.
        self.scorer = Scorer(
            rules.memberships,
            [*rules.expressions, *nodes],
            [*rules.intercepts, *[0.0] * len(nodes)],
            [*rules.factors, *[1.0] * len(nodes)],
        )
        terms = [self._terms(expr) for expr in rules.expressions]
        self.terms = [
            [self.outlined(term, named=False) for term, _ in of_rule] for of_rule in terms
        ]
        self.counts = [tuple(count for _, count in of_rule) for of_rule in terms]
        self.literals = [self.outlined(Var(index)) for index in rules.used]
        self.shared = [
            (self.wording.shared[part], self.outlined(part, named=False))
            for part in self._shared_inside()
        ]

    def _terms(self, expr: Expr) -> list[tuple[Expr, int]]:
        """The terms as they are printed, and how often each counts."""
        terms = terms_of(expr)
        return repeated(terms) if self.rules.counted else [(term, 1) for term in terms]

    def _shared_inside(self) -> list[Expr]:
        """Shared parts that terms mention, in an order in which they can be read."""
        terms = {
            split_sign(term)[0] for expr in self.rules.expressions for term in terms_of(expr)
        }
        inside = {part for term in terms for part in unique_nodes(term.parts)}
        return [part for part in self.wording.shared if part in inside]

    def outlined(self, expr: Expr, named: bool = True) -> _Outline:
        """An expression with its parts; where it is ``named``, a shared one without them."""
        (bare, _), place = split_sign(expr), self.places[expr]
        if isinstance(bare, Var):
            return _Outline(self.wording.whole(expr), place, bare.index)
        if named and bare in self.wording.shared:
            return _Outline(self.wording.part(expr), place)
        parts = tuple(self.outlined(part) for part in _operands(bare))
        return _Outline(self.wording.whole(expr), place, parts=parts)

    def told(self, values: Floats, cells: _Cells) -> Iterator[Any]:
        """Some rows explained. Shape: ``values`` (classes + nodes, rows)."""
        raise NotImplementedError

    def of_row(self, row: int, values: Floats, cells: _Cells) -> _Filled:
        """What all explanations have."""
        numbers = values[:, row].tolist()
        seen = [(column, *cells.at(row, feature)) for feature, column in self.columns]

        def filled(outline: _Outline) -> Part:
            column, cell, new = (
                (None, None, False) if outline.index is None else seen[outline.index]
            )
            parts = tuple(map(filled, outline.parts))
            return Part(outline.text, numbers[outline.place], column, cell, parts, new)

        return _Filled(
            numbers[: len(self.rules.rules)],
            [tuple(map(filled, terms)) for terms in self.terms],
            tuple(map(filled, self.literals)),
            tuple((name, filled(outline)) for name, outline in self.shared),
        )


class _Cells(NamedTuple):
    """What rows hold: numbers, and of categories the texts that stand behind their codes."""

    matrix: Floats
    words: list[dict[int, str]]

    def at(self, row: int, feature: int) -> tuple[Cell, bool]:
        """What a row holds, and whether no row had it that the rules were learned from."""
        value = float(self.matrix[row, feature])
        if np.isnan(value):
            return None, False
        if feature not in self.words[row]:
            return value, False
        return self.words[row][feature], value == UNSEEN


class _ClassTeller(_Teller):
    rules: ClassificationRules

    def told(self, values: Floats, cells: _Cells) -> Iterator[Explanation]:
        shares = self.rules.probabilities(values[: len(self.rules.rules)].T)
        for row in range(len(cells.matrix)):
            told = self.of_row(row, values, cells)
            verdicts = map(
                Verdict,
                self.rules.labels,
                told.scores,
                shares[row].tolist(),
                self.rules.intercepts,
                told.terms,
            )
            yield Explanation(tuple(verdicts), told.literals, told.shared)


class _NumberTeller(_Teller):
    def told(self, values: Floats, cells: _Cells) -> Iterator[NumberExplanation]:
        rules = self.rules
        for row in range(len(cells.matrix)):
            told = self.of_row(row, values, cells)
            yield NumberExplanation(
                label=rules.labels[0],
                predicted=told.scores[0],
                intercept=rules.intercepts[0],
                scale=rules.scale,
                terms=told.terms[0],
                counts=self.counts[0],
                literals=told.literals,
                shared=told.shared,
            )


class _Filled(NamedTuple):
    """What is known of one row: the scores, and all parts with their values."""

    scores: list[float]
    terms: list[tuple[Part, ...]]
    literals: tuple[Part, ...]
    shared: tuple[tuple[str, Part], ...]


@dataclass(frozen=True)
class _Outline:
    """What a part says, without the values: these are at a ``place`` in every row.

    Of a literal, ``index`` is the number of its input.
    """

    text: str
    place: int
    index: int | None = None
    parts: tuple[_Outline, ...] = ()


def _operands(expr: Expr) -> tuple[Expr, ...]:
    """What a person would look at next: the operands; of a tanh, the terms of its sum."""
    inside = expr.operand if isinstance(expr, Squash) else expr
    return terms_of(inside) if isinstance(expr, Squash) else inside.parts
