"""Runs exported decisions of DMN: their FEEL in feelin, under node."""

from __future__ import annotations

import json
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from crisplogic.errors import ExportError
from crisplogic.export.dmn import NAMESPACE
from crisplogic.export.running.programs import find_program, run_program
from crisplogic.export.running.rows import Answers, RawRows, refuse_infinite
from crisplogic.export.targets import export
from crisplogic.rules import RuleSet

SPACE = f"{{{NAMESPACE}}}"


def run_dmn(rules: RuleSet, rows: RawRows, **options: Any) -> Answers:
    """Decide all rows, in the order of the decisions; a table by its first row that fits."""
    node, package = find_program("node"), _feelin()
    refuse_infinite(rows, "decimals of FEEL")
    text = str(export(rules, "dmn", proba=True, **options))
    with tempfile.TemporaryDirectory() as folder:
        script, data = Path(folder, "main.mjs"), Path(folder, "rows.json")
        script.write_text(_MAIN.replace("MODULE", package.as_uri()), encoding="utf-8")
        data.write_text(json.dumps(_content(text, rows)), encoding="utf-8")
        found = json.loads(run_program([node, str(script), str(data)]))
    predictions = [each["prediction"] for each in found]
    if rules.predicts == "number":
        return Answers(predictions)
    chances = [each["chances"] for each in found]
    shape = len(rows), len(rules.labels)
    return Answers(predictions, np.array(chances, dtype=np.float64).reshape(shape))


@cache
def _feelin() -> Path:
    """The file of feelin that other modules import."""
    npm = find_program("npm")
    root = subprocess.run([npm, "root", "--global"], capture_output=True, check=True).stdout
    package = Path(root.decode().strip()) / "feelin"
    if not package.exists():
        raise ExportError("feelin is not installed (npm install --global feelin)")
    about = json.loads((package / "package.json").read_text(encoding="utf-8"))
    entry = about["exports"]["."] if "exports" in about else about["module"]
    while isinstance(entry, dict):
        entry = entry.get("import") or entry.get("default")
    return package / str(entry)


def _content(text: str, rows: RawRows) -> dict[str, Any]:
    """The decisions of a document, and rows by the names that it gives to columns."""
    root = ET.fromstring(text.partition("\n")[2])
    names = {each.get("label"): each.get("name") for each in root.iter(f"{SPACE}inputData")}
    records = [
        {names[name]: None if v != v else v for name, v in row.items() if name in names}
        for row in rows.records()
    ]
    expressions, table = [], None
    for decision in root.iter(f"{SPACE}decision"):
        found = decision.find(f"{SPACE}literalExpression/{SPACE}text")
        if found is not None:
            expressions.append((decision.get("name"), found.text))
        else:
            table = _table(next(decision.iter(f"{SPACE}decisionTable")))
    return {"decisions": expressions, "table": table, "rows": records}


def _table(node: ET.Element) -> dict[str, Any]:
    return {
        "inputs": texts_in(node, "./input/inputExpression/text"),
        "rules": [
            {
                "tests": texts_in(rule, "./inputEntry/text"),
                "label": texts_in(rule, "./outputEntry/text")[0],
            }
            for rule in node.findall(f"{SPACE}rule")
        ],
    }


def texts_in(node: ET.Element, path: str) -> list[str]:
    """The texts of some elements of DMN below another."""
    return [each.text or "" for each in node.findall(path.replace("/", f"/{SPACE}"))]


_MAIN = """
import { readFileSync } from "node:fs";
import { evaluate, unaryTest } from "MODULE";
const value = (result) =>
  result && typeof result === "object" && "value" in result ? result.value : result;
const { decisions, table, rows } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const answers = rows.map((row) => {
  const context = { ...row };
  for (const [name, text] of decisions) context[name] = value(evaluate(text, context));
  if (!table) return { prediction: context.prediction };
  const names = decisions.map(([name]) => name);
  const chances = names.filter((name) => /^probability_\\d+$/.test(name));
  const inputs = table.inputs.map((text) => value(evaluate(text, context)));
  const fits = (test, at) =>
    test === "-" || value(unaryTest(test, { ...context, "?": inputs[at] })) === true;
  const rule = table.rules.find((each) => each.tests.every(fits));
  const prediction = value(evaluate(rule.label, {}));
  return { prediction, chances: chances.map((name) => context[name]) };
});
console.log(JSON.stringify(answers));
"""
