"""Counts between two numbers are learned where rows tell of them, and nowhere else."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from crisplogic import LogicClassifier, RuleSet
from crisplogic.expr.counts import read_count
from crisplogic.expr.walk import unique_nodes

pytestmark = pytest.mark.usefixtures("search_as_workers_do")
NAMES = list("abcdefg")
LITERALS = "crisplogic.search.crisp.search.FEW_LITERALS"
EVERY = pd.DataFrame(product((False, True), repeat=len(NAMES)), columns=NAMES)
# Nobody looks at what networks learn.
QUICK: dict[str, Any] = {"epochs": 1, "restarts": 1, "folds": 2}


def counted_columns(rules: RuleSet) -> set[int]:
    """The numbers of literals in counts that lie between two numbers."""
    counts = map(read_count, unique_nodes(rules.expressions))
    return {len(each.parts) for each in counts if each and each.most < len(each.parts)}


def number_of(table: pd.DataFrame) -> pd.Series:
    return table[list("abcd")].sum(axis=1) + (~table.e)


@pytest.mark.parametrize(("least", "most"), [(2, 2), (2, 3)])
def test_a_count_between_two_numbers_is_learned_exactly(
    least: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LITERALS, 10)
    truth = number_of(EVERY).between(least, most)
    rows = np.random.default_rng(0).permutation(len(EVERY))[:90]
    clf = LogicClassifier(**QUICK).fit(EVERY.iloc[rows], truth.iloc[rows])
    assert (clf.predict(EVERY) == truth).all()
    assert counted_columns(clf.rules_) == {5}


def test_one_level_has_no_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LITERALS, 10)
    truth = number_of(EVERY) == 2
    clf = LogicClassifier(**QUICK, depth=1).fit(EVERY, truth)
    assert not any(counted_columns(point.rules) for point in clf.frontier_)


@pytest.mark.parametrize(
    "limits",
    [{"operators": ["and"]}, {"monotone": {"a": "up"}}, {"forbidden_pairs": [("a", "b")]}],
)
def test_counts_keep_to_limits(limits: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LITERALS, 10)
    clf = LogicClassifier(**QUICK, **limits).fit(EVERY, number_of(EVERY) == 2)
    assert all(5 not in counted_columns(point.rules) for point in clf.frontier_)


def test_noise_has_no_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LITERALS, 10)
    y = np.random.default_rng(1).random(len(EVERY)) < 0.4
    clf = LogicClassifier(**QUICK).fit(EVERY, y)
    assert not any(counted_columns(point.rules) for point in clf.frontier_)
