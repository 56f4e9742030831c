"""Crisp rules predict in whole numbers of few bytes, exactly what the slow way does."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from crisplogic import threads
from crisplogic.expr import Expr, parse
from crisplogic.expr.program import CRISP_CHUNK_ROWS, Program, evaluate_all
from crisplogic.rules import (
    ClassificationRules,
    Flag,
    Level,
    Missing,
    RegressionRules,
    Rule,
    Step,
    ruleset,
)
from crisplogic.rules.scoring import split_intercept
from crisplogic.tables import ColumnMatrix, Levels, as_columns
from crisplogic.threads import run_in_threads
from tests.tables.frames import FRAMES

Floats = NDArray[np.float64]

FEATURES = ("a", "b", "c", "d")
MEMBERSHIPS = (
    Step(0, 0.5),
    Step(0, 0.1 + 0.2),
    Step(1, -1.0),
    Missing(1),
    Flag(2),
    Level(3, 1, "red"),
    Level(3, 2, "blue"),
)
LEVELS = (None, None, None, Levels(("green", "red", "blue")))
INPUTS = len(MEMBERSHIPS)

cells = st.sampled_from([-1.0, 0.0, 0.5, np.float32(0.3), 0.1 + 0.2, 1.0, 2.0, np.inf, np.nan])
logic = st.recursive(
    st.integers(0, INPUTS - 1).map(str),
    lambda parts: (
        parts.map("~({})".format)
        | st.tuples(parts, parts).map(lambda two: f"({two[0]} & {two[1]})")
        | st.tuples(parts, parts).map(lambda two: f"({two[0]} | {two[1]})")
        | st.tuples(parts, parts).map(lambda two: f"({two[0]} ^ {two[1]})")
    ),
    max_leaves=5,
)
signed = st.tuples(st.sampled_from(["", "~"]), logic).map("".join)
sums = st.lists(signed, min_size=1, max_size=6).map(" + ".join)
tables = hnp.arrays(np.float64, st.tuples(st.integers(0, 12), st.just(4)), elements=cells)


def rules_of(texts: list[str], intercepts: list[float]) -> ClassificationRules:
    rules = tuple(Rule(f"class {at}", parse(text)) for at, text in enumerate(texts))
    return ClassificationRules(
        FEATURES, MEMBERSHIPS, rules, 1.0, tuple(intercepts), LEVELS, crisp=True
    )


def slow_scores(rules: ClassificationRules, table: Floats) -> Floats:
    exprs: list[Expr] = [each.expression for each in rules.rules]
    values = evaluate_all(exprs, rules.degrees(table, coded=True), crisp=True)
    whole, rest = np.array([split_intercept(each) for each in rules.intercepts]).T
    scores: Floats = (values + whole) + rest
    return scores


@given(
    st.lists(sums, min_size=2, max_size=4),
    st.lists(st.sampled_from([0.0, -0.5, 1.5, 0.1, 40000.0]), min_size=4, max_size=4),
    tables,
)
def test_crisp_rules_predict_what_the_slow_way_does(
    texts: list[str], intercepts: list[float], table: Floats
) -> None:
    rules = rules_of(texts, intercepts[: len(texts)])
    expected = slow_scores(rules, table)
    assert rules.scores(table, coded=True).tolist() == expected.tolist()
    winners = [f"class {at}" for at in expected.argmax(axis=1)] if len(table) else []
    for same in (table, np.asfortranarray(table)):
        assert rules.predict(same, coded=True).tolist() == winners


@given(sums, tables)
def test_single_precision_needs_no_copy_and_changes_no_answer(text: str, table: Floats) -> None:
    single = table.astype(np.float32)
    rules = rules_of([text, "unknown"], [0.0, 0.5])
    double = single.astype(np.float64)
    assert rules.scores(single, coded=True).tolist() == slow_scores(rules, double).tolist()
    assert rules._matrix(single, coded=True) is single


def test_a_table_of_floats_in_single_precision_is_not_copied() -> None:
    high, other = Rule("high", parse("0")), Rule("other", parse("unknown"))
    rules = ClassificationRules(FEATURES[:2], (Step(1, 0.5),), (high, other), crisp=True)
    table = np.zeros((1000, 2), dtype=np.float32)
    assert rules._matrix(table, coded=False) is table
    with pytest.raises(ValueError, match="the rules need a table of shape"):
        rules.predict(np.zeros((3, 5), dtype=np.float32))


@pytest.mark.parametrize("rows", [CRISP_CHUNK_ROWS - 1, CRISP_CHUNK_ROWS, CRISP_CHUNK_ROWS + 3])
def test_chunks_of_crisp_rules_make_up_all_rows(rows: int) -> None:
    generator = np.random.default_rng(0)
    table = generator.choice([0.0, 0.5, 1.0, 2.0], (rows, 4))
    table[generator.integers(0, rows, 9), 0] = np.nan
    rules = rules_of(["0 + (2 & 4) + ~(5 ^ 1)", "6 + ~0", "unknown"], [0.5, 0.0, 1.0])
    assert rules.scores(table, coded=True).tolist() == slow_scores(rules, table).tolist()


@pytest.mark.parametrize(("terms", "dtype"), [(127, "i1"), (128, "i2"), (40_000, "f8")])
def test_sums_of_many_terms_do_not_overflow(terms: int, dtype: str) -> None:
    text = " + ".join(["0"] * terms)
    assert Program([parse(text)], crisp=True).dtype == np.dtype(dtype)
    rules = rules_of([text, "unknown"], [0.5, 0.0])
    table = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [np.nan, 0.0, 0.0, 0.0]])
    assert rules.scores(table, coded=True)[:, 0].tolist() == [terms + 0.5, 0.5 - terms, 0.5]
    assert rules.predict(table, coded=True).tolist() == ["class 0", "class 1", "class 0"]


def test_values_never_seen_are_unknown_and_warned_of() -> None:
    rules = rules_of(["5", "unknown"], [0.0, 0.5])
    table = [[0.0, 0.0, 0.0, colour] for colour in ["red", "Red", "green"] * 20]
    with pytest.warns(UserWarning, match="20 of 60 rows in 'd'"):
        predicted = rules.predict(table)
    assert predicted.tolist() == ["class 0", "class 1", "class 1"] * 20


def test_numbers_are_predicted_in_the_same_way() -> None:
    rule = Rule("price", parse("0 + 0 + ~(2 | 3)"))
    rules = RegressionRules(FEATURES, MEMBERSHIPS, (rule,), 0.25, (3.0,), LEVELS, crisp=True)
    table = np.array([[1.0, np.nan, 0.0, 0.0], [np.nan, 0.0, 0.0, 0.0]])
    assert rules.predict(table, coded=True).tolist() == [
        3.0 + 0.25 * (2 - 1),
        3.0 + 0.25 * (0 - 1),
    ]


def test_rows_are_divided_among_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ruleset, "MIN_ROWS_PER_THREAD", 100)
    monkeypatch.setattr(threads, "available_cores", lambda: 3)
    rules = rules_of(["0 + 2", "6"], [0.5, 0.0])
    generator = np.random.default_rng(0)
    table = [
        [*generator.normal(size=3), colour]
        for colour in generator.choice(["red", "blue", "mauve"], 1000)
    ]
    seen = set()

    def use(rows: slice) -> None:
        seen.add(threading.get_ident())

    run_in_threads(use, 1000)
    assert threading.get_ident() not in seen
    with pytest.warns(UserWarning, match="'mauve'") as divided:
        predicted = rules.predict(table)
    monkeypatch.setattr(threads, "available_cores", lambda: 1)
    with pytest.warns(UserWarning, match="'mauve'") as together:
        assert rules.predict(table).tolist() == predicted.tolist()
    assert str(divided[0].message) == str(together[0].message)


def test_an_error_in_a_thread_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "available_cores", lambda: 2)

    def fail(rows: slice) -> None:
        raise RuntimeError(f"rows from {rows.start}")

    with pytest.raises(RuntimeError, match="rows from 0"):
        run_in_threads(fail, 10)


@pytest.mark.parametrize(("allowed", "most"), [("1", 1), ("0", 1), ("x", 4), ("", 4), ("2", 2)])
def test_the_threads_of_a_process_are_bounded(
    monkeypatch: pytest.MonkeyPatch, allowed: str, most: int
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(4)), raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", allowed)
    assert threads.available_cores() == most


@pytest.mark.parametrize("made", FRAMES.values(), ids=FRAMES)
def test_columns_of_a_data_frame_are_predicted_where_they_are(made: Callable[..., Any]) -> None:
    generator = np.random.default_rng(0)
    columns = {name: generator.normal(size=50) for name in ("b", "a", "other")}
    high, other = Rule("high", parse("0 & ~1")), Rule("other", parse("unknown"))
    steps = Step(0, 0.1), Step(1, 0.3)
    rules = ClassificationRules(("a", "b"), steps, (high, other), crisp=True)
    array = np.column_stack([columns["a"], columns["b"]])
    frame = made(columns)
    assert rules.predict(frame).tolist() == rules.predict(array).tolist()
    assert rules.scores(frame).tolist() == rules.scores(array).tolist()
    assert isinstance(rules._matrix(frame, coded=False), ColumnMatrix)


def test_numbers_of_polars_are_not_copied() -> None:
    values = np.random.default_rng(0).normal(size=1000)
    frame = pl.DataFrame({"a": values, "b": values})
    found = as_columns(frame, ["a", "b"], (), [1])
    assert np.shares_memory(found[:, 1], frame["b"].to_numpy())
    assert found[10:20][:, 1].tolist() == values[10:20].tolist()
    assert list(found.columns) == [1]
