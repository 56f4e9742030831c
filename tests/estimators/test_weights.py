"""Weights of rows and classes: what they mean to a fit; a rare class can be learned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.metrics import balanced_accuracy_score, recall_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_sample_weight_equivalence_on_dense_data

from crisplogic import LogicClassifier
from crisplogic.errors import TableError
from crisplogic.rules.metrics import best_scale
from tests.estimators.samples import NEW, Floats, Labels, X, Y, digest_of, quick, some_labels

# Targets of every fifth row are wrong, so that it matters how much a row counts.
NOISY = np.where(np.arange(60) % 5 == 0, np.roll(Y, 7), Y)
WEIGHTS = np.random.default_rng(0).integers(1, 5, 60).astype(float)


def brief(**changes: Any) -> LogicClassifier:
    """Everything once, as short as can be: what is compared here need not be good."""
    return quick(**{"epochs": 2, "restarts": 1, "folds": 2, **changes})


def weighed_digest(weights: Any, **changes: Any) -> str:
    return digest_of(brief(**changes).fit(X, NOISY, sample_weight=weights))


# --- what weights mean ------------------------------------------------------------------------


def test_rows_that_count_more_change_what_is_learned() -> None:
    assert weighed_digest(WEIGHTS) != weighed_digest(None)


@pytest.mark.parametrize("weights", [np.ones(60), [0.1] * 60])
def test_where_all_rows_count_the_same_there_might_as_well_be_no_weights(weights: Any) -> None:
    assert weighed_digest(weights) == weighed_digest(None)


@pytest.mark.parametrize("factor", [0.3, 1e200])
def test_a_factor_of_all_weights_changes_nothing(factor: float) -> None:
    assert weighed_digest(factor * WEIGHTS) == weighed_digest(WEIGHTS)


@pytest.mark.parametrize("weights", [np.ones(60), WEIGHTS], ids=["alike", "different"])
def test_a_row_without_weight_is_as_if_it_were_not_there(weights: Floats) -> None:
    there = np.arange(60) % 4 > 0
    table, labels = X.copy(), NOISY.astype("<U9")
    table[~there], labels[~there] = 1e9, "nonsense"
    with_zeros = brief().fit(table, labels, sample_weight=weights * there)
    without = brief().fit(X[there], NOISY[there], sample_weight=weights[there])
    assert digest_of(with_zeros) == digest_of(without)
    assert with_zeros.classes_.tolist() == ["a", "b"]
    assert with_zeros.snap_report_.rows == there.sum()
    assert str(with_zeros.frontier_) == str(without.frontier_)


def test_of_two_targets_for_the_same_row_the_one_that_counts_more_is_learned() -> None:
    bits = np.random.default_rng(0).integers(0, 2, (40, 3)).astype(float)
    table = np.concatenate([bits, bits])
    labels = np.repeat(["no", "yes"], 40)
    for truth in (bits[:, 0] != bits[:, 1], bits[:, 0] * bits[:, 2] == 1):
        believed = np.concatenate([~truth, truth])
        clf = LogicClassifier(random_state=0, epochs=20, restarts=1, folds=0)
        clf.fit(table, labels, sample_weight=np.where(believed, 3.0, 1.0))
        assert np.array_equal(clf.predict(bits) == "yes", truth)


def test_rows_of_weight_2_teach_what_repeated_rows_teach() -> None:
    """The same truth; batches and folds are drawn anew, so it may be put in other words."""
    rng = np.random.default_rng(0)
    table, weights = rng.integers(0, 2, (64, 3)).astype(float), rng.integers(1, 4, 64)
    labels = np.where(table[:, 0] != table[:, 1], "either", "neither or both")
    one, other = (
        LogicClassifier(random_state=0, epochs=20, restarts=1, folds=2).fit(*given)
        for given in (
            (table, labels, weights),
            (table.repeat(weights, axis=0), labels.repeat(weights)),
        )
    )
    assert one.snap_report_.rules_error == other.snap_report_.rules_error == 0
    for rules in (one.rules_, other.rules_):
        assert {membership.feature for membership in rules.memberships} == {0, 1}


def test_scikit_learns_equivalence_holds_where_nothing_is_drawn_by_lot() -> None:
    """Plain descent on all rows at once, softly and through the snap, and no search."""
    clf = LogicClassifier.as_in_paper(
        batch_size=10**6, learning_rate=0.1, snapping="straight_through", literal_penalty=1e-5
    )
    check_sample_weight_equivalence_on_dense_data("LogicClassifier", clf)


# --- figures ----------------------------------------------------------------------------------


def weighed_error(predicted: Labels, weights: Floats = WEIGHTS) -> float:
    return float(np.average(predicted != NOISY, weights=weights))


def test_reports_and_frontiers_count_rows_by_their_weights() -> None:
    clf = brief().fit(X, NOISY, sample_weight=WEIGHTS)
    assert clf.snap_report_.rules_error == pytest.approx(weighed_error(clf.predict(X)))
    for point in clf.frontier_:
        assert point.error == pytest.approx(weighed_error(point.rules.predict(X)))
        assert np.isfinite(point.held_out_loss)
    clf.set_params(predict_with="network")
    assert clf.snap_report_.network_error == pytest.approx(weighed_error(clf.predict(X)))
    assert clf.score(X, NOISY, WEIGHTS) == pytest.approx(1 - weighed_error(clf.predict(X)))


def test_rounded_rules_are_as_sure_as_fits_what_rows_count() -> None:
    clf = quick(snapping="straight_through", literal_penalty=1e-5).fit(
        X, NOISY, sample_weight=WEIGHTS
    )
    scores, targets = clf.rules_.scores(X), (NOISY == "b").astype(np.intp)
    assert clf.rules_.size > 0
    assert clf.rules_.scale == pytest.approx(
        best_scale(scores, targets, WEIGHTS / WEIGHTS.mean()), rel=1e-4
    )
    assert clf.frontier_[0].error == pytest.approx(weighed_error(clf.predict(X)))


def test_validation_rows_are_weighed_too() -> None:
    options: dict[str, Any] = {"epochs": 3, "validation_fraction": 0.3, "folds": 0}
    weights = np.where(NOISY == "a", 1.0, 9.0)
    losses = [
        [epoch.validation_loss for epoch in quick(**options).fit(X, NOISY, each).history_]
        for each in (None, weights)
    ]
    assert losses[0] != losses[1]
    assert all(loss is not None and loss > 0 for of_fit in losses for loss in of_fit)


# --- weights of classes -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def rare() -> tuple[Floats, Labels]:
    return X, np.where(X[:, 0] > np.quantile(X[:, 0], 0.8), "rare", "usual")


def test_balanced_weights_are_those_of_scikit_learn(rare: tuple[Floats, Labels]) -> None:
    """Without folds, each of which balances its own rows."""
    table, labels = rare
    counts = {name: np.sum(labels == name) for name in ("rare", "usual")}
    by_hand = {name: 60 / (2 * count) for name, count in counts.items()}
    balanced, given, as_rows, none = (
        brief(folds=0, class_weight="balanced").fit(table, labels),
        brief(folds=0, class_weight=by_hand).fit(table, labels),
        brief(folds=0, positive="rare").fit(
            table, labels, sample_weight=[by_hand[name] for name in labels]
        ),
        brief(folds=0).fit(table, labels),
    )
    assert digest_of(balanced) == digest_of(given) == digest_of(as_rows) != digest_of(none)


def test_weights_of_rows_and_of_classes_are_multiplied() -> None:
    both = weighed_digest(WEIGHTS, class_weight={"a": 1, "b": 3})
    assert both == weighed_digest(WEIGHTS * np.where(NOISY == "a", 1, 3))


def test_balanced_classes_of_the_same_size_need_no_weights() -> None:
    labels = some_labels(X)
    assert (labels == "a").sum() == 30
    balanced, usual = (
        digest_of(brief(class_weight=weight).fit(X, labels)) for weight in ("balanced", None)
    )
    assert balanced == usual


def test_a_class_without_weight_is_as_if_it_were_not_there() -> None:
    labels = some_labels(X, 3)
    clf = brief(class_weight={"a": 1, "b": 0, "c": 1}).fit(X, labels)
    without = brief().fit(X[labels != "b"], labels[labels != "b"])
    assert clf.classes_.tolist() == ["a", "c"]
    assert digest_of(clf) == digest_of(without)


def some_rare_table(seed: int, rows: int = 5000) -> tuple[Floats, NDArray[np.intp]]:
    """One row in a hundred is positive: a third of those where two columns are high."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(rows, 5))
    inside = (table[:, 0] > 0.95) & (table[:, 1] > 0.95)
    return table, (inside & (rng.random(rows) < 0.35)).astype(np.intp)


@pytest.mark.slow
def test_a_class_of_one_row_in_a_hundred_is_found_if_classes_are_balanced() -> None:
    (table, labels), (new, truth) = some_rare_table(0), some_rare_table(1, 20_000)
    assert 40 < labels.sum() < 60
    options: dict[str, Any] = {"random_state": 0, "epochs": 6, "restarts": 1}
    usual = LogicClassifier(**options, folds=0).fit(table, labels).predict(new)
    clf = LogicClassifier(**options, folds=2, class_weight="balanced").fit(table, labels)
    balanced = clf.predict(new)
    # Where both columns are high a third is positive: best never foretold, unless it counts
    # a hundred times as much. The true corner has a balanced accuracy of 0.99.
    assert recall_score(truth, usual) < 0.3
    assert recall_score(truth, balanced) > 0.8
    assert balanced_accuracy_score(truth, balanced) > 0.88
    assert (
        balanced_accuracy_score(truth, balanced) > balanced_accuracy_score(truth, usual) + 0.2
    )
    assert {m.feature for m in clf.rules_.memberships} >= {0, 1}


# --- what is refused --------------------------------------------------------------------------

REFUSED: dict[str, tuple[Any, str]] = {
    "negative": (-WEIGHTS, "each a finite number, 0 or more, got -"),
    "missing": (np.where(WEIGHTS > 2, np.nan, WEIGHTS), "got nan in row"),
    "too few": (WEIGHTS[:-1], r"one number a row, 60 in all, got an array of shape \(59,\)"),
    "all zero": (0 * WEIGHTS, "weights must be above 0 for some of the rows"),
    "one class": (NOISY == "a", "at least 2 classes, got 1 class among the rows with a weight"),
}


@pytest.mark.parametrize(("weights", "says"), REFUSED.values(), ids=REFUSED)
def test_weights_that_cannot_be_are_refused_and_nothing_is_changed(
    weights: Any, says: str
) -> None:
    clf = quick()
    before = dict(vars(clf))
    with pytest.raises(TableError, match=says):
        clf.fit(X, NOISY, sample_weight=weights)
    assert vars(clf) == before
    with pytest.raises(TableError, match=says):
        clf.fit_parts(X, NOISY, [np.arange(60)], sample_weight=weights)


def test_weights_of_other_classes_than_there_are_are_refused() -> None:
    for given in ({"a": 1}, {"a": 1, "b": 1, "c": 1}):
        with pytest.raises(TableError, match="class_weight must name every class"):
            quick(class_weight=given).fit(X, NOISY)


# --- scikit-learn's tools ---------------------------------------------------------------------


def test_weights_may_be_a_series_with_any_index() -> None:
    frame = pd.DataFrame(X, columns=list("pqr"))
    weights = pd.Series(WEIGHTS, index=np.arange(60)[::-1])
    named = brief().fit(frame, NOISY, sample_weight=weights)
    plain = brief().fit(X, NOISY, sample_weight=WEIGHTS)
    assert named.rules_.expressions == plain.rules_.expressions


def test_weights_reach_the_end_of_a_pipeline() -> None:
    pipeline = make_pipeline(StandardScaler(), brief())
    pipeline.fit(X, NOISY, logicclassifier__sample_weight=WEIGHTS)
    scaler = StandardScaler().fit(X)
    alone = brief().fit(scaler.transform(X), NOISY, sample_weight=WEIGHTS)
    assert np.array_equal(pipeline.predict(NEW), alone.predict(scaler.transform(NEW)))


def test_weights_reach_every_fit_of_a_search() -> None:
    seen: list[Floats] = []

    class Watched(LogicClassifier):
        def fit(
            self, X: Any, y: Any, sample_weight: Any = None, checkpoint: Any = None
        ) -> Watched:
            seen.append(sample_weight)
            return super().fit(X, y, sample_weight, checkpoint)

    options: dict[str, Any] = {"epochs": 1, "restarts": 1, "folds": 0}
    search = GridSearchCV(Watched(**options), {"class_weight": [None, "balanced"]}, cv=2)
    search.fit(X, NOISY, sample_weight=WEIGHTS)
    assert [len(weights) for weights in seen] == [30] * 4 + [60]
    scores = cross_val_score(Watched(**options), X, NOISY, params={"sample_weight": WEIGHTS})
    assert np.isfinite(scores).all()
