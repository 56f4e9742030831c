"""What a column does is drawn as it is measured."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from crisplogic.plot import plot_shape
from tests.rules.rule_sets import LEARNED, PATIENTS, PRICE, rules_of

HOUSES = np.random.default_rng(0).uniform([4, 0, 0], [9, 20, 6], (100, 3))
PEOPLE = pd.DataFrame(
    {
        "glucose": [100.0, None, 170.0, 130.0],
        "smoker": [True, False, True, False],
        "eye colour": ["red", "light blue", "teal", "red"],
    }
)


def test_a_number_is_drawn_as_a_line_over_the_rows_that_there_are() -> None:
    ax, shape = plot_shape(PRICE, "rooms", HOUSES), PRICE.shape("rooms", HOUSES)
    (line,) = ax.get_lines()
    np.testing.assert_allclose(np.asarray(line.get_xdata()), np.array(shape.values))
    np.testing.assert_allclose(np.asarray(line.get_ydata()), shape.averages[:, 0])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rooms", "price, on average")
    assert len(ax.patches) > 1
    assert ax.get_legend() is None


def test_of_two_classes_one_is_drawn_and_of_several_all() -> None:
    ax = plot_shape(PATIENTS, "smoker", PEOPLE)
    assert len(ax.get_lines()) == 1
    assert ax.get_ylabel() == "probability of well, on average"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["false", "true"]
    several = plot_shape(LEARNED, "glucose", [[80, 30], [170, 40]])
    assert [line.get_label() for line in several.get_lines()] == ["ill", "well", "3"]
    assert several.get_legend() is not None


def test_a_missing_value_is_a_dotted_line() -> None:
    ax = plot_shape(PATIENTS, "glucose", PEOPLE)
    _, missing = ax.get_lines()
    assert missing.get_linestyle() == ":"
    assert missing.get_label() == "well, glucose missing"


def test_a_category_is_drawn_as_dots() -> None:
    ax = plot_shape(PATIENTS, "eye colour", PEOPLE)
    (dots,) = ax.get_lines()
    assert (dots.get_linestyle(), dots.get_marker()) == ("None", "o")
    words = [label.get_text() for label in ax.get_xticklabels()]
    assert words == ["red", "light blue", "other"]


@pytest.mark.parametrize("name", ["$x^2$", "\\frac{1}{2} \\$", "a_b^c", "$\\nonsense{$"])
def test_names_are_no_formulas(name: str) -> None:
    rules = rules_of("0", "~0", "unknown", labels=(name, "b", "c"), features=(name,))
    ax = plot_shape(rules, name, [[1.0], [-1.0], [np.nan]], ax=Figure().subplots())
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.canvas.draw()
    assert ax.get_xlabel() == name
