"""Memberships, ramps and indicators: degrees, names and readings."""

from __future__ import annotations

import copy
import math
import pickle
import sys
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crisplogic.errors import CrisplogicError, RuleError
from crisplogic.expr.notation import (
    PAPER,
    Statement,
    opposite,
    parse_comparison,
    split_comparison,
    written_name,
)
from crisplogic.rules import (
    Flag,
    Indicator,
    Level,
    Membership,
    Missing,
    Ramp,
    Step,
    every_indicator,
)
from crisplogic.rules.memberships import distinct_names
from crisplogic.rules.scoring import Ramps
from crisplogic.tables import UNSEEN, Levels, Schema, infer_schema, read_columns
from tests.rules.rule_sets import COLOURS, INF, NAN, finite

GLUCOSE = Membership(feature=1, low=50.0, high=150.0)
HUGE = sys.float_info.max


def degrees(membership: Membership, values: list[float]) -> list[float]:
    """The degrees of rows that hold the values in the membership's column, NaN elsewhere."""
    table = np.full((len(values), membership.feature + 2), NAN)
    table[:, membership.feature] = values
    return [float(degree) for degree in membership.degree(table)]


def test_it_runs_from_false_at_low_to_true_at_high() -> None:
    assert degrees(GLUCOSE, [50.0, 75.0, 100.0, 125.0, 150.0]) == [-1, -0.5, 0, 0.5, 1]


def test_beyond_the_ends_nothing_is_more_than_false_or_true() -> None:
    assert degrees(GLUCOSE, [-INF, -HUGE, 49.9, 151.0, HUGE, INF]) == [-1, -1, -1, 1, 1, 1]


def test_a_missing_value_is_unknown() -> None:
    assert degrees(GLUCOSE, [NAN]) == [0]


def test_a_column_that_never_varied_is_unknown_whatever_comes() -> None:
    constant = Membership(0, 7.0, 7.0)
    assert degrees(constant, [7.0, 6.0, 8.0, NAN, INF]) == [0] * 5


def test_no_rows_give_no_degrees() -> None:
    assert degrees(GLUCOSE, []) == []


def test_the_table_is_left_as_it_was() -> None:
    table = np.array([[1.0, NAN], [2.0, 900.0]])
    before = table.copy()
    GLUCOSE.degree(table)
    np.testing.assert_array_equal(table, before)


@pytest.mark.parametrize(
    ("low", "high", "reading"),
    [
        (50.0, 150.0, "is high: false at 50, unknown at 100, true at 150"),
        (-0.5, 0.25, "is high: false at -0.5, unknown at -0.125, true at 0.25"),
        (-HUGE, HUGE, f"is high: false at {-HUGE!r}, unknown at 0, true at {HUGE!r}"),
        (HUGE / 2, HUGE, f"is high: false at {HUGE / 2!r}, unknown at {HUGE / 4 * 3!r}, "),
        (3.0, 3.0, "never varied (always 3): unknown"),
    ],
)
def test_a_reading_speaks_in_the_columns_units(low: float, high: float, reading: str) -> None:
    assert Membership(0, low, high).reading().startswith(reading)


@pytest.mark.parametrize(
    ("low", "high"), [(2.0, 1.0), (NAN, 1.0), (0.0, NAN), (-INF, 0.0), (0.0, INF), (NAN, NAN)]
)
def test_ends_out_of_order_or_not_finite_are_refused(low: float, high: float) -> None:
    with pytest.raises(RuleError, match="two finite numbers with low <= high") as error:
        Membership(0, low, high)
    assert f"low = {low} and high = {high}" in str(error.value)
    assert isinstance(error.value, ValueError)
    assert isinstance(error.value, CrisplogicError)


def test_it_is_a_value_that_cannot_change() -> None:
    assert Membership(1, 50.0, 150.0) == GLUCOSE != Membership(0, 50.0, 150.0)
    assert len({GLUCOSE, Membership(1, 50.0, 150.0)}) == 1
    assert pickle.loads(pickle.dumps(GLUCOSE)) == copy.deepcopy(GLUCOSE) == GLUCOSE
    with pytest.raises(FrozenInstanceError):
        GLUCOSE.low = 0.0  # type: ignore[misc]


# --- ramps ------------------------------------------------------------------------------------


def test_a_column_is_called_what_it_is_and_a_ramp_by_its_threshold_and_width() -> None:
    assert GLUCOSE.name("glucose") == "glucose"
    assert Ramp(1, 90.0, 164.0).name("glucose") == "glucose>127+/-37"


@pytest.mark.parametrize(
    ("low", "high", "name"),
    [
        (0.0, 0.5, "x>0.25+/-0.25"),
        (-3.0, 0.0, "x>-1.5+/-1.5"),
        (-1.0, 1.0, "x>0+/-1"),
        (1e20, 3e20, "x>2e+20+/-1e+20"),
        (1e-7, 2e-7, "x>1.5e-07+/-5e-08"),
        (-HUGE, HUGE, "x>0+/-1.79769313486e+308"),
        (1e300, 3e300, "x>2e+300+/-1e+300"),
        (0.1, 0.2, "x>0.15+/-0.05"),
        (5.0, 5.0, "x>5"),
    ],
)
def test_the_name_of_a_ramp_is_where_it_turns_and_how_wide_it_is(
    low: float, high: float, name: str
) -> None:
    assert Ramp(0, low, high).name("x") == name


@given(finite, finite, st.text(min_size=1, max_size=4))
def test_the_name_of_a_ramp_ends_in_a_comparison_that_has_a_contrary(
    one: float, other: float, column: str
) -> None:
    ramp = Ramp(0, *sorted((one, other)))
    name = ramp.name(column)
    assert split_comparison(name)[0] == column
    _, threshold, width = parse_comparison(split_comparison(name)[1])
    assert threshold == pytest.approx(ramp.threshold, rel=1e-8, abs=1e-300)
    half = ramp.high / 2 - ramp.low / 2
    assert width is None or width == pytest.approx(half, rel=1e-8, abs=1e-300)
    assert opposite(name) == column + "<" + split_comparison(name)[1][1:]


@given(finite, finite, st.lists(st.floats(), max_size=5))
def test_a_ramp_has_the_degrees_of_a_membership_with_the_same_ends(
    one: float, other: float, values: list[float]
) -> None:
    ends = sorted((one, other))
    assert degrees(Ramp(1, *ends), values) == degrees(Membership(1, *ends), values)


@given(finite, finite)
def test_at_its_threshold_a_ramp_is_unknown(one: float, other: float) -> None:
    assume(one != other)
    ramp = Ramp(0, *sorted((one, other)))
    assert degrees(ramp, [ramp.threshold]) == [0]


@pytest.mark.parametrize(
    ("low", "high", "reading"),
    [
        (90.0, 164.0, "false up to 90, true from 164"),
        (-0.5, 0.25, "false up to -0.5, true from 0.25"),
        (0.1, 0.30000000000001, "false up to 0.1, true from 0.30000000000001"),
        (1234567.5, 1e21, "false up to 1234567.5, true from 1e+21"),
    ],
)
def test_the_reading_of_a_ramp_says_where_it_begins_and_ends(
    low: float, high: float, reading: str
) -> None:
    assert Ramp(0, low, high).reading() == reading


@given(st.integers(-(10**14), 10**14), st.integers(1, 10**14), st.integers(-300, 270))
def test_round_ends_are_read_in_full(low: int, width: int, exponent: int) -> None:
    low_text, high_text = f"{low}e{exponent}", f"{low + width}e{exponent}"
    ramp = Ramp(0, float(low_text), float(high_text))
    words = ramp.reading().replace(",", "").split()
    assert (float(words[3]), float(words[6])) == (ramp.low, ramp.high)


def test_a_ramp_differs_from_a_membership_with_the_same_ends() -> None:
    assert Ramp(1, 50.0, 150.0) != GLUCOSE
    assert Ramp(1, 50.0, 150.0) == pickle.loads(pickle.dumps(Ramp(1, 50.0, 150.0)))


@pytest.mark.parametrize(("low", "high"), [(2.0, 1.0), (NAN, 1.0), (0.0, INF)])
def test_a_ramp_needs_finite_ends_in_order_too(low: float, high: float) -> None:
    with pytest.raises(RuleError, match="two finite numbers with low <= high"):
        Ramp(0, low, high)


# --- indicators -------------------------------------------------------------------------------

RED = Level(1, code=0, value="red")
EACH: list[Indicator] = [Flag(1), Missing(1), RED]


def test_a_flag_is_true_where_it_is_one_and_unknown_where_it_is_no_truth_value() -> None:
    assert degrees(Flag(1), [1, 0, NAN, 0.5, 7, -INF]) == [1, -1, 0, 0, 0, 0]


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
        0: 'true for red; false for "light blue", mauve, teal; else unknown',
        1: 'true for "light blue"; false for red, mauve, teal; else unknown',
        2: 'true for mauve, teal; false for red, "light blue"; else unknown',
    }
    for code, reading in expected.items():
        assert Level.of(0, code, COLOURS).reading(COLOURS) == reading


def test_readings_stay_short_and_printable() -> None:
    many = Levels(("\x1b[2J",), tuple(f"v{number}" for number in range(1000)))
    assert Level.of(0, 1, many).reading(many) == (
        "true for those called other, false for the rest of the known values; else unknown"
    )
    few = Levels(("\x1b[2J",), ("v0", "v1"))
    assert Level.of(0, 1, few).reading(few) == (
        'true for v0, v1; false for "\\u001b[2J"; else unknown'
    )


def test_readings_of_the_others() -> None:
    assert "1, true or yes" in Flag(0).reading()
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


# Steps


@pytest.mark.parametrize(
    ("step", "name", "opposite"),
    [
        (Step(0, 127.0), "x>127", "x<=127"),
        (Step(0, -0.0), "x>0", "x<=0"),
        (Step(0, 0.1), "x>0.1", "x<=0.1"),
        (Step(0, 0.1 + 0.2), "x>0.30000000000000004", "x<=0.30000000000000004"),
        (Step.at_least(0, 40.0), "x>=40", "x<40"),
        (Step.at_least(0, 0.0), "x>=0", "x<0"),
        (Step.at_least(0, 0.3), "x>=0.3", "x<0.3"),
        (Step.at_least(0, -1e300), "x>=-1e+300", "x<-1e+300"),
    ],
)
def test_the_name_of_a_step_says_exactly_where_it_is(
    step: Step, name: str, opposite: str
) -> None:
    assert step.name("x") == name
    assert step.name("x").opposite() == opposite
    assert step.name("x").opposite().opposite() == name
    assert list(step.names("x")) == [name]


def test_a_step_is_true_above_its_threshold_alone() -> None:
    column = np.array([[127.0], [np.nextafter(127.0, 200)], [np.inf], [-np.inf], [np.nan]])
    assert Step(0, 127.0).degree(column).tolist() == [-1, 1, 1, -1, 0]
    assert Step.at_least(0, 127.0).degree(column).tolist() == [1, 1, 1, -1, 0]
    out = np.empty((2, 5))
    Ramps([Step(0, 127.0), Step.at_least(0, 127.0)]).write(column, out)
    assert out.tolist() == [[-1, 1, 1, -1, 0], [1, 1, 1, -1, 0]]


@pytest.mark.parametrize("threshold", [math.nan, math.inf, -math.inf])
def test_a_step_needs_a_finite_threshold(threshold: float) -> None:
    with pytest.raises(RuleError, match="a threshold must be a finite number"):
        Step(0, threshold)


def test_a_step_at_the_least_number_has_no_number_below() -> None:
    with pytest.raises(RuleError, match="a threshold must be a finite number"):
        Step.at_least(0, -sys.float_info.max)


def test_a_column_that_is_called_like_a_step_is_quoted_beside_it() -> None:
    inputs = Step(0, 5.0), Flag(1), Step(1, 3.0)
    names = distinct_names(["x", "x>5"], inputs, [0, 1, 2])
    assert [written_name(name, PAPER) for name in names] == ["x>5", '"x>5"', '"x>5">3']
    assert written_name(Step.at_least(0, 5.0).name("x"), PAPER) == "x≥5"
    assert written_name(Step(0, 5.0).name("x").opposite(), PAPER) == "x≤5"
