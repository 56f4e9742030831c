"""Plain values as JSON: each comes back as what it was, and of the type that is declared."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic.errors import EstimatorFileError
from crisplogic.estimators.codec import PARTS, Reader, Writer
from crisplogic.estimators.type_hints import has_type
from crisplogic.rules import Flag, Level, Missing, Step
from tests.rules.crisp_rules import CLINIC

characters = st.text(st.characters(), max_size=4)  # halves of surrogate pairs, too
scalars = st.none() | st.booleans() | st.integers() | st.floats() | characters
plain = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(scalars.filter(lambda key: key == key), inner, max_size=3)
    ),
    max_leaves=8,
)


def through_json(value: Any) -> Any:
    writer = Writer()
    entry = json.loads(json.dumps(writer.write(value, "it"), allow_nan=False))
    return Reader(writer.arrays).read(entry)


@given(plain)
def test_plain_values_come_back_as_they_were(value: Any) -> None:
    assert repr(through_json(value)) == repr(value)


def test_numbers_of_numpy_become_those_of_python() -> None:
    given = [np.int64(3), np.float32(0.5), np.bool_(True), np.str_("a")]
    assert through_json(given) == [3, 0.5, True, "a"]
    assert [type(each) for each in through_json(given)] == [int, float, bool, str]


def test_sets_come_back_as_what_they_were() -> None:
    for value in ({"b", "a", 1}, frozenset({"or", "and"}), set()):
        assert through_json(value) == value
        assert type(through_json(value)) is type(value)


def test_a_dictionary_that_looks_like_an_entry_is_one_all_the_same() -> None:
    value = {"type": "array", "name": "0"}
    assert through_json(value) == value


@pytest.mark.parametrize("name", sorted(PARTS))
def test_every_listed_class_refuses_fields_that_it_does_not_have(name: str) -> None:
    with pytest.raises(EstimatorFileError, match="has no field 'x'"):
        Reader({}).read({"type": name, "fields": {"x": 1}})
    with pytest.raises(EstimatorFileError, match="needs the field"):
        Reader({}).read({"type": name, "fields": {}})


def test_a_generator_whose_place_is_beyond_its_numbers_is_refused() -> None:
    writer = Writer()
    entry = writer.write(np.random.RandomState(0), "it")
    items = dict(entry["state"]["items"])
    (inner,) = [each for key, each in entry["state"]["items"] if key == "state"]
    for pair in inner["items"]:
        if pair[0] == "pos":
            pair[1] = 10**6
    assert "state" in items
    with pytest.raises(EstimatorFileError, match="not sound"):
        Reader(writer.arrays).read(entry)


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        (int, [0, -5], [True, 1.0, "1", None]),
        (float, [0.5, 3, math.nan], [True, "1", 10**400]),
        (bool, [True], [1, None]),
        (str | None, ["", None], [1]),
        (Literal["text", 1], ["text", 1], ["other", True]),
        (tuple[int, ...], [(), (1, 2)], [[1], (1, "a"), (True,)]),
        (tuple[float, float] | None, [(1, 2.5), None], [(1.0,), (1.0, 2.0, 3.0)]),
        (list[str], [[], ["a"]], [("a",), [1]]),
        (frozenset[str] | None, [frozenset({"a"}), None], [{"a"}, frozenset({1})]),
        (Sequence[int], [[1], (1,)], [{1: 1}, ["a"]]),
        (Mapping[str, int], [{}, {"a": 1}], [{"a": "b"}, {1: 1}, [1]]),
        (NDArray[np.float64], [np.zeros(1)], [np.zeros(1, np.float32), [0.0]]),
        (NDArray[Any], [np.zeros(1), np.array(["a"])], [[0.0], None]),
    ],
)
def test_has_type_reads_hints_as_type_checkers_do(
    kind: Any, right: list[Any], wrong: list[Any]
) -> None:
    assert [has_type(value, kind) for value in right] == [True] * len(right)
    assert [has_type(value, kind) for value in wrong] == [False] * len(wrong)


def test_every_indicator_comes_back_as_it_was() -> None:
    indicators = Flag(0), Level(1, 0, "red"), Missing(2), Step(3, 0.1), Step.at_least(3, 40.0)
    assert through_json(indicators) == indicators


def test_crisp_rules_come_back_as_they_were() -> None:
    assert through_json([CLINIC]) == [CLINIC]
