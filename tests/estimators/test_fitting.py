"""LogicClassifier: what fitting leaves, and what predictions come from."""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.exceptions import NotFittedError

import crisplogic.estimators.base
from crisplogic import ClassificationRules, LogicClassifier
from crisplogic.errors import DivergedError, TableError
from crisplogic.nn import LogicNetwork
from crisplogic.rules.metrics import best_scale
from tests.estimators.samples import (
    NEW,
    X,
    Y,
    digest_of,
    quick,
    some_labels,
    some_table,
    state_of,
)

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
    rules = ClassificationRules.from_json(fitted.rules_.to_json())
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
    assert [epoch.phase for epoch in fitted.history_] == ["soft"] * 3
    assert isinstance(fitted.rules_, ClassificationRules)
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


def test_rules_by_rounding_are_as_sure_as_fits_the_training_rows_best() -> None:
    rules = quick(snapping="nearest", l1=0.0).fit(X, Y).rules_
    targets = (Y == "b").astype(np.intp)
    assert rules.scale == best_scale(rules.scores(X), targets) != 1.0


def test_pure_rules_have_neither_intercepts_nor_a_scale() -> None:
    for how in ("search", "nearest"):
        rules = quick(pure=True, literals="graded", snapping=how, folds=0).fit(X, Y).rules_
        assert rules.scale == 1.0
        assert set(rules.intercepts) == {0.0}


def test_pure_rules_are_graded() -> None:
    for how in ("search", "straight_through", "nearest"):
        with pytest.raises(ValueError, match="literals must be 'graded' where rules are pure"):
            quick(pure=True, snapping=how).fit(X, Y)
    paper = LogicClassifier.as_in_paper(epochs=1).fit(X, Y)
    assert not paper.rules_.crisp


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
    "dates": (TableError, {}, FOUR_COLUMNS.assign(q=pd.Timestamp(0)), Y),
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
        monkeypatch.setattr(crisplogic.estimators.base, "choose_point", interrupted)
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
    "restarts": 2,
    "folds": 2,
    "max_literals": 3,  # larger statements are screened at this depth
    "random_state": 5,
}
SECOND_PROCESS = """
import sys
sys.path[:0] = {path!r}
import pytest
from crisplogic import LogicClassifier
from tests.estimators.samples import X, Y, digest_of
from tests.short_paths import shorten_paths
shorten_paths(pytest.MonkeyPatch())
print(digest_of(LogicClassifier(**{seeded!r}).fit(X, Y)))
"""


@pytest.fixture(scope="module")
def seeded() -> LogicClassifier:
    return LogicClassifier(**SEEDED).fit(X, Y)


def test_the_same_seed_learns_the_same_bit_for_bit(seeded: LogicClassifier) -> None:
    first, second = seeded, LogicClassifier(**SEEDED).fit(X, Y)
    assert state_of(first.network_) == state_of(second.network_)
    assert first.rules_ == second.rules_
    assert first.history_ == second.history_


def test_another_process_learns_the_same_bit_for_bit(seeded: LogicClassifier) -> None:
    root = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    code = SECOND_PROCESS.format(path=[root], seeded=SEEDED)
    digests = subprocess.run(
        [sys.executable, "-c", code],
        env={
            **os.environ,
            "PYTHONHASHSEED": "77",  # the order of sets is another one there
            "OMP_NUM_THREADS": str(torch.get_num_threads()),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert digests.stdout.split() == [digest_of(seeded)]


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


# --- parameters -------------------------------------------------------------------------------

COUNT = "a whole number of at least 1"
AMOUNT = "a finite number, 0 or more"
COUNTS: tuple[Any, ...] = (0, -1, 1.5, "3", True)
AMOUNTS: tuple[Any, ...] = (-1, "0.1", None, math.nan, math.inf)
PARAMETERS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "depth": ("a whole number from 1 to 13 or 'auto'", (*COUNTS, None, 14)),
    "width": (COUNT, (*COUNTS, None)),
    "snapping": (
        "one of 'search', 'straight_through', 'nearest'",
        ("Search", "", None, 3, ["nearest"]),
    ),
    "training": ("one of 'modern', 'paper'", ("adam", "", None, 3)),
    "epochs": (f"{COUNT}, or 'auto'", (*COUNTS, None)),
    "batch_size": (f"{COUNT}, or 'auto'", (*COUNTS, None, "all")),
    "learning_rate": ("a finite number above 0", (0, *AMOUNTS)),
    "l1": (AMOUNT, AMOUNTS),
    "literal_penalty": (AMOUNT, AMOUNTS),
    "memberships": (f"{COUNT}, 'auto' or 'linear'", (*COUNTS, None, "Linear")),
    "max_literals": (f"{COUNT}, or None", COUNTS),
    "max_columns": (f"{COUNT}, or None", COUNTS),
    "tolerance": (AMOUNT, AMOUNTS),
    "restarts": (COUNT, (*COUNTS, None)),
    "folds": ("0 or a whole number above 1", (1, -1, 1.5, "3", None)),
    "validation_fraction": ("a number of at least 0 and below 1", (1, 1.5, *AMOUNTS)),
    "patience": (f"{COUNT}, or None", COUNTS),
    "class_weight": (
        "None, 'balanced' or a dictionary of classes and what each of their rows counts",
        ("Balanced", "", 2, [1, 2], True),
    ),
    "literals": ("one of 'crisp', 'graded'", ("fuzzy", "Crisp", "", None, True)),
    "device": ("one of 'auto', 'cpu', 'cuda'", ("gpu", "", None, 0)),
    "precision": ("one of 'float32', 'tf32'", ("bf16", "", None, 32)),
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
    free = {
        "compare_literals",
        "missing_literals",
        "pure",
        "n_jobs",
        "verbose",
        "random_state",
    }  # truth values; what scikit-learn can seed from
    of_the_domain = {  # see test_constraints.py and test_targets.py
        "cuts",
        "decision_threshold",
        "operators",
        "positive",
        "forbidden_columns",
        "monotone",
        "allowed_pairs",
        "forbidden_pairs",
        "max_literals_per_class",
    }
    assert set(PARAMETERS) | free | of_the_domain == set(LogicClassifier().get_params())


@pytest.mark.parametrize("seed", ["x", -1, 1.5])
def test_what_is_no_seed_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match=r"seed|Seed"):
        quick(random_state=seed).fit(X, Y)


def test_numpy_numbers_are_numbers() -> None:
    clf = quick(
        depth=np.int64(1), epochs=np.int32(2), l1=np.float32(0.001), patience=np.int8(9)
    )
    assert len(clf.fit(X, Y).history_) == 2


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
    assert "step 5/5" in captured.err  # 2 epochs, and a path for all rows and each of 2 folds
    assert "time left" in captured.err


# --- wherever it is called from ---------------------------------------------------------------


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_fitting_learns_where_gradients_are_switched_off(mode: Callable[[], Any]) -> None:
    with mode():
        clf = quick().fit(X, Y)
    assert digest_of(clf) == digest_of(quick().fit(X, Y))


def test_numpy_numbers_are_parameters_too() -> None:
    names = ("depth", "width", "epochs", "batch_size", "memberships", "max_literals")
    counts = {name: np.int64(3) for name in (*names, "restarts", "folds")}
    amounts = {name: np.float32(0.01) for name in ("learning_rate", "l1", "literal_penalty")}
    clf = quick(**counts, **amounts, patience=np.int32(2)).fit(X, Y)
    assert set(clf.predict(NEW)) <= {"a", "b"}
