"""What columns of texts are taken for: categories, truth values, or mistakes."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest

from crisplogic.errors import TableError
from crisplogic.io import Layout, read_table, text
from crisplogic.tables import Column, Numbers, Text
from tests.io.conftest import Write
from tests.platforms import posix


def column(write: Write, cells: list[str], **options: object) -> Column:
    path = write("number,it\n" + "".join(f'{i},"{cell}"\n' for i, cell in enumerate(cells)))
    return read_table(path, columns=["it"], **options).columns.columns[0]  # type: ignore[arg-type]


def refused(write: Write, cells: list[str]) -> TableError:
    with pytest.raises(TableError) as error:
        column(write, cells)
    return error.value


def refusal(write: Write, cells: list[str]) -> str:
    return str(refused(write, cells))


def test_texts_are_a_category_without_spaces_around_them(write: Write) -> None:
    found = column(write, ["red", " red ", "", "NA", "blue", "red wine"])
    assert isinstance(found, Text)
    assert found.uniques == ("red", "blue", "red wine")
    assert found.values.tolist() == ["red", "red", None, None, "blue", "red wine"]


def test_true_and_false_alone_are_truth_values(write: Write) -> None:
    found = column(write, ["true", "FALSE", "", "False", "?"])
    assert isinstance(found, Numbers)
    assert found.boolean
    np.testing.assert_array_equal(found.values, [1, 0, np.nan, 0, np.nan])


@pytest.mark.parametrize("cells", [["yes", "no"], ["true", "false", "unsure"], ["t", "f"]])
def test_what_only_looks_like_truth_is_a_category(write: Write, cells: list[str]) -> None:
    found = column(write, cells)
    assert isinstance(found, Text)
    assert found.uniques == tuple(cells)


def test_numbers_among_many_texts_are_texts_as_they_are_written(write: Write) -> None:
    found = column(write, ["007", "1.0", "A1", "B2", "C3", "7"])
    assert isinstance(found, Text)
    assert found.uniques == ("007", "1.0", "A1", "B2", "C3", "7")


@pytest.mark.parametrize(
    "cells",
    [["1", "2", "3", "four"], ["1", "2", "x", "y"], [*map(str, range(100)), "a", "b", "c"]],
    ids=["one", "two different", "few of many"],
)
def test_a_few_texts_among_numbers_are_mistakes_with_their_lines(
    write: Write, cells: list[str]
) -> None:
    odd = [i for i, cell in enumerate(cells) if cell.isalpha()]
    error = refused(write, cells)
    message = str(error)
    assert f"line {odd[0] + 2}: column 'it' must hold numbers" in message
    assert f"got {cells[odd[0]]!r}" in message
    for row in odd[1:]:
        assert str(row + 2) in message.partition("more cells: ")[2]
    assert error.remedies == {"missing": cells[odd[0]], "categories": "it", "drop": "it"}


def test_mistakes_are_read_as_the_caller_says(write: Write) -> None:
    cells = ["1", "2", "unknown", "3"]
    missing = column(write, cells, layout=Layout(missing=("Unknown",)))
    assert isinstance(missing, Numbers)
    np.testing.assert_array_equal(missing.values, [1, 2, np.nan, 3])
    category = column(write, cells, categories=["it"])
    assert isinstance(category, Text)
    assert category.uniques == ("1", "2", "unknown", "3")


def test_a_number_that_means_missing_does_so_however_it_is_written(write: Write) -> None:
    found = column(write, ["1", "-999", "-999.0", "?"], layout=Layout(missing=("-999",)))
    np.testing.assert_array_equal(found.values, [1, np.nan, np.nan, np.nan])


@pytest.mark.parametrize(
    "dates",
    [
        ["2024-01-31", "2023-12-01", ""],
        ["2024-01-31T12:30:00Z", "2023-12-01 08:00"],
        ["31.1.2024", "1.12.2023"],
        ["1/31/24", "12/1/23"],
        ["12:30", "08:15:59"],
    ],
    ids=["iso", "with a time", "points", "slashes", "times"],
)
def test_dates_and_times_are_refused_with_advice(write: Write, dates: list[str]) -> None:
    message = refusal(write, dates)
    assert f"got dates or times such as {dates[0]!r}" in message
    assert "an age in days, a year or a month" in message


@pytest.mark.parametrize(
    "cells",
    [
        ["1,5", "2,5", "3,0"],
        ["12 %", "15%", "8"],
        ["$5", "€7.50", "€1"],
        ["1 000", "2 500", "1"],
    ],
    ids=["comma", "percent or not", "two currencies", "thousands"],
)
def test_numbers_written_for_people_are_refused(write: Write, cells: list[str]) -> None:
    message = refusal(write, cells)
    assert "must hold numbers" in message
    assert f"got {cells[0]!r}" in message or f"got {cells[-1]!r}" in message


def test_a_whole_number_is_one_category_however_it_is_written(write: Write) -> None:
    found = column(write, ["2", "1", "2.0", "", " 2 ", "1.00"], categories=["it"])
    assert isinstance(found, Text)
    assert found.uniques == ("2", "1")
    assert found.values.tolist() == ["2", "1", "2", None, "2", "1"]


@pytest.mark.parametrize("cells", [["2", "2.0", "2.1"], ["07", "7", "7.0"], ["1", "1.0", "a"]])
def test_codes_and_versions_are_categories_as_they_are_written(
    write: Write, cells: list[str]
) -> None:
    found = column(write, cells, categories=["it"])
    assert isinstance(found, Text)
    assert found.uniques == tuple(cells)


def people() -> str:
    rows = (f"name {i},{i},ticket {i},{'ab'[i % 2]}\n" for i in range(60))
    return "".join(["name,age,ticket,port\n", *rows])


def test_texts_that_are_nearly_all_different_are_left_out(write: Write) -> None:
    table = read_table(write(people()))
    assert table.names == ("age", "port")
    assert table.left_out == ("name", "ticket")


def test_what_is_asked_for_is_not_left_out(write: Write) -> None:
    path = write(people())
    assert read_table(path, categories=["name"]).names == ("name", "age", "port")
    assert read_table(path, columns=["ticket"]).names == ("ticket",)


def test_a_table_of_nothing_but_names_is_refused(write: Write) -> None:
    with pytest.raises(TableError, match=r"nearly all distinct.*'ticket'.*Group their values"):
        read_table(write(people()), drop=["age", "port"])


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_the_kind_of_a_column_does_not_depend_on_chunks(
    write: Write, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(text, "CHUNK_ROWS", size)
    found = column(write, ["", "01", "1", "a", "b", "c", "true"])
    assert isinstance(found, Text)
    assert found.uniques == ("01", "1", "a", "b", "c", "true")
    truth = column(write, ["", "", "true", "false"])
    assert isinstance(truth, Numbers)
    assert truth.boolean


def test_lines_of_mistakes_are_those_of_the_file_across_chunks(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "CHUNK_ROWS", 2)
    with pytest.raises(TableError, match="line 8: column 'a' must hold"):
        read_table(write("a\n\n1\n2\n\n3\n4\nx\n5\n"))


@posix
def test_a_pipe_is_read_unless_it_had_to_be_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "CHUNK_ROWS", 2)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def sent(content: str) -> None:
        threading.Thread(target=lambda: pipe.write_text(content)).start()

    sent("a,b\n1,x\n2,y\n3,x\n")
    assert len(read_table(pipe).columns) == 3
    sent("a\n1\n2\nx\ny\nz\n")
    with pytest.raises(TableError, match=r"'a' holds numbers first .* a category"):
        read_table(pipe)
