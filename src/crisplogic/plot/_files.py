"""Figures as files: which formats there are, and how they are written."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from crisplogic.errors import CrisplogicError
from crisplogic.files import atomic_binary_writer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".png", ".svg", ".pdf")


class PlotError(CrisplogicError, ValueError):
    """A figure that cannot be drawn."""


def check_can_draw(path: Path) -> None:
    """Find out before a long training that its figure could not be drawn."""
    if path.suffix.lower() not in FORMATS:
        raise PlotError(f"a figure's name ends in {', '.join(FORMATS)}, got {path.name!r}")
    if find_spec("matplotlib") is None:
        raise PlotError("drawing needs matplotlib: pip install 'crisplogic[plot]'")


def save_figure(path: Path, ax: Axes) -> None:
    """Write the figure of some axes, in the format of the file's name."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    with atomic_binary_writer(path) as file:
        figure.savefig(file, format=path.suffix[1:].lower(), dpi=150)
