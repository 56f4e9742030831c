"""A picture is pyplot's current figure, unless it goes to axes or to a file."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes

from crisplogic.plot import (
    plot_calibration,
    plot_checklist,
    plot_column,
    plot_confusion,
    plot_frontier,
    plot_history,
    plot_rules,
    plot_shape,
    plot_snap,
    plot_stability,
    save_frontier,
    save_rules,
    save_shape,
)
from crisplogic.rules import Frontier, Point, Stability
from tests.plot.test_card import checklist
from tests.plot.test_training import HISTORY, LEVELS
from tests.rules.rule_sets import LEARNED

CRISP = checklist("0 + 1")
FRONTIER = Frontier((Point(LEARNED, 0.2, 0.25, 0.25, 0.0),))
ROWS = [[80.0, 30.0], [170.0, 40.0]]
TRUTH = LEARNED.predict(ROWS)
STABILITY = Stability(("age is above 40",), (3,), 4, 0.5, 4)
PLOTS: dict[str, Callable[..., Axes]] = {
    "rules": lambda **more: plot_rules(LEARNED, **more),
    "frontier": lambda **more: plot_frontier(FRONTIER, chosen=3, **more),
    "shape": lambda **more: plot_shape(LEARNED, "glucose", ROWS, **more),
    "checklist": lambda **more: plot_checklist(CRISP, **more),
    "column": lambda **more: plot_column(LEARNED, "glucose", ROWS, **more),
    "calibration": lambda **more: plot_calibration(LEARNED, ROWS, TRUTH, **more),
    "confusion": lambda **more: plot_confusion(LEARNED, ROWS, TRUTH, **more),
    "stability": lambda **more: plot_stability(STABILITY, **more),
    "history": lambda **more: plot_history(HISTORY, **more),
    "snap": lambda **more: plot_snap(LEVELS, **more),
}
SAVES: dict[str, Callable[[Path], None]] = {
    "rules": lambda path: save_rules(path, LEARNED),
    "frontier": lambda path: save_frontier(path, FRONTIER, 3),
    "shape": lambda path: save_shape(path, LEARNED.shape("glucose", ROWS)),
}


def ink() -> float:
    """The share of pixels of what ``plt.savefig`` writes that are not white."""
    file = BytesIO()
    plt.savefig(file, format="png")
    file.seek(0)
    return float((plt.imread(file)[..., :3] < 0.99).any(axis=2).mean())


@pytest.mark.parametrize("name", PLOTS)
def test_pyplot_saves_what_was_drawn_last(name: str) -> None:
    plt.figure()
    assert ink() == 0
    axes = PLOTS[name]()
    assert ink() > 0.001
    assert plt.gca() is axes
    assert plt.gcf() is axes.get_figure()
    assert len(plt.get_fignums()) == 2


@pytest.mark.parametrize("name", PLOTS)
def test_axes_that_are_given_are_used_and_no_figure_is_opened(name: str) -> None:
    _, (left, right) = plt.subplots(1, 2)
    assert PLOTS[name](ax=right) is right
    assert len(plt.get_fignums()) == 1
    assert not left.has_data()


@pytest.mark.parametrize("name", SAVES)
def test_a_file_leaves_no_figure_open(name: str, tmp_path: Path) -> None:
    SAVES[name](tmp_path / "a.png")
    assert plt.get_fignums() == []
    picture = plt.imread(tmp_path / "a.png")
    assert np.ptp(picture) > 0.5  # not blank
