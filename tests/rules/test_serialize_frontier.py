"""Rules of all sizes as JSON: what is written comes back."""

from __future__ import annotations

import json
from dataclasses import fields

import numpy as np
import pytest

from crisplogic.errors import RuleFileError
from crisplogic.rules import Frontier, Point
from crisplogic.rules.held_out import HeldOut
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


def test_bounds_of_held_out_errors_come_back() -> None:
    errors = np.random.default_rng(0).integers(0, 2, (1, 50)).astype(float)
    held_out = HeldOut.measure(errors, errors, folds=5)
    point = Point(CLINIC, 0.1, float(held_out.errors[0]))
    known = Frontier((point,), held_out=held_out)
    text = frontier_json(known, CLINIC.size)
    read, _ = parse_frontier(text)
    expected = known.error_bounds()
    assert expected is not None
    assert np.array_equal(np.array(read.bounds), expected)
    again, _ = parse_frontier(frontier_json(read, CLINIC.size))
    assert again.bounds == read.bounds
    older = {k: v for k, v in json.loads(text).items() if k != "error_bounds"}
    assert parse_frontier(json.dumps(older))[0].error_bounds() is None
    with pytest.raises(RuleFileError, match="two lists of 1"):
        parse_frontier(json.dumps({**older, "error_bounds": [[0.1, 0.2], [0.3]]}))


def test_by_what_rules_were_learned_and_what_to_expect_of_them_come_back() -> None:
    known = Frontier((Point(CLINIC, 0.1, 0.2),), learner="LogicClassifier()", expected=0.25)
    text = frontier_json(known, CLINIC.size)
    read, _ = parse_frontier(text)
    assert (read.learner, read.expected) == ("LogicClassifier()", 0.25)
    plain = frontier_json(Frontier((Point(CLINIC, 0.1, 0.2),)), CLINIC.size)
    assert not {"learner", "expected_error"} & set(json.loads(plain))
    older, _ = parse_frontier(plain)
    assert older.learner is None
    assert np.isnan(older.expected)
    with pytest.raises(RuleFileError):
        parse_frontier(json.dumps({**json.loads(text), "learner": 3}))
