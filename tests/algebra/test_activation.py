"""The activation and its rivals: the paper's values, slopes and symmetries."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic.algebra import (
    fuzzy,
    fuzzy_gradients,
    fuzzy_root,
    fuzzy_root_nary,
    fuzzy_squared,
)
from tests.strategies import alphas, degrees

SNAPPED = (-1.0, 0.0, 1.0)
CRISP_PAIRS = list(itertools.product((-1.0, 1.0), repeat=2))
TRUTH_TABLES = {-1.0: (1, -1, -1, -1), 0.0: (1, -1, -1, 1), 1.0: (-1, -1, -1, 1)}
ULP = float(np.finfo(np.float64).eps)

Floats = NDArray[np.float64]


@pytest.fixture(scope="module")
def points() -> tuple[Floats, Floats, Floats]:
    """Many x, y and alpha, the corners and the kink among them."""
    grid = np.linspace(-1, 1, 9)
    x, y, alpha = (values.ravel() for values in np.meshgrid(grid, grid, grid))
    random = np.random.default_rng(0).uniform(-1, 1, (3, 1000))
    return (
        np.concatenate([x, random[0]]),
        np.concatenate([y, random[1]]),
        np.concatenate([alpha, random[2]]),
    )


@pytest.mark.parametrize("activation", [fuzzy, fuzzy_squared, fuzzy_root])
@pytest.mark.parametrize("alpha", SNAPPED)
def test_equations_1_2_and_3_agree_on_the_truth_table(
    activation: Callable[[float, float, float], float], alpha: float
) -> None:
    values = tuple(activation(x, y, alpha) for x, y in CRISP_PAIRS)
    assert values == TRUTH_TABLES[alpha]


@given(degrees, degrees, alphas)
def test_it_stays_between_false_and_true(x: float, y: float, alpha: float) -> None:
    assert abs(fuzzy(x, y, alpha)) <= 1 + 2 * ULP


@given(degrees, degrees, st.sampled_from(SNAPPED))
def test_snapped_it_stays_between_them_without_any_rounding_error(
    x: float, y: float, alpha: float
) -> None:
    assert abs(fuzzy(x, y, alpha)) <= 1


@given(degrees, degrees, alphas)
def test_it_is_commutative(x: float, y: float, alpha: float) -> None:
    assert fuzzy(x, y, alpha) == fuzzy(y, x, alpha)


@given(degrees, degrees, alphas)
def test_the_opposite_alpha_is_de_morgans_dual(x: float, y: float, alpha: float) -> None:
    assert fuzzy(x, y, -alpha) == fuzzy(-x, -y, alpha)


@given(alphas)
def test_of_true_and_false_it_is_false_whatever_alpha(alpha: float) -> None:
    assert fuzzy(1.0, -1.0, alpha) == pytest.approx(-1, abs=2 * ULP)


@given(degrees, degrees, alphas)
def test_it_is_bilinear_with_a_softsign_of_alpha(x: float, y: float, alpha: float) -> None:
    b = alpha / (1 + abs(alpha))
    bilinear = (1 - abs(b)) * x * y + b * (x + y) - abs(b)
    assert fuzzy(x, y, alpha) == pytest.approx(bilinear, abs=8 * ULP)


@given(degrees, degrees)
def test_at_alpha_zero_the_values_are_exact_and_finite(x: float, y: float) -> None:
    assert fuzzy(x, y, 0.0) == x * y
    assert fuzzy_gradients(x, y, 0.0) == (y, x, x + y)


def test_everything_is_finite_everywhere(points: tuple[Floats, Floats, Floats]) -> None:
    for values in (fuzzy(*points), *fuzzy_gradients(*points), fuzzy_root(*points)):
        assert np.isfinite(values).all()


@given(degrees, degrees, alphas)
def test_the_derivatives_are_those_of_finite_differences(
    x: float, y: float, alpha: float
) -> None:
    step = 1e-6
    assume(abs(alpha) > 2 * step)  # away from the kink
    point = np.array([x, y, alpha])
    for derivative, direction in zip(fuzzy_gradients(x, y, alpha), np.eye(3), strict=True):
        ahead, behind = point + step * direction, point - step * direction
        slope = (fuzzy(*ahead) - fuzzy(*behind)) / (2 * step)
        assert derivative == pytest.approx(slope, abs=1e-8)


def test_the_derivatives_are_those_of_autograd(points: tuple[Floats, Floats, Floats]) -> None:
    tensors = [torch.from_numpy(values).requires_grad_() for values in points]
    by_autograd = torch.autograd.grad(fuzzy(*tensors).sum(), tensors)
    for derivative, expected in zip(fuzzy_gradients(*points), by_autograd, strict=True):
        np.testing.assert_allclose(derivative, expected.numpy(), rtol=0, atol=1e-14)


@given(degrees, degrees, st.floats(0, 1, exclude_min=True))
def test_it_peaks_at_alpha_zero(x: float, y: float, alpha: float) -> None:
    *_, above = fuzzy_gradients(x, y, alpha)
    *_, below = fuzzy_gradients(x, y, -alpha)
    assert above == pytest.approx(-(1 - x) * (1 - y) / (1 + alpha) ** 2, abs=4 * ULP)
    assert below == pytest.approx((1 + x) * (1 + y) / (1 + alpha) ** 2, abs=4 * ULP)
    assert above <= 4 * ULP
    assert below >= -4 * ULP


@given(alphas)
def test_true_and_false_give_alpha_no_gradient(alpha: float) -> None:
    assert fuzzy_gradients(1.0, -1.0, alpha)[2] == 0
    assert fuzzy_gradients(-1.0, 1.0, alpha)[2] == 0


@pytest.mark.parametrize("activation", [fuzzy, fuzzy_squared])
def test_numpy_and_torch_give_the_same_bits(
    activation: Callable[..., Any], points: tuple[Floats, Floats, Floats]
) -> None:
    tensors = [torch.from_numpy(values) for values in points]
    assert activation(*points).tobytes() == activation(*tensors).numpy().tobytes()


def test_numpy_and_torch_give_the_same_bits_of_the_derivatives(
    points: tuple[Floats, Floats, Floats],
) -> None:
    tensors = [torch.from_numpy(values) for values in points]
    for ours, theirs in zip(fuzzy_gradients(*points), fuzzy_gradients(*tensors), strict=True):
        assert ours.tobytes() == theirs.numpy().tobytes()


def test_numpy_and_torch_agree_on_the_root(points: tuple[Floats, Floats, Floats]) -> None:
    tensors = [torch.from_numpy(values) for values in points]
    np.testing.assert_allclose(fuzzy_root(*points), fuzzy_root(*tensors).numpy(), atol=1e-15)


def test_shapes_broadcast() -> None:
    x, y, alpha = np.zeros((4, 1, 3)), np.zeros((2, 1)), np.zeros(3)
    assert fuzzy(x, y, alpha).shape == (4, 2, 3)


@pytest.mark.parametrize("inputs", [1, 2, 3, 4, 7])
def test_the_n_ary_root_is_parity_and_all(inputs: int) -> None:
    for pattern in itertools.product((-1.0, 1.0), repeat=inputs):
        falses = pattern.count(-1.0)
        assert fuzzy_root_nary(pattern, 0.0) == pytest.approx((-1) ** falses)
        assert fuzzy_root_nary(pattern, 1.0) == pytest.approx(1 if falses == 0 else -1)


@pytest.mark.parametrize("inputs", [2, 4, 6])
def test_the_n_ary_root_is_none_of_an_even_number_of_inputs(inputs: int) -> None:
    for pattern in itertools.product((-1.0, 1.0), repeat=inputs):
        expected = -1 if 1.0 in pattern else 1
        assert fuzzy_root_nary(pattern, -1.0) == pytest.approx(expected)


@pytest.mark.parametrize("inputs", [1, 3, 5])
def test_the_papers_n_ary_root_leaves_the_range_at_none_of_an_odd_number(inputs: int) -> None:
    assert fuzzy_root_nary([-1.0] * inputs, -1.0) == pytest.approx(-3)


@given(degrees, degrees, alphas)
def test_the_root_is_the_papers_signed_square_root(x: float, y: float, alpha: float) -> None:
    t = (x + alpha) * (y + alpha)
    assume(abs(t) > 1e-12)
    expected = np.sign(t) * np.sqrt(abs(t)) - abs(alpha)
    assert fuzzy_root(x, y, alpha) == pytest.approx(expected, abs=1e-14)


def test_where_the_root_touches_zero_it_is_a_straight_line_without_a_jump() -> None:
    t = np.linspace(-1e-12, 1e-12, 11)
    values = fuzzy_root(t, np.ones_like(t), 0.0)
    np.testing.assert_allclose(values, t * 1e6, rtol=1e-12)
    assert fuzzy_root(1.0001e-12, 1.0, 0.0) == pytest.approx(1e-6, rel=1e-3)


def test_the_gradient_of_the_root_is_finite_where_it_touches_zero() -> None:
    x = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(fuzzy_root(x, torch.ones_like(x), 0.0), x)
    assert slope.item() == pytest.approx(1e6)


# --- what the paper says of the equations -----------------------------------------------------


@given(x=degrees, y=degrees, z=degrees, alpha=st.floats(0, 1))
def test_it_is_associative_with_true_as_neutral_element_for_no_negative_alpha(
    x: float, y: float, z: float, alpha: float
) -> None:
    left = fuzzy(fuzzy(x, y, alpha), z, alpha)
    assert left == pytest.approx(fuzzy(x, fuzzy(y, z, alpha), alpha), abs=1e-12)
    assert fuzzy(x, 1.0, alpha) == pytest.approx(x, abs=1e-12)


@pytest.mark.parametrize("alpha", [-1.0, -0.5, -0.01])
def test_for_negative_alpha_it_is_neither(alpha: float) -> None:
    left = fuzzy(fuzzy(0.9, 0.5, alpha), -0.7, alpha)
    assert abs(left - fuzzy(0.9, fuzzy(0.5, -0.7, alpha), alpha)) > 1e-3
    assert abs(fuzzy(0.5, 1.0, alpha) - 0.5) > 1e-3


@pytest.mark.parametrize("alpha", [-0.9, -0.5, 0.0, 0.5, 0.9])
def test_it_is_monotonic_at_nor_and_and_alone(alpha: float) -> None:
    slopes = {y: fuzzy_gradients(0.3, y, alpha)[0] for y in (-1.0, 1.0)}
    assert slopes[-1.0] < 0 < slopes[1.0]
    for y in (-1.0, 0.0, 1.0):
        assert fuzzy_gradients(0.3, y, 1.0)[0] >= 0 >= fuzzy_gradients(0.3, y, -1.0)[0]


@pytest.mark.parametrize("alpha", [0.2, 0.5, 0.8])
def test_on_true_true_only_the_squared_rival_pulls_a_positive_alpha(alpha: float) -> None:
    assert fuzzy_squared(1.0, 1.0, alpha) > 1
    assert fuzzy(1.0, 1.0, alpha) == pytest.approx(1.0)
    assert fuzzy_root(1.0, 1.0, alpha) == pytest.approx(1.0)


@pytest.mark.parametrize("alpha", [-0.8, -0.2, 0.2, 0.8])
def test_on_true_false_both_rivals_move_alpha(alpha: float) -> None:
    assert fuzzy(1.0, -1.0, alpha) == pytest.approx(-1.0)
    assert abs(fuzzy_squared(1.0, -1.0, alpha) + 1) > 1e-3
    assert abs(fuzzy_root(1.0, -1.0, alpha) + 1) > 1e-3
