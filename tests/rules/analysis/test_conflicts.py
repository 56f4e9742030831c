"""Conflicts: rows where several rules say yes, or none, or scores are equal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisplogic.expr import parse
from crisplogic.expr.program import CHUNK_ROWS
from crisplogic.rules import ClassificationRules, Rule
from tests.rules.rule_sets import coded_tables, rule_sets, rules_of
from tests.strategies import HOSTILE_NAMES, INPUTS

RULES = rules_of("0", "1", "0 & 1", labels=("a", "b", "c"))
ROWS = np.zeros((5, INPUTS))
ROWS[:, 0], ROWS[:, 1] = [1, 1, -1, 0.5, 0.0], [1, -1, -1, 0.25, 1]


def test_rows_are_told_by_their_numbers() -> None:
    found = RULES.conflicts(ROWS)
    assert found.rows == 5
    assert found.several.tolist() == [0, 3]
    assert found.none.tolist() == [2]
    assert found.ties.tolist() == [0, 2]


def test_classes_that_say_yes_together_are_counted() -> None:
    rows = np.concatenate([ROWS, ROWS[:1]])
    assert RULES.conflicts(rows).together == ((("a", "b", "c"), 2), (("a", "b"), 1))


@given(rule_sets(), st.data())
@settings(max_examples=40)
def test_they_are_what_the_scores_say(rules: ClassificationRules, data: st.DataObject) -> None:
    table = data.draw(coded_tables(rules, rows=6))
    found, scores = rules.conflicts(table), rules.scores(table)
    constant = rules.constant
    bar = scores[:, constant].max(axis=1) if constant.any() else np.zeros(len(scores))
    votes = (scores[:, ~constant] > bar[:, None]).sum(axis=1)
    votes += (votes == 0) & constant.any()
    assert found.several.tolist() == np.flatnonzero(votes > 1).tolist()
    assert found.none.tolist() == np.flatnonzero(votes == 0).tolist()
    ties = (scores == scores.max(axis=1, keepdims=True)).sum(axis=1) > 1
    assert found.ties.tolist() == np.flatnonzero(ties).tolist()
    assert sum(count for _, count in found.together) == len(found.several)


def test_many_rows_and_many_classes_are_no_trouble() -> None:
    labels = tuple(f"class {number}" for number in range(20))
    rules = rules_of(*[str(number % INPUTS) for number in range(20)], labels=labels)
    table = np.random.default_rng(0).uniform(-1, 1, (CHUNK_ROWS + 9, INPUTS))
    found = rules.conflicts(table)
    votes = (rules.scores(table) > 0).sum(axis=1)
    assert found.several.tolist() == np.flatnonzero(votes > 1).tolist()
    first, count = found.together[0]
    same = [(rules.scores(table) > 0)[:, labels.index(label)] for label in labels]
    yes = np.array([label in first for label in labels])
    assert count == (yes == np.array(same).T).all(axis=1).sum()
    assert "other groups" in str(found)


def test_an_intercept_counts() -> None:
    rules = replace(rules_of("0", "1"), intercepts=(0.5, 0.0))
    assert rules.conflicts(ROWS).several.tolist() == [0, 3, 4]


@pytest.mark.parametrize("constant", [0.75, 0.0, -0.5])
def test_of_two_classes_a_constant_is_never_a_second_rule_that_says_yes(
    constant: float,
) -> None:
    rules = replace(rules_of("unknown", "0 + 1"), intercepts=(constant, 0.0))
    found = rules.conflicts(ROWS)
    assert len(found.several) == len(found.none) == 0
    assert found.together == ()
    assert str(found).splitlines()[1] == "  5  one rule says yes"


def test_of_several_classes_a_constant_is_the_bar_for_the_others() -> None:
    rules = replace(rules_of("0", "1", "unknown", "true"), intercepts=(0.0, 0.0, 0.25, -0.6))
    found = rules.conflicts(ROWS)  # the bar is 1 - 0.6 = 0.4
    assert found.several.tolist() == [0]
    assert found.together == (((0, 1), 1),)
    assert len(found.none) == 0  # where no other rule says yes, the default does


def test_they_are_printed_readably() -> None:
    assert str(RULES.conflicts(ROWS)).splitlines() == [
        "of 5 rows",
        "  2  one rule says yes",
        "  2  several rules say yes: rows 0, 3",
        "       1 a and b and c",
        "       1 a and b",
        "  1  no rule says yes: row 2",
        "  2  the greatest score is a tie: rows 0, 2",
    ]


def test_few_rows_are_printed_of_many() -> None:
    lines = str(RULES.conflicts(np.tile(ROWS, (100, 1)))).splitlines()
    assert lines[2] == (
        "  200  several rules say yes: rows 0, 3, 5, 8, 10, 13, 15, 18, 20, 23 and 190 more"
    )


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_hostile_classes_are_printed_as_in_rules(name: str) -> None:
    rules = rules_of("0", "1", labels=(name, "b c"))
    text = str(rules.conflicts(ROWS))
    assert rules.to_text().split(" = ")[0].rstrip() in text
    assert all(line.isprintable() for line in text.split("\n"))


def test_no_rows_and_one_class_are_no_trouble() -> None:
    assert str(RULES.conflicts(np.empty((0, INPUTS)))).startswith("of 0 rows\n  0  one rule")
    one = ClassificationRules(("x",), (), (Rule("only", parse("true")),)).conflicts([[1.0]])
    assert (len(one.several), len(one.none), len(one.ties)) == (0, 0, 0)
