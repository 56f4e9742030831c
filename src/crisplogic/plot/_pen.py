"""What diagrams are drawn with: lines, dots, boxes and words on axes, in inches."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.path import Path
from matplotlib.textpath import text_to_path

Point = tuple[float, float]

# Told apart by colour-blind readers too, and without colours: by dashes and by open dots.
FOR, AGAINST = "#0072B2", "#D55E00"
WIRE, RAIL = "0.6", "0.15"
LINE, BUBBLE = 0.9, 3.2  # points: how wide lines are, and what negates an operand


def text_width(text: str, size: float, bold: bool = False) -> float:
    """How wide a text is in inches, in a font of ``size`` points.

    >>> 0.1 < text_width("$x$", 9) < text_width("$x$", 9, bold=True) < 0.4
    True
    """
    font = FontProperties(size=size, weight="bold" if bold else "normal")
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72


class Pen:
    """Draws on axes one unit of which is ``scale`` inches long.

    A stroke may have a ``gid`` to be found by, in the axes as in an SVG file.
    """

    def __init__(self, ax: Axes, font: float, scale: float = 1.0) -> None:
        self.ax = ax
        self.font = font
        self.scale = scale

    def line(
        self, start: Point, end: Point, colour: str, width: float = LINE, **more: Any
    ) -> None:
        """A straight line."""
        xs, ys = zip(start, end, strict=True)
        snap = xs[0] == xs[1]  # level lines meet curves, which are never moved to pixels
        width *= self.scale
        self.ax.add_line(Line2D(xs, ys, color=colour, linewidth=width, snap=snap, **more))

    def curve(
        self, start: Point, end: Point, colour: str, dashed: bool = False, **more: Any
    ) -> None:
        """A line that leaves and arrives horizontally."""
        middle = (start[0] + end[0]) / 2
        points = [start, (middle, start[1]), (middle, end[1]), end]
        self.ax.add_patch(
            PathPatch(
                Path(points, [Path.MOVETO, *[Path.CURVE4] * 3]),
                fill=False,
                edgecolor=colour,
                linewidth=LINE * self.scale,
                linestyle=(0, (3, 1.5)) if dashed else "-",
                capstyle="butt" if dashed else "round",  # no gap where two lines meet
                **more,
            )
        )

    def dot(self, at: Point, colour: str, size: float, filled: bool, **more: Any) -> None:
        """A dot, ``size`` points across, or a circle."""
        xs, ys = zip(at, strict=True)
        self.ax.add_line(
            Line2D(
                xs,
                ys,
                marker="o",
                markersize=size * self.scale,
                markerfacecolor=colour if filled else "white",
                markeredgecolor=colour,
                markeredgewidth=1.1 * self.scale,
                **more,
            )
        )

    def box(self, left: Point, width: float, height: float, **more: Any) -> None:
        """A box with round corners, given the middle of its left side."""
        corner = left[0], left[1] - height / 2
        shape = f"round,pad=0,rounding_size={height / 4}"
        line = LINE * self.scale
        self.ax.add_patch(
            FancyBboxPatch(corner, width, height, boxstyle=shape, linewidth=line, **more)
        )

    def words(
        self, at: Point, text: str, size: float = 1.0, colour: str = "black", **more: Any
    ) -> None:
        """Text as it is: between two dollars, matplotlib would look for a formula."""
        self.ax.text(
            *at,
            text,
            color=colour,
            fontsize=size * self.font * self.scale,
            va="center_baseline",
            parse_math=False,
            usetex=False,
            **more,
        )
