"""Scorecards of PMML, as pypmml and jpmml-evaluator compute them."""

from __future__ import annotations

from pathlib import Path
from shutil import which
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
from tests.export.agreement import KINDS, assert_same
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


def evaluate(module: Any, path: Path, rules: RuleSet, rows: int) -> None:
    """Assert that jpmml-evaluator gives the answers of the library."""
    matrix = finite_rows(rules, rows)
    path.write_text(str(export(rules, "pmml")), encoding="utf-8")
    evaluator = module.make_evaluator(str(path)).verify()
    found = [evaluator.evaluate(row) for row in records(decode_matrix(rules, matrix))]
    assert_same(rules, matrix, answers(rules, found))


def test_a_scorecard_of_a_checklist_has_reason_codes() -> None:
    root = ET.fromstring(str(export(CLINIC, "pmml")).partition("\n")[2])
    codes = [each.get("reasonCode") for each in root.iter(f"{SPACE}Characteristic")]
    assert codes[0] == "glucose is above 127, and age is below 40"
    fields = [each.get("feature") for each in root.iter(f"{SPACE}OutputField")]
    assert fields == ["predictedValue", "transformedValue", *["reasonCode"] * 4]


def test_graded_rules_are_scores_that_are_computed() -> None:
    root = ET.fromstring(str(export(LEARNED, "pmml")).partition("\n")[2])
    named = {each.get("name"): each for each in root.iter(f"{SPACE}DerivedField")}
    scores = list(root.iter(f"{SPACE}ComplexPartialScore"))
    assert len(scores) == sum(len(total.terms) for total in make_program(LEARNED).sums)
    for node in (*scores, *named.values()):
        fields = {each.get("field") for each in node.iter(f"{SPACE}FieldRef")}
        assert fields <= {*named, *LEARNED.features}
    reasons = {each.get("reasonCode") for each in root.iter(f"{SPACE}Characteristic")}
    assert {each.words for each in make_program(LEARNED).statements} <= reasons


def test_a_column_may_have_the_name_of_a_field_of_ours() -> None:
    rules = CLINIC.rename({"glucose": "s1", "age": "score"})
    root = ET.fromstring(str(export(rules, "pmml")).partition("\n")[2])
    fields = ("DataField", "DerivedField", "OutputField")
    names = [each.get("name") for kind in fields for each in root.iter(f"{SPACE}{kind}")]
    assert len(names) == len(set(names))


def test_what_xml_cannot_hold_is_refused() -> None:
    with pytest.raises(ExportError, match="XML"):
        export(CLINIC.rename({"glucose": "\x1b[2J"}), "pmml")


def test_jpmml_gives_the_answers_of_the_library(tmp_path: Path, jpmml: Any) -> None:
    """Of crisp and graded rules, with neat intercepts or others."""
    plain = [(task, crisp, neat) for task, crisp, hostile, neat in KINDS if not hostile]
    for seed, (task, crisp, neat) in enumerate(plain):
        evaluate(jpmml, tmp_path / f"{seed}", rules_of(seed, task, crisp, neat=neat), 15)


def test_jpmml_gives_the_strongest_reasons_first(tmp_path: Path, jpmml: Any) -> None:
    path = tmp_path / "rules.pmml"
    path.write_text(str(export(CLINIC, "pmml")), encoding="utf-8")
    evaluator = jpmml.make_evaluator(str(path)).verify()
    found = evaluator.evaluate({"glucose": 130.0, "age": 30.0, "smoker": 0.0})
    assert found["reason_1"] == "glucose is above 127, and age is below 40"


@pytest.mark.slow
@pytest.mark.parametrize("neat", [True, False])
@pytest.mark.parametrize("crisp", [True, False])
@pytest.mark.parametrize("task", ["two", "several", "number"])
@pytest.mark.parametrize("seed", range(30, 33))
def test_jpmml_gives_the_answers_of_the_library_for_many_rows(
    tmp_path: Path, jpmml: Any, seed: int, task: str, crisp: bool, neat: bool
) -> None:
    evaluate(jpmml, tmp_path / "rules.pmml", rules_of(seed, task, crisp, neat=neat), 3000)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "crisp"), [("two", True), ("number", True), ("number", False)]
)
def test_pypmml_gives_the_answers_of_the_library_for_one_scorecard(
    task: str, crisp: bool
) -> None:
    """It has no outputs of the scorecards in a chain."""
    pypmml = pytest.importorskip("pypmml", reason="pypmml is not installed")
    for seed in (0, 4, 7):
        rules = rules_of(seed, task, crisp)
        matrix = finite_rows(rules, 1000)
        model = pypmml.Model.fromString(str(export(rules, "pmml")))
        found = [model.predict(row) for row in records(decode_matrix(rules, matrix))]
        assert_same(rules, matrix, answers(rules, found))


@pytest.fixture(scope="module")
def jpmml() -> Any:
    module = pytest.importorskip("jpmml_evaluator", reason="jpmml-evaluator is not installed")
    pytest.importorskip("jpype", reason="JPype is not installed")
    if which("java") is None:
        pytest.skip("Java is not installed")
    return module
