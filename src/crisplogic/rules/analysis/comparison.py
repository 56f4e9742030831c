"""Comparison: two rule sets on the same rows, their metrics and what changed between them."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import unified_diff
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import RuleError
from crisplogic.messages import list_some
from crisplogic.rules import ClassificationRules, RegressionRules, RuleSet
from crisplogic.rules.analysis.evaluation import (
    ClassMetrics,
    Evaluation,
    Metrics,
    NumberMetrics,
    evaluate,
)
from crisplogic.rules.describe import has_words
from crisplogic.rules.formatting import aligned_width, legend_entries
from crisplogic.rules.latex import to_latex
from crisplogic.rules.markup import Cell, Listing, Table, fenced, to_html, to_markdown
from crisplogic.rules.number_format import format_rows

Rows = NDArray[np.intp]
AnyMetrics = TypeVar("AnyMetrics", bound=Metrics, covariant=True)


@dataclass(frozen=True, eq=False)
class Comparison(Generic[AnyMetrics]):
    """Two rule sets on the same rows.

    ``changed`` are the numbers of the rows, counted from 0, whose prediction changed. In
    ``better`` rows the class is right now, or the number nearer to the truth. In ``worse`` rows
    the class was right before, or the number nearer. ``diff`` is a unified diff of the printed
    rules and their legends.

    Shape: (rows of its kind,) each.
    """

    before: AnyMetrics
    after: AnyMetrics
    rows: int
    changed: Rows
    better: Rows
    worse: Rows
    diff: str

    def to_text(self) -> str:
        """A small table, the rows that changed, and the diff."""
        table = [["", "before", "after", "change"], *self._rows()]
        width = max(len(name) for name, *_ in table) + 1
        metrics = [
            f"{name:<{width}}" + "".join(f"{number:>10}" for number in numbers)
            for name, *numbers in table
        ]
        lines = [self._headline(), *(f"  {line}" for line in self._changes())]
        return "\n".join([*metrics, "", *lines, "", self.diff or "same rules"])

    def to_markdown(self) -> str:
        """The same in Markdown."""
        return f"{to_markdown(self._blocks())}\n\n{fenced(self.diff or 'same rules')}"

    def _repr_html_(self) -> str:
        """The same as notebooks show it; the diff is folded away."""
        return to_html(self._blocks(), legend=self.diff or "same rules", summary="The rules")

    def _repr_latex_(self) -> str:
        """The same in LaTeX, for notebooks that become papers."""
        return to_latex(self._blocks(), notes=[self.diff or "same rules"])

    def _blocks(self) -> list[Table | Listing]:
        rows = [
            [Cell(name), *(Cell(number, number=True) for number in numbers)]
            for name, *numbers in self._rows()
        ]
        table = Table("", ["", "before", "after", "change"], rows)
        return [table, Listing(self._headline(), self._changes())]

    def _rows(self) -> list[list[str]]:
        """The metrics: a name, before, after, and the difference."""
        return [
            [
                old.name,
                old.format(old.number),
                old.format(new.number),
                old.format(new.number - old.number, "+"),
            ]
            for old, new in zip(self.before.lines(), self.after.lines(), strict=True)
        ]

    def _headline(self) -> str:
        return (
            f"{len(self.changed)} of {self.rows} predictions changed: "
            f"{len(self.better)} {self.after.better}, {len(self.worse)} {self.after.worse}"
        )

    def _changes(self) -> list[str]:
        """Which rows are better or worse, as far as there are some."""
        kinds = ("better", self.better), ("worse", self.worse)
        return [f"{what}: {format_rows(rows)}" for what, rows in kinds if len(rows)]

    def __str__(self) -> str:
        return self.to_text()


@overload
def compare(
    before: ClassificationRules,
    after: ClassificationRules,
    table: Any,
    y: Any,
    sample_weight: Any = None,
    coded: bool = False,
) -> Comparison[ClassMetrics]: ...


@overload
def compare(
    before: RegressionRules,
    after: RegressionRules,
    table: Any,
    y: Any,
    sample_weight: Any = None,
    coded: bool = False,
) -> Comparison[NumberMetrics]: ...


@overload
def compare(
    before: RuleSet,
    after: RuleSet,
    table: Any,
    y: Any,
    sample_weight: Any = None,
    coded: bool = False,
) -> Comparison[ClassMetrics | NumberMetrics]: ...


def compare(
    before: RuleSet,
    after: RuleSet,
    table: Any,
    y: Any,
    sample_weight: Any = None,
    coded: bool = False,
) -> Comparison[ClassMetrics | NumberMetrics]:
    """What changed from one rule set to another, on rows whose classes or numbers are known.

    Both must predict the same. Weights count in the metrics, not in the numbers of rows. A
    ``coded`` table is a matrix that ``RuleSet.matrix`` made.

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
    -ill  = glucose>127±20
    -well = glucose<127±20
    +ill  = glucose>140±20
    +well = glucose<140±20
    <BLANKLINE>
    -glucose>127±20  false up to 107, true from 147
    +glucose>140±20  false up to 120, true from 160

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
    -costs = 18 + 5 × (age>40±10)
    +costs = 20 + 4 × (age>40±10)
    <BLANKLINE>
     age>40±10  false up to 30, true from 50
    """
    if before.predicts != after.predicts:
        raise RuleError(
            "rules can be compared if they predict the same, got rules for a "
            f"{before.predicts} and rules for a {after.predicts}"
        )
    if isinstance(before, ClassificationRules) and set(before.labels) != set(after.labels):
        raise RuleError(
            "rules can be compared if they have the same classes, got "
            f"{list_some(before.labels)} and {list_some(after.labels)}"
        )
    old, new = (_evaluate(rules, table, y, sample_weight, coded) for rules in (before, after))
    predicted = new.predicted
    if isinstance(before, ClassificationRules):
        positions = {label: position for position, label in enumerate(before.labels)}
        order = np.array([positions[label] for label in after.labels])
        predicted = order[predicted]
    return Comparison(
        old.metrics,
        new.metrics,
        len(predicted),
        np.flatnonzero(old.predicted != predicted),
        np.flatnonzero(new.off < old.off),
        np.flatnonzero(new.off > old.off),
        text_diff(before, after),
    )


def _evaluate(
    rules: RuleSet, table: Any, y: Any, sample_weight: Any, coded: bool
) -> Evaluation:
    matrix = rules.matrix(table, coded)
    return evaluate(rules, matrix, rules.read_targets(len(matrix), y, sample_weight))


def text_diff(before: RuleSet, after: RuleSet) -> str:
    """A unified diff of the printed rules and their legends; empty if nothing changed."""
    # Names are aligned alike in both: one longer name should not change all lines.
    heads = (head for rules in (before, after) for head, _ in legend_entries(rules))
    width = aligned_width(heads)
    old, new = _printed(before, width), _printed(after, width)
    lines = unified_diff(old, new, "before", "after", n=max(len(old), len(new)), lineterm="")
    # All lines are shown, so line numbers are not needed.
    shown = [line.rstrip() for line in lines if not line.startswith("@@")]
    return "\n".join(shown)


def _printed(rules: RuleSet, width: int) -> list[str]:
    if has_words(rules):
        return rules.describe(notes=False).split("\n")
    legend = [f"{head:<{width}}  {reading}" for head, reading in legend_entries(rules)]
    return [*rules.to_text().split("\n"), "", *(legend or [""])]
