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


def save_figure(path: Path, ax: Axes) -> None:
    """Write the figure of some axes, in the format of the file's name."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    with atomic_binary_writer(path) as file:
        figure.savefig(file, format=path.suffix[1:].lower(), dpi=150)
