"""Counts between two numbers are learned where rows tell of them, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from crisplogic import LogicClassifier
from crisplogic.constraints import Limits
from crisplogic.expr.counts import read_count
from crisplogic.search import CLASSIFICATION, TrainingSet
from crisplogic.search.crisp.checklist import Checklist
from crisplogic.search.crisp.counts import Counted, best_counts
from crisplogic.search.crisp.search import find_crisp

Bools = NDArray[np.bool_]
NAMES = tuple("abcdefg")
EVERY = np.array(list(product((0.0, 1.0), repeat=len(NAMES))))
HOLDING = EVERY[:, :4].sum(axis=1) + (1 - EVERY[:, 4])  # a, b, c, d and not e
SOME = np.random.default_rng(0).permutation(len(EVERY))[:90]


def table(
    holds: Bools, rows: NDArray[np.intp] = SOME, limits: Limits | None = None
) -> TrainingSet:
    found = EVERY[rows], holds[rows].astype(int), ("no", "yes"), CLASSIFICATION
    return TrainingSet(*found, limits=limits)


def counts_of(data: TrainingSet, most: int = 16) -> list[Counted]:
    return list(best_counts(Checklist(data).unsmoothed, most))


@pytest.mark.parametrize(("least", "most"), [(2, 2), (2, 3), (1, 3)])
def test_a_count_between_two_numbers_is_found_among_all(least: int, most: int) -> None:
    best = min(counts_of(table(np.isin(HOLDING, range(least, most + 1)))))
    found = {(each.feature, each.negated) for each in best.literals}
    assert (best.least, best.most) == (least, most)
    assert found == {(0, False), (1, False), (2, False), (3, False), (4, True)}


def test_rules_of_a_count_are_right_on_rows_that_were_never_seen(
    monkeypatch: pytest.MonkeyPatch, search_as_workers_do: None
) -> None:
    monkeypatch.setattr("crisplogic.search.crisp.search.FEW_LITERALS", 10)
    monkeypatch.setattr("crisplogic.search.crisp.path.THOROUGH", 0)
    holds = (HOLDING == 2) | (HOLDING == 3)
    rules = find_crisp(table(holds), NAMES, 10)[-1].rules
    assert read_count(rules.expressions[1]) is not None
    assert np.array_equal(rules.predict(EVERY) == "yes", holds)


def test_chance_is_no_count() -> None:
    """All counts of noise lose more by their literals than they gain."""
    data = table(np.random.default_rng(1).random(len(EVERY)) < 0.4)
    nothing = Checklist(data).unsmoothed.loss(())
    assert all(each.loss > nothing for each in counts_of(data))


def test_no_count_has_more_literals_than_are_wanted() -> None:
    found = counts_of(table(HOLDING == 2), most=8)
    assert {len(each.literals) for each in found} == {3, 4}
    assert counts_of(table(HOLDING == 2), most=5) == []


def test_counts_keep_to_limits() -> None:
    columns = len(NAMES)
    rising = Limits(np.ones((columns, 2), bool), np.zeros((columns, 2), bool))
    free = Limits.free(columns, 2)
    apart = replace(free, pairs=np.eye(columns, dtype=bool))
    no_or = replace(free, operators=frozenset({"and"}))
    for limits in (rising, apart, no_or):
        assert counts_of(table(HOLDING == 2, limits=limits)) == []


def test_one_level_has_no_counts(search_as_workers_do: None) -> None:
    clf = LogicClassifier(epochs=1, restarts=1, folds=0, depth=1, max_literals=4)
    clf.fit(EVERY, HOLDING == 2)
    assert not any(read_count(p.rules.expressions[1]) for p in clf.frontier_)
