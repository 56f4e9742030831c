"""Rule files that were written once are read by every later version, and mean the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crisplogic import RuleSet
from crisplogic.rules.serialize import READABLE
from crisplogic.rules.serialize_frontier import parse_frontier
from crisplogic.tables import unseen_values_ignored

FILES = Path(__file__).parent / "files"
EXPECTED: dict[str, Any] = json.loads((FILES / "expected.json").read_text("utf-8"))
FRONTIER = "frontier.json"


def test_there_is_a_file_of_every_version() -> None:
    written = {path.name for path in FILES.glob("*.json")} - {"expected.json"}
    assert written == set(EXPECTED)
    documents = (json.loads((FILES / name).read_text("utf-8")) for name in written - {FRONTIER})
    assert {document["version"] for document in documents} == set(READABLE)


@pytest.mark.parametrize("name", sorted(set(EXPECTED) - {FRONTIER}))
def test_a_rule_file_predicts_what_it_did(name: str) -> None:
    rules, expected = RuleSet.load(FILES / name), EXPECTED[name]
    with unseen_values_ignored():
        predicted = rules.predict(expected["rows"]).tolist()
        scores = rules.scores(expected["rows"])
    if rules.predicts == "class":
        assert predicted == expected["predictions"]
    else:
        assert predicted == pytest.approx(expected["predictions"], rel=1e-12)
    assert scores.ravel().tolist() == pytest.approx(
        [score for row in expected["scores"] for score in row], abs=1e-8
    )
    assert RuleSet.from_json(rules.to_json()) == rules


def test_the_rules_of_all_sizes_are_read() -> None:
    frontier, selected = parse_frontier((FILES / FRONTIER).read_text("utf-8"))
    assert selected == EXPECTED[FRONTIER]["selected"]
    assert [point.size for point in frontier] == EXPECTED[FRONTIER]["sizes"]
