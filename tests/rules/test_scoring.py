"""Scorer: chunk by chunk the scores and winners of an evaluation node by node."""

from __future__ import annotations

import pickle
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from crisplogic.expr import parse
from crisplogic.expr.program import CHUNK_ROWS
from crisplogic.rules import ClassificationRules, Membership, Ramp
from crisplogic.rules.scoring import Ramps, Scorer, winners
from tests.expr.by_node import value_by_node
from tests.rules.rule_sets import HEALTH, INF, LEARNED, NAN, finite, rule_sets, rules_of
from tests.strategies import INPUTS

Floats = NDArray[np.float64]

cells = st.floats() | st.sampled_from([-1.0, 0.0, 1.0, NAN])
MANY = rules_of(
    "(0 & 1) + ~(2 ^ 3) + 4", "~(0 & 1) + (1 | 4)", "tanh((2 ^ 3) + ~4)", "unknown", "~1"
)


def scores_by_node(rules: ClassificationRules, table: Floats) -> Floats:
    degrees = rules.degrees(table)
    values = [value_by_node(expr, degrees) for expr in rules.expressions]
    return np.stack(values, axis=1) + rules.intercepts


def labels_by_node(rules: ClassificationRules, table: Floats) -> list[Any]:
    return [rules.labels[winner] for winner in scores_by_node(rules, table).argmax(axis=1)]


@given(rule_sets(), hnp.arrays(np.float64, (5, INPUTS), elements=cells))
@settings(max_examples=200)
def test_scores_and_winners_are_those_of_an_evaluation_node_by_node(
    rules: ClassificationRules, table: Floats
) -> None:
    assert rules.scores(table).tolist() == scores_by_node(rules, table).tolist()
    assert rules.predict(table).tolist() == labels_by_node(rules, table)


@pytest.mark.parametrize(
    "rows", [0, 1, CHUNK_ROWS - 1, CHUNK_ROWS, CHUNK_ROWS + 1, 3 * CHUNK_ROWS]
)
def test_chunks_make_no_difference(rows: int) -> None:
    rng = np.random.default_rng(rows)
    table = rng.uniform(-1.5, 1.5, (rows, INPUTS))
    table[rng.random(table.shape) < 0.01] = NAN
    assert MANY.scores(table).tolist() == scores_by_node(MANY, table).tolist()
    assert MANY.predict(table).tolist() == labels_by_node(MANY, table)
    odds = MANY.probabilities(scores_by_node(MANY, table))
    np.testing.assert_allclose(MANY.predict_proba(table), odds, rtol=0, atol=1e-15)


@pytest.mark.parametrize("row", [0, CHUNK_ROWS - 1, CHUNK_ROWS])
def test_a_missing_value_is_unknown_in_whatever_chunk_it_is(row: int) -> None:
    table = np.ones((CHUNK_ROWS + 1, INPUTS))
    table[row] = NAN
    assert (rules_of("0", "~0").scores(table) == 0).all(axis=1).nonzero()[0].tolist() == [row]


def test_rows_with_equal_scores_go_to_the_first_class() -> None:
    rules = rules_of("(0 & 1) + 2", "2 + (1 & 0)", "~(~0 | ~1) + 2", "0 ^ 1")
    table = np.random.default_rng(0).uniform(-1, 1, (1000, INPUTS))
    table[::2] = table[::2].round()
    scores = scores_by_node(rules, table)
    assert len(np.unique(scores[:, :3] - scores[:, :1])) == 1  # whatever the row
    assert rules.predict(table).tolist() == scores.argmax(axis=1).tolist()


@given(hnp.arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(0, 9)), elements=cells))
def test_winners_are_the_first_of_the_greatest(scores: Floats) -> None:
    scores = np.nan_to_num(scores)
    assert winners(scores).tolist() == scores.argmax(axis=0).tolist()


@pytest.mark.parametrize("classes", [2, 255, 256, 257, 1000])
def test_there_may_be_any_number_of_classes(classes: int) -> None:
    assert winners(np.eye(classes)).tolist() == list(range(classes))
    assert winners(np.zeros((classes, 2))).tolist() == [0, 0]


def test_columns_that_no_rule_mentions_are_not_looked_at() -> None:
    scorer = Scorer(MANY.memberships, [parse("1")], [0.0])
    ((_, scores),) = scorer.scores(np.array([[NAN, 0.5, NAN, NAN, NAN]]))
    assert scores.tolist() == [[0.5]]


@pytest.mark.parametrize(
    "method",
    [
        ClassificationRules.scores,
        ClassificationRules.predict,
        ClassificationRules.predict_proba,
    ],
)
def test_the_memory_does_not_grow_with_the_rows(
    method: Callable[[ClassificationRules, Any], NDArray[Any]],
) -> None:
    peaks = []
    for size in (4, 40):
        table = np.zeros((size * CHUNK_ROWS, INPUTS))
        table[5] = NAN
        method(MANY, table[:1])
        tracemalloc.start()
        result = method(MANY, table)
        peaks.append(tracemalloc.get_traced_memory()[1] - result.nbytes)
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 10_000 < 40 * 8 * CHUNK_ROWS


def test_predicting_leaves_nothing_behind_that_equality_or_pickles_would_see() -> None:
    fresh = pickle.dumps(HEALTH)
    HEALTH.predict([[1.0, 2.0]])
    assert pickle.dumps(HEALTH) == fresh
    again = pickle.loads(fresh)
    assert again == HEALTH
    assert again.predict([[190.0, 70.0]]).tolist() == ["ill"]


def test_saved_rules_predict_in_a_process_that_has_numpy_alone(tmp_path: Path) -> None:
    LEARNED.save(tmp_path / "rules.json")
    code = (
        "import sys, crisplogic; from sys import argv;"
        "print(crisplogic.RuleSet.load(argv[1]).predict([[170.0, 20.0]])[0]);"
        "print([name for name in ('torch', 'sklearn', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "rules.json")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split("\n")[:2] == ["ill", "[]"]


# --- ramps: many memberships at once have the degrees of each alone, bit for bit --------------

COLUMNS = 3

bounds = st.tuples(finite, finite) | st.tuples(st.integers(-3, 3), st.integers(-3, 3))
ramps = st.builds(
    lambda kind, feature, ends: kind(feature, *sorted(ends)),
    st.sampled_from([Membership, Ramp]),
    st.integers(0, COLUMNS - 1),
    bounds,
)


def degrees(memberships: list[Membership], table: Floats) -> Floats:
    out = np.empty((len(memberships), len(table)))
    Ramps(memberships).write(table, out)
    return out


@given(
    st.lists(ramps, max_size=6),
    hnp.arrays(np.float64, (4, COLUMNS), elements=st.floats() | st.integers(-3, 3).map(float)),
)
def test_they_are_those_of_each_membership_alone(
    memberships: list[Membership], table: Floats
) -> None:
    expected = [each.degree(table).tolist() for each in memberships]
    assert degrees(memberships, table).tolist() == expected


def test_at_and_between_the_ends_no_bit_differs_from_a_membership_alone() -> None:
    rng = np.random.default_rng(0)
    for low, width in rng.uniform(0.01, 9, (200, 2)).round(2):
        membership = Ramp(0, low, low + width)
        table = np.linspace(low - 0.1, low + width + 0.1, 101)[:, None]
        table = np.concatenate([table, [[low], [low + width], [NAN], [INF], [-INF], [-0.0]]])
        expected = membership.degree(table)
        assert degrees([membership], table)[0].tobytes() == expected.tobytes()


def test_a_negative_zero_is_zero() -> None:
    assert degrees([Ramp(0, -1.0, 1.0)], np.array([[-0.0]])).tobytes() == bytes(8)


def test_values_beyond_all_measure_overflow_without_a_word() -> None:
    table = np.array([[1.7e308], [-1.7e308]])
    for ramp in (Ramp(0, -1.7e308, -1.6e308), Ramp(0, 0.0, 1e-300)):
        assert degrees([ramp], table)[0].tolist() == ramp.degree(table).tolist()


def test_a_table_in_any_order_gives_the_same_and_stays_as_it_is() -> None:
    table = np.random.default_rng(0).uniform(-2, 2, (9, COLUMNS))
    memberships: list[Membership] = [Ramp(2, -1, 1), Ramp(0, -1, 1), Ramp(2, 0, 1)]
    before = table.copy()
    expected = degrees(memberships, table).tolist()
    for other in (np.asfortranarray(table), table[::-1][::-1], np.repeat(table, 2, 0)[::2]):
        assert degrees(memberships, other).tolist() == expected
    assert table.tolist() == before.tolist()


def test_no_memberships_have_no_degrees() -> None:
    assert degrees([], np.zeros((2, COLUMNS))).shape == (0, 2)
