"""Columns are drawn as the rows have them, and thresholds where rules have them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.text import Annotation

from crisplogic.errors import RuleError
from crisplogic.expr import parse
from crisplogic.plot import PlotError, plot_column, plot_columns
from crisplogic.plot.columns import spread_apart
from crisplogic.rules import ClassificationRules, Level, RegressionRules, Rule, Step
from crisplogic.tables import Levels

COLOURS = Levels(("red", "blue"), ("teal",))
NAMES = ("age", "weight", "colour")
INPUTS = Step(0, 40.0), Step(0, 60.0), Step(1, 70.25), Level.of(2, 0, COLOURS)
LEVELS = (None, None, COLOURS)
BOTH = Rule("ill", parse("0 + 1 + 2 + 3")), Rule("well", parse("unknown"))
RULES = ClassificationRules(NAMES, INPUTS, BOTH, levels=LEVELS, crisp=True)
RNG = np.random.default_rng(0)
ROWS = 200
TABLE = pd.DataFrame(
    {
        "age": RNG.uniform(20, 80, ROWS),
        "weight": np.where(RNG.random(ROWS) < 0.1, np.nan, RNG.uniform(50, 90, ROWS)),
        "colour": RNG.choice(["red", "blue", "teal", "pink"], ROWS),
    }
)
Y = np.where(TABLE["age"] > 50, "ill", "well")


def bars_of(ax: Axes) -> list[BarContainer]:
    return [each for each in ax.containers if isinstance(each, BarContainer)]


def heights(container: BarContainer) -> list[float]:
    return [bar.get_height() for bar in container]


def test_bars_are_how_many_rows_have_a_value() -> None:
    ax = plot_column(RULES, "age", TABLE)
    [bars] = bars_of(ax)
    edges = [bar.get_x() for bar in bars] + [bars[-1].get_x() + bars[-1].get_width()]
    counts, _ = np.histogram(TABLE["age"], edges)
    assert heights(bars) == counts.tolist()
    assert sum(heights(bars)) == ROWS
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > max(heights(bars))
    assert ax.get_xlabel() == "age"


def test_thresholds_are_lines_with_their_numbers_above() -> None:
    ax = plot_column(RULES, "age", TABLE)
    assert [np.asarray(line.get_xdata())[0] for line in ax.get_lines()] == [40.0, 60.0]
    assert [text.get_text() for text in ax.texts] == ["40", "60"]
    low, high = ax.get_xlim()
    for text, threshold in zip(ax.texts, (40.0, 60.0), strict=True):
        assert isinstance(text, Annotation)
        assert text.xy == pytest.approx(((threshold - low) / (high - low), 1.0))
        assert text.get_position()[1] > 1


def test_a_threshold_between_two_whole_numbers_stands_between_their_bars() -> None:
    table = TABLE.assign(age=RNG.integers(35, 45, ROWS).astype(float))
    rules = RULES.without_term("age>60")
    ax = plot_column(rules, "age", table)
    assert np.asarray(ax.get_lines()[0].get_xdata())[0] == 40.5
    assert {bar.get_width() for bar in bars_of(ax)[0]} == {1.0}


def test_classes_are_on_top_of_each_other() -> None:
    ax = plot_column(RULES, "age", TABLE, Y)
    ill, well = bars_of(ax)
    assert (ill.get_label(), well.get_label()) == ("ill", "well")
    assert sum(heights(ill)) == (Y == "ill").sum()
    assert sum(heights(well)) == (Y == "well").sum()
    assert [bar.get_y() for bar in well] == heights(ill)
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["ill", "well"]
    assert len({bar.get_facecolor() for bar in (ill[0], well[0])}) == 2


def test_a_category_has_a_bar_a_value_and_no_thresholds() -> None:
    ax = plot_column(RULES, "colour", TABLE, Y)
    words = [label.get_text() for label in ax.get_xticklabels()]
    assert words == ["red", "blue", "other", "never seen before"]
    counts = TABLE["colour"].value_counts()
    total = np.sum([heights(each) for each in bars_of(ax)], axis=0)
    assert total.tolist() == [counts[name] for name in ("red", "blue", "teal", "pink")]
    assert len(ax.get_lines()) == 0


def test_missing_values_are_counted() -> None:
    missing = int(TABLE["weight"].isna().sum())
    ax = plot_column(RULES, "weight", TABLE)
    assert ax.get_xlabel() == f"weight ({missing} missing)"
    assert sum(heights(bars_of(ax)[0])) == ROWS - missing


def test_all_columns_that_rules_mention_are_drawn_in_one_figure() -> None:
    axes = plot_columns(RULES, TABLE, Y)
    assert len({id(ax.get_figure()) for ax in axes}) == 1
    assert [ax.get_xlabel().split(" (")[0] for ax in axes] == list(NAMES)
    figure = axes[0].get_figure(root=True)
    assert figure is not None
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["ill", "well"]
    fewer = RULES.without_term("weight>70.25")
    assert [ax.get_xlabel() for ax in plot_columns(fewer, TABLE)] == ["age", "colour"]


def test_numbers_to_predict_divide_no_bars() -> None:
    rule = (Rule("price", parse("0 + 2")),)
    rules = RegressionRules(NAMES, INPUTS, rule, levels=LEVELS, crisp=True)
    ax = plot_column(rules, "age", TABLE, np.arange(ROWS, dtype=float))
    assert len(bars_of(ax)) == 1
    assert ax.get_legend() is None


def test_a_column_that_is_not_there_is_an_error() -> None:
    with pytest.raises(RuleError, match="no column 'height'; they mention 'age', 'weight'"):
        plot_column(RULES, "height", TABLE)


def test_rules_without_columns_have_no_figure() -> None:
    nothing = Rule("ill", parse("unknown")), Rule("well", parse("unknown"))
    rules = ClassificationRules(NAMES, INPUTS, nothing, levels=LEVELS, crisp=True)
    with pytest.raises(PlotError, match="these mention 0"):
        plot_columns(rules, TABLE)


def test_near_thresholds_have_numbers_side_by_side() -> None:
    places = spread_apart([0.1, 0.2, 0.21, 0.22, 0.9], 0.06)
    assert np.diff(places).min() >= 0.06 - 1e-9
    assert places == sorted(places)
    assert places[0] == pytest.approx(0.1, abs=0.06)
    assert places[-1] == 0.9


@pytest.mark.parametrize("name", ["$x^2$", "\\frac{1}{", "two\nlines", "w" * 200])
def test_names_are_no_formulas(name: str) -> None:
    rules = RULES.rename({"age": name}, {"ill": name})
    ax = plot_column(
        rules, name, TABLE.rename(columns={"age": name}), np.where(Y == "ill", name, Y)
    )
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.canvas.draw()
    assert "\n" not in ax.get_xlabel()
    assert len(ax.get_xlabel()) < 40
