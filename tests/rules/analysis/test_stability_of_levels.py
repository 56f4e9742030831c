from __future__ import annotations

import numpy as np
import pytest

from crisplogic.expr import parse
from crisplogic.rules import ClassificationRules, Level, Rule
from crisplogic.rules.analysis.stability import measure_stability
from crisplogic.tables import Levels

TABLE = np.zeros((4, 1))


def rules_of(expression: str, value: str, *names: str) -> ClassificationRules:
    """Rules about one value of a category whose values were met in this order."""
    levels = Levels(names)
    level = Level.of(0, names.index(value), levels)
    both = Rule("ill", parse(expression)), Rule("well", parse("unknown"))
    return ClassificationRules(
        ("colour",), (level,), both, intercepts=(0.5, 0.0), levels=(levels,), crisp=True
    )


def dice(first: ClassificationRules, second: ClassificationRules) -> float:
    return measure_stability(first, [first, second], TABLE).dice


def test_a_value_is_the_same_whatever_its_code() -> None:
    before = rules_of("0", "red", "red", "blue", "green")
    assert dice(before, rules_of("0", "red", "blue", "green", "red")) == 1
    assert dice(before, rules_of("0", "green", "green", "red", "blue")) == 0


@pytest.mark.parametrize(("expression", "shared"), [("~0", 1), ("0", 0)])
def test_of_two_values_one_is_the_negation_of_the_other(expression: str, shared: int) -> None:
    red = rules_of("0", "red", "red", "blue")
    assert dice(red, rules_of(expression, "blue", "blue", "red")) == shared


def test_of_three_values_one_is_not_the_negation_of_another() -> None:
    red = rules_of("0", "red", "red", "blue", "green")
    assert dice(red, rules_of("~0", "blue", "red", "blue", "green")) == 0
