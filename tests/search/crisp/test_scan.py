"""A scan tells of every cut what the statement with that cut tells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic.search import CLASSIFICATION, REGRESSION, TrainingSet
from crisplogic.search.crisp.any_of import AnyOf
from crisplogic.search.crisp.checklist import Checklist
from crisplogic.search.crisp.literals import Literals
from crisplogic.search.crisp.objective import Objective
from crisplogic.search.crisp.path import move_to_rows
from crisplogic.search.crisp.scorecard import ClassCard, NumberCard
from crisplogic.search.crisp.statement import Literal, Statement, join

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(160, 4)).round(1)
X[RANDOM.random(X.shape) < 0.1] = np.nan
SUM = np.nan_to_num(X) @ [1.0, -1.0, 0.5, 0.0]
WEIGHTS = RANDOM.integers(1, 4, len(X)).astype(np.float64)
CLASSES = np.digitize(SUM, [-0.6, 0.6])


def two() -> Checklist:
    return Checklist(
        TrainingSet(X, (SUM > 0).astype(np.intp), ("a", "b"), CLASSIFICATION, weights=WEIGHTS)
    )


def objectives() -> Sequence[Objective]:
    return (
        two(),
        AnyOf(two()),
        AnyOf(two(), negated=True),
        ClassCard(TrainingSet(X, CLASSES, ("a", "b", "c"), CLASSIFICATION, weights=WEIGHTS)),
        NumberCard(TrainingSet(X, SUM, ("y",), REGRESSION, weights=WEIGHTS)),
    )


OBJECTIVES = objectives()
TABLE: Literals = OBJECTIVES[0].literals
literals = st.integers(0, 3).flatmap(
    lambda feature: st.builds(
        Literal,
        st.just(feature),
        st.sampled_from(TABLE.cuts[feature].tolist()),
        st.booleans(),
    )
)
statements = st.recursive(
    literals.map(lambda literal: Statement((literal,))),
    lambda parts: st.builds(join, st.sampled_from("&|^"), parts, parts),
    max_leaves=4,
)


@given(statements, st.data())
def test_a_cut_of_a_scan_counts_what_the_statement_with_that_cut_counts(
    statement: Statement, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, statement.size - 1))
    scan = TABLE.scan(statement, place, ())
    at = data.draw(st.integers(0, len(scan) - 1))
    expected = TABLE.values(scan.with_cut(at))
    assert np.array_equal(scan.values(at), expected)
    changed = WEIGHTS @ (expected != TABLE.values(statement))
    assert scan.changed(WEIGHTS)[at] == pytest.approx(changed)


@given(statements, st.lists(statements, max_size=2), st.data())
def test_cuts_are_allowed_if_their_statements_are_sensible(
    statement: Statement, others: list[Statement], data: st.DataObject
) -> None:
    if not TABLE.sensible([statement], others):
        return
    place = data.draw(st.integers(0, statement.size - 1))
    scan = TABLE.scan(statement, place, others)
    for at in range(len(scan)):
        moved = scan.with_cut(at)
        sensible = bool(TABLE.sensible([moved], others)) and moved != statement
        assert bool(scan.allowed[at]) == sensible


def least(losses: NDArray[np.float64]) -> float:
    return float(np.round(losses, 6).min())


@pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda each: type(each).__name__)
def test_the_least_loss_of_cuts_is_that_of_their_statements(objective: Objective) -> None:
    """Whether cuts are scanned, or written out as options, or looked at one by one."""
    first = Statement((Literal(0, 0.2),))
    pair = Statement((Literal(1, -0.3, True), Literal(2, 0.1)), "..&")
    for rest, statement in (((), first), ((first,), pair), ((pair,), first)):
        scans = [
            objective.literals.scan(statement, place, rest) for place in range(statement.size)
        ]
        written = [
            scan.with_cut(int(at)) for scan in scans for at in np.flatnonzero(scan.allowed)
        ]
        own = least(objective.losses(rest, (), scans))
        assert own == pytest.approx(least(objective.losses(rest, written)), abs=2e-6)
        both = objective.losses(rest, [statement], scans)
        assert len(both) == 1 + sum(map(len, scans))
        if isinstance(objective, Checklist):
            alone = [objective.loss((*rest, each)) for each in written]
            assert own == pytest.approx(min(alone), abs=2e-6)


def test_what_a_cut_has_to_gain_is_added_to_its_loss() -> None:
    for objective in OBJECTIVES:
        # Of two classes, a statement has to speak for the one that it is asked about.
        against = objective is OBJECTIVES[2]
        scan = objective.literals.scan(Statement((Literal(0, 0.2, against),)), 0, ())
        needed = np.linspace(0.0, 5.0, len(scan))
        plain = objective.losses((), (), [scan])
        found = objective.losses((), (), [scan], [needed])
        known = np.isfinite(found) & np.isfinite(plain)
        assert known.any()
        np.testing.assert_allclose(found[known] - plain[known], needed[known], atol=1e-6)


def test_a_cut_moves_to_the_roundest_number_that_parts_rows_alike() -> None:
    column = np.concatenate([np.linspace(0.0, 40.3, 100), np.linspace(41.9, 90.0, 100)])
    classes = (column > 41).astype(np.intp)
    objective = Checklist(TrainingSet(column[:, None], classes, ("a", "b"), CLASSIFICATION))
    (moved,) = move_to_rows(objective, (Statement((Literal(0, 39.0),)),))
    assert moved.literals == (Literal(0, 41.0),)
