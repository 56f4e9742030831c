"""A real PostgreSQL server gives the answers of the library."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from crisplogic.export.running.rows import decode_matrix
from tests.export.agreement import CASES, KINDS, assert_same
from tests.export.generated import rows_of, rules_of
from tests.export.postgres import Server, running_server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as started:
        yield started


@pytest.mark.parametrize(("seed", "task", "crisp", "hostile", "neat"), CASES[1::5])
def test_generated_rules_predict_the_same(
    server: Server, seed: int, task: str, crisp: bool, hostile: bool, neat: bool
) -> None:
    rules = rules_of(seed, task, crisp, hostile, neat)
    matrix = rows_of(rules, 400, seed)
    assert_same(rules, matrix, server.answers(rules, decode_matrix(rules, matrix)))


@pytest.mark.parametrize("crisp", [True, False])
def test_nan_is_a_missing_value_if_asked_for(server: Server, crisp: bool) -> None:
    rules = rules_of(4, "two", crisp)
    matrix = rows_of(rules, 300)
    found = server.answers(rules, decode_matrix(rules, matrix), gap="NaN", nan=True)
    assert_same(rules, matrix, found)


@pytest.mark.slow
@pytest.mark.parametrize("case", [1, 15])
def test_a_million_rows_predict_the_same(server: Server, case: int) -> None:
    rules = rules_of(case, *KINDS[case])
    matrix = rows_of(rules, 1_000_000, case)
    assert_same(rules, matrix, server.answers(rules, decode_matrix(rules, matrix)))
