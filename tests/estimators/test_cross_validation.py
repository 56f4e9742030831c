"""Cross-validation: all folds at once, and none knows more than it should."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold, StratifiedKFold

from crisplogic import LogicClassifier, cross_validate, kernels
from crisplogic.estimators import extract
from crisplogic.rules import RuleSet
from crisplogic.search import search_crisp

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])


def quick(**changes: Any) -> LogicClassifier:
    options: dict[str, Any] = {"epochs": 12, "learning_rate": 0.06, "restarts": 1, "folds": 2}
    return LogicClassifier(random_state=0, **{**options, **changes})


def brief(**changes: Any) -> LogicClassifier:
    """Everything once, as short as can be: what is compared here need not be good."""
    return quick(**{"epochs": 2, "folds": 0, "max_literals": 3, **changes})


@pytest.fixture(scope="module")
def scores() -> dict[str, Any]:
    return cross_validate(quick(), X, NAMES[Y], cv=3, return_estimator=True)


def test_scores_are_those_of_the_rules_on_the_rows_left_out(scores: dict[str, Any]) -> None:
    splits = StratifiedKFold(3).split(X, Y)
    for number, (clf, (train, test)) in enumerate(
        zip(scores["estimator"], splits, strict=True)
    ):
        assert scores["test_score"][number] == clf.score(X[test], NAMES[Y[test]])
        assert scores["train_score"][number] == pytest.approx(
            clf.score(X[train], NAMES[Y[train]])
        )
        assert scores["literals"][number] == clf.rules_.size
        clf.set_params(predict_with="network")
        assert scores["network_test_score"][number] == clf.score(X[test], NAMES[Y[test]])
        clf.set_params(predict_with="rules")


def test_the_rules_are_good(scores: dict[str, Any]) -> None:
    assert scores["test_score"].mean() > 0.88
    assert scores["network_test_score"].mean() > 0.88
    assert (scores["fit_time"] > 0).all()


def test_folds_learn_different_rules(scores: dict[str, Any]) -> None:
    assert len({str(clf.rules_) for clf in scores["estimator"]}) > 1


def test_a_fold_does_not_depend_on_the_rows_left_out() -> None:
    """Neither on their classes nor on their values, however extreme."""
    parts = [np.arange(0, 150, 2), np.arange(1, 150, 2)]
    spoiled, turned = X.copy(), Y.copy()
    spoiled[1::2] = 1e6 * spoiled[1::2] - 7
    turned[1::2] = (turned[1::2] + 1) % 3
    before = brief(folds=2).fit_parts(X, Y, parts)[0]
    after = brief(folds=2).fit_parts(spoiled, turned, parts)[0]
    assert_alike(before.rules_, after.rules_)
    np.testing.assert_allclose(
        before.decision_function(X[::2]), after.decision_function(X[::2]), atol=1e-6
    )


def assert_alike(one: RuleSet, other: RuleSet) -> None:
    assert one.expressions == other.expressions
    for mine, its in zip(one.memberships, other.memberships, strict=True):
        assert mine.feature == its.feature
        assert (mine.low, mine.high) == pytest.approx((its.low, its.high))


def test_column_names_reach_the_rules_and_any_splitter_will_do() -> None:
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    found = cross_validate(
        brief(), table, Y, cv=KFold(3, shuffle=True, random_state=0), return_estimator=True
    )
    assert len(found["test_score"]) == 3
    for clf in found["estimator"]:
        assert clf.rules_.features == ("a", "b", "c", "d")
        assert list(clf.feature_names_in_) == ["a", "b", "c", "d"]


def test_the_classifier_itself_stays_as_it_was() -> None:
    clf = brief()
    before = dict(vars(clf))
    cross_validate(clf, X, Y, cv=2)
    assert vars(clf) == before


@pytest.mark.parametrize("change", [{"patience": 2}, {"validation_fraction": 0.2}])
def test_what_would_let_folds_look_at_each_other_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="without validation_fraction and patience"):
        cross_validate(quick(**change), X, Y, cv=2)


@pytest.mark.usefixtures("search_as_workers_do")
def test_processes_side_by_side_find_the_same() -> None:
    alone = brief(folds=2, max_literals=4).fit(X, Y)
    together = brief(folds=2, max_literals=4, n_jobs=2).fit(X, Y)
    assert alone.rules_ == together.rules_
    assert [p.held_out_loss for p in alone.frontier_] == [
        p.held_out_loss for p in together.frontier_
    ]


def test_several_penalties_are_tried_at_once() -> None:
    """The greater one outweighs the loss of guessing, about 1.1, so that no literal is left."""
    grid = {"literal_penalty": [1e-4, 10.0], "l1": [2e-3]}
    clf = quick(literals="graded")
    found = cross_validate(clf, X, Y, cv=2, penalties=grid, return_estimator=True)
    expected = [{"l1": 2e-3, "literal_penalty": value} for value in (1e-4, 1e-4, 10.0, 10.0)]
    assert found["params"] == expected
    assert [clf.literal_penalty for clf in found["estimator"]] == [1e-4, 1e-4, 10.0, 10.0]
    largest = [clf.frontier_[-1].size for clf in found["estimator"]]
    assert min(largest[:2]) > 0
    assert largest[2:] == [0, 0]


def test_what_cannot_differ_at_once_is_refused() -> None:
    with pytest.raises(ValueError, match=r"only l1 and literal_penalty .* got \['depth'\]"):
        cross_validate(quick(), X, Y, cv=2, penalties={"depth": [1, 2]})


def test_penalties_that_are_no_share_of_nothing_are_refused() -> None:
    with pytest.raises(
        ValueError, match="needs an l1 and a literal_penalty above 0, got 0 and"
    ):
        cross_validate(quick(l1=0), X, Y, cv=2, penalties={"l1": [1e-3]})


@pytest.mark.parametrize("parts", [[], [np.arange(5), np.arange(0)]])
def test_parts_without_rows_are_refused(parts: Any) -> None:
    with pytest.raises(ValueError, match="parts must be one or more lists of row numbers, got"):
        quick().fit_parts(X, Y, parts)


# --- weights ----------------------------------------------------------------------------------

WEIGHTS = np.random.default_rng(0).integers(0, 4, 150).astype(float)


def test_rows_count_by_their_weights_in_every_score() -> None:
    found = cross_validate(
        brief(), X, NAMES[Y], cv=3, sample_weight=WEIGHTS, return_estimator=True
    )
    splits = StratifiedKFold(3).split(X, Y)
    for number, (clf, split) in enumerate(zip(found["estimator"], splits, strict=True)):
        for name, rows in zip(("train_score", "test_score"), split, strict=True):
            right = clf.predict(X[rows]) == NAMES[Y[rows]]
            assert found[name][number] == pytest.approx(
                np.average(right, weights=WEIGHTS[rows])
            )
        clf.set_params(predict_with="network")
        expected = clf.score(X[split[1]], NAMES[Y[split[1]]], WEIGHTS[split[1]])
        assert found["network_test_score"][number] == expected


def test_scores_know_nothing_of_the_weights_of_classes() -> None:
    clf = brief(class_weight={"setosa": 1, "versicolor": 9, "virginica": 1})
    found = cross_validate(clf, X, NAMES[Y], cv=2, return_estimator=True)
    for number, (train, test) in enumerate(StratifiedKFold(2).split(X, Y)):
        clf = found["estimator"][number]
        assert found["train_score"][number] == pytest.approx(
            np.mean(clf.predict(X[train]) == NAMES[Y[train]])
        )
        assert found["test_score"][number] == clf.score(X[test], NAMES[Y[test]])
        wrong = clf.predict(X[train]) != NAMES[Y[train]]
        weights = np.where(Y[train] == 1, 9.0, 1.0)
        assert clf.snap_report_.rules_error == pytest.approx(np.average(wrong, weights=weights))


def test_a_part_knows_nothing_of_weights_outside_it() -> None:
    """How rows compare is seen within a part; balance, too."""
    parts = [np.arange(0, 120, 2), np.arange(1, 150, 2)]
    weights = 1.0 + WEIGHTS
    other = np.where(np.arange(150) % 2 == 0, 7 * weights, weights[::-1])
    turned = np.where(np.arange(150) % 2 == 0, Y, 0)
    clf = brief(class_weight="balanced")
    before = clf.fit_parts(X, Y, parts, sample_weight=weights)[0]
    after = clf.fit_parts(X, turned, parts, sample_weight=other)[0]
    assert_alike(before.rules_, after.rules_)
    assert before.snap_report_.rules_error == pytest.approx(after.snap_report_.rules_error)


def test_rows_of_a_part_without_weight_are_as_if_they_were_not_there() -> None:
    there = np.arange(150) % 5 > 0
    parts = [np.arange(0, 150, 2), np.arange(0, 150, 3)]
    fewer = [np.flatnonzero(np.isin(np.flatnonzero(there), part)) for part in parts]
    weights = there * (1.0 + WEIGHTS)
    one = brief(epochs=2, folds=2).fit_parts(X, Y, parts, sample_weight=weights)
    other = brief(epochs=2, folds=2).fit_parts(
        X[there], Y[there], fewer, sample_weight=weights[there]
    )
    for mine, its in zip(one, other, strict=True):
        assert mine.rules_ == its.rules_
        assert str(mine.frontier_) == str(its.frontier_)
        assert mine.snap_report_.rows == its.snap_report_.rows


def test_a_part_without_any_weight_is_refused() -> None:
    weights = (np.arange(150) % 2).astype(float)
    parts = [np.arange(150), np.arange(0, 150, 2)]
    with pytest.raises(ValueError, match=r"row numbers of a weight above 0, got \[75, 0\]"):
        brief().fit_parts(X, Y, parts, sample_weight=weights)


def test_a_fold_without_any_weight_to_try_rules_on_is_refused() -> None:
    weights = (np.arange(150) % 50 < 25).astype(float)
    says = r"every fold needs rows with a weight above 0 .* got none in fold 1"
    with pytest.raises(ValueError, match=says):
        cross_validate(brief(), X, Y, cv=2, sample_weight=weights)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_parts_that_are_searched_side_by_side_have_the_same_rules(
    monkeypatch: pytest.MonkeyPatch, n_jobs: int | None
) -> None:
    parts = [np.arange(0, 60), np.arange(10, 70), np.arange(20, 80)]
    alone = brief(folds=2, n_jobs=1).fit_parts(X[:80], Y[:80], parts)
    monkeypatch.setattr("crisplogic.estimators.extract.LONG", 0.0)
    searched: list[Any] = []

    def watched(*given: Any) -> Any:
        searched.append(given[5:])
        return search_crisp(*given)

    monkeypatch.setattr(extract, "search_crisp", watched)
    with joblib.parallel_config(backend="threading"):
        together = brief(folds=2, n_jobs=n_jobs).fit_parts(X[:80], Y[:80], parts)
    # The first reports its paths if it is alone: without n_jobs, it tells if processes pay.
    alone_first = n_jobs is None and kernels.compiled is None
    assert [len(given) for given in searched] == [3 if alone_first else 1, 1, 1]
    assert [one.rules_ for one in together] == [one.rules_ for one in alone]
    assert [one.frontier_ for one in together] == [one.frontier_ for one in alone]


def test_the_views_of_a_large_table_hold_no_copies_of_its_rows() -> None:
    clf = brief(folds=3)
    source = clf._read(X, NAMES[Y], None)[0]
    rows = [np.arange(len(X)), np.arange(10), np.arange(5, 40)]
    for view, known in zip(source.views(rows, clf._scale_targets), rows, strict=True):
        assert view.inputs is source.matrix
        assert view.known.X.shape == (len(known), 0)
        assert view.data.X.tolist() == X[known].tolist()
        assert view.data.y.tolist() == view.known.y.tolist()
