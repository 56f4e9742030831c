"""Pictures of what grows, on two logarithmic axes. Nothing is measured here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from benchmarks.growth import AXES
from benchmarks.made import COLUMNS
from benchmarks.phases import LEARNERS
from benchmarks.tables import Row
from benchmarks.training import PHASES
from experiments.harness.pages import BLUE, GREY, ORANGE, page_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIRST, SECOND, REFERENCE = BLUE, ORANGE, GREY
AXIS_NAMES = {
    "rows": "rows a batch",
    "columns": "columns",
    "units": "units of the first level",
    "networks": "networks side by side",
}


def growth_pictures(rows: Sequence[Row]) -> dict[str, Figure]:
    """By name: the time of a step, and its memory."""
    return {
        "growth-time": _grid(
            rows, "Time of a training step, one core", "milliseconds", _step_ms
        ),
        "growth-memory": _grid(rows, "Memory of a training step", "MiB", _step_mib),
    }


def copies_pictures(rows: Sequence[Row]) -> dict[str, Figure]:
    """By name: networks side by side and one after the other."""
    figure = page_figure(height=3.6)
    ax = figure.subplots()
    counts = [row["networks"] for row in rows]
    for name, label, colour, marker in (
        ("separate", "one after the other", SECOND, "s"),
        ("together", "side by side", FIRST, "o"),
    ):
        middle = [1000 * row[name]["median"] for row in rows]
        low = [1000 * row[name]["least"] for row in rows]
        high = [1000 * row[name]["greatest"] for row in rows]
        ax.fill_between(counts, low, high, color=colour, alpha=0.2, linewidth=0)
        ax.plot(counts, middle, color=colour, marker=marker, label=label)
    _log_axes(ax, counts)
    ax.set_xlabel("networks")
    ax.set_ylabel("milliseconds an epoch")
    ax.set_title("Training many networks (bands: least to greatest)")
    ax.legend()
    return {"copies": figure}


def phases_pictures(rows: Sequence[Row]) -> dict[str, Figure]:
    """By name: the time of fits over rows, and over columns."""
    figure = page_figure(height=3.6)
    panels = figure.subplots(1, 2, sharey=True)
    most = max(row["columns"] for row in rows if row["columns"] <= COLUMNS)
    by_rows = [row for row in rows if row["columns"] == most]
    for learner, colour, marker in zip(
        LEARNERS, (FIRST, SECOND, REFERENCE), "os^", strict=True
    ):
        own = [row for row in by_rows if row["learner"] == learner]
        if own:
            sizes, seconds = ([row[name] for row in own] for name in ("rows", "seconds"))
            panels[0].plot(sizes, seconds, color=colour, marker=marker, label=learner)
    _log_axes(panels[0], sorted({row["rows"] for row in by_rows}))
    panels[0].set_xlabel("rows")
    panels[0].set_ylabel("seconds")
    panels[0].legend()
    fixed = rows[-1]["rows"]
    wide = [row for row in rows if row["learner"] == "crisp" and row["rows"] == fixed]
    wide.sort(key=lambda row: row["columns"])
    widths, seconds = ([row[name] for row in wide] for name in ("columns", "seconds"))
    panels[1].plot(widths, seconds, color=FIRST, marker="o")
    _log_axes(panels[1], widths)
    panels[1].set_xlabel(f"columns, {fixed:,} rows")
    figure.suptitle("Time of a default fit")
    return {"phases": figure}


def _grid(rows: Sequence[Row], title: str, unit: str, value: Callable[[Row], float]) -> Figure:
    figure = page_figure(height=5.6)
    figure.suptitle(title)
    axes = figure.subplots(2, 2, sharey=True)
    for ax, axis in zip(axes.flat, AXES, strict=True):
        _panel(ax, [row for row in rows if row["axis"] == axis], axis, value)
    for ax in axes[:, 0]:
        ax.set_ylabel(unit)
    figure.axes[0].legend(loc="upper left")
    return figure


def _panel(ax: Axes, rows: Sequence[Row], axis: str, value: Callable[[Row], float]) -> None:
    """One thing that grows; a dotted line leads in proportion to the last point."""
    for phase, colour, marker in zip(PHASES, (FIRST, SECOND), "os", strict=True):
        of_phase = [row for row in rows if row["phase"] == phase]
        sizes = [row[axis] for row in of_phase]
        values = [value(row) for row in of_phase]
        ax.plot(sizes, values, color=colour, marker=marker, markersize=4, label=phase)
        if phase == PHASES[-1]:
            ends = [sizes[-1] / 8, sizes[-1]]
            straight = [values[-1] / 8, values[-1]]
            label = "in proportion"
            ax.plot(ends, straight, color=REFERENCE, linestyle=":", zorder=0, label=label)
            _log_axes(ax, sizes)
    ax.set_xlabel(AXIS_NAMES[axis])


def _log_axes(ax: Axes, ticks: Sequence[int]) -> None:
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.tick_params(axis="x", labelsize="small", which="both")
    ax.xaxis.minorticks_off()
    ax.grid(alpha=0.3)


def _step_ms(row: Row) -> float:
    return float(1000 * row["step"]["median"])


def _step_mib(row: Row) -> float:
    return float(row["bytes"] / 2**20)
