"""Tables in files are read as they are in memory, and their errors name the file."""

from __future__ import annotations

import os
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as arrow
import pytest
from pyarrow import dataset, parquet

from crisplogic.errors import TableError
from crisplogic.io import Layout, read_table
from crisplogic.streaming import StreamedTable, part_of
from crisplogic.tables import Columns, Numbers, read_columns
from tests.streaming.tables import NAMES, make_table, write_file, write_files

ALL = (*NAMES, "w", "score", "ill")


def values(columns: Columns) -> list[list[Any]]:
    """The values of every column, gaps as None."""
    found = [each.values.astype(object).tolist() for each in columns.columns]
    return [[None if value != value else value for value in column] for column in found]


def read_all(table: StreamedTable, names: tuple[str, ...] = ALL) -> list[list[Any]]:
    parts = [values(rows.columns) for rows in table.read(names, batch_rows=37)]
    return [list(chain.from_iterable(column)) for column in zip(*parts, strict=True)]


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
@pytest.mark.parametrize("parts", [1, 3])
def test_batches_are_the_rows_of_the_table(tmp_path: Path, parts: int, ending: str) -> None:
    made = make_table()
    table = StreamedTable.open(write_files(tmp_path, made, parts, ending))
    assert (table.rows, table.names) == (300, ALL)
    assert read_all(table) == values(read_columns(made))


@pytest.mark.parametrize("parts", [1, 3])
def test_text_files_mean_what_they_mean_in_memory(tmp_path: Path, parts: int) -> None:
    table = StreamedTable.open(write_files(tmp_path / "many", make_table(), parts, ".csv"))
    alone = read_table(write_file(tmp_path / "one.csv", make_table()))
    assert read_all(table) == values(alone.columns)
    kinds = [type(column).__name__ for column in alone.columns.columns]
    assert kinds.count("Text") == 2


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param("<5", id="a limit"),
        pytest.param("+7", id="a plus"),
        pytest.param("1e400", id="too large for a float"),
        pytest.param('"8"', id="a quoted number"),
        pytest.param("NULL", id="a missing value"),
        pytest.param(" 9 ", id="blanks"),
    ],
)
def test_an_odd_cell_is_read_as_in_memory(tmp_path: Path, odd: str) -> None:
    path = tmp_path / "odd.csv"
    rows = [f"{number},b{number % 2}" for number in range(40)]
    path.write_text("\n".join(["x,y", *rows, f"{odd},b1", '1,"b""0"', "2,b0"]) + "\n")
    if odd == "1e400":  # it is infinite
        for read in (read_table, lambda p: read_all(StreamedTable.open(p), ("x", "y"))):
            with pytest.raises(TableError, match="line 42"):
                read(path)
        return
    expected = values(read_table(path).columns)
    assert read_all(StreamedTable.open(path), ("x", "y")) == expected


def test_other_layouts_and_gzip_are_read_as_in_memory(tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "german.csv.gz"
    with gzip.open(path, "wt", encoding="cp1252") as file:
        file.write("größe;x\n" + "".join(f"{n},5;k{n % 3}\n" for n in range(30)))
    layout = Layout(encoding="cp1252")
    found = read_all(StreamedTable.open(path, layout), ("größe", "x"))
    assert found == values(read_table(path, layout=layout).columns)
    assert found[0][:2] == [0.5, 1.5]


def test_a_cell_of_another_kind_names_file_and_line(tmp_path: Path) -> None:
    write_file(tmp_path / "a.csv", make_table().select(["age", "ill"]))
    (tmp_path / "b.csv").write_text("age,ill\n7,yes\nold,no\n")
    table = StreamedTable.open(tmp_path)
    with pytest.raises(TableError, match=r"b\.csv, line 3: column 'age' must hold numbers"):
        read_all(table, ("age",))


def test_files_may_have_their_columns_in_another_order(tmp_path: Path) -> None:
    made = make_table()
    write_file(tmp_path / "a.parquet", made)
    write_file(tmp_path / "b.parquet", made.select(ALL[::-1]))
    found = read_all(StreamedTable.open(tmp_path))
    assert [column[:300] for column in found] == [column[300:] for column in found]


def test_a_pattern_a_list_and_a_dataset_are_the_same_table(tmp_path: Path) -> None:
    write_files(tmp_path, make_table(), 3)
    files = sorted(str(path) for path in tmp_path.iterdir())
    ways = (str(tmp_path / "*.parquet"), files, dataset.dataset(files), tmp_path)
    found = [[shard.path for shard in StreamedTable.open(way).shards] for way in ways]
    assert all(each == found[0] for each in found)


def test_columns_without_any_value_in_a_file_agree_with_all_kinds(tmp_path: Path) -> None:
    empty = arrow.table({"x": arrow.nulls(4), "t": arrow.nulls(4)})
    full = arrow.table({"x": [1.0, 2.0], "t": ["a", "b"]})
    write_file(tmp_path / "a.parquet", empty)
    write_file(tmp_path / "b.parquet", full)
    found = read_all(StreamedTable.open(tmp_path), ("x", "t"))
    assert found == [[None] * 4 + [1.0, 2.0], [None] * 4 + ["a", "b"]]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"x": ["a"], "t": ["b"]}, r"b\.parquet: column 'x' holds string, but in .*a\.parquet"),
        ({"x": [1.0]}, r"b\.parquet: there is no column 't', which .*a\.parquet has"),
        ({"x": [1.0], "t": ["b"], "z": [1]}, r"b\.parquet: column 'z' is not in .*a\.parquet"),
    ],
)
def test_files_that_differ_are_named_with_the_column(
    tmp_path: Path, other: dict[str, Any], message: str
) -> None:
    write_file(tmp_path / "a.parquet", arrow.table({"x": [1.0], "t": ["a"]}))
    write_file(tmp_path / "b.parquet", arrow.table(other))
    with pytest.raises(TableError, match=message):
        StreamedTable.open(tmp_path)


def test_formats_are_not_mixed(tmp_path: Path) -> None:
    write_file(tmp_path / "a.csv", make_table())
    write_file(tmp_path / "b.parquet", make_table())
    with pytest.raises(TableError, match=r"b\.parquet: it is a parquet file, but .*a\.csv"):
        StreamedTable.open(tmp_path)


def test_a_folder_without_tables_says_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("nothing")
    with pytest.raises(TableError, match=r"files that end in \.parquet.*notes\.md"):
        StreamedTable.open(tmp_path)


@pytest.mark.parametrize("path", ["none.parquet", "*.parquet", "nowhere/"])
def test_what_is_not_there_is_an_error_that_names_it(tmp_path: Path, path: str) -> None:
    with pytest.raises(TableError, match=path.strip("*/").replace(".", r"\.")):
        StreamedTable.open(str(tmp_path / path))


def test_what_spark_writes_beside_a_table_is_left_out(tmp_path: Path) -> None:
    write_files(tmp_path, make_table(), 2)
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".part-0.parquet.crc").write_text("x")
    assert len(StreamedTable.open(tmp_path).files) == 2


def test_a_file_that_vanishes_or_changes_meanwhile_is_named(tmp_path: Path) -> None:
    write_files(tmp_path, make_table(), 3)
    for change, message in (
        (lambda path: path.unlink(), r"part-002\.parquet: this file has vanished"),
        (
            lambda path: write_file(path, make_table(7)),
            r"part-002\.parquet: this file has ",
        ),
    ):
        write_files(tmp_path, make_table(), 3)
        table = StreamedTable.open(tmp_path)
        reading = table.read(["age"], ahead=0)
        next(reading)
        change(tmp_path / "part-002.parquet")
        with pytest.raises(TableError, match=message):
            list(reading)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    write_files(tmp_path, make_table(3000), 2)
    path = tmp_path / "part-001.parquet"
    content = bytearray(path.read_bytes())
    content[200:4000] = os.urandom(3800)
    path.write_bytes(content)
    with pytest.raises(TableError, match=r"part-001\.parquet: it is damaged"):
        read_all(StreamedTable.open(tmp_path))
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(TableError, match=r"part-001\.parquet"):
        StreamedTable.open(tmp_path)


def test_columns_that_cannot_be_learned_from_matter_only_if_they_are_read(
    tmp_path: Path,
) -> None:
    days = arrow.array([1, 2], arrow.date32())
    table = arrow.table({"x": [1.0, 2.0], "day": days, "list": [[1], [2]]})
    parquet.write_table(table, tmp_path / "a.parquet")
    opened = StreamedTable.open(tmp_path)
    assert read_all(opened, ("x",)) == [[1.0, 2.0]]
    with pytest.raises(TableError, match=r"'day'.*\n.*'list'"):
        opened.read(["day", "list"])
    with pytest.raises(TableError, match="no column 'dya'; did you mean 'day'"):
        opened.find("dya")


def test_readers_of_parts_read_every_row_once(tmp_path: Path) -> None:
    table = StreamedTable.open(write_files(tmp_path, make_table(), 4))
    for world in (1, 2, 3, 20):
        parts = [part_of(table.shards, rank, world) for rank in range(world)]
        numbers = [rows.numbers for part in parts for rows in table.read(["age"], part)]
        assert np.concatenate(numbers).tolist() == list(range(300))


def test_an_error_of_the_reading_thread_is_raised_where_rows_are_used(tmp_path: Path) -> None:
    table = StreamedTable.open(write_files(tmp_path, make_table(), 2))
    (tmp_path / "part-001.parquet").unlink()
    with pytest.raises(TableError, match="vanished"):
        list(table.read(["age"]))


def test_numbers_stay_numbers_where_a_file_has_two_of_them_alone(tmp_path: Path) -> None:
    write_file(tmp_path / "a.parquet", arrow.table({"x": [True, False]}))
    [rows] = StreamedTable.open(tmp_path).read(["x"])
    column = rows.columns.columns[0]
    assert isinstance(column, Numbers)
    assert column.boolean
