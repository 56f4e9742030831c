"""Which statements are the same, and how alike sets of them are."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from crisplogic.expr import parse
from crisplogic.rules import (
    ClassificationRules,
    Level,
    RegressionRules,
    Rule,
    RuleSet,
    Stability,
    Step,
)
from crisplogic.rules.analysis.stability import measure_stability
from crisplogic.tables import Levels

COLOURS = Levels(("red", "blue", "green"))
# The values of both numbers are 0 to 99, so that a rank of 0.01 is a step of 1.
TABLE = np.column_stack([np.arange(100.0), np.arange(100.0)[::-1], np.arange(100) % 3])
INPUTS = Step(0, 40.0), Step(1, 60.0), Level.of(2, 0, COLOURS)


def checklist(text: str, *inputs: Step | Level) -> ClassificationRules:
    both = Rule("ill", parse(text)), Rule("well", parse("unknown"))
    return ClassificationRules(
        ("age", "dose", "colour"),
        inputs or INPUTS,
        both,
        intercepts=(0.5, 0.0),
        levels=(None, None, COLOURS),
        crisp=True,
    )


def came_back(rules: RuleSet, *others: RuleSet) -> tuple[int, ...]:
    return measure_stability(rules, others, TABLE).counts


def test_a_statement_comes_back_in_any_order_and_however_it_is_written() -> None:
    rules = checklist("(0 & ~1) + (1 | 2) + (0 ^ 2)")
    again = checklist("~(~2 & ~1) + ~(~2 ^ 0) + (~1 & 0)")
    assert came_back(rules, rules) == came_back(rules, again) == (1, 1, 1)


@pytest.mark.parametrize(("threshold", "same"), [(36.0, 1), (44.0, 1), (34.0, 0), (46.0, 0)])
def test_thresholds_are_the_same_if_hardly_any_rows_lie_between(
    threshold: float, same: int
) -> None:
    moved = Step(0, threshold), *INPUTS[1:]
    assert came_back(checklist("0"), checklist("0", *moved)) == (same,)
    assert came_back(checklist("0 & 2"), checklist("0 & 2", *moved)) == (same,)


def test_rows_count_as_much_as_they_weigh() -> None:
    moved = checklist("0", Step(0, 50.0))
    weights = np.where((TABLE[:, 0] > 40) & (TABLE[:, 0] <= 50), 0.1, 1.0)
    assert measure_stability(checklist("0"), [moved], TABLE).counts == (0,)
    assert measure_stability(checklist("0"), [moved], TABLE, weights).counts == (1,)


@pytest.mark.parametrize("other", ["~0", "1", "0 & 2", "0 | 1", "0 & ~1", "0 ^ 1"])
def test_another_direction_column_or_operator_is_another_statement(other: str) -> None:
    assert came_back(checklist("0 & 1" if len(other) > 2 else "0"), checklist(other)) == (0,)


def test_other_values_of_a_category_are_other_statements() -> None:
    blue = checklist("0", Level.of(2, 1, COLOURS))
    assert came_back(checklist("2"), blue) == (0,)
    assert came_back(checklist("2"), checklist("2")) == (1,)


def three_classes(*texts: str) -> ClassificationRules:
    rules = tuple(Rule(label, parse(text)) for label, text in zip("abc", texts, strict=True))
    levels = None, None, COLOURS
    return ClassificationRules(("x", "y", "z"), INPUTS, rules, levels=levels, crisp=True)


def test_in_a_score_card_points_may_differ_but_not_the_classes_they_are_for() -> None:
    rules = three_classes("0", "~0", "1")
    assert came_back(rules, three_classes("2 × 0", "unknown", "~0 + 1")) == (1, 1)
    assert came_back(rules, three_classes("~0", "0", "1")) == (0, 1)


def test_of_a_number_the_sign_of_an_amount_matters_and_not_its_size() -> None:
    def number(text: str) -> RegressionRules:
        price = (Rule("price", parse(text)),)
        levels = None, None, COLOURS
        return RegressionRules(("x", "y", "z"), INPUTS, price, levels=levels, crisp=True)

    assert came_back(number("0 + 1"), number("3 × 0 + ~1")) == (1, 0)


def test_the_dice_index_is_the_share_of_statements_in_common() -> None:
    sets = [checklist("0 + 1"), checklist("0 + ~1"), checklist("0 + 1 + 2")]
    found = measure_stability(sets[0], sets, TABLE, wanted=5)
    assert found.counts == (3, 2)
    assert found.dice == pytest.approx(np.mean([1 / 2, 4 / 5, 2 / 5]))
    assert found.shares == pytest.approx((1.0, 2 / 3))
    assert "(there was no time for all 5)" in str(found)


def test_a_statement_comes_back_once_a_resample() -> None:
    twice = checklist("(0 & 2) + (1 & 2)", Step(0, 40.0), Step(0, 42.0), INPUTS[2])
    assert sum(came_back(twice, checklist("0 & 2"))) == 1


def test_rules_without_statements_are_all_alike() -> None:
    nothing = checklist("unknown")
    found = measure_stability(nothing, [nothing, nothing], TABLE)
    assert (found.counts, found.dice) == ((), 1.0)
    assert "no statements" in str(found)


def test_one_resample_has_none_to_be_compared_with() -> None:
    found = measure_stability(checklist("0"), [checklist("0")], TABLE)
    assert math.isnan(found.dice)
    assert "Dice" not in str(found)
    assert found.to_dict()["dice"] is None
    assert replace(found, dice=0.5).to_dict()["dice"] == 0.5
    assert isinstance(found, Stability)
