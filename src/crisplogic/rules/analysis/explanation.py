"""Explanation: why one row is predicted as it is, as data and as text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from crisplogic.algebra import UNKNOWN
from crisplogic.expr.notation import written_name, written_value
from crisplogic.rules.formatting import written_label
from crisplogic.rules.number_format import aligned, six_digits
from crisplogic.rules.rule import Label

Cell = float | str | None


def state(value: float) -> str:
    """A value in one word.

    >>> state(0.3), state(-1.0), state(0.0)
    ('true', 'false', 'unknown')
    """
    return "unknown" if value == UNKNOWN else "true" if value > UNKNOWN else "false"


@dataclass(frozen=True)
class Part:
    """A literal or an operation in a rule, as it is written, and its value for the row.

    A literal has the ``column`` that it is about and the ``cell`` there, None if it is
    missing; ``new`` is a value of a category that was never seen before. An operation has
    ``parts``. A part that several rules share and that stands deep
    inside has only its name here; see :class:`Explanation`.
    """

    text: str
    value: float
    column: str | None = None
    cell: Cell = None
    parts: tuple[Part, ...] = ()
    new: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The part as JSON knows it."""
        made: dict[str, Any] = {
            "text": self.text,
            "value": self.value,
            "state": state(self.value),
        }
        if self.column is not None:
            made |= {"column": self.column, "cell": _plain(self.cell)}
            made |= {"new": True} if self.new else {}
        if self.parts:
            made["parts"] = [part.to_dict() for part in self.parts]
        return made

    def lines(self, depth: int = 0) -> Iterator[tuple[str, str]]:
        """Value, state and text beside what the row has, of the part and then of its parts."""
        yield _row(self.value, state(self.value), self.text, depth), self._seen()
        for part in self.parts:
            yield from part.lines(depth + 1)

    def _seen(self) -> str:
        if self.column is None:
            return ""
        new = ", never seen before" if self.new else ""
        return f"{written_name(self.column)} {_written(self.cell)}{new}"


@dataclass(frozen=True)
class Verdict:
    """What the rule of one class says: its terms and its intercept add up to its score."""

    label: Label
    score: float
    probability: float
    intercept: float
    terms: tuple[Part, ...]

    def to_dict(self) -> dict[str, Any]:
        """The verdict as JSON knows it."""
        return {
            "class": self.label,
            "score": self.score,
            "probability": self.probability,
            "intercept": self.intercept,
            "terms": [term.to_dict() for term in self.terms],
        }

    def lines(self) -> Iterator[tuple[str, str]]:
        """The terms, each with what it is made of, and the intercept."""
        for term in self.terms:
            yield from term.lines()
        if self.intercept or not self.terms:
            yield _row(self.intercept, "", "anyway", 0), ""


@dataclass(frozen=True)
class Explanation:
    """Why a row is predicted as it is.

    ``verdicts`` are those of all classes in their order. ``literals`` are all that the rules
    mention, each once. ``shared`` are the parts that stand inside terms by name only.
    """

    verdicts: tuple[Verdict, ...]
    literals: tuple[Part, ...]
    shared: tuple[tuple[str, Part], ...] = ()

    @property
    def ranking(self) -> tuple[Verdict, ...]:
        """The verdicts by score, the winner first; in a tie the first class is."""
        return tuple(sorted(self.verdicts, key=lambda verdict: -verdict.score))

    @property
    def predicted(self) -> Label:
        """The class of the greatest score."""
        return self.ranking[0].label

    @property
    def runner_up(self) -> Label | None:
        """The class of the next score; None if there is only one class."""
        return self.ranking[1].label if len(self.verdicts) > 1 else None

    @property
    def margin(self) -> float:
        """How far the winner is ahead of the next."""
        first, *others = self.ranking
        return first.score - others[0].score if others else math.inf

    def to_dict(self) -> dict[str, Any]:
        """The whole explanation as JSON knows it."""
        return {
            "predicted": self.predicted,
            "runner_up": self.runner_up,
            "margin": self.margin if len(self.verdicts) > 1 else None,
            "classes": [verdict.to_dict() for verdict in self.verdicts],
            "literals": [literal.to_dict() for literal in self.literals],
            "shared": {name: part.to_dict() for name, part in self.shared},
        }

    def to_text(self) -> str:
        """The winner, then every class with its terms, the best first."""
        blocks = [
            (f"{written_label(verdict.label)} = {verdict.score:.4g}", list(verdict.lines()))
            for verdict in self.ranking
        ]
        blocks += [(f"where {name} is", list(part.lines())) for name, part in self.shared]
        return in_blocks(self._headline(), blocks)

    def _headline(self) -> str:
        first, *others = self.ranking
        said = f"predicted: {written_label(first.label)} ({first.probability:.0%})"
        if not others:
            return said
        return f"{said}; next: {written_label(others[0].label)} ({others[0].probability:.0%})"

    def __str__(self) -> str:
        return self.to_text()


def in_blocks(headline: str, blocks: Sequence[tuple[str, list[tuple[str, str]]]]) -> str:
    """Blocks with or without a head; what is seen stands below each other in all of them.

    >>> print(in_blocks("predicted: a", [("", [("+1  x", "x = 3"), ("+1  x & y", "")])]))
    predicted: a
    <BLANKLINE>
    +1  x      x = 3
    +1  x & y
    """
    width = max(len(said) for _, lines in blocks for said, _ in lines)
    text = [headline]
    for head, lines in blocks:
        text += ["", *([head] if head else [])]
        text += [f"{said:<{width}}  {seen}".rstrip() for said, seen in lines]
    return "\n".join(text)


def _row(value: float, what: str, text: str, depth: int) -> str:
    return f"{'  ' + '       ' * depth}{value:+.2f}  {what:<7}  {text}"


def _plain(cell: Cell) -> Cell:
    """A cell as JSON knows it: it has no infinities."""
    if isinstance(cell, float) and not math.isfinite(cell):
        return str(cell)
    return cell


def _written(cell: Cell) -> str:
    if cell is None:
        return "is missing"
    return f"is {written_value(cell)}" if isinstance(cell, str) else f"= {cell:.12g}"


@dataclass(frozen=True)
class NumberExplanation:
    """Why a number is predicted for a row.

    It is ``intercept`` anyway, and each of the ``terms`` adds ``scale`` times its value, as
    often as it counts: its amount, in the units of the number. ``predicted`` is what
    :meth:`RuleSet.predict` says, to the last bit. There the values are added before they are
    multiplied, so that intercept and amounts, each rounded by itself, may add up to something
    else in the last digits.

    ``literals`` are all that the rule mentions, each once. ``shared`` are the parts that stand
    inside terms by name only.
    """

    label: Label
    predicted: float
    intercept: float
    scale: float
    terms: tuple[Part, ...]
    counts: tuple[int, ...]
    literals: tuple[Part, ...]
    shared: tuple[tuple[str, Part], ...] = ()

    @property
    def amounts(self) -> tuple[float, ...]:
        """What each term adds to the number."""
        pairs = zip(self.counts, self.terms, strict=True)
        return tuple(count * self.scale * term.value for count, term in pairs)

    @property
    def runner_up(self) -> None:
        """None: of a number there is no next one."""
        return

    def to_dict(self) -> dict[str, Any]:
        """The whole explanation as JSON knows it."""
        return {
            "predicted": self.predicted,
            "runner_up": self.runner_up,
            "number": self.label,
            "intercept": self.intercept,
            "scale": self.scale,
            "terms": [
                {"amount": amount, "count": count, **term.to_dict()}
                for amount, count, term in zip(
                    self.amounts, self.counts, self.terms, strict=True
                )
            ],
            "literals": [literal.to_dict() for literal in self.literals],
            "shared": {name: part.to_dict() for name, part in self.shared},
        }

    def to_text(self) -> str:
        """The number, then what it is anyway and what every term adds to it."""
        headline = f"predicted: {written_label(self.label)} = {six_digits(self.predicted)}"
        shared = [(f"where {name} is", list(part.lines())) for name, part in self.shared]
        return in_blocks(headline, [("", list(self._lines())), *shared])

    def _lines(self) -> Iterator[tuple[str, str]]:
        """Amounts beside the lines of terms; what terms are made of adds nothing by itself."""
        base, *amounts = aligned([self.intercept, *self.amounts], self.scale)
        yield f"  {base}{'':18}anyway", ""
        for amount, term in zip(amounts, self.terms, strict=True):
            for line, (said, seen) in enumerate(term.lines()):
                yield f"  {amount if line == 0 else ' ' * len(amount)}{said}", seen

    def __str__(self) -> str:
        return self.to_text()
