"""Checklists that are simple logic are rewritten: fewer literals, the same decisions."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisplogic.expr import Expr, parse, total
from crisplogic.rules import ClassificationRules, Flag, Level, Missing, Rule, Step
from crisplogic.rules.checklist import Checklist, normal_form
from crisplogic.rules.simple_logic import simplify_checklist
from crisplogic.tables import Levels
from tests.strategies import crisp_logic

LETTERS, COLOURS = Levels(("f", "t")), Levels(("red", "blue"), ("teal", "mauve"))
# Inputs that depend on each other: thresholds of one column, values of one category.
INPUTS = (Step(0, 3.0), Step(0, 5.0), Level.of(1, 0, COLOURS), Level.of(1, 2, COLOURS), Flag(2))
ROWS = [list(row) for row in product([3.0, 4.0, 6.0], ["red", "blue", "teal"], [True, False])]


def checklist(text: str | Expr, shift: float, inputs: Any = INPUTS) -> ClassificationRules:
    expr = parse(text) if isinstance(text, str) else text
    both = Rule("no", parse("unknown")), Rule("yes", expr)
    levels = (None, COLOURS, None)
    names = ("x", "colour", "smoker")
    return ClassificationRules(
        names, inputs, both, 1.0, (0.25, 0.25 + shift), levels, crisp=True
    )


def test_what_means_simple_logic_is_written_as_that() -> None:
    inputs = (
        Level.of(0, 2, Levels(("c", "q", "ff"))),
        Level.of(1, 0, LETTERS),
        Level.of(2, 1, LETTERS),
    )
    both = Rule("+", parse("~(0 | 1) + ~1 + (1 ^ 2)")), Rule("-", parse("unknown"))
    levels = Levels(("c", "q", "ff")), LETTERS, LETTERS
    rules = ClassificationRules(
        ("A6", "A9", "A10"), inputs, both, 1.0, (-0.5, 0.0), levels, crisp=True
    )
    short = simplify_checklist(rules)
    assert short.describe(notes=False).split("\n") == [
        '"+", if both of these statements hold:',
        "  - A9 is not f",
        "  - A6 is not ff, or A10 is t",
        'otherwise "-"',
    ]
    rows = list(product(["c", "q", "ff"], "ft", "ft"))
    assert short.predict(rows).tolist() == rules.predict(rows).tolist()


@pytest.mark.parametrize(
    ("text", "shift", "literals"),
    [
        ("(0 & 4) + 4", 0.5, 1),  # at least 1: smoker
        ("0 + 1", -1.5, 1),  # above 3 and above 5
        ("(2 & 3) + 4", 0.5, 1),  # no colour is two
        ("2 + 2 + 4 + 0", -2.5, 3),  # 4 of 4 points
        ("0 + 2 + 4", -0.5, 3),  # two of three have no shorter form
        ("0 + 2 + 4", -2.5, 3),
    ],
)
def test_the_shortest_of_checklist_and_logic_is_kept(
    text: str, shift: float, literals: int
) -> None:
    rules = checklist(text, shift)
    short = simplify_checklist(rules)
    assert short.size == literals
    assert short.predict(ROWS).tolist() == rules.predict(ROWS).tolist()


def test_points_give_way_to_logic_of_as_many_literals() -> None:
    rules = checklist("2 × (4) + 0 + 2", -1.5)  # 3 of 4 points: smoker, and one of the others
    form = normal_form(simplify_checklist(rules))
    assert isinstance(form, Checklist)
    assert (form.has_points, form.needed, len(form.items)) == (False, 2.0, 2)


@given(
    st.lists(crisp_logic, min_size=1, max_size=4),
    st.sampled_from([-3.5, -2.5, -1.5, -0.5, 0.5, 1.5]),
)
def test_no_row_without_gaps_changes_its_class(terms: list[Expr], shift: float) -> None:
    rules = checklist(total(terms), shift)
    short = simplify_checklist(rules)
    assert short.predict(ROWS).tolist() == rules.predict(ROWS).tolist()
    assert short is rules or short.size <= rules.size
    assert simplify_checklist(short).size == short.size


def test_rules_that_only_rank_keep_their_statements() -> None:
    rules = checklist("0 + 4", -9.5)
    assert simplify_checklist(rules) is rules


def test_columns_that_may_be_missing_in_a_statement_are_left_alone() -> None:
    rules = checklist("0 + 1 + (0 | 1)", 0.5, (Step(0, 3.0), Missing(0)))
    assert simplify_checklist(rules) is rules


def test_other_rules_stay_as_they_are() -> None:
    three = tuple(Rule(label, parse("0")) for label in "abc")
    rules = ClassificationRules(("x",), (Step(0, 3.0),), three, crisp=True)
    assert simplify_checklist(rules) is rules
    assert np.array_equal(rules.predict([[4.0]]), ["a"])
