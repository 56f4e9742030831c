"""Small pictures: where things stand in an SVG, as plain numbers. Templates draw them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from crisplogic.report.columns import ColumnSummary
from crisplogic.report.summary import Summary
from crisplogic.rules.analysis.histograms import place_of_cut
from crisplogic.rules.analysis.quality import Group

# Sizes in units of an SVG, which the page scales.
HIST_WIDTH, HIST_HEIGHT = 240.0, 56.0
PLOT_WIDTH, PLOT_HEIGHT, MARGIN = 360.0, 200.0, 44.0


@dataclass(frozen=True)
class Rect:
    """A bar, and what it stands for."""

    x: float
    y: float
    width: float
    height: float
    text: str


@dataclass(frozen=True)
class Line:
    """A threshold in a histogram."""

    x: float
    text: str
    sizes: str


@dataclass(frozen=True)
class Dot:
    """A point of a plot with an interval, which may be empty; ``at`` is its number."""

    x: float
    y: float
    low: float
    high: float
    text: str
    at: int = 0
    radius: float = 4.0


@dataclass(frozen=True)
class Plot:
    """Points, and the marks of both axes: a place and a text."""

    dots: tuple[Dot, ...]
    x_marks: tuple[tuple[float, str], ...]
    y_marks: tuple[tuple[float, str], ...]
    baseline: float = math.nan


def histogram(column: ColumnSummary) -> tuple[tuple[Rect, ...], tuple[Line, ...]]:
    """The bars and thresholds of a column of numbers."""
    most = max((bar.rows for bar in column.bars), default=0) or 1
    width = HIST_WIDTH / max(len(column.bars), 1)
    bars = tuple(
        Rect(
            round(at * width, 2),
            round(HIST_HEIGHT * (1 - bar.rows / most), 2),
            round(width - 1, 2),
            round(HIST_HEIGHT * bar.rows / most, 2),
            f"{bar.text}: {bar.rows} rows",
        )
        for at, bar in enumerate(column.bars)
    )
    if not bars:
        return (), ()
    low, high = column.bars[0].low, column.bars[-1].high
    lines = []
    for cut in column.cuts:
        at = place_of_cut(cut, column.bars, column.low)
        x = HIST_WIDTH * min(max((at - low) / (high - low), 0.0), 1.0)
        lines.append(Line(round(x, 2), cut.text, " ".join(map(str, cut.sizes))))
    return bars, tuple(lines)


def shares(column: ColumnSummary) -> tuple[tuple[str, int, float], ...]:
    """The values of a category, their rows, and the length of their bars."""
    most = max((bar.rows for bar in column.bars), default=0) or 1
    return tuple((bar.text, bar.rows, round(100 * bar.rows / most, 1)) for bar in column.bars)


def plot_frontier(summary: Summary, write: Sequence[str]) -> Plot | None:
    """Held-out errors, or those of the training rows, against sizes.

    ``write`` are the errors as text. None where fewer than two errors are known.
    """
    held_out = [size.quality.held_out for size in summary.sizes]
    known = sum(math.isfinite(each.error) for each in held_out) > 1
    errors = [
        each.error if known else size.training_error
        for each, size in zip(held_out, summary.sizes, strict=True)
    ]
    finite = [
        number
        for each, error in zip(held_out, errors, strict=True)
        for number in ((error, each.low, each.high) if known else (error,))
        if math.isfinite(number)
    ]
    if sum(map(math.isfinite, errors)) < 2:
        return None
    top = max(finite) * 1.05 or 1.0
    most = max(size.literals for size in summary.sizes) or 1

    def x(literals: float) -> float:
        return round(MARGIN + (PLOT_WIDTH - MARGIN - 12) * literals / most, 2)

    def y(error: float) -> float:
        return round(8 + (PLOT_HEIGHT - 40) * (1 - error / top), 2)

    dots = []
    for at, (size, each, error) in enumerate(zip(summary.sizes, held_out, errors, strict=True)):
        if not math.isfinite(error):
            continue
        low, high = (each.low, each.high) if known else (math.nan, math.nan)
        low, high = (y(low), y(high)) if math.isfinite(low + high) else (y(error), y(error))
        dots.append(
            Dot(
                x(size.literals),
                y(error),
                low,
                high,
                f"{size.literals} literals: {write[at]}",
                at,
            )
        )
    style = "{:.4g}" if summary.predicts == "number" else "{:.0%}" if top > 0.1 else "{:.1%}"
    return Plot(tuple(dots), _marks(most, x, whole=True), _marks(top, y, style))


def plot_calibration(groups: Sequence[Group], is_share: bool) -> Plot | None:
    """What is true against what is predicted; on the diagonal both are the same."""
    numbers = [number for each in groups for number in (each.predicted, each.true)]
    if len(groups) < 2 or not all(map(math.isfinite, numbers)):
        return None
    low, high = (0.0, 1.0) if is_share else (min(numbers), max(numbers))
    span = high - low
    if not 0 < span < math.inf:
        return None
    most = max(each.rows for each in groups)

    def x(number: float) -> float:
        return round(MARGIN + (PLOT_WIDTH - MARGIN - 12) * (number - low) / span, 2)

    def y(number: float) -> float:
        return round(8 + (PLOT_HEIGHT - 40) * (1 - (number - low) / span), 2)

    def text(number: float) -> str:
        return f"{number:.0%}" if is_share else f"{number:.4g}"

    dots = tuple(
        Dot(
            x(each.predicted),
            y(each.true),
            y(each.true),
            y(each.true),
            f"predicted {text(each.predicted)}, true {text(each.true)}, {each.rows:g} rows",
            radius=round(3 + 6 * math.sqrt(each.rows / most), 2),
        )
        for each in groups
    )
    marks = [low + span * part / 4 for part in range(5)]
    return Plot(
        dots,
        tuple((x(mark), text(mark)) for mark in marks),
        tuple((y(mark), text(mark)) for mark in marks),
    )


def _marks(
    top: float, place: Callable[[float], float], style: str = "{:.4g}", whole: bool = False
) -> tuple[tuple[float, str], ...]:
    """At most seven round numbers from 0 up to a number."""
    step = 10.0 ** math.floor(math.log10(top)) if top > 0 else 1.0
    while top / step < 3:
        step /= 2
    if whole:
        step = max(1.0, math.ceil(step))
    count = math.floor(top / step)
    skip = max(1, math.ceil(count / 6))
    marks = (at * step for at in range(0, count + 1, skip))
    return tuple((place(mark), style.format(mark)) for mark in marks)
