from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from crisplogic.constraints.spec import Constraints
from crisplogic.estimators.encoder import FeatureEncoder
from crisplogic.expr import Expr, parse
from crisplogic.rules import ClassificationRules, Flag, Membership, Ramp, Rule, RuleSet
from crisplogic.tables import infer_schema, read_columns
from tests.strategies import INPUTS, expressions

TABLE = {
    "colour": ["red", "blue", None, "teal", "red", "teal"],
    "age": [41.0, None, 7.0, 3.0, 20.0, 65.0],
    "smoker": [True, False, True, None, False, True],
}


@pytest.fixture
def frame() -> object:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(TABLE)


def words_of(frame: object, missing: bool = False) -> tuple[FeatureEncoder, np.ndarray]:
    schema = infer_schema(read_columns(frame))
    return FeatureEncoder.of(schema, missing), schema.matrix(frame)


def test_numbers_come_first_and_what_is_said_outright_after_them(frame: object) -> None:
    words, matrix = words_of(frame)
    assert words.names == (
        "age",
        "colour is red",
        "colour is teal",
        "colour is blue",
        "smoker",
    )
    assert words.crisp.tolist() == [False, True, True, True, True]
    shown = words.shown(matrix)
    assert shown[0].tolist() == [41.0, 1.0, 0.0, 0.0, 1.0]
    assert np.isnan(shown[2]).tolist() == [False, True, True, True, False]


def test_that_a_value_is_missing_is_said_if_asked_for(frame: object) -> None:
    words, matrix = words_of(frame, missing=True)
    assert "age is missing" in words.names
    gaps = words.shown(matrix)[:, words.names.index("age is missing")]
    assert gaps.tolist() == [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]


def test_a_table_of_numbers_is_shown_as_it_is() -> None:
    words = FeatureEncoder(("a", "b"), numbers=(0, 1))
    table = np.array([[1.0, 2.0]])
    assert words.shown(table) is table
    rules = ClassificationRules(("x", "y"), (Ramp(0, 0.0, 1.0),), (Rule("yes", parse("0")),))
    assert words.crisped(rules) is rules
    assert str(words.spoken(rules)) == "yes = a>0.5"


def seen_rules() -> RuleSet:
    """Two ramps of a column that is said outright, and one of a number."""
    memberships = (
        Ramp(1, 0.2, 0.9),
        Ramp(1, -1.0, 3.0),
        Ramp(0, 10.0, 30.0),
        Ramp(4, 0.0, 1.0),
    )
    texts = {"ill": "(0 & 2) + (1 | 3)", "well": "~(1 & 2)"}
    rules = tuple(Rule(label, parse(text)) for label, text in texts.items())
    names = ("age", "colour is red", "colour is teal", "colour is blue", "smoker")
    return ClassificationRules(names, memberships, rules)


def test_thresholds_of_what_is_said_outright_go(frame: object) -> None:
    words, _ = words_of(frame)
    crisp = words.crisped(seen_rules())
    used = {crisp.memberships[number] for number in crisp.used}
    assert used == {Ramp(1, 0.0, 1.0), Ramp(0, 10.0, 30.0), Ramp(4, 0.0, 1.0)}


def test_rules_speak_of_the_columns_of_the_table(frame: object) -> None:
    words, matrix = words_of(frame)
    seen = words.crisped(seen_rules())
    spoken = words.spoken(seen)
    assert spoken.features == ("colour", "age", "smoker")
    assert "colour is red" in str(spoken)
    assert "age>20" in str(spoken)
    assert "smoker" in str(spoken)
    np.testing.assert_array_equal(spoken.scores(frame), seen.scores(words.shown(matrix)))
    np.testing.assert_array_equal(spoken.scores(matrix, coded=True), spoken.scores(frame))


def test_spoken_rules_survive_a_file(frame: object) -> None:
    words, _ = words_of(frame)
    spoken = words.spoken(words.crisped(seen_rules()))
    assert RuleSet.from_json(spoken.to_json()) == spoken


def test_a_category_of_one_value_says_nothing_but_is_still_a_column_of_the_table() -> None:
    table = [["same", 3.0], ["same", 4.0]]
    schema = infer_schema(read_columns(table))
    words = FeatureEncoder.of(schema)
    assert words.names == ("x1",)
    seen = ClassificationRules(("x1",), (Ramp(0, 3.0, 4.0),), (Rule("yes", parse("0")),))
    spoken = words.spoken(words.crisped(seen))
    assert str(spoken) == "yes = x1>3.5"
    assert spoken.scores(table).ravel().tolist() == [-1.0, 1.0]


# --- columns that are kept from a learner, or shown the other way round -----------------------


def constrained(
    frame: object, missing: bool = False, **asked: Any
) -> tuple[FeatureEncoder, Constraints, np.ndarray]:
    schema = infer_schema(read_columns(frame))
    found = Constraints.read(schema.names, schema.kinds, ("well", "ill"), **asked)
    words = FeatureEncoder.of(schema, missing, found.forbidden, found.falling)
    return words, found, schema.matrix(frame)


def test_forbidden_columns_are_not_spoken_of_but_stay_in_the_table(frame: object) -> None:
    words, _, matrix = constrained(frame, missing=True, forbidden_columns=["colour", "age"])
    assert words.names == ("smoker", "smoker is missing")
    assert words.features == ("colour", "age", "smoker")
    assert words.shown(matrix).shape == (6, 2)
    seen = ClassificationRules(words.names, (Ramp(0, 0.0, 1.0),), (Rule("ill", parse("0")),))
    spoken = words.spoken(words.crisped(seen))
    assert str(spoken) == "ill = smoker"
    assert spoken.scores(frame).shape == (6, 1)


def test_a_table_of_numbers_is_one_even_if_a_column_is_forbidden() -> None:
    schema = infer_schema(read_columns([[1.0, 2.0], [3.0, 4.0]]))
    words = FeatureEncoder.of(schema, forbidden=[0])
    assert words.all_numbers
    assert words.shown(np.array([[1.0, 2.0]])).tolist() == [[2.0]]
    assert not FeatureEncoder.of(
        infer_schema(read_columns([[1.0, True]])), forbidden=[1]
    ).all_numbers


def test_falling_columns_are_shown_the_other_way_round(frame: object) -> None:
    words, _, matrix = constrained(
        frame, missing=True, monotone={"age": "down", "smoker": "down"}
    )
    plain = FeatureEncoder.of(infer_schema(read_columns(frame)), missing=True)
    assert words.names == plain.names
    shown, before = words.shown(matrix), plain.shown(matrix)
    for number, name in enumerate(words.names):
        expected = before[:, number]
        if name == "age":
            expected = -expected
        if name == "smoker":
            expected = 1 - expected
        np.testing.assert_array_equal(shown[:, number], expected)


def test_limits_are_those_of_the_columns_that_a_learner_sees(frame: object) -> None:
    words, asked, _ = constrained(
        frame,
        missing=True,
        monotone={"age": "down", "smoker": {"well": "down"}},
        forbidden_pairs=[("age", "colour")],
    )
    limits = words.limits(asked)
    assert limits is not None
    directed = {name for name, one in zip(words.names, limits.directed, strict=True) if one}
    assert directed == {"age", "smoker"}
    assert limits.rises[limits.directed].tolist() == [[False, True]] * 2  # both for "ill"
    assert limits.falls[limits.directed].tolist() == [[True, False]] * 2
    assert limits.pairs is not None
    for one, left in enumerate(words.names):
        for other, right in enumerate(words.names):
            apart = {left.split()[0], right.split()[0]} == {"age", "colour"}
            assert limits.pairs[one, other] == (not apart)


def test_limits_on_forbidden_columns_alone_are_none(frame: object) -> None:
    words, asked, _ = constrained(frame, forbidden_columns=["age"], monotone={"age": "up"})
    assert asked.limits is not None
    assert words.limits(asked) is None
    words, asked, _ = constrained(frame)
    assert words.limits(asked) is None


def test_what_was_shown_the_other_way_round_is_spoken_of_plainly(frame: object) -> None:
    words, _, _ = constrained(frame, monotone={"age": "down", "smoker": "down"})
    memberships = Ramp(0, -30.0, -10.0), Ramp(4, 0.0, 1.0)
    texts = {"well": "~(0 & 1)", "ill": "0 & 1"}
    rules = tuple(Rule(label, parse(text)) for label, text in texts.items())
    spoken = words.spoken(words.crisped(ClassificationRules(words.names, memberships, rules)))
    assert str(spoken) == "h1   = age>20 | smoker\nwell = h1\nill  = ¬h1"
    assert spoken.directions()["age"] == {"well": "up", "ill": "down"}


# Halves of numbers as small as can be are rounded; of larger ones they are exact.
ends = st.floats(-1e9, 1e9).filter(lambda end: end == 0 or abs(end) > 1e-9)
ranges = st.tuples(ends, ends).map(sorted)


@given(st.data(), st.lists(expressions, min_size=1, max_size=3))
def test_no_score_changes_by_a_bit_when_columns_are_turned_back(
    data: st.DataObject, exprs: list[Expr]
) -> None:
    features = tuple(f"x{number}" for number in range(INPUTS))
    flags = data.draw(st.sets(st.integers(0, INPUTS - 1)))
    numbers = tuple(number for number in range(INPUTS) if number not in flags)
    falling = tuple(sorted(data.draw(st.sets(st.integers(0, INPUTS - 1)))))
    words = FeatureEncoder(
        features, numbers, tuple(map(Flag, sorted(flags))), (), falling=falling
    )
    memberships = tuple(
        Ramp(number, 0.0, 1.0)
        if number >= len(numbers)
        else data.draw(st.sampled_from([Membership, Ramp]))(number, *data.draw(ranges))
        for number in range(INPUTS)
    )
    rules = tuple(Rule(number, expr) for number, expr in enumerate(exprs))
    seen = ClassificationRules(words.names, memberships, rules)
    table = data.draw(hnp.arrays(np.float64, (4, INPUTS), elements=ends | st.just(np.nan)))
    for flag in flags:
        table[:, flag] = np.where(np.isnan(table[:, flag]), np.nan, table[:, flag] > 0)
    before = seen.scores(words.shown(table))
    if any(words._is_turned(words._of_table(each)) for each in memberships):
        np.testing.assert_array_equal(words.spoken(seen).scores(table), before)
    else:  # simplified as ever, which may add up in another order
        np.testing.assert_allclose(words.spoken(seen).scores(table), before, atol=1e-12)


def test_what_rules_share_is_still_shared_when_a_column_is_turned_back() -> None:
    words = FeatureEncoder(("a", "b"), numbers=(0, 1), falling=(1,))
    texts = {"x": "~(0 & 1)", "y": "0 & 1", "z": "~(0 & 1) + ~(0 | 1)"}
    rules = tuple(Rule(label, parse(text)) for label, text in texts.items())
    seen = ClassificationRules(words.names, (Ramp(0, 0.0, 1.0), Ramp(1, 0.0, 1.0)), rules)
    spoken = words.spoken(seen)
    assert spoken.size == seen.size == 4
    assert str(spoken).splitlines()[0] == "h1 = a>0.5 & b<-0.5"
    assert str(spoken).splitlines()[-1] == "z  = ¬h1 + (a<0.5 & b>-0.5)"


def test_turned_rules_survive_a_file(frame: object) -> None:
    words, _, _ = constrained(frame, monotone={"age": "down", "smoker": "down"})
    spoken = words.spoken(words.crisped(seen_rules()))
    assert RuleSet.from_json(spoken.to_json()) == spoken
    assert "smoker" in str(spoken)
