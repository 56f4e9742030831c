"""A real MariaDB server, which speaks the SQL of MySQL, gives the answers of the library."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from crisplogic.export.running.rows import decode_matrix
from crisplogic.rules import RuleSet
from tests.export.agreement import CASES, KINDS, assert_same
from tests.export.generated import rows_of, rules_of
from tests.export.mariadb import Server, running_server

pytestmark = pytest.mark.slow  # it takes seconds to start

# It has no infinite numbers.
PARTS = CASES[0::3]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as started:
        yield started


@pytest.mark.parametrize(("seed", "task", "crisp", "hostile", "neat"), PARTS)
def test_generated_rules_predict_the_same(
    server: Server, seed: int, task: str, crisp: bool, hostile: bool, neat: bool
) -> None:
    assert_served(server, rules_of(seed, task, crisp, hostile, neat), 400)


@pytest.mark.parametrize("case", [0, 1])
def test_a_million_rows_predict_the_same(server: Server, case: int) -> None:
    """In parts: a statement that inserts rows has a greatest length."""
    rules = rules_of(case, *KINDS[case])
    for part in range(20):
        assert_served(server, rules, 50_000, part)


def assert_served(server: Server, rules: RuleSet, rows: int, seed: int = 0) -> None:
    matrix = rows_of(rules, rows, seed)
    matrix[np.isinf(matrix)] = 1e300
    assert_same(rules, matrix, server.answers(rules, decode_matrix(rules, matrix)))
