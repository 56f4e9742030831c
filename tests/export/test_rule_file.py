"""The published schema holds for every rule file that we write, and refuses others."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings

from crisplogic.export import export, json_schema
from crisplogic.rules import RuleSet
from tests.rules.crisp_rules import CLINIC, crisp_rule_sets
from tests.rules.rule_sets import LEARNED, PATIENTS, PRICE, number_rule_sets, rule_sets

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")


@pytest.fixture(scope="module")
def validator() -> Any:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def document(rules: RuleSet) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(str(export(rules, "json")))
    return found


@settings(max_examples=40)
@given(rules=crisp_rule_sets() | rule_sets() | number_rule_sets())
def test_every_rule_file_is_valid(validator: Any, rules: RuleSet) -> None:
    validator.validate(document(rules))


def test_decision_thresholds_and_transforms_are_valid(validator: Any) -> None:
    validator.validate(document(CLINIC.with_decision_threshold(0.2, "ill")))
    validator.validate(document(PATIENTS.with_decision_threshold(0.2)))
    for rules in (LEARNED, PRICE):
        validator.validate(document(rules))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("format", "other"),
        ("version", 99),
        ("version", "6"),
        ("features", "glucose"),
        ("features", ["a", "a"]),
        ("memberships", [{"kind": "step", "feature": 0}]),
        ("memberships", [{"kind": "ramp", "feature": 0, "low": 1}]),
        ("memberships", [{"kind": "curve", "feature": 0}]),
        ("memberships", [{"kind": "level", "feature": -1, "code": 0}]),
        ("rules", []),
        ("rules", [{"label": None, "expression": "0"}]),
        ("rules", [{"label": "a"}]),
        ("scale", 0),
        ("scale", "1"),
        ("crisp", "yes"),
        ("predicts", "rank"),
        ("transform", "sqrt"),
        ("decision_threshold", 1.5),
        ("ranges", {"glucose": [1]}),
    ],
)
def test_what_is_no_rule_file_is_invalid(validator: Any, key: str, value: object) -> None:
    wrong = copy.deepcopy(document(CLINIC))
    assert validator.is_valid(wrong)
    wrong[key] = value
    assert not validator.is_valid(wrong)


def test_what_a_rule_file_needs_is_required(validator: Any) -> None:
    for key in ("format", "version", "features", "memberships", "rules", "scale"):
        part = {name: each for name, each in document(CLINIC).items() if name != key}
        assert not validator.is_valid(part), key
