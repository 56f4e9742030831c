"""Constraints: what users write becomes limits, or an error that says what to write instead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crisplogic.constraints.limits import Limits
from crisplogic.constraints.spec import Constraints

NAMES = ("age", "bmi", "smoker", "colour")
KINDS = ("number", "number", "boolean", "category")
TWO, THREE = ("no", "yes"), ("a", "b", "c")


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


# --- sizes ------------------------------------------------------------------------------------


def test_a_bound_on_the_size_of_rules_limits_no_column() -> None:
    limits = limits_of(THREE, max_literals_per_class={"b": 6})
    assert limits.max_literals is not None
    assert limits.max_literals.tolist() == [np.inf, 6, np.inf]
    assert limits.of_networks is None
    assert not limits.is_free


def test_one_bound_is_that_of_all_classes_and_of_two_the_least_counts() -> None:
    for asked in (5, {"no": 7, "yes": 5}, {"no": 5}):
        found = limits_of(max_literals_per_class=asked).max_literals
        assert found is not None
        assert found.tolist() == [5, 5]


def test_a_bound_names_classes() -> None:
    with pytest.raises(ValueError, match=r"must name classes, that is \['no', 'yes'\], got"):
        read(max_literals_per_class={"Yes": 5})
