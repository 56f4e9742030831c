"""Explaining rows: what is true of a row, what that adds up to, and who wins."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from crisplogic.errors import TableError
from crisplogic.expr import And, Expr, Not, Or, Var, parse
from crisplogic.expr.program import CHUNK_ROWS
from crisplogic.rules import (
    ClassExplanation,
    ClassificationRules,
    NumberExplanation,
    Ramp,
    RegressionRules,
    Rule,
)
from crisplogic.rules.analysis.explanation import Part, Verdict
from tests.rules.rule_sets import (
    INF,
    LEARNED,
    NAN,
    PATIENTS,
    PRICE,
    as_number,
    coded_tables,
    intercepts,
    mixed_rule_sets,
    rule_sets,
    rules_of,
)
from tests.strategies import HOSTILE_NAMES, INPUTS

ROW = {
    "glucose": 150.0,
    "body mass": 27.0,
}  # LEARNED: glucose>127 is 23/37, body mass<31.5 0.75


def sums(explained: ClassExplanation) -> list[float]:
    """Terms, as often as each counts, and intercept of each class, added in their order."""

    def values(verdict: Verdict) -> Iterator[float]:
        for count, term in zip(verdict.counts, verdict.terms, strict=True):
            yield from [term.value] * count

    return [
        verdict.intercept + reduce(add, values(verdict), 0.0) for verdict in explained.verdicts
    ]


def every_part(part: Part) -> list[Part]:
    return [part, *(inner for inside in part.parts for inner in every_part(inside))]


@given(rule_sets(), st.lists(st.floats(), min_size=INPUTS, max_size=INPUTS))
@settings(max_examples=60)
def test_terms_and_intercept_add_up_to_the_score_to_the_last_bit(
    rules: ClassificationRules, row: list[float]
) -> None:
    explained = rules.explain(row)
    (scores,) = rules.scores([row]).tolist()
    assert sums(explained) == scores
    assert [verdict.score for verdict in explained.verdicts] == scores
    assert [verdict.probability for verdict in explained.verdicts] == pytest.approx(
        rules.predict_proba([row])[0].tolist()
    )
    assert explained.predicted == rules.predict([row])[0]


@pytest.mark.filterwarnings("ignore::crisplogic.errors.UnseenValuesWarning")
@given(mixed_rule_sets() | mixed_rule_sets().map(as_number), st.data())
@settings(max_examples=80)
def test_any_row_of_any_rules_can_be_printed_and_kept(
    rules: ClassificationRules | RegressionRules, data: st.DataObject
) -> None:
    row = [
        data.draw(st.none() | (st.floats() if its is None else st.sampled_from(["red", "?"])))
        for its in (rules.levels or (None,) * len(rules.features))
    ]
    explained = rules.explain(row)
    if isinstance(explained, ClassExplanation):
        assert sums(explained) == rules.scores([row])[0].tolist()
    kept = json.loads(json.dumps(explained.to_dict(), allow_nan=False))
    assert kept["predicted"] == explained.predicted == rules.predict([row])[0]
    assert all(line.isprintable() for line in str(explained).split("\n"))


@pytest.mark.parametrize(
    "row",
    [
        ROW,
        {**ROW, "name": "x"},
        [150.0, 27.0],
        (150.0, 27.0),
        np.array([150.0, 27.0]),
        np.array([[150.0, 27.0]]),
        [[150.0, 27.0]],
        pd.Series(ROW),
        pd.Series(ROW)[::-1],
        pd.Series([150.0, 27.0]),
        pd.DataFrame([ROW]),
        pd.DataFrame([ROW]).iloc[0],
    ],
    ids=lambda row: type(row).__name__,
)
def test_a_row_may_come_in_any_form(row: Any) -> None:
    assert LEARNED.explain(row) == LEARNED.explain([150.0, 27.0])


def test_a_row_of_mixed_values_may_too() -> None:
    row = {"eye colour": "teal", "glucose": None, "smoker": True}
    frame = pd.DataFrame([row])
    assert PATIENTS.explain(row) == PATIENTS.explain(frame) == PATIENTS.explain(frame.iloc[0])
    assert PATIENTS.explain([None, True, "teal"]) == PATIENTS.explain(row)


def test_it_says_what_is_true_false_and_unknown() -> None:
    explained = PATIENTS.explain({"glucose": None, "smoker": True, "eye colour": "teal"})
    literals = {part.text: (part.value, part.column, part.cell) for part in explained.literals}
    assert literals["glucose>127±37"] == (0.0, "glucose", None)
    assert literals["glucose is missing"] == (1.0, "glucose", None)
    assert literals["smoker"] == (1.0, "smoker", "True")
    assert literals['"eye colour" is other'] == (1.0, "eye colour", "teal")
    assert literals['"eye colour" is red'] == (-1.0, "eye colour", "teal")
    unseen = PATIENTS.explain({"glucose": 1.0, "smoker": True, "eye colour": "green"})
    assert (unseen.literals[3].cell, unseen.literals[3].new) == ("green", True)
    assert 'eye colour" is green, never seen before' in str(unseen)
    assert unseen.literals[3].to_dict()["new"]
    assert unseen.literals[3].value == 0


def test_it_names_winner_and_runner_up() -> None:
    explained = LEARNED.explain(ROW)
    assert [verdict.label for verdict in explained.ranking] == ["ill", "well", 3]
    assert (explained.predicted, explained.runner_up) == ("ill", "well")
    ill, well = (verdict.score for verdict in explained.ranking[:2])
    assert explained.margin == ill - well
    alone = rules_of("0", labels=("only",)).explain([1.0] * INPUTS)
    assert (alone.predicted, alone.runner_up, alone.margin) == ("only", None, INF)
    assert alone.to_dict()["margin"] is None


def test_in_a_tie_the_first_class_wins() -> None:
    assert rules_of("0", "0", labels=("b", "a")).explain([0.5] * INPUTS).predicted == "b"


def test_parts_have_the_values_of_their_expressions() -> None:
    rules = rules_of("~(0 & (1 | ~2)) + tanh(3 + ~4)")
    row = [0.5, -0.25, 0.75, 1.0, 0.5]
    first, second = rules.explain(row).verdicts[0].terms
    assert [part.text for part in every_part(first)] == [
        "¬(x0 & (x1 | ¬x2))", "x0", "x1 | ¬x2", "x1", "¬x2",
    ]  # fmt: skip
    for part in (*every_part(first), *every_part(second)):
        again = rules.with_rule(0, part.text)
        assert part.value == again.scores([row])[0, 0]
    assert [part.text for part in second.parts] == ["x3", "¬x4"]


def test_what_is_shared_deep_inside_is_explained_once() -> None:
    rules = rules_of("((0 & 1) | 2) + 3", "(0 & 1) ^ 4")
    explained = rules.explain([1.0, 0.5, -1.0, 0.0, 1.0])
    ((name, part),) = explained.shared
    assert (name, part.text, part.value) == ("h1", "x0 & x1", 0.5)
    assert [inside.text for inside in explained.verdicts[0].terms[0].parts] == ["h1", "x2"]
    assert explained.verdicts[0].terms[0].parts[0].value == 0.5
    assert "where h1 is" in str(explained)


def test_a_shared_term_is_written_out() -> None:
    rules = rules_of("(0 & 1) + 2", "~(0 & 1)")
    first, second = rules.explain([1.0, 0.5, 0.0, 0.0, 0.0]).verdicts
    assert first.terms[0].text == "x0 & x1"
    assert second.terms[0].text == "¬(x0 & x1)"
    assert [part.text for part in second.terms[0].parts] == ["x0", "x1"]


def test_deep_rules_take_no_longer_than_their_parts() -> None:
    deep: Expr = Var(0)
    for number in range(30):  # written out, it would have 2^30 literals
        deep = (And, Or)[number % 2]((deep, Not(deep)))
    rules = ClassificationRules(("x",), (Ramp(0, -1, 1),), (Rule("a", deep), Rule("b", ~deep)))
    explained = rules.explain([0.3])
    assert len(str(explained)) < 20_000
    assert sums(explained) == rules.scores([[0.3]])[0].tolist()
    assert len(rules.evidence([[0.3]])) == 4


def test_it_is_printed_as_a_small_tree() -> None:
    rules = replace(LEARNED, scale=1.0)
    assert str(rules.explain({"glucose": NAN, "body mass": 37.5})).splitlines() == [
        "predicted: well (68%); next: ill (20%)",
        "",
        "well = 0.25",
        "  +0.25           anyway",
        "",
        "ill = -1",
        '  -1.00  false    glucose>127±37 & "body mass"<31.5±6',
        "         +0.00  unknown  glucose>127±37                glucose is missing",
        '         -1.00  false    "body mass"<31.5±6            "body mass" = 37.5',
        "",
        "3 = -1.5",
        "  +0.00  unknown  glucose<127±37                       glucose is missing",
        "  -1.50           anyway",
    ]  # fmt: skip


def test_it_can_be_kept_as_json() -> None:
    kept = json.loads(json.dumps(LEARNED.explain([INF, NAN]).to_dict(), allow_nan=False))
    assert kept["predicted"] == "well"
    assert kept["runner_up"] == "ill"
    ill = kept["classes"][0]
    assert ill["class"] == "ill"
    assert ill["score"] == ill["terms"][0]["value"] == 0.0
    assert ill["terms"][0]["state"] == "unknown"
    assert ill["terms"][0]["parts"][0] == {
        "text": "glucose>127±37",
        "value": 1.0,
        "state": "true",
        "column": "glucose",
        "cell": "inf",
    }
    assert ill["terms"][0]["parts"][1]["cell"] is None


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_hostile_names_are_no_trouble(name: str) -> None:
    rules = rules_of("0 & 1", "~0", labels=(name, "b"), features=(name, "x"))
    explained = rules.explain({name: 1.0, "x": NAN})
    assert explained.predicted == name
    assert all(line.isprintable() for line in str(explained).split("\n"))
    assert explained.to_dict()["literals"][0]["column"] == name


def test_several_rows_are_explained_one_after_the_other() -> None:
    rules = ClassificationRules(("x",), (Ramp(0, 0.0, 1.0),), (Rule("a", parse("0")),))
    table = np.random.default_rng(0).random((CHUNK_ROWS + 3, 1))
    each = rules.explain_each(table)
    assert next(each) == rules.explain(table[0])
    *_, last = each
    assert last == rules.explain(table[-1])


def test_one_row_is_needed() -> None:
    for rows in ([[1.0, 2.0]] * 2, np.empty((0, 2))):
        with pytest.raises(TableError, match="use explain_each"):
            LEARNED.explain(rows)
    with pytest.raises(TableError, match="no value for 'body mass'"):
        LEARNED.explain({"glucose": 3.0})
    with pytest.raises(TableError, match="shape"):
        LEARNED.explain([1.0, 2.0, 3.0])


def test_an_explanation_cannot_be_changed() -> None:
    explained = LEARNED.explain(ROW)
    with pytest.raises(FrozenInstanceError):
        explained.shared = ()  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        PRICE.explain(HOUSE).predicted = 3.0  # type: ignore[misc]
    assert hash(explained) == hash(LEARNED.explain(ROW))


def test_a_constant_term_is_explained() -> None:
    rules = ClassificationRules(
        ("x",), (), (Rule("a", parse("true + false")), Rule("b", parse("unknown")))
    )
    assert [term.text for term in rules.explain([1.0]).verdicts[0].terms] == ["true", "false"]
    assert "+0.00           anyway" in str(rules.explain([1.0]))


# --- numbers ----------------------------------------------------------------------------------

HOUSE = {"rooms": 7.0, "poverty": 20.0, "crime": None}
HOUSE_TEXT = """\
predicted: price = 24.5625

  +22.500                  anyway
   +2.062  +0.50           rooms>6.5±1                   rooms = 7
   +0.000  +0.00  unknown  ¬(poverty>9.7±2 & crime>3±1)
                  +1.00  true     poverty>9.7±2          poverty = 20
                  +0.00  unknown  crime>3±1              crime is missing"""


def test_it_says_what_each_term_adds_and_whether_it_is_true() -> None:
    told = PRICE.explain(HOUSE)
    assert isinstance(told, NumberExplanation)
    assert (told.label, told.predicted, told.intercept, told.scale) == (
        "price",
        24.5625,
        22.5,
        4.125,
    )
    assert told.amounts == (2.0625, 0.0)
    assert [term.text for term in told.terms] == ["rooms>6.5±1", "¬(poverty>9.7±2 & crime>3±1)"]
    assert [part.text for part in told.literals] == [
        "rooms>6.5±1",
        "poverty>9.7±2",
        "crime>3±1",
    ]
    assert told.runner_up is None


def test_it_prints_base_and_terms_in_the_order_in_which_they_add_up() -> None:
    assert str(PRICE.explain(HOUSE)) == PRICE.explain(HOUSE).to_text() == HOUSE_TEXT


def test_parts_that_stand_inside_by_name_are_told_below() -> None:
    rules = as_number(rules_of("((0 & 1) | 2) + ((0 & 1) | 3)"), "y", -1234.5, 1000.0)
    lines = str(rules.explain([1, 1, -1, -1, 0])).splitlines()
    assert lines[:4] == [
        "predicted: y = 765.5",
        "",
        "  -1234                  anyway",
        "  +1000  +1.00  true     h1 | x2",
    ]
    assert "where h1 is" in lines


def test_rules_without_terms_have_a_base() -> None:
    told = PRICE.with_rule("price", "0").explain(HOUSE)
    assert str(told).splitlines()[::2] == [
        "predicted: price = 0",
        "  +0.000                  anyway",
    ]
    assert told.amounts == ()


@given(
    st.builds(as_number, rule_sets(), st.just("y"), intercepts, st.floats(1e-6, 1e6)),
    hnp.arrays(np.float64, (3, INPUTS), elements=st.floats()),
)
@settings(max_examples=80)
def test_the_number_is_that_of_predict_and_amounts_add_up_to_it(
    rules: RegressionRules, table: Any
) -> None:
    told = list(rules.explain_each(table))
    assert [each.predicted for each in told] == rules.predict(table).tolist()
    for each in told:
        size = abs(each.intercept) + sum(map(abs, each.amounts))
        assert each.intercept + sum(each.amounts) == pytest.approx(
            each.predicted, abs=1e-14 * size
        )


def test_as_json_it_has_amounts_and_no_probability() -> None:
    made = PRICE.explain(HOUSE).to_dict()
    assert list(made) == [
        *("predicted", "runner_up", "number", "intercept", "scale", "terms", "literals"),
        "shared",
    ]
    assert (made["number"], made["predicted"], made["runner_up"]) == ("price", 24.5625, None)
    assert made["terms"][0] == {
        "amount": 2.0625,
        "count": 1,
        "text": "rooms>6.5±1",
        "value": 0.5,
        "state": None,
        "column": "rooms",
        "cell": 7.0,
    }
    assert "probability" not in json.dumps(made)


def test_rows_come_in_any_form_and_many_at_once() -> None:
    frame = pd.DataFrame([HOUSE])
    assert PRICE.explain(frame.iloc[0]) == PRICE.explain(HOUSE) == PRICE.explain([7.0, 20, NAN])
    rows = np.random.default_rng(0).uniform([4, 0, 0], [9, 20, 9], (CHUNK_ROWS + 3, 3))
    told = list(PRICE.explain_each(rows))
    assert [each.predicted for each in told] == PRICE.predict(rows).tolist()
    assert list(PRICE.explain_each(np.empty((0, 3)))) == []
    with pytest.raises(TableError, match="explain needs one row, got 2"):
        PRICE.explain([[1, 2, 3], [4, 5, 6]])


def test_categories_and_endless_values_are_told_of() -> None:
    told = as_number(PATIENTS).explain({"glucose": INF, "smoker": None, "eye colour": "teal"})
    cells = {part.text: part.cell for part in told.literals}
    assert cells["glucose>127±37"] == INF
    assert cells['"eye colour" is red'] == "teal"
    assert json.loads(json.dumps(told.to_dict(), allow_nan=False))


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_hostile_names_of_numbers_do_no_harm(name: str) -> None:
    rules = PRICE.rename({"rooms": name}, labels={"price": name})
    assert all(line.isprintable() for line in str(rules.explain([7, 20, 3])).split("\n"))


@pytest.mark.parametrize("factor", [1e-80, 1e80])
def test_huge_and_tiny_numbers_are_printed_with_powers(factor: float) -> None:
    rules = PRICE.with_scale(4.125 * factor).with_intercept("price", 22.5 * factor)
    headline, _, base, *_ = str(rules.explain(HOUSE)).splitlines()
    assert float(headline.split()[-1]) == pytest.approx(24.5625 * factor, rel=1e-5)
    assert float(base.split()[0]) == pytest.approx(22.5 * factor, rel=1e-3)


# Words and degrees

WORDS: dict[float, set[str | None]] = {1.0: {"true"}, -1.0: {"false"}, 0.0: {None, "unknown"}}


@given(rule_sets(), st.data())
@settings(max_examples=60)
def test_only_what_is_quite_true_is_called_true(
    rules: ClassificationRules, data: st.DataObject
) -> None:
    for explained in rules.explain_each(data.draw(coded_tables(rules))):
        terms = [term for verdict in explained.verdicts for term in verdict.terms]
        shared = [part for _, part in explained.shared]
        for root in (*terms, *explained.literals, *shared):
            for part in every_part(root):
                assert part.state in WORDS.get(round(part.value, 9), {None})


def test_a_term_that_is_barely_true_while_its_parts_are_false_is_not_called_true() -> None:
    # Graded, an *or* of two statements that are a little false is a little true.
    rules = rules_of("0 | 1", "unknown")
    row = np.zeros((1, INPUTS))
    row[0, :2] = -0.3, -0.2
    term = rules.explain(row).verdicts[0].terms[0]
    assert all(part.value < 0 for part in term.parts)
    assert 0 < term.value < 0.5
    assert term.state is None
    assert all(part.state is None for part in term.parts)
    words = rules.explain(row).to_text().split()
    assert not {"true", "false"} & set(words)


def test_a_value_on_the_threshold_is_a_degree_and_a_missing_one_is_unknown() -> None:
    on = LEARNED.explain({"glucose": 127.0, "body mass": 40.0}).literals[0]
    missing = LEARNED.explain({"glucose": None, "body mass": 40.0}).literals[0]
    assert (on.value, on.state) == (0.0, None)
    assert (missing.value, missing.state) == (0.0, "unknown")


def test_what_misses_the_end_of_a_ramp_by_rounding_is_still_called_false() -> None:
    # Many ramps end where the arithmetic of floats gives -0.9999999999999999.
    ramps = [Ramp(0, low / 100, low / 100 + 1.22) for low in range(400, 500)]
    for ramp in ramps:
        rules = ClassificationRules(("rooms",), (ramp,), (Rule("a", parse("0")),))
        assert rules.explain([3.0]).literals[0].state == "false"
        assert rules.explain([9.0]).literals[0].state == "true"


def test_a_level_and_a_flag_are_called_true_or_false() -> None:
    explained = PATIENTS.explain({"glucose": 100.0, "smoker": True, "eye colour": "red"})
    states = {literal.text: literal.state for literal in explained.literals}
    assert states["smoker"] == states['"eye colour" is red'] == "true"
    assert states['"eye colour" is other'] == states["glucose is missing"] == "false"
