"""Importance: how much predictions depend on each column, and on each statement about it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.expr import evaluate_all
from crisplogic.expr.notation import PAPER, written_name
from crisplogic.parameters import COUNT, COUNT_OR_ZERO
from crisplogic.rules.latex import to_latex
from crisplogic.rules.markup import Cell, Table, to_html, to_markdown
from crisplogic.rules.metrics import root_mean_squared_error
from crisplogic.rules.number_format import four_digits
from crisplogic.rules.rule import Predicts

if TYPE_CHECKING:
    from crisplogic.rules import RuleSet

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

Kind = Literal["column", "statement"]

MOST_ROWS = 10_000  # more rows would hardly change the figures; they are drawn at random


@dataclass(frozen=True)
class Importance:
    """How much predictions depend on one column, or on one statement about a column.

    - ``kind``: "column" or "statement",
    - ``name``: of the column, or the statement as it is written,
    - ``change``: how far predictions move on average when its values are shuffled among the
      rows. For classes it is the share of probability that moves to other classes, from 0 to 1.
      For a number it is in its units.
    - ``effect``: by how much the error rises when they are shuffled: in percentage points for
      classes, in root mean squared error for a number; NaN without ``y``.
    """

    kind: Kind
    name: str
    change: float
    effect: float


@dataclass(frozen=True)
class Importances(Sequence[Importance]):
    """The importance of the columns that rules use, then of their statements.

    The most important come first, by ``change``. All other columns have no importance at all:
    no rule mentions them. Importances do not add up to anything: what two columns say together,
    as in ``a & b``, is lost when either is shuffled, so it counts for both. A column with a
    single statement is as important as that statement.
    """

    records: tuple[Importance, ...]
    predicts: Predicts

    @property
    def columns(self) -> tuple[Importance, ...]:
        """Those of columns."""
        return tuple(each for each in self.records if each.kind == "column")

    @property
    def statements(self) -> tuple[Importance, ...]:
        """Those of statements."""
        return tuple(each for each in self.records if each.kind == "statement")

    def __len__(self) -> int:
        return len(self.records)

    @overload
    def __getitem__(self, at: int) -> Importance: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Importance, ...]: ...

    def __getitem__(self, at: int | slice) -> Importance | tuple[Importance, ...]:
        return self.records[at]

    def to_dict(self) -> dict[str, Any]:
        """Both lists as JSON."""
        return {
            "columns": [_entry(each) for each in self.columns],
            "statements": [_entry(each) for each in self.statements],
        }

    def to_text(self) -> str:
        """Two small tables."""
        if not self.records:
            return "no rule mentions any column"
        blocks = []
        for records in (self.columns, self.statements):
            rows = [self.heading(records), *(self.cells(each) for each in records)]
            widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
            lines = (
                "  ".join(f"{cell:{'<' if at == 0 else '>'}{widths[at]}}" for at, cell in row)
                for row in map(enumerate, rows)
            )
            blocks.append("\n".join(line.rstrip() for line in lines))
        return "\n\n".join(blocks)

    def heading(self, records: Sequence[Importance]) -> list[str]:
        """The heads of the columns of a table; what is not known is left out."""
        known = any(math.isfinite(each.effect) for each in records)
        return [records[0].kind, "change", *(["rise of error"] if known else [])]

    def cells(self, each: Importance) -> list[str]:
        """One line of a table: the name, and the figures as text."""
        known = math.isfinite(each.effect)
        if self.predicts == "class":
            effect = f"{round(each.effect, 1) + 0.0:+.1f} points" if known else ""
            return [each.name, f"{each.change:.1%}", *([effect] * known)]
        effect = four_digits(each.effect)
        effect = effect if effect.startswith("-") else f"+{effect}"
        return [each.name, four_digits(each.change), *([effect] * known)]

    def to_markdown(self) -> str:
        """The same as tables in Markdown."""
        return to_markdown(self._tables())

    def _repr_html_(self) -> str:
        """The same as tables that notebooks show."""
        return to_html(self._tables())

    def _repr_latex_(self) -> str:
        """The same in LaTeX, for notebooks that become papers."""
        return to_latex(self._tables())

    def _tables(self) -> list[Table]:
        return [
            Table("", self.heading(records), [self._row(each) for each in records])
            for records in (self.columns, self.statements)
            if records
        ]

    def _row(self, each: Importance) -> list[Cell]:
        name, *figures = self.cells(each)
        return [Cell(name, code=True), *(Cell(figure, number=True) for figure in figures)]

    def __str__(self) -> str:
        return self.to_text()


def _entry(each: Importance) -> dict[str, Any]:
    figures = asdict(each)
    del figures["kind"]
    return figures | {"effect": each.effect if math.isfinite(each.effect) else None}


def measure_importance(
    rules: RuleSet,
    table: Any,
    y: Any = None,
    sample_weight: Any = None,
    repeats: int = 5,
    random_state: int = 0,
    coded: bool = False,
) -> Importances:
    """How much predictions depend on each column and on each statement; :class:`Importance`.

    The values of one column, or the degrees of one statement, are shuffled among the rows,
    ``repeats`` times, and predicted again. This is permutation importance. Of more than 10,000
    rows, that many are drawn at random by ``random_state``. With ``y``, the effect on the error
    is measured, too.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Ramp, RegressionRules, Rule
    >>> ramps = Ramp(0, 5.0, 6.0), Ramp(1, 30.0, 50.0)
    >>> price = Rule("price", parse("0 + 0 + 1"))
    >>> rules = RegressionRules(("rooms", "age"), ramps, (price,), 10.0, (50.0,))
    >>> rows = [[rooms, age] for rooms in (4, 7) for age in (20, 60)] * 50
    >>> [each.name for each in rules.importance(rows)]
    ['rooms', 'age', 'rooms>5.5±0.5', 'age>40±10']
    """
    COUNT.check("repeats", repeats)
    COUNT_OR_ZERO.check("random_state", random_state)
    generator = np.random.default_rng(random_state)
    predictions = _Predictions.of(
        rules, rules.matrix(table, coded), y, sample_weight, generator
    )
    shuffles = [generator.permutation(predictions.rows) for _ in range(repeats)]
    columns: dict[str, list[int]] = {}
    for index in rules.used:
        columns.setdefault(rules.features[rules.memberships[index].feature], []).append(index)
    statements = [(rules.names[index], [index]) for index in rules.used]
    records = [
        *_ranked("column", list(columns.items()), predictions, shuffles),
        *_ranked("statement", statements, predictions, shuffles),
    ]
    return Importances(tuple(records), rules.predicts)


def _ranked(
    kind: Kind,
    groups: Sequence[tuple[str, list[int]]],
    predictions: _Predictions,
    shuffles: Sequence[Rows],
) -> list[Importance]:
    found = (
        Importance(kind, written_name(name, PAPER), *predictions.without(inputs, shuffles))
        for name, inputs in groups
    )
    return sorted(found, key=lambda each: -each.change)  # equal ones stay in their order


class _Predictions(NamedTuple):
    """Rules on some rows: the degrees of their inputs, and what follows from them.

    Shape: ``degrees`` (rows, inputs), ``scores`` (rows, rules), the others (rows,).
    """

    rules: RuleSet
    degrees: Floats
    truth: NDArray[Any] | None
    weights: Floats | None
    scores: Floats

    @classmethod
    def of(
        cls,
        rules: RuleSet,
        matrix: Floats,
        y: Any,
        sample_weight: Any,
        draw: np.random.Generator,
    ) -> _Predictions:
        targets = rules.read_targets(len(matrix), y, sample_weight)
        if not targets.sum_of_weights:
            raise TableError("importance needs a table with rows, of a weight above 0")
        rows = np.arange(len(matrix))
        if len(rows) > MOST_ROWS:
            rows = np.sort(draw.choice(len(matrix), MOST_ROWS, replace=False))
        degrees = rules.degrees(matrix[rows], coded=True)
        truth = None if targets.values is None else targets.values[rows]
        weights = None if targets.weights is None else targets.weights[rows]
        return cls(rules, degrees, truth, weights, _scores(rules, degrees))

    @property
    def rows(self) -> int:
        return len(self.degrees)

    def without(self, inputs: Sequence[int], shuffles: Sequence[Rows]) -> tuple[float, float]:
        """How far predictions move and errors rise when some inputs are shuffled together."""
        found = np.array(list(self._each(inputs, shuffles)))
        change, effect = found.mean(axis=0).tolist()
        return change, effect

    def _each(
        self, inputs: Sequence[int], shuffles: Sequence[Rows]
    ) -> Iterator[tuple[float, float]]:
        before, outputs = self._error(self.scores), self.rules.outputs(self.scores)
        for rows in shuffles:
            degrees = self.degrees.copy()
            degrees[:, inputs] = self.degrees[np.ix_(rows, np.array(inputs))]
            scores = _scores(self.rules, degrees)
            moved = np.abs(self.rules.outputs(scores) - outputs).sum(axis=1)
            # What one class loses, others gain: that is one move, not two.
            moved = moved / 2 if self.rules.predicts == "class" else moved
            yield float(np.average(moved, weights=self.weights)), self._error(scores) - before

    def _error(self, scores: Floats) -> float:
        if self.truth is None:
            return math.nan
        if self.rules.predicts == "number":
            numbers = self.rules.outputs(scores)[:, 0]
            return root_mean_squared_error(self.truth, numbers, self.weights)
        wrong = scores.argmax(axis=1) != self.truth
        return 100 * float(np.average(wrong, weights=self.weights))


def _scores(rules: RuleSet, degrees: Floats) -> Floats:
    """The scores that follow from degrees. Shape: (rows, inputs) to (rows, rules)."""
    values = evaluate_all(rules.expressions, degrees, rules.crisp)
    scores: Floats = values * np.array(rules.factors) + np.array(rules.intercepts)
    return scores
