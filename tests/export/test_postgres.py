"""A real PostgreSQL server gives the answers of the library."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from crisplogic.export.running.postgres import PostgresServer, running_postgres
from crisplogic.export.running.rows import decode_matrix
from crisplogic.expr import parse
from crisplogic.rules import ClassificationRules, Rule, Step
from tests.export.agreement import CASES, assert_same, many_rows, skipped_if_absent
from tests.export.generated import rows_of, rules_of

# Crisp and graded rules for each task, with names that are hostile.
SOME = [CASES[at] for at in (2, 7, 10, 22)]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with skipped_if_absent(), running_postgres() as started:
        yield started


def assert_served(
    server: PostgresServer, seed: int, task: str, crisp: bool, hostile: bool, neat: bool
) -> None:
    """What is missing is NULL, or NaN if that is asked for."""
    rules = rules_of(seed, task, crisp, hostile, neat)
    matrix = rows_of(rules, 300, seed)
    rows = decode_matrix(rules, matrix)
    assert_same(rules, matrix, server.answers(rules, rows))
    assert_same(rules, matrix, server.answers(rules, rows, gap=math.nan, nan=True))


@pytest.mark.parametrize(("seed", "task", "crisp", "hostile", "neat"), SOME)
def test_generated_rules_predict_the_same(
    server: PostgresServer, seed: int, task: str, crisp: bool, hostile: bool, neat: bool
) -> None:
    assert_served(server, seed, task, crisp, hostile, neat)


def test_rounding_decides_ties_as_it_does_in_the_library(server: PostgresServer) -> None:
    """To PostgreSQL 0.3 + 1 is exact. To floats it is 0.1 + 0.2 + 1, too."""
    step = (Step(0, 1.0),)
    both = Rule("a", parse("0")), Rule("b", parse("0")), Rule("c", parse("~0"))
    rules = ClassificationRules(
        ("x",), step, both, intercepts=(0.3, 0.1 + 0.2, 0.0), crisp=True
    )
    matrix = np.array([[0.0], [2.0], [np.nan]])
    scores = rules.scores(matrix, coded=True)
    assert scores[1, 0] == scores[1, 1]
    assert_same(rules, matrix, server.answers(rules, decode_matrix(rules, matrix)))


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "task", "crisp", "hostile", "neat"), CASES)
def test_all_generated_rules_predict_the_same(
    server: PostgresServer, seed: int, task: str, crisp: bool, hostile: bool, neat: bool
) -> None:
    assert_served(server, seed, task, crisp, hostile, neat)


@pytest.mark.slow
@pytest.mark.parametrize("case", [1, 15, ("class", "crisp"), ("number", "graded")])
def test_a_million_rows_predict_the_same(
    server: PostgresServer, case: int | tuple[str, str]
) -> None:
    rules, matrix = many_rows(case, 1_000_000)
    assert_same(rules, matrix, server.answers(rules, decode_matrix(rules, matrix)))
