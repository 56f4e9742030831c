"""How often statements come back is drawn as it was counted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from matplotlib.container import BarContainer

from crisplogic.plot import PlotError, plot_stability
from crisplogic.rules import Stability

FOUND = Stability(
    ("age is above 40", "smoker is yes", "weight is at most 70"), (8, 2, 0), 8, 0.5, 8
)


def test_every_statement_has_a_bar_in_the_order_of_the_rules() -> None:
    ax = plot_stability(FOUND)
    [bars] = ax.containers
    assert isinstance(bars, BarContainer)
    assert [bar.get_width() for bar in bars] == [100.0, 25.0, 0.0]
    assert [label.get_text() for label in ax.get_yticklabels()] == list(FOUND.statements)
    assert [text.get_text() for text in ax.texts] == ["8", "2", "0"]
    heights = ax.transData.transform([(0, place) for place in range(3)])[:, 1]
    assert heights.tolist() == sorted(heights, reverse=True)
    assert ax.get_xlim() == (0, 100)
    assert "8 resamples" in ax.get_xlabel()


def test_how_alike_rule_sets_are_is_a_line() -> None:
    [line] = plot_stability(FOUND).get_lines()
    assert set(np.asarray(line.get_xdata()).tolist()) == {50.0}
    assert line.get_label() == "in common, two resamples: 50%"
    unknown = Stability(("a",), (1,), 1, math.nan, 1)
    assert len(plot_stability(unknown).get_lines()) == 0


def test_long_statements_have_several_lines_and_none_is_a_formula() -> None:
    long = Stability(('"$x^2$" is above 1, and ' * 6, "w" * 300), (1, 2), 2, 0.5, 2)
    ax = plot_stability(long)
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.canvas.draw()
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert max(len(line) for label in labels for line in label.split("\n")) <= 48
    left = min(label.get_window_extent().x0 for label in ax.get_yticklabels())
    assert left >= 0


def test_rules_without_statements_have_no_picture() -> None:
    with pytest.raises(PlotError, match="no statements"):
        plot_stability(Stability((), (), 3, math.nan, 3))
