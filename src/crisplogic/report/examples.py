"""Instructive rows: right and sure, right but unsure, and wrong yet sure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.report.columns import ColumnSummary, Value
from crisplogic.report.sample import decode_cells
from crisplogic.rules import ClassificationRules, RuleSet
from crisplogic.rules.describe import percent
from crisplogic.rules.number_format import four_digits
from crisplogic.rules.targets import Targets
from crisplogic.rules.words import labels_in_words
from crisplogic.tables import Levels

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
# So many of each kind.
RIGHT, BARELY, WRONG = 2, 2, 3
# A row that is right and sure is shown of so many classes.
MOST_CLASSES = 3


@dataclass(frozen=True)
class ExampleRow:
    """A row of the table, counted from 1, why it is shown, and what is said of it.

    ``values`` are those of the columns of the report, in their order; None is missing.
    """

    row: int
    kind: str
    predicted: str
    true: str
    values: tuple[Value | None, ...]


def choose_examples(
    rules: RuleSet,
    columns: Sequence[ColumnSummary],
    levels: Sequence[Levels | None],
    matrix: Floats,
    targets: Targets[np.float64],
    numbers: Rows,
) -> tuple[ExampleRow, ...]:
    """Choose rows whose truth is known; ``numbers`` are the numbers of rows in their table."""
    if targets.values is None or not len(matrix):
        return ()
    chosen: dict[int, str] = {}
    for row, kind in _instructive(rules, matrix, targets.values):
        chosen.setdefault(row, kind)
    rows = list(chosen)
    said = rules.outputs(rules.scores(matrix[rows], coded=True))
    places = [rules.features.index(column.name) for column in columns]
    cells = [decode_cells(matrix[rows, at], levels[at]) for at in places]
    found = []
    for at, row in enumerate(rows):
        predicted, true = _words(rules, said[at], targets.values[row])
        values = tuple(column[at] for column in cells)
        found.append(ExampleRow(int(numbers[row]) + 1, chosen[row], predicted, true, values))
    return tuple(found)


def _words(rules: RuleSet, said: Floats, true: float) -> tuple[str, str]:
    if not isinstance(rules, ClassificationRules):
        return four_digits(float(said[0])), four_digits(float(true))
    labels, at = labels_in_words(rules.labels), int(np.argmax(said))
    return f"{labels[at]} ({percent(float(said[at]))})", labels[int(true)]


def _instructive(rules: RuleSet, matrix: Floats, truth: Floats) -> Iterator[tuple[int, str]]:
    """Rows and why they are shown; a row may be shown for several reasons."""
    if isinstance(rules, ClassificationRules):
        return _by_class(rules, matrix, truth)
    return _by_distance(rules, matrix, truth)


def _by_class(
    rules: ClassificationRules, matrix: Floats, truth: Floats
) -> Iterator[tuple[int, str]]:
    scores = rules.scores(matrix, coded=True)
    chances = rules.outputs(scores)
    predicted = scores.argmax(axis=1)
    sure = np.take_along_axis(chances, predicted[:, None], axis=1)[:, 0]
    right = predicted == truth
    for label in range(min(len(rules.labels), MOST_CLASSES)):
        yield from _first(
            np.flatnonzero(right & (truth == label)), -sure, 1, "right, most sure"
        )
    yield from _first(np.flatnonzero(right), sure, BARELY, "right, least sure")
    yield from _first(np.flatnonzero(~right), -sure, WRONG, "wrong, most sure")


def _by_distance(rules: RuleSet, matrix: Floats, truth: Floats) -> Iterator[tuple[int, str]]:
    distance = np.abs(rules.predict(matrix, coded=True) - truth)
    every = np.arange(len(truth))
    yield from _first(every, distance, RIGHT, "nearest to the truth")
    yield from _first(every, -distance, WRONG, "farthest from the truth")


def _first(rows: Rows, order: Floats, most: int, kind: str) -> Iterator[tuple[int, str]]:
    for row in rows[np.argsort(order[rows], kind="stable")][:most].tolist():
        yield row, kind
