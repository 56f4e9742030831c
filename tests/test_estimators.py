"""LogicClassifier: fitting and predicting, scikit-learn's habits, and every bad input."""

from __future__ import annotations

import hashlib
import math
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from torch.optim.optimizer import register_optimizer_step_pre_hook

import crisplogic.estimators
from crisplogic import LogicClassifier, RuleSet
from crisplogic.datasets import Dataset, load_breast_cancer_wisconsin, load_vehicle
from crisplogic.errors import DivergedError, TableError
from crisplogic.expr import evaluate_all, parse
from crisplogic.nn import LogicNetwork
from crisplogic.render import to_text
from crisplogic.rules.calibrate import best_scale
from crisplogic.snap import snap
from strategies import HOSTILE_NAMES

Floats = NDArray[np.float64]
Labels = NDArray[Any]


def quick(**changes: Any) -> LogicClassifier:
    """A classifier that is soon done; what it learns of easy tables is still good."""
    return LogicClassifier(**{"epochs": 8, "random_state": 0, **changes})


def some_table(rows: int = 60, columns: int = 3, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(20.0, 5.0, (rows, columns))


def some_labels(table: Floats, classes: int = 2) -> Labels:
    """Class names, in order of the first column."""
    bounds = np.quantile(table[:, 0], np.linspace(0, 1, classes + 1)[1:-1])
    return np.array(list("abcdefghij"))[np.digitize(table[:, 0], bounds)]


X, Y = some_table(), some_labels(some_table())
NEW = some_table(seed=1)


@pytest.fixture(scope="module")
def fitted() -> LogicClassifier:
    """A classifier fitted on X and Y; tests do not change it."""
    return quick().fit(X, Y)


@pytest.fixture
def steppers() -> Iterator[list[torch.optim.Optimizer]]:
    """The optimiser of every step that is taken."""
    seen: list[torch.optim.Optimizer] = []
    hook = register_optimizer_step_pre_hook(lambda optimizer, *_: seen.append(optimizer))
    yield seen
    hook.remove()


def state_of(network: LogicNetwork) -> dict[str, bytes]:
    return {name: tensor.numpy().tobytes() for name, tensor in network.state_dict().items()}


def digest_of(clf: LogicClassifier) -> str:
    """One number for all that was learned: the parameters to the bit, and the rules."""
    state = b"".join(state_of(clf.network_).values())
    return hashlib.sha256(state + clf.rules_.to_json().encode()).hexdigest()


# --- predicting -------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("predict_with", ["rules", "network"])
def test_scores_classes_and_probabilities_agree(classes: int, predict_with: str) -> None:
    clf = quick(predict_with=predict_with).fit(X, some_labels(X, classes))
    scores, probabilities = clf.decision_function(NEW), clf.predict_proba(NEW)
    if classes == 2:
        assert scores.shape == (len(NEW),)
        winners = (scores > 0).astype(int)
        assert np.array_equal(probabilities[:, 1] > 0.5, scores > 0)
    else:
        assert scores.shape == (len(NEW), classes)
        winners = scores.argmax(axis=1)
        # Greater scores are greater probabilities, up to rounding.
        ordered = np.take_along_axis(probabilities, scores.argsort(axis=1), axis=1)
        assert np.diff(ordered, axis=1).min() >= -1e-12
    assert clf.predict(NEW).tolist() == clf.classes_[winners].tolist()
    assert probabilities.shape == (len(NEW), classes)
    assert probabilities.sum(axis=1) == pytest.approx(1.0)


def test_predictions_come_from_the_rules_by_default(fitted: LogicClassifier) -> None:
    assert fitted.predict_with == "rules"
    assert np.array_equal(fitted.predict(NEW), fitted.rules_.predict(NEW))
    assert np.array_equal(fitted.predict_proba(NEW), fitted.rules_.predict_proba(NEW))


def test_what_predicts_may_be_changed_after_fitting(fitted: LogicClassifier) -> None:
    clf = pickle.loads(pickle.dumps(fitted)).set_params(predict_with="network")
    with torch.no_grad():
        scores = clf.network_(torch.from_numpy(NEW))
        probabilities = clf.network_.logits(scores).softmax(1).numpy()
    assert np.array_equal(clf.predict(NEW), clf.classes_[scores.argmax(1).numpy()])
    np.testing.assert_allclose(clf.predict_proba(NEW), probabilities, atol=1e-6)
    differences = (scores[:, 1] - scores[:, 0]).numpy()
    np.testing.assert_allclose(clf.decision_function(NEW), differences, atol=1e-5)
    assert not np.allclose(clf.decision_function(NEW), fitted.decision_function(NEW))
    clf.set_params(predict_with="rules")
    assert np.array_equal(clf.decision_function(NEW), fitted.decision_function(NEW))


def test_predicting_needs_no_network(fitted: LogicClassifier) -> None:
    clf = pickle.loads(pickle.dumps(fitted))
    del clf.network_
    for method in ("predict", "predict_proba", "decision_function"):
        assert np.array_equal(getattr(clf, method)(NEW), getattr(fitted, method)(NEW))


def test_rules_alone_give_the_same_answers_even_from_a_file(fitted: LogicClassifier) -> None:
    rules = RuleSet.from_json(fitted.rules_.to_json())
    assert np.array_equal(rules.predict(NEW), fitted.predict(NEW))
    assert np.array_equal(rules.predict_proba(NEW), fitted.predict_proba(NEW))


def test_rows_are_predicted_one_by_one_as_together(fitted: LogicClassifier) -> None:
    together = fitted.decision_function(NEW[:5])
    one_by_one = np.concatenate([fitted.decision_function(row[None]) for row in NEW[:5]])
    assert np.array_equal(together, one_by_one)


def test_after_a_round_trip_through_pickle_all_is_the_same(fitted: LogicClassifier) -> None:
    clf = pickle.loads(pickle.dumps(fitted))
    assert digest_of(clf) == digest_of(fitted)
    assert str(clf.snap_report_) == str(fitted.snap_report_)


# --- what fitting leaves ----------------------------------------------------------------------


def test_fitting_returns_the_classifier_itself() -> None:
    clf = quick(epochs=1)
    assert clf.fit(X, Y) is clf


def test_fitted_attributes_are_as_documented(fitted: LogicClassifier) -> None:
    assert fitted.classes_.tolist() == ["a", "b"]
    assert fitted.n_features_in_ == 3
    assert not hasattr(fitted, "feature_names_in_")
    assert [epoch.phase for epoch in fitted.history_] == ["soft"] * 8 + ["snapped"] * 8
    assert isinstance(fitted.rules_, RuleSet)
    assert isinstance(fitted.network_, LogicNetwork)
    learned = {name for name in vars(fitted) if name.endswith("_")}
    documented = str(LogicClassifier.__doc__).partition("Attributes\n")[2]
    assert all(name in documented for name in learned)


def test_the_report_compares_network_and_rules_on_the_training_rows(
    fitted: LogicClassifier,
) -> None:
    report = fitted.snap_report_
    by_rules = fitted.predict(X)
    by_network = (
        pickle.loads(pickle.dumps(fitted)).set_params(predict_with="network").predict(X)
    )
    assert report.rows == len(X)
    assert report.rules_error == pytest.approx(np.mean(by_rules != Y))
    assert report.network_error == pytest.approx(np.mean(by_network != Y))
    assert report.agreement == pytest.approx(np.mean(by_rules == by_network))
    assert report.classes_predicted == len(set(by_rules))


def test_the_rules_are_as_sure_as_fits_the_training_rows_best(fitted: LogicClassifier) -> None:
    targets = (Y == "b").astype(np.intp)
    assert fitted.rules_.scale == best_scale(fitted.rules_.scores(X), targets) != 1.0


def test_fitting_changes_no_parameter_and_no_input() -> None:
    table, labels = X.copy(), Y.copy()
    clf = quick(epochs=2)
    before = clf.get_params()
    clf.fit(table, labels)
    assert clf.get_params() == before
    assert np.array_equal(table, X)
    assert np.array_equal(labels, Y)


def test_refitting_leaves_no_trace_of_the_first_fit() -> None:
    other = pd.DataFrame(some_table(50, 5, seed=7), columns=list("pqrst"))
    clf = quick(epochs=2).fit(other, some_labels(other.to_numpy(), 3))
    assert hasattr(clf, "feature_names_in_")
    clf.fit(X, Y)
    fresh = quick(epochs=2).fit(X, Y)
    assert vars(clf).keys() == vars(fresh).keys()
    assert digest_of(clf) == digest_of(fresh)
    assert clf.history_ == fresh.history_
    assert clf.classes_.tolist() == fresh.classes_.tolist()
    assert clf.n_features_in_ == fresh.n_features_in_


# --- a fit that fails -------------------------------------------------------------------------


def interrupted(*_: Any) -> None:
    raise KeyboardInterrupt


FOUR_COLUMNS = pd.DataFrame(some_table(60, 4), columns=list("pqrs"))
FAILURES: dict[str, tuple[type[BaseException], dict[str, Any], Any, Any]] = {
    "one class": (TableError, {}, FOUR_COLUMNS, ["a"] * 60),
    "text": (TableError, {}, FOUR_COLUMNS.assign(q="x"), Y),
    "target missing": (TableError, {}, FOUR_COLUMNS, [None, *Y[1:]]),
    "too few rows": (TableError, {"validation_fraction": 0.001}, FOUR_COLUMNS, Y),
    "bad parameter": (ValueError, {"epochs": 0}, FOUR_COLUMNS, Y),
    "diverged": (DivergedError, {"learning_rate": 1e30}, FOUR_COLUMNS, Y),
    "interrupted": (KeyboardInterrupt, {}, FOUR_COLUMNS, Y),
}
failures = pytest.mark.parametrize(
    ("error", "changes", "table", "labels"), FAILURES.values(), ids=FAILURES
)


def failing_fit(
    clf: LogicClassifier,
    error: type[BaseException],
    table: Any,
    labels: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if error is KeyboardInterrupt:
        monkeypatch.setattr(crisplogic.estimators, "snap", interrupted)
    with pytest.raises(error):
        clf.fit(table, labels)


@failures
def test_a_failing_fit_leaves_an_earlier_fit_as_it_was(
    error: type[BaseException],
    changes: dict[str, Any],
    table: Any,
    labels: Any,
    fitted: LogicClassifier,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clf = pickle.loads(pickle.dumps(fitted)).set_params(**changes)
    before = set(vars(clf))
    failing_fit(clf, error, table, labels, monkeypatch)
    assert set(vars(clf)) == before
    assert np.array_equal(clf.predict(NEW), fitted.predict(NEW))
    assert digest_of(clf) == digest_of(fitted)
    assert clf.n_features_in_ == 3


@failures
def test_a_failing_fit_leaves_an_unfitted_classifier_unfitted(
    error: type[BaseException],
    changes: dict[str, Any],
    table: Any,
    labels: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clf = quick(epochs=1).set_params(**changes)
    failing_fit(clf, error, table, labels, monkeypatch)
    with pytest.raises(NotFittedError):
        clf.predict(table)


# --- one seed ---------------------------------------------------------------------------------

SEEDED: dict[str, Any] = {
    "epochs": 3,
    "depth": 2,
    "validation_fraction": 0.2,
    "random_state": 5,
}
SECOND_PROCESS = """
import sys
sys.path[:0] = {path!r}
from test_estimators import SEEDED, X, Y, LogicClassifier, digest_of
print(digest_of(LogicClassifier(**SEEDED).fit(X, Y)))
"""


def test_the_same_seed_learns_the_same_bit_for_bit() -> None:
    first, second = (LogicClassifier(**SEEDED).fit(X, Y) for _ in range(2))
    assert state_of(first.network_) == state_of(second.network_)
    assert first.rules_ == second.rules_
    assert first.history_ == second.history_


def test_another_process_learns_the_same_bit_for_bit() -> None:
    digests = subprocess.run(
        [sys.executable, "-c", SECOND_PROCESS.format(path=[os.path.dirname(__file__)])],
        env={
            **os.environ,
            "PYTHONHASHSEED": "77",  # the order of sets is another one there
            "OMP_NUM_THREADS": str(torch.get_num_threads()),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert digests.stdout.split() == [digest_of(LogicClassifier(**SEEDED).fit(X, Y))]


def test_another_seed_learns_something_else(fitted: LogicClassifier) -> None:
    assert digest_of(quick(random_state=1).fit(X, Y)) != digest_of(fitted)


def test_a_random_state_is_drawn_from_so_fits_differ_but_can_be_repeated() -> None:
    digests = []
    for _ in range(2):
        state = np.random.RandomState(3)
        digests.append([digest_of(quick(epochs=1, random_state=state).fit(X, Y)) for _ in "12"])
    assert digests[0] == digests[1]
    assert digests[0][0] != digests[0][1]


def test_with_a_seed_the_random_numbers_of_torch_and_numpy_are_left_alone() -> None:
    of_torch, of_numpy = torch.get_rng_state(), np.random.get_state()  # noqa: NPY002
    quick(epochs=1, validation_fraction=0.2).fit(X, Y).predict(NEW)
    assert torch.equal(torch.get_rng_state(), of_torch)
    assert str(np.random.get_state()) == str(of_numpy)  # noqa: NPY002


# --- learning ---------------------------------------------------------------------------------

BITS = np.random.default_rng(0).integers(0, 2, (64, 3)).astype(float)
CONCEPTS: dict[str, NDArray[np.bool_]] = {
    "xor": BITS[:, 0] != BITS[:, 1],
    "and": (BITS[:, 0] == 1) & (BITS[:, 1] == 1),
}


@pytest.mark.parametrize("concept", CONCEPTS)
@pytest.mark.parametrize("seed", range(3))
def test_xor_and_and_are_learned_exactly_by_rules_that_a_person_can_read(
    concept: str, seed: int
) -> None:
    table = pd.DataFrame(BITS, columns=["left", "right", "noise"])
    labels = np.where(CONCEPTS[concept], "yes", "no")
    clf = LogicClassifier(random_state=seed).fit(table, labels)
    assert clf.score(table, labels) == 1.0
    assert clf.rules_.size <= 6
    assert "noise" not in str(clf.rules_)
    names = clf.rules_.names
    read = [parse(to_text(expr, names), names) for expr in clf.rules_.expressions]
    winners = evaluate_all(read, 2 * BITS - 1).argmax(axis=1)  # bits as false and true
    assert np.array_equal(clf.classes_[winners], labels)


TABLES: dict[str, tuple[Callable[[], Dataset], float, float]] = {
    # The table, the least accuracy on new rows, and how much the rules may be worse.
    "breast cancer": (load_breast_cancer_wisconsin, 0.92, 0.03),
    "vehicle": (load_vehicle, 0.65, 0.09),
}


@pytest.mark.parametrize(("load", "least", "margin"), TABLES.values(), ids=TABLES)
def test_on_new_rows_rules_are_about_as_good_as_the_network(
    load: Callable[[], Dataset], least: float, margin: float
) -> None:
    data = load()
    table, new, labels, new_labels = train_test_split(
        data.X, data.y, test_size=0.4, stratify=data.y, random_state=0
    )
    clf = LogicClassifier(epochs=20, random_state=0).fit(table, labels)
    by_rules = clf.score(new, new_labels)
    by_network = clf.set_params(predict_with="network").score(new, new_labels)
    assert by_network > least
    assert by_rules > by_network - margin


def test_nearest_snapping_rounds_the_network_as_the_paper_does() -> None:
    clf = quick(snapping="nearest", epochs=15, learning_rate=0.1).fit(X, Y)
    rounded = snap(clf.network_, ["x0", "x1", "x2"], ["a", "b"])
    assert clf.rules_.size > 0
    assert clf.rules_.rules == rounded.rules
    assert clf.rules_.memberships == rounded.memberships
    for level, (fuzzy, selector) in zip(
        clf.snap_report_.levels, clf.network_.levels(), strict=True
    ):
        alpha, weight = fuzzy.alpha.detach().numpy(), selector.weight.detach().numpy()
        assert np.allclose(level.alpha, alpha.round() - alpha)
        assert np.allclose(level.weight, weight.round() - weight)
    assert {epoch.phase for epoch in clf.history_} == {"soft"}


def test_trained_snapping_leaves_the_soft_network_what_it_was_and_may_go_further() -> None:
    nearest, trained = (
        quick(snapping=how, epochs=15).fit(X, Y) for how in ("nearest", "trained")
    )
    assert state_of(nearest.network_) == state_of(trained.network_)
    assert trained.snap_report_.rules_error < nearest.snap_report_.rules_error
    assert max(np.abs(level.weight).max() for level in trained.snap_report_.levels) > 0.5


def test_a_greater_price_makes_smaller_rules() -> None:
    table = some_table(120, 5)
    labels = np.where(table[:, 0] + table[:, 1] > table[:, 2] + 20, "a", "b")
    sizes = [
        quick(term_price=price, epochs=20).fit(table, labels).rules_.size
        for price in (0.0, 0.02, 10.0)
    ]
    assert sizes[0] > sizes[1] > sizes[2] == 0


def test_a_greater_l1_makes_smaller_weights() -> None:
    cheap, dear = (quick(l1=price).fit(X, Y).network_.l1().item() for price in (0.0, 1.0))
    assert dear < cheap / 2


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_every_depth_predicts(depth: int) -> None:
    clf = quick(depth=depth, width=3, epochs=2).fit(X, Y)
    assert set(clf.predict(NEW)) <= {"a", "b"}
    assert clf.network_.depth == depth
    assert len(clf.snap_report_.levels) == depth


def test_patience_and_validation_are_handed_on() -> None:
    clf = quick(epochs=50, patience=1, validation_fraction=0.3, learning_rate=0.5).fit(X, Y)
    assert len(clf.history_) < 100
    assert all(epoch.validation_loss is not None for epoch in clf.history_)


@pytest.mark.parametrize(
    ("rows", "batch_size", "steps"),
    [(60, "auto", 12), (60, 25, 3), (5, "auto", 5), (60, 999, 1)],
)
def test_batches_are_as_large_as_said(
    rows: int, batch_size: int | str, steps: int, steppers: list[torch.optim.Optimizer]
) -> None:
    labels = np.arange(rows) % 2
    quick(epochs=1, snapping="nearest", batch_size=batch_size).fit(some_table(rows), labels)
    assert len(steppers) == steps


# --- as in the paper --------------------------------------------------------------------------


def test_as_in_paper_has_the_papers_settings() -> None:
    params = LogicClassifier.as_in_paper().get_params()
    paper = {
        "depth": 2,
        "snapping": "nearest",
        "training": "paper",
        "batch_size": 1,
        "learning_rate": 0.01,
        "l1": 0.0001,
    }
    assert params.items() >= paper.items()
    assert LogicClassifier.as_in_paper(epochs=3, depth=1).get_params() == {
        **params,
        "epochs": 3,
        "depth": 1,
    }


def test_as_in_paper_learns_with_the_papers_topology_by_plain_steps(
    steppers: list[torch.optim.Optimizer],
) -> None:
    clf = LogicClassifier.as_in_paper(epochs=2, random_state=0).fit(X, Y)
    assert (clf.network_.depth, clf.network_.width) == (2, 8)
    assert clf.network_.log_scale == 0  # squared error leaves it alone
    assert clf.rules_.rules == snap(clf.network_, ["x0", "x1", "x2"], ["a", "b"]).rules
    assert len(clf.history_) == 2
    assert [type(stepper) for stepper in steppers] == [torch.optim.SGD] * 2 * len(X)


# --- names ------------------------------------------------------------------------------------


def test_column_names_flow_into_the_rules(fitted: LogicClassifier) -> None:
    frame = pd.DataFrame(X, columns=["age", "body mass", "not"])
    clf = quick().fit(frame, Y)
    assert clf.feature_names_in_.tolist() == list(frame.columns)
    assert clf.rules_.features == tuple(frame.columns)
    assert str(clf.rules_) == str(fitted.rules_).replace("x0", "age")
    assert np.array_equal(clf.predict(frame), fitted.predict(X))
    assert np.array_equal(
        clf.rules_.predict(frame[["not", "age", "body mass"]]), clf.predict(frame)
    )


def test_hostile_column_names_change_nothing_but_the_names() -> None:
    table = some_table(80, len(HOSTILE_NAMES))
    frame = pd.DataFrame(table, columns=HOSTILE_NAMES)
    labels = some_labels(table)
    named, numbered = quick(epochs=3).fit(frame, labels), quick(epochs=3).fit(table, labels)
    assert named.rules_.features == HOSTILE_NAMES
    assert named.rules_.rules == numbered.rules_.rules
    assert RuleSet.from_json(named.rules_.to_json()) == named.rules_
    assert np.array_equal(named.predict(frame), numbered.predict(table))
    assert len(str(named.rules_).split("\n")) == len(str(numbered.rules_).split("\n"))


def test_class_names_flow_into_the_rules_however_hostile() -> None:
    labels = np.where(Y == "a", "two\nlines", 'x = "y"')
    clf = quick(epochs=2).fit(X, labels)
    assert set(clf.rules_.labels) == {"two\nlines", 'x = "y"'}
    assert np.array_equal(clf.rules_.predict(NEW), clf.predict(NEW))


def test_columns_in_another_order_are_refused_when_predicting() -> None:
    frame = pd.DataFrame(X, columns=list("pqr"))
    clf = quick(epochs=1).fit(frame, Y)
    with pytest.raises(ValueError, match="feature names should match"):
        clf.predict(frame[["r", "q", "p"]])


# --- scikit-learn's tools ---------------------------------------------------------------------


def test_a_clone_has_the_parameters_and_nothing_learned(fitted: LogicClassifier) -> None:
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        copy.predict(NEW)
    assert digest_of(copy.fit(X, Y)) == digest_of(fitted)


def test_parameters_are_got_and_set_by_name() -> None:
    clf = LogicClassifier()
    changed = {name: object() for name in clf.get_params()}
    assert clf.set_params(**changed).get_params() == changed


def test_printing_shows_what_differs_from_the_defaults() -> None:
    assert repr(LogicClassifier(depth=2, random_state=0)) == (
        "LogicClassifier(depth=2, random_state=0)"
    )


def test_it_works_at_the_end_of_a_pipeline(fitted: LogicClassifier) -> None:
    pipeline = make_pipeline(SimpleImputer(), quick()).fit(X, Y)
    assert np.array_equal(pipeline.predict(NEW), fitted.predict(NEW))
    assert pipeline.set_params(logicclassifier__epochs=1).fit(X, Y).score(X, Y) <= 1


def test_a_pipeline_can_hand_on_names() -> None:
    frame = pd.DataFrame(X, columns=list("pqr"))
    pipeline = make_pipeline(SimpleImputer(), quick(epochs=1)).set_output(transform="pandas")
    assert pipeline.fit(frame, Y)[-1].rules_.features == ("p", "q", "r")


def test_it_can_be_searched_over_and_cross_validated() -> None:
    search = GridSearchCV(quick(epochs=2), {"depth": [1, 2], "l1": [0, 1e-3]}, cv=2).fit(X, Y)
    assert search.best_params_.keys() == {"depth", "l1"}
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert cross_val_score(quick(), X, Y, cv=3).mean() > 0.8


# --- tables that work -------------------------------------------------------------------------


def test_missing_values_are_learned_from_and_predicted() -> None:
    table = X.copy()
    table[::7, 0] = math.nan
    table[::5, 1] = math.nan
    clf = quick().fit(table, Y)
    assert clf.score(table, Y) > 0.8
    assert np.isfinite(clf.predict_proba(np.full((2, 3), math.nan))).all()


@pytest.mark.parametrize("value", [math.nan, 0.0, -7.5], ids=["missing", "zero", "constant"])
def test_a_column_that_says_nothing_changes_no_prediction(value: float) -> None:
    table = X.copy()
    table[:, 1] = value
    clf = quick(epochs=15).fit(table, Y)
    assert clf.score(table, Y) > 0.85
    other = table.copy()
    other[:, 1] = 123.0
    assert np.array_equal(clf.predict_proba(other), clf.predict_proba(table))


@pytest.mark.parametrize("value", [math.nan, 3.0])
def test_where_no_column_says_anything_the_rules_say_unknown(value: float) -> None:
    clf = quick(epochs=2).fit(np.full((20, 2), value), np.arange(20) % 2)
    assert np.isfinite(clf.predict_proba([[1.0, 2.0]])).all()
    assert not clf.rules_.scores([[1.0, 2.0]]).any()
    assert set(clf.predict(some_table(9, 2))) == {0}


@pytest.mark.parametrize("scales", [(2.0**23, 1.0, 2.0**-23), (1e7, 1.0, 1e-7)])
def test_columns_of_any_scale_give_the_same_rules(
    scales: tuple[float, ...], fitted: LogicClassifier
) -> None:
    clf = quick().fit(X * scales, Y)
    assert clf.rules_.expressions == fitted.rules_.expressions
    np.testing.assert_allclose(
        clf.decision_function(NEW * scales), fitted.decision_function(NEW), atol=1e-9
    )


@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_columns_near_the_limits_of_numbers_work(scale: float) -> None:
    assert quick().fit(X * scale, Y).score(X * scale, Y) > 0.85


def test_more_columns_than_rows_work() -> None:
    table = some_table(20, 200)
    clf = quick(epochs=5).fit(table, some_labels(table))
    assert clf.score(table, some_labels(table)) > 0.7


def test_a_single_column_works() -> None:
    clf = quick(epochs=20).fit(X[:, :1], Y)
    assert clf.score(X[:, :1], Y) > 0.9
    assert str(clf.rules_).count("x0") >= 1


def test_two_rows_are_enough() -> None:
    clf = quick(epochs=20).fit([[0.0], [1.0]], ["no", "yes"])
    assert clf.predict([[0.0], [1.0]]).tolist() == ["no", "yes"]


def test_many_classes_work() -> None:
    table = some_table(100)
    clf = quick(epochs=3).fit(table, some_labels(table, 10))
    assert clf.classes_.tolist() == list("abcdefghij")
    assert clf.predict_proba(NEW).shape == (len(NEW), 10)
    assert set(clf.predict(NEW)) <= set(clf.classes_)


def test_a_class_of_a_single_row_works_with_validation_too() -> None:
    labels = Y.copy()
    labels[7] = "c"
    clf = quick(epochs=1, validation_fraction=0.2).fit(X, labels)
    assert clf.classes_.tolist() == ["a", "b", "c"]


TABLES_OF_ANY_TYPE: dict[str, Callable[[Floats], Any]] = {
    "list": lambda table: table.tolist(),
    "fortran order": np.asfortranarray,
    "read only": lambda table: np.frombuffer(table.tobytes()).reshape(table.shape),
    "objects": lambda table: table.astype(object),
    "frame": pd.DataFrame,
    "nullable": lambda table: pd.DataFrame(table).astype("Float64"),
}


@pytest.mark.parametrize("made", TABLES_OF_ANY_TYPE.values(), ids=TABLES_OF_ANY_TYPE)
def test_tables_of_any_type_are_the_same_table(
    made: Callable[[Floats], Any], fitted: LogicClassifier
) -> None:
    clf = quick().fit(made(X), Y)
    assert digest_of(clf) == digest_of(fitted)
    assert np.array_equal(clf.predict(made(NEW)), fitted.predict(NEW))


def test_pandas_na_is_a_missing_value() -> None:
    frame = pd.DataFrame({"p": pd.array([1, None, 3] * 9, dtype="Int64"), "q": [1, 2, 3] * 9})
    clf = quick(epochs=2).fit(frame, ["a", "b", "c"] * 9)
    plain = frame.astype("float64").to_numpy()
    assert np.array_equal(clf.predict(frame), clf.rules_.predict(plain))


# --- labels -----------------------------------------------------------------------------------

LABELS: dict[str, tuple[Any, Any]] = {
    "text": ("no", "yes"),
    "whole numbers": (0, 1),
    "negative numbers": (-5, 70),
    "truth values": (False, True),
    "floats": (1.0, 2.0),
}
TARGETS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "array": np.array,
    "objects": lambda labels: np.array(labels, dtype=object),
    "series": pd.Series,
    "series of objects": lambda labels: pd.Series(labels, dtype=object),
    "nullable series": lambda labels: pd.Series(pd.array(labels)),
    "categories": lambda labels: pd.Series(labels, dtype="category"),
}


@pytest.mark.parametrize("classes", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("made", TARGETS.values(), ids=TARGETS)
def test_labels_of_any_type_come_back_as_they_were(
    classes: tuple[Any, Any], made: Callable[[list[Any]], Any], fitted: LogicClassifier
) -> None:
    clf = quick(epochs=2).fit(X, made([classes[int(label == "b")] for label in Y]))
    assert clf.classes_.tolist() == list(classes)
    assert clf.rules_.labels == classes
    assert [type(label) for label in clf.rules_.labels] == [type(label) for label in classes]
    assert set(clf.predict(NEW).tolist()) <= set(classes)
    assert clf.rules_.predict(NEW).tolist() == clf.predict(NEW).tolist()
    assert RuleSet.from_json(clf.rules_.to_json()).labels == classes


def test_labels_of_mixed_types_are_refused_with_advice() -> None:
    labels = np.array([1, "b"] * 30, dtype=object)
    with pytest.raises(TableError, match=r"got int and str; .*y\.astype\(str\)"):
        quick().fit(X, labels)


MISSING = {"None": None, "NaN": math.nan, "NA": pd.NA}
WITH_MISSING: dict[str, Callable[[Any], Any]] = {
    "list of texts": lambda gap: ["a", "b", gap, "a"],
    "list of numbers": lambda gap: [0, 1, gap, 0],
    "array of objects": lambda gap: np.array(["a", "b", gap, "a"], dtype=object),
    "series": lambda gap: pd.Series(["a", "b", gap, "a"]),
    "categories": lambda gap: pd.Series(["a", "b", gap, "a"], dtype="category"),
    "nullable numbers": lambda gap: pd.Series(
        [0, 1, None if gap is not pd.NA else gap, 0], dtype="Int64"
    ),
}


@pytest.mark.parametrize("gap", MISSING.values(), ids=MISSING)
@pytest.mark.parametrize("made", WITH_MISSING.values(), ids=WITH_MISSING)
def test_a_missing_target_is_refused_with_its_row(made: Callable[[Any], Any], gap: Any) -> None:
    with pytest.raises(TableError, match=r"missing in 1 row.*the first is row 2"):
        quick().fit(X[:4], made(gap))


def test_a_missing_date_is_a_missing_target_too() -> None:
    dates = np.array(["2020", "2021", "NaT", "2020"], dtype="datetime64[Y]")
    with pytest.raises(TableError, match="the first is row 2"):
        quick().fit(X[:4], dates)


def test_dates_are_no_classes() -> None:
    dates = np.array(["2020", "2021"] * 2, dtype="datetime64[Y]")
    with pytest.raises(TableError, match="text or numbers, got dates"):
        quick().fit(X[:4], dates)


def test_a_frame_of_dates_alone_is_refused_too() -> None:
    frame = pd.DataFrame({"born": pd.to_datetime(["2020-01-01", "2021-01-01"] * 2)})
    with pytest.raises(TableError, match="column 'born' must hold numbers, got dates"):
        quick().fit(frame, Y[:4])


def test_rules_read_the_frame_with_numbered_columns_that_they_were_learned_from() -> None:
    frame = pd.DataFrame(X)
    clf = quick().fit(frame, Y)
    assert np.array_equal(clf.rules_.predict(frame), clf.predict(frame))


# --- tables that cannot work ------------------------------------------------------------------

REFUSED: dict[str, tuple[Any, Any, type[Exception], str]] = {
    "no rows": (np.empty((0, 3)), np.empty(0), ValueError, "0 sample"),
    "no columns": (np.empty((60, 0)), Y, ValueError, "0 feature"),
    "one row": (X[:1], Y[:1], TableError, "needs at least 2 classes, got 1 class: '[ab]'"),
    "one class": (X, np.full(60, 7), TableError, "needs at least 2 classes, got 1 class: 7$"),
    "infinity": (np.where(X > 25, np.inf, X), Y, ValueError, "infinity"),
    "sparse": (csr_matrix(X), Y, TypeError, "[Ss]parse"),
    "sparse target": (X, csr_matrix([[0, 1] * 30]), TypeError, "[Ss]parse"),
    "one dimension": (X[:, 0], Y, ValueError, "Expected 2D array"),
    "three dimensions": (X[:, :, None], Y, ValueError, "dim 3"),
    "no target": (X, None, ValueError, "requires y"),
    "short target": (X, Y[:-1], ValueError, r"\[60, 59\]"),
    "two targets": (X, [[0, 1]] * 60, ValueError, "1d array"),
    "continuous target": (X, X[:, 0], ValueError, "continuous"),
    "text in a list": ([["p", 1.0], ["q", 2.0]], [0, 1], ValueError, "'p'"),
    "complex": (X * 1j, Y, ValueError, "[Cc]omplex"),
    "same names": (
        pd.DataFrame(X, columns=["p", "q", "p"]),
        Y,
        TableError,
        "must differ from each other.*repeated: 'p'",
    ),
    "names that only differ in type": (
        pd.DataFrame(X, columns=["1", "q", 1]),
        Y,
        TableError,
        "repeated: '1'",
    ),
}


@pytest.mark.parametrize(("table", "labels", "error", "says"), REFUSED.values(), ids=REFUSED)
def test_a_table_that_cannot_work_is_refused_with_the_reason(
    table: Any, labels: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        quick().fit(table, labels)


NOT_NUMBERS: dict[str, Any] = {
    "text": ["x", "y"] * 30,
    "text with gaps": ["x", None] * 30,
    "categories": pd.Categorical(["x", "y"] * 30),
    "dates": pd.to_datetime(["2020-01-01", "2021-01-01"] * 30),
}


@pytest.mark.parametrize("column", NOT_NUMBERS.values(), ids=NOT_NUMBERS)
def test_a_column_without_numbers_is_refused_by_name_with_advice(column: Any) -> None:
    frame = pd.DataFrame({"age": X[:, 0], "home town": column})
    with pytest.raises(TableError, match=r"column 'home town' must hold numbers.*leave the c"):
        quick().fit(frame, Y)


def test_a_column_without_numbers_is_refused_by_name_when_predicting_too() -> None:
    frame = pd.DataFrame(X, columns=list("pqr"))
    clf = quick(epochs=1).fit(frame, Y)
    with pytest.raises(TableError, match="column 'q' must hold numbers"):
        clf.predict(frame.assign(q="x"))


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_nothing_is_predicted_before_fitting(method: str) -> None:
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(LogicClassifier(), method)(X)


@pytest.mark.parametrize("columns", [1, 2, 4])
def test_a_table_of_other_columns_is_not_predicted(
    columns: int, fitted: LogicClassifier
) -> None:
    says = f"X has {columns} features, but LogicClassifier is expecting 3"
    with pytest.raises(ValueError, match=says):
        fitted.predict(some_table(5, columns))


@pytest.mark.parametrize("bad", [np.full((2, 3), np.inf), np.empty((0, 3))])
def test_what_cannot_be_learned_from_cannot_be_predicted(
    bad: Floats, fitted: LogicClassifier
) -> None:
    with pytest.raises(ValueError, match=r"infinity|0 sample"):
        fitted.predict(bad)


# --- parameters -------------------------------------------------------------------------------

COUNT = "a whole number of at least 1"
AMOUNT = "a finite number, 0 or more"
COUNTS: tuple[Any, ...] = (0, -1, 1.5, "3", True)
AMOUNTS: tuple[Any, ...] = (-1, "0.1", None, math.nan, math.inf)
PARAMETERS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "depth": ("a whole number from 1 to 13", (*COUNTS, None, 14)),
    "width": (COUNT, (*COUNTS, None)),
    "snapping": ("one of 'trained', 'nearest'", ("Trained", "", None, 3, ["nearest"])),
    "training": ("one of 'modern', 'paper'", ("adam", "", None, 3)),
    "epochs": (COUNT, (*COUNTS, None)),
    "batch_size": (f"{COUNT}, or 'auto'", (*COUNTS, None, "all")),
    "learning_rate": ("a finite number above 0", (0, *AMOUNTS)),
    "l1": (AMOUNT, AMOUNTS),
    "term_price": (AMOUNT, AMOUNTS),
    "validation_fraction": ("a number of at least 0 and below 1", (1, 1.5, *AMOUNTS)),
    "patience": (f"{COUNT}, or None", COUNTS),
    "predict_with": ("one of 'rules', 'network'", ("both", "", None, 3)),
}
WRONG = [(name, value) for name, (_, values) in PARAMETERS.items() for value in values]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_parameter_is_refused_by_name_with_what_is_allowed(
    name: str, value: Any
) -> None:
    needed = PARAMETERS[name][0]
    with pytest.raises(ValueError, match=f"^{name} must be {needed}, got ") as error:
        quick(**{name: value}).fit(X, Y)
    assert str(error.value).endswith(f"got {value!r}")


def test_every_parameter_has_values_that_are_refused() -> None:
    free = {"verbose", "random_state"}  # any truth value; what scikit-learn can seed from
    assert set(PARAMETERS) | free == set(LogicClassifier().get_params())


@pytest.mark.parametrize("seed", ["x", -1, 1.5])
def test_what_is_no_seed_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match=r"seed|Seed"):
        quick(random_state=seed).fit(X, Y)


def test_numpy_numbers_are_numbers() -> None:
    clf = quick(
        depth=np.int64(1), epochs=np.int32(2), l1=np.float32(0.001), patience=np.int8(9)
    )
    assert len(clf.fit(X, Y).history_) == 4


def test_what_predicts_is_checked_when_it_is_changed_after_fitting(
    fitted: LogicClassifier,
) -> None:
    clf = pickle.loads(pickle.dumps(fitted)).set_params(predict_with="network_")
    with pytest.raises(ValueError, match="predict_with must be one of 'rules', 'network'"):
        clf.predict(NEW)


# --- what is shown meanwhile ------------------------------------------------------------------


def test_fitting_and_predicting_print_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    quick(epochs=1).fit(X, Y).predict(NEW)
    assert capfd.readouterr() == ("", "")


def test_verbose_draws_a_bar_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "120"}.items():
        monkeypatch.setenv(name, value)
    quick(epochs=2, verbose=True).fit(X, Y)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "epoch 4/4" in captured.err
    assert "time left" in captured.err
