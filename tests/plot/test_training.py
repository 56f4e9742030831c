"""Losses are drawn epoch by epoch, and parameters before and after the snap."""

from __future__ import annotations

import numpy as np
import pytest

from crisplogic import LogicClassifier
from crisplogic.plot import PlotError, plot_history, plot_snap
from crisplogic.plot.training import SPREAD
from crisplogic.rules.snap_report import SnappedLevel
from crisplogic.snap import snapped_levels
from crisplogic.training import Epoch

HISTORY = [
    Epoch("soft", 1, 0.7, None),
    Epoch("soft", 2, 0.5, None),
    Epoch("snapped", 1, 0.9, None),
    Epoch("snapped", 2, 0.6, None),
    Epoch("snapped", 3, 0.55, None),
]
LEVELS = [
    SnappedLevel(
        np.array([0.9, -0.2, -0.7]),
        np.array([1.0, 0.0, -1.0]),
        np.array([[0.4, -0.1, 0.2]]),
        np.array([[1.0, 0.0, 0.0]]),
    ),
    SnappedLevel(np.array([0.3]), np.array([0.0]), np.array([[-1.2]]), np.array([[-1.0]])),
]


def test_the_phases_are_lines_one_after_the_other() -> None:
    ax = plot_history(HISTORY)
    soft, snapped, snap = ax.get_lines()
    assert np.asarray(soft.get_xydata()).tolist() == [[1, 0.7], [2, 0.5]]
    assert np.asarray(snapped.get_xydata()).tolist() == [[3, 0.9], [4, 0.6], [5, 0.55]]
    assert np.asarray(snap.get_xdata()).tolist() == [2.5, 2.5]
    assert [line.get_label() for line in (soft, snapped, snap)] == [
        "softly",
        "through the rounding",
        "snap",
    ]
    assert soft.get_color() != snapped.get_color()


def test_validation_losses_are_drawn_where_there_are_some() -> None:
    lines = plot_history([Epoch("soft", 1, 0.7, 0.8), Epoch("soft", 2, 0.5, 0.75)]).get_lines()
    assert [line.get_label() for line in lines] == ["softly", "softly, validation rows"]
    assert np.asarray(lines[1].get_ydata()).tolist() == [0.8, 0.75]
    assert lines[1].get_linestyle() == ":"


def test_parameters_before_are_drawn_against_those_after() -> None:
    ax = plot_snap(LEVELS)
    alphas, weights = (np.asarray(dots.get_offsets()) for dots in ax.collections)
    assert alphas[:, 0].tolist() == [0.9, -0.2, -0.7, 0.3]
    np.testing.assert_allclose(alphas[:, 1], [1, 0, -1, 0], atol=SPREAD)
    assert weights[:, 0].tolist() == [0.4, -0.1, 0.2, -1.2]
    np.testing.assert_allclose(weights[:, 1], [1, 0, 0, -1], atol=SPREAD)
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["4 alphas", "4 weights"]


def test_an_estimator_has_what_is_drawn() -> None:
    X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 5
    y = ["same", "different", "different", "same"] * 5
    clf = LogicClassifier(random_state=0, epochs=2, restarts=1, folds=0).fit(X, y)
    levels = snapped_levels(clf.network_, clf.snap_report_)
    assert len(levels) == len(clf.snap_report_.levels)
    for level, moved in zip(levels, clf.snap_report_.levels, strict=True):
        for after in (level.alpha_after, level.weight_after):
            np.testing.assert_allclose(after, after.round(), atol=1e-6)
            assert set(after.round().ravel()) <= {-1.0, 0.0, 1.0}
        np.testing.assert_allclose(level.alpha_after - level.alpha_before, moved.alpha)
        assert level.weight_before.shape == moved.weight.shape
    ax = plot_history(clf.history_)
    assert len(np.asarray(ax.get_lines()[0].get_xdata())) == 2
    n = sum(len(np.asarray(dots.get_offsets())) for dots in plot_snap(levels).collections)
    assert n == sum(level.alpha_after.size + level.weight_after.size for level in levels)


def test_nothing_is_no_picture() -> None:
    with pytest.raises(PlotError, match="without epochs"):
        plot_history([])
    with pytest.raises(PlotError, match="without levels"):
        plot_snap([])
