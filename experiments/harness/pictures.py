"""What all pictures have in common: a page's width, colours, and how they are kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from crisplogic.files import atomic_binary_writer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's colours, which colour-blind readers can tell apart; give every line a marker
# or a dash of its own as well.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "0.45"
PAGE_WIDTH = 7.0  # inches


def page_figure(height: float) -> Figure:
    """An empty figure as wide as a page; ``height`` in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(PAGE_WIDTH, height), layout="constrained")


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG, completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_binary_writer(path) as file:
        # Without the version that matplotlib adds, the same figures are the same file.
        figure.savefig(file, format="png", dpi=150, metadata={"Software": None})
