"""Targets and weights: columns that are read apart, as texts or as numbers."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from crisplogic.errors import TableError
from crisplogic.io import Cells, Layout, Table, looks_continuous, read_table
from tests.io.conftest import Write

PRICES = "rooms,price\n4,3.75\n\n5, -2e3 \n6,007\n"


def target_of(table: Table) -> Cells:
    assert table.target is not None
    return table.target


def refused(cells: Cells) -> str:
    with pytest.raises(TableError) as error:
        cells.require_numbers()
    return str(error.value)


def test_a_target_is_texts_and_numbers_as_well(write: Write) -> None:
    table = read_table(write(PRICES), "price")
    assert target_of(table).require_numbers().tolist() == [3.75, -2000.0, 7.0]
    assert table.y is not None
    assert table.y.tolist() == ["3.75", "-2e3", "007"]


def test_a_target_in_gzip_is_the_same(write: Write) -> None:
    path = write(gzip.compress(PRICES.encode()), "prices.csv.gz")
    assert target_of(read_table(path, "price")).require_numbers().tolist() == [
        3.75,
        -2000.0,
        7.0,
    ]


def test_numbers_in_parquet_come_to_the_last_bit(tmp_path: Path) -> None:
    prices = np.random.default_rng(0).normal(size=50) * 1e9
    path = tmp_path / "prices.parquet"
    pyarrow.parquet.write_table(pa.table({"rooms": range(50), "price": prices}), path)
    found = target_of(read_table(path, "price")).require_numbers()
    np.testing.assert_array_equal(found, prices)


@pytest.mark.parametrize(
    ("cell", "needed"),
    [
        ("cheap", "numbers"),
        ("1,5,0", "numbers"),
        ("1_000", "numbers"),
        ("inf", "finite numbers"),
        ("-Infinity", "finite numbers"),
        ("1e999", "finite numbers"),
    ],
)
def test_the_first_cell_that_is_no_number_is_named_with_its_line(
    write: Write, cell: str, needed: str
) -> None:
    path = write(f"rooms;price\n1;2\n\n3;{cell}\n4;{cell}\n")
    message = refused(target_of(read_table(path, "price")))
    assert message == f"{path}, line 4: the target 'price' must hold {needed}, got {cell!r}"


def test_truth_values_are_no_numbers_to_predict(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pyarrow.parquet.write_table(pa.table({"a": [1, 2], "y": [True, False]}), path)
    cells = target_of(read_table(path, "y"))
    assert cells.numbers is None
    assert refused(cells).startswith(f"{path}, row 0 (counted from 0): the target 'y' must")


def test_a_number_that_means_missing_does_however_it_is_written(write: Write) -> None:
    path = write("a,y\n1,2\n3,-999.0\n")
    table = read_table(path, "y", layout=Layout(missing=("-999",)))
    assert target_of(table).require_numbers().tolist() == [2.0]


@pytest.mark.parametrize(
    ("values", "amounts"),
    [
        (np.arange(10.0), False),
        (np.arange(11.0), True),
        (np.repeat(np.arange(16.0), 100), True),
        (np.arange(5) + 0.5, False),
        (np.arange(6) + 0.5, True),
        ([*range(5), 0.75], True),
        ([1.0, np.inf], False),
    ],
)
def test_many_different_numbers_are_amounts_and_few_are_names(
    values: list[float], amounts: bool
) -> None:
    assert looks_continuous(np.asarray(values, dtype=float)) == amounts


# --- weights ----------------------------------------------------------------------------------


def test_a_weight_is_read_beside_the_columns_and_not_learned_from(write: Write) -> None:
    table = read_table(write("w,a,y\n0,1,no\n2.5,3,yes\n"), "y", weight=" w")
    assert table.names == ("a",)
    assert table.weights is not None
    assert table.weights.tolist() == [0.0, 2.5]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("-1", "the weight 'w' must hold finite numbers of at least 0, got '-1'"),
        ("inf", "of at least 0, got 'inf'"),
        ("heavy", "the weight 'w' must hold numbers, got 'heavy'"),
        ("", "the weight 'w' is missing; leave such rows out, or write 0"),
    ],
)
def test_what_is_no_weight_is_refused_with_its_line(write: Write, cell: str, said: str) -> None:
    path = write(f"w,a,y\n1,1,no\n{cell},3,yes\n")
    with pytest.raises(TableError) as error:
        read_table(path, "y", weight="w")
    assert str(error.value).startswith(f"{path}, line 3: ")
    assert said in str(error.value)


def test_a_target_is_no_weight(write: Write) -> None:
    with pytest.raises(TableError, match="the target and the weight as well"):
        read_table(write("a,y\n1,2\n"), "y", weight="y ")
