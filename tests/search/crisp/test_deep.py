"""Logic beyond pairs is found, exactly, and only where rows ask for it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from crisplogic.constraints import Limits
from crisplogic.expr.monotonicity import monotonicity
from crisplogic.expr.walk import unique_nodes
from crisplogic.search import CLASSIFICATION, TrainingSet
from crisplogic.search.crisp.objective import MOST_LEVELS, MOST_SCREENED
from crisplogic.search.crisp.path import follow_path
from crisplogic.search.crisp.search import find_crisp, objective_of

pytestmark = pytest.mark.usefixtures("search_as_workers_do")
Bools = NDArray[np.bool_]
NAMES = tuple(f"x{number}" for number in range(8))
ROWS = np.random.default_rng(0).integers(0, 2, size=(400, 8)).astype(bool)
FUNCTIONS: dict[str, tuple[int, Callable[[Bools], Bools]]] = {
    "parity of three": (3, lambda x: x[0] ^ x[1] ^ x[2]),
    "parity of four": (4, lambda x: x[0] ^ x[1] ^ x[2] ^ x[3]),
    "either of two pairs": (4, lambda x: (x[0] & x[1]) ^ (x[2] | x[3])),
    "three, or two": (5, lambda x: (x[0] & x[1] & x[2]) | (x[3] & x[4])),
}


def table(holds: Bools, limits: Limits | None = None) -> TrainingSet:
    rows = ROWS.astype(float)
    return TrainingSet(rows, holds.astype(int), ("no", "yes"), CLASSIFICATION, limits=limits)


@pytest.fixture(autouse=True)
def paths_of_many_literals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Longer ones than other tests need."""
    monkeypatch.setattr("crisplogic.search.crisp.search.FEW_LITERALS", 8)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_deep_logic_is_found_at_its_size(name: str) -> None:
    size, function = FUNCTIONS[name]
    holds = function(ROWS.T)
    found = find_crisp(table(holds), NAMES, 6, depth=2)
    rules = [each.rules for each in found if each.size <= size][-1]
    assert np.array_equal(rules.predict(ROWS.astype(float)) == "yes", holds)


@pytest.mark.parametrize(
    ("name", "function", "screened"),
    [
        ("a pair", lambda x: x[0] ^ x[1], 2),
        ("parity of three", FUNCTIONS["parity of three"][1], MOST_SCREENED),
    ],
)
def test_larger_statements_are_screened_where_pairs_predict_less(
    name: str, function: Callable[[Bools], Bools], screened: int
) -> None:
    noise = np.arange(len(ROWS)) % 20 == 0
    objective = objective_of(table(function(ROWS.T) ^ noise), depth=None)
    assert objective.screened == screened
    assert objective.longest == 2**MOST_LEVELS


def test_a_conjunction_of_three_grows_from_pairs() -> None:
    """A smooth model of pairs predicts it as well, so that larger ones are not screened."""
    x, noise = ROWS.T, np.arange(len(ROWS)) % 20 == 0
    holds = (x[0] & x[1] & x[2]) | (x[3] & x[4])
    found = find_crisp(table(holds ^ noise), NAMES, 6)
    rules = [each.rules for each in found if each.size <= 5][-1]
    assert np.array_equal(rules.predict(ROWS.astype(float)) == "yes", holds)


@pytest.mark.parametrize(("depth", "longest"), [(1, 2), (2, 4), (3, 8), (13, 8)])
def test_a_statement_has_twice_as_many_literals_a_level(depth: int, longest: int) -> None:
    data = table(FUNCTIONS["three, or two"][1](ROWS.T))
    objective = objective_of(data, depth)
    assert objective.longest == longest
    if depth < 3:
        path = follow_path(objective, 7)
        assert max(each.size for own in path.values() for each in own.statements) <= longest


def test_deep_statements_keep_to_limits() -> None:
    """``x0`` only rises, and ``x1`` and ``x2`` never stand together."""
    x = ROWS.T
    falls = np.ones((8, 2), dtype=bool)
    falls[0, 1] = False
    rises = np.ones((8, 2), dtype=bool)
    rises[0, 0] = False
    pairs = np.ones((8, 8), dtype=bool)
    pairs[1, 2] = pairs[2, 1] = False
    data = table((~x[0] & x[1] & x[2]) | (x[3] & x[4] & x[5]), Limits(rises, falls, pairs))
    found = find_crisp(data, NAMES, 8, depth=2)
    assert found[-1].size > 2
    for each in found:
        rules = each.rules
        for statement in rules.rules[1].expression.parts:
            inputs = {
                rules.memberships[node.index].feature
                for node in unique_nodes([statement])
                if hasattr(node, "index")
            }
            assert not {1, 2} <= inputs
        for index, sign in monotonicity(rules.rules[1].expression).items():
            assert sign > 0 or rules.memberships[index].feature != 0
