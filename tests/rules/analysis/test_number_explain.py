"""Explaining numbers: what each term adds, in the units of the number."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from crisplogic.errors import TableError
from crisplogic.expr.program import CHUNK_ROWS
from crisplogic.rules import NumberExplanation, RuleSet
from tests.rules.rule_sets import (
    INF,
    NAN,
    PATIENTS,
    PRICE,
    as_number,
    intercepts,
    mixed_rule_sets,
    rule_sets,
    rules_of,
)
from tests.strategies import HOSTILE_NAMES, INPUTS

ROW = {"rooms": 7.0, "poverty": 20.0, "crime": None}
TEXT = """\
predicted: price = 24.5625

  +22.500                  anyway
   +2.062  +0.50  true     rooms>6.5                 rooms = 7
   +0.000  +0.00  unknown  ¬(poverty>9.7 & crime>3)
                  +1.00  true     poverty>9.7        poverty = 20
                  +0.00  unknown  crime>3            crime is missing"""


def test_it_says_what_each_term_adds_and_whether_it_is_true() -> None:
    told = PRICE.explain(ROW)
    assert isinstance(told, NumberExplanation)
    assert (told.label, told.predicted, told.intercept, told.scale) == (
        "price",
        24.5625,
        22.5,
        4.125,
    )
    assert told.amounts == (2.0625, 0.0)
    assert [term.text for term in told.terms] == ["rooms>6.5", "¬(poverty>9.7 & crime>3)"]
    assert [part.text for part in told.literals] == ["rooms>6.5", "poverty>9.7", "crime>3"]
    assert told.runner_up is None


def test_it_prints_base_and_terms_in_the_order_in_which_they_add_up() -> None:
    assert str(PRICE.explain(ROW)) == PRICE.explain(ROW).to_text() == TEXT


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
    told = PRICE.with_rule("price", "0").explain(ROW)
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
    rules: RuleSet, table: Any
) -> None:
    told = list(rules.explain_each(table))
    assert [each.predicted for each in told] == rules.predict(table).tolist()
    for each in told:
        size = abs(each.intercept) + sum(map(abs, each.amounts))
        assert each.intercept + sum(each.amounts) == pytest.approx(
            each.predicted, abs=1e-14 * size
        )


@given(mixed_rule_sets().map(as_number), st.data())
@settings(max_examples=40)
def test_any_row_of_any_rules_can_be_printed_and_kept(
    rules: RuleSet, data: st.DataObject
) -> None:
    row = [
        data.draw(st.none() | (st.floats() if its is None else st.sampled_from(["red", "?"])))
        for its in (rules.levels or (None,) * len(rules.features))
    ]
    told = rules.explain(row)
    kept = json.loads(json.dumps(told.to_dict(), allow_nan=False))
    assert kept["predicted"] == told.predicted == rules.predict([row])[0]
    assert all(line.isprintable() for line in str(told).split("\n"))


def test_as_json_it_has_amounts_and_no_probability() -> None:
    made = PRICE.explain(ROW).to_dict()
    assert list(made) == [
        *("predicted", "runner_up", "number", "intercept", "scale", "terms", "literals"),
        "shared",
    ]
    assert (made["number"], made["predicted"], made["runner_up"]) == ("price", 24.5625, None)
    assert made["terms"][0] == {
        "amount": 2.0625,
        "count": 1,
        "text": "rooms>6.5",
        "value": 0.5,
        "state": "true",
        "column": "rooms",
        "cell": 7.0,
    }
    assert "probability" not in json.dumps(made)


def test_rows_come_in_any_form_and_many_at_once() -> None:
    frame = pd.DataFrame([ROW])
    assert PRICE.explain(frame.iloc[0]) == PRICE.explain(ROW) == PRICE.explain([7.0, 20, NAN])
    rows = np.random.default_rng(0).uniform([4, 0, 0], [9, 20, 9], (CHUNK_ROWS + 3, 3))
    told = list(PRICE.explain_each(rows))
    assert [each.predicted for each in told] == PRICE.predict(rows).tolist()
    assert list(PRICE.explain_each(np.empty((0, 3)))) == []
    with pytest.raises(TableError, match="explain needs one row, got 2"):
        PRICE.explain([[1, 2, 3], [4, 5, 6]])


def test_categories_and_endless_values_are_told_of() -> None:
    told = as_number(PATIENTS).explain({"glucose": INF, "smoker": None, "eye colour": "teal"})
    cells = {part.text: part.cell for part in told.literals}
    assert cells["glucose>127"] == INF
    assert cells['"eye colour" is red'] == "teal"
    assert json.loads(json.dumps(told.to_dict(), allow_nan=False))


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_hostile_names_do_no_harm(name: str) -> None:
    rules = PRICE.rename({"rooms": name}, labels={"price": name})
    assert all(line.isprintable() for line in str(rules.explain([7, 20, 3])).split("\n"))


@pytest.mark.parametrize("factor", [1e-80, 1e80])
def test_huge_and_tiny_numbers_are_printed_with_powers(factor: float) -> None:
    rules = PRICE.with_scale(4.125 * factor).with_intercept("price", 22.5 * factor)
    headline, _, base, *_ = str(rules.explain(ROW)).splitlines()
    assert float(headline.split()[-1]) == pytest.approx(24.5625 * factor, rel=1e-5)
    assert float(base.split()[0]) == pytest.approx(22.5 * factor, rel=1e-3)


def test_an_explanation_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        PRICE.explain(ROW).predicted = 3.0
