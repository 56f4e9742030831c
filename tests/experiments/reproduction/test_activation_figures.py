"""Figures 1 to 3: they draw, and what they draw is what the paper argues from."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
import pytest

from crisplogic.algebra import fuzzy, fuzzy_gradients, fuzzy_root, fuzzy_squared
from experiments.reproduction.activation_figures import (
    ALPHAS,
    CURVES,
    SURFACES,
    TRUE_FALSE,
    TRUE_TRUE,
    boundary,
    pictures,
    section,
    steps,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INSIDE = np.linspace(-0.99, 0.99, 200)


@pytest.fixture(scope="module")
def drawn() -> dict[str, Figure]:
    return pictures()


def line_of(axes: Axes, name: str) -> np.ndarray:
    (line,) = [line for line in axes.get_lines() if line.get_label() == name]
    return np.asarray(line.get_ydata(), dtype=np.float64)


@pytest.mark.parametrize("name", ["figure-1", "figure-2", "figure-3"])
def test_every_figure_can_be_saved_at_the_width_of_a_page(
    drawn: dict[str, Figure], name: str
) -> None:
    file = BytesIO()
    drawn[name].savefig(file, format="png", dpi=50)
    assert file.getvalue().startswith(b"\x89PNG")
    assert drawn[name].get_figwidth() == 7


def test_figure_1_has_a_surface_and_a_map_for_each_alpha(drawn: dict[str, Figure]) -> None:
    titles = [ax.get_title() for ax in drawn["figure-1"].axes if ax.get_title()]
    assert titles == [f"α = {alpha:g}\n{name}" for alpha, name in SURFACES.items()]
    maps = [ax for ax in drawn["figure-1"].axes if len(ax.texts) == 4]
    assert [[text.get_text() for text in ax.texts] for ax in maps] == [
        ["+1", "-1", "-1", "-1"],
        ["+1", "-1", "-1", "-0.3"],
        ["+1", "-1", "-1", "+1"],
        ["-0.3", "-1", "-1", "+1"],
        ["-1", "-1", "-1", "+1"],
    ]


@pytest.mark.parametrize(("name", "x", "y"), [("figure-2", 1, 1), ("figure-3", 1, -1)])
def test_the_curves_are_the_papers_equations(
    drawn: dict[str, Figure], name: str, x: float, y: float
) -> None:
    values, *_ = drawn[name].axes
    for label, (function, _) in CURVES.items():
        np.testing.assert_array_equal(line_of(values, label), function(x, y, ALPHAS))


def test_no_step_is_drawn_for_eq_2_on_true_and_false_and_some_for_the_others(
    drawn: dict[str, Figure],
) -> None:
    _, descent, _ = drawn["figure-3"].axes
    assert not line_of(descent, "Eq. 2").any()
    for rival in ("Eq. 1", "Eq. 3"):
        assert np.nanmax(np.abs(line_of(descent, rival))) > 0.05


def test_steps_go_against_the_slope_of_half_the_squared_error() -> None:
    values = fuzzy(np.ones_like(INSIDE), np.ones_like(INSIDE), INSIDE)
    slopes = fuzzy_gradients(np.ones_like(INSIDE), np.ones_like(INSIDE), INSIDE)[2]
    expected = -(values - 1) * slopes
    np.testing.assert_allclose(steps(fuzzy, TRUE_TRUE, INSIDE), expected, atol=1e-12)


@pytest.mark.parametrize("function", [fuzzy, fuzzy_root])
def test_on_true_and_true_eq_2_and_3_move_negative_alphas_only(function: object) -> None:
    assert callable(function)
    found = steps(function, TRUE_TRUE, INSIDE)
    assert (found[INSIDE < 0] > 0).all()
    np.testing.assert_allclose(found[INSIDE > 0], 0, atol=1e-12)


def test_the_boundarys_are_where_the_equations_turn() -> None:
    # Eq. 1 on true/false turns where (a^2 + 1)^2 = 2, Eq. 3 where a^2 = 1/2.
    assert boundary(fuzzy_squared, TRUE_FALSE) == pytest.approx((2**0.5 - 1) ** 0.5, abs=0.002)
    assert boundary(fuzzy_root, TRUE_FALSE) == pytest.approx(0.5**0.5, abs=0.002)
    assert boundary(fuzzy_squared, TRUE_TRUE) == pytest.approx(0.49, abs=0.005)


def test_the_section_shows_all_figures_and_says_what_the_papers_own_target_does() -> None:
    text = section("pictures")
    assert text.startswith("## Figures 1 to 3")
    assert [f"(pictures/figure-{number}.png)" in text for number in (1, 2, 3)] == [True] * 3
    assert "with that target Eq. 2 does not move alpha either" in text
