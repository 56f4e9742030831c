"""Constraints: what users write becomes limits, or an error that says what to write instead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from crisplogic.constraints.limits import Limits
from crisplogic.constraints.spec import Constraints
from crisplogic.expr import Expr, evaluate, parse
from tests.strategies import INPUTS, degrees, logic_values, tables

NAMES = ("age", "bmi", "smoker", "colour")
KINDS = ("number", "number", "boolean", "category")
TWO, THREE = ("no", "yes"), ("a", "b", "c")
OUTPUTS = 3

bools = hnp.arrays(bool, (INPUTS, OUTPUTS))
ballots = hnp.arrays(np.float64, OUTPUTS, elements=st.sampled_from([-1.0, 0.0, 1.0]))


def read(classes: tuple[object, ...] | None = TWO, **asked: Any) -> Constraints:
    return Constraints.read(NAMES, KINDS, classes, **asked)


def limits_of(classes: tuple[object, ...] | None = TWO, **asked: Any) -> Limits:
    limits = read(classes, **asked).limits
    assert limits is not None
    return limits


def only(*outputs: int, of: int) -> list[bool]:
    return [number in outputs for number in range(of)]


# --- directions -------------------------------------------------------------------------------


def test_nothing_asked_for_limits_nothing() -> None:
    asked = read(forbidden_columns=(), monotone={}, forbidden_pairs=[])
    assert (asked.forbidden, asked.limits, asked.negated) == ((), None, ())


def test_up_is_said_of_the_second_of_two_classes() -> None:
    limits = limits_of(monotone={"bmi": "up"})
    assert limits.rises[1].tolist() == only(1, of=2)
    assert limits.falls[1].tolist() == only(0, of=2)
    assert limits.directed.tolist() == [False, True, False, False]
    same = limits_of(monotone={1: {"no": "down"}})
    assert np.array_equal(same.rises, limits.rises)
    assert np.array_equal(same.falls, limits.falls)


def test_up_for_a_class_lets_its_score_rise_and_all_others_fall() -> None:
    limits = limits_of(THREE, monotone={"age": {"b": "up"}, "smoker": {"b": "down"}})
    assert limits.rises[0].tolist() == limits.falls[2].tolist() == only(1, of=3)
    assert limits.falls[0].tolist() == limits.rises[2].tolist() == only(0, 2, of=3)


def test_of_a_number_up_is_the_number_itself() -> None:
    limits = limits_of(None, monotone={"age": "up", "bmi": "down"})
    assert limits.rises.tolist() == [[True], [False], [True], [True]]
    assert limits.falls.tolist() == [[False], [True], [True], [True]]


def test_several_statements_hold_at_once() -> None:
    limits = limits_of(THREE, monotone={"age": {"a": "up", "b": "down"}})
    assert limits.rises[0].tolist() == only(0, of=3)
    assert limits.falls[0].tolist() == only(1, of=3)
    twice = limits_of(monotone={"age": "up", 0: "down"})
    assert not (twice.rises[0] | twice.falls[0]).any()  # a column that must change nothing


@pytest.mark.parametrize(
    ("classes", "monotone", "negated"),
    [
        (TWO, {"age": "up", "bmi": "down"}, (1,)),
        (TWO, {"age": {"yes": "up"}, "bmi": {"no": "up"}}, (1,)),
        (TWO, {"age": {"no": "up"}, "bmi": {"yes": "up"}}, (1,)),
        (THREE, {"age": {"a": "down"}, "bmi": {"b": "up"}, "smoker": {"a": "up"}}, (0, 1)),
        (THREE, {"age": {"a": "up", "b": "up"}}, ()),
        (None, {"smoker": "down"}, (2,)),
    ],
)
def test_columns_that_are_limited_are_turned_to_rise_for_the_class_that_came_first(
    classes: Any, monotone: Any, negated: tuple[int, ...]
) -> None:
    assert read(classes, monotone=monotone).negated == negated


# --- columns and pairs ------------------------------------------------------------------------


def test_columns_are_named_or_counted() -> None:
    assert read(forbidden_columns=["colour", 0, np.int64(0)]).forbidden == (0, 3)
    assert read(forbidden_columns=["age"], monotone={"age": "up"}).forbidden == (0,)


def test_forbidden_pairs_leave_all_others() -> None:
    pairs = limits_of(forbidden_pairs=[("bmi", "age"), (2, "colour")]).pairs
    assert pairs is not None
    assert sorted(zip(*np.nonzero(~pairs), strict=True)) == [(0, 1), (1, 0), (2, 3), (3, 2)]


def test_allowed_pairs_leave_no_others_but_a_column_with_itself() -> None:
    pairs = limits_of(allowed_pairs=[("age", "bmi")]).pairs
    assert pairs is not None
    assert pairs.tolist() == (np.eye(4) + np.eye(4)[[1, 0, 2, 3]] * [1, 1, 0, 0] > 0).tolist()
    none = limits_of(allowed_pairs=[]).pairs
    assert none is not None
    assert none.tolist() == np.eye(4, dtype=bool).tolist()


# --- mistakes ---------------------------------------------------------------------------------

MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"forbidden_columns": ["Age "]}, "no column 'Age '.*did you mean 'age'"),
    ({"forbidden_columns": [4]}, "no column 4: the columns are 'age', 'bmi'"),
    ({"forbidden_columns": [-1]}, "no column -1"),
    ({"forbidden_columns": [True]}, "no column True"),
    ({"forbidden_columns": "age"}, "forbidden_columns must be a list of columns, got 'age'"),
    ({"forbidden_columns": NAMES}, "must leave a column to learn from, got all 4"),
    ({"monotone": ["age"]}, "monotone must be a mapping of columns"),
    ({"monotone": {"bmy": "up"}}, "no column 'bmy'.*did you mean 'bmi'"),
    ({"monotone": {"age": "upwards"}}, r"monotone\['age'\] must be one of 'up', 'down', got"),
    (
        {"monotone": {"age": {"yes": 1}}},
        r"monotone\['age'\] must be one of 'up', 'down', got 1",
    ),
    ({"monotone": {"age": {"Yes": "up"}}}, "no class 'Yes'.*'no', 'yes'; did you mean 'yes'"),
    ({"monotone": {"colour": "up"}}, "'colour' holds texts; give its values numbers"),
    ({"allowed_pairs": [], "forbidden_pairs": []}, "must not be given at once"),
    ({"allowed_pairs": [("age",)]}, "allowed_pairs must be a list of pairs.*got \\('age',\\)"),
    ({"allowed_pairs": [("age", "age")]}, "two different columns"),
    ({"forbidden_pairs": ["ab"]}, "forbidden_pairs must be a list of pairs.*got 'ab'"),
    ({"forbidden_pairs": "ab"}, "forbidden_pairs must be a list of pairs"),
    ({"forbidden_pairs": [("age", "bmj")]}, "forbidden_pairs.*no column 'bmj'.*'bmi'"),
]


@pytest.mark.parametrize(("asked", "message"), MISTAKES, ids=[text for _, text in MISTAKES])
def test_mistakes_are_explained(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read(**asked)


def test_of_three_classes_one_has_to_be_named() -> None:
    with pytest.raises(ValueError, match=r"as {'a': 'up'}, for there are 3 classes, got 'up'"):
        read(THREE, monotone={"age": "up"})


def test_a_number_has_no_classes() -> None:
    with pytest.raises(ValueError, match="'up' or 'down', for a number is predicted"):
        read(None, monotone={"age": {"yes": "up"}})


def test_limits_of_other_shapes_are_refused() -> None:
    ones = np.ones((2, 3), bool)
    with pytest.raises(ValueError, match="one shape"):
        Limits(ones, ones[:1])
    with pytest.raises(ValueError, match="columns by columns"):
        Limits(ones, ones, np.ones((3, 3), bool))


# --- terms ------------------------------------------------------------------------------------


@given(logic_values, ballots, bools, bools, tables(), st.integers(0, INPUTS - 1), degrees)
def test_a_term_that_is_permitted_does_to_no_score_what_is_not(
    term: Expr,
    ballot: NDArray[np.float64],
    rises: NDArray[np.bool_],
    falls: NDArray[np.bool_],
    table: NDArray[np.float64],
    column: int,
    degree: float,
) -> None:
    if Limits(rises, falls).permit(term, ballot, np.arange(INPUTS)):
        higher = table.copy()
        higher[:, column] = np.maximum(higher[:, column], degree)
        change = np.outer(evaluate(term, higher) - evaluate(term, table), ballot)
        assert (change[:, ~rises[column]] <= 1e-12).all()
        assert (change[:, ~falls[column]] >= -1e-12).all()


@given(logic_values, ballots)
def test_without_limits_everything_is_permitted(
    term: Expr, ballot: NDArray[np.float64]
) -> None:
    assert Limits.free(INPUTS, OUTPUTS).permit(term, ballot, np.arange(INPUTS))


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("0 & 1", True),
        ("0 | 2", False),
        ("1 & 0 & 2", False),
        ("0 & 3", True),
        ("2 ^ 3", False),
    ],
)
def test_columns_that_must_not_meet_do_not(text: str, fine: bool) -> None:
    pairs = np.array([[True, True, False], [True, True, True], [False, True, True]])
    free = np.ones((3, 1), bool)
    feature = np.array([0, 1, 2, 0])  # inputs 0 and 3 are two thresholds of one column
    limits = Limits(free, free, pairs)
    assert limits.permit(parse(text), np.array([1.0]), feature) is fine


def test_what_is_not_voted_for_is_not_limited() -> None:
    down = Limits(np.array([[False, True]]), np.array([[True, True]]))
    assert down.permit(parse("0"), np.array([0.0, 1.0]), np.array([0]))
    assert not down.permit(parse("0"), np.array([1.0, 0.0]), np.array([0]))
