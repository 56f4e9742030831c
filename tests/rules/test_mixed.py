"""Rules over columns of every kind: predicting, printing, reading back and keeping them."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic.errors import RuleError, TableError, UnseenValuesWarning
from crisplogic.expr import ASCII, PAPER, Notation, parse
from crisplogic.expr.program import CHUNK_ROWS
from crisplogic.rules import (
    ClassificationRules,
    Flag,
    Level,
    Membership,
    Missing,
    Ramp,
    Rule,
    RuleSet,
)
from crisplogic.rules.scoring import Ramps
from crisplogic.tables import Levels
from tests.expr.by_node import value_by_node
from tests.rules.parsed_back import parsed_back
from tests.rules.rule_sets import (
    COLOURS,
    HEALTH,
    NAN,
    PATIENTS,
    coded_tables,
    distinct,
    mixed_rule_sets,
)
from tests.tables.frames import FRAMES

Floats = NDArray[np.float64]

DATA: dict[str, list[Any]] = {
    "eye colour": ["red", "teal", None, "never seen"],
    "glucose": [164.0, None, 127.0, 90.0],
    "smoker": [True, False, None, True],
}
CODED = [[164, 1, 0], [NAN, 0, 2], [127, NAN, NAN], [90, 1, -1]]
DEGREES = [
    [1, -1, 1, 1, -1, -1, -1],
    [0, 1, -1, -1, -1, 1, -1],
    [0, -1, 0, 0, 0, 0, 1],
    [-1, -1, 1, 0, 0, 0, -1],
]


# --- predicting -------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::crisplogic.errors.UnseenValuesWarning")
@pytest.mark.parametrize("made", FRAMES.values(), ids=FRAMES)
def test_tables_of_any_library_are_predicted_alike(made: Callable[..., Any]) -> None:
    table = made(DATA)
    np.testing.assert_array_equal(PATIENTS.matrix(table), CODED)
    assert PATIENTS.degrees(table).tolist() == DEGREES
    assert PATIENTS.scores(table).tolist() == PATIENTS.scores(CODED, coded=True).tolist()
    assert PATIENTS.predict(table).tolist() == PATIENTS.predict(CODED, coded=True).tolist()
    assert (PATIENTS.predict_proba(table) == PATIENTS.predict_proba(CODED, coded=True)).all()


def test_rows_of_objects_are_predicted_too() -> None:
    rows = [[164.0, True, "red"], [None, False, "teal"], [127.0, None, None], [90, 1, "never"]]
    assert PATIENTS.degrees(rows).tolist() == DEGREES


NEVER = [[164.0, "often", "RED"]]


def test_predictions_warn_of_values_never_seen() -> None:
    for call in (PATIENTS.predict, PATIENTS.predict_proba, PATIENTS.scores):
        with pytest.warns(UnseenValuesWarning, match="'smoker'.*'RED'.*did you mean 'red'"):
            call(NEVER)
    unseen = PATIENTS.unseen_values(NEVER)
    assert {name: each.rows for name, each in unseen.columns.items()} == {
        "smoker": 1,
        "eye colour": 1,
    }


def test_a_coded_table_and_an_explanation_say_it_without_a_warning() -> None:
    coded = PATIENTS.matrix(NEVER)
    assert coded.tolist() == [[164.0, -1.0, -1.0]]
    PATIENTS.predict(coded, coded=True)
    assert "never seen before" in str(PATIENTS.explain(NEVER))


def test_only_columns_that_rules_mention_are_warned_of() -> None:
    glucose = PATIENTS.with_rule("ill", "glucose>127").with_rule("well", "unknown")
    assert not glucose.unseen_values(NEVER)
    glucose.predict(NEVER)
    ranged = replace(glucose, ranges=((70.0, 120.0), None, None))
    assert not ranged.unseen_values([[170.0, True, "red"]])
    with pytest.warns(UnseenValuesWarning, match="far outside 70 to 120"):
        ranged.predict([[171.0, True, "red"]])


def test_codes_are_not_taken_for_values() -> None:
    with pytest.raises(TableError, match="column 'eye colour' must hold texts such as 'red'"):
        PATIENTS.predict(CODED)


def scores_by_node(rules: RuleSet, table: Floats) -> Floats:
    degrees = rules.degrees(table, coded=True)
    values = [value_by_node(expr, degrees) for expr in rules.expressions]
    return np.stack(values, axis=1) + rules.intercepts


@given(mixed_rule_sets(), st.data())
@settings(max_examples=150)
def test_scores_are_those_of_an_evaluation_node_by_node(
    rules: RuleSet, data: st.DataObject
) -> None:
    table = data.draw(coded_tables(rules))
    assert rules.scores(table, coded=True).tolist() == scores_by_node(rules, table).tolist()
    out = np.empty((len(rules.memberships), len(table)))
    Ramps(rules.memberships).write(table, out)
    assert out.tolist() == rules.degrees(table, coded=True).T.tolist()


@pytest.mark.parametrize("rows", [0, 1, CHUNK_ROWS, 2 * CHUNK_ROWS + 1])
def test_chunks_make_no_difference(rows: int) -> None:
    rng = np.random.default_rng(rows)
    codes = rng.choice([NAN, -1, 0, 1, 2], rows)
    table = np.stack([rng.uniform(80, 170, rows), rng.choice([0, 1, NAN], rows), codes], axis=1)
    for order in (table, np.asfortranarray(table)):
        before = order.copy()
        scores = PATIENTS.scores(order, coded=True)
        assert scores.tolist() == scores_by_node(PATIENTS, table).tolist()
        np.testing.assert_array_equal(order, before)


# --- printing ---------------------------------------------------------------------------------


def test_rules_speak_of_values_and_gaps() -> None:
    assert PATIENTS.to_text().splitlines() == [
        "ill  = (glucose>127±37 & smoker) + glucose is not missing"
        ' + ("eye colour" is red | "eye colour" is "light blue")',
        'well = "eye colour" is not other + ¬smoker + "eye colour" is not "light blue"'
        ' + "eye colour" is not missing + 0.25',
    ]


BLUE = '"light blue"'
RARE = "mauve, teal"


def test_the_legend_says_what_levels_stand_for() -> None:
    assert PATIENTS.legend().splitlines() == [
        f"{name:<28}  {reading}"
        for name, reading in [
            ("glucose>127±37", "false up to 90, true from 164"),
            ("glucose is missing", "true where there is no value, false where there is one"),
            ("smoker", "true where it is 1, true or yes; false where it is 0, false or no"),
            (
                '"eye colour" is red',
                f"true for red; false for {BLUE}, mauve, teal; else unknown",
            ),
            (
                f'"eye colour" is {BLUE}',
                f"true for {BLUE}; false for red, mauve, teal; else unknown",
            ),
            (
                '"eye colour" is other',
                f"true for mauve, teal; false for red, {BLUE}; else unknown",
            ),
            (
                '"eye colour" is missing',
                "true where there is no value, false where there is one",
            ),
        ]
    ]


@given(mixed_rule_sets(), st.sampled_from([PAPER, ASCII]))
@settings(max_examples=100)
def test_printed_rules_can_be_read_back(rules: RuleSet, notation: Notation) -> None:
    assume(distinct(rules))
    lines = rules.to_text(notation).split("\n")
    assert all(line.isprintable() for line in lines)
    assert parsed_back(rules, notation) == list(rules.expressions)
    assert all(line.isprintable() for line in rules.legend().split("\n"))


# --- keeping ----------------------------------------------------------------------------------


@given(mixed_rule_sets(), st.data())
@settings(max_examples=100)
def test_what_is_read_is_what_was_written_bit_for_bit(
    rules: RuleSet, data: st.DataObject
) -> None:
    table = data.draw(coded_tables(rules))
    for again in (RuleSet.from_json(rules.to_json()), pickle.loads(pickle.dumps(rules))):
        assert again == rules
        assert again.levels == rules.levels
        assert again.to_json() == rules.to_json()
        scores = again.scores(table, coded=True)
        assert scores.tobytes() == rules.scores(table, coded=True).tobytes()


def test_the_format_has_levels_by_column_and_memberships_by_code() -> None:
    document = json.loads(PATIENTS.to_json())
    assert document["version"] == 3
    assert document["levels"] == {
        "eye colour": {"names": ["red", "light blue"], "others": ["mauve", "teal"]}
    }
    assert document["memberships"] == [
        {"kind": "ramp", "feature": 0, "low": 90.0, "high": 164.0},
        {"kind": "missing", "feature": 0},
        {"kind": "flag", "feature": 1},
        {"kind": "level", "feature": 2, "code": 0},
        {"kind": "level", "feature": 2, "code": 1},
        {"kind": "level", "feature": 2, "code": 2},
        {"kind": "missing", "feature": 2},
    ]


# --- what is refused --------------------------------------------------------------------------


def test_no_levels_at_all_are_no_levels() -> None:
    assert replace(HEALTH, levels=(None, None)) == HEALTH
    assert HEALTH.levels == ()


def test_levels_may_be_a_list() -> None:
    again = replace(PATIENTS, levels=[None, None, COLOURS])  # type: ignore[arg-type]
    assert again == PATIENTS


def test_every_column_has_levels_or_none() -> None:
    with pytest.raises(RuleError, match="levels or None, got 1 entries for 3 columns"):
        replace(PATIENTS, levels=(COLOURS,))


@pytest.mark.parametrize(
    ("membership", "says"),
    [
        (Level(2, 3, "x"), "level 3 of column 'c', but it has 3 levels"),
        (Level(2, -1, None), "level -1 of column 'c', but it has 3 levels"),
        (Level(0, 0, "red"), "level 0 of column 'a', but it has 0 levels"),
        (Level(2, 0, "blue"), "level 0 of column 'c' is 'red', a membership says 'blue'"),
        (Level(2, 2, "mauve"), "level 2 of column 'c' is None, a membership says 'mauve'"),
        (Ramp(2, 0.0, 1.0), "column 'c' has levels, so .* got a Ramp"),
        (Membership(2, 0.0, 1.0), "column 'c' has levels, so .* got a Membership"),
        (Flag(2), "column 'c' has levels, so .* got a Flag"),
        (Missing(3), "about column 3, but there are 3 columns"),
    ],
)
def test_a_membership_that_its_column_cannot_have_is_refused(
    membership: Membership, says: str
) -> None:
    with pytest.raises(RuleError, match=says):
        ClassificationRules(
            ("a", "b", "c"),
            (membership,),
            (Rule("x", parse("0")),),
            levels=(None, None, COLOURS),
        )


def test_a_level_without_levels_is_refused() -> None:
    with pytest.raises(RuleError, match="it has 0 levels"):
        ClassificationRules(("a",), (Level(0, 0, "red"),), (Rule("x", parse("0")),))


def test_a_table_without_a_column_for_the_levels_is_refused() -> None:
    with pytest.raises(TableError, match=r"need the column.* 'eye colour'"):
        PATIENTS.predict(pd.DataFrame({"glucose": [1.0], "smoker": [True]}))


def test_hostile_levels_are_told_apart() -> None:
    levels = Levels(("missing", "not red", "red"), ("other", "x"))
    inputs = [Level.of(0, code, levels) for code in range(4)]
    rules = ClassificationRules(
        ("c",),
        (*inputs, Missing(0)),
        (Rule("y", parse("0 + 1 + 2 + 3 + ~4")),),
        levels=(levels,),
    )
    assert rules.to_text() == (
        'y = c is "missing" + c is "not red" + c is red + c is other + c is not missing'
    )
    assert parsed_back(rules, PAPER) == list(rules.expressions)
