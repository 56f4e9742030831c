"""How often statements come back in the rules of resampled rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from crisplogic.plot._files import PlotError, new_axes
from crisplogic.plot._style import COLOURS, label_width, wrap_labels
from crisplogic.rules import Stability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, LINE, REST_OF_FIGURE = 4.2, 0.2, 1.1  # inches


def plot_stability(stability: Stability, ax: Axes | None = None) -> Axes:
    """Draw the share of resamples that each statement came back in, in the rules' order.

    ``stability`` is what ``measure_stability`` of an estimator returns. A dotted line is how
    alike two of these rule sets are (the Dice index). Without ``ax`` it becomes pyplot's
    current figure. Returns the axes.

    >>> found = Stability(("age is above 40", "smoker is yes"), (20, 7), 20, 0.71, 20)
    >>> ax = plot_stability(found)
    >>> [float(bar.get_width()) for bar in ax.patches]
    [100.0, 35.0]
    """
    if not stability.statements:
        raise PlotError("there are no statements that could come back, so none can be drawn")
    labels = wrap_labels(stability.statements)
    lines = sum(1 + label.count("\n") for label in labels) + len(labels)
    ax = ax or new_axes(WIDTH + label_width(labels), REST_OF_FIGURE + LINE * lines)
    shares = [100 * share for share in stability.shares]
    ax.barh(range(len(labels)), shares, color=COLOURS[0], height=0.8)
    for at, (share, count) in enumerate(zip(shares, stability.counts, strict=True)):
        inside = share > 20
        ax.text(
            share + (-1 if inside else 1),
            at,
            str(count),
            ha="right" if inside else "left",
            va="center",
            color="white" if inside else "black",
        )
    ax.set_yticks(range(len(labels)), labels, parse_math=False)
    ax.invert_yaxis()
    ax.set_xlim(0, 100)
    ax.set_xlabel(f"came back in so many of {stability.resamples} resamples (%)")
    if math.isfinite(stability.dice):
        mark = f"in common, two resamples: {stability.dice:.0%}"
        ax.axvline(100 * stability.dice, color=COLOURS[1], linestyle=":", label=mark)
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    return ax
