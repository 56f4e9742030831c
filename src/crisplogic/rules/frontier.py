"""Frontier: the best rules found at each size, and the choice among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from crisplogic.errors import RuleError
from crisplogic.rules.markup import Cell, Table, to_html, to_markdown
from crisplogic.rules.number_format import four_digits
from crisplogic.rules.rule import Predicts
from crisplogic.rules.ruleset import RuleSet

# How many standard errors worse smaller rules may be and still be chosen. The usual rule is
# one; on small tables it chose rules that were too small (docs/snapping.md).
TOLERANCE = 0.5


@dataclass(frozen=True)
class Point:
    """Rules of one size and how good they are.

    ``error`` is the share of wrong predictions on the training rows, ``held_out_error`` the one
    on held-out rows. ``held_out_loss`` is the Brier score on held-out rows, which tells sizes
    apart more surely. ``standard_error`` is that of the difference between this loss and the
    least of all sizes, row by row. The last three are NaN if no rows were held out. A row of
    weight 2 is two rows.

    For rules that predict a number, both errors are root mean squared errors in the units of
    the number, and the loss is the mean squared error.
    """

    rules: RuleSet
    error: float
    held_out_error: float = np.nan
    held_out_loss: float = np.nan
    standard_error: float = np.nan

    @property
    def size(self) -> int:
        """Literals in all rules together."""
        return self.rules.size


class _Style(NamedTuple):
    """How errors are printed: the heading, the width of a column, and a number as text."""

    heading: str
    width: int
    format: Callable[[float], str]


_STYLES: dict[Predicts, _Style] = {
    "class": _Style(
        "literals  error, training rows  error, held-out rows", 20, "{:.1%}".format
    ),
    "number": _Style(
        "          root mean squared error\nliterals  training rows  held-out rows",
        13,
        four_digits,
    ),
}


@dataclass(frozen=True)
class Frontier:
    """Points by size, the smallest first; larger ones fit the training rows better.

    It behaves like the tuple ``points``: ``for``, ``len`` and ``frontier[i]`` work.
    """

    points: tuple[Point, ...]

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, position: int) -> Point:
        return self.points[position]

    @property
    def predicts(self) -> Predicts:
        """Whether the rules predict a "class" or a "number"."""
        return self.points[0].rules.predicts if self.points else "class"

    def choose(self, max_literals: int | None = None, tolerance: float = TOLERANCE) -> Point:
        """The smallest point whose held-out loss is close to the least.

        Close means within ``tolerance`` standard errors of the difference. Only points of at
        most ``max_literals`` are considered. Without held-out rows the largest is chosen.
        """
        points = self._within(max_literals)
        if np.isnan(points[-1].held_out_loss):
            return points[-1]
        least = min(point.held_out_loss for point in points)
        return next(
            point
            for point in points
            if point.held_out_loss - least <= tolerance * point.standard_error
        )

    def map_rules(self, change: Callable[[RuleSet], RuleSet]) -> Frontier:
        """The frontier with every rule set changed, in a way that changes no score."""
        return Frontier(tuple(replace(p, rules=change(p.rules)) for p in self.points))

    def at(self, size: int) -> Point:
        """The best rules of at most ``size`` literals."""
        return self._within(size)[-1]

    def _within(self, size: int | None) -> tuple[Point, ...]:
        points = tuple(p for p in self.points if size is None or p.size <= size)
        if not points:
            raise RuleError(
                f"no rules of at most {size} literals were found; "
                f"the smallest have {self.points[0].size}"
            )
        return points

    def to_text(self, mark: int | None = None) -> str:
        """A table, one line a size; the size ``mark`` is marked.

        >>> from crisplogic.expr import parse
        >>> from crisplogic.rules import Ramp, RegressionRules, Rule
        >>> price = Rule("price", parse("0"))
        >>> rules = RegressionRules(("rooms",), (Ramp(0, 5.0, 8.0),), (price,))
        >>> print(Frontier((Point(rules, 4.5, 5.25, 27.5),)).to_text(mark=1))
                  root mean squared error
        literals  training rows  held-out rows
               1          4.500          5.250  <- chosen
        """
        heading, width, format_error = _STYLES[self.predicts]
        lines = [heading]
        for point in self.points:
            known = np.isfinite(point.held_out_error)
            held_out = format_error(point.held_out_error) if known else "-"
            chosen = "  <- chosen" if point.size == mark else ""
            training = format_error(point.error)
            lines.append(f"{point.size:>8}  {training:>{width}}  {held_out:>{width}}{chosen}")
        return "\n".join(lines)

    def to_markdown(self, mark: int | None = None) -> str:
        """The same as a table in Markdown."""
        return to_markdown([self._table(mark)])

    def _repr_html_(self) -> str:
        """The same as a table that notebooks show."""
        return to_html([self._table(None)])

    def _table(self, mark: int | None) -> Table:
        """The figures of :meth:`to_text` as cells."""
        header = ["literals", "error, training rows", "error, held-out rows", ""]
        rows = [
            [
                Cell(str(point.size), number=True),
                *(Cell(self._figure(error), number=True) for error in errors),
                Cell("chosen" if point.size == mark else ""),
            ]
            for point in self.points
            for errors in [(point.error, point.held_out_error)]
        ]
        return Table("", header, rows)

    def _figure(self, error: float) -> str:
        return _STYLES[self.predicts].format(error) if np.isfinite(error) else "-"

    def __str__(self) -> str:
        return self.to_text()
