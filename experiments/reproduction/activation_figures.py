"""The paper's Figures 1 to 3: the activation, its rivals, and where each moves alpha.

The paper argues from the curves of Figures 2 and 3 what gradient descent will do. Here the
steps are drawn below the curves, so that the argument can be seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from crisplogic.algebra import FALSE, TRUE, fuzzy, fuzzy_root, fuzzy_squared
from experiments.harness.pages import BLUE, GREEN, GREY, ORANGE, page_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

SURFACES = {-1.0: "nor", -0.5: "between", 0.0: "nxor", 0.5: "between", 1.0: "and"}
# Eq. 2 is drawn widest and first: where curves coincide, the others lie upon it.
CURVES: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "Eq. 2": (fuzzy, {"color": BLUE, "linestyle": "-", "linewidth": 3.2}),
    "Eq. 1": (fuzzy_squared, {"color": ORANGE, "linestyle": "--", "linewidth": 1.6}),
    "Eq. 3": (fuzzy_root, {"color": GREEN, "linestyle": ":", "linewidth": 2.0}),
}
# An even number of points, none of them at a kink (-1, 0 and 1).
ALPHAS: Floats = np.linspace(-1.2, 1.2, 962)
# A step that changes by more than this from one point to the next is a jump, not a slope.
JUMP = 0.3
# Steps shorter than this are rounding.
STILL = 1e-9


@dataclass(frozen=True)
class Pattern:
    """Two inputs and a target."""

    title: str
    x: float
    y: float
    target: float


TRUE_TRUE = Pattern("true (α) true, asked to be true", TRUE, TRUE, TRUE)
TRUE_FALSE = Pattern("true (α) false, asked to be false", TRUE, FALSE, FALSE)


def steps(function: Callable[..., Any], pattern: Pattern, alphas: Floats) -> Floats:
    """How far and which way gradient descent moves each alpha, at a learning rate of 1.

    The loss is half the squared error. Shape: (points,) to (points,).

    >>> steps(fuzzy, TRUE_TRUE, np.array([-0.5, 0.5])).round(2).tolist()
    [2.37, 0.0]
    """
    alpha = torch.tensor(alphas, requires_grad=True)
    inputs = [torch.full_like(alpha, value) for value in (pattern.x, pattern.y)]
    error = function(*inputs, alpha) - pattern.target
    (slope,) = torch.autograd.grad((error.square() / 2).sum(), alpha)
    step: Floats = -slope.numpy() + 0.0  # no -0
    return step


def boundary(function: Callable[..., Any], pattern: Pattern) -> float:
    """The alpha above 0 below which gradient descent goes to 0, and above which to 1.

    >>> round(boundary(fuzzy_root, TRUE_FALSE), 2)
    0.71
    """
    inside = ALPHAS[(ALPHAS > 0) & (ALPHAS < 1)]
    upwards = steps(function, pattern, inside) > STILL
    first = int(np.argmax(upwards))
    return float(inside[first - 1 : first + 1].mean())


def pictures() -> dict[str, Figure]:
    """By name: the paper's three figures about the activation."""
    return {
        "figure-1": _surfaces(),
        "figure-2": _comparison(TRUE_TRUE),
        "figure-3": _comparison(TRUE_FALSE),
    }


def section(folder: str) -> str:
    """The part of the page about the figures, which lie in ``folder``."""
    wrong = Pattern("the paper's own target", TRUE, FALSE, TRUE)
    moved = np.abs(steps(fuzzy, wrong, ALPHAS)).max()
    stays = (
        "does not move alpha either" if moved < STILL else f"moves alpha by up to {moved:.2f}"
    )
    trues = np.full_like(ALPHAS, TRUE)
    peak = fuzzy_squared(trues, trues, ALPHAS).max()
    return "\n\n".join(
        [
            "## Figures 1 to 3: the activation and its rivals",
            f"![Eq. 2 over x and y for five alphas]({folder}/figure-1.png)",
            "**Figure 1.** Eq. 2 goes from *nor* through *nxor* to *and*. As the paper says,"
            " the corners, where both inputs are true or false, are the operators' truth"
            " tables. Where the inputs differ, they do not depend on alpha.",
            f"![Eq. 1, 2 and 3 on true and true]({folder}/figure-2.png)",
            "**Figure 2.** On true/true Eq. 2 and 3 leave every alpha from 0 to 1 where it is"
            f" and bring negative ones to 0: the paper is right. Eq. 1 rises to {peak:.2f},"
            " above true, and is pulled to 0 or to 1. The boundary is at"
            f" {boundary(fuzzy_squared, TRUE_TRUE):.2f}: the paper's *whichever is closer* is"
            " nearly right.",
            f"![Eq. 1, 2 and 3 on true and false]({folder}/figure-3.png)",
            "**Figure 3.** On true/false all three operators answer false, so nothing can be"
            " learned about alpha. Only Eq. 2 does not move alpha: the paper is right. Eq. 1"
            f" has a boundary at {boundary(fuzzy_squared, TRUE_FALSE):.2f} and Eq. 3 at"
            f" {boundary(fuzzy_root, TRUE_FALSE):.2f}: alpha goes to 0 below and to 1 above,"
            " and likewise to -1. The paper's text asks for *true* here, which no operator"
            f" answers; with that target Eq. 2 {stays}.",
        ]
    )


# Figure 1


def _surfaces() -> Figure:
    figure = page_figure(height=3.6)
    figure.suptitle("Figure 1. Eq. 2 for five values of alpha", fontsize="medium")
    above = [figure.add_subplot(2, 5, place, projection="3d") for place in range(1, 6)]
    below = [figure.add_subplot(2, 5, place) for place in range(6, 11)]
    for bumpy, flat, (alpha, name) in zip(above, below, SURFACES.items(), strict=True):
        _surface(bumpy, alpha)
        bumpy.set_title(f"α = {alpha:g}\n{name}", fontsize="medium", pad=-4)
        shown = _map(flat, alpha)
    below[0].set_ylabel("y", labelpad=-7)
    below[0].set_yticks([-1, 1], ["-1", "1"], fontsize="small")
    figure.colorbar(shown, ax=below, ticks=[-1, 0, 1], label="x (α) y", aspect=12, pad=0.01)
    return figure


def _surface(ax: Any, alpha: float) -> None:
    """Seen with true and true at the back."""
    x, y = np.meshgrid(np.linspace(FALSE, TRUE, 21), np.linspace(FALSE, TRUE, 21))
    ax.plot_surface(x, y, fuzzy(x, y, alpha), cmap="cividis", vmin=-1, vmax=1)
    ax.set(xlim=(-1, 1), ylim=(-1, 1), zlim=(-1.02, 1.02))
    ax.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1], zticks=[-1, 0, 1])
    ax.set(xticklabels=[], yticklabels=[], zticklabels=[])  # the maps below have them
    ax.set_xlabel("x", labelpad=-12)
    ax.set_ylabel("y", labelpad=-12)
    ax.tick_params(pad=-5)  # even without labels they would take their place
    ax.view_init(elev=28, azim=-120)
    ax.set_box_aspect((1, 1, 0.85), zoom=1.2)


def _map(ax: Axes, alpha: float) -> Any:
    """The same from above; the truth table stands in its corners."""
    x, y = np.meshgrid(np.linspace(FALSE, TRUE, 80), np.linspace(FALSE, TRUE, 80))
    values = fuzzy(x, y, alpha)
    shown = ax.pcolormesh(x, y, values, cmap="cividis", vmin=-1, vmax=1, shading="gouraud")
    ax.contour(x, y, values, levels=[-0.5, 0, 0.5], colors="white", linewidths=0.7)
    for row, column in ((0, 0), (0, -1), (-1, 0), (-1, -1)):
        place = x[row, column], y[row, column]
        value = values[row, column]
        ax.plot(*place, "o", color="white", markeredgecolor="black", clip_on=False, zorder=3)
        inside = 0.66 * place[0], 0.72 * place[1]
        colour = "white" if value < 0.5 else "black"
        ax.text(
            *inside, f"{value:+.1f}".removesuffix(".0"), color=colour, ha="center", va="center"
        )
    ax.set_aspect("equal")
    ax.set_xticks([-1, 1], ["-1", "1"], fontsize="small")
    ax.set_yticks([])
    ax.set_xlabel("x", labelpad=-8)
    return shown


# Figures 2 and 3


def _comparison(pattern: Pattern) -> Figure:
    """Three axes above each other: the curves, the steps, and arrows that follow them."""
    figure = page_figure(height=6.2)
    number = 2 if pattern is TRUE_TRUE else 3
    figure.suptitle(f"Figure {number}. {pattern.title}", fontsize="medium")
    values, descent, arrows = figure.subplots(3, 1, sharex=True, height_ratios=[3, 3, 1.6])
    for name, (function, style) in CURVES.items():
        curve = function(pattern.x, pattern.y, ALPHAS)
        values.plot(ALPHAS, curve, label=name, **style)
        step = steps(function, pattern, ALPHAS)
        descent.plot(ALPHAS, _without_jumps(step), label=name, **style)
    values.axhline(pattern.target, color=GREY, linewidth=0.8, label="asked for", zorder=0)
    descent.axhline(0, color=GREY, linewidth=0.8, zorder=0)
    values.set_ylabel("value")
    descent.set_ylabel("step of alpha\nat learning rate 1")
    handles, names = values.get_legend_handles_labels()
    by_name = dict(sorted(zip(names, handles, strict=True)))
    values.legend(list(by_name.values()), list(by_name), ncols=2)
    _arrows(arrows, pattern)
    for ax in (values, descent, arrows):
        _mark_bounds(ax)
    return figure


def _without_jumps(curve: Floats) -> Floats:
    """A gap where a curve jumps, which would be drawn as a steep slope."""
    jumps = np.abs(np.diff(curve, append=curve[-1])) > JUMP
    return np.where(jumps, np.nan, curve)


def _arrows(ax: Axes, pattern: Pattern) -> None:
    """A row an equation: heads point where alpha goes; a bar where it stays."""
    places = np.linspace(-0.95, 0.95, 20)
    for row, (name, (function, style)) in enumerate(sorted(CURVES.items())):
        moves = steps(function, pattern, places)
        for marker, chosen in (
            (">", moves > STILL),
            ("<", moves < -STILL),
            ("|", np.abs(moves) <= STILL),
        ):
            height = np.full(chosen.sum(), -row)
            ax.scatter(places[chosen], height, marker=marker, s=36, color=style["color"])
        ax.text(-1.18, -row, name, color=style["color"], va="center")
    ax.set_ylim(-2.6, 0.6)
    ax.set_yticks([])
    ax.set_ylabel("alpha goes\n(| stays)")
    ax.set_xlabel("alpha: -1 nor, 0 nxor, 1 and (grey: beyond the bounds)")


def _mark_bounds(ax: Axes) -> None:
    ax.axvspan(ALPHAS[0], -1, color="0.92", zorder=-1)
    ax.axvspan(1, ALPHAS[-1], color="0.92", zorder=-1)
    ax.axvline(0, color="0.8", linewidth=0.8, zorder=-1)
    ax.set_xlim(ALPHAS[0], ALPHAS[-1])
