"""The search for crisp rules, from a table to rules of every size."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from joblib import Parallel

from crisplogic import kernels
from crisplogic.constraints import Limits
from crisplogic.expr import measure
from crisplogic.rules import Step
from crisplogic.search import REGRESSION, CrispFold, TrainingSet, search_crisp
from crisplogic.search.crisp import workers
from crisplogic.search.crisp.search import find_crisp
from crisplogic.search.tasks import CLASSIFICATION

X = np.random.default_rng(0).normal(size=(80, 3))
SUM = X[:, 0] - X[:, 1] + 0.5 * X[:, 2]
NAMES = ("a", "b", "c")


def classes(count: int = 2, limits: Limits | None = None) -> TrainingSet:
    y = np.digitize(SUM, np.quantile(SUM, np.linspace(0, 1, count + 1)[1:-1]))
    labels = tuple("abcde"[:count])
    return TrainingSet(X, y, labels, CLASSIFICATION, limits=limits)


@pytest.mark.parametrize("most", [0, 1, 3])
def test_a_checklist_is_no_longer_than_either_class_allows(most: int) -> None:
    limits = replace(Limits.free(3, 2), max_literals=np.array([most, np.inf]))
    found = find_crisp(classes(limits=limits), NAMES, most=8)
    assert max(each.size for each in found) == most


def test_a_score_card_has_no_more_literals_than_all_classes_allow() -> None:
    limits = replace(Limits.free(3, 3), max_literals=np.array([1.0, 0.0, 2.0]))
    found = find_crisp(classes(3, limits), NAMES, most=8)
    assert max(each.size for each in found) <= 3
    for each in found:
        sizes = [measure([rule.expression]).literals for rule in each.rules.rules]
        assert all(own <= most for own, most in zip(sizes, (1, 0, 2), strict=True))


def test_few_rows_get_few_literals() -> None:
    data = classes()
    found = find_crisp(data.take(np.arange(24)), NAMES, most=60)
    assert max(each.size for each in found) <= 8


@pytest.mark.usefixtures("search_as_workers_do")
@pytest.mark.parametrize("pays", ["search.LONG", "workers.MANY_CELLS"])
def test_processes_find_the_same_rules(pays: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a user asks for them, or they pay: all seconds are long, all tables are large."""
    monkeypatch.setattr(kernels, "compiled", None)
    data = classes()
    rows = np.arange(len(data))
    folds = [
        CrispFold(data.take(rows[rows % 2 != k]), data.take(rows[rows % 2 == k]))
        for k in (0, 1)
    ]
    alone = search_crisp(folds, data, NAMES, most=3)
    shared = search_crisp(folds, data, NAMES, most=3, n_jobs=2)
    used: list[Any] = []

    def parallel(**options: Any) -> Parallel:
        used.append(options)
        return Parallel(**options)

    monkeypatch.setattr("joblib.Parallel", parallel)
    monkeypatch.setattr(f"crisplogic.search.crisp.{pays}", 0)
    decided = search_crisp(folds, data, NAMES, most=3)
    assert [options["n_jobs"] for options in used] == [-1]
    for each in (shared, decided):
        assert [point.rules for point in each] == [point.rules for point in alone]


def test_threads_find_the_same_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels let other threads run."""
    if kernels.compiled is None:
        pytest.skip("the kernels are not built")
    data = classes()
    rows = np.arange(len(data))
    folds = [
        CrispFold(data.take(rows[rows % 3 != k]), data.take(rows[rows % 3 == k]))
        for k in range(3)
    ]
    alone = search_crisp(folds, data, NAMES, most=3, n_jobs=1)
    monkeypatch.setattr(workers, "available_cores", lambda: 4)
    for n_jobs in (2, -1, -2, None):
        shared = search_crisp(folds, data, NAMES, most=3, n_jobs=n_jobs)
        assert [point.rules for point in shared] == [point.rules for point in alone]


def test_a_column_among_a_thousand_is_found() -> None:
    wide = np.random.default_rng(1).normal(size=(60, 1000))
    y = (wide[:, 700] > 0).astype(np.intp)
    data = TrainingSet(wide, y, ("no", "yes"), CLASSIFICATION)
    found = find_crisp(data, [f"x{number}" for number in range(1000)], most=1)
    assert [membership.feature for membership in found[-1].rules.memberships] == [700]


def test_two_thresholds_that_make_a_number_are_found_where_they_are() -> None:
    """A smooth model blurs them by more than the distance of two quantiles."""
    rng = np.random.default_rng(0)
    table = rng.normal(20, 5, (300, 3))
    y = 10 + 5.0 * ((table[:, 0] > 20) & (table[:, 1] > 20)) + rng.normal(0, 0.5, 300)
    found = find_crisp(TrainingSet(table, y, ("y",), REGRESSION), NAMES, most=2)[-1].rules
    steps = sorted(found.memberships, key=lambda step: step.feature)
    assert [step.feature for step in steps] == [0, 1]
    for step in steps:
        assert isinstance(step, Step)
        assert abs(step.threshold - 20) < 0.3


def test_a_level_that_the_rows_lack_is_in_no_statement() -> None:
    """It is false of all rows but those where it is unknown."""
    lacking = np.where(np.arange(80) % 4 == 0, np.nan, 0.0)
    table = np.column_stack([lacking, X])
    y = (np.arange(80) % 4 == 0).astype(np.intp)
    crisp = np.array([True, False, False, False])
    data = TrainingSet(table, y, ("no", "yes"), CLASSIFICATION, crisp=crisp)
    for each in find_crisp(data, ("lacking", *NAMES), most=4):
        assert 0 not in {membership.feature for membership in each.rules.memberships}
