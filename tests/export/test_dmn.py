"""Decisions of DMN, whose FEEL is evaluated by feelin under node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from crisplogic.errors import ExportError
from crisplogic.export import export
from crisplogic.export.running.rows import decode_matrix
from crisplogic.rules import RuleSet
from tests.export.generated import rows_of, rules_of
from tests.export.hostile import hostile_rules
from tests.rules.crisp_rules import CLINIC
from tests.rules.rule_sets import LEARNED

SPACE = "{https://www.omg.org/spec/DMN/20191111/MODEL/}"
# Decides row by row, in the order of the decisions; a table by its first row that fits.
MAIN = """
import { readFileSync } from "node:fs";
import { evaluate, unaryTest } from "MODULE";
const value = (result) =>
  result && typeof result === "object" && "value" in result ? result.value : result;
const { decisions, table, rows } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const answers = rows.map((row) => {
  const context = { ...row };
  for (const [name, text] of decisions) context[name] = value(evaluate(text, context));
  if (!table) return context.prediction;
  const inputs = table.inputs.map((text) => value(evaluate(text, context)));
  const fits = (test, at) =>
    test === "-" || value(unaryTest(test, { ...context, "?": inputs[at] })) === true;
  const rule = table.rules.find((each) => each.tests.every(fits));
  return value(evaluate(rule.label, {}));
});
console.log(JSON.stringify(answers));
"""


@pytest.fixture(scope="module")
def feelin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A script that decides rows."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("node is not installed")
    done = subprocess.run([npm, "root", "-g"], capture_output=True, text=True, check=True)
    package = Path(done.stdout.strip()) / "feelin"
    if not package.exists():
        pytest.skip("feelin is not installed (npm install --global feelin)")
    about = json.loads((package / "package.json").read_text(encoding="utf-8"))
    entry = about["exports"]["."] if "exports" in about else about["module"]
    while isinstance(entry, dict):
        entry = entry.get("import") or entry.get("default")
    script = tmp_path_factory.mktemp("feel") / "main.mjs"
    script.write_text(MAIN.replace("MODULE", (package / entry).as_uri()), encoding="utf-8")
    return script


def texts(node: ET.Element, path: str) -> list[str]:
    return [each.text or "" for each in node.findall(path.replace("/", f"/{SPACE}"))]


def decide(script: Path, rules: RuleSet, matrix: Any, **options: Any) -> list[Any]:
    root = ET.fromstring(str(export(rules, "dmn", **options)).partition("\n")[2])
    names = {each.get("label"): each.get("name") for each in root.iter(f"{SPACE}inputData")}
    decisions, table = [], None
    for decision in root.iter(f"{SPACE}decision"):
        found = decision.find(f"{SPACE}literalExpression/{SPACE}text")
        if found is not None:
            decisions.append((decision.get("name"), found.text))
            continue
        inner = decision.find(f"{SPACE}decisionTable")
        assert inner is not None
        inputs = texts(inner, "./input/inputExpression/text")
        lines = [
            {
                "tests": texts(rule, "./inputEntry/text"),
                "label": texts(rule, "./outputEntry/text")[0],
            }
            for rule in inner.findall(f"{SPACE}rule")
        ]
        table = {"inputs": inputs, "rules": lines}
    rows = [
        {
            names[name]: None if value != value else value
            for name, value in row.items()
            if name in names
        }
        for row in decode_matrix(rules, matrix).records()
    ]
    data = script.with_name("rows.json")
    content = {"decisions": decisions, "table": table, "rows": rows}
    data.write_text(json.dumps(content), encoding="utf-8")
    done = subprocess.run(
        ["node", str(script), str(data)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answers: list[Any] = json.loads(done.stdout)
    return answers


def finite_rows(rules: RuleSet, count: int) -> Any:
    matrix = rows_of(rules, count)
    matrix[np.isinf(matrix) | (np.abs(matrix) < 1e-300)] = 0.0  # FEEL has decimals
    matrix[np.abs(matrix) > 1e30] = 1e9
    return matrix


@pytest.mark.parametrize("task", ["two", "several", "number"])
def test_feelin_gives_the_answers_of_the_library(feelin: Path, task: str) -> None:
    assert_decided(feelin, rules_of(4, task, crisp=True), 25)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 20))
@pytest.mark.parametrize("task", ["two", "several", "number"])
def test_feelin_gives_the_answers_of_the_library_for_many_rules(
    feelin: Path, task: str, seed: int
) -> None:
    assert_decided(feelin, rules_of(seed, task, crisp=True), 500)


@pytest.mark.slow
def test_feelin_gives_the_answers_of_the_library_for_many_rows(feelin: Path) -> None:
    assert_decided(feelin, CLINIC, 100_000)


def assert_decided(feelin: Path, rules: RuleSet, count: int) -> None:
    matrix = finite_rows(rules, count)
    wanted = rules.predict(matrix, coded=True).tolist()
    found = decide(feelin, rules, matrix)
    if rules.predicts == "number":
        np.testing.assert_allclose(np.array(found, dtype=float), wanted, rtol=1e-9)
    else:
        assert found == wanted


def test_feelin_reads_hostile_names(feelin: Path) -> None:
    names = ('a"b', "two\nlines", "</text>]]>", "back\\slash")
    assert_decided(feelin, hostile_rules("several", True, names), 25)


def test_a_checklist_is_one_table_of_two_rows() -> None:
    root = ET.fromstring(str(export(CLINIC, "dmn")).partition("\n")[2])
    [table] = root.iter(f"{SPACE}decisionTable")
    assert texts(table, "./rule/inputEntry/text") == [">= 3", "-"]
    assert texts(table, "./rule/outputEntry/text") == ['"ill"', '"well"']
    labels = [each.get("label") for each in root.iter(f"{SPACE}decision")]
    assert labels[0] == "glucose is above 127, and age is below 40"


def test_every_requirement_leads_somewhere() -> None:
    for seed in range(6):
        rules = rules_of(seed, "several", crisp=True, hostile=True)
        try:
            text = str(export(rules, "dmn"))
        except ExportError:
            continue  # a name that XML cannot hold
        root = ET.fromstring(text.partition("\n")[2])
        known = {each.get("id") for each in root.iter()}
        needed = [each.get("href", "") for each in root.iter() if each.get("href")]
        assert needed
        assert {each.removeprefix("#") for each in needed} <= known


def test_graded_rules_are_refused() -> None:
    with pytest.raises(ExportError, match="crisp"):
        export(LEARNED, "dmn")
