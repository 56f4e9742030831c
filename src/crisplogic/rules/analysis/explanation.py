"""Explanation: why one row is predicted as it is, as data and as text."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from crisplogic.algebra import FALSE, TRUE
from crisplogic.expr.notation import PAPER, written_name, written_value
from crisplogic.rules.analysis.account import Account
from crisplogic.rules.analysis.counterfactual import Counterfactual
from crisplogic.rules.formatting import written_label
from crisplogic.rules.latex import to_latex
from crisplogic.rules.markup import Cell as TableCell
from crisplogic.rules.markup import Table, to_html, to_markdown
from crisplogic.rules.number_format import aligned, six_digits
from crisplogic.rules.rule import Label

Cell = float | str | None
# The cells of the row are aligned beside lines that are no longer than this.
MOST_ALIGNED = 200

# So many places of a degree count: at its ends a ramp may miss 1 by a rounding error.
PLACES = 9
# What the intercept is called: it counts whatever the row is.
ANYWAY = "anyway"


class Line(NamedTuple):
    """A line of an explanation: a statement, its value, and what the row has beside it.

    The parts of a statement are ``depth`` levels below it. ``amount`` is what a term adds to a
    number, as aligned text; blank for its parts.
    """

    text: str
    value: float | None
    state: str = ""
    cell: str = ""
    depth: int = 0
    amount: str = ""

    def __str__(self) -> str:
        amount = f"  {self.amount}" if self.amount else ""
        if self.value is None:
            return f"{amount}{'':18}{self.text}"
        inset = "  " + "       " * self.depth
        return f"{amount}{inset}{self.value:+.2f}  {self.state:<7}  {self.text}"


@dataclass(frozen=True)
class Part:
    """A literal or an operation in a rule, as it is written, and its value for the row.

    A literal has a ``column`` and the ``cell`` there, which is None if the value is missing.
    ``new`` marks a value of a category that was not in the training rows. An operation has
    ``parts``. A shared part that stands deep inside has only its name here; see
    :class:`Explanation`. ``unknown`` marks a value of 0 that comes from a missing or new cell.

    >>> Part("age>40", 1.0).state, Part("age>40", 0.02).state
    ('true', None)
    """

    text: str
    value: float
    column: str | None = None
    cell: Cell = None
    parts: tuple[Part, ...] = ()
    new: bool = False
    unknown: bool = False

    @property
    def state(self) -> str | None:
        """A word for a value that is quite true, quite false or unknown; None for a degree."""
        if self.unknown:
            return "unknown"
        return {TRUE: "true", FALSE: "false"}.get(round(self.value, PLACES))

    def to_dict(self) -> dict[str, Any]:
        """The part as JSON."""
        entry: dict[str, Any] = {
            "text": self.text,
            "value": self.value,
            "state": self.state,
        }
        if self.column is not None:
            entry |= {"column": self.column, "cell": _json_cell(self.cell)}
            entry |= {"new": True} if self.new else {}
        if self.parts:
            entry["parts"] = [part.to_dict() for part in self.parts]
        return entry

    def lines(self, depth: int = 0) -> Iterator[Line]:
        """A line for the part, and then lines for its parts."""
        yield Line(self.text, self.value, self.state or "", self._cell_text(), depth)
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
    inside terms by name only. Of crisp rules there is an ``account`` of the statements that
    hold, which is also what is printed. The ``counterfactual`` is the smallest change that
    changes the prediction, if it was asked for.
    """

    literals: tuple[Part, ...]
    shared: tuple[tuple[str, Part], ...]
    account: Account | None = field(default=None, kw_only=True)
    counterfactual: Counterfactual | None = field(default=None, kw_only=True)

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
            **({} if self.account is None else self.account.to_dict()),
            "literals": [literal.to_dict() for literal in self.literals],
            "shared": {name: part.to_dict() for name, part in self.shared},
            **(
                {}
                if self.counterfactual is None
                else {"counterfactual": self.counterfactual.to_dict()}
            ),
        }

    def to_text(self) -> str:
        """The prediction, then the terms. The cells of the row are aligned in all blocks.

        The last line is the smallest change, if it was asked for.
        """
        text = self._to_text() if self.account is None else self.account.to_text()
        return text if self.counterfactual is None else f"{text}\n\n{self.counterfactual}"

    def _to_text(self) -> str:
        shared = [(f"where {name} is", list(part.lines())) for name, part in self.shared]
        blocks = [*self._blocks(), *shared]
        longest = max(len(str(line)) for _, lines in blocks for line in lines)
        width = min(longest, MOST_ALIGNED)
        text = [self._headline()]
        for heading, lines in blocks:
            text += ["", *([heading] if heading else [])]
            text += [f"{line!s:<{width}}  {line.cell}".rstrip() for line in lines]
        return "\n".join(text)

    def to_markdown(self) -> str:
        """The same as tables in Markdown."""
        text = to_markdown(self._tables(), self._title())
        if self.counterfactual is None:
            return text
        return f"{text}\n\n{to_markdown([], self.counterfactual.to_text())}"

    def _repr_html_(self) -> str:
        """The same as tables that notebooks show, with a picture of the smallest change."""
        text = to_html(self._tables(), self._title())
        if self.counterfactual is None:
            return text
        sentence = to_html([], self.counterfactual.to_text())
        return f"{text}{sentence}{self.counterfactual.to_svg()}"

    def _repr_latex_(self) -> str:
        """The same in LaTeX, for notebooks that become papers."""
        change = [] if self.counterfactual is None else [self.counterfactual.to_text()]
        return to_latex(self._tables(), self._title(), change)

    def _title(self) -> str:
        return self._headline() if self.account is None else self.account.headline()

    def _tables(self) -> list[Table]:
        if self.account is not None:
            return [self.account.table()] if self.account.statements else []
        shared = [(f"where {name} is", list(part.lines())) for name, part in self.shared]
        return [_table(heading, lines) for heading, lines in [*self._blocks(), *shared]]

    def __str__(self) -> str:
        return self.to_text()


@dataclass(frozen=True)
class Verdict:
    """What the rule of one class says: its terms and its intercept add up to its score.

    Each term is added as often as it counts.
    """

    label: Label
    score: float
    probability: float
    intercept: float
    terms: tuple[Part, ...]
    counts: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """The verdict as JSON."""
        terms = zip(self.counts, self.terms, strict=True)
        return {
            "class": self.label,
            "score": self.score,
            "probability": self.probability,
            "intercept": self.intercept,
            "terms": [{"count": count, **term.to_dict()} for count, term in terms],
        }

    def lines(self) -> Iterator[Line]:
        """The terms, each with its parts, and the intercept."""
        for count, term in zip(self.counts, self.terms, strict=True):
            first, *parts = term.lines()
            text = first.text if count == 1 else f"{count} {PAPER.times} ({first.text})"
            yield from (first._replace(text=text), *parts)
        if self.intercept or not self.terms:
            yield Line(ANYWAY, self.intercept)

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

    Where rules add up the logarithm of a number, ``head`` is its name and ``score`` its value.
    """

    label: Label
    predicted: float
    intercept: float
    scale: float
    terms: tuple[Part, ...]
    counts: tuple[int, ...]
    head: str | None = None
    score: float = math.nan

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
            **({} if self.head is None else {"head": self.head, "score": self.score}),
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
        title = "" if self.head is None else f"{self.head} = {six_digits(self.score)}"
        return [(title, list(self._lines()))]

    def _lines(self) -> Iterator[Line]:
        """Amounts beside the lines of terms; the parts of a term have no amount."""
        base, *amounts = aligned([self.intercept, *self.amounts], self.scale)
        yield Line(ANYWAY, None, amount=base)
        for amount, term in zip(amounts, self.terms, strict=True):
            first, *parts = term.lines()
            yield first._replace(amount=amount)
            yield from (line._replace(amount=" " * len(amount)) for line in parts)


def _table(title: str, lines: list[Line]) -> Table:
    """Lines as a table; only the terms of a number have amounts."""
    with_amounts = any(line.amount for line in lines)
    header = [*(["amount"] if with_amounts else []), "degree", "", "statement", "this row"]
    rows = []
    for line in lines:
        degree = "" if line.value is None else f"{line.value:+.2f}"
        shade = max(-1.0, min(1.0, line.value or 0.0))
        anyway = line.text == ANYWAY
        rows.append(
            [
                *([TableCell(line.amount.strip(), number=True)] if with_amounts else []),
                TableCell(degree, number=True, shade=0.0 if anyway else shade),
                TableCell(line.state),
                TableCell(line.text, code=not anyway, indent=line.depth),
                TableCell(line.cell),
            ]
        )
    return Table(title, header, rows)


def _json_cell(cell: Cell) -> Cell:
    """A cell as JSON, which has no infinities."""
    if isinstance(cell, float) and not math.isfinite(cell):
        return str(cell)
    return cell


def _format_cell(cell: Cell) -> str:
    if cell is None:
        return "is missing"
    return f"is {written_value(cell)}" if isinstance(cell, str) else f"= {cell:.12g}"
