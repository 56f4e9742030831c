"""Scorecards of PMML, as jpmml-evaluator and pypmml compute them."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from crisplogic.errors import ExportError
from crisplogic.export import export
from crisplogic.export.from_rules import make_program
from crisplogic.export.pmml import field_names
from crisplogic.export.running.rows import Answers, decode_matrix
from tests.export.agreement import (
    KINDS,
    answers_of,
    assert_same,
    many_rows,
    skipped_if_absent,
    without_infinite,
)
from tests.export.generated import rows_of, rules_of
from tests.export.hostile import hostile_rules
from tests.rules.crisp_rules import CLINIC
from tests.rules.rule_sets import LEARNED

SPACE = "{http://www.dmg.org/PMML-4_4}"


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


def test_jpmml_gives_the_answers_of_the_library() -> None:
    """Of rules with hostile names, a backslash in a list of texts among them."""
    for task, crisp in (("two", True), ("several", False), ("number", True)):
        rules = hostile_rules(task, crisp, ('a"b', "back\\slash", "</a> <!--", "score_1"))
        matrix = without_infinite(rows_of(rules, 20))
        assert_same(rules, matrix, answers_of("pmml", rules, matrix))
    constant = CLINIC.with_rule("ill", "unknown")
    matrix = rows_of(constant, 3)
    assert_same(constant, matrix, answers_of("pmml", constant, matrix))


def test_a_term_that_is_there_twice_has_two_names() -> None:
    rules = LEARNED.with_rule(LEARNED.labels[0], "2 × (glucose>127+/-37)")
    root = ET.fromstring(str(export(rules, "pmml")).partition("\n")[2])
    for card in root.iter(f"{SPACE}Scorecard"):
        names = [each.get("name") for each in card.iter(f"{SPACE}Characteristic")]
        assert len(names) == len(set(names))


@pytest.mark.slow
@pytest.mark.parametrize(("task", "crisp", "hostile", "neat"), KINDS)
@pytest.mark.parametrize("seed", range(30, 33))
def test_jpmml_gives_the_answers_of_the_library_for_many_rules(
    seed: int, task: str, crisp: bool, hostile: bool, neat: bool
) -> None:
    rules = rules_of(seed, task, crisp, neat=neat)
    matrix = without_infinite(rows_of(rules, 1000))
    assert_same(rules, matrix, answers_of("pmml", rules, matrix))


@pytest.mark.slow
@pytest.mark.parametrize("case", [1, 6, 13, ("class", "crisp"), ("number", "graded")])
def test_jpmml_gives_the_answers_of_the_library_for_many_rows(case: Any) -> None:
    rules, matrix = many_rows(case, 100_000)
    matrix = without_infinite(matrix)
    assert_same(rules, matrix, answers_of("pmml", rules, matrix))


def test_jpmml_gives_the_strongest_reasons_first() -> None:
    answers_of("pmml", CLINIC, rows_of(CLINIC, 1)[:0])  # skipped without Java
    with skipped_if_absent():
        from jpmml_evaluator import make_evaluator
    evaluator = make_evaluator(str(export(CLINIC, "pmml"))).verify()
    found = evaluator.evaluate({"glucose": 130.0, "age": 30.0, "smoker": 0.0})
    assert found["reason_1"] == "glucose is above 127, and age is below 40"


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
        matrix = without_infinite(rows_of(rules, 12_000))
        rows = decode_matrix(rules, matrix)
        model = pypmml.Model.fromString(str(export(rules, "pmml", proba=True)))
        prediction, chances = field_names(make_program(rules))
        found = []
        for row in rows.records():
            known = {name: v for name, v in row.items() if v is not None and v == v}
            found.append(model.predict(known))
        labels = {str(label): label for label in make_program(rules).labels}
        answers = [each[prediction] for each in found]
        if not labels:
            assert_same(rules, matrix, Answers(list(map(float, answers))))
            continue
        shares = np.array([[float(each[name]) for name in chances] for each in found])
        assert_same(rules, matrix, Answers([labels[each] for each in answers], shares))
