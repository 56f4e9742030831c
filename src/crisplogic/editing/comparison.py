"""Comparison: what a change of rules costs, in numbers, in rows and in words."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.editing.figures import Figures, judged
from crisplogic.errors import RuleError
from crisplogic.expr.lexicon import written_name
from crisplogic.rules import RuleSet
from crisplogic.rules.answers import Answers

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
        return "\n".join([*self._table(), "", *self._rows(), "", self.diff or "same rules"])

    def _table(self) -> list[str]:
        old, new = self.before, self.after
        return [
            f"{'':<12}{'before':>10}{'after':>10}{'change':>10}",
            _line("error, %", 100 * old.error, 100 * new.error, ".2f"),
            _line("log loss", old.log_loss, new.log_loss, ".4f"),
            _line("Brier score", old.brier, new.brier, ".4f"),
            _line("literals", old.literals, new.literals, "d"),
        ]

    def _rows(self) -> list[str]:
        right, wrong = len(self.better), len(self.worse)
        lines = [
            f"{len(self.changed)} of {self.rows} predictions changed: {right} for the better, "
            f"{wrong} for the worse"
        ]
        for what, rows in (("better", self.better), ("worse", self.worse)):
            if len(rows):
                lines.append(f"  {what}: {_listed(rows)}")
        return lines

    def __str__(self) -> str:
        return self.to_text()


def compare(
    before: RuleSet, after: RuleSet, table: Any, y: Any, sample_weight: Any = None
) -> Comparison:
    """What changed from one rule set to another, on rows whose classes are known.

    Weights count in the figures; rows are rows, whatever they weigh.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Ramp, Rule
    >>> ill, well = Rule("ill", parse("0")), Rule("well", parse("~0"))
    >>> before = RuleSet(("glucose",), (Ramp(0, 107.0, 147.0),), (ill, well), scale=2.0)
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
    """
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


def _line(what: str, before: float, after: float, style: str) -> str:
    change = after - before
    return f"{what:<12}{before:>10{style}}{after:>10{style}}{change:>+10{style}}"


def _listed(rows: Rows) -> str:
    shown = ", ".join(map(str, rows[:MOST_ROWS_PRINTED]))
    more = len(rows) - MOST_ROWS_PRINTED
    return f"row{'s' if len(rows) > 1 else ''} {shown}{f' and {more} more' if more > 0 else ''}"
