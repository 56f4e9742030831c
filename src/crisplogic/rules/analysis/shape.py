"""Shape: what a column does to predictions, value by value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import RuleError, TableError
from crisplogic.expr.notation import OTHER, written_name, written_value
from crisplogic.messages import did_you_mean, list_some
from crisplogic.parameters import COUNT, COUNT_OR_ZERO
from crisplogic.rules.formatting import written_label
from crisplogic.rules.memberships import Flag, Indicator, Membership, Step
from crisplogic.rules.number_format import four_digits, six_digits
from crisplogic.rules.rule import Label, Predicts

if TYPE_CHECKING:
    from crisplogic.rules import RuleSet

Floats = NDArray[np.float64]

MOST_ROWS = 1000  # that are averaged for each value; more are drawn at random
QUANTILES = np.linspace(0, 1, 11)  # of a column of numbers, to be printed


@dataclass(frozen=True, eq=False)
class Shape:
    """The average prediction if every row had the same value in one column.

    - ``column``: its name,
    - ``labels``: the classes, or the name of the number,
    - ``values``: numbers in rising order, or the texts of a category (or of a truth value),
    - ``averages``: the mean probability of each class, or the mean number, for each value,
    - ``missing``: the same for a missing value; None if the table has none in the column,
    - ``present``: what the table has in the column: the numbers in rising order, or for each
      text the share of rows.

    Everything else stays as it is in each row. This is partial dependence.

    Shape: ``averages`` (values, labels), ``missing`` (labels,).
    """

    column: str
    predicts: Predicts
    labels: tuple[Label, ...]
    values: tuple[float, ...] | tuple[str, ...]
    averages: Floats
    missing: Floats | None
    present: Floats

    @property
    def is_numeric(self) -> bool:
        """Whether the column holds numbers."""
        return not any(isinstance(value, str) for value in self.values)

    def at(self, numbers: Sequence[float] | Floats) -> Floats:
        """Averages at any numbers, between values by straight lines.

        Shape: (numbers,) to (numbers, labels).
        """
        known = np.array(self.values, dtype=np.float64)
        return np.stack([np.interp(numbers, known, each) for each in self.averages.T], axis=1)

    def to_dict(self) -> dict[str, Any]:
        """The shape as JSON: one entry a value, None for a missing one."""
        entries: list[tuple[Any, Floats]] = list(zip(self.values, self.averages, strict=True))
        if self.missing is not None:
            entries.append((None, self.missing))
        averages = [{"value": value, "averages": each.tolist()} for value, each in entries]
        labels = {"classes": list(self.labels)} if self.predicts == "class" else {}
        return {"column": self.column, **labels, "values": averages}

    def to_text(self) -> str:
        """A small table; of numbers, some quantiles of the column are shown."""
        values, averages = list(map(written_value, map(str, self.values))), self.averages
        if self.is_numeric:
            quantiles = np.unique(np.quantile(self.present, QUANTILES))
            values, averages = list(map(six_digits, quantiles)), self.at(quantiles)
        style = "{:.1%}".format if self.predicts == "class" else four_digits
        entries = list(zip(values, averages, strict=True))
        if self.missing is not None:
            entries.append(("missing", self.missing))
        rows = [[written_name(self.column), *map(written_label, self.labels)]]
        rows += [[value, *map(style, each.tolist())] for value, each in entries]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        first = [f"{row[0]:>{widths[0]}}" if self.is_numeric else row[0] for row in rows]
        return "\n".join(
            "  ".join([f"{head:<{widths[0]}}", *map(str.rjust, row[1:], widths[1:])])
            for head, row in zip(first, rows, strict=True)
        )

    def __str__(self) -> str:
        return self.to_text()


def measure_shape(
    rules: RuleSet,
    column: str,
    table: Any,
    points: int = 200,
    random_state: int = 0,
    coded: bool = False,
) -> Shape:
    """What a column does: the average prediction for each of its values; see :class:`Shape`.

    Numbers are ``points`` between the least and the greatest of the table, and wherever a
    statement begins or ends. Of more than 1,000 rows, that many are drawn at random by
    ``random_state``.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Ramp, RegressionRules, Rule
    >>> price = Rule("price", parse("0"))
    >>> rules = RegressionRules(("rooms",), (Ramp(0, 5.0, 8.0),), (price,), 4.0, (22.0,))
    >>> shape = rules.shape("rooms", [[4], [9]])
    >>> shape.at([4, 5, 6.5, 8, 9])[:, 0].tolist()
    [18.0, 18.0, 22.0, 26.0, 26.0]
    """
    COUNT.check("points", points)
    COUNT_OR_ZERO.check("random_state", random_state)
    feature = _feature(rules, column)
    matrix = rules.matrix(table, coded)
    if not len(matrix):
        raise TableError("a shape needs a table with rows")
    values, codes, present = _values(rules, feature, matrix[:, feature], points)
    gaps = bool(np.isnan(matrix[:, feature]).any())
    if len(matrix) > MOST_ROWS:
        rows = np.random.default_rng(random_state).choice(len(matrix), MOST_ROWS, replace=False)
        matrix = matrix[np.sort(rows)]
    averages = _averages(rules, matrix, feature, [*codes, np.nan])
    missing = averages[-1] if gaps else None
    return Shape(column, rules.predicts, rules.labels, values, averages[:-1], missing, present)


def _feature(rules: RuleSet, column: str) -> int:
    """The number of a column that rules mention."""
    names = rules.mentioned_columns
    if column in names:
        return rules.features.index(column)
    if column in rules.features:
        raise RuleError(
            f"no rule mentions column {column!r}, so it changes no prediction; "
            f"they mention {list_some(names) or 'none'}"
        )
    hint = did_you_mean(column, names, most=1) or "."
    raise RuleError(
        f"the rules have no column {column!r}{hint} They mention {list_some(names)}"
    )


def _values(
    rules: RuleSet, feature: int, cells: Floats, points: int
) -> tuple[tuple[Any, ...], Floats, Floats]:
    """The values of a column, their codes in a matrix, and what the table has of them."""
    levels = rules.levels[feature] if rules.levels else None
    used = [rules.memberships[index] for index in rules.used]
    mine = [each for each in used if each.feature == feature]
    known = cells[np.isfinite(cells)]
    if levels is not None or any(isinstance(each, Flag) for each in mine):
        groups = ("false", "true") if levels is None else levels.groups
        texts = tuple(OTHER if group is None else group for group in groups)
        codes = np.arange(len(texts), dtype=np.float64)
        return texts, codes, np.array([np.mean(cells == code) for code in codes])
    if not len(known):
        name = rules.features[feature]
        raise TableError(f"column {name!r} has no finite number in the table")
    low, high = known.min(), known.max()
    ends = [end for each in mine for end in _ends(each)]
    grid = np.unique([*np.linspace(low, high, points), *np.clip(ends, low, high)])
    return tuple(grid.tolist()), grid, np.sort(known)


def _ends(membership: Membership) -> tuple[float, ...]:
    """The numbers of a column where a membership begins and ends to turn."""
    if isinstance(membership, Step):
        return membership.threshold, math.nextafter(membership.threshold, math.inf)
    return () if isinstance(membership, Indicator) else (membership.low, membership.high)


def _averages(rules: RuleSet, matrix: Floats, feature: int, codes: Sequence[float]) -> Floats:
    """The mean output with each code in the column. Shape: (codes, labels)."""
    changed = matrix.copy()
    found = np.empty((len(codes), len(rules.rules)))
    for number, code in enumerate(codes):
        changed[:, feature] = code
        found[number] = rules.outputs(rules.scores(changed, coded=True)).mean(axis=0)
    return found
