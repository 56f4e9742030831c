"""Error against size: what each further literal is worth."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from crisplogic.plot._files import check_can_draw, new_axes, save_figure
from crisplogic.rules import Frontier
from crisplogic.rules.rule import Predicts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colour-blind readers can tell them apart, too, also by their markers.
TRAINING, HELD_OUT = "#0072B2", "#D55E00"
NETWORK, OTHER_RULES = "#009E73", "#CC79A7"
# The factor of errors on the axis, and the label of the axis.
AXES: dict[Predicts, tuple[float, str]] = {
    "class": (100.0, "wrong predictions (%)"),
    "number": (1.0, "root mean squared error"),
}
BASELINES: dict[Predicts, str] = {
    "class": "always the most frequent class",
    "number": "always the mean",
}


def plot_frontier(
    frontier: Frontier, chosen: int | None = None, ax: Axes | None = None
) -> Axes:
    """Draw error against size, on training rows and on held-out rows.

    The error of classes is in percent, that of a number in its units. Bars are one standard
    error of the held-out errors to each side. A grey line is the error of a prediction that is
    the same for every row; dotted lines are the network and rules of the other literals on
    held-out rows, where these are known. The size ``chosen`` is marked. Without ``ax`` it
    becomes pyplot's current figure. Returns the axes.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Point, Ramp, RegressionRules, Rule
    >>> price = Rule("price", parse("0"))
    >>> rules = RegressionRules(("rooms",), (Ramp(0, 5.0, 8.0),), (price,))
    >>> plot_frontier(Frontier((Point(rules, error=4.5),))).get_ylabel()
    'root mean squared error'
    """
    ax = ax or new_axes()
    sizes = [point.size for point in frontier]
    factor, label = AXES[frontier.predicts]
    training = [factor * point.error for point in frontier]
    held_out = [factor * point.held_out_error for point in frontier]
    ax.plot(sizes, training, color=TRAINING, marker="o", label="training rows")
    if np.isfinite(held_out).any():
        ax.plot(sizes, held_out, color=HELD_OUT, marker="s", label="held-out rows")
        _draw_bars(frontier, sizes, factor, ax)
    if np.isfinite(frontier.baseline):
        baseline = factor * frontier.baseline
        ax.axhline(baseline, color="0.6", label=BASELINES[frontier.predicts])
    _draw_others(frontier, factor, ax)
    if chosen is not None:
        mark = f"chosen: {chosen} literals"
        ax.axvline(chosen, color="0.4", linestyle="--", linewidth=1, label=mark)
    ax.set_xscale("symlog", base=2, linthresh=1)  # constant rules have 0 literals
    ax.set_xticks(_ticks(sizes), [str(tick) for tick in _ticks(sizes)])
    ax.minorticks_off()
    ax.set_xlim(0.9 * min(sizes) - 0.1 * (0 in sizes), 1.1 * max(*sizes, 2))
    ax.set_ylim(bottom=0)
    ax.set_xlabel("literals in all rules together")
    ax.set_ylabel(label)
    ax.set_title("The best rules found at each size")
    ax.grid(alpha=0.3)
    ax.legend()
    return ax


def _draw_others(frontier: Frontier, factor: float, ax: Axes) -> None:
    """What else there is to predict with, on held-out rows."""
    crisp = frontier[0].rules.crisp
    rules = f"{'graded' if crisp else 'crisp'} rules, held-out rows"
    others = {
        "network, held-out rows": (frontier.network_error, NETWORK),
        rules: (frontier.other_rules_error, OTHER_RULES),
    }
    for label, (error, color) in others.items():
        if np.isfinite(error):
            ax.axhline(factor * error, color=color, linestyle=":", label=label)


def _draw_bars(frontier: Frontier, sizes: list[int], factor: float, ax: Axes) -> None:
    """Standard errors of held-out errors, where they are known."""
    bounds = frontier.error_bounds()
    if bounds is not None:
        low, high = factor * bounds
        ax.vlines(sizes, low, high, color=HELD_OUT, linewidth=1, alpha=0.7)


def save_frontier(
    path: str | os.PathLike[str], frontier: Frontier, chosen: int | None = None
) -> None:
    """Draw error against size to a file, completely or not at all."""
    check_can_draw(Path(path))
    save_figure(Path(path), plot_frontier(frontier, chosen, new_axes(kept=False)))


def _ticks(sizes: list[int]) -> list[int]:
    """Powers of two that span the sizes, and 0 if it is one of them."""
    first, last = int(np.log2(max(min(sizes), 1))), int(np.ceil(np.log2(max(*sizes, 2))))
    return [0] * (0 in sizes) + [2**power for power in range(first, last + 1)]
