"""What a column does: the average prediction against its values."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from crisplogic.plot._files import check_can_draw, new_axes, save_figure
from crisplogic.plot._style import COLOURS, plain_legend
from crisplogic.rules import RuleSet, Shape

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARES = "0.85"  # the colour of what the table has
BINS = 30
MOST_LETTERS = 60  # of the values of a category, side by side


def plot_shape(rules: RuleSet, column: str, X: Any, ax: Axes | None = None) -> Axes:
    """Draw the average prediction against the values of a column, as ``rules.shape`` has it.

    For classes it is the mean probability of each class; of two, the second is drawn. For a
    number it is the mean number. A dotted line is a missing value, if ``X`` has any. In grey,
    below, is how many rows of ``X`` have a value. Without ``ax`` it becomes pyplot's current
    figure. Returns the axes.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Ramp, RegressionRules, Rule
    >>> price = Rule("price", parse("0"))
    >>> rules = RegressionRules(("rooms",), (Ramp(0, 5.0, 8.0),), (price,), 4.0, (22.0,))
    >>> ax = plot_shape(rules, "rooms", [[4], [9]])
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('rooms', 'price, on average')
    """
    return _draw(rules.shape(column, X), ax or new_axes())


def save_shape(path: str | os.PathLike[str], shape: Shape) -> None:
    """Draw what ``rules.shape`` measured to a file, completely or not at all."""
    check_can_draw(Path(path))
    save_figure(Path(path), _draw(shape, new_axes(kept=False)))


def _draw(shape: Shape, ax: Axes) -> Axes:
    _draw_shares(shape, ax)
    outputs = [1] if len(shape.labels) == 2 else list(range(len(shape.labels)))
    for number, output in enumerate(outputs):
        _draw_output(shape, output, COLOURS[number % len(COLOURS)], ax)
    if not shape.is_numeric:
        _name_values([str(value) for value in shape.values], ax)
    if shape.predicts == "class":
        ax.set_ylim(0, 1)
    ax.set_xlabel(shape.column, parse_math=False)
    ax.set_ylabel(_label(shape), parse_math=False)
    ax.grid(axis="y", alpha=0.3)
    if len(outputs) > 1 or shape.missing is not None:
        plain_legend(ax.legend())
    return ax


def _draw_output(shape: Shape, output: int, colour: str, ax: Axes) -> None:
    """One class, or the number: a line for numbers, a dot for each value of a category."""
    name = str(shape.labels[output])
    style: dict[str, Any] = {"color": colour, "zorder": 3}
    if shape.is_numeric:
        ax.plot(shape.values, shape.averages[:, output], **style, label=name)
    else:
        style |= {"marker": "o", "linestyle": "none"}
        ax.plot(range(len(shape.values)), shape.averages[:, output], **style, label=name)
    if shape.missing is not None:
        height = float(shape.missing[output])
        label = f"{name}, {shape.column} missing"
        ax.axhline(height, color=colour, linestyle=":", linewidth=1, label=label)


def _name_values(words: list[str], ax: Axes) -> None:
    ax.set_xticks(range(len(words)), words, parse_math=False)
    ax.set_xlim(-0.6, len(words) - 0.4)
    if sum(map(len, words)) > MOST_LETTERS:
        ax.tick_params(axis="x", labelrotation=90)


def _label(shape: Shape) -> str:
    if shape.predicts == "number":
        return f"{shape.labels[0]}, on average"
    of = f" of {shape.labels[1]}" if len(shape.labels) == 2 else ""
    return f"probability{of}, on average"


def _draw_shares(shape: Shape, ax: Axes) -> None:
    """Bars for the rows that have a value, in the lower fifth of the axes."""
    if shape.is_numeric:
        counts, edges = np.histogram(shape.present, BINS)
        left, widths = edges[:-1], np.diff(edges)
    else:
        counts = shape.present
        left, widths = np.arange(len(counts)) - 0.3, np.full(len(counts), 0.6)
    heights = counts / max(counts.max(), 1e-300) / 5
    ax.bar(
        left,
        heights,
        widths,
        align="edge",
        color=SHARES,
        transform=ax.get_xaxis_transform(),
        zorder=0,
    )
