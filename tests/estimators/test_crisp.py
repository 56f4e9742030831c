"""Crisp rules are learned from any sensible table, and mean what is printed."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisplogic import LogicClassifier, LogicRegressor, RuleSet, cross_validate
from crisplogic.errors import RuleSizeWarning, TargetWarning
from tests.printed_words import PrintedWords

OPTIONS: dict[str, Any] = {
    "epochs": 1,
    "restarts": 1,
    "folds": 2,
    "max_literals": 5,
    "random_state": 0,
}


def a_table(rows: int = 60, seed: int = 0) -> pd.DataFrame:
    """Two columns of numbers, a truth value and a category, each with gaps."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 80, rows).astype(float),
            "dose": rng.normal(size=rows),
            "smoker": rng.random(rows) < 0.5,
            "colour": rng.choice(["red", "light blue", "green"], rows),
        }
    ).astype(object)
    return table.mask(rng.random(table.shape) < 0.1, None)


TABLE = a_table()
AGES = TABLE.age.fillna(50.0).astype(float).to_numpy()
TARGETS = {
    "two": np.where(AGES > 50, "ill", "well"),
    "three": np.array(["a", "b", "c"])[np.digitize(AGES, [40.0, 60.0])],
    "number": 2.0 * (AGES > 50) + np.arange(len(AGES)) % 3,
}


def fit(kind: str, **changes: Any) -> Any:
    estimator = LogicRegressor if kind == "number" else LogicClassifier
    return estimator(**{**OPTIONS, **changes})


def rows_of(table: pd.DataFrame) -> list[dict[str, object]]:
    gone = table.isna()
    return [
        {str(name): None if gone.at[at, name] else row[name] for name in table.columns}
        for at, row in table.iterrows()
    ]


def assert_means_what_is_printed(rules: RuleSet, table: pd.DataFrame) -> None:
    """A reader of the text alone predicts the same for every row."""
    printed = PrintedWords(str(rules))
    for row, predicted in zip(rows_of(table), rules.predict(table).tolist(), strict=True):
        read = printed.predict(row)
        if isinstance(predicted, str):
            assert read == predicted
        else:
            assert read == pytest.approx(predicted, rel=1e-9, abs=1e-9)


CELLS: dict[str, st.SearchStrategy[Any]] = {
    "number": st.one_of(st.floats(-100, 100), st.none()),
    "any size": st.sampled_from([1e300, -1e300, 1e-300, 5e-324, 0.0, 2.0**53, 1.5e308, None]),
    "integer": st.integers(0, 4),
    "constant": st.just(7.0),
    "truth": st.sampled_from([True, False, None]),
    "text": st.sampled_from(["red", "light blue", "other", None]),
}


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    rows = draw(st.integers(2, 16))
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=4))
    cells = {
        f"c{number}": draw(st.lists(CELLS[kind], min_size=rows, max_size=rows))
        for number, kind in enumerate(kinds)
    }
    cells["never the same"] = [float(row) for row in range(rows)]
    return pd.DataFrame(cells, dtype=object)


@given(st.data())
@settings(max_examples=6, deadline=None)
def test_any_sensible_table_is_learned_from_and_the_rules_mean_what_is_printed(
    data: st.DataObject,
) -> None:
    table = data.draw(tables())
    kind = data.draw(st.sampled_from(["two", "three", "number"]))
    cell = (
        st.floats(-9, 9)
        if kind == "number"
        else st.sampled_from("abc"[: 2 + (kind == "three")])
    )
    drawn = data.draw(st.lists(cell, min_size=len(table), max_size=len(table)))
    y = np.array(drawn if kind == "number" else ["a", "b", *drawn[2:]])
    weights = data.draw(st.one_of(st.none(), st.just(np.arange(1.0, len(table) + 1))))
    estimator = fit(kind, missing_literals=data.draw(st.booleans()), max_literals=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", RuleSizeWarning)
        warnings.simplefilter("ignore", TargetWarning)
        estimator.fit(table, y, sample_weight=weights)
    assert estimator.rules_.crisp
    np.testing.assert_array_equal(estimator.predict(table), estimator.rules_.predict(table))
    assert_means_what_is_printed(estimator.rules_, table)


@pytest.mark.parametrize("kind", TARGETS)
def test_rules_of_every_size_mean_what_is_printed(kind: str) -> None:
    fitted = fit(kind, missing_literals=True).fit(TABLE, TARGETS[kind])
    new = a_table(seed=1)
    for size in range(6):
        rules = fitted.rules_at(size)
        assert rules.crisp
        assert rules.size <= size
        assert_means_what_is_printed(rules, new)


@pytest.mark.usefixtures("search_as_workers_do")
@pytest.mark.parametrize("kind", TARGETS)
def test_processes_folds_files_and_checkpoints_give_the_same_rules(
    kind: str, tmp_path: Path
) -> None:
    y = TARGETS[kind]
    rules = fit(kind).fit(TABLE, y).rules_
    assert fit(kind, n_jobs=2).fit(TABLE, y).rules_ == rules
    kept = fit(kind).fit(TABLE, y, checkpoint=tmp_path / "kept")
    assert kept.rules_ == rules
    kept.save(tmp_path / "fitted")
    again = type(kept).load(tmp_path / "fitted")
    assert again.rules_ == rules
    assert again.literals == "crisp"
    (part,) = fit(kind).fit_parts(TABLE, y, [np.arange(len(TABLE))])
    assert part.rules_ == rules


@pytest.mark.parametrize("kind", TARGETS)
def test_cross_validation_learns_crisp_rules(kind: str) -> None:
    found = cross_validate(fit(kind), TABLE, TARGETS[kind], cv=2, return_estimator=True)
    assert all(each.rules_.crisp for each in found["estimator"])


@pytest.mark.parametrize("kind", TARGETS)
def test_a_weight_counts_as_so_many_rows(kind: str) -> None:
    """Of rows that say the opposite, the heavier ones win."""
    flags = np.tile([0.0, 1.0], 30)[:, None]
    heavy = np.arange(60) < 30
    table = np.hstack([flags, np.arange(60.0)[:, None] % 7])
    upward = flags[:, 0] == 1
    says_so = upward == heavy  # the first half says one thing, the second the opposite
    y: Any = says_so.astype(float)
    if kind != "number":
        y = np.where(says_so, "p", "q")
        if kind == "three":
            y = np.append(y[:-3], ["r"] * 3)
    for first, second in ((9.0, 1.0), (1.0, 9.0)):
        fitted = fit(kind, max_literals=1, tolerance=0).fit(
            table, y, sample_weight=np.where(heavy, first, second)
        )
        low, high = fitted.predict([[0.0, 3.0], [1.0, 3.0]]).tolist()
        if kind == "number":
            assert (high > low) == (first > second)
        else:
            assert (high, low) == (("p", "q") if first > second else ("q", "p"))


def test_a_decision_threshold_moves_how_many_have_to_hold() -> None:
    y = np.where((AGES > 60) | (np.arange(60) % 5 == 0), "ill", "well")
    rare = fit("two", decision_threshold=0.9, positive="ill").fit(TABLE, y)
    often = fit("two", decision_threshold=0.1, positive="ill").fit(TABLE, y)
    assert (rare.predict(TABLE) == "ill").sum() <= (often.predict(TABLE) == "ill").sum()
    for each in (rare, often):
        assert each.rules_.positive == "ill"
        assert_means_what_is_printed(each.rules_, TABLE)


@pytest.mark.parametrize("transform", ["log", "log1p"])
def test_the_logarithm_of_a_number_is_learned(transform: Any) -> None:
    """One threshold decides, except where the age is missing."""
    prices = np.where(AGES > 50, 1000.0, 10.0)
    reg = fit("number", target_transform=transform).fit(TABLE, prices)
    assert reg.score(TABLE, prices) > 0.9
    assert_means_what_is_printed(reg.rules_, TABLE)


def test_a_robust_loss_is_not_moved_by_one_number() -> None:
    y = np.where(AGES > 50, 10.0, 0.0) + np.arange(60) % 3
    far = y.copy()
    far[0] = 1e9
    reg = fit("number", loss="huber").fit(TABLE, far)
    assert np.abs(reg.predict(TABLE) - y)[1:].mean() < 3


def test_numbers_are_printed_without_long_fractions() -> None:
    text = fit("number").fit(TABLE, TARGETS["number"] + 1 / 3).rules_.to_text()
    assert not re.search(r"\d\.\d{6,}", text)
