"""Account: which statements of a checklist or score card hold for a row, and what follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from crisplogic.rules.checklist import Checklist, NormalForm, NumberCard, ScoreCard
from crisplogic.rules.describe import TO_BEGIN_WITH, format_points, head_of, percent
from crisplogic.rules.markup import Cell, Table
from crisplogic.rules.number_format import all_digits, six_digits
from crisplogic.rules.words import labels_in_words

# The cells of the row are aligned beside lines that are no longer than this.
MOST_ALIGNED = 100
# Points and amounts have at most so many digits: the last bits of sums are noise.
DIGITS = 12


@dataclass(frozen=True)
class CheckedStatement:
    """A statement in words, and what it is for one row.

    ``holds`` is None where that is unknown. ``points`` are what each class gets, or the amount
    that is added to a number. ``cells`` are the values of the row that it is about. A long
    statement is a ``heading`` and its ``parts``, which give no points.
    """

    text: str
    holds: bool | None
    points: tuple[float, ...]
    cells: str
    heading: str = ""
    parts: tuple[CheckedStatement, ...] = ()

    @property
    def state(self) -> str:
        """A word for it: holds, fails or unknown."""
        return {True: "holds", False: "fails", None: "unknown"}[self.holds]

    def to_dict(self) -> dict[str, Any]:
        """The statement as JSON."""
        return {"text": self.text, "holds": self.holds, "points": list(self.points)}

    def lines(self, depth: int = 0) -> Iterator[tuple[int, CheckedStatement]]:
        """The statement and its parts below it, each with how deep it stands."""
        yield depth, self
        for part in self.parts:
            yield from part.lines(depth + 1)


@dataclass(frozen=True)
class Account:
    """The statements of crisp rules, checked for one row.

    ``outputs`` are the probabilities of the classes, in their order, or the number.
    """

    form: NormalForm
    statements: tuple[CheckedStatement, ...]
    outputs: tuple[float, ...]

    @property
    def totals(self) -> tuple[float, ...]:
        """The count of a checklist, the points of every class, or the sum of a number."""
        match self.form:
            case ScoreCard(bases=bases):
                start = bases
            case NumberCard(base=base):
                start = (base,)
            case _:
                start = (0.0,)
        given = zip(*(each.points for each in self.statements), strict=True)
        sums = [sum(points) for points in given] or [0.0] * len(start)
        return tuple(base + more for base, more in zip(start, sums, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """What is counted, as JSON."""
        counted: dict[str, Any] = {"statements": [each.to_dict() for each in self.statements]}
        if isinstance(self.form, Checklist):
            counted |= {"count": self.totals[0], "needed": self.form.needed}
        elif isinstance(self.form, ScoreCard):
            counted |= {"points": list(self.totals)}
        else:
            counted |= {"base": self.form.base}
        return counted

    def headline(self) -> str:
        """What is predicted, and why."""
        if isinstance(self.form, NumberCard):
            [name] = labels_in_words([self.form.label])
            return f"{name} = {six_digits(self.outputs[0])}{':' if self.statements else ''}"
        if isinstance(self.form, ScoreCard):
            return self._most_points(self.form)
        return self._enough(self.form)

    def _most_points(self, form: ScoreCard) -> str:
        chances = zip(labels_in_words(form.labels), self.totals, self.outputs, strict=True)
        ranked = sorted(chances, key=lambda each: -each[1])
        (best, most, chance), *others = ranked
        text = f"{best} ({percent(chance)})"
        if not others:
            return text
        label, points, probability = others[0]
        also = f"{label} ({percent(probability)}) has {all_digits(points)}"
        noun = "point" if most == 1 else "points"
        tie = ", but stands behind it" if points == most else ""
        return f"{text}, because it has {all_digits(most)} {noun}; {also}{tie}:"

    def _enough(self, form: Checklist) -> str:
        positive, other = labels_in_words([form.positive, form.other])
        [count] = self.totals
        is_positive = count >= form.needed
        chance = form.probability(count)
        label = positive if is_positive else other
        text = f"{label} ({percent(chance if is_positive else 1 - chance)})"
        if not self.statements:
            return f"{text}, always"
        if form.always is not None:
            return f"{text}, always; {self._held(form)}:"
        if len(self.statements) == 1 and form.needed == 1:
            state = self.statements[0].state
            return f"{text}, because this {'is unknown' if state == 'unknown' else state}:"
        needed = f"{form.needed:g}"
        verb = "is" if form.needed == 1 else "are"
        if is_positive:
            return f"{text}, because {self._held(form)} ({needed} {verb} needed):"
        return (
            f"{text}, because only {self._held(form)} ({needed} {verb} needed for {positive}):"
        )

    def _held(self, form: Checklist) -> str:
        """How many statements hold, in words."""
        if form.has_points:
            return f"{self.totals[0]:g} of {form.total} points are given"
        holding = sum(each.holds is True for each in self.statements)
        unknown = sum(each.holds is None for each in self.statements)
        text = f"{holding} of {len(self.statements)} hold{'s' if holding == 1 else ''}"
        if not unknown:
            return text
        half = (
            "is unknown, which counts half"
            if unknown == 1
            else "are unknown, which count half each"
        )
        return f"{text} and {unknown} {half}"

    def table(self) -> Table:
        """A row a statement: points if they differ, whether it holds, and the row's values."""
        heads = self._heads()
        rows = [
            [
                *(_number(each) for each in line.points if heads and not depth),
                *(Cell("") for _ in heads if depth),
                Cell(line.state, shade=_shade(line.holds), indent=depth),
                Cell(line.heading or line.text, indent=depth),
                Cell("" if line.parts else line.cells),
            ]
            for statement in self.statements
            for depth, line in statement.lines()
        ]
        if heads:
            start = self._start()
            if any(start):
                rows.insert(0, self._sum_row(start, TO_BEGIN_WITH))
            rows.append(self._sum_row(self.totals, self._in_all()))
        return Table("", [*heads, "", "statement", "this row"], rows)

    def _heads(self) -> list[str]:
        """The heads of the columns of points, if they say more than whether all hold."""
        if isinstance(self.form, ScoreCard):
            return labels_in_words(self.form.labels)
        if isinstance(self.form, NumberCard):
            return ["amount"]
        return ["points"] if self.form.has_points else []

    def _start(self) -> tuple[float, ...]:
        if isinstance(self.form, ScoreCard):
            return self.form.bases
        return (self.form.base,) if isinstance(self.form, NumberCard) else (0.0,)

    def _in_all(self) -> str:
        if isinstance(self.form, NumberCard) and self.form.transform is not None:
            return f"in all: {head_of(self.form)}"
        return "in all"

    @staticmethod
    def _sum_row(points: tuple[float, ...], text: str) -> list[Cell]:
        return [*map(_number, points), Cell(""), Cell(text), Cell("")]

    def to_text(self) -> str:
        """The headline, and the statements as aligned text."""
        if not self.statements:
            return self.headline()
        table = self.table()
        rows = [["  " * cell.indent + cell.text for cell in row] for row in table.rows]
        if self._heads()[1:]:
            rows.insert(0, [*table.header[:-2], "", ""])
        numbers = len(table.header) - 3
        widths = [
            min(max(len(row[at]) for row in rows), MOST_ALIGNED) for at in range(numbers + 2)
        ]
        lines = []
        for row in rows:
            points = map(str.rjust, row[:numbers], widths)
            words = map(str.ljust, row[numbers:-1], widths[numbers:])
            lines.append("  ".join(["", *points, *words, row[-1]]).rstrip())
        return "\n".join([self.headline(), *lines])


def _number(points: float) -> Cell:
    return Cell(format_points(float(f"{points:.{DIGITS}g}")), number=True)


def _shade(holds: bool | None) -> float:
    return 0.0 if holds is None else 0.5 if holds else -0.5
