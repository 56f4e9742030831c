"""Frontier: the best rules found at each size, and the choice among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from crisplogic.errors import RuleError
from crisplogic.rules.number_format import four_digits
from crisplogic.rules.rule import Predicts
from crisplogic.rules.ruleset import RuleSet

# How many standard errors smaller rules may be worse by, and still be chosen. A whole one is
# the usual rule; on small tables it let too much go (docs/snapping.md).
TOLERANCE = 0.5


@dataclass(frozen=True)
class Point:
    """Rules of one size and what is known of them.

    ``error`` is the share of wrong predictions on the training rows. What rules of this size
    are worth on rows they were not learned from: ``held_out_error``, and ``held_out_loss``,
    the mean squared distance between their probabilities and the truth (the Brier score),
    which tells sizes apart more surely.
    ``standard_error`` is that of the difference between this loss and the least of all
    sizes, row by row. All three are NaN where no rows were held out. Where rows have weights,
    a row of weight 2 is two rows in all of these.

    Of rules that predict a number, both errors are root mean squared errors, in the units of
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
    """How errors are printed: below which heading, how wide, and as what."""

    heading: str
    width: int
    written: Callable[[float], str]


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

    Iterating over it, its length and ``frontier[i]`` are those of ``points``.
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
        """What the rules predict, a class or a number."""
        return self.points[0].rules.predicts if self.points else "class"

    def chosen(self, max_literals: int | None = None, tolerance: float = TOLERANCE) -> Point:
        """The smallest point whose held-out loss is hardly worse than the least.

        That is, by at most ``tolerance`` standard errors of the difference. Only points of at
        most ``max_literals`` are considered. Without held-out rows it is the largest of them.
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

    def with_rules(self, change: Callable[[RuleSet], RuleSet]) -> Frontier:
        """The same with every rule set changed, in a way that changes no score."""
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
        heading, width, written = _STYLES[self.predicts]
        lines = [heading]
        for point in self.points:
            known = np.isfinite(point.held_out_error)
            held_out = written(point.held_out_error) if known else "-"
            chosen = "  <- chosen" if point.size == mark else ""
            training = written(point.error)
            lines.append(f"{point.size:>8}  {training:>{width}}  {held_out:>{width}}{chosen}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()
