"""Explanation: why one row is predicted as it is, as data and as text."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from crisplogic.algebra import UNKNOWN
from crisplogic.expr.notation import written_name, written_value
from crisplogic.rules.formatting import written_label
from crisplogic.rules.number_format import aligned, six_digits
from crisplogic.rules.rule import Label

Cell = float | str | None
# The cells of the row are aligned beside lines that are no longer than this.
MOST_ALIGNED = 200
# A line of text, and what the row has beside it.
Line = tuple[str, str]


def state(value: float) -> str:
    """A value in one word.

    >>> state(0.3), state(-1.0), state(0.0)
    ('true', 'false', 'unknown')
    """
    return "unknown" if value == UNKNOWN else "true" if value > UNKNOWN else "false"


@dataclass(frozen=True)
class Part:
    """A literal or an operation in a rule, as it is written, and its value for the row.

    A literal has a ``column`` and the ``cell`` there, which is None if the value is missing.
    ``new`` marks a value of a category that was not in the training rows. An operation has
    ``parts``. A shared part that stands deep inside has only its name here; see
    :class:`Explanation`.
    """

    text: str
    value: float
    column: str | None = None
    cell: Cell = None
    parts: tuple[Part, ...] = ()
    new: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The part as JSON."""
        entry: dict[str, Any] = {
            "text": self.text,
            "value": self.value,
            "state": state(self.value),
        }
        if self.column is not None:
            entry |= {"column": self.column, "cell": _json_cell(self.cell)}
            entry |= {"new": True} if self.new else {}
        if self.parts:
            entry["parts"] = [part.to_dict() for part in self.parts]
        return entry

    def lines(self, depth: int = 0) -> Iterator[Line]:
        """Value, state and text beside the cell, of the part and then of its parts."""
        yield _format_line(self.value, state(self.value), self.text, depth), self._cell_text()
        for part in self.parts:
            yield from part.lines(depth + 1)

    def _cell_text(self) -> str:
        if self.column is None:
            return ""
        new = ", never seen before" if self.new else ""
        return f"{written_name(self.column)} {_format_cell(self.cell)}{new}"


@dataclass(frozen=True)
class Explanation(ABC):
    """Why one row is predicted as it is.

    ``literals`` are all that the rules mention, each once. ``shared`` are the parts that stand
    inside terms by name only.
    """

    literals: tuple[Part, ...]
    shared: tuple[tuple[str, Part], ...]

    @abstractmethod
    def _entries(self) -> dict[str, Any]:
        """What is particular to the kind of rules, as JSON."""

    @abstractmethod
    def _headline(self) -> str:
        """What is predicted."""

    @abstractmethod
    def _blocks(self) -> list[tuple[str, list[Line]]]:
        """The terms: a heading, which may be empty, and lines."""

    def to_dict(self) -> dict[str, Any]:
        """The whole explanation as JSON."""
        return {
            **self._entries(),
            "literals": [literal.to_dict() for literal in self.literals],
            "shared": {name: part.to_dict() for name, part in self.shared},
        }

    def to_text(self) -> str:
        """The prediction, then the terms. The cells of the row are aligned in all blocks."""
        shared = [(f"where {name} is", list(part.lines())) for name, part in self.shared]
        blocks = [*self._blocks(), *shared]
        longest = max(len(left) for _, lines in blocks for left, _ in lines)
        width = min(longest, MOST_ALIGNED)
        text = [self._headline()]
        for heading, lines in blocks:
            text += ["", *([heading] if heading else [])]
            text += [f"{left:<{width}}  {cell}".rstrip() for left, cell in lines]
        return "\n".join(text)

    def __str__(self) -> str:
        return self.to_text()


@dataclass(frozen=True)
class Verdict:
    """What the rule of one class says: its terms and its intercept add up to its score."""

    label: Label
    score: float
    probability: float
    intercept: float
    terms: tuple[Part, ...]

    def to_dict(self) -> dict[str, Any]:
        """The verdict as JSON."""
        return {
            "class": self.label,
            "score": self.score,
            "probability": self.probability,
            "intercept": self.intercept,
            "terms": [term.to_dict() for term in self.terms],
        }

    def lines(self) -> Iterator[Line]:
        """The terms, each with its parts, and the intercept."""
        for term in self.terms:
            yield from term.lines()
        if self.intercept or not self.terms:
            yield _format_line(self.intercept, "", "anyway", 0), ""

    def __str__(self) -> str:
        return f"{written_label(self.label)} ({self.probability:.0%})"


@dataclass(frozen=True)
class ClassExplanation(Explanation):
    """Why a class is predicted for a row. ``verdicts`` has one entry a class, in order."""

    verdicts: tuple[Verdict, ...]

    @property
    def ranking(self) -> tuple[Verdict, ...]:
        """The verdicts by score, the winner first; in a tie the first class wins."""
        return tuple(sorted(self.verdicts, key=lambda verdict: -verdict.score))

    @property
    def predicted(self) -> Label:
        """The class with the greatest score."""
        return self.ranking[0].label

    @property
    def runner_up(self) -> Label | None:
        """The class with the next score; None if there is only one class."""
        return self.ranking[1].label if len(self.verdicts) > 1 else None

    @property
    def margin(self) -> float:
        """How far the winner is ahead of the next."""
        first, *others = self.ranking
        return first.score - others[0].score if others else math.inf

    def _entries(self) -> dict[str, Any]:
        return {
            "predicted": self.predicted,
            "runner_up": self.runner_up,
            "margin": self.margin if len(self.verdicts) > 1 else None,
            "classes": [verdict.to_dict() for verdict in self.verdicts],
        }

    def _headline(self) -> str:
        first, *others = self.ranking
        return f"predicted: {first}" + (f"; next: {others[0]}" if others else "")

    def _blocks(self) -> list[tuple[str, list[Line]]]:
        return [
            (f"{written_label(verdict.label)} = {verdict.score:.4g}", list(verdict.lines()))
            for verdict in self.ranking
        ]


@dataclass(frozen=True)
class NumberExplanation(Explanation):
    """Why a number is predicted for a row.

    The number is ``intercept`` plus the amounts of the ``terms``. The amount of a term is
    ``scale`` times its value times its count, in the units of the number. ``predicted`` is what
    :meth:`RegressionRules.predict` returns, to the last bit. There the values are added before
    they are multiplied. So intercept and amounts, each rounded by itself, may add up to
    something else in the last digits.
    """

    label: Label
    predicted: float
    intercept: float
    scale: float
    terms: tuple[Part, ...]
    counts: tuple[int, ...]

    @property
    def amounts(self) -> tuple[float, ...]:
        """What each term adds to the number."""
        pairs = zip(self.counts, self.terms, strict=True)
        return tuple(count * self.scale * term.value for count, term in pairs)

    @property
    def runner_up(self) -> None:
        """None: only classes have a runner-up."""
        return

    def _entries(self) -> dict[str, Any]:
        terms = zip(self.amounts, self.counts, self.terms, strict=True)
        return {
            "predicted": self.predicted,
            "runner_up": self.runner_up,
            "number": self.label,
            "intercept": self.intercept,
            "scale": self.scale,
            "terms": [
                {"amount": amount, "count": count, **term.to_dict()}
                for amount, count, term in terms
            ],
        }

    def _headline(self) -> str:
        return f"predicted: {written_label(self.label)} = {six_digits(self.predicted)}"

    def _blocks(self) -> list[tuple[str, list[Line]]]:
        return [("", list(self._lines()))]

    def _lines(self) -> Iterator[Line]:
        """Amounts beside the lines of terms; the parts of a term have no amount."""
        base, *amounts = aligned([self.intercept, *self.amounts], self.scale)
        yield f"  {base}{'':18}anyway", ""
        for amount, term in zip(amounts, self.terms, strict=True):
            for line, (left, cell) in enumerate(term.lines()):
                yield f"  {amount if line == 0 else ' ' * len(amount)}{left}", cell


def _format_line(value: float, state: str, text: str, depth: int) -> str:
    return f"{'  ' + '       ' * depth}{value:+.2f}  {state:<7}  {text}"


def _json_cell(cell: Cell) -> Cell:
    """A cell as JSON, which has no infinities."""
    if isinstance(cell, float) and not math.isfinite(cell):
        return str(cell)
    return cell


def _format_cell(cell: Cell) -> str:
    if cell is None:
        return "is missing"
    return f"is {written_value(cell)}" if isinstance(cell, str) else f"= {cell:.12g}"
