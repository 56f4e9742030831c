"""Importance: what predictions depend on, measured by shuffling."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.expr import Expr, evaluate_all
from crisplogic.rules import ClassificationRules, Importances
from crisplogic.rules.analysis import importance
from tests.rules.rule_sets import (
    PATIENTS,
    PRICE,
    coded_tables,
    rule_sets,
    rules_of,
)
from tests.strategies import HOSTILE_NAMES, INPUTS

GENERATOR = np.random.default_rng(0)
TABLE = GENERATOR.choice([-1.0, 1.0], (400, INPUTS))
RULES = replace(rules_of("0 + 0 + (1 & 2)", "unknown", labels=("a", "b")), scale=1.0)


def by_name(found: Importances) -> dict[str, float]:
    return {each.name: each.change for each in found.columns}


def test_what_counts_more_is_more_important_and_what_is_not_mentioned_is_not_listed() -> None:
    found = by_name(RULES.importance(TABLE))
    assert set(found) == {"x0", "x1", "x2"}
    assert found["x0"] > 2 * max(found["x1"], found["x2"]) > 0


def test_a_column_that_never_varies_moves_nothing() -> None:
    table = TABLE.copy()
    table[:, 0] = 1.0
    assert by_name(RULES.importance(table))["x0"] == 0


def test_a_number_moves_by_what_the_shuffled_term_adds() -> None:
    # Rooms are above or below the threshold, half and half: shuffled, half of the rows change.
    houses = np.tile([[8.0, 5.0, 1.0], [5.0, 5.0, 1.0]], (2000, 1))
    found = PRICE.importance(houses)
    assert found.columns[0].name == "rooms"
    assert found.columns[0].change == pytest.approx(PRICE.scale, rel=0.1)
    assert [each.change for each in found.columns[1:]] == [0, 0]


def test_the_effect_is_by_how_much_the_error_rises() -> None:
    truth = RULES.predict(TABLE)
    found = RULES.importance(TABLE, truth)
    for each in found:
        assert 0 <= each.effect <= 100 * each.change + 50
    assert found.columns[0].effect > 20  # every second row gets the other value
    assert all(math.isnan(each.effect) for each in RULES.importance(TABLE))
    prices = PRICE.importance([[8, 5, 1], [5, 5, 1]] * 50, [30.75, 22.5] * 50)
    assert prices.columns[0].effect > 1


def test_a_column_with_one_statement_is_as_important_as_it() -> None:
    found = PRICE.importance(GENERATOR.uniform(0, 12, (100, 3)))
    assert [each.change for each in found.columns] == [e.change for e in found.statements]


def test_the_statements_of_a_column_are_shuffled_together() -> None:
    patients = pd.DataFrame(
        {
            "glucose": [100.0, None, 170.0, 130.0] * 20,
            "smoker": [True, False] * 40,
            "eye colour": ["red", "light blue", "teal", None, "red"] * 16,
        }
    )
    found = PATIENTS.importance(patients)
    assert {each.name for each in found.columns} == {"glucose", "smoker", '"eye colour"'}
    names = {each.name for each in found.statements}
    assert names >= {"glucose>127±37", '"eye colour" is red'}


@given(rule_sets(), st.data())
@settings(max_examples=30)
def test_at_most_all_probability_moves(rules: ClassificationRules, data: st.DataObject) -> None:
    for each in rules.importance(data.draw(coded_tables(rules, rows=5))):
        assert 0 <= each.change <= 1 + 1e-9


def test_the_same_seed_gives_the_same_figures_and_weights_count() -> None:
    assert by_name(RULES.importance(TABLE)) == by_name(RULES.importance(TABLE))
    other = RULES.importance(TABLE, random_state=1)
    assert by_name(RULES.importance(TABLE)) != by_name(other)
    weights = np.zeros(len(TABLE))
    weights[:10] = 1.0
    assert by_name(RULES.importance(TABLE, sample_weight=weights))


def test_many_rows_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def counted(
        exprs: Sequence[Expr], degrees: NDArray[np.float64], crisp: bool
    ) -> NDArray[np.float64]:
        sizes.append(len(degrees))
        return evaluate_all(exprs, degrees, crisp)

    monkeypatch.setattr(importance, "MOST_ROWS", 100)
    monkeypatch.setattr(importance, "evaluate_all", counted)
    found = RULES.importance(np.tile(TABLE, (5, 1)))
    assert found.columns[0].name == "x0"
    assert sizes == [100] * len(sizes)
    assert sizes


def test_it_is_read_as_text_and_as_json() -> None:
    found = RULES.importance(TABLE, RULES.predict(TABLE))
    first, second = str(found).split("\n\n")
    assert first.splitlines()[0].split() == ["column", "change", "rise", "of", "error"]
    assert second.splitlines()[0].split()[0] == "statement"
    assert first.splitlines()[1].startswith("x0 ")
    document = json.loads(json.dumps(RULES.importance(TABLE).to_dict(), allow_nan=False))
    assert document["columns"][0]["name"] == "x0"
    assert document["columns"][0]["effect"] is None
    assert "change" in str(PRICE.importance([[8, 5, 1], [5, 5, 1]], [1.0, 2.0]))


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_hostile_names_are_written_as_in_rules(name: str) -> None:
    rules = rules_of("0", "unknown", features=(name, "other"))
    found = rules.importance([[1.0, 0.0], [-1.0, 0.0]])
    assert all(line.isprintable() for line in str(found).split("\n"))
    assert str(rules).splitlines()[0].endswith(found.statements[0].name)


def test_rules_without_statements_and_tables_without_rows() -> None:
    assert str(rules_of("unknown", "true").importance(TABLE)) == "no rule mentions any column"
    with pytest.raises(TableError, match="needs a table with rows"):
        RULES.importance(np.empty((0, INPUTS)))
