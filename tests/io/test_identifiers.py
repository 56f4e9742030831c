"""Whole numbers that identify rows are left out; those that measure something are not."""

from __future__ import annotations

import numpy as np
import pytest

from crisplogic.errors import TableError
from crisplogic.io import read_table
from crisplogic.io.identifiers import looks_like_row_identifier
from tests.io.conftest import Write

DRAW = np.random.default_rng(0)
ROWS = np.arange(1.0, 201.0)
INCOMES = DRAW.permutation(100_000)[:200].astype(float)


@pytest.mark.parametrize(
    "name", ["id", "ID", "PassengerId", "customer_id", "user id", "userid"]
)
@pytest.mark.parametrize("name_more", ["", " "])
def test_names_of_identifiers_are_known(name: str, name_more: str) -> None:
    assert looks_like_row_identifier(name + name_more, INCOMES)
    assert looks_like_row_identifier(name, np.where(ROWS < 9, np.nan, ROWS))  # some are missing
    assert not looks_like_row_identifier(name, np.repeat(INCOMES[:50], 4))  # they repeat
    assert not looks_like_row_identifier(name, INCOMES + 0.5)
    assert not looks_like_row_identifier(name, ROWS[:20])  # too few to tell


@pytest.mark.parametrize("name", ["customer", "x0", "Unnamed", "größe"])
def test_numbers_that_count_the_rows_identify_them(name: str) -> None:
    assert looks_like_row_identifier(name, ROWS)
    assert looks_like_row_identifier(name, 1000 + DRAW.permutation(ROWS))
    assert not looks_like_row_identifier(name, ROWS[ROWS != 100])  # not without a gap
    assert not looks_like_row_identifier(name, np.where(ROWS == 7, np.nan, ROWS))


def test_codes_of_many_digits_identify_rows_but_times_and_amounts_do_not() -> None:
    codes = DRAW.integers(1_000_000_000, 9_999_999_999, 200).astype(float)
    assert looks_like_row_identifier("ean", codes)
    times = 1_700_000_000 + DRAW.integers(0, 10**7, 200)
    for unit in (1, 1_000):
        assert not looks_like_row_identifier("created", (times * unit).astype(float))
    assert not looks_like_row_identifier(
        "revenue", np.float_power(10, DRAW.integers(3, 12, 200)) + ROWS
    )
    assert not looks_like_row_identifier("created_time", codes)


@pytest.mark.parametrize("name", ["income", "acid", "paid", "number", "idle", "population"])
def test_different_whole_numbers_alone_are_no_identifier(name: str) -> None:
    assert not looks_like_row_identifier(name, INCOMES)


@pytest.mark.parametrize("name", ["year", "day of study", "age", "rank", "t", "Days"])
def test_times_and_ranks_may_rise_by_one_in_every_row(name: str) -> None:
    assert not looks_like_row_identifier(name, ROWS)


CONTENT = "id,income,y\n" + "".join(f"{i},{INCOMES[i]:.0f},{'ab'[i % 2]}\n" for i in range(60))


def test_identifiers_are_left_out_with_a_remark_and_a_way_to_keep_them(write: Write) -> None:
    path = write(CONTENT)
    table = read_table(path, "y")
    assert (table.names, table.left_out) == (("income",), ("id",))
    (remark,) = table.remarks
    assert (remark.kind, remark.columns, remark.remedies) == (
        "left_out",
        ("id",),
        {"keep": "id"},
    )
    for kept in (read_table(path, "y", keep=[" id"]), read_table(path, "y", ["id", "income"])):
        assert (kept.names, kept.remarks) == (("id", "income"), ())
    with pytest.raises(TableError, match="no column 'ids'; did you mean 'id'"):
        read_table(path, "y", keep=["ids"])


def test_where_there_is_nothing_else_numbers_are_learned_from(write: Write) -> None:
    path = write("x,y\n" + "".join(f"{i},{i * i % 7}\n" for i in range(60)))
    assert read_table(path, "y").names == ("x",)
