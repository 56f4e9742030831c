"""Rules of all sizes as JSON: what is written comes back."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest

from crisplogic.errors import RuleFileError
from crisplogic.rules import Frontier, Point
from crisplogic.rules.serialize_frontier import (
    frontier_entries,
    frontier_json,
    parse_frontier,
    points_from,
)
from tests.rules.crisp_rules import CLINIC
from tests.rules.rule_sets import HEALTH

FRONTIER = Frontier(
    (Point(HEALTH, 0.25, 0.5, 0.125, 0.0625),),
    baseline=0.75,
    network_error=0.4375,
    other_rules_error=0.5,
)


def test_rules_of_all_sizes_come_back_with_their_figures() -> None:
    again, chosen = parse_frontier(frontier_json(FRONTIER, 3))
    assert (again, chosen) == (FRONTIER, 3)


def test_crisp_rules_of_all_sizes_come_back() -> None:
    crisp = Frontier((Point(CLINIC, 0.25, 0.5),))
    again, _ = parse_frontier(frontier_json(crisp, CLINIC.size))
    assert again.points[0].rules == CLINIC
    assert again.points[0].size == CLINIC.size == 7


def test_every_figure_of_a_size_is_written() -> None:
    (entry,) = json.loads(json.dumps(frontier_entries(FRONTIER)))
    assert {field.name for field in fields(Point)} | {"literals"} == set(entry)


def test_figures_that_are_not_known_are_null() -> None:
    (entry,) = frontier_entries(Frontier((Point(HEALTH, 0.25),)))
    assert entry["held_out_error"] is None
    (again,) = points_from([entry])
    assert str(again) == str(Point(HEALTH, 0.25))


def test_there_is_a_size() -> None:
    with pytest.raises(RuleFileError, match="must not be empty"):
        points_from([])
