from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from experiments.deep.functions import FUNCTIONS, IDLE, ROWS, combinations
from experiments.deep.monks import ATTRIBUTES, MONKS, robots
from experiments.deep.problems import NOISE, PROBLEMS, SETTINGS, draw, succeeds
from experiments.reproduction.expression_networks import needed


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_depends_on_its_inputs_and_on_no_idle_column(name: str) -> None:
    function = FUNCTIONS[name]
    drawn, labels = draw(function, 0.0, seed=3)
    assert drawn.X.shape == (ROWS, function.inputs + IDLE)
    assert np.array_equal(labels, drawn.truth)
    if not function.of_numbers:
        assert len(drawn.known) == 2 ** (function.inputs + IDLE)
        assert len(needed(drawn.known_truth.astype(float))) == function.inputs


@pytest.mark.parametrize(
    ("name", "truth"),
    [
        ("parity-of-3", lambda a, b, c: (a + b + c) % 2),
        ("majority-of-5", lambda *each: sum(each) >= 3),
        ("conjunctions", lambda a, b, c, d, e: (a and b and c) or (d and e)),
        ("or-and-xor", lambda a, b, c, d: (a or b) and c != d),
        ("multiplexer-of-3", lambda a, b, c: b if a else c),
        ("multiplexer-of-6", lambda a, b, *of: of[3 - 2 * a - b]),
    ],
)
def test_functions_of_truth_values_agree_with_their_definition(
    name: str, truth: Callable[..., object]
) -> None:
    function = FUNCTIONS[name]
    rows = combinations(function.inputs).astype(int)
    values = function.truth(*(rows.T > 0))
    assert values.tolist() == [bool(truth(*row)) for row in rows.tolist()]


def test_intervals_hold_two_parts_of_a_column() -> None:
    values = FUNCTIONS["intervals"].truth(np.arange(1.0, 101.0))
    assert (np.flatnonzero(values) + 1).tolist() == [*range(21, 41), *range(61, 81)]


@pytest.mark.parametrize(
    ("name", "rows", "positive"),
    [("monk-1", 124, 216), ("monk-2", 169, 142), ("monk-3", 122, 228)],
)
def test_monks_problems_have_the_published_numbers_of_rows(
    name: str, rows: int, positive: int
) -> None:
    drawn, _ = draw(MONKS[name], 0.0, seed=0)
    assert drawn.X.shape == (rows, 6)
    assert len(drawn.X.drop_duplicates()) == rows
    assert len(drawn.known) == 432
    assert drawn.known_truth.sum() == positive


def test_monks_problems_agree_with_their_definitions() -> None:
    codes = np.array(list(product(*(range(1, 1 + len(one)) for one in ATTRIBUTES.values()))))
    a1, a2, _, a4, a5, _ = codes.T
    expected = {
        "monk-1": (a1 == a2) | (a5 == 1),
        "monk-2": (codes == 1).sum(axis=1) == 2,
        "monk-3": ((a5 == 3) & (a4 == 1)) | ((a5 != 4) & (a2 != 3)),
    }
    for name, truth in expected.items():
        assert MONKS[name].truth(robots()).tolist() == truth.tolist()


@pytest.mark.parametrize(("name", "wrong"), [("intervals", 25), ("monk-3", 6)])
def test_noise_makes_a_share_of_the_labels_wrong_but_not_the_truth(
    name: str, wrong: int
) -> None:
    drawn, labels = draw(PROBLEMS[name], NOISE, seed=1)
    again, clean = draw(PROBLEMS[name], 0.0, seed=1)
    assert np.array_equal(drawn.X, again.X)
    assert np.array_equal(clean, drawn.truth)
    assert (labels != drawn.truth).sum() == wrong


def test_right_rules_succeed_if_they_are_hardly_larger_than_the_smallest() -> None:
    six, monk = PROBLEMS["multiplexer-of-6"], PROBLEMS["monk-2"]
    assert [succeeds(six, 0.0, size) for size in (10, 12, 13)] == [True, True, False]
    assert not succeeds(six, 1 / 2048, 10)
    assert succeeds(monk, 0.0, 50)
    smallest = {name: one.smallest for name, one in FUNCTIONS.items()}
    assert list(smallest.values()) == [3, 5, 5, 4, 4, 10, 4]


def test_each_function_is_measured_with_noise_and_without() -> None:
    found = {(one.problem, one.noise): one.target for one in SETTINGS}
    assert all(found[name, 0.0] == 0.95 and found[name, NOISE] == 0.8 for name in FUNCTIONS)
    assert len(found) == len(SETTINGS) == 2 * len(FUNCTIONS) + len(MONKS)
