"""Explanations of crisp rules: which statements hold, and what follows from that."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisplogic.expr import parse
from crisplogic.rules import ClassificationRules, RegressionRules, Rule, RuleSet, Step
from crisplogic.rules.checklist import Checklist, NumberCard, ScoreCard
from tests.rules.test_describe import crisp_models, rows_of, two

pytestmark = pytest.mark.filterwarnings("ignore::crisplogic.errors.UnseenValuesWarning")

ROW = {"age": 50, "body mass": None, "smoker": "yes", "colour": "pink"}


def test_it_says_how_many_hold_and_how_many_are_needed() -> None:
    rules = two("0 + (0 | 1) + 1 + ~2 + 3", -0.5)
    assert str(rules.explain(ROW)).split("\n") == [
        "ill (60%), because 2 of 5 hold and 2 are unknown, which count half each "
        "(3 are needed):",
        "  holds    age is above 40                             age = 50",
        "  holds    age is above 40, or body mass is above 6.5  age = 50, body mass is missing",
        "  unknown  body mass is above 6.5                      body mass is missing",
        "  fails    smoker is no                                smoker is yes",
        "  unknown  colour is red                               "
        "colour is pink (never seen before)",
    ]
    less = str(rules.with_intercept("ill", -2.5).explain(ROW)).split("\n")[0]
    assert less.startswith("well (77%), because only 2 of 5 hold and 2 are unknown")
    assert less.endswith("(4 are needed for ill):")


@pytest.mark.parametrize(
    ("text", "shift", "headline"),
    [
        ("0", -0.5, "ill (60%), because this holds:"),
        ("1", -0.5, "well (60%), because this is unknown:"),
        ("~0", -0.5, "well (77%), because this fails:"),
        ("0 + 0 + ~2", -0.5, "ill (60%), because 2 of 3 points are given (2 are needed):"),
        ("0 + ~2", -9.5, "well (>99.9%), always; 1 of 2 holds:"),
        ("unknown", -0.5, "well (60%), always"),
    ],
)
def test_the_first_line_says_why(text: str, shift: float, headline: str) -> None:
    assert str(two(text, shift).explain(ROW)).split("\n")[0] == headline


def test_a_tie_goes_to_the_first_class_and_is_told_of() -> None:
    rules = tuple(Rule(label, parse("0")) for label in "abc")
    tied = ClassificationRules(("x",), (Step(0, 3.0),), rules, 1.0, (1.0,) * 3, crisp=True)
    first = str(tied.explain([5])).split("\n")[0]
    assert first == "a (33%), because it has 1 point; b (33%) has 1, but stands behind it:"


def test_a_number_is_a_base_and_amounts() -> None:
    price = RegressionRules(
        ("area", "age"),
        (Step(0, 120.0), Step(1, 40.0)),
        (Rule("price", parse("2 × (0) + ~1")),),
        6.1,
        (22.5,),
        crisp=True,
    )
    assert str(price.explain([130, None])).split("\n") == [
        "price = 34.7:",
        "   +4.2           to begin with",
        "  +24.4  holds    area is above 120  area = 130",
        "   +6.1  unknown  age is at most 40  age is missing",
        "  +34.7           in all",
    ]
    log = replace(price, transform="log", scale=0.5, intercepts=(1.0,))
    assert str(log.explain([130, 30])).endswith("in all: log(price)")


@given(crisp_models(), st.data())
@settings(max_examples=60)
def test_the_account_of_any_row_adds_up_to_the_prediction(
    rules: RuleSet, data: st.DataObject
) -> None:
    row = data.draw(rows_of(rules))
    table = [[row[name] for name in rules.features]]
    told = rules.explain(row)
    account = told.account
    assert account is not None
    json.dumps(told.to_dict(), allow_nan=False)
    assert str(told).startswith(account.headline())
    assert account.headline()[:1] in told.to_markdown() + told._repr_html_()
    [predicted] = rules.predict(table).tolist()
    if isinstance(account.form, Checklist):
        is_positive = account.totals[0] >= account.form.needed
        assert predicted == (account.form.positive if is_positive else account.form.other)
    elif isinstance(account.form, ScoreCard):
        assert predicted == account.form.labels[int(np.argmax(account.totals))]
    else:
        assert isinstance(account.form, NumberCard)
        [score] = rules.scores(table)[0]
        assert account.totals[0] == pytest.approx(score, abs=1e-9)
