"""Folds that the splits of a cross-validation share: nobody is tested on what it knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import (
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)

from crisplogic import LogicClassifier, LogicRegressor, cross_validate
from crisplogic.estimators.cross_validation import fit_splits
from crisplogic.estimators.shared_folds import SharedFolds, Split, find_shared_folds
from crisplogic.training import OnEpoch

X, Y = load_iris(return_X_y=True)
N = len(Y)


def splits_of(splitter: Any) -> list[Split]:
    return list(splitter.split(X, Y))


def shared_by(splits: list[Split], n_folds: int = 5) -> SharedFolds:
    shared = find_shared_folds(splits, N, n_folds)
    assert shared is not None
    return shared


def quick(**changes: Any) -> LogicClassifier:
    options: dict[str, Any] = {"epochs": 2, "restarts": 1, "max_literals": 3, **changes}
    return LogicClassifier(random_state=0, **options)


@pytest.mark.parametrize(
    "splitter",
    [
        KFold(5),
        KFold(12, shuffle=True, random_state=0),
        RepeatedStratifiedKFold(n_splits=10, n_repeats=2),
    ],
)
def test_no_fold_knows_what_it_is_tested_on_or_what_its_splits_are(splitter: Any) -> None:
    splits = splits_of(splitter)
    shared = shared_by(splits)
    for (train, test), folds in zip(splits, shared.folds, strict=True):
        held_out = np.concatenate([rows for _, rows in folds])
        assert len(np.unique(held_out)) == len(held_out)
        assert np.isin(held_out, train).all()
        for number, rows in folds:
            known = shared.parts[number]
            assert not np.isin(known, test).any()
            assert not np.isin(known, rows).any()
            assert len(known) >= 0.45 * N


def test_ten_splits_share_ten_folds() -> None:
    shared = shared_by(splits_of(KFold(10)))
    assert len(shared.parts) == 10
    assert [len(folds) for folds in shared.folds] == [4] * 10
    assert set(shared.first_users()) <= set(range(10))


@pytest.mark.parametrize(
    ("splitter", "n_folds"),
    [
        (ShuffleSplit(10, test_size=0.1, random_state=0), 5),
        (TimeSeriesSplit(10), 5),
        (KFold(4), 5),
        (KFold(10), 4),
        (KFold(10), 0),
    ],
)
def test_splits_that_overlap_or_are_too_few_share_nothing(splitter: Any, n_folds: int) -> None:
    assert find_shared_folds(splits_of(splitter), N, n_folds) is None


def test_some_splits_of_several_repeats_share_nothing() -> None:
    splits = splits_of(RepeatedStratifiedKFold(n_splits=5, n_repeats=2))
    assert find_shared_folds(splits[:-1], N, 5) is None


@pytest.mark.parametrize("literals", ["crisp", "graded"])
def test_rows_that_are_left_out_change_nothing(literals: str) -> None:
    """Neither their classes nor their values, however extreme, not even the size."""
    splits = splits_of(StratifiedKFold(5, shuffle=True, random_state=0))
    test = splits[2][1]
    spoiled, turned = X.copy(), Y.copy()
    spoiled[test] = 1e6 * spoiled[test] - 7
    turned[test] = (turned[test] + 1) % 3
    before, after = (
        fit_splits(quick(literals=literals), *table, splits)[2]
        for table in ((X, Y), (spoiled, turned))
    )
    assert before.rules_.expressions == after.rules_.expressions
    assert [each.size for each in before.frontier_] == [each.size for each in after.frontier_]
    assert before.expected_error_ == pytest.approx(after.expected_error_)


def test_held_out_errors_are_those_of_rows_in_other_groups() -> None:
    splits = splits_of(KFold(10, shuffle=True, random_state=0))
    for one in fit_splits(quick(), X, Y, splits):
        held_out = one.frontier_.held_out
        assert held_out is not None
        assert 0 <= one.expected_error_ <= 1


def test_fits_that_share_nothing_are_those_of_their_parts() -> None:
    splits = splits_of(KFold(5, shuffle=True, random_state=0))
    apart = fit_splits(quick(), X, Y, splits, share=False)
    parts = quick().fit_parts(X, Y, [train for train, _ in splits])
    assert [each.rules_ for each in apart] == [each.rules_ for each in parts]


def test_statements_of_every_size_do_not_depend_on_shared_folds() -> None:
    """Only which size is chosen does, and how sure rules are."""
    splits = splits_of(KFold(5, shuffle=True, random_state=0))
    shared, apart = (fit_splits(quick(), X, Y, splits, share=share) for share in (True, False))
    for one, other in zip(shared, apart, strict=True):
        found, same = (
            [point.rules.expressions for point in each.frontier_] for each in (one, other)
        )
        assert found == same


def test_numbers_and_weights_share_folds_too() -> None:
    weights = np.where(np.arange(N) % 3, 1.0, 0.0)
    regressor = LogicRegressor(epochs=2, max_literals=2, random_state=0)
    scores = cross_validate(
        regressor,
        X[:, :3],
        X[:, 3],
        cv=KFold(5, shuffle=True, random_state=0),
        sample_weight=weights,
    )
    assert scores["test_score"].mean() > 0.7


@pytest.mark.parametrize("share", [True, False])
@pytest.mark.parametrize("literals", ["crisp", "graded"])
def test_progress_ends_where_it_said(
    literals: str, share: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paths are counted on, whichever fold or part they belong to."""
    expected: dict[str, int] = {}
    seen: list[int] = []

    @contextmanager
    def noted(phases: Mapping[str, int], shown: bool) -> Iterator[OnEpoch]:
        expected.update(phases)
        yield lambda epoch: seen.append(epoch.number) if epoch.phase == "search" else None

    monkeypatch.setattr("crisplogic.estimators.base.progress_bar", noted)
    splits = splits_of(KFold(10, shuffle=True, random_state=0))
    fit_splits(quick(literals=literals), X, Y, splits, share=share)
    if literals == "crisp":
        assert seen == list(range(1, expected["search"] + 1))
    assert len(seen) == expected["search"]
