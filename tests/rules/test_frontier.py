"""Frontiers: the best rules of every size, and the choice among them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisplogic.errors import RuleError
from crisplogic.rules import Frontier, Point, RuleSet
from crisplogic.rules.held_out import NEGLIGIBLE
from tests.rules.rule_sets import NAN, as_number, rules_of


def of_size(size: int) -> RuleSet:
    return rules_of(" & ".join("0" * size) if size else "true")


def frontier(*points: tuple[int, float, float]) -> Frontier:
    """Points given by size, held-out loss and its standard error."""
    return Frontier(
        tuple(
            Point(
                of_size(size),
                error=0.5 / (size + 1),
                held_out_error=0.25 / (size + 1),
                held_out_loss=loss,
                standard_error=doubt,
            )
            for size, loss, doubt in points
        )
    )


JUDGED = frontier(
    (1, 0.9, 0.2), (2, 0.548, 0.1), (4, 0.52, 0.05), (7, 0.5, 0.0), (9, 0.6, 0.03)
)
UNJUDGED = Frontier(tuple(Point(of_size(size), error=0.1) for size in (0, 2, 5)))


@pytest.mark.parametrize(("tolerance", "size"), [(0, 7), (0.45, 4), (0.5, 2), (1, 2), (2, 1)])
def test_the_chosen_is_the_smallest_within_some_standard_errors_of_the_least_loss(
    tolerance: float, size: int
) -> None:
    assert JUDGED.choose(tolerance=tolerance).size == size


def test_by_default_a_quarter_of_a_standard_error_is_allowed() -> None:
    assert frontier((1, 0.5625, 0.25), (3, 0.5, 0.0)).choose().size == 1
    assert frontier((1, 0.563, 0.25), (3, 0.5, 0.0)).choose().size == 3


def test_what_is_too_large_neither_is_chosen_nor_sets_the_least_loss() -> None:
    assert JUDGED.choose(max_literals=1).size == 1
    points = (1, 0.9, 0.9), (3, 0.7, 0.1), (9, 0.1, 0.0)
    assert frontier(*points).choose().size == 9
    assert frontier(*points).choose(max_literals=8).size == 1
    assert frontier(*points).choose(max_literals=9).size == 9


def test_without_held_out_rows_the_largest_that_is_allowed_is_chosen() -> None:
    assert UNJUDGED.choose().size == 5
    assert UNJUDGED.choose(max_literals=4).size == 2
    assert UNJUDGED.choose(max_literals=0).size == 0


def test_the_best_rules_of_at_most_some_size_are_the_largest_of_them() -> None:
    assert [JUDGED.at(size).size for size in (1, 2, 3, 4, 8, 100)] == [1, 2, 2, 4, 7, 9]


@pytest.mark.parametrize("size", [0, -1])
def test_where_nothing_is_small_enough_the_error_says_what_the_smallest_is(size: int) -> None:
    for choose in (JUDGED.at, JUDGED.choose):
        with pytest.raises(RuleError, match=f"at most {size} literals .* smallest have 1"):
            choose(size)


sizes = st.lists(st.integers(0, 12), min_size=1, max_size=6, unique=True).map(sorted)
numbers = st.floats(0, 10)


@given(sizes, st.data())
def test_the_choice_keeps_its_promise_whatever_the_numbers(
    sizes: list[int], data: st.DataObject
) -> None:
    # As in a search: the doubt is that of the difference to the best, which is 0 for itself.
    judged = frontier(*((size, data.draw(numbers), data.draw(numbers)) for size in sizes))
    limit = data.draw(st.none() | st.integers(sizes[0], 12))
    tolerance = data.draw(st.floats(0, 3))
    allowed = [point for point in judged if limit is None or point.size <= limit]
    least = min(point.held_out_loss for point in allowed)
    chosen = judged.choose(limit, tolerance)
    assert chosen in allowed
    negligible = NEGLIGIBLE * max(point.held_out_loss for point in allowed)
    # The smallest sizes err most here, so that none is preferred because it errs less.
    for point in allowed[: allowed.index(chosen) + 1]:
        above = point.held_out_loss - least - negligible
        assert (above <= tolerance * point.standard_error) == (point is chosen)


def test_larger_rules_that_err_more_often_are_not_chosen() -> None:
    rules = [of_size(size) for size in (1, 4, 9)]
    figures = [(0.4, 0.30, 0.02), (0.1, 0.22, 0.02), (0.2, 0.20, 0.0)]
    points = [
        Point(own, 0.0, error, loss, doubt)
        for own, (error, loss, doubt) in zip(rules, figures, strict=True)
    ]
    assert Frontier(tuple(points)).choose(tolerance=0.5).size == 4
    # But not if their loss leaves no doubt.
    points[1] = replace(points[1], standard_error=0.005)
    assert Frontier(tuple(points)).choose(tolerance=0.5).size == 9


def test_the_size_of_a_point_is_that_of_its_rules() -> None:
    point = Point(of_size(3), error=0.25)
    assert point.size == 3
    assert math.isnan(point.held_out_error)
    assert math.isnan(point.held_out_loss)
    assert math.isnan(point.standard_error)


def test_it_is_a_sequence_of_its_points() -> None:
    assert len(JUDGED) == 5
    assert list(JUDGED) == list(JUDGED.points)
    assert JUDGED[0] is JUDGED.points[0]
    assert JUDGED[-1] is JUDGED.points[-1]


def test_it_prints_a_line_a_size_with_errors_in_percent_and_the_loss_that_chooses() -> None:
    text = str(frontier((1, 0.9, 0.2), (12, 0.5, 0.0)))
    assert [line.split() for line in text.splitlines()[2:]] == [
        ["1", "25.0%", "12.5%", "0.9000", "±", "0.2000"],
        ["12", "3.8%", "1.9%", "0.5000", "±", "0.0000"],
    ]
    assert "Brier score" in text


def test_the_baseline_is_the_last_line() -> None:
    with_baseline = replace(JUDGED, baseline=0.375)
    assert str(with_baseline).splitlines()[-1] == "always the most frequent class: 37.5%"
    assert "always" not in str(JUDGED)


def test_without_held_out_rows_there_is_no_error_on_them() -> None:
    assert [line.split()[-1] for line in str(UNJUDGED).splitlines()[2:]] == ["-"] * 3
    assert "nan" not in str(Frontier((Point(of_size(1), error=0.5, held_out_error=NAN),)))


def test_only_the_marked_size_is_marked() -> None:
    lines = JUDGED.to_text(mark=4).splitlines()
    assert [line.endswith("<- chosen") for line in lines] == [False] * 4 + [True] + [False] * 2
    assert "chosen" not in JUDGED.to_text()


# --- numbers ----------------------------------------------------------------------------------


def of_numbers(*errors: tuple[int, float, float]) -> Frontier:
    """Points given by size and both errors."""
    return Frontier(
        tuple(
            Point(as_number(of_size(size)), training, held_out, held_out**2, 0.0)
            for size, training, held_out in errors
        )
    )


def test_errors_of_numbers_are_printed_in_their_units() -> None:
    text = of_numbers((1, 45678.9, 51234.5), (12, 4.1, NAN)).to_text(mark=12)
    assert text.splitlines() == [
        "               root mean squared error  mean squared error",
        "literals  training rows  held-out rows  held-out rows",
        "       1          45680          51230  2625000000 ± 0",
        "      12          4.100              -  -                   <- chosen",
    ]


def test_a_frontier_knows_what_its_rules_predict() -> None:
    assert of_numbers((1, 1.0, 1.0)).predicts == "number"
    assert JUDGED.predicts == Frontier(()).predicts == "class"


def test_sizes_of_numbers_are_chosen_as_those_of_classes() -> None:
    frontier = of_numbers((1, 3.0, 5.0), (4, 2.0, 2.5), (9, 1.0, 2.5))
    assert frontier.choose().size == 4
    assert frontier.at(3).size == 1
