"""Indicators: truth values, levels and gaps as memberships that are fixed."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from crisplogic.expr.notation import Statement
from crisplogic.rules import Flag, Indicator, Level, Membership, Missing, every_indicator
from crisplogic.tables import UNSEEN, Levels, Schema, infer_schema, read_columns
from tests.rules.rule_sets import COLOURS, INF, NAN

RED = Level(1, code=0, value="red")
EACH: list[Indicator] = [Flag(1), Missing(1), RED]


def degrees(indicator: Indicator, values: list[float]) -> list[float]:
    table = np.full((len(values), indicator.feature + 2), NAN)
    table[:, indicator.feature] = values
    found: list[float] = indicator.degree(table).tolist()
    return found


def test_a_flag_is_true_where_it_is_one() -> None:
    assert degrees(Flag(1), [1, 0, NAN, 0.5, 7, -INF]) == [1, -1, 0, 0, 1, -1]


def test_a_level_is_true_where_it_is_this_one_and_false_where_another() -> None:
    assert degrees(RED, [0, 1, 2, 0]) == [1, -1, -1, 1]
    assert degrees(Level(0, 2, None), [0, 1, 2]) == [-1, -1, 1]


def test_a_level_is_unknown_where_the_value_is_missing_or_was_never_seen() -> None:
    assert degrees(RED, [NAN, UNSEEN]) == [0, 0]


def test_missing_is_never_unknown_and_what_was_never_seen_is_not_missing() -> None:
    assert degrees(Missing(1), [NAN, UNSEEN, 0, INF]) == [1, -1, -1, -1]


@pytest.mark.parametrize("indicator", EACH)
def test_what_is_indicated_is_one_zero_or_nan_under_a_linear_membership(
    indicator: Indicator,
) -> None:
    table = np.array([[NAN, value] for value in (0.0, 1.0, NAN)])
    column = np.ascontiguousarray(table[:, 1])
    out = np.empty(3)
    indicated = indicator.indicated(column)
    assert indicator.indicated(column, out) is out
    np.testing.assert_array_equal(indicated, out)
    assert set(indicated[~np.isnan(indicated)]) <= {0.0, 1.0}
    linear = Membership(0, 0.0, 1.0)
    assert linear.degree(indicated[:, None]).tobytes() == indicator.degree(table).tobytes()
    assert (indicator.low, indicator.high) == (0.0, 1.0)
    assert np.isnan(column[2])


def test_names_are_statements_but_a_flag_is_called_as_its_column_is() -> None:
    assert Flag(0).name("smoker") == "smoker"
    assert not isinstance(Flag(0).name("smoker"), Statement)
    assert RED.name("colour") == "colour is red"
    assert Level(0, 1, "missing").name("colour") == 'colour is "missing"'
    assert Level(0, 1, None).name("eye colour") == '"eye colour" is other'
    assert Missing(0).name("glucose") == "glucose is missing"


def test_readings_say_what_values_stand_behind_a_level() -> None:
    expected = {
        0: 'true for red; false for "light blue", other; else unknown',
        1: 'true for "light blue"; false for red, other; else unknown',
        2: 'true for mauve, teal; false for red, "light blue"; else unknown',
    }
    for code, reading in expected.items():
        assert Level.of(0, code, COLOURS).reading(COLOURS) == reading


def test_readings_stay_short_and_printable() -> None:
    many = Levels(("\x1b[2J",), tuple(f"v{number}" for number in range(1000)))
    assert Level.of(0, 1, many).reading(many) == (
        "true for v0, v1, v2, v3, v4, v5, v6, v7 and 992 more; "
        'false for "\\u001b[2J"; else unknown'
    )


def test_readings_of_the_others() -> None:
    assert "1 or True" in Flag(0).reading()
    assert "no value" in Missing(0).reading()
    assert "this value" in RED.reading()
    lonely = Levels(("red",))
    assert Level.of(0, 0, lonely).reading(lonely) == "true for red; else unknown"


@pytest.mark.parametrize("indicator", EACH)
def test_they_are_values_that_cannot_change(indicator: Indicator) -> None:
    assert pickle.loads(pickle.dumps(indicator)) == copy.deepcopy(indicator) == indicator
    assert len({indicator, copy.copy(indicator), *EACH}) == len(EACH)
    assert replace(indicator, feature=5).feature == 5
    with pytest.raises(FrozenInstanceError):
        indicator.feature = 2  # type: ignore[misc]


def test_their_ends_cannot_be_chosen() -> None:
    with pytest.raises(TypeError):
        Flag(0, 0.0, 1.0)  # type: ignore[call-arg]


# --- all that a table says --------------------------------------------------------------------


def schema_of(*columns: list[object]) -> Schema:
    return infer_schema(read_columns([list(row) for row in zip(*columns, strict=True)]))


def test_every_indicator_of_a_table() -> None:
    schema = schema_of([1, None, 3], [True, False, None], ["a", "b", "c"], ["x", "y", None])
    assert every_indicator(schema) == (
        Flag(1),
        Level(2, 0, "a"),
        Level(2, 1, "b"),
        Level(2, 2, "c"),
        Level(3, 1, "y"),
    )
    assert set(every_indicator(schema, missing=True)) - set(every_indicator(schema)) == {
        Missing(0),
        Missing(1),
        Missing(3),
    }


def test_of_two_groups_the_one_with_a_name_tells_them_apart() -> None:
    levels = Levels(("often",), ("rare", "rarer"))
    schema = Schema(("a",), ("category",), (levels,), (False,))
    assert every_indicator(schema) == (Level(0, 0, "often"),)


def test_a_category_of_one_value_says_nothing() -> None:
    assert every_indicator(schema_of(["a", "a"])) == ()
    assert every_indicator(Schema(("a",), ("category",), (Levels(()),), (True,))) == ()
