"""How alike the crisp rules of several fits are: the Dice index of their statements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from statistics import fmean
from typing import Any

from crisplogic.rules import RuleSet
from crisplogic.rules.analysis.stability import measure_stability
from crisplogic.rules.checklist import normal_form
from crisplogic.rules.words import Words


def dice_of_statements(rules: Sequence[RuleSet], matrix: Any) -> float:
    """The mean Dice index of two rule sets, near thresholds being the same.

    Shape: ``matrix`` (rows, columns), the table with codes for levels.
    """
    return measure_stability(rules[0], rules, matrix).dice


def dice_of_texts(rules: Sequence[RuleSet]) -> float:
    """The mean Dice index of two rule sets, only statements of equal text being the same."""
    texts = [Counter(statement_texts(each)) for each in rules]
    return fmean(dice(first, second) for first, second in combinations(texts, 2))


def statement_texts(rules: RuleSet) -> list[str]:
    """The statements in words."""
    words = Words(rules)
    return [words.statement(item.expression) for item in normal_form(rules).items]


def dice(first: Counter[str], second: Counter[str]) -> float:
    """Twice what two collections share over all that they have.

    >>> dice(Counter("aab"), Counter("abc"))
    0.6666666666666666
    """
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 1.0
