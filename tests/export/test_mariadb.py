"""A real MariaDB server, which speaks the SQL of MySQL, gives the answers of the library."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from crisplogic.export.running.mariadb import MariaServer, running_mariadb
from crisplogic.export.running.rows import decode_matrix
from crisplogic.rules import RuleSet
from tests.export.agreement import (
    CASES,
    assert_same,
    many_rows,
    skipped_if_absent,
    without_infinite,
)
from tests.export.generated import rows_of, rules_of

pytestmark = pytest.mark.slow  # it takes seconds to start


@pytest.fixture(scope="module")
def server() -> Iterator[MariaServer]:
    with skipped_if_absent(), running_mariadb() as started:
        yield started


@pytest.mark.parametrize(("seed", "task", "crisp", "hostile", "neat"), CASES)
def test_generated_rules_predict_the_same(
    server: MariaServer, seed: int, task: str, crisp: bool, hostile: bool, neat: bool
) -> None:
    rules = rules_of(seed, task, crisp, hostile, neat)
    if max(map(len, rules.mentioned_columns), default=0) > 64:
        rules = rules.rename({name: name[:60] + name[-1] for name in rules.features})
    assert_served(server, rules, rows_of(rules, 400, seed))


@pytest.mark.parametrize("case", [0, 1, ("class", "crisp"), ("number", "graded")])
def test_a_million_rows_predict_the_same(
    server: MariaServer, case: int | tuple[str, str]
) -> None:
    rules, matrix = many_rows(case, 1_000_000)
    for part in np.array_split(matrix, 10):
        assert_served(server, rules, part)


def assert_served(server: MariaServer, rules: RuleSet, matrix: NDArray[np.float64]) -> None:
    matrix = without_infinite(matrix)
    assert_same(rules, matrix, server.answers(rules, decode_matrix(rules, matrix)))
