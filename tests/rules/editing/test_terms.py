"""Terms added and dropped by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from crisplogic.algebra import UNKNOWN
from crisplogic.errors import ExpressionError, RuleError
from crisplogic.expr import And, Const, Expr, Not, Or, Var, Xor, evaluate_all, parse, total
from crisplogic.expr.equivalence import EquivalenceClasses
from crisplogic.rules import ClassificationRules, Ramp, Rule, RuleSet
from crisplogic.rules.formatting import Wording, terms_of
from tests.rules.editing.samples import DIABETES, some_rows
from tests.rules.rule_sets import (
    PATIENTS,
    PRICE,
    coded_tables,
    distinct,
    mixed_rule_sets,
    rules_of,
)

TERM = 'glucose>127 & "body mass"<30'


# --- dropping ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        TERM,
        f"({TERM})",
        '"body mass"<30 & glucose>127',
        '¬(glucose<127 | "body mass">30)',
        '~("body mass" > 30.0 or glucose < 127)',
        'not not glucose>127 ∧ ¬("body mass">30)',
        "h1",
        "¬¬h1",
    ],
)
def test_a_term_is_found_in_any_equivalent_writing(text: str) -> None:
    changed = DIABETES.without_term(text, label="positive")
    assert changed.to_text().splitlines() == [
        "positive = glucose>160±10 + pedigree + 0.4",
        'negative = ¬(glucose>127±20 & "body mass"<30±5) '
        '+ (glucose<127±20 | "body mass">30±5) - 0.25',
    ]


def test_of_all_classes_a_term_goes_wherever_it_counts_for_or_against() -> None:
    assert DIABETES.without_term(TERM).to_text().splitlines() == [
        "positive = glucose>160±10 + pedigree + 0.4",
        "negative = -0.25",  # its second term says the same as its first
    ]


def test_of_one_class_it_goes_as_it_is_written() -> None:
    with pytest.raises(RuleError, match="its negation is one"):
        DIABETES.without_term(TERM, label="negative")
    changed = DIABETES.without_term(f"¬({TERM})", label="negative")
    assert terms_of(changed.expressions[1]) == ()
    assert changed.expressions[0] == DIABETES.expressions[0]


def test_several_terms_go_together_and_doubles_all_at_once() -> None:
    changed = DIABETES.without_term("pedigree + glucose>160")
    assert changed.expressions[0] == parse("0 & ~1")
    assert rules_of("0 + 1 + 0", "1").without_term("x0").expressions[0] == Var(1)


def test_nothing_else_changes() -> None:
    changed = DIABETES.without_term("pedigree")
    assert changed == replace(DIABETES, rules=changed.rules)
    assert changed.labels == DIABETES.labels
    assert RuleSet.from_json(changed.to_json()) == changed


@given(mixed_rule_sets(), st.data())
@settings(max_examples=80)
def test_without_a_term_the_score_is_that_of_the_others(
    rules: RuleSet, data: st.DataObject
) -> None:
    assume(distinct(rules))
    position = data.draw(st.integers(0, len(rules.rules) - 1))
    terms = terms_of(rules.expressions[position])
    assume(terms)
    term = data.draw(st.sampled_from(terms))
    assume(term != Const(UNKNOWN))  # it says nothing, and dropping it is refused
    changed = rules.without_term(Wording(rules).whole(term), label=rules.labels[position])
    classes = EquivalenceClasses(rules.names)
    rest = [other for other in terms if classes.of(other) != classes.of(term)]
    assert changed.expressions[position] == total(rest)
    table = data.draw(coded_tables(rules))
    degrees = rules.degrees(table, coded=True)
    expected = rules.scores(table, coded=True)
    expected[:, position] = rules.intercepts[position] + sum(
        evaluate_all(rest, degrees).T, start=np.zeros(len(table))
    )
    assert changed.scores(table, coded=True) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "smoker & glucose>127",
        "glucose is not missing",
        '"eye colour" is red | "eye colour" is "light blue"',
    ],
)
def test_terms_of_categories_and_gaps_go_as_well(text: str) -> None:
    changed = PATIENTS.without_term(text)
    assert len(terms_of(changed.expressions[0])) == 2
    assert RuleSet.from_json(changed.to_json()) == changed


def test_thresholds_of_different_widths_are_different_terms() -> None:
    ramps = Ramp(0, 107, 147), Ramp(0, 117, 137)
    rules = ClassificationRules(
        ("glucose",), ramps, (Rule("a", parse("0 + 1")), Rule("b", parse("~1")))
    )
    with pytest.raises(ExpressionError, match="may be one of several inputs"):
        rules.without_term("glucose>127")
    kept = rules.without_term("glucose>127+/-10").expressions
    assert [terms_of(expr) for expr in kept] == [(Var(0),), ()]


def test_a_term_that_is_not_there_is_answered_by_those_that_are() -> None:
    with pytest.raises(RuleError, match="'age>40' is no term of any rule") as raised:
        DIABETES.without_term("age>40")
    assert 'positive has glucose>127±20 & "body mass"<30±5, glucose>160±10, pedigree' in str(
        raised.value
    )
    with pytest.raises(RuleError, match="it is a part of the term glucose>127±20 & "):
        DIABETES.without_term("glucose>127")
    with pytest.raises(RuleError, match="did you mean glucose>127±20 & "):
        DIABETES.without_term('glucose>160 & "body mass"<30')
    with pytest.raises(RuleError, match="says nothing"):
        DIABETES.without_term("unknown")
    with pytest.raises(RuleError, match=r"its negation is one: glucose>160"):
        DIABETES.without_term("glucose<160")


def test_a_literal_that_is_not_there_is_answered_by_those_of_its_column() -> None:
    with pytest.raises(
        ExpressionError, match=r"possible are glucose>127\+/-20, glucose>160\+/-10"
    ) as raised:
        DIABETES.without_term("pedigree & glucose>140")
    assert str(raised.value).endswith("\n  pedigree & glucose>140\n             ^")


def test_a_class_that_is_not_there_is_answered_by_those_that_are() -> None:
    with pytest.raises(RuleError, match=r"no class 'positiv'.*did you mean positive"):
        DIABETES.without_term(TERM, label="positiv")
    with pytest.raises(RuleError, match="the classes are 0, 1"):
        rules_of("0", "1").without_term("x0", label=2)


# --- adding -----------------------------------------------------------------------------------


def test_a_term_is_added_at_the_end_of_a_rule() -> None:
    changed = DIABETES.with_term("positive", "age>40 | pedigree")
    assert terms_of(changed.expressions[0])[-1] == parse("4 | 3")
    assert changed.expressions[1] == DIABETES.expressions[1]
    assert changed.intercepts == DIABETES.intercepts


def test_several_terms_are_added_in_their_order() -> None:
    changed = DIABETES.with_term("positive", "age>40 + ~pedigree + h1")
    assert terms_of(changed.expressions[0])[3:] == (Var(4), ~Var(3), parse("0 & ~1"))


def test_a_rule_that_said_nothing_is_the_term() -> None:
    assert rules_of("unknown", "0").with_term(0, "x1 & x2").expressions[0] == parse("1 & 2")


@pytest.mark.parametrize("term", ["pedigree", "age>40", "age>44", "weight>90 & ~h1"])
def test_what_was_added_can_be_dropped_again(term: str) -> None:
    once = DIABETES.without_term("pedigree")
    again = once.with_term("positive", term).without_term(term, label="positive")
    table = some_rows()
    assert again.scores(table).tolist() == once.scores(table).tolist()
    assert again.rules == once.rules


def test_a_number_is_no_term() -> None:
    for change in (lambda text: DIABETES.with_term("positive", text), DIABETES.without_term):
        with pytest.raises(ExpressionError, match="see with_intercept"):
            change("pedigree + 0.5")


# --- terms of a number ------------------------------------------------------------------------


def test_terms_of_a_number_are_added_and_dropped() -> None:
    more = PRICE.with_term("price", "crime<3").with_term("price", "-(rooms>8)")
    assert more.to_text() == (
        "price = 22.5 + 4.125 × (rooms>6.5±1 + ¬(poverty>9.7±2 & crime>3±1) "
        "+ crime<3±1 + rooms<8±1)"
    )
    assert more.without_term("crime<3 + rooms<8").to_text() == PRICE.to_text()
    assert more.without_term("~(crime>3 & poverty>9.7)", label="price").expressions[0] == parse(
        "0 + ~2 + ~3"
    )
    assert (
        PRICE.without_term("rooms>6.5").without_term("poverty<9.7 | crime<3").to_text()
        == "price = 22.5"
    )


@pytest.mark.parametrize("term", ["crime<3 + 5", "5 + crime<3", "2 × crime<3"])
def test_a_term_of_a_number_has_no_number(term: str) -> None:
    with pytest.raises(ExpressionError, match="see with_intercept and with_scale"):
        PRICE.with_term("price", term)


def test_deep_rules_take_no_longer_than_their_parts() -> None:
    deep: Expr = Var(0)
    for number in range(30):  # written out, it would have 2^30 literals
        deep = (And, Or, Xor)[number % 3]((deep, Not(deep)))
    rules = ClassificationRules(
        ("x",), (Ramp(0, -1, 1),), (Rule("a", deep), Rule("b", Const(0)))
    )
    assert EquivalenceClasses(rules.names).of(deep) >= 0
    assert rules.with_term("a", "x<0").without_term("x<0").expressions[0] is deep
