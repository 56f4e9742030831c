"""Figures and NumberFigures: how good rules are on some rows, in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import unified_diff
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from crisplogic.errors import RuleError, TableError
from crisplogic.expr.notation import written_name
from crisplogic.expr.program import chunks
from crisplogic.messages import list_some
from crisplogic.rules import RuleSet
from crisplogic.rules.metrics import (
    brier,
    mean_absolute_error,
    r_squared,
    root_mean_squared_error,
)
from crisplogic.rules.number_format import four_digits
from crisplogic.rules.targets import Answers, NumberAnswers

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Figures:
    """How good rules are on some rows, and how large they are.

    ``error`` is the share of wrong predictions, ``log_loss`` the mean surprise at the right
    class in nats, ``brier`` the mean squared distance between probabilities and truth. Where
    rows have weights, a row of weight 2 is two rows in all of these.
    """

    error: float
    log_loss: float
    brier: float
    literals: int

    def table(self) -> list[Line]:
        """What to print of them: a name, a number, and how many places it has."""
        return [
            Line("error, %", 100 * self.error, 2),
            Line("log loss", self.log_loss, 4),
            Line("Brier score", self.brier, 4),
            Line("literals", self.literals, 0),
        ]


@dataclass(frozen=True)
class NumberFigures:
    """How good rules that predict a number are on some rows, and how large they are.

    ``rmse`` is the root mean squared error and ``mae`` the mean absolute one, in the units of
    the number; ``r2`` is the share of the variance that is explained. Where rows have weights,
    a row of weight 2 is two rows in all of these.
    """

    rmse: float
    mae: float
    r2: float
    literals: int

    def table(self) -> list[Line]:
        """What to print of them: a name, a number, and how many places it has."""
        return [
            Line("root mean squared error", self.rmse),
            Line("mean absolute error", self.mae),
            Line("R²", self.r2, 4),
            Line("literals", self.literals, 0),
        ]


class Line(NamedTuple):
    """A figure to print; without ``places`` it has four digits, wherever the point is."""

    name: str
    number: float
    places: int | None = None

    def written(self, number: float, sign: str = "") -> str:
        """Any number in the style of this one.

        >>> Line("log loss", 0.3579, 4).written(-0.25, "+"), Line("mae", 456.7).written(31.2)
        ('-0.2500', '31.20')
        """
        if self.places is None:
            text = four_digits(number)
            return text if text.startswith("-") else sign + text
        return f"{number:{sign}.{self.places}f}"


def judged(
    rules: RuleSet, matrix: Floats, answers: Answers
) -> tuple[Figures, NDArray[np.intp]]:
    """Figures, and the numbers of the classes that are predicted.

    Shape: ``matrix`` (rows, features), as :meth:`RuleSet.matrix` makes it; returns (rows,).
    """
    targets = answers.targets
    if targets is None:
        raise TableError("y must hold the class of every row, got None")
    if not answers.sum_of_weights:
        raise TableError("a table without rows says nothing about rules")
    sums = np.zeros(3)
    predicted = np.empty(len(matrix), dtype=np.intp)
    for chunk in chunks(len(matrix)):
        scores = rules.scores(matrix[chunk], coded=True)
        predicted[chunk] = scores.argmax(axis=1)
        rows = _by_row(rules.scale * scores, predicted[chunk], targets[chunk])
        sums += [answers.total(chunk, each) for each in rows]
    error, log_loss, squares = (sums / answers.sum_of_weights).tolist()
    return Figures(error, log_loss, squares, rules.size), predicted


def judged_number(
    rules: RuleSet, matrix: Floats, answers: NumberAnswers
) -> tuple[NumberFigures, Floats]:
    """Figures, and the numbers that are predicted.

    Shape: ``matrix`` (rows, features), as :meth:`RuleSet.matrix` makes it; returns (rows,).
    """
    targets, weights = answers.targets, answers.weights
    if targets is None:
        raise TableError("y must hold the number of every row, got None")
    if not answers.sum_of_weights:
        raise TableError("a table without rows says nothing about rules")
    predicted = rules.predict(matrix, coded=True)
    figures = NumberFigures(
        root_mean_squared_error(targets, predicted, weights),
        mean_absolute_error(targets, predicted, weights),
        r_squared(targets, predicted, weights),
        rules.size,
    )
    return figures, predicted


def _by_row(
    logits: Floats, predicted: NDArray[np.intp], targets: NDArray[np.intp]
) -> tuple[NDArray[np.bool_], Floats, Floats]:
    """Whether each row is wrong, its surprise and its Brier score. Shape: (rows,) each."""
    surprise = -log_softmax(logits, axis=1)[np.arange(len(targets)), targets]
    return predicted != targets, surprise, brier(logits.T, targets)


Rows = NDArray[np.intp]

MOST_ROWS_PRINTED = 10


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two rule sets on the same rows.

    ``changed`` are the numbers of the rows, counted from 0, whose prediction is another now.
    ``better`` of them are right now, ``worse`` of them were right before. ``diff`` is what
    has changed in the print of the rules and in their legend, as a unified diff.

    Shape: (rows of its kind,) each.
    """

    before: Figures
    after: Figures
    rows: int
    changed: Rows
    better: Rows
    worse: Rows
    diff: str

    def to_text(self) -> str:
        """A small table, the rows that changed, and the diff."""
        table = _table(self.before, self.after)
        return _text(table, self, "for the better", "for the worse")

    def __str__(self) -> str:
        return self.to_text()


@dataclass(frozen=True, eq=False)
class NumberComparison:
    """Two rule sets that predict a number, on the same rows.

    ``changed`` are the numbers of the rows, counted from 0, whose prediction is another now:
    in ``better`` ones it is nearer to the truth than before, in ``worse`` ones farther from
    it. ``diff`` is what has changed in the print of the rules and in their legend, as a
    unified diff.

    Shape: (rows of its kind,) each.
    """

    before: NumberFigures
    after: NumberFigures
    rows: int
    changed: Rows
    better: Rows
    worse: Rows
    diff: str

    def to_text(self) -> str:
        """A small table, the rows that changed, and the diff."""
        table = _table(self.before, self.after)
        return _text(table, self, "nearer to the truth", "farther from it")

    def __str__(self) -> str:
        return self.to_text()


# Any: which of both comparisons it is, rules know, but not their type; whoever asks does, too.
def compare(
    before: RuleSet, after: RuleSet, table: Any, y: Any, sample_weight: Any = None
) -> Any:
    """What changed from one rule set to another, on rows whose classes or numbers are known.

    It is a :class:`Comparison`, or a :class:`NumberComparison` for rules that predict a number.
    Weights count in the figures; rows are rows, whatever they weigh.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, RegressionRules, Rule
    >>> both = Rule("ill", parse("0")), Rule("well", parse("~0"))
    >>> before = ClassificationRules(("glucose",), (Ramp(0, 107.0, 147.0),), both, scale=2.0)
    >>> after = before.with_threshold("glucose>127", 140)
    >>> print(compare(before, after, [[90], [130], [150]], ["well", "well", "ill"]))
                    before     after    change
    error, %         33.33      0.00    -33.33
    log loss        0.3579    0.0907   -0.2673
    Brier score     0.2783    0.0192   -0.2592
    literals             2         2        +0
    <BLANKLINE>
    1 of 3 predictions changed: 1 for the better, 0 for the worse
      better: row 1
    <BLANKLINE>
    --- before
    +++ after
    -ill  = glucose>127
    -well = glucose<127
    +ill  = glucose>140
    +well = glucose<140
    <BLANKLINE>
    -glucose>127  false up to 107, true from 147
    +glucose>140  false up to 120, true from 160

    >>> costs = Rule("costs", parse("0"))
    >>> ramps = (Ramp(0, 30.0, 50.0),)
    >>> before = RegressionRules(("age",), ramps, (costs,), 5.0, (18.0,))
    >>> after = before.with_intercept("costs", 20).with_scale(4)
    >>> print(compare(before, after, [[20], [40], [60]], [15.0, 21.0, 25.0]))
                                before     after    change
    root mean squared error      2.380     1.000    -1.380
    mean absolute error          2.333     1.000    -1.333
    R²                          0.6645    0.9408   +0.2763
    literals                         1         1        +0
    <BLANKLINE>
    3 of 3 predictions changed: 3 nearer to the truth, 0 farther from it
      better: rows 0, 1, 2
    <BLANKLINE>
    --- before
    +++ after
    -costs = 18 + 5 × (age>40)
    +costs = 20 + 4 × (age>40)
    <BLANKLINE>
     age>40  false up to 30, true from 50
    """
    if before.predicts != after.predicts:
        raise RuleError(
            "rules can be compared if they predict the same, got rules for a "
            f"{before.predicts} and rules for a {after.predicts}"
        )
    kinds = {"class": _of_classes, "number": _of_numbers}
    return kinds[before.predicts](before, after, table, y, sample_weight)


def _of_classes(
    before: RuleSet, after: RuleSet, table: Any, y: Any, sample_weight: Any
) -> Comparison:
    if set(before.labels) != set(after.labels):
        raise RuleError(
            f"rules can be compared if they have the same classes, got {before.labels} "
            f"and {after.labels}"
        )
    old, old_classes, truth = _judged(before, table, y, sample_weight)
    new, new_classes, _ = _judged(after, table, y, sample_weight)
    order = np.array([before.labels.index(label) for label in after.labels])
    new_classes = order[new_classes]
    changed = old_classes != new_classes
    return Comparison(
        old,
        new,
        len(truth),
        np.flatnonzero(changed),
        np.flatnonzero(changed & (new_classes == truth)),
        np.flatnonzero(changed & (old_classes == truth)),
        text_diff(before, after),
    )


def _judged(
    rules: RuleSet, table: Any, y: Any, sample_weight: Any
) -> tuple[Figures, Rows, Rows]:
    matrix = rules.matrix(table)
    answers = Answers.of(len(matrix), rules.labels, y, sample_weight)
    figures, predicted = judged(rules, matrix, answers)
    assert answers.targets is not None
    return figures, predicted, answers.targets


def _of_numbers(
    before: RuleSet, after: RuleSet, table: Any, y: Any, sample_weight: Any
) -> NumberComparison:
    """The name of the number may be another: what is measured is the same."""
    old, old_numbers, truth = _judged_number(before, table, y, sample_weight)
    new, new_numbers, _ = _judged_number(after, table, y, sample_weight)
    was_off, is_off = np.abs(old_numbers - truth), np.abs(new_numbers - truth)
    return NumberComparison(
        old,
        new,
        len(truth),
        np.flatnonzero(old_numbers != new_numbers),
        np.flatnonzero(is_off < was_off),
        np.flatnonzero(is_off > was_off),
        text_diff(before, after),
    )


def _judged_number(
    rules: RuleSet, table: Any, y: Any, sample_weight: Any
) -> tuple[NumberFigures, Floats, Floats]:
    matrix = rules.matrix(table)
    answers = NumberAnswers.of(len(matrix), y, sample_weight)
    figures, predicted = judged_number(rules, matrix, answers)
    assert answers.targets is not None
    return figures, predicted, answers.targets


def text_diff(before: RuleSet, after: RuleSet) -> str:
    """What has changed in the print of rules and in their legend; nothing if nothing has."""
    # Names are aligned alike in both: one longer name should not change all lines.
    width = max(map(len, (*_heads(before), *_heads(after), "")))
    old, new = _printed(before, width), _printed(after, width)
    lines = unified_diff(old, new, "before", "after", n=max(len(old), len(new)), lineterm="")
    # All lines are shown, so that nobody needs to be told where they stand.
    shown = [line.rstrip() for line in lines if not line.startswith("@@")]
    return "\n".join(shown)


def _printed(rules: RuleSet, width: int) -> list[str]:
    heads = _heads(rules)
    own = max(map(len, heads), default=0)
    legend = zip(heads, rules.legend().split("\n"), strict=False)  # one empty line, if none
    lines = [f"{head:<{width}}{line[own:]}" for head, line in legend]
    return [*str(rules).split("\n"), "", *lines]


def _heads(rules: RuleSet) -> list[str]:
    return [written_name(rules.names[index]) for index in rules.used]


def _text(
    table: list[str], compared: Comparison | NumberComparison, better: str, worse: str
) -> str:
    """A table, then how many rows are ``better`` or ``worse`` now, and which; and the diff."""
    lines = [
        f"{len(compared.changed)} of {compared.rows} predictions changed: "
        f"{len(compared.better)} {better}, {len(compared.worse)} {worse}"
    ]
    for what, rows in (("better", compared.better), ("worse", compared.worse)):
        if len(rows):
            lines.append(f"  {what}: {_listed(rows)}")
    return "\n".join([*table, "", *lines, "", compared.diff or "same rules"])


def _table(before: Figures | NumberFigures, after: Figures | NumberFigures) -> list[str]:
    """Figures below each other, before and after; all names have as much room as they need."""
    pairs = list(zip(before.table(), after.table(), strict=True))
    width = max(len(old.name) for old, _ in pairs) + 1
    lines = [f"{'':<{width}}{'before':>10}{'after':>10}{'change':>10}"]
    for old, new in pairs:
        change = old.written(new.number - old.number, "+")
        cells = f"{old.written(old.number):>10}{old.written(new.number):>10}{change:>10}"
        lines.append(f"{old.name:<{width}}{cells}")
    return lines


def _listed(rows: Rows) -> str:
    return f"row{'s' if len(rows) > 1 else ''} {list_some(rows.tolist(), MOST_ROWS_PRINTED)}"
