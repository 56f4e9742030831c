from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from crisplogic.constraints.spec import Constraints
from crisplogic.estimators.encoder import FeatureEncoder
from crisplogic.expr import Expr, parse
from crisplogic.rules import (
    ClassificationRules,
    Flag,
    Level,
    Membership,
    Ramp,
    Rule,
    RuleSet,
    Step,
)
from crisplogic.search.convert import rules_from_draft
from crisplogic.search.draft import Draft
from crisplogic.search.tasks import CLASSIFICATION
from crisplogic.search.training_set import TrainingSet
from crisplogic.tables import infer_schema, read_columns
from tests.search.drafts import COLUMNS, FEATURES, cases
from tests.strategies import INPUTS, expressions, kleene_expressions

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
    encoder, matrix = words_of(frame)
    assert encoder.names == (
        "age",
        "colour is red",
        "colour is teal",
        "colour is blue",
        "smoker",
    )
    assert encoder.crisp.tolist() == [False, True, True, True, True]
    encoded = encoder.transform(matrix)
    assert encoded[0].tolist() == [41.0, 1.0, 0.0, 0.0, 1.0]
    assert np.isnan(encoded[2]).tolist() == [False, True, True, True, False]


def test_that_a_value_is_missing_is_said_if_asked_for(frame: object) -> None:
    encoder, matrix = words_of(frame, missing=True)
    assert "age is missing" in encoder.names
    gaps = encoder.transform(matrix)[:, encoder.names.index("age is missing")]
    assert gaps.tolist() == [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]


def test_a_table_of_numbers_is_shown_as_it_is() -> None:
    encoder = FeatureEncoder(("a", "b"), numbers=(0, 1))
    table = np.array([[1.0, 2.0]])
    assert encoder.transform(table) is table
    rules = ClassificationRules(("x", "y"), (Ramp(0, 0.0, 1.0),), (Rule("yes", parse("0")),))
    assert encoder.fix_indicators(rules) is rules
    assert encoder.decode_rules(rules).to_text() == "yes = a>0.5±0.5"


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
    encoder, _ = words_of(frame)
    crisp = encoder.fix_indicators(seen_rules())
    used = {crisp.memberships[number] for number in crisp.used}
    assert used == {Ramp(1, 0.0, 1.0), Ramp(0, 10.0, 30.0), Ramp(4, 0.0, 1.0)}


def test_rules_speak_of_the_columns_of_the_table(frame: object) -> None:
    encoder, matrix = words_of(frame)
    seen = encoder.fix_indicators(seen_rules())
    decoded = encoder.decode_rules(seen)
    assert decoded.features == ("colour", "age", "smoker")
    assert "colour is red" in str(decoded)
    assert "age>20" in str(decoded)
    assert "smoker" in str(decoded)
    np.testing.assert_array_equal(decoded.scores(frame), seen.scores(encoder.transform(matrix)))
    np.testing.assert_array_equal(decoded.scores(matrix, coded=True), decoded.scores(frame))


def test_spoken_rules_survive_a_file(frame: object) -> None:
    encoder, _ = words_of(frame)
    decoded = encoder.decode_rules(encoder.fix_indicators(seen_rules()))
    assert RuleSet.from_json(decoded.to_json()) == decoded


def test_a_category_of_one_value_says_nothing_but_is_still_a_column_of_the_table() -> None:
    table = [["same", 3.0], ["same", 4.0]]
    schema = infer_schema(read_columns(table))
    encoder = FeatureEncoder.of(schema)
    assert encoder.names == ("x1",)
    seen = ClassificationRules(("x1",), (Ramp(0, 3.0, 4.0),), (Rule("yes", parse("0")),))
    decoded = encoder.decode_rules(encoder.fix_indicators(seen))
    assert decoded.to_text() == "yes = x1>3.5±0.5"
    assert decoded.scores(table).ravel().tolist() == [-1.0, 1.0]


# --- columns that are excluded or negated ---------------------------------------------------


def constrained(
    frame: object, missing: bool = False, **asked: Any
) -> tuple[FeatureEncoder, Constraints, np.ndarray]:
    schema = infer_schema(read_columns(frame))
    found = Constraints.read(schema.names, schema.kinds, ("well", "ill"), **asked)
    encoder = FeatureEncoder.of(schema, missing, found.forbidden, found.negated)
    return encoder, found, schema.matrix(frame)


def test_forbidden_columns_are_not_spoken_of_but_stay_in_the_table(frame: object) -> None:
    encoder, _, matrix = constrained(frame, missing=True, forbidden_columns=["colour", "age"])
    assert encoder.names == ("smoker", "smoker is missing")
    assert encoder.features == ("colour", "age", "smoker")
    assert encoder.transform(matrix).shape == (6, 2)
    seen = ClassificationRules(encoder.names, (Ramp(0, 0.0, 1.0),), (Rule("ill", parse("0")),))
    decoded = encoder.decode_rules(encoder.fix_indicators(seen))
    assert decoded.to_text() == "ill = smoker"
    assert decoded.scores(frame).shape == (6, 1)


def test_a_table_of_numbers_is_one_even_if_a_column_is_forbidden() -> None:
    schema = infer_schema(read_columns([[1.0, 2.0], [3.0, 4.0]]))
    encoder = FeatureEncoder.of(schema, forbidden=[0])
    assert encoder.all_numbers
    assert encoder.transform(np.array([[1.0, 2.0]])).tolist() == [[2.0]]
    words = infer_schema(read_columns([[1.0, "red"], [2.0, "blue"]]))
    assert not FeatureEncoder.of(words).all_numbers
    assert FeatureEncoder.of(words, forbidden=[1]).all_numbers


def test_two_numbers_and_truth_values_are_numbers_too() -> None:
    schema = infer_schema(read_columns([[1.0, 0, True], [2.0, 1, False]] * 2))
    encoder = FeatureEncoder.of(schema)
    assert encoder.all_numbers
    assert encoder.names == ("x0 is 2", "x1", "x2")


def test_falling_columns_are_shown_the_other_way_round(frame: object) -> None:
    encoder, _, matrix = constrained(
        frame, missing=True, monotone={"age": "down", "smoker": "down"}
    )
    plain = FeatureEncoder.of(infer_schema(read_columns(frame)), missing=True)
    assert encoder.names == plain.names
    encoded, before = encoder.transform(matrix), plain.transform(matrix)
    for number, name in enumerate(encoder.names):
        expected = before[:, number]
        if name == "age":
            expected = -expected
        if name == "smoker":
            expected = 1 - expected
        np.testing.assert_array_equal(encoded[:, number], expected)


def test_limits_are_those_of_the_columns_that_a_learner_sees(frame: object) -> None:
    encoder, asked, _ = constrained(
        frame,
        missing=True,
        monotone={"age": "down", "smoker": {"well": "down"}},
        forbidden_pairs=[("age", "colour")],
    )
    limits = encoder.limits(asked)
    assert limits is not None
    directed = {name for name, one in zip(encoder.names, limits.directed, strict=True) if one}
    assert directed == {"age", "smoker"}
    assert limits.rises[limits.directed].tolist() == [[False, True]] * 2  # both for "ill"
    assert limits.falls[limits.directed].tolist() == [[True, False]] * 2
    assert limits.pairs is not None
    for one, left in enumerate(encoder.names):
        for other, right in enumerate(encoder.names):
            apart = {left.split()[0], right.split()[0]} == {"age", "colour"}
            assert limits.pairs[one, other] == (not apart)


def test_limits_on_forbidden_columns_alone_are_none(frame: object) -> None:
    encoder, asked, _ = constrained(frame, forbidden_columns=["age"], monotone={"age": "up"})
    assert asked.limits is not None
    assert encoder.limits(asked) is None
    encoder, asked, _ = constrained(frame)
    assert encoder.limits(asked) is None


def test_what_was_shown_the_other_way_round_is_spoken_of_plainly(frame: object) -> None:
    encoder, _, _ = constrained(frame, monotone={"age": "down", "smoker": "down"})
    memberships = Ramp(0, -30.0, -10.0), Ramp(4, 0.0, 1.0)
    texts = {"well": "~(0 & 1)", "ill": "0 & 1"}
    rules = tuple(Rule(label, parse(text)) for label, text in texts.items())
    decoded = encoder.decode_rules(
        encoder.fix_indicators(ClassificationRules(encoder.names, memberships, rules))
    )
    assert decoded.to_text() == "h1   = age>20±10 | smoker\nwell = h1\nill  = ¬h1"
    assert decoded.directions()["age"] == {"well": "up", "ill": "down"}


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
    negated = tuple(sorted(data.draw(st.sets(st.integers(0, INPUTS - 1)))))
    encoder = FeatureEncoder(
        features, numbers, tuple(map(Flag, sorted(flags))), (), negated=negated
    )
    memberships = tuple(
        Ramp(number, 0.0, 1.0)
        if number >= len(numbers)
        else data.draw(st.sampled_from([Membership, Ramp]))(number, *data.draw(ranges))
        for number in range(INPUTS)
    )
    rules = tuple(Rule(number, expr) for number, expr in enumerate(exprs))
    seen = ClassificationRules(encoder.names, memberships, rules)
    table = data.draw(hnp.arrays(np.float64, (4, INPUTS), elements=ends | st.just(np.nan)))
    for flag in flags:
        table[:, flag] = np.where(np.isnan(table[:, flag]), np.nan, table[:, flag] > 0)
    before = seen.scores(encoder.transform(table))
    if any(encoder.is_negated(encoder._decode(each)) for each in memberships):
        np.testing.assert_array_equal(encoder.decode_rules(seen).scores(table), before)
    else:  # simplified as ever, which may add up in another order
        np.testing.assert_allclose(encoder.decode_rules(seen).scores(table), before, atol=1e-12)


@given(st.data(), st.lists(kleene_expressions, min_size=1, max_size=3))
def test_no_score_of_crisp_rules_changes_when_they_are_decoded(
    data: st.DataObject, exprs: list[Expr]
) -> None:
    features = tuple(f"x{number}" for number in range(INPUTS))
    flags = data.draw(st.sets(st.integers(0, INPUTS - 1)))
    numbers = tuple(number for number in range(INPUTS) if number not in flags)
    negated = tuple(sorted(data.draw(st.sets(st.integers(0, INPUTS - 1)))))
    encoder = FeatureEncoder(
        features, numbers, tuple(map(Flag, sorted(flags))), (), negated=negated
    )
    cuts = [data.draw(st.sampled_from([-1.5, 0.0, 2.0]) | ends) for _ in features]
    rules = tuple(Rule(number, expr) for number, expr in enumerate(exprs))
    steps = tuple(Step(number, cut) for number, cut in enumerate(cuts))
    seen = encoder.fix_indicators(ClassificationRules(encoder.names, steps, rules, crisp=True))
    cells = st.sampled_from([np.nan, np.inf, -np.inf, *cuts, *(-cut for cut in cuts)])
    table = data.draw(hnp.arrays(np.float64, (4, INPUTS), elements=cells | ends))
    for flag in flags:
        table[:, flag] = np.where(np.isnan(table[:, flag]), np.nan, table[:, flag] > 0)
    decoded = encoder.decode_rules(seen)
    assert decoded.crisp
    np.testing.assert_array_equal(
        decoded.scores(table, coded=True), seen.scores(encoder.transform(table), coded=True)
    )


def test_what_rules_share_is_still_shared_when_a_column_is_negated_back() -> None:
    encoder = FeatureEncoder(("a", "b"), numbers=(0, 1), negated=(1,))
    texts = {"x": "~(0 & 1)", "y": "0 & 1", "z": "~(0 & 1) + ~(0 | 1)"}
    rules = tuple(Rule(label, parse(text)) for label, text in texts.items())
    seen = ClassificationRules(encoder.names, (Ramp(0, 0.0, 1.0), Ramp(1, 0.0, 1.0)), rules)
    decoded = encoder.decode_rules(seen)
    assert decoded.size == seen.size == 4
    assert decoded.to_text().splitlines()[0] == "h1 = a>0.5±0.5 & b<-0.5±0.5"
    assert decoded.to_text().splitlines()[-1] == "z  = ¬h1 + (a<0.5±0.5 & b>-0.5±0.5)"


def test_turned_rules_survive_a_file(frame: object) -> None:
    encoder, _, _ = constrained(frame, monotone={"age": "down", "smoker": "down"})
    decoded = encoder.decode_rules(encoder.fix_indicators(seen_rules()))
    assert RuleSet.from_json(decoded.to_json()) == decoded
    assert "smoker" in str(decoded)


@given(cases(), st.sets(st.integers(0, COLUMNS - 1)), st.booleans())
@settings(max_examples=40)
def test_decoded_rules_are_as_large_as_the_draft(
    case: tuple[Draft, TrainingSet], negated: set[int], forbids: bool
) -> None:
    draft, data = case
    rules = rules_from_draft(draft, FEATURES, range(data.n_outputs), CLASSIFICATION)
    features = (*FEATURES, "zip") if forbids else FEATURES
    excluded = (COLUMNS,) if forbids else ()
    encoder = FeatureEncoder(
        features, tuple(range(COLUMNS)), excluded=excluded, negated=tuple(sorted(negated))
    )
    assert encoder.decode_rules(rules).size == draft.size()


def test_a_part_that_rules_add_and_subtract_is_decoded_as_one_part() -> None:
    ramps = Ramp(0, 0.0, 1.0), Ramp(1, 0.0, 1.0)
    exprs = parse("0 & ~1"), parse("~(0 & ~1)")
    rules = ClassificationRules(
        ("a", "b"), ramps, tuple(Rule(label, each) for label, each in enumerate(exprs))
    )
    encoder = FeatureEncoder(("a", "b", "c"), (0, 1), excluded=(2,))
    assert rules.size == encoder.decode_rules(rules).size == 2


# --- crisp rules ------------------------------------------------------------------------------


def crisp_rules() -> RuleSet:
    """As :func:`seen_rules`, with steps."""
    graded = seen_rules()
    assert isinstance(graded, ClassificationRules)
    steps = Step(1, 0.9), Step(1, 0.1), Step(0, 19.0), Step(4, 0.3)
    return replace(graded, memberships=steps, crisp=True)


@pytest.mark.parametrize("monotone", [{}, {"age": "down"}, {"age": "down", "smoker": "down"}])
def test_crisp_rules_speak_of_the_columns_of_the_table(
    frame: object, monotone: dict[str, str]
) -> None:
    encoder, _, matrix = constrained(frame, monotone=monotone)
    seen = encoder.fix_indicators(crisp_rules())
    thresholds = Step(1, 0.5), Step(0, 19.0), Step(4, 0.5)
    assert {seen.memberships[number] for number in seen.used} == set(thresholds)
    decoded = encoder.decode_rules(seen)
    assert decoded.crisp
    assert {type(decoded.memberships[at]) for at in decoded.used} == {Level, Step, Flag}
    rows = matrix.copy()
    rows[:3, 1] = 19.0, -19.0, np.nextafter(-19.0, 0.0)  # on the threshold
    np.testing.assert_array_equal(
        decoded.scores(rows, coded=True), seen.scores(encoder.transform(rows))
    )
