"""Reasons: the statements that decided each row, as data and as text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic.expr import parse
from crisplogic.expr.program import CHUNK_ROWS
from crisplogic.expr.walk import inputs_in
from crisplogic.rules import (
    ClassificationRules,
    NumberCard,
    RegressionRules,
    Rule,
    RuleSet,
    Step,
    normal_form,
)
from crisplogic.rules.formatting import terms_of
from crisplogic.rules.statements import count_votes
from tests.rules.crisp_rules import crisp_rule_sets, tables_of
from tests.rules.rule_sets import (
    NAN,
    PATIENTS,
    PRICE,
    coded_tables,
    mixed_rule_sets,
    number_rule_sets,
    rule_sets,
    rules_of,
)
from tests.strategies import INPUTS

MANY = 1000


def lead(rules: ClassificationRules, row: NDArray[np.float64]) -> float:
    """How far the winner is ahead of the next, intercepts left out."""
    scores = rules.scores(row[None], coded=True)[0]
    first, *others = np.argsort(-scores, kind="stable")
    terms = scores - np.array(rules.intercepts)
    return float(terms[first] - (terms[others[0]] if others else 0.0))


def has_no_constant_terms(rules: RuleSet) -> bool:
    """Whether every term is a statement about columns, unlike `true` in `true + x`."""
    terms = [term for expr in rules.expressions for term in terms_of(expr)]
    return all(inputs_in([term]) for term in terms)


@given(rule_sets() | mixed_rule_sets(), st.data())
@settings(max_examples=60)
def test_all_reasons_for_a_class_add_up_to_at_least_its_lead(
    rules: ClassificationRules, data: st.DataObject
) -> None:
    assume(has_no_constant_terms(rules))
    table = data.draw(coded_tables(rules))
    found = rules.reasons(table, n=MANY, coded=True)
    for row, reasons in zip(table, found, strict=True):
        amounts = [reason.amount for reason in reasons]
        assert all(amount > 0 for amount in amounts)
        assert amounts == sorted(amounts, reverse=True)
        # What speaks against it is left out.
        assert sum(amounts) >= lead(rules, row) - 1e-9 * max(1, *map(abs, rules.intercepts))


@given(number_rule_sets(), st.data())
@settings(max_examples=40)
def test_all_reasons_for_a_number_add_up_to_it(
    rules: RegressionRules, data: st.DataObject
) -> None:
    assume(has_no_constant_terms(rules))
    table = data.draw(coded_tables(rules, rows=2))
    predicted = rules.predict(table, coded=True) - rules.intercepts[0]
    found = rules.reasons(table, n=MANY, coded=True)
    for number, reasons in zip(predicted, found, strict=True):
        sizes = [abs(reason.amount) for reason in reasons]
        assert sizes == sorted(sizes, reverse=True)
        size = max(rules.scale, abs(rules.intercepts[0]))
        total = sum(reason.amount for reason in reasons)
        assert total == pytest.approx(number, abs=1e-9 * size)


@given(crisp_rule_sets().filter(lambda rules: rules.predicts == "number"), st.data())
@settings(max_examples=60)
def test_all_reasons_for_a_number_of_crisp_rules_add_up_to_it_from_its_base(
    rules: RuleSet, data: st.DataObject
) -> None:
    form = normal_form(rules)
    assert isinstance(form, NumberCard)
    table = data.draw(tables_of(rules))
    anyway = any(not inputs_in([term]) for term in terms_of(rules.expressions[0]))
    assume(not anyway)
    assume(len(form.items) == len(count_votes(rules)))
    found = rules.reasons(table, n=MANY, coded=True)
    scores = rules.scores(table, coded=True)[:, 0]
    for score, reasons in zip(scores.tolist(), found, strict=True):
        assert all(reason.amount > 0 for reason in reasons)
        assert form.base + sum(reason.amount for reason in reasons) == pytest.approx(score)


def test_a_crisp_statement_adds_all_of_its_amount_half_of_it_or_nothing() -> None:
    steps = Step(0, 4.0), Step(1, 50.0)
    price = (Rule("price", parse("2 × 0 + ~1")),)
    rules = RegressionRules(("rooms", "age"), steps, price, 5.0, (100.0,), crisp=True)
    lines = rules.reasons([[5, 60], [3, 40], [np.nan, np.nan]]).lines()
    assert lines == [
        "rooms is above 4 (+20)",
        "age is at most 50 (+10)",
        "unknown whether rooms is above 4 (+10); unknown whether age is at most 50 (+5)",
    ]


def test_a_false_statement_is_negated_and_an_unknown_one_is_no_reason() -> None:
    rules = rules_of("0 + 1", "unknown", labels=("ill", "well"))
    table = np.zeros((3, INPUTS))
    table[:, 0], table[:, 1] = [1, -1, NAN], [0.5, -0.25, 1]
    found = rules.reasons(table)
    assert found[0] == (("x0", 1.0), ("x1", 0.5))
    assert found[1] == (("¬x0", 1.0), ("¬x1", 0.25))
    assert found[2] == (("x1", 1.0),)


def test_the_lead_is_over_the_next_class_not_over_all() -> None:
    rules = rules_of("0 + 1", "1", "~0", labels=("a", "b", "c"))
    table = np.zeros((1, INPUTS))
    table[0, :2] = 1
    # Both a and b have x1, so it does not tell them apart.
    assert rules.reasons(table)[0] == (("x0", 1.0),)


def test_only_the_first_few_are_kept() -> None:
    rules = rules_of("0 + 1 + 2", "unknown")
    table = np.zeros((1, INPUTS))
    table[0, :3] = [0.25, 1, 0.5]
    assert rules.reasons(table, n=2).lines() == ["x1 (+1); x2 (+0.5)"]
    with pytest.raises(ValueError, match="n must be a whole number of at least 1, got 0"):
        rules.reasons(table, n=0)


def test_amounts_of_a_number_are_in_its_units_and_may_be_negative() -> None:
    [reasons] = PRICE.reasons([[8, 5, 1]])
    assert [reason.amount for reason in reasons] == [4.125, 4.125]
    [reasons] = PRICE.reasons([[5, 20, 9]])
    assert [reason.amount for reason in reasons] == [-4.125, -4.125]
    assert reasons[0].text == "rooms<6.5±1"


def test_statements_of_every_kind_of_column_are_written_as_in_rules() -> None:
    [reasons] = PATIENTS.reasons([[180, True, "red"]], n=9)
    assert "glucose>127±37 & smoker" in [reason.text for reason in reasons]
    assert str(reasons[0]).endswith("(+1)")


@pytest.mark.parametrize("rules", [rules_of("unknown", "true"), rules_of("unknown")])
def test_rules_without_statements_give_no_reasons(rules: RuleSet) -> None:
    found = rules.reasons(np.zeros((3, INPUTS)))
    assert (len(found), list(found)) == (3, [(), (), ()])
    assert found.lines() == ["", "", ""]


def test_many_rows_are_the_same_as_each_alone() -> None:
    rules = rules_of("(0 & 1) + 2", "~2 + 3", "0 ^ 4")
    table = np.random.default_rng(0).uniform(-1, 1, (CHUNK_ROWS + 7, INPUTS))
    found = rules.reasons(table)
    for row in (0, CHUNK_ROWS - 1, CHUNK_ROWS, len(table) - 1):
        assert found[row] == rules.reasons(table[[row]])[0]
    assert list(found[-2:]) == [found[len(table) - 2], found[len(table) - 1]]
