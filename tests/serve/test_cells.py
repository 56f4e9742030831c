"""What is remembered of rows is what the rules read, and it is bounded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crisplogic.serve.cells import MOST_REMEMBERED, CellCoder
from crisplogic.serve.rows import RowReader
from tests.serve.models import CHECKLIST, MODELS, some_rows

ROW: dict[str, Any] = {
    "age": 41, 'bmi "kg/m²"': 33.0, "smoker": True, "port": "S", "deck": 1,
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_a_row_that_was_remembered_has_the_matrix_of_the_library(name: str) -> None:
    rules = MODELS[name]
    coder, reader = CellCoder(rules), RowReader(rules)
    known = 0
    for row in (*some_rows(200), *some_rows(200)):
        columns = reader.read([row])
        wanted = rules.matrix(columns)
        unseen = rules.unseen_values(columns, wanted)
        found = coder.encode(row)
        if found is not None:
            np.testing.assert_array_equal(found, wanted)
            assert not unseen
            known += 1
        elif not unseen:
            coder.remember(row, wanted)
            assert coder.encode(row) is not None
    assert known > 100


def test_true_is_not_one_and_what_is_odd_is_left_to_others() -> None:
    coder, reader = CellCoder(CHECKLIST), RowReader(CHECKLIST)
    coder.remember(ROW, CHECKLIST.matrix(reader.read([ROW])))
    assert coder.encode(ROW) is not None
    for change in (
        {"smoker": 1},
        {"smoker": [True]},
        {"age": True},
        {"age": "41"},
        {"age": 1e300},
        {"age": float("inf")},
        {"port": "s"},
        {"other": 1},
    ):
        assert coder.encode({**ROW, **change}) is None
    assert coder.encode({"age": 41}) is None
    assert coder.encode([41]) is None


def test_no_more_than_so_many_values_are_remembered() -> None:
    coder = CellCoder(CHECKLIST)
    matrix = np.zeros((1, len(CHECKLIST.features)))
    for number in range(MOST_REMEMBERED + 5):
        coder.remember({**ROW, "port": f"S{number}"}, matrix)
    assert coder.encode({**ROW, "port": f"S{MOST_REMEMBERED - 1}"}) is not None
    assert coder.encode({**ROW, "port": f"S{MOST_REMEMBERED}"}) is None
