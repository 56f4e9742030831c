from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from crisplogic.datasets import make_titanic, save_titanic
from crisplogic.io import read_table
from crisplogic.tables import Numbers, Text


def test_the_table_has_all_that_real_ones_have() -> None:
    table = make_titanic(rows=2000)
    assert {len(column) for column in table.values()} == {2000}
    assert 0 < Counter(table["port"])["Belfast"] < 30  # a rare level
    assert 0.1 < Counter(table["age"])[None] / 2000 < 0.3
    assert Counter(table["cabin"])[None] / 2000 > 0.6  # mostly missing
    fares = sorted(float(str(fare)) for fare in table["fare"])
    assert sum(fares) / 2000 > 1.3 * fares[1000]  # a long tail
    assert 0.15 < Counter(table["survived"])["yes"] / 2000 < 0.3
    assert len(set(table["name"])) == 2000


def test_it_repeats_for_a_seed_and_changes_with_it() -> None:
    assert make_titanic(50, seed=3) == make_titanic(50, seed=3)
    assert make_titanic(50, seed=3) != make_titanic(50, seed=4)


def test_the_file_is_read_back_with_every_kind_of_column(tmp_path: Path) -> None:
    path = tmp_path / "titanic.csv"
    save_titanic(path, rows=300, seed=2)
    table = make_titanic(rows=300, seed=2)
    with path.open(encoding="utf-8", newline="") as file:
        header, first, *_ = csv.reader(file)
    assert header == list(table)
    assert first[0] == table["name"][0]
    read = read_table(path, "survived", drop=["name"])
    kinds = dict(zip(read.names, read.columns.columns, strict=True))
    assert {name for name, column in kinds.items() if isinstance(column, Text)} == {
        *("class", "sex", "port", "cabin")
    }
    alone = kinds["alone"]
    assert isinstance(alone, Numbers)
    assert alone.boolean
    assert read.y is not None
    assert read.y.tolist() == table["survived"]


@pytest.mark.parametrize("rows", [0, -1, 1.5, "3"])
def test_rows_that_are_no_count_are_refused(rows: int) -> None:
    with pytest.raises(ValueError, match="rows must be a whole number of at least 1"):
        make_titanic(rows)
