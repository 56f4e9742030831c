"""Decisions of DMN, whose FEEL is evaluated by feelin under node."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from numpy.typing import NDArray

from crisplogic.errors import ExportError
from crisplogic.export import export
from crisplogic.export.running.decisions import SPACE, texts_in
from crisplogic.rules import RuleSet
from tests.export.agreement import answers_of, assert_same, many_rows
from tests.export.generated import rows_of, rules_of
from tests.export.hostile import hostile_rules
from tests.rules.crisp_rules import CLINIC
from tests.rules.rule_sets import LEARNED


def decimal(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows whose numbers FEEL has, too: its decimals end."""
    found = np.where(np.isinf(matrix) | (np.abs(matrix) < 1e-300), 0.0, matrix)
    return np.where(np.abs(found) > 1e30, 1e9, found)


def assert_decided(rules: RuleSet, matrix: NDArray[np.float64]) -> None:
    matrix = decimal(matrix)
    assert_same(rules, matrix, answers_of("dmn", rules, matrix))


@pytest.mark.parametrize("task", ["two", "several", "number"])
def test_feelin_gives_the_answers_of_the_library(task: str) -> None:
    names = ("größe über 名前", "two\nlines", '</text>]]>"', "back\\slash")
    rules = hostile_rules(task, True, names)
    assert_decided(rules, rows_of(rules, 25))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 20))
@pytest.mark.parametrize("task", ["two", "several", "number"])
def test_feelin_gives_the_answers_of_the_library_for_many_rules(task: str, seed: int) -> None:
    rules = rules_of(seed, task, crisp=True)
    assert_decided(rules, rows_of(rules, 500))


@pytest.mark.slow
@pytest.mark.parametrize("case", [("class", "crisp"), ("number", "crisp")])
def test_feelin_gives_the_answers_of_the_library_for_many_rows(case: Any) -> None:
    assert_decided(*many_rows(case, 50_000))


def test_a_checklist_is_one_table_of_two_rows() -> None:
    root = ET.fromstring(str(export(CLINIC, "dmn")).partition("\n")[2])
    [table] = root.iter(f"{SPACE}decisionTable")
    assert texts_in(table, "./rule/inputEntry/text") == [">= 3", "-"]
    assert texts_in(table, "./rule/outputEntry/text") == ['"ill"', '"well"']
    labels = [each.get("label") for each in root.iter(f"{SPACE}decision")]
    assert labels[0] == "glucose is above 127, and age is below 40"


def test_every_requirement_leads_somewhere() -> None:
    for seed in range(6):
        rules = rules_of(seed, "several", crisp=True, hostile=True)
        try:
            text = str(export(rules, "dmn", proba=True))
        except ExportError:
            continue  # a name that XML cannot hold
        root = ET.fromstring(text.partition("\n")[2])
        known = {each.get("id") for each in root.iter()}
        needed = [each.get("href", "") for each in root.iter() if each.get("href")]
        assert needed
        assert {each.removeprefix("#") for each in needed} <= known


def test_a_column_may_have_the_name_of_a_decision_of_ours() -> None:
    rules = CLINIC.rename({"glucose": "score", "age": "score_1", "smoker": "probability_2"})
    root = ET.fromstring(str(export(rules, "dmn", proba=True)).partition("\n")[2])
    names = [each.get("name") for each in root if each.get("name")]
    assert len(names) == len(set(names))


def test_graded_rules_are_refused() -> None:
    with pytest.raises(ExportError, match="crisp"):
        export(LEARNED, "dmn")
