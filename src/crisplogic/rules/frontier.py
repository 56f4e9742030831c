"""Frontier: the best rules found at each size, and the choice among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import RuleError
from crisplogic.rules.held_out import HeldOut, choose_size
from crisplogic.rules.held_out_errors import FORMATS, NAMES, write_error
from crisplogic.rules.latex import to_latex
from crisplogic.rules.markup import Cell, Table, to_html, to_markdown
from crisplogic.rules.number_format import four_digits
from crisplogic.rules.rule import Predicts
from crisplogic.rules.ruleset import RuleSet

# How many standard errors worse smaller rules may be and still be chosen. The usual rule is
# one; on small tables it chose rules that were too small (docs/snapping.md).
TOLERANCE = 0.25
# The name of a robust loss begins so.
ROBUST = "Huber loss"


@dataclass(frozen=True)
class Point:
    """Rules of one size and how good they are.

    ``error`` is the share of wrong predictions on the training rows, ``held_out_error`` the one
    on held-out rows. ``held_out_loss`` is the Brier score on held-out rows, by which a size is
    chosen: it tells sizes apart more surely. ``standard_error`` is that of the difference
    between this loss and the least of all sizes, row by row. The last three are NaN if no rows
    were held out. A row of weight 2 is two rows.

    For rules that predict a number, both errors are root mean squared errors in the units of
    the number, and the loss is the mean squared error. A robust loss is that loss instead, and
    errors then leave out rows whose number is far from all others.
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
    """How figures are printed: their headings, an error and a loss as text, the baseline."""

    error: str
    loss: str
    format_error: Callable[[float], str]
    format_loss: Callable[[float], str]
    baseline: str


_STYLES: dict[Predicts, _Style] = {
    "class": _Style(
        NAMES["class"],
        "Brier score",
        FORMATS["class"],
        "{:.4f}".format,
        "always the most frequent class",
    ),
    "number": _Style(
        NAMES["number"],
        "mean squared error",
        FORMATS["number"],
        four_digits,
        "always the mean",
    ),
}


@dataclass(frozen=True)
class Frontier:
    """Points by size, the smallest first; larger ones fit the training rows better.

    ``baseline`` is the training error of a prediction that is the same for every row.
    ``held_out`` is what is known of held-out rows beyond the figures of the points; files keep
    no more of it than ``bounds``, what :meth:`error_bounds` returns. ``loss``
    names the held-out loss, if it is not the usual one. ``network_error`` is the error of the
    networks on held-out rows. ``other_rules_error`` is that of rules of the other literals,
    graded if these are crisp, corrected as :meth:`expected_error` is. NaN if not known.
    ``rows`` are how many rows the rules were learned from, ``learner`` says by what, and
    ``expected`` is the expected error of the rules that it chose.

    It behaves like the tuple ``points``: ``for``, ``len`` and ``frontier[i]`` work.
    """

    points: tuple[Point, ...]
    baseline: float = np.nan
    held_out: HeldOut | None = field(default=None, compare=False, repr=False)
    loss: str | None = None
    network_error: float = np.nan
    other_rules_error: float = np.nan
    bounds: tuple[tuple[float, ...], ...] = field(default=(), compare=False, repr=False)
    rows: int | None = field(default=None, compare=False, repr=False)
    learner: str | None = field(default=None, compare=False, repr=False)
    expected: float = field(default=np.nan, compare=False, repr=False)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, position: int) -> Point:
        return self.points[position]

    @property
    def is_robust(self) -> bool:
        """Whether errors leave out rows whose number is far from all others."""
        return self.loss is not None and self.loss.startswith(ROBUST)

    @property
    def predicts(self) -> Predicts:
        """Whether the rules predict a "class" or a "number"."""
        return self.points[0].rules.predicts if self.points else "class"

    def choose(self, max_literals: int | None = None, tolerance: float = TOLERANCE) -> Point:
        """The smallest point whose held-out loss is close to the least.

        Close means within ``tolerance`` standard errors of the difference. An even smaller one
        is chosen if it errs no more often and its loss is within one standard error. Only
        points of at most ``max_literals`` are considered, and compared with each other. Without
        held-out rows the largest is chosen.
        """
        points = self._within(max_literals)
        if np.isnan(points[-1].held_out_loss):
            return points[-1]
        if self.held_out is not None:
            return points[self.held_out.choose(len(points), tolerance)]
        losses = np.array([point.held_out_loss for point in points])
        errors = np.array([point.held_out_error for point in points])
        standard_errors = np.array([point.standard_error for point in points])
        return points[choose_size(losses, errors, standard_errors, tolerance)]

    def expected_error(
        self, max_literals: int | None = None, tolerance: float = TOLERANCE
    ) -> float:
        """The error to expect of the rules that :meth:`choose` chooses, on new rows.

        It is their held-out error, corrected for the luck that helped them to be chosen. NaN if
        it is not known.
        """
        chosen = self.choose(max_literals, tolerance)
        if self.held_out is None:
            return np.nan
        optimism = self.held_out.optimism(len(self._within(max_literals)), tolerance)
        if self.predicts == "class":
            return float(min(chosen.held_out_error + optimism, 1.0))
        return float(np.hypot(chosen.held_out_error, self.held_out.unit * np.sqrt(optimism)))

    def error_bounds(self) -> NDArray[np.float64] | None:
        """Each held-out error less and plus its standard error; None if that is not known.

        Shape: (2, sizes).
        """
        if self.held_out is None:
            return np.array(self.bounds) if self.bounds else None
        bounds = self.held_out.error_bounds()
        return bounds if self.predicts == "class" else self.held_out.unit * np.sqrt(bounds)

    def map_rules(self, change: Callable[[RuleSet], RuleSet]) -> Frontier:
        """The frontier with every rule set changed, in a way that changes no score."""
        return replace(self, points=tuple(replace(p, rules=change(p.rules)) for p in self))

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

        A size is chosen by its loss on held-out rows. What follows the sign ± is the standard
        error of the difference to the least loss.

        >>> from crisplogic.expr import parse
        >>> from crisplogic.rules import Ramp, RegressionRules, Rule
        >>> price = Rule("price", parse("0"))
        >>> rules = RegressionRules(("rooms",), (Ramp(0, 5.0, 8.0),), (price,))
        >>> point = Point(rules, 4.5, 5.25, 27.5, 0.5)
        >>> print(Frontier((point,), baseline=9.5).to_text(mark=1))
                       root mean squared error  mean squared error
        literals  training rows  held-out rows  held-out rows
               1          4.500          5.250  27.50 ± 0.5000      <- chosen
        always the mean: 9.500
        """
        style = _STYLES[self.predicts]
        cells = [self._cells(point, style) for point in self.points]
        width = max((len(loss) for *_, loss in cells), default=0)
        title = style.loss if self.loss is None else self.loss
        width = max(width, len(title))
        lines = [
            f"{'':8}  {style.error:>28}  {title}",
            f"{'literals':8}  {'training rows':>13}  {'held-out rows':>13}  held-out rows",
        ]
        for point, (training, held_out, loss) in zip(self.points, cells, strict=True):
            chosen = "  <- chosen" if point.size == mark else ""
            line = f"{point.size:>8}  {training:>13}  {held_out:>13}  {loss:<{width}}{chosen}"
            lines.append(line.rstrip())
        return "\n".join([*lines, *self._remarks(style)])

    def to_markdown(self, mark: int | None = None) -> str:
        """The same as a table in Markdown."""
        return to_markdown([self._table(mark)])

    def _repr_html_(self) -> str:
        """The same as a table that notebooks show."""
        return to_html([self._table(None)])

    def _repr_latex_(self) -> str:
        """The same in LaTeX, for notebooks that become papers."""
        return to_latex([self._table(None)])

    def _table(self, mark: int | None) -> Table:
        style = _STYLES[self.predicts]
        figures = [f"{style.error}, {rows} rows" for rows in ("training", "held-out")]
        rows = [
            [
                Cell(str(point.size), number=True),
                *(Cell(text, number=True) for text in self._cells(point, style)),
                Cell("chosen" if point.size == mark else ""),
            ]
            for point in self.points
        ]
        title = "; ".join(self._remarks(style))
        return Table(title, ["literals", *figures, f"{style.loss}, held-out rows", ""], rows)

    def _remarks(self, style: _Style) -> list[str]:
        """What else there is to predict with, and the error of that."""
        remarks = []
        if np.isfinite(self.baseline):
            remarks.append(f"{style.baseline}: {style.format_error(self.baseline)}")
        if np.isfinite([self.network_error, self.other_rules_error]).any():
            crisp = bool(self.points) and self.points[0].rules.crisp
            network = write_error(self.network_error, self.predicts)
            other = write_error(self.other_rules_error, self.predicts)
            remarks.append(
                f"on held-out rows: network {network}, "
                f"{'graded' if crisp else 'crisp'} rules {other}"
            )
        return remarks

    @staticmethod
    def _cells(point: Point, style: _Style) -> tuple[str, str, str]:
        """The errors and the loss of a point, as text."""
        training = style.format_error(point.error)
        if not np.isfinite(point.held_out_error):
            return training, "-", "-"
        loss = style.format_loss(point.held_out_loss)
        if np.isfinite(point.standard_error):
            loss = f"{loss} ± {style.format_loss(point.standard_error)}"
        return training, style.format_error(point.held_out_error), loss

    def __str__(self) -> str:
        return self.to_text()
