"""Rules load, predict and explain where nothing but numpy is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crisplogic.rules import RuleSet
from tests.serve.models import MODELS

# Every import is refused but those of Python itself, numpy and crisplogic.
REFUSE_OTHERS = """
import sys
ALLOWED = {*sys.stdlib_module_names, "numpy", "crisplogic"}
class Refuse:
    def find_spec(self, name, *_):
        if name.partition(".")[0] not in ALLOWED:
            raise ModuleNotFoundError(f"{name} is not installed", name=name)
sys.meta_path.insert(0, Refuse())
for name in ("torch", "sklearn", "pandas", "scipy", "pyarrow", "typer", "narwhals", "fastapi"):
    try:
        __import__(name)
    except ModuleNotFoundError:
        continue
    raise AssertionError(name)
"""
USE = """
import json
from crisplogic import RuleSet
rules = RuleSet.load(sys.argv[1])
rows = json.loads(sys.argv[2])
columns = {name: [row[name] for row in rows] for name in rules.features}
tables = rows, columns, [[row[name] for name in rules.features] for row in rows]
rules.save(sys.argv[1] + ".copy")
print(json.dumps({
    "predictions": [rules.predict(table).tolist() for table in tables],
    "explanations": [rules.explain(row).to_dict() for row in rows],
    "texts": [each.to_text() for each in rules.explain_each(rows)],
    "description": rules.describe(),
    "exports": [rules.export(target) for target in ("python", "c", "json")],
}))
"""
ROWS: list[dict[str, Any]] = [
    {"age": 41, 'bmi "kg/m²"': 33.5, "smoker": True, "port": "Q", "deck": 2},
    {"age": None, 'bmi "kg/m²"': 20, "smoker": False, "port": "S", "deck": 1},
]
ROWS = [{**row, "not mentioned": 0.5} for row in ROWS]


@pytest.mark.parametrize("name", MODELS)
def test_rules_are_used_with_numpy_alone(name: str, tmp_path: Path) -> None:
    rules: Any = MODELS[name]
    path = tmp_path / "rules.json"
    rules.save(path)
    done = subprocess.run(
        [sys.executable, "-c", REFUSE_OTHERS + USE, str(path), json.dumps(ROWS)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["predictions"] == [rules.predict(ROWS).tolist()] * 3
    assert found["explanations"] == [
        json.loads(json.dumps(rules.explain(row).to_dict())) for row in ROWS
    ]
    assert found["texts"] == [str(each) for each in rules.explain_each(ROWS)]
    assert found["description"] == rules.describe()
    assert found["exports"] == [rules.export(target) for target in ("python", "c", "json")]
    assert RuleSet.load(f"{path}.copy") == rules
