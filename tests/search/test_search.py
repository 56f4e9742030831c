"""The search: a frontier by size, judged on rows that its paths never saw."""

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
from crisplogic.search import Judge, Sample, search
from crisplogic.search.convert import as_rules
from crisplogic.search.losses import losses
from crisplogic.search.search import Found, _fitting, _seen, pareto, path
from tests.rules.rule_sets import rules_of
from tests.search.drafts import a_draft, a_sample, some_rules

TEXTS = ("(0 & 1) + ~2 + (0 ^ 3)", "0 + (1 | 3) + ~(0 & 1)", "~0 + 3 + (1 & 2)")


def starts_for(sample: Sample) -> list[RuleSet]:
    texts = TEXTS[: sample.classes]
    return [some_rules(sample, *texts), some_rules(sample, *texts[::-1], scale=0.5)]


def folds(sample: Sample, number: int = 3) -> list[NDArray[np.intp]]:
    return np.array_split(np.random.default_rng(0).permutation(len(sample)), number)


def judged_on(sample: Sample, number: int = 3) -> list[Judge]:
    rules = starts_for(sample)[0]
    return [Judge(rules, held_out) for held_out in folds(sample, number)]


def loss_of_rules(rules: RuleSet, sample: Sample) -> float:
    return float(losses(rules.scale * rules.scores(sample.columns.T).T, sample))


def but_for_the_scale(frontier: Frontier) -> list[RuleSet]:
    return [replace(point.rules, scale=1.0) for point in frontier]


@pytest.fixture(params=[2, 3], ids=["two classes", "three classes"], scope="module")
def sample(request: pytest.FixtureRequest) -> Sample:
    return a_sample(seed=5, rows=60, classes=request.param, missing=0.05)


@pytest.fixture(params=[False, True], ids=["with intercepts", "pure"], scope="module")
def pure(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(scope="module")
def frontier(sample: Sample, pure: bool) -> Frontier:
    return search(starts_for(sample), judged_on(sample), sample, pure)


def test_larger_rules_fit_better(sample: Sample, pure: bool) -> None:
    frontier = search(starts_for(sample), [], sample, pure)
    assert len(frontier) > 1
    for smaller, larger in pairwise(frontier):
        assert smaller.size < larger.size
        assert loss_of_rules(smaller.rules, sample) > loss_of_rules(larger.rules, sample)


def test_the_error_of_a_point_is_that_of_its_rules(frontier: Frontier, sample: Sample) -> None:
    for point in frontier:
        wrong = point.rules.predict(sample.columns.T) != sample.targets
        assert point.error == wrong.mean()


def test_rules_are_about_the_columns_and_classes_that_they_start_from(
    frontier: Frontier, sample: Sample, pure: bool
) -> None:
    start = starts_for(sample)[0]
    for point in frontier:
        assert (point.rules.features, point.rules.labels) == (start.features, start.labels)
        assert RuleSet.from_json(point.rules.to_json()) == point.rules
        if pure:
            assert not any(point.rules.intercepts)
            assert point.rules.scale == 1.0


def test_what_is_known_of_held_out_rows_is_about_each_of_them(
    frontier: Frontier, sample: Sample
) -> None:
    for point in frontier:
        assert 0 < point.held_out_error < 1
        assert (point.held_out_error * len(sample)) % 1 == pytest.approx(0, abs=1e-9)
        assert math.isfinite(point.held_out_loss)
    best = min(frontier, key=lambda point: point.held_out_loss)
    assert best.standard_error == 0
    assert frontier.choose() in list(frontier)


def test_without_judged_paths_nothing_is_known_of_held_out_rows(sample: Sample) -> None:
    for point in search(starts_for(sample), [], sample):
        assert math.isnan(point.held_out_error)
        assert math.isnan(point.held_out_loss)
        assert math.isnan(point.standard_error)


def test_judges_change_how_sure_rules_are_and_nothing_else(sample: Sample) -> None:
    alone = search(starts_for(sample), [], sample)
    judged = search(starts_for(sample), judged_on(sample), sample)
    assert but_for_the_scale(alone) == but_for_the_scale(judged)
    assert [point.error for point in alone] == [point.error for point in judged]


def test_judges_change_pure_rules_not_at_all(sample: Sample) -> None:
    alone = search(starts_for(sample), [], sample, pure=True)
    judged = search(starts_for(sample), judged_on(sample), sample, pure=True)
    assert [point.rules for point in alone] == [point.rules for point in judged]


def test_more_starts_never_make_a_frontier_worse(sample: Sample) -> None:
    starts = starts_for(sample)
    both = search(starts, [], sample)
    for start in starts:
        for point in search([start], [], sample):
            best = both.at(point.size).rules
            assert loss_of_rules(best, sample) <= loss_of_rules(point.rules, sample) + 1e-9


def test_every_path_is_told_of(sample: Sample) -> None:
    told: list[int] = []
    search(starts_for(sample), judged_on(sample, 2), sample, on_path=lambda: told.append(1))
    assert len(told) == 4


def test_held_out_rows_are_judged_by_rules_that_never_saw_them() -> None:
    sample = a_sample(seed=1, rows=80)
    here, there = folds(sample, 2)
    seen = _seen(Judge(starts_for(sample)[0], here), sample)
    assert seen.columns.tolist() == sample.columns[:, np.sort(there)].tolist()
    assert seen.targets.tolist() == sample.targets[np.sort(there)].tolist()
    # What was learned there is good here: these rows are judged, and not others.
    *_, largest = search(starts_for(sample), [Judge(starts_for(sample)[0], here)], sample)
    assert 0 < largest.held_out_error < 0.3
    assert (largest.held_out_error * len(here)) % 1 == pytest.approx(0)


def test_a_size_that_a_judge_never_came_to_is_judged_as_saying_nothing() -> None:
    """Not by its smallest rules, which are larger and may be much better."""
    sample = a_sample(seed=1, rows=80)
    sizes = path(some_rules(sample, "unknown", "0"), sample)
    steps = [step for step in path(starts_for(sample)[0], sample) if step.size > 1]
    small, *_ = _fitting(steps, sizes, sample)
    assert sizes[0].size == 1
    assert small.terms == ()
    counts = np.bincount(sample.targets)
    assert small.logits(small.values(sample))[:, 0].argmax() == counts.argmax()


def test_rows_that_no_path_held_out_do_not_count() -> None:
    sample = a_sample(seed=1, rows=80)
    nothing = some_rules(sample, "unknown", "unknown")
    some = np.flatnonzero(sample.targets == 1)[:10]
    (point,) = search([nothing], [Judge(nothing, some)], sample, pure=True)
    assert point.held_out_error == 1.0
    assert point.held_out_loss == pytest.approx(0.5)


def test_a_class_that_a_fold_never_saw_is_no_trouble() -> None:
    sample = a_sample(seed=2, rows=40, classes=2)
    targets = sample.targets.copy()
    targets[7] = 2
    sample = Sample(sample.columns, targets, classes=3)
    judged = [Judge(starts_for(sample)[0], np.array([7])), *judged_on(sample)]
    for point in search(starts_for(sample), judged, sample):
        assert point.held_out_error > 0
        assert math.isfinite(point.held_out_loss)
        assert isinstance(point.rules, ClassificationRules)
        assert np.isfinite(point.rules.predict_proba(sample.columns.T)).all()


def test_a_column_that_varies_in_held_out_rows_alone_is_no_trouble() -> None:
    sample = a_sample(seed=2, rows=40)
    columns = sample.columns.copy()
    columns[1] = np.where(np.arange(40) < 20, 3.0, columns[1])
    sample = replace(sample, columns=columns)
    judged = [Judge(starts_for(sample)[0], np.arange(20, 40))]
    for point in search(starts_for(sample), judged, sample):
        assert math.isfinite(point.held_out_loss)


@pytest.mark.parametrize("pure", [False, True])
def test_rules_that_say_nothing_make_a_frontier_of_one_point(pure: bool) -> None:
    sample = a_sample(rows=30)
    nothing = some_rules(sample, "unknown", "true")
    (point,) = search([nothing], [], sample, pure)
    assert point.size == 0
    assert point.rules.expressions == rules_of("unknown", "unknown").expressions
    assert frozenset(point.rules.predict(sample.columns.T)) < {0, 1}


@pytest.mark.parametrize("seed", [3, 5, 13, 69])
def test_larger_rules_come_later_though_rules_share_whole_sums(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(3, 80))
    side = np.where(columns[2] + 0.3 * rng.normal(size=80) > 0.5, 0, 1)
    targets = np.where(columns[0] + columns[1] > 0, side, 2).astype(np.intp)
    sample = Sample(columns, targets, classes=3)
    frontier = search([some_rules(sample, "0 + 1", "0 + 1", "~0 + ~1 + 2")], [], sample)
    sizes = [point.size for point in frontier]
    assert len(sizes) > 1
    assert sizes == sorted(set(sizes))


@pytest.mark.parametrize("scale", [1.0, 1.37, 1.94, 2.31, 2.77, 3.03])
@pytest.mark.parametrize("intercepts", [(3.13, 1.13), (2.13, 0.13), (1.1, 0.1), (2.3, 0.3)])
def test_in_ties_the_error_of_a_point_is_that_of_its_rules_too(
    scale: float, intercepts: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = np.array([[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]])
    sample = Sample(columns, np.array([0, 1, 1, 0]), classes=3)
    votes, bias = [[1, 0, 0], [1, 0, 0]], scale * np.array([*intercepts, 0.0])
    crisp = a_draft(sample, [Var(0), Var(1)], votes, scale=scale)
    crisp = replace(crisp, centre=np.full(2, 0.5), width=np.full(2, 0.5), bias=bias)
    searching = importlib.import_module("crisplogic.search.search")
    start = some_rules(sample, "0", "1", "unknown")
    found = Found(crisp, as_rules(crisp, start.features, start.labels), loss=1.0)
    monkeypatch.setattr(searching, "path", lambda *_: [found])
    (point,) = search([start], [], sample)
    assert point.rules.intercepts == (*intercepts, 0.0)
    assert point.error == (point.rules.predict(columns.T) != sample.targets).mean()


# --- parts ------------------------------------------------------------------------------------


def test_the_best_by_size_are_those_that_fit_better_than_everything_smaller() -> None:
    draft = a_draft(a_sample(), [], np.empty((0, 2)))
    points = [(5, 0.3), (2, 0.5), (3, 0.5), (2, 0.6), (7, 0.3), (1, 0.9), (6, 0.1), (4, 0.7)]
    best = pareto([Found(draft, rules_of(" + ".join("0" * n)), loss) for n, loss in points])
    assert [(each.size, each.loss) for each in best] == [(1, 0.9), (2, 0.5), (5, 0.3), (6, 0.1)]
    assert pareto([]) == []
