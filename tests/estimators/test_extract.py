"""What is known of networks by the rows that they never saw."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from crisplogic import LogicClassifier, LogicRegressor
from crisplogic.estimators import extract
from crisplogic.estimators.base import LogicEstimator
from crisplogic.estimators.extract import RowsToTest, held_out_folds, network_held_out
from crisplogic.rules import RuleSet
from crisplogic.rules.checklist import ScoreCard, normal_form
from crisplogic.search import HeldOutRows, TrainingSet
from crisplogic.training import TrainedNetworks
from tests.estimators.samples import quick, some_labels, some_table

X = some_table(80)
X[::9, 1] = np.nan
Y = some_labels(X, 3)
NUMBERS = np.exp(X[:, 0] / 10) * 100
WEIGHTS = np.random.default_rng(3).uniform(0.2, 3.0, len(X))
WEIGHTS[5] = 0.0  # such a row is not there

Fitted = tuple[TrainedNetworks, TrainingSet, RowsToTest]


def fit(estimator: LogicEstimator, y: NDArray[Any], monkeypatch: pytest.MonkeyPatch) -> Fitted:
    """Fit, and return what rules are extracted from."""
    seen: list[Fitted] = []

    def watched(trained: TrainedNetworks, data: Any, tested: Any, snap: Any) -> Any:
        seen.append((trained, data, tested))
        return held_out_folds(trained, data, tested, snap)

    monkeypatch.setattr("crisplogic.estimators.base.held_out_folds", watched)
    estimator.set_params(epochs=3, restarts=1, random_state=0, literals="graded")
    estimator.fit(X, y, sample_weight=WEIGHTS)
    return seen[0]


def outputs(fitted: Fitted) -> NDArray[np.float64]:
    """The logits of every row, by the network that never saw it. Shape: (rows, outputs)."""
    trained, data, _ = fitted
    found = np.full((len(data), data.n_outputs), np.nan)
    for fold in trained.folds:
        assert not set(fold.held_out) & set(fold.view.rows)
        rows = torch.from_numpy(data.X[fold.held_out])
        with torch.no_grad():
            found[fold.held_out] = fold.network.logits(fold.network(rows)).numpy()
    return found


def held_out(estimator: LogicEstimator, fitted: Fitted) -> HeldOutRows:
    trained, _, tested = fitted
    found = network_held_out(trained, tested, estimator._decode_logits)
    assert found is not None
    return found


def test_classes_are_predicted_by_networks_that_never_saw_the_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clf = LogicClassifier(folds=3)
    fitted = fit(clf, Y, monkeypatch)
    found, data = held_out(clf, fitted), fitted[1]
    assert found.logits.shape == (1, 3, len(data))
    assert found.n_folds == 3
    wrong = outputs(fitted).argmax(1) != data.y
    expected = np.average(wrong, weights=WEIGHTS[WEIGHTS > 0])
    assert data.task.held_out_error(found) == pytest.approx(expected)


def test_the_positive_class_and_its_threshold_are_respected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    two = np.where(Y == "a", "a", "b")
    clf = LogicClassifier(folds=4, positive="a", decision_threshold=0.2)
    fitted = fit(clf, two, monkeypatch)
    data = fitted[1]
    logits = outputs(fitted)
    probability = 1 / (1 + np.exp(logits[:, 1] - logits[:, 0]))
    wrong = (probability >= 0.2) != (data.y == 0)
    assert (wrong != ((probability >= 0.5) != (data.y == 0))).any(), "it makes a difference"
    expected = np.average(wrong, weights=WEIGHTS[WEIGHTS > 0])
    assert data.task.held_out_error(held_out(clf, fitted)) == pytest.approx(expected)


@pytest.mark.parametrize("transform", [None, "log"])
def test_errors_of_numbers_are_in_their_units(
    transform: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    reg = LogicRegressor(folds=3, target_transform=transform)
    fitted = fit(reg, NUMBERS, monkeypatch)
    trained, data, _ = fitted
    kept = WEIGHTS > 0
    y = NUMBERS[kept] if transform is None else np.log(NUMBERS[kept])
    predicted = outputs(fitted)[:, 0]
    for fold in trained.folds:  # each network knows the scale of its own rows alone
        own, weights = y[fold.view.rows], WEIGHTS[kept][fold.view.rows]
        centre = np.average(own, weights=weights)
        spread = np.sqrt(np.average((own - centre) ** 2, weights=weights))
        predicted[fold.held_out] = centre + spread * predicted[fold.held_out]
    if transform == "log":
        predicted = np.exp(predicted)
    squares = (predicted - NUMBERS[kept]) ** 2
    expected = np.sqrt(np.average(squares, weights=WEIGHTS[kept]))
    error = data.task.held_out_error(held_out(reg, fitted))
    assert error == pytest.approx(expected, rel=1e-4)


def test_without_folds_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    clf = LogicClassifier(folds=0)
    trained, _, tested = fit(clf, Y, monkeypatch)
    assert network_held_out(trained, tested, clf._decode_logits) is None


# --- crisp rules that are not searched for ----------------------------------------------------


@pytest.mark.parametrize("snapping", ["straight_through", "nearest"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_network_can_be_rounded_to_crisp_rules(snapping: Any, classes: int) -> None:
    clf = LogicClassifier(snapping=snapping, epochs=8, restarts=1, random_state=0)
    clf.fit(X, some_labels(X, classes))
    rules = clf.rules_
    assert rules.crisp
    twice = 2 * rules.scores(X)
    np.testing.assert_array_equal(twice, np.rint(twice))
    if classes == 3:
        form = normal_form(rules)
        assert isinstance(form, ScoreCard)
        assert all(base == round(base) for base in form.bases)
    if snapping == "straight_through":
        assert rules.size > 0


def test_rounding_thresholds_moves_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[RuleSet, RuleSet]] = []
    shorten = extract._with_short_thresholds

    def watched(rules: RuleSet, data: TrainingSet) -> RuleSet:
        seen.append((rules, shorten(rules, data)))
        return seen[-1][1]

    monkeypatch.setattr(extract, "_with_short_thresholds", watched)
    clf = LogicClassifier(snapping="straight_through", epochs=8, restarts=1, random_state=0)
    clf.fit(X, Y)
    ((before, after),) = seen
    np.testing.assert_array_equal(before.scores(X), after.scores(X))
    lengths = [
        [len(str(rules.memberships[at].threshold)) for at in rules.used]  # type: ignore[attr-defined]
        for rules in (before, after)
    ]
    assert max(lengths[1]) < max(lengths[0])


def test_the_papers_membership_has_no_threshold_to_round_to_crisp_rules() -> None:
    clf = LogicClassifier(snapping="straight_through", memberships="linear")
    with pytest.raises(ValueError, match="memberships must be 'auto' or a number where crisp"):
        clf.fit(X, Y)


def test_of_very_many_rows_some_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("extract", "classifier"):
        monkeypatch.setattr(f"crisplogic.estimators.{module}.MAX_COMPARED", 20)
    clf = quick(epochs=1).fit(X, Y)
    assert clf.snap_report_.rows == 20
    assert 0 <= clf.held_out_errors_.network <= 1
    assert round(20 * clf.held_out_errors_.network, 9) % 1 == 0
