"""Scorecards of PMML, as pypmml and jpmml-evaluator compute them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from crisplogic.errors import ExportError
from crisplogic.export import export
from crisplogic.export.from_rules import make_program
from crisplogic.export.program import Greatest
from crisplogic.export.running.rows import Answers, RawRows, decode_matrix
from crisplogic.rules import RuleSet
from crisplogic.rules.scoring import softmax
from tests.export.agreement import assert_same
from tests.export.generated import rows_of, rules_of
from tests.rules.crisp_rules import CLINIC
from tests.rules.rule_sets import LEARNED

SPACE = "{http://www.dmg.org/PMML-4_4}"


def finite_rows(rules: RuleSet, count: int) -> Any:
    matrix = rows_of(rules, count)
    matrix[np.isinf(matrix)] = 1e300  # evaluators differ in what they make of infinity
    return matrix


def records(rows: RawRows) -> list[dict[str, Any]]:
    """Rows without the missing values: what is absent is missing."""
    return [
        {name: value for name, value in row.items() if value is not None and value == value}
        for row in rows.records()
    ]


def answers(rules: RuleSet, found: list[dict[str, Any]]) -> Answers:
    program = make_program(rules)
    if not program.labels:
        return Answers([float(each["prediction"]) for each in found])
    outcome: Any = program.outcome
    labels = {str(label): label for label in program.labels}
    if isinstance(outcome, Greatest):
        names = [f"points_{at + 1}" for at in range(len(program.labels))]
        sums = np.array([[float(each[name]) for name in names] for each in found])
        chances = softmax(outcome.slope * sums + np.array(outcome.shifts))
        return Answers([labels[each["prediction"]] for each in found], chances)
    scores = np.array([float(each["score"]) for each in found])
    chance = 1 / (1 + np.exp(-outcome.slope * (scores - outcome.even)))
    both = [chance, 1 - chance]
    if outcome.labels[0] != outcome.positive:
        both.reverse()
    return Answers([labels[each["prediction"]] for each in found], np.stack(both, axis=1))


SEEDS = [(seed, task) for seed in (0, 2, 4, 7) for task in ("two", "several", "number")]


def test_a_scorecard_of_a_checklist_has_reason_codes() -> None:
    root = ET.fromstring(str(export(CLINIC, "pmml")).partition("\n")[2])
    codes = [each.get("reasonCode") for each in root.iter(f"{SPACE}Characteristic")]
    assert codes[0] == "glucose is above 127, and age is below 40"
    fields = [each.get("feature") for each in root.iter(f"{SPACE}OutputField")]
    assert fields == ["predictedValue", "transformedValue", *["reasonCode"] * 4]


def test_what_is_no_scorecard_is_refused() -> None:
    with pytest.raises(ExportError, match="crisp"):
        export(LEARNED, "pmml")
    with pytest.raises(ExportError, match="multiples of a quarter"):
        export(rules_of(1, "several", crisp=True, neat=False), "pmml")
    with pytest.raises(ExportError, match="XML"):
        export(CLINIC.rename({"glucose": "\x1b[2J"}), "pmml")


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "task"), SEEDS)
def test_jpmml_gives_the_answers_of_the_library(
    tmp_path: Path, jpmml: Any, seed: int, task: str
) -> None:
    rules = rules_of(seed, task, crisp=True)
    matrix = finite_rows(rules, 300)
    path = tmp_path / "rules.pmml"
    path.write_text(str(export(rules, "pmml")), encoding="utf-8")
    evaluator = jpmml.make_evaluator(str(path)).verify()
    found = [evaluator.evaluate(row) for row in records(decode_matrix(rules, matrix))]
    assert_same(rules, matrix, answers(rules, found))


@pytest.mark.slow
def test_jpmml_gives_the_strongest_reasons_first(tmp_path: Path, jpmml: Any) -> None:
    path = tmp_path / "rules.pmml"
    path.write_text(str(export(CLINIC, "pmml")), encoding="utf-8")
    evaluator = jpmml.make_evaluator(str(path)).verify()
    found = evaluator.evaluate({"glucose": 130.0, "age": 30.0, "smoker": 0.0})
    assert found["reason_1"] == "glucose is above 127, and age is below 40"


@pytest.fixture(scope="module")
def jpmml() -> Any:
    module = pytest.importorskip("jpmml_evaluator", reason="jpmml-evaluator is not installed")
    pytest.importorskip("jpype", reason="JPype is not installed")
    return module
