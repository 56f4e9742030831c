"""Figures: where they come from, which formats of files there are, how they are written."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crisplogic.errors import CrisplogicError
from crisplogic.files import atomic_binary_writer

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")


class PlotError(CrisplogicError, ValueError):
    """A figure that cannot be drawn."""


def check_can_draw(path: Path) -> None:
    """Find out before a long training that its figure could not be drawn."""
    if path.suffix.lower() not in FORMATS:
        raise PlotError(f"a figure's name ends in {', '.join(FORMATS)}, got {path.name!r}")
    if find_spec("matplotlib") is None:
        raise PlotError("drawing needs matplotlib: pip install 'crisplogic[plot]'")


def new_figure(width: float, height: float, kept: bool = True, **more: Any) -> Figure:
    """An empty figure; sizes in inches.

    A figure that is ``kept`` is pyplot's current one: ``plt.savefig`` writes it, ``plt.show``
    and notebooks show it, ``plt.close`` ends it. Others end with the variable that holds them,
    as those do that only become a file.
    """
    if kept:
        import matplotlib.pyplot as plt

        return plt.figure(figsize=(width, height), **more)
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), **more)


def new_axes(width: float = 6.4, height: float = 4.0, kept: bool = True) -> Axes:
    """Axes of a new figure, with room for all its texts; sizes in inches."""
    return new_figure(width, height, kept, layout="constrained").subplots()


def fit_to_axes(width: float, height: float, ax: Axes) -> float:
    """Put a page of some inches in the middle of axes; returns its scale there, at most 1."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    place = ax.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
    scale = min(1.0, place.width / width, place.height / height)
    margin_x = (place.width / scale - width) / 2
    margin_y = (place.height / scale - height) / 2
    ax.set_xlim(-margin_x, width + margin_x)
    ax.set_ylim(-margin_y, height + margin_y)
    ax.set_aspect("equal")
    ax.set_axis_off()
    return scale


def page_axes(width: float, height: float, kept: bool = True) -> Axes:
    """Axes that fill a new figure; sizes in inches."""
    figure = new_figure(width, height, kept, facecolor="white")
    return figure.add_axes((0.0, 0.0, 1.0, 1.0))


def save_figure(path: Path, ax: Axes) -> None:
    """Write the figure of some axes, in the format of the file's name."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    with atomic_binary_writer(path) as file:
        figure.savefig(file, format=path.suffix[1:].lower(), dpi=150)
