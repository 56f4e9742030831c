"""Calibration and confusion are drawn as they are counted."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection

from crisplogic.expr import parse
from crisplogic.plot import PlotError, plot_calibration, plot_confusion
from crisplogic.rules import ClassificationRules, RegressionRules, Rule, Step

NAMES = ("age", "weight")
INPUTS = Step(0, 40.0), Step(1, 70.0)
BOTH = Rule("ill", parse("0 + 1")), Rule("well", parse("unknown"))
RULES = ClassificationRules(NAMES, INPUTS, BOTH, 1.0, (-1.5, 0.0), crisp=True)
RNG = np.random.default_rng(0)
TABLE = RNG.uniform([20, 50], [80, 90], (300, 2))
HOLDING = (TABLE > [40, 70]).sum(axis=1)
Y = np.where(RNG.random(300) < [[0.1], [0.4], [0.8]], "ill", "well")[HOLDING, np.arange(300)]


def dots_of(ax: Axes) -> PathCollection:
    [dots] = [each for each in ax.collections if isinstance(each, PathCollection)]
    return dots


def test_every_probability_is_a_dot_at_the_share_that_is_true() -> None:
    ax = plot_calibration(RULES, TABLE, Y)
    chances = RULES.predict_proba(TABLE)[:, 0]
    expected = [
        (chance, (Y[chances == chance] == "ill").mean()) for chance in np.unique(chances)
    ]
    np.testing.assert_allclose(np.asarray(dots_of(ax).get_offsets()), expected)
    assert ax.get_xlabel() == "predicted probability of ill"
    [diagonal] = ax.get_lines()
    assert np.asarray(diagonal.get_xydata()).tolist() == [[0, 0], [1, 1]]


def test_intervals_are_those_of_shares() -> None:
    ax = plot_calibration(RULES, TABLE, Y)
    [bars] = [each for each in ax.collections if isinstance(each, LineCollection)]
    chances = RULES.predict_proba(TABLE)[:, 0]
    for segment, chance in zip(bars.get_segments(), np.unique(chances), strict=True):
        ill = Y[chances == chance] == "ill"
        error = np.sqrt(ill.mean() * (1 - ill.mean()) / len(ill))
        ends = ill.mean() + 1.96 * error * np.array([-1, 1])
        np.testing.assert_allclose(segment[:, 1], ends.clip(0, 1))


def test_dots_of_more_rows_are_larger_and_weights_count() -> None:
    rows = [[30.0, 60.0]] * 3 + [[50.0, 80.0]] * 6
    truth = ["well", "ill", "well"] + ["ill"] * 6
    sizes = np.asarray(dots_of(plot_calibration(RULES, rows, truth)).get_sizes())
    assert sizes[1] > sizes[0]
    weights = [10.0, 10.0, 10.0] + [1.0] * 6
    weighted = dots_of(plot_calibration(RULES, rows, truth, weights))
    sizes = np.asarray(weighted.get_sizes())
    assert sizes[0] > sizes[1]


def test_of_a_number_means_are_drawn() -> None:
    rules = RegressionRules(
        NAMES, INPUTS, (Rule("price", parse("0 + 1")),), 2.0, (10.0,), crisp=True
    )
    truth = 3.0 * HOLDING
    ax = plot_calibration(rules, TABLE, truth)
    expected = [(10 + 4.0 * n - 4, 3.0 * n) for n in range(3)]
    np.testing.assert_allclose(np.asarray(dots_of(ax).get_offsets()), expected)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted price", "mean true price")


def test_of_several_classes_it_is_the_one_that_is_predicted() -> None:
    rules = ClassificationRules(
        NAMES,
        INPUTS,
        (Rule("a", parse("0")), Rule("b", parse("1")), Rule("c", parse("~1"))),
        crisp=True,
    )
    ax = plot_calibration(rules, TABLE, rules.predict(TABLE))
    assert ax.get_xlabel() == "predicted probability of the class that is predicted"
    assert set(np.asarray(dots_of(ax).get_offsets())[:, 1]) == {1.0}


def test_confusion_counts_true_classes_down_and_predictions_across() -> None:
    ax = plot_confusion(RULES, TABLE, Y)
    predicted = RULES.predict(TABLE)
    counts = [
        [int(((true == Y) & (predicted == said)).sum()) for said in ("ill", "well")]
        for true in ("ill", "well")
    ]
    drawn = {text.get_position(): int(text.get_text()) for text in ax.texts}
    assert drawn == {(c, r): counts[r][c] for r in range(2) for c in range(2)}
    assert counts[0][1] != counts[1][0]
    shares = np.asarray(ax.get_images()[0].get_array())
    np.testing.assert_allclose(shares, counts / np.sum(counts, axis=1, keepdims=True))
    for labels in (ax.get_xticklabels(), ax.get_yticklabels()):
        assert [label.get_text() for label in labels] == ["ill", "well"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted", "true")


def test_weights_count_in_a_confusion_and_a_class_may_be_absent() -> None:
    ax = plot_confusion(RULES, [[30, 60], [50, 80]], ["well", "well"], [0.5, 2.0])
    assert [text.get_text() for text in ax.texts] == ["0", "0", "2", "0.5"]


def test_a_confusion_of_numbers_or_without_truth_is_refused() -> None:
    rules = RegressionRules(NAMES, INPUTS, (Rule("price", parse("0")),), crisp=True)
    with pytest.raises(PlotError, match="plot_calibration"):
        plot_confusion(rules, TABLE, HOLDING)
    with pytest.raises(PlotError, match="y must hold the true class of every row"):
        plot_confusion(RULES, TABLE, None)
    with pytest.raises(PlotError, match="without rows"):
        plot_calibration(RULES, np.empty((0, 2)), [])


@pytest.mark.parametrize("name", ["$x^2$", "\\frac{1}{", "two\nlines", "w" * 200])
def test_names_are_no_formulas(name: str) -> None:
    rules = RULES.rename(labels={"ill": name})
    truth = np.where(Y == "ill", name, Y)
    for draw in (plot_calibration, plot_confusion):
        figure = draw(rules, TABLE, truth).get_figure(root=True)
        assert figure is not None
        figure.canvas.draw()
