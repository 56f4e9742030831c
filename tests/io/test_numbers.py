"""Numbers as people write them: decimal commas, thousands, limits, units."""

from __future__ import annotations

import numpy as np
import pytest

from crisplogic.errors import TableError
from crisplogic.io import Layout, Remark, Table, open_chunks, read_table, text
from crisplogic.io.numbers import NumberFormat
from crisplogic.tables import Column, Numbers, Text
from tests.io.conftest import Write

NAN = float("nan")


def read(write: Write, content: str, **layout: str) -> Table:
    return read_table(write(content), layout=Layout(**layout))  # type: ignore[arg-type]


def predicted(write: Write, content: str, **layout: str) -> tuple[list[float], list[Remark]]:
    """Column a as it is read for rules that know it as numbers, and the remarks."""
    remarks: list[Remark] = []
    path, options = write(content), Layout(**layout)  # type: ignore[arg-type]
    with open_chunks(path, {"a": "number"}, (), options, remarks.extend) as (chunks, _):
        values = [value for chunk in chunks for value in chunk.columns[0].values.tolist()]
    return values, remarks


def column(write: Write, cells: list[str]) -> tuple[Column, tuple[Remark, ...]]:
    table = read(write, "a;b\n" + "".join(f'"{cell}";x{i}\n' for i, cell in enumerate(cells)))
    return table.columns.columns[0], table.remarks


# --- decimals and thousands -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "cells", "numbers"),
    [
        ({"decimal": ","}, ["1,5", "-,25", "3", "1e3"], [1.5, -0.25, 3, 1000]),
        ({"thousands": ","}, ["1,234", "1,234,567.5", "-1,000"], [1234, 1234567.5, -1e3]),
        ({"thousands": "."}, ["1.234", "1.234,5", "0,5", "3"], [1234, 1234.5, 0.5, 3]),
        ({"thousands": "space"}, ["1 234", "1\u00a0234.5", "7", ""], [1234, 1234.5, 7, NAN]),
        ({"decimal": ",", "thousands": "'"}, ["1'000,5", "2,5", "?"], [1000.5, 2.5, NAN]),
    ],
)
def test_decimals_and_thousands_are_read_as_told(
    write: Write, layout: dict[str, str], cells: list[str], numbers: list[float]
) -> None:
    content = "a;y\n" + "".join(f"{cell};1\n" for cell in cells)
    np.testing.assert_array_equal(read(write, content, **layout).X[:, 0], numbers)
    np.testing.assert_array_equal(predicted(write, content, **layout)[0], numbers)


def test_decimal_commas_may_be_quoted_between_commas(write: Write) -> None:
    table = read(write, 'a,y\n"1,5",2\n"2,5",3\n', decimal=",")
    assert table.X.tolist() == [[1.5, 2], [2.5, 3]]


@pytest.mark.parametrize("cell", ["12,34", "1,2345", ",123", "1234,567", "1,23,456", "1,,234"])
def test_a_group_of_thousands_has_three_digits(write: Write, cell: str) -> None:
    assert NumberFormat(thousands=",").parse(cell) is None


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        ({"decimal": ";"}, "a decimal mark is"),
        ({"thousands": "x"}, "thousands are separated by"),
        ({"decimal": ",", "thousands": ","}, "must differ"),
    ],
)
def test_marks_that_are_none_are_refused(layout: dict[str, str], said: str) -> None:
    with pytest.raises(TableError, match=said):
        Layout(**layout)  # type: ignore[arg-type]


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_decimal_commas_are_detected_between_other_delimiters(
    write: Write, delimiter: str
) -> None:
    rows = ["a,text,b,whole", "1;5,Smith; J,1;234,7", ",x,2;000,8", "2;25,y,0;001,9"]
    content = "\n".join(row.replace(",", delimiter).replace(";", ",") for row in rows)
    if delimiter == ";":
        content = "a;text;b;whole\n1,5;Smith, J;1,234;7\n;x;2,000;8\n2,25;y;0,001;9\n"
    table = read(write, content)
    a, words, b, whole = (each.values.tolist() for each in table.columns.columns)
    np.testing.assert_array_equal(a, [1.5, NAN, 2.25])
    assert b == [1.234, 2.0, 0.001]
    assert (words[1:], whole) == (["x", "y"], [7, 8, 9])
    (remark,) = table.remarks
    assert (remark.kind, remark.columns) == ("decimal_commas", ("a", "b"))
    assert remark.remedies == {"decimal": "."}
    found, remarks = predicted(write, content)
    np.testing.assert_array_equal(found, a)
    assert [each.kind for each in remarks] == ["decimal_commas"]


@pytest.mark.parametrize(
    ("content", "remedies"),
    [
        ("a;b\n1,234;1\n2,000;2\n3,500;3\n", {"decimal": ",", "thousands": ","}),
        ("a;b\n1,5;1.5\n2,5;2\n3,5;3\n", {"decimal": ","}),
        ("a;b\n1.234,5;1\n2.000,5;2\n3.500,5;3\n", {"thousands": "."}),
        ("a;b\n1 234;1\n2 000;2\n3 500;3\n", {"thousands": " "}),
    ],
    ids=["thousands or decimals", "beside points", "German thousands", "blanks"],
)
def test_what_is_not_clear_is_refused_with_what_to_say(
    write: Write, content: str, remedies: dict[str, str]
) -> None:
    with pytest.raises(TableError, match=r"column 'a' must hold numbers like 1234\.5") as error:
        read(write, content)
    assert error.value.remedies == {**remedies, "categories": "a", "drop": "a"}
    with pytest.raises(TableError, match="column 'a' must hold numbers, as") as error:
        predicted(write, content)
    assert error.value.remedies == remedies


def test_decimal_commas_are_detected_beside_signs_and_units(write: Write) -> None:
    table = read(write, "a;b\n1,5;5,5 %\n<0,5;6 %\n2;7,25 %\n")
    assert table.X.tolist() == [[1.5, 5.5], [0.5, 6], [2, 7.25]]
    kinds = [remark.kind for remark in table.remarks]
    assert kinds == ["decimal_commas", "limits", "unit"]


def test_limits_with_commas_that_are_not_clear_are_no_category(write: Write) -> None:
    with pytest.raises(TableError, match="'a' must hold numbers like"):
        read(write, "a;b\n1,500;1\n<2,250;2\n3,125;3\n4,125;3\n")


def test_decimal_points_are_not_read_where_commas_were_found(write: Write) -> None:
    with pytest.raises(TableError, match=r"numbers like 1234,5, got '1.234,5'"):
        read(write, "a;b\n0,5;1.234,5\n1,5;2.000,25\n2,5;3.000,5\n")


def test_a_decimal_point_may_be_demanded(write: Write) -> None:
    table = read(write, "a;b\nx,y;1\n1,5;2\n1,7;2\n", decimal=".")
    assert isinstance(table.columns.columns[0], Text)
    assert table.remarks == ()


# --- Excel's first line -----------------------------------------------------------------------


@pytest.mark.parametrize("line", ["sep=|", "SEP=|", '"sep=|"', "\ufeffsep=|", "\nsep=|"])
def test_the_line_that_names_the_delimiter_does(write: Write, line: str) -> None:
    table = read(write, f"{line}\na, b; c|d\n1|2\n")
    assert table.names == ("a, b; c", "d")
    assert table.X.tolist() == [[1, 2]]


def test_lines_keep_their_numbers_after_the_line_that_names_the_delimiter(write: Write) -> None:
    with pytest.raises(TableError, match="line 4: needed 2 cells"):
        read(write, "sep=;\na;b\n1;2\n1\n")


def test_a_delimiter_that_is_given_prevails(write: Write) -> None:
    assert read(write, "sep=;\na,b\n1,2\n", delimiter=",").names == ("a", "b")


# --- limits and units -------------------------------------------------------------------------


@pytest.mark.parametrize("cell", ["<132.1", "> 132.1", "<=132.1", "≥132.1"])
def test_limits_among_numbers_are_numbers_with_a_remark(write: Write, cell: str) -> None:
    found, remarks = column(write, ["1", cell, "", "2.5", cell])
    assert isinstance(found, Numbers)
    np.testing.assert_array_equal(found.values, [1, 132.1, NAN, 2.5, 132.1])
    (remark,) = remarks
    assert (remark.kind, remark.columns, remark.count) == ("limits", ("a",), 2)
    assert repr(cell) in remark.message


@pytest.mark.parametrize(
    "cells", [["<50", ">50", "<50"], ["<18", "18-65", ">65"], ["<5", "5", ">5", "<5", ">5"]]
)
def test_groups_are_a_category(write: Write, cells: list[str]) -> None:
    found, remarks = column(write, cells)
    assert isinstance(found, Text)
    assert remarks == ()


@pytest.mark.parametrize(
    ("cells", "unit", "numbers"),
    [
        (["12%", "8 %", ""], "%", [12, 8, NAN]),
        (["$5", "-$7.50", "$1"], "$", [5, -7.5, 1]),
        (["5 €", "7.5€", "1 €"], "€", [5, 7.5, 1]),
        (["170 cm", "182.5 cm", "?"], "cm", [170, 182.5, NAN]),
        (["36.6 °C", "37°C", "40 °C"], "°C", [36.6, 37, 40]),
    ],
)
def test_numbers_of_one_unit_are_numbers_with_a_remark(
    write: Write, cells: list[str], unit: str, numbers: list[float]
) -> None:
    found, remarks = column(write, cells)
    np.testing.assert_array_equal(found.values, numbers)
    (remark,) = remarks
    assert (remark.kind, remark.columns) == ("unit", ("a",))
    assert repr(unit) in remark.message


@pytest.mark.parametrize(
    "cells", [["1 km", "500 m"], ["A1", "A2"], ["1st", "2nd"], ["1 - 5", "6 - 9"], ["1A", "2A"]]
)
def test_what_has_several_units_or_none_is_text(write: Write, cells: list[str]) -> None:
    assert isinstance(column(write, cells)[0], Text)


@pytest.mark.parametrize("size", [1, 2, 100])
def test_rules_read_limits_and_units_in_chunks(
    write: Write, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(text, "CHUNK_ROWS", size)
    found, (limits,) = predicted(write, "a\n1\n<2.5\n\n3\n<2.5\n")
    assert found == [1, 2.5, 3, 2.5]
    assert (limits.kind, limits.count) == ("limits", 2)
    found, (unit,) = predicted(write, "a\n1 %\n2%\n3 %\n")
    assert found == [1, 2, 3]
    assert (unit.kind, unit.count) == ("unit", 3)
    for mixed in ("a\n1\n2%\n", "a\n1%\n2\n", "a\n1 km\n2 m\n"):
        with pytest.raises(TableError, match="must hold numbers, as it did"):
            predicted(write, mixed)


def test_a_very_long_text_takes_no_time(write: Write) -> None:
    """Matching would take time that grows with the square of its length."""
    found, _ = column(write, ["1" + " " * 100_000 + "x y"] * 2 + ["b", "c"])
    assert isinstance(found, Text)
