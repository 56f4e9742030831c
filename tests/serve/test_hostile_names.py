"""Names of columns, values and classes may be any text."""

from __future__ import annotations

import json
import re

import pytest
from fastapi.testclient import TestClient

from crisplogic.expr import parse
from crisplogic.rules import ClassificationRules, Level, Rule, Step
from crisplogic.serve.app import create_app
from crisplogic.tables import Levels

NAMES = [
    '"; DROP TABLE',
    "two\nlines",
    "</script><script>alert(1)</script>",
    "a\\b {c} $d %s",
    "größe ⊕ 😀",
    "",
    "rows",
    "x" * 300,
    "half \ud800 a pair",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_text_is_a_name(name: str) -> None:
    rules = ClassificationRules(
        (name, f"{name} 2"),
        (Step(0, 40.0), Level(1, 0, name.strip() or "x")),
        (Rule(name, parse("0 + 1")), Rule("other", parse("unknown"))),
        levels=(None, Levels((name.strip() or "x", "y"))),
        crisp=True,
    )
    client = TestClient(create_app(rules))
    row = {name: 41, f"{name} 2": name}
    body = json.dumps(row).encode()
    answer = client.post("/predict", content=body).json()
    assert answer["prediction"] == name
    assert client.post("/explain", content=body).json()["predicted"] == name
    schema = client.get("/openapi.json").json()["paths"]["/predict"]["post"]["requestBody"]
    assert list(schema["content"]["application/json"]["schema"]["properties"]) == [*row]
    page = client.get("/").text
    assert "<script" not in page.lower()
    assert client.get("/model").json()["labels"][0] == name
    for line in client.get("/metrics").text.splitlines():
        assert re.fullmatch(r'# .*|\w+(\{(\w+="([^"\\]|\\[\\"n])*",?)+\})? [\d.e+-]+', line)
    refused = client.post("/predict", content=json.dumps({name: "?", f"{name} 2": 1}).encode())
    assert refused.status_code == 422
    assert list(refused.json()) == ["error"]
