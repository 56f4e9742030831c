"""JSON: the rule file of the library itself, by a published schema."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from crisplogic.export.about import About
from crisplogic.rules import RuleSet


def write_json(rules: RuleSet, about: About) -> str:
    """A rule file, which the library reads again."""
    return rules.to_json()


def json_schema() -> dict[str, Any]:
    """The JSON schema (2020-12) of rule files of all versions.

    >>> json_schema()["title"]
    'A rule file of crisplogic'
    """
    text = files("crisplogic.export").joinpath("rules.schema.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
