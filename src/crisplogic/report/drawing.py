"""Small pictures: where things stand in an SVG, as plain numbers. Templates draw them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from crisplogic.report.columns import ColumnSummary
from crisplogic.report.summary import Summary
from crisplogic.rules.analysis.histograms import place_of_cut
from crisplogic.rules.analysis.quality import STANDARD_ERRORS, Group

# Sizes in units of an SVG, which the page scales.
HIST_WIDTH, HIST_HEIGHT = 240.0, 56.0
# Texts of thresholds stand on so many levels; near the edges they stand beside their lines.
LEVELS, LEVEL_HEIGHT, EDGE = 4, 12, 30.0
CHARACTER = 6.6  # its width, of digits of 11 pixels
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
    """A threshold in a histogram. Its text stands on a ``level``, or not at all if it is None.

    The lowest level is 0.
    """

    x: float
    text: str
    level: int | None

    @property
    def anchor(self) -> str:
        """On which side of the line the text stands."""
        return "start" if self.x < EDGE else "end" if self.x > HIST_WIDTH - EDGE else "middle"


@dataclass(frozen=True)
class Lines:
    """The thresholds of a column in rules of some ``sizes``, whose places a text names."""

    sizes: str
    lines: tuple[Line, ...]


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


def histogram(column: ColumnSummary) -> tuple[tuple[Rect, ...], tuple[Lines, ...]]:
    """The bars of a column of numbers, and its thresholds in rules of every size."""
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
    found: dict[tuple[tuple[float, str], ...], list[int]] = {}
    for size in column.sizes:
        shown = []
        for cut in column.cuts:
            if size in cut.sizes:
                at = place_of_cut(cut, column.bars, column.low)
                x = HIST_WIDTH * min(max((at - low) / (high - low), 0.0), 1.0)
                shown.append((round(x, 2), cut.text))
        found.setdefault(tuple(shown), []).append(size)
    groups = (Lines(" ".join(map(str, at)), place_texts(each)) for each, at in found.items())
    return bars, tuple(groups)


def levels_of(groups: Sequence[Lines]) -> int:
    """On how many levels the texts of thresholds stand."""
    levels = (line.level for group in groups for line in group.lines if line.level is not None)
    return 1 + max(levels, default=0)


def place_texts(cuts: Sequence[tuple[float, str]]) -> tuple[Line, ...]:
    """Thresholds with their texts, each on the lowest level where it covers no other.

    >>> [line.level for line in place_texts([(100, "1.25"), (110, "1.5"), (200, "3")])]
    [0, 1, 0]
    """
    ends: list[float] = []  # where the last text of every level ends
    lines = []
    for x, text in sorted(cuts):
        line, width = Line(x, text, None), CHARACTER * len(text)
        start = x - {"start": 0, "middle": width / 2, "end": width}[line.anchor]
        free = (at for at, end in enumerate(ends) if end < start)
        level = next(free, len(ends) if len(ends) < LEVELS else None)
        if level is not None:
            ends[level : level + 1] = [start + width + CHARACTER / 2]
        lines.append(replace(line, level=level))
    return tuple(lines)


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
                f"{size.literals} comparisons: {write[at]}",
                at,
            )
        )
    style = "{:,.6g}" if summary.predicts == "number" else "{:.0%}" if top > 0.1 else "{:.1%}"
    return Plot(
        tuple(dots),
        tuple((x(mark), f"{mark:.6g}") for mark in _marks(0, most, whole=True)),
        tuple((y(mark), style.format(mark)) for mark in _marks(0, top)),
    )


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
        return f"{number:.0%}" if is_share else f"{number:,.6g}"

    def dot(group: Group) -> Dot:
        low, high = _interval(group) if is_share else (group.true, group.true)
        return Dot(
            x(group.predicted),
            y(group.true),
            y(low),
            y(high),
            f"predicted {text(group.predicted)}, true {text(group.true)}, {group.rows:g} rows",
            radius=round(3 + 6 * math.sqrt(group.rows / most), 2),
        )

    dots = tuple(map(dot, groups))
    marks = [0.0, 0.25, 0.5, 0.75, 1.0] if is_share else _marks(low, high)
    return Plot(
        dots,
        tuple((x(mark), text(mark)) for mark in marks),
        tuple((y(mark), text(mark)) for mark in marks),
    )


def _interval(group: Group) -> tuple[float, float]:
    """What share may be true of many rows like these: Wilson's interval of 95 %."""
    z, share, rows = STANDARD_ERRORS, group.true, group.rows
    middle = share + z**2 / (2 * rows)
    margin = z * math.sqrt(share * (1 - share) / rows + (z / (2 * rows)) ** 2)
    return (middle - margin) / (1 + z**2 / rows), (middle + margin) / (1 + z**2 / rows)


def _marks(low: float, high: float, whole: bool = False) -> list[float]:
    """At most seven round numbers from ``low`` to ``high``.

    >>> _marks(0, 0.37), _marks(-4, 17, whole=True), _marks(0, 1, whole=True)
    ([0.0, 0.1, 0.2, 0.3], [0.0, 5.0, 10.0, 15.0], [0.0, 1.0])
    """
    rough = (high - low) / 6
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= rough)
    if whole:
        step = max(step, 1.0)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [float(f"{at * step:.12g}") for at in range(first, last + 1)]
