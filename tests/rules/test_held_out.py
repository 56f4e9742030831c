"""Held-out rows: what a size is worth, and how much too good the chosen one looks."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from crisplogic.rules import Frontier, Point, RuleSet
from crisplogic.rules.held_out import HeldOut, choose_size
from tests.rules.rule_sets import as_number, rules_of

Floats = NDArray[np.float64]


def of_size(size: int) -> RuleSet:
    return rules_of(" & ".join("0" * size) if size else "true")


def noise(seed: int, sizes: int = 12, rows: int = 150) -> Floats:
    """Errors of rules that know nothing: right or wrong by chance."""
    return np.random.default_rng(seed).integers(0, 2, size=(sizes, rows)).astype(np.float64)


def test_the_error_of_the_luckiest_is_too_small_and_its_optimism_says_by_how_much() -> None:
    told, expected = [], []
    for seed in range(200):
        errors = noise(seed)
        held_out = HeldOut.measure(errors, errors)
        told.append(held_out.errors[held_out.choose(12, 0.0)])
        expected.append(told[-1] + held_out.optimism(12, 0.0))
    assert np.mean(told) < 0.45
    assert np.mean(expected) == pytest.approx(0.5, abs=0.01)


def test_there_is_no_luck_in_a_choice_without_alternatives() -> None:
    errors = noise(0, sizes=1)
    assert HeldOut.measure(errors, errors).optimism(1, 0.0) < 0.01


def test_a_table_of_one_row_has_no_rows_to_spare() -> None:
    held_out = HeldOut.measure(np.ones((3, 1)), np.ones((3, 1)))
    assert held_out.choose(3, 0.5) == 0


def test_a_choice_without_doubt_is_not_corrected() -> None:
    clear = np.stack([np.ones(500), np.zeros(500), np.ones(500)])
    assert HeldOut.measure(clear, clear).optimism(3, 0.5) == 0


def test_folds_that_share_rows_are_less_sure() -> None:
    errors = noise(1)
    alone = HeldOut.measure(errors, errors).optimism(12, 0.0)
    shared = HeldOut.measure(errors, errors, folds=5).optimism(12, 0.0)
    assert shared == pytest.approx(1.5 * alone)


def test_sizes_are_compared_with_the_best_that_may_be_chosen() -> None:
    """Not with a larger one that is surely better, which would leave no doubt."""
    rng = np.random.default_rng(0)
    common = rng.normal(size=400)
    small, middle = common + 1.0, common + 0.95 + 2 * rng.normal(size=400)
    losses = np.stack([small, middle, middle - 0.9])
    held_out = HeldOut.measure(losses, losses)
    doubt = held_out.standard_errors(1, 2)
    assert doubt.tolist() == pytest.approx([(small - middle).std() / 20, 0.0])
    pairs = zip((1, 4, 9), held_out.losses, strict=True)
    points = [Point(of_size(size), 0.0, 0.0, loss, 0.0) for size, loss in pairs]
    frontier = Frontier(tuple(points), held_out=held_out)
    assert frontier.choose().size == 9
    assert frontier.choose(max_literals=5, tolerance=2.0).size == 1


def test_of_sizes_that_err_as_often_the_smallest_is_chosen_unless_it_is_surely_worse() -> None:
    losses, errors = np.array([0.5, 0.42, 0.4]), np.array([0.2, 0.2, 0.2])
    assert choose_size(losses, errors, np.array([0.12, 0.12, 0.0]), 0.1) == 0
    assert choose_size(losses, errors, np.array([0.04, 0.04, 0.0]), 0.1) == 1
    assert choose_size(losses, errors, np.array([0.01, 0.005, 0.0]), 0.1) == 2


def test_resamples_of_weighted_rows_draw_them_by_their_weights() -> None:
    errors = np.stack([np.repeat([1.0, 0.0], 50)])
    weights = np.repeat([3.0, 1.0], 50)
    held_out = HeldOut.measure(errors, errors, weights)
    assert held_out.errors.tolist() == [0.75]
    assert held_out.drawn_errors.mean() == pytest.approx(0.75, abs=0.02)


def test_the_expected_error_of_a_number_is_in_its_units() -> None:
    squares = np.random.default_rng(0).exponential(size=(8, 100))
    held_out = HeldOut.measure(squares, squares, unit=1000.0)
    chosen = held_out.choose(8, 0.0)
    optimism = held_out.optimism(8, 0.0)
    assert optimism > 0
    rules = [as_number(of_size(n + 1)) for n in range(8)]
    points = tuple(
        Point(own, 0.0, 1000 * error**0.5, 1e6 * loss)
        for own, error, loss in zip(rules, held_out.errors, held_out.losses, strict=True)
    )
    expected = 1000 * (held_out.errors[chosen] + optimism) ** 0.5
    found = Frontier(points, held_out=held_out).expected_error(tolerance=0.0)
    assert found == pytest.approx(expected)


def test_without_held_out_rows_no_error_is_expected() -> None:
    assert np.isnan(Frontier((Point(of_size(1), 0.1),)).expected_error())


def test_errors_have_bounds_of_one_standard_error() -> None:
    errors = noise(3, sizes=4, rows=400)
    low, high = HeldOut.measure(errors, errors).error_bounds()
    expected = np.sqrt(errors.var(axis=1) / 400)
    np.testing.assert_allclose((high - low) / 2, expected, rtol=0.3)
    np.testing.assert_allclose((high + low) / 2, errors.mean(axis=1))
    wider = HeldOut.measure(errors, errors, folds=5).error_bounds()
    np.testing.assert_allclose(wider[1] - wider[0], 1.5 * (high - low))


def test_bounds_of_a_number_are_in_its_units() -> None:
    squares = np.random.default_rng(0).chisquare(1, (1, 500))
    held_out = HeldOut.measure(squares, squares, unit=10.0)
    point = Point(as_number(of_size(1)), 1.0, 10 * float(np.sqrt(squares.mean())))
    bounds = Frontier((point,), held_out=held_out).error_bounds()
    assert bounds is not None
    assert bounds[0, 0] < point.held_out_error < bounds[1, 0]
    assert Frontier((point,)).error_bounds() is None
