"""Explainer: computes why rows are predicted as they are, term by term."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from crisplogic.algebra import UNKNOWN
from crisplogic.errors import TableError
from crisplogic.expr import Expr, Squash, Var, split_sign
from crisplogic.expr.size import repeated
from crisplogic.expr.walk import inputs_in, unique_nodes
from crisplogic.messages import list_some
from crisplogic.rules.analysis.account import Account, CheckedStatement
from crisplogic.rules.analysis.counterfactual import Counterfactual, CounterfactualFinder
from crisplogic.rules.analysis.explanation import (
    Cell,
    ClassExplanation,
    Explanation,
    NumberExplanation,
    Part,
    Verdict,
)
from crisplogic.rules.checklist import NumberCard, normal_form
from crisplogic.rules.describe import has_words
from crisplogic.rules.formatting import Wording, terms_of
from crisplogic.rules.scoring import Scorer
from crisplogic.rules.words import Words, cell_in_words
from crisplogic.tables import UNSEEN
from crisplogic.tables.columns import as_array
from crisplogic.tables.encode import text_columns

if TYPE_CHECKING:
    from crisplogic.rules import ClassificationRules, RegressionRules, RuleSet

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Outline:
    """A part of a rule without values. In every row its value stands at ``place``.

    ``inputs`` are the numbers of all inputs in it. For a literal, ``index`` is that of its own.
    """

    text: str
    place: int
    inputs: Sequence[int]
    index: int | None = None
    parts: tuple[_Outline, ...] = ()
    heading: str = ""


class _Row(NamedTuple):
    """The scores of one row, and all parts with their values.

    ``checked`` are the statements of crisp rules. ``nearest`` is the smallest change, if it was
    asked for.
    """

    scores: list[float]
    terms: list[tuple[Part, ...]]
    literals: tuple[Part, ...]
    shared: tuple[tuple[str, Part], ...]
    checked: tuple[CheckedStatement, ...]
    nearest: Counterfactual | None


class _Cells(NamedTuple):
    """The cells of some rows: numbers, and for categories the texts behind the codes."""

    matrix: Floats
    words: list[dict[int, str]]

    def at(self, row: int, feature: int) -> tuple[Cell, bool]:
        """A cell, and whether its value is new: no training row had it."""
        value = float(self.matrix[row, feature])
        if np.isnan(value):
            return None, False
        if feature not in self.words[row]:
            return value, False
        return self.words[row][feature], value == UNSEEN


AnyExplanation = TypeVar("AnyExplanation", bound=Explanation)


class Explainer(ABC, Generic[AnyExplanation]):
    """Rules taken apart once, to explain many rows.

    With a ``finder``, the smallest change of each row that changes its prediction is told too.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.wording = Wording(rules)
        features = [membership.feature for membership in rules.memberships]
        self.columns = [(feature, rules.features[feature]) for feature in features]
        levels = enumerate(rules.levels)
        mentioned = {features[index] for index in rules.used}
        self.categories = [at for at, its in levels if its is not None and at in mentioned]
        self.form = normal_form(rules) if has_words(rules) else None
        self.items = self.form.items if self.form is not None else ()
        checked = [item.expression for item in self.items]
        nodes = list(unique_nodes([*rules.expressions, *checked]))
        self.places = {node: place for place, node in enumerate(nodes, len(rules.rules))}
        # The same steps as for predicting, so that all numbers are the same to the last bit.
        self.scorer = Scorer(
            rules.memberships,
            [*rules.expressions, *nodes],
            [*rules.intercepts, *[0.0] * len(nodes)],
            [*rules.factors, *[1.0] * len(nodes)],
            rules.crisp,
        )
        terms = [repeated(terms_of(expr)) for expr in rules.expressions]
        self.terms = [
            [self._outline(term, named=False) for term, _ in of_rule] for of_rule in terms
        ]
        self.counts = [tuple(count for _, count in of_rule) for of_rule in terms]
        self.literals = [self._outline(Var(index)) for index in rules.used]
        self.words = Words(rules)
        self.checked = [self._statement(expr) for expr in checked]
        self.shared = [
            (self.wording.shared[part], self._outline(part, named=False))
            for part in self._shared_inside()
        ]

    def explain(self, row: Any, finder: CounterfactualFinder | None = None) -> AnyExplanation:
        """The explanation of one row, in any form."""
        explained = list(self.explain_each(_as_table(row, self.rules), finder))
        if len(explained) != 1:
            raise TableError(
                f"explain needs one row, got {len(explained)}; use explain_each for several"
            )
        return explained[0]

    def explain_each(
        self, table: Any, finder: CounterfactualFinder | None = None
    ) -> Iterator[AnyExplanation]:
        """The explanation of each row of a table, one after the other."""
        matrix = self.rules.matrix(table)
        texts = text_columns(table, self.rules.features, self.categories)
        for chunk, values in self.scorer.scores(matrix):
            words = [
                {
                    at: text.uniques[text.codes[row]]
                    for at, text in texts.items()
                    if text.codes[row] >= 0
                }
                for row in range(chunk.start, chunk.stop)
            ]
            cells = _Cells(matrix[chunk], words)
            rows = (self._row(row, values, cells, finder) for row in range(len(cells.matrix)))
            yield from self._explain_rows(values[: len(self.rules.rules)], rows)

    @abstractmethod
    def _explain_rows(self, scores: Floats, rows: Iterable[_Row]) -> Iterator[AnyExplanation]:
        """The explanations of a chunk of rows. Shape: ``scores`` (classes, rows)."""

    def _shared_inside(self) -> list[Expr]:
        """Shared parts that terms mention, in an order in which they can be read."""
        terms = {
            split_sign(term)[0] for expr in self.rules.expressions for term in terms_of(expr)
        }
        inside = set(unique_nodes(part for term in terms for part in term.parts))
        return [part for part in self.wording.shared if part in inside]

    def _outline(self, expr: Expr, named: bool = True) -> _Outline:
        """An expression with its parts; where it is ``named``, a shared one without them."""
        (bare, _), place = split_sign(expr), self.places[expr]
        inputs = inputs_in([bare])
        if isinstance(bare, Var):
            return _Outline(self.wording.whole(expr), place, inputs, bare.index)
        if named and bare in self.wording.shared:
            return _Outline(self.wording.part(expr), place, inputs)
        parts = tuple(self._outline(part) for part in _operands(bare))
        return _Outline(self.wording.whole(expr), place, inputs, parts=parts)

    def _statement(self, expr: Expr) -> _Outline:
        """A statement of crisp rules in words; a long one with its parts."""
        parts = self.words.parts(expr)
        return _Outline(
            self.words.statement(expr),
            self.places[expr],
            inputs_in([expr]),
            parts=tuple(map(self._statement, parts)),
            heading=self.words.heading(expr) if parts else "",
        )

    def _row(
        self, row: int, values: Floats, cells: _Cells, finder: CounterfactualFinder | None
    ) -> _Row:
        """All parts with the values of one row. Shape: ``values`` (classes + nodes, rows)."""
        numbers = values[:, row].tolist()
        inputs = [(column, *cells.at(row, feature)) for feature, column in self.columns]

        def fill(outline: _Outline) -> Part:
            column, cell, new = (
                (None, None, False) if outline.index is None else inputs[outline.index]
            )
            value, parts = numbers[outline.place], tuple(map(fill, outline.parts))
            gaps = (inputs[index][1:] for index in outline.inputs)
            unknown = value == UNKNOWN and any(cell is None or new for cell, new in gaps)
            return Part(outline.text, value, column, cell, parts, new, unknown)

        return _Row(
            numbers[: len(self.rules.rules)],
            [tuple(map(fill, terms)) for terms in self.terms],
            tuple(map(fill, self.literals)),
            tuple((name, fill(outline)) for name, outline in self.shared),
            tuple(
                self._check(outline, item.points, numbers, inputs)
                for outline, item in zip(self.checked, self.items, strict=True)
            ),
            None if finder is None else finder.find(cells.matrix[row], cells.words[row]),
        )

    def _check(
        self,
        outline: _Outline,
        points: Sequence[int],
        numbers: Sequence[float],
        inputs: Sequence[tuple[str, Cell, bool]],
    ) -> CheckedStatement:
        """A statement of crisp rules with its value for one row; parts have no points."""
        value = numbers[outline.place]
        unit = self.form.unit if isinstance(self.form, NumberCard) else 1.0
        share = (1 + value) / 2  # 0, one half or 1
        cells = dict.fromkeys(cell_in_words(*inputs[index]) for index in outline.inputs)
        return CheckedStatement(
            outline.text,
            None if value == UNKNOWN else value > 0,
            tuple(unit * each * share + 0.0 for each in points),
            ", ".join(cells),
            outline.heading,
            tuple(self._check(part, (), numbers, inputs) for part in outline.parts),
        )

    def _account(self, row: _Row, outputs: Sequence[float]) -> Account | None:
        if self.form is None:
            return None
        return Account(self.form, row.checked, tuple(outputs))


class ClassExplainer(Explainer[ClassExplanation]):
    """Explains which class is predicted. Terms and intercept add up to each score."""

    rules: ClassificationRules

    def _explain_rows(self, scores: Floats, rows: Iterable[_Row]) -> Iterator[ClassExplanation]:
        rules = self.rules
        for row, shares in zip(rows, rules.probabilities(scores.T).tolist(), strict=True):
            verdicts = map(
                Verdict,
                rules.labels,
                row.scores,
                shares,
                rules.intercepts,
                row.terms,
                self.counts,
            )
            account = self._account(row, shares)
            yield ClassExplanation(
                row.literals,
                row.shared,
                tuple(verdicts),
                account=account,
                counterfactual=row.nearest,
            )


class NumberExplainer(Explainer[NumberExplanation]):
    """Explains which number is predicted: what each term adds to it."""

    rules: RegressionRules

    def _explain_rows(
        self, scores: Floats, rows: Iterable[_Row]
    ) -> Iterator[NumberExplanation]:
        rules = self.rules
        numbers = rules.numbers(scores[0]).tolist()
        for row, predicted in zip(rows, numbers, strict=True):
            yield NumberExplanation(
                literals=row.literals,
                shared=row.shared,
                label=rules.labels[0],
                predicted=predicted,
                intercept=rules.intercepts[0],
                scale=rules.scale,
                terms=row.terms[0],
                counts=self.counts[0],
                head=rules.heads()[0] if rules.transform else None,
                score=row.scores[0],
                account=self._account(row, [predicted]),
                counterfactual=row.nearest,
            )


def _as_table(row: Any, rules: RuleSet) -> Any:
    """One row in any form as a table that holds it."""
    if hasattr(row, "to_dict") and getattr(row, "ndim", 2) == 1:  # a row of a data frame
        named = any(isinstance(key, str) for key in row.to_dict())
        row = row.to_dict() if named else list(row)
    if isinstance(row, Mapping):
        missing = [name for name in rules.features if name not in row]
        if missing:
            raise TableError(f"the row has no value for {list_some(missing)}")
        return [[row[name] for name in rules.features]]
    if hasattr(row, "columns") or hasattr(row, "column_names"):
        return row
    return [row] if as_array(row).ndim == 1 else row


def _operands(expr: Expr) -> Sequence[Expr]:
    """What a person would look at next: the operands; for a tanh, the terms of its sum.

    A repeated term is looked at once.
    """
    if isinstance(expr, Squash):
        return [term for term, _ in repeated(terms_of(expr.operand))]
    return expr.parts
