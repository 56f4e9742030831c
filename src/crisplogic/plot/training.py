"""Training: the loss of every epoch, and what snapping did to alphas and weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from crisplogic.plot._files import PlotError, new_axes
from crisplogic.plot._style import COLOURS, REST
from crisplogic.rules.snap_report import SnappedLevel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
# What the phases of training are called in a picture.
PHASES = {"soft": "softly", "snapped": "through the rounding"}
SPREAD = 0.12  # how far dots of the same snapped value are spread
MARKERS = {"alphas": "o", "weights": "^"}


class Epoch(Protocol):
    """What is drawn of an epoch; :class:`crisplogic.training.Epoch` is one."""

    @property
    def phase(self) -> str:
        """The phase of training."""

    @property
    def loss(self) -> float:
        """The training objective."""

    @property
    def validation_loss(self) -> float | None:
        """The loss on validation rows, if there are some."""


def plot_history(history: Sequence[Epoch], ax: Axes | None = None) -> Axes:
    """Draw the loss of every epoch; a dashed line is where the snap begins.

    ``history`` is ``history_`` of an estimator. In the second phase networks are computed with
    rounded alphas and weights, and literals have a price: losses of the phases differ in that,
    too. Without ``ax`` it becomes pyplot's current figure. Returns the axes.

    >>> from typing import NamedTuple
    >>> class Line(NamedTuple):
    ...     phase: str
    ...     loss: float
    ...     validation_loss: float | None = None
    >>> ax = plot_history([Line("soft", 0.7), Line("soft", 0.4), Line("snapped", 0.5)])
    >>> [line.get_label() for line in ax.get_lines()]
    ['softly', 'through the rounding', 'snap']
    """
    if not history:
        raise PlotError("a history without epochs cannot be drawn")
    ax = ax or new_axes(6.4, 3.6)
    numbers = np.arange(1, len(history) + 1)
    phases = [epoch.phase for epoch in history]
    starts = [at for at in range(len(phases)) if at == 0 or phases[at] != phases[at - 1]]
    ends = [*starts[1:], len(phases)]
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        name = PHASES.get(phases[start], phases[start])
        epochs, colour = history[start:end], COLOURS[number % len(COLOURS)]
        losses = [epoch.loss for epoch in epochs]
        ax.plot(numbers[start:end], losses, ".-", color=colour, markersize=4, label=name)
        checked = [epoch.validation_loss for epoch in epochs]
        if any(loss is not None for loss in checked):
            heights = np.array([np.nan if loss is None else loss for loss in checked])
            label = f"{name}, validation rows"
            ax.plot(numbers[start:end], heights, color=colour, linestyle=":", label=label)
    for at in starts[1:]:
        if phases[at] == "snapped":
            ax.axvline(at + 0.5, color="0.4", linestyle="--", linewidth=1, label="snap")
    ax.set_xlabel("epoch")
    ax.set_ylabel("loss and penalties")
    ax.grid(alpha=0.3)
    ax.legend()
    return ax


def plot_snap(levels: Sequence[SnappedLevel], ax: Axes | None = None) -> Axes:
    """Draw alphas and weights before snapping against what they became.

    ``levels`` are what :func:`crisplogic.snap.snapped_levels` finds. Values on the diagonal
    stayed what they were. Dots of one snapped value are spread a little, so that one sees how
    many there are. Without ``ax`` it becomes pyplot's current figure. Returns the axes.

    >>> level = SnappedLevel(
    ...     np.array([0.9, -0.2]), np.array([1.0, 0.0]), np.array([[0.4]]), np.array([[1.0]])
    ... )
    >>> ax = plot_snap([level])
    >>> [dots.get_label() for dots in ax.collections]
    ['2 alphas', '1 weight']
    """
    if not levels:
        raise PlotError("a network without levels cannot be drawn")
    ax = ax or new_axes(5.6, 4.4)
    kinds = {
        "alphas": [(each.alpha_before, each.alpha_after) for each in levels],
        "weights": [(each.weight_before.ravel(), each.weight_after.ravel()) for each in levels],
    }
    every = np.concatenate([np.concatenate(pair) for pairs in kinds.values() for pair in pairs])
    reach = max(1.0, float(np.abs(every).max()))
    ax.plot([-reach, reach], [-reach, reach], color=REST, linestyle="--", zorder=1)
    for at, (name, pairs) in enumerate(kinds.items()):
        before = np.concatenate([pair[0] for pair in pairs])
        after = np.concatenate([pair[1] for pair in pairs])
        label = f"{len(before)} {name if len(before) != 1 else name[:-1]}"
        ax.scatter(
            before,
            _spread(after),
            s=16,
            marker=MARKERS[name],
            color=COLOURS[at],
            alpha=max(0.15, min(0.8, 60 / len(before) ** 0.7)),
            linewidths=0,
            label=label,
        )
    ax.set_yticks([-1, 0, 1])
    ax.set_xlabel("before snapping")
    ax.set_ylabel("after snapping")
    ax.grid(alpha=0.3)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
    return ax


def _spread(values: Floats) -> Floats:
    """Values moved a little, each time in the same way."""
    noise = np.random.default_rng(0).uniform(-SPREAD, SPREAD, len(values))
    return values + noise
