"""Errors about what a person wrote: the text, the place in it, and what is possible."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from crisplogic.errors import ExpressionError, RuleError
from crisplogic.messages import similar
from crisplogic.rules.formatting import written_label

if TYPE_CHECKING:
    from crisplogic.rules.rule import Label
    from crisplogic.rules.ruleset import RuleSet

MOST_LISTED = 12


def pointing(problem: str, text: str, start: int) -> ExpressionError:
    """An error that shows the whole text and the place, as the parser's do.

    >>> print(pointing("there is no column ag", "bmi>30 & ag>50", 9))
    there is no column ag (at position 9)
      bmi>30 & ag>50
               ^
    """
    one_line = re.sub(r"\s", " ", text)  # or the mark would miss its place
    return ExpressionError(f"{problem} (at position {start})\n  {one_line}\n  {' ' * start}^")


def listed(texts: Iterable[str]) -> str:
    """Texts for a message, which stays short.

    >>> listed(str(number) for number in range(14))
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more'
    """
    shown = list(texts)
    more = len(shown) - MOST_LISTED
    return ", ".join(shown[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question that names what looks like ``word``; nothing if nothing does.

    >>> did_you_mean("Glucos", ["glucose", "age"]), did_you_mean("x", ["glucose"])
    ('; did you mean glucose?', '')
    """
    close = similar(word, known)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def position_of(rules: RuleSet, label: Label) -> int:
    """Which of the rules is that of a class, or of the number."""
    try:
        return rules.labels.index(label)
    except ValueError:
        raise RuleError(
            f"there is no {rules.predicts} {label!r}; {_labels(rules)}"
            f"{did_you_mean(str(label), map(written_label, rules.labels))}"
        ) from None


def _labels(rules: RuleSet) -> str:
    if rules.predicts == "number":
        return f"these rules predict {rules.labels[0]!r}"
    return f"the classes are {listed(map(repr, rules.labels))}"


def no_column(column: str, features: Sequence[str]) -> str:
    """The problem with a name that no column has."""
    return (
        f"there is no column {column!r}; the columns are {listed(map(repr, features))}"
        f"{did_you_mean(column, features)}"
    )
