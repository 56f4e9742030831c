"""The search: a frontier by size, evaluated on rows that its paths never saw."""

from __future__ import annotations

import importlib
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from crisplogic.expr import Var
from crisplogic.rules import ClassificationRules, Frontier, RuleSet
from crisplogic.search.convert import rules_from_draft
from crisplogic.search.path import Candidate, follow_path
from crisplogic.search.search import (
    HeldOutFold,
    _drafts_by_size,
    pareto,
    search,
)
from crisplogic.search.tasks import CLASSIFICATION
from crisplogic.search.training_set import TrainingSet
from tests.rules.rule_sets import rules_of
from tests.search.drafts import a_draft, a_sample, some_rules, training_set

TEXTS = ("(0 & 1) + ~2 + (0 ^ 3)", "0 + (1 | 3) + ~(0 & 1)", "~0 + 3 + (1 & 2)")


def starts_for(data: TrainingSet) -> list[RuleSet]:
    texts = TEXTS[: data.n_outputs]
    return [some_rules(data, *texts), some_rules(data, *texts[::-1], scale=0.5)]


def folds(data: TrainingSet, number: int = 3) -> list[NDArray[np.intp]]:
    return np.array_split(np.random.default_rng(0).permutation(len(data)), number)


def held_out_fold(rules: RuleSet, held_out: NDArray[np.intp], data: TrainingSet) -> HeldOutFold:
    rest = np.setdiff1d(np.arange(len(data)), held_out)
    return HeldOutFold(rules, data.take(rest), data.take(held_out))


def held_out_folds(data: TrainingSet, number: int = 3) -> list[HeldOutFold]:
    rules = starts_for(data)[0]
    return [held_out_fold(rules, held_out, data) for held_out in folds(data, number)]


def loss_of_rules(rules: RuleSet, data: TrainingSet) -> float:
    return float(data.loss(rules.scale * rules.scores(data.columns.T).T))


def but_for_the_scale(frontier: Frontier) -> list[RuleSet]:
    return [replace(point.rules, scale=1.0) for point in frontier]


@pytest.fixture(params=[2, 3], ids=["two classes", "three classes"], scope="module")
def data(request: pytest.FixtureRequest) -> TrainingSet:
    return a_sample(seed=5, rows=60, classes=request.param, missing=0.05)


@pytest.fixture(params=[False, True], ids=["with intercepts", "pure"], scope="module")
def pure(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(scope="module")
def frontier(data: TrainingSet, pure: bool) -> Frontier:
    return search(starts_for(data), held_out_folds(data), data, pure)


def test_larger_rules_fit_better(data: TrainingSet, pure: bool) -> None:
    frontier = search(starts_for(data), [], data, pure)
    assert len(frontier) > 1
    for smaller, larger in pairwise(frontier):
        assert smaller.size < larger.size
        assert loss_of_rules(smaller.rules, data) > loss_of_rules(larger.rules, data)


def test_the_error_of_a_point_is_that_of_its_rules(
    frontier: Frontier, data: TrainingSet
) -> None:
    for point in frontier:
        wrong = point.rules.predict(data.columns.T) != data.y
        assert point.error == wrong.mean()


def test_rules_are_about_the_columns_and_classes_that_they_start_from(
    frontier: Frontier, data: TrainingSet, pure: bool
) -> None:
    start = starts_for(data)[0]
    for point in frontier:
        assert (point.rules.features, point.rules.labels) == (start.features, start.labels)
        assert RuleSet.from_json(point.rules.to_json()) == point.rules
        if pure:
            assert not any(point.rules.intercepts)
            assert point.rules.scale == 1.0


def test_what_is_known_of_held_out_rows_is_about_each_of_them(
    frontier: Frontier, data: TrainingSet
) -> None:
    for point in frontier:
        assert 0 < point.held_out_error < 1
        assert (point.held_out_error * len(data)) % 1 == pytest.approx(0, abs=1e-9)
        assert math.isfinite(point.held_out_loss)
    best = min(frontier, key=lambda point: point.held_out_loss)
    assert best.standard_error == 0
    assert frontier.choose() in list(frontier)


def test_without_folds_nothing_is_known_of_held_out_rows(data: TrainingSet) -> None:
    for point in search(starts_for(data), [], data):
        assert math.isnan(point.held_out_error)
        assert math.isnan(point.held_out_loss)
        assert math.isnan(point.standard_error)


def test_folds_change_how_sure_rules_are_and_nothing_else(data: TrainingSet) -> None:
    alone = search(starts_for(data), [], data)
    evaluated = search(starts_for(data), held_out_folds(data), data)
    assert but_for_the_scale(alone) == but_for_the_scale(evaluated)
    assert [point.error for point in alone] == [point.error for point in evaluated]


def test_folds_change_pure_rules_not_at_all(data: TrainingSet) -> None:
    alone = search(starts_for(data), [], data, pure=True)
    evaluated = search(starts_for(data), held_out_folds(data), data, pure=True)
    assert [point.rules for point in alone] == [point.rules for point in evaluated]


def test_more_starts_never_make_a_frontier_worse(data: TrainingSet) -> None:
    starts = starts_for(data)
    both = search(starts, [], data)
    for start in starts:
        for point in search([start], [], data):
            best = both.at(point.size).rules
            assert loss_of_rules(best, data) <= loss_of_rules(point.rules, data) + 1e-9


def test_every_path_is_told_of(data: TrainingSet) -> None:
    told: list[int] = []
    search(starts_for(data), held_out_folds(data, 2), data, on_path=lambda: told.append(1))
    assert len(told) == 4


def test_held_out_rows_are_predicted_by_rules_that_never_saw_them() -> None:
    data = a_sample(seed=1, rows=80)
    here, _ = folds(data, 2)
    fold = held_out_fold(starts_for(data)[0], here, data)
    # What was learned there is good here: these rows are predicted, and not others.
    *_, largest = search(starts_for(data), [fold], data)
    assert 0 < largest.held_out_error < 0.3
    assert (largest.held_out_error * len(here)) % 1 == pytest.approx(0)


def test_a_size_that_a_fold_never_reached_is_evaluated_without_terms() -> None:
    """Not by its smallest rules, which are larger and may be much better."""
    data = a_sample(seed=1, rows=80)
    sizes = follow_path(some_rules(data, "unknown", "0"), data)
    steps = [step for step in follow_path(starts_for(data)[0], data) if step.size > 1]
    small, *_ = _drafts_by_size(steps, sizes, data)
    assert sizes[0].size == 1
    assert small.terms == ()
    counts = np.bincount(data.y)
    assert small.logits(small.values(data))[:, 0].argmax() == counts.argmax()


def test_rows_that_no_path_held_out_do_not_count() -> None:
    data = a_sample(seed=1, rows=80)
    nothing = some_rules(data, "unknown", "unknown")
    some = np.flatnonzero(data.y == 1)[:10]
    (point,) = search([nothing], [held_out_fold(nothing, some, data)], data, pure=True)
    assert point.held_out_error == 1.0
    assert point.held_out_loss == pytest.approx(0.5)


def test_a_class_that_a_fold_never_saw_is_no_trouble() -> None:
    data = a_sample(seed=2, rows=40, classes=2)
    targets = data.y.copy()
    targets[7] = 2
    data = training_set(data.columns, targets, classes=3)
    alone = held_out_fold(starts_for(data)[0], np.array([7]), data)
    with_one = [alone, *held_out_folds(data)]
    for point in search(starts_for(data), with_one, data):
        assert point.held_out_error > 0
        assert math.isfinite(point.held_out_loss)
        assert isinstance(point.rules, ClassificationRules)
        assert np.isfinite(point.rules.predict_proba(data.columns.T)).all()


def test_a_column_that_varies_in_held_out_rows_alone_is_no_trouble() -> None:
    data = a_sample(seed=2, rows=40)
    columns = data.columns.copy()
    columns[1] = np.where(np.arange(40) < 20, 3.0, columns[1])
    data = replace(data, X=columns.T)
    with_one = [held_out_fold(starts_for(data)[0], np.arange(20, 40), data)]
    for point in search(starts_for(data), with_one, data):
        assert math.isfinite(point.held_out_loss)


@pytest.mark.parametrize("pure", [False, True])
def test_rules_that_say_nothing_make_a_frontier_of_one_point(pure: bool) -> None:
    data = a_sample(rows=30)
    nothing = some_rules(data, "unknown", "true")
    (point,) = search([nothing], [], data, pure)
    assert point.size == 0
    assert point.rules.expressions == rules_of("unknown", "unknown").expressions
    assert frozenset(point.rules.predict(data.columns.T)) < {0, 1}


@pytest.mark.parametrize("seed", [3, 5, 13, 69])
def test_larger_rules_come_later_though_rules_share_whole_sums(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(3, 80))
    side = np.where(columns[2] + 0.3 * rng.normal(size=80) > 0.5, 0, 1)
    targets = np.where(columns[0] + columns[1] > 0, side, 2).astype(np.intp)
    data = training_set(columns, targets, classes=3)
    frontier = search([some_rules(data, "0 + 1", "0 + 1", "~0 + ~1 + 2")], [], data)
    sizes = [point.size for point in frontier]
    assert len(sizes) > 1
    assert sizes == sorted(set(sizes))


@pytest.mark.parametrize("scale", [1.0, 1.37, 1.94, 2.31, 2.77, 3.03])
@pytest.mark.parametrize("intercepts", [(3.13, 1.13), (2.13, 0.13), (1.1, 0.1), (2.3, 0.3)])
def test_in_ties_the_error_of_a_point_is_that_of_its_rules_too(
    scale: float, intercepts: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = np.array([[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]])
    data = training_set(columns, np.array([0, 1, 1, 0]), classes=3)
    votes, bias = [[1, 0, 0], [1, 0, 0]], scale * np.array([*intercepts, 0.0])
    crisp = a_draft(data, [Var(0), Var(1)], votes, scale=scale)
    crisp = replace(crisp, centre=np.full(2, 0.5), width=np.full(2, 0.5), bias=bias)
    searching = importlib.import_module("crisplogic.search.search")
    start = some_rules(data, "0", "1", "unknown")
    found = Candidate(
        crisp, rules_from_draft(crisp, start.features, start.labels, CLASSIFICATION), loss=1.0
    )
    monkeypatch.setattr(searching, "follow_path", lambda *_: [found])
    (point,) = search([start], [], data)
    assert point.rules.intercepts == (*intercepts, 0.0)
    assert point.error == (point.rules.predict(columns.T) != data.y).mean()


# --- parts ------------------------------------------------------------------------------------


def test_the_best_by_size_are_those_that_fit_better_than_everything_smaller() -> None:
    draft = a_draft(a_sample(), [], np.empty((0, 2)))
    points = [(5, 0.3), (2, 0.5), (3, 0.5), (2, 0.6), (7, 0.3), (1, 0.9), (6, 0.1), (4, 0.7)]
    best = pareto(
        [Candidate(draft, rules_of(" + ".join("01010101"[:n])), loss) for n, loss in points]
    )
    assert [(each.size, each.loss) for each in best] == [(1, 0.9), (2, 0.5), (5, 0.3), (6, 0.1)]
    assert pareto([]) == []
