"""Rules that predict a number, changed by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from crisplogic.errors import ExpressionError, RuleError
from crisplogic.expr import ASCII, PAPER, Notation, parse
from crisplogic.rules import Level, Ramp, RuleSet
from tests.rules.editing.samples import DIABETES, bodies, some_rows
from tests.rules.rule_sets import (
    COLOURS,
    PATIENTS,
    PRICE,
    as_number,
    distinct,
    number_rule_sets,
)
from tests.strategies import HOSTILE_NAMES


def same_rules(one: RuleSet, other: RuleSet) -> bool:
    same = replace(one, scale=1.0, intercepts=()) == replace(other, scale=1.0, intercepts=())
    return (
        same
        and one.intercepts == pytest.approx(other.intercepts, rel=1e-14)
        and one.scale == pytest.approx(other.scale, rel=1e-14)
    )


# --- rules as they are printed ----------------------------------------------------------------


@given(number_rule_sets(), st.sampled_from([PAPER, ASCII]))
@settings(max_examples=150)
def test_a_number_as_it_is_printed_is_the_number_that_it_was(
    rules: RuleSet, notation: Notation
) -> None:
    assume(distinct(rules))
    [body] = bodies(rules, notation)
    assert same_rules(rules.with_rule(rules.labels[0], body), rules)


@given(number_rule_sets(), st.sampled_from([PAPER, ASCII]))
@settings(max_examples=60)
def test_what_is_printed_is_the_same_from_any_other_numbers(
    rules: RuleSet, notation: Notation
) -> None:
    assume(distinct(rules))
    assume(rules.expressions[0] != parse("unknown"))
    other = replace(rules, scale=7.5, intercepts=(-30.0,))
    [body] = bodies(rules, notation)
    assert same_rules(other.with_rule(rules.labels[0], body), rules)


@pytest.mark.parametrize("name", [*HOSTILE_NAMES, "×", "*", "2 × a", "h1", "a>5"])
def test_hostile_names_are_written_as_they_are_printed(name: str) -> None:
    rules = PRICE.rename({"rooms": name}, labels={"price": name})
    for notation in (PAPER, ASCII):
        [body] = bodies(rules, notation)
        assert rules.with_rule(name, body) == rules
    assert RuleSet.from_json(rules.to_json()) == rules


TERMS = "rooms>6.5 + ~(poverty>9.7 & crime>3)"


@pytest.mark.parametrize(
    ("text", "intercept", "scale"),
    [
        (TERMS, 22.5, 4.125),  # no numbers: the logic alone
        (f"20 + 3.5 × ({TERMS})", 20.0, 3.5),
        (f"20+3.5*({TERMS})", 20.0, 3.5),
        (f"3.5 × ({TERMS})", 0.0, 3.5),
        (f"3.5 × ({TERMS}) + 20", 20.0, 3.5),
        (f"3.5 × ({TERMS}) - 20", -20.0, 3.5),
        (f"-20 + 3.5e-3 × ({TERMS})", -20.0, 0.0035),
        (f"- 20 + .5 × ({TERMS})", -20.0, 0.5),
        (f"+20 + 3.5 × ({TERMS})", 20.0, 3.5),
        (f"20 + {TERMS}", 20.0, 1.0),
        (f"{TERMS} + 20", 20.0, 1.0),
        (f"20\n + 3.5\n × ({TERMS})", 20.0, 3.5),
        ("20 + 3.5 × (rooms>6.5 - (poverty>9.7 & crime>3))", 20.0, 3.5),
        ("20 - 3.5 × (rooms<6.5 + (poverty>9.7 & crime>3))", 20.0, 3.5),
        ("20 - 3.5 × ((poverty>9.7 & crime>3) - rooms>6.5)", 20.0, 3.5),
        ("rooms>6.5 - (poverty>9.7 & crime>3)", 22.5, 4.125),
        ("-(rooms<6.5 + (poverty>9.7 & crime>3))", 22.5, 4.125),
    ],
)
def test_a_number_is_written_in_many_ways(text: str, intercept: float, scale: float) -> None:
    changed = PRICE.with_rule("price", text)
    assert set(changed.expressions[0].parts) == set(PRICE.expressions[0].parts)
    assert changed.intercepts == (intercept,)
    assert changed.scale == scale
    assert changed.memberships == PRICE.memberships


@pytest.mark.parametrize("text", ["18", "+18", " 18.0 "])
def test_a_base_alone_leaves_no_terms(text: str) -> None:
    changed = PRICE.with_rule("price", text)
    assert str(changed) == "price = 18"
    assert changed.scale == PRICE.scale
    assert str(PRICE.with_rule("price", "-18")) == "price = -18"


def test_one_term_is_multiplied_with_and_without_brackets() -> None:
    for text in ("2 × rooms>6.5", "2 × (rooms>6.5)", "2 * ~(rooms<6.5)"):
        changed = PRICE.with_rule("price", text)
        assert changed.predict([[9, 0, 0], [0, 0, 0]]).tolist() == [2.0, -2.0]
    logic = PRICE.with_rule("price", "2 × rooms>6.5 & crime>3")
    assert str(logic) == "price = 2 × (rooms>6.5 & crime>3)"


def test_a_minus_takes_all_of_a_term_away() -> None:
    text = "rooms>6.5 - poverty>9.7 & crime>3 - (rooms>6.5 - crime>3) - ~(rooms>6.5 | crime>3)"
    assert PRICE.with_rule("price", text).expressions[0] == parse(
        "0 + ~(1 & 2) + ~0 + 2 + (0 | 2)"
    )
    inside = PRICE.with_rule("price", "(rooms>6.5 - crime>3) & poverty>9.7")
    assert inside.expressions[0] == parse("(0 + ~2) & 1")


def test_shared_parts_are_called_by_their_names() -> None:
    rules = PRICE.with_rule(
        "price", "1 × ((rooms>6.5 & crime>3 | poverty>9.7) + ~(rooms>6.5 & crime>3))"
    )
    assert str(rules).startswith("h1    = rooms>6.5 & crime>3\n")
    assert str(rules.with_rule("price", "5 + 2 × (h1 - poverty>9.7)")) == (
        "price = 5 + 2 × ((rooms>6.5 & crime>3) + poverty<9.7)"
    )


def test_new_thresholds_and_statements_are_made() -> None:
    changed = PRICE.with_rule("price", "10 + 2 × (rooms>7 - crime is missing)")
    assert changed.memberships[-2] == Ramp(0, 6.0, 8.0)
    rules = as_number(PATIENTS)
    changed = rules.with_rule("price", '1 + 2 × ("eye colour" is not red)')
    assert changed.memberships == rules.memberships
    assert Level.of(2, 0, COLOURS) in changed.memberships


@pytest.mark.parametrize(
    ("text", "said", "place"),
    [
        ("20 + 3.5 × (rooms>6.5 & crim>3)", "no column 'crim'.*did you mean crime", 24),
        ("20 + 3.5 × rooms>6.5 + crime>3", r"one for all terms; write 20 \+ 3.5", 21),
        ("20 + 3.5 × rooms>6.5 - crime>3", "one for all terms", 21),
        ("20 + 3.5 × (rooms>6.5) + 2 × (crime>3)", "one for all terms", 23),
        ("20 + 3.5 × (2.5 × rooms>6.5)", "numbers stand before the terms", 12),
        ("20 + 3.5 × (100 × rooms>6.5)", "counts 1 to 99 times", 12),
        ("rooms>6.5 × 3.5", "what all terms are worth", 10),
        ("(rooms>6.5) * crime>3", "what all terms are worth", 12),
        ("20 + 3.5 ×", "expected an input, .* found the end", 10),
        ("20 + 3.5 × 2", "numbers stand before the terms", 11),
        ("20 + 5", "numbers stand before the terms", 5),
        ("20 + 3.5 × (rooms>6.5) + 5", "one for all terms", 23),
        ("20 rooms>6.5", "numbers stand before the terms", 0),
        ("3 & rooms>6.5", "numbers stand before the terms", 0),
        ("20 + 3.5 × (rooms>6.5", r"expected '\)'", 21),
        ("20 + 3.5 × rooms>6.5)", "expected an operator or the end", 20),
        ("20 +", "expected an input", 3),
        ("20 -", "expected an input", 4),
        ("rooms>6.5 -", "expected an input", 11),
        ("rooms>6.5 - - crime>3", "expected an input", 12),
        ("price = 20", "a threshold is written", 6),
        ("", "nothing to read", 0),
        ("20 + 3.5 × (rooms)", "possible are rooms>6.5", 12),
    ],
)
def test_an_error_quotes_the_text_and_points_at_the_place(
    text: str, said: str, place: int
) -> None:
    with pytest.raises(ExpressionError, match=said) as raised:
        PRICE.with_rule("price", text)
    shown, mark = str(raised.value).splitlines()[-2:]
    assert text.startswith(shown[2:]) or shown[2:] == text
    assert mark.index("^") == place + 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("20 + 0 × (rooms>6.5)", "the scale must lie between 0"),
        ("20 + 1e999 × (rooms>6.5)", "the scale must lie between 0"),
        ("1e999 + 2 × (rooms>6.5)", "an intercept must be a finite number"),
    ],
)
def test_numbers_that_cannot_be_are_refused(text: str, said: str) -> None:
    with pytest.raises(RuleError, match=said):
        PRICE.with_rule("price", text)


words = st.sampled_from(
    [*"+-×*()&~", "20", "3.5", "1e3", "rooms>6.5", "crime<3", "poverty>9", "true", "tanh"]
)


@given(st.lists(words, max_size=12).map(" ".join))
@settings(max_examples=300)
def test_any_text_is_refused_or_printed_back(text: str) -> None:
    try:
        changed = PRICE.with_rule("price", text)
    except (ExpressionError, RuleError):
        return
    [body] = bodies(changed, PAPER)
    assert same_rules(changed.with_rule("price", body), changed)


# --- the other edits --------------------------------------------------------------------------


def test_terms_are_added_and_dropped() -> None:
    more = PRICE.with_term("price", "crime<3").with_term("price", "-(rooms>8)")
    assert str(more) == (
        "price = 22.5 + 4.125 × (rooms>6.5 + ¬(poverty>9.7 & crime>3) + crime<3 + rooms<8)"
    )
    assert str(more.without_term("crime<3 + rooms<8")) == str(PRICE)
    assert more.without_term("~(crime>3 & poverty>9.7)", label="price").expressions[0] == parse(
        "0 + ~2 + ~3"
    )
    assert (
        str(PRICE.without_term("rooms>6.5").without_term("poverty<9.7 | crime<3"))
        == "price = 22.5"
    )


@pytest.mark.parametrize("term", ["crime<3 + 5", "5 + crime<3", "2 × crime<3"])
def test_a_term_has_no_number(term: str) -> None:
    with pytest.raises(ExpressionError, match="see with_intercept and with_scale"):
        PRICE.with_term("price", term)


def test_thresholds_move() -> None:
    moved = PRICE.with_threshold("rooms", 7)
    assert str(moved).startswith("price = 22.5 + 4.125 × (rooms>7 + ")
    assert moved.predict([[7, 0, 0]]).tolist() == [22.5 + 4.125]


def test_base_and_worth_are_changed_alone() -> None:
    assert PRICE.with_intercept("price", 20) == replace(PRICE, intercepts=(20.0,))
    assert PRICE.with_scale(3) == replace(PRICE, scale=3.0)
    assert isinstance(PRICE.with_scale(np.float64(3)).scale, float)


def test_the_scale_of_classes_is_how_sure_they_are() -> None:
    surer, rows = DIABETES.with_scale(9), some_rows()
    assert surer.predict(rows).tolist() == DIABETES.predict(rows).tolist()
    assert surer.predict_proba(rows).max(axis=1).mean() > (
        DIABETES.predict_proba(rows).max(axis=1).mean()
    )


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), 1e101])
def test_a_scale_that_makes_no_sense_is_refused(scale: float) -> None:
    for rules in (PRICE, DIABETES):
        with pytest.raises(RuleError, match="the scale must lie between 0 and"):
            rules.with_scale(scale)


def test_numbers_and_classes_are_renamed() -> None:
    renamed = PRICE.rename({"crime": "offences"}, labels={"price": "house price"})
    assert str(renamed) == (
        '"house price" = 22.5 + 4.125 × (rooms>6.5 + ¬(poverty>9.7 & offences>3))'
    )
    assert PRICE.rename() == PRICE
    turned = DIABETES.rename(labels={"positive": "negative", "negative": "positive"})
    assert turned.labels == ("negative", "positive")
    assert turned.expressions == DIABETES.expressions


def test_names_that_are_not_there_or_there_twice_are_refused() -> None:
    with pytest.raises(RuleError, match="no number 'prize'; these rules predict 'price'; did"):
        PRICE.rename(labels={"prize": "x"})
    with pytest.raises(RuleError, match="no class 'good'; the classes are 'positive', 'neg"):
        DIABETES.rename(labels={"good": "x"})
    with pytest.raises(RuleError, match="every class has one rule"):
        DIABETES.rename(labels={"positive": "negative"})
    edits: list[Callable[[], RuleSet]] = [
        lambda: PRICE.with_rule("cost", "20"),
        lambda: PRICE.with_term("cost", "crime>3"),
        lambda: PRICE.with_intercept("cost", 1),
        lambda: PRICE.without_term("rooms>6.5", label="cost"),
    ]
    for edit in edits:
        with pytest.raises(RuleError, match="no number 'cost'; these rules predict 'price'"):
            edit()


def test_changed_rules_predict_save_and_load() -> None:
    changed = PRICE.with_rule("price", "20 + 3.5 × (rooms>7 - crime>3)")
    again = RuleSet.from_json(changed.to_json())
    assert again == changed
    assert again.predict([[9, 0, 0], [0, 0, 9]]).tolist() == [27.0, 13.0]
