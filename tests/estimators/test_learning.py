"""LogicClassifier: what it learns, by our settings and by the paper's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from crisplogic import LogicClassifier
from crisplogic.datasets import Dataset, load_breast_cancer_wisconsin, load_vehicle
from crisplogic.expr import evaluate_all, parse, to_text
from crisplogic.snap import snap
from crisplogic.training.optim import SGD
from tests.estimators.samples import (
    NEW,
    X,
    Y,
    quick,
    some_table,
    state_of,
)

# --- learning ---------------------------------------------------------------------------------

BITS = np.random.default_rng(0).integers(0, 2, (64, 3)).astype(float)
CONCEPTS: dict[str, NDArray[np.bool_]] = {
    "xor": BITS[:, 0] != BITS[:, 1],
    "and": (BITS[:, 0] == 1) & (BITS[:, 1] == 1),
}


@pytest.mark.parametrize("concept", CONCEPTS)
def test_xor_and_and_are_learned_exactly_by_rules_that_a_person_can_read(concept: str) -> None:
    table = pd.DataFrame(BITS, columns=["left", "right", "noise"])
    labels = np.where(CONCEPTS[concept], "yes", "no")
    clf = quick().fit(table, labels)
    assert clf.score(table, labels) == 1.0
    assert clf.rules_.size <= 6
    assert "noise" not in str(clf.rules_)
    names = clf.rules_.names
    read = [parse(to_text(expr, names), names) for expr in clf.rules_.expressions]
    scores = evaluate_all(read, 2 * BITS - 1) + clf.rules_.intercepts  # bits as false and true
    assert np.array_equal(clf.classes_[scores.argmax(axis=1)], labels)


@pytest.mark.parametrize(("literals", "most"), [("graded", 6), ("crisp", 8)])
def test_a_sum_of_points_is_learned_exactly(
    literals: Any, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Statements of a checklist count once, so that two points need a second statement."""
    monkeypatch.setattr("crisplogic.search.crisp.search.FEW_LITERALS", 8)
    rows = np.random.default_rng(0).integers(0, 2, (200, 4)).astype(bool)
    table = pd.DataFrame(rows, columns=["a", "b", "c", "d"])
    labels = np.where((2 * rows - 1) @ [2, 1, 1, 1] > 0, "yes", "no")
    clf = LogicClassifier(literals=literals, max_literals=8, random_state=0)
    clf.fit(table, labels)
    assert clf.score(table, labels) == 1.0
    assert clf.rules_.size <= most


TABLES: dict[str, tuple[Callable[[], Dataset], float, float]] = {
    # The table, the least accuracy on new rows, and how much the rules may be worse: about
    # twice what was seen, and far from guessing.
    "breast cancer": (load_breast_cancer_wisconsin, 0.9, 0.06),
    "vehicle": (load_vehicle, 0.6, 0.15),
}


@pytest.mark.parametrize(
    ("load", "least", "margin"),
    [
        pytest.param(*values, id=name, marks=[pytest.mark.slow] if name == "vehicle" else [])
        for name, values in TABLES.items()
    ],
)
@pytest.mark.usefixtures("search_as_workers_do")
def test_on_new_rows_rules_are_about_as_good_as_the_network(
    load: Callable[[], Dataset], least: float, margin: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules of several classes need more literals than most tests search for."""
    data = load()
    most = 12 if len(set(data.y)) == 2 else 30
    monkeypatch.setattr("crisplogic.search.crisp.search.FEW_LITERALS", most)
    table, new, labels, new_labels = train_test_split(
        data.X, data.y, test_size=0.4, stratify=data.y, random_state=0
    )
    clf = LogicClassifier(random_state=0).fit(table, labels)
    by_rules = clf.score(new, new_labels)
    by_network = clf.set_params(predict_with="network").score(new, new_labels)
    assert by_network > least
    assert by_rules > by_network - margin


def test_nearest_snapping_rounds_the_network_as_the_paper_does() -> None:
    clf = quick(literals="graded", snapping="nearest", epochs=15, learning_rate=0.1).fit(X, Y)
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
        quick(literals="graded", snapping=how, epochs=15, folds=0).fit(X, Y)
        for how in ("nearest", "search")
    )
    assert state_of(nearest.network_) == state_of(trained.network_)
    assert trained.snap_report_.rules_error < nearest.snap_report_.rules_error + 0.05
    assert max(np.abs(level.weight).max() for level in trained.snap_report_.levels) > 0.5


def test_a_greater_penalty_makes_smaller_rules() -> None:
    table = some_table(120, 5)
    labels = np.where(table[:, 0] + table[:, 1] > table[:, 2] + 20, "a", "b")
    sizes = [
        max(
            p.size
            for p in quick(literals="graded", literal_penalty=penalty, epochs=20, folds=0)
            .fit(table, labels)
            .frontier_
        )
        for penalty in (0.0, 0.01, 10.0)
    ]
    assert sizes[0] > sizes[2] == 0  # the last is more than the loss of guessing
    assert sizes[0] >= sizes[1] > 0


def test_a_greater_l1_makes_smaller_weights() -> None:
    cheap, dear = (
        quick(l1=penalty, epochs=8, folds=0).fit(X, Y).network_.l1().item()
        for penalty in (0.0, 1.0)
    )
    assert dear < cheap / 2


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_every_depth_predicts(depth: int) -> None:
    clf = quick(depth=depth, width=3, epochs=2).fit(X, Y)
    assert set(clf.predict(NEW)) <= {"a", "b"}
    assert clf.network_.depth == depth
    assert len(clf.snap_report_.levels) == depth


@pytest.mark.parametrize("depth", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_graded_rules_of_several_levels_learn_what_pairs_cannot(depth: int) -> None:
    bits = np.random.default_rng(0).integers(0, 2, (200, 4)).astype(float)
    labels = bits[:, :3].sum(axis=1) % 2
    clf = LogicClassifier(
        literals="graded", depth=depth, folds=0, random_state=0, restarts=2, max_literals=12
    )
    assert clf.fit(bits, labels).score(bits, labels) > 0.9
    assert clf.rules_.size <= 12
    flat = clf.set_params(depth=1).fit(bits, labels)
    assert flat.score(bits, labels) < 0.9


@pytest.mark.parametrize("literals", ["graded", "crisp"])
def test_two_levels_contain_one_unless_memberships_are_the_papers(literals: Any) -> None:
    for memberships, skip in (("auto", True), ("linear", False)):
        clf = quick(depth=2, width=3, epochs=1, literals=literals, memberships=memberships)
        assert clf.fit(X, Y).network_.skip == skip


def test_patience_and_validation_are_handed_on() -> None:
    clf = quick(epochs=50, patience=1, validation_fraction=0.3, learning_rate=0.5).fit(X, Y)
    assert len(clf.history_) < 100
    assert all(epoch.validation_loss is not None for epoch in clf.history_)


@pytest.mark.parametrize(
    ("rows", "batch_size", "steps"),
    [(60, "auto", 12), (60, 25, 3), (5, "auto", 5), (60, 999, 1)],
)
def test_batches_are_as_large_as_said(
    rows: int, batch_size: int | str, steps: int, steppers: list[SGD]
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
    steppers: list[SGD],
) -> None:
    clf = LogicClassifier.as_in_paper(epochs=2, random_state=0).fit(X, Y)
    assert (clf.network_.depth, clf.network_.width) == (2, 8)
    assert not clf.network_.skip
    assert clf.network_.log_scale == 0  # squared error leaves it alone
    assert clf.rules_.rules == snap(clf.network_, ["x0", "x1", "x2"], ["a", "b"]).rules
    assert len(clf.history_) == 2
    assert [type(stepper) for stepper in steppers] == [SGD] * 2 * len(X)


@pytest.mark.slow
def test_the_papers_own_run_learns_well_and_loses_it_all_by_rounding() -> None:
    data = load_breast_cancer_wisconsin()
    table, new, labels, expected = train_test_split(
        data.X, data.y, test_size=0.3, stratify=data.y, random_state=0
    )
    clf = LogicClassifier.as_in_paper(random_state=0).fit(table, labels)
    assert clf.snap_report_.rules_error > 0.2
    assert clf.set_params(predict_with="network").score(new, expected) > 0.94
