"""Tables of very many columns are read in a time that grows with their number, not faster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from crisplogic.constraints import find_forbidden
from crisplogic.errors import TableError
from crisplogic.io import column_kinds, open_chunks, read_table
from crisplogic.tables import as_matrix, infer_schema, read_columns
from tests.io.conftest import Write

# With a search for every name among all of them, each test took more than a minute.
COLUMNS = 40_000
NAMES = tuple(f"gene{number}" for number in range(COLUMNS))


class ManyNumbers(Sequence[int]):
    """Numbers that are not to be searched one by one; only to be walked through."""

    def __len__(self) -> int:
        return COLUMNS // 2

    def __getitem__(self, position: int) -> int:  # type: ignore[override]
        return range(len(self))[position]

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))

    def __contains__(self, item: object) -> bool:
        pytest.fail("it was searched, which takes long for every column")


def write_wide(write: Write) -> Path:
    row = ",".join("123456789"[: 1 + number % 9] for number in range(COLUMNS))
    return write(f"{','.join(NAMES)},y\n{row},a\n")


def test_a_table_to_learn_from_may_have_very_many_columns(write: Write) -> None:
    table = read_table(write_wide(write), "y")
    assert table.names == NAMES
    assert infer_schema(table.columns).names == NAMES


def test_rules_of_few_columns_find_them_among_very_many(write: Write) -> None:
    kinds = column_kinds(NAMES, (), ())
    with open_chunks(write_wide(write), kinds, NAMES[:-1]) as (chunks, _):
        (chunk,) = chunks
    assert chunk.names == NAMES
    assert not np.isnan(chunk.columns[-1].values.tolist()).any()


def test_rules_of_very_many_columns_find_all_of_them(write: Write) -> None:
    kinds = column_kinds(NAMES, (), ())
    with open_chunks(write_wide(write), kinds) as (chunks, _):
        (chunk,) = chunks
    assert sum(column.values[0] == 123456789 for column in chunk.columns) == COLUMNS // 9


def test_very_many_columns_may_be_forbidden_or_not_needed() -> None:
    array = np.zeros((1, COLUMNS), dtype=object)
    some = ManyNumbers()
    columns = read_columns(array, excluded=some)
    assert np.isnan(columns.columns[0].values).all()
    assert np.isnan(columns.mask(some).columns[0].values).all()
    matrix = as_matrix(columns, NAMES, needed=some)
    assert np.isnan(matrix[0, COLUMNS // 2 :]).all()
    assert find_forbidden(NAMES, NAMES[:-1])[-1] == COLUMNS - 2


def test_all_columns_that_are_not_there_or_twice_are_named_at_once(write: Write) -> None:
    path = write("a,b,a,b,c\n1,2,3,4,5\n")
    with pytest.raises(TableError, match=r"'a' stands over 2 columns; so do 'b'; rename all"):
        read_table(path)
    with pytest.raises(TableError, match=r"there are no columns 'e', 'f'\. The columns are"):
        read_table(path, columns=["c", "e", "f"])
