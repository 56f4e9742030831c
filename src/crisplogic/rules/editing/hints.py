"""Errors about what a person wrote: the text, the place in it, and what is possible."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from crisplogic.errors import ExpressionError, RuleError
from crisplogic.messages import did_you_mean, list_some
from crisplogic.rules.formatting import written_label

if TYPE_CHECKING:
    from crisplogic.rules.rule import Label
    from crisplogic.rules.ruleset import RuleSet


def pointing(problem: str, text: str, start: int) -> ExpressionError:
    """An error that shows the whole text and the place, as the parser's do.

    >>> print(pointing("there is no column ag", "bmi>30 & ag>50", 9))
    there is no column ag (at position 9)
      bmi>30 & ag>50
               ^
    """
    one_line = re.sub(r"\s", " ", text)  # or the mark would miss its place
    return ExpressionError(f"{problem} (at position {start})\n  {one_line}\n  {' ' * start}^")


def position_of(rules: RuleSet, label: Label) -> int:
    """Which of the rules is that of a class, or of the number."""
    try:
        return rules.labels.index(label)
    except ValueError:
        raise RuleError(
            f"there is no {rules.predicts} {label!r}; {_labels(rules)}"
            f"{did_you_mean(str(label), map(written_label, rules.labels), show=str)}"
        ) from None


def _labels(rules: RuleSet) -> str:
    if rules.predicts == "number":
        return f"these rules predict {rules.labels[0]!r}"
    return f"the classes are {list_some(rules.labels)}"


def no_column(column: str, features: Sequence[str]) -> str:
    """The problem with a name that no column has."""
    return (
        f"there is no column {column!r}; the columns are {list_some(features)}"
        f"{did_you_mean(column, features, show=str)}"
    )
