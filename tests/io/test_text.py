"""read_table: any CSV file that a person has, or an error with its line."""

from __future__ import annotations

import csv
import gzip
import io
from io import TextIOWrapper
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crisplogic.errors import TableError
from crisplogic.io import (
    DELIMITERS,
    MISSING,
    MOST_CLASSES,
    Table,
    check_classes,
    open_chunks,
    read_table,
    text,
)
from tests.io.conftest import Write
from tests.platforms import posix
from tests.strategies import HOSTILE_NAMES

NAN = float("nan")


def refusal(
    path: Path, target: str | None = None, columns: list[str] | None = None, drop: str = ""
) -> str:
    with pytest.raises(TableError) as error:
        read_table(path, target, columns, drop=[drop] if drop else [])
    message = str(error.value)
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


def table_or_error(path: Path) -> Table | TableError:
    try:
        return read_table(path)
    except TableError as error:
        return error


# --- what is read -----------------------------------------------------------------------------


def test_numbers_and_target_are_read(write: Write) -> None:
    table = read_table(write("age,ill,bmi\n50,yes,31.5\n41,no,-2e1\n"), target="ill")
    assert table.names == ("age", "bmi")
    assert table.X.dtype == np.float64
    assert table.X.tolist() == [[50, 31.5], [41, -20]]
    assert table.y is not None
    assert table.y.dtype.kind == "U"
    assert table.y.tolist() == ["yes", "no"]


def test_without_a_target_there_is_none(write: Write) -> None:
    table = read_table(write("a,b\n1,2\n"))
    assert (table.names, table.X.tolist(), table.y) == (("a", "b"), [[1, 2]], None)


def test_a_target_of_numbers_stays_the_text_it_is(write: Write) -> None:
    table = read_table(write("a,y\n1,01\n2,1.0\n3, 1 \n"), target="y")
    assert table.y is not None
    assert table.y.tolist() == ["01", "1.0", "1"]


@pytest.mark.parametrize("delimiter", DELIMITERS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["unix", "windows", "old mac"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "marked"])
@pytest.mark.parametrize("last", [True, False], ids=["", "no last line end"])
def test_every_delimiter_line_end_and_byte_order_mark_will_do(
    delimiter: str, end: str, mark: str, last: bool, write: Write
) -> None:
    lines = [["age", "body mass", "y"], ["1", "2.5", "a"], ["", "-3", "b"]]
    text = end.join(delimiter.join(cells) for cells in lines) + end * last
    table = read_table(write(mark + text), target="y")
    assert table.names == ("age", "body mass")
    np.testing.assert_array_equal(table.X, [[1, 2.5], [NAN, -3]])


@pytest.mark.parametrize("delimiter", DELIMITERS)
@pytest.mark.parametrize(
    "name",
    [*(name for name in HOSTILE_NAMES if name.strip()), "a,b;c|d\te", 'say "hi"', "a\r\nb"],
)
def test_quoted_names_may_hold_anything_delimiters_and_line_breaks_too(
    name: str, delimiter: str, write: Write
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([[name, "x", name + "!"], ["1", "2", "3"]])
    table = read_table(write(text.getvalue()), columns=["x", name, name + "!"])
    assert table.names == ("x", name, name + "!")
    assert table.X.tolist() == [[2, 1, 3]]


def test_a_stray_quote_in_a_name_does_no_harm(write: Write) -> None:
    assert read_table(write('5" pipe;b\n1;2\n')).names == ('5" pipe', "b")


def test_quoted_cells_may_hold_line_breaks(write: Write) -> None:
    table = read_table(write('a,y\n"1","x\ny"\n" 2 ",z\n'), target="y")
    assert table.X.tolist() == [[1], [2]]
    assert table.y is not None
    assert table.y.tolist() == ["x\ny", "z"]


def test_spaces_around_names_cells_and_quotes_do_not_count(write: Write) -> None:
    table = read_table(write('a , "b, c",\ty\n 1,\t2 , yes \n'), target="y")
    assert table.names == ("a", "b, c")
    assert table.X.tolist() == [[1, 2]]
    assert table.y is not None
    assert table.y.tolist() == ["yes"]


def test_a_name_is_found_whatever_spaces_are_around_it(write: Write) -> None:
    path = write('" age ",ill,id\n1,yes,7\n')
    assert read_table(path, target=" ill", columns=[" age "]).X.tolist() == [[1]]
    assert read_table(path, target="ill ", drop=[" id "]).names == ("age",)


@pytest.mark.parametrize("blank", ["\n", "  \n", "\r\n", "\t\n", "\n\n\n"])
def test_blank_lines_are_skipped_wherever_they_stand(blank: str, write: Write) -> None:
    path = write(f"{blank}a,b\n{blank}1,2\n{blank}3,4\n{blank}")
    assert read_table(path).X.tolist() == [[1, 2], [3, 4]]


def test_in_a_single_column_a_quoted_nothing_is_a_missing_value(write: Write) -> None:
    np.testing.assert_array_equal(read_table(write('a\n1\n""\n\n2\n')).X, [[1], [NAN], [2]])


def test_a_row_of_nothing_but_delimiters_is_a_row(write: Write) -> None:
    np.testing.assert_array_equal(read_table(write("a,b\n,\n1,2\n")).X, [[NAN, NAN], [1, 2]])


@pytest.mark.parametrize("mark", sorted({*MISSING, "NA", "NaN", "Null", " ? ", "-nan"}))
def test_what_people_write_for_a_missing_value_is_nan(mark: str, write: Write) -> None:
    np.testing.assert_array_equal(read_table(write(f"a,b\n{mark},1\n")).X, [[NAN, 1]])


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("1e3", 1000),
        ("+.5", 0.5),
        ("-0", 0),
        ("1.7976931348623157e308", 1.7976931348623157e308),
    ],
)
def test_numbers_may_be_written_in_every_usual_way(
    cell: str, number: float, write: Write
) -> None:
    assert read_table(write(f"a\n{cell}\n")).X.tolist() == [[number]]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_number_that_python_writes_is_read_to_the_bit(
    write: Write, numbers: list[float]
) -> None:
    path = write("a\n" + "\n".join(map(repr, numbers)))
    assert read_table(path).X.tobytes() == np.array(numbers).tobytes()


def test_what_pandas_writes_with_its_row_numbers_is_read_without_them(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.5, NAN], "b": [3, 4], "y": ["yes", "no"]})
    frame.to_csv(tmp_path / "table.csv")
    table = read_table(tmp_path / "table.csv", target="y")
    assert table.names == ("a", "b")
    np.testing.assert_array_equal(table.X, [[1.5, 3], [NAN, 4]])


def test_columns_without_a_name_are_left_out_unless_asked_for(write: Write) -> None:
    assert read_table(write(",a, ,b,\nx,1,,2,\n")).X.tolist() == [[1, 2]]
    assert read_table(write("a,\n1,2\n"), columns=["", "a"]).X.tolist() == [[2, 1]]


def test_columns_asked_for_come_in_the_order_asked_for(write: Write) -> None:
    path = write("a,text,b,y\n1,x,2,yes\n")
    table = read_table(path, target="y", columns=("b", "a"))
    assert table.names == ("b", "a")
    assert table.X.tolist() == [[2, 1]]
    assert table.y is not None


def test_columns_that_were_not_asked_for_may_hold_anything(write: Write) -> None:
    path = write("a,text,text,inf\n1,x,y,inf\n")
    assert read_table(path, columns=["a"]).X.tolist() == [[1]]


def test_dropped_columns_are_left_out_all_of_their_name(write: Write) -> None:
    path = write("id,a,note,note,y\nk1,1,x,x,yes\n")
    assert read_table(path, target="y", drop=["id", "note"]).names == ("a",)


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_rows_are_the_same_however_many_are_read_at_a_time(
    size: int, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "CHUNK_ROWS", size)
    table = read_table(write("a,y\n" + "\n".join(f"{i},c{i}" for i in range(6))), target="y")
    assert table.X.ravel().tolist() == list(range(6))
    assert table.y is not None
    assert table.y.tolist() == [f"c{i}" for i in range(6)]


def test_more_rows_than_are_read_at_a_time_all_arrive(write: Write) -> None:
    rows = 2 * text.CHUNK_ROWS + 1
    table = read_table(write("a\n" + "\n".join(map(str, range(rows)))))
    assert (table.X.ravel() == np.arange(rows)).all()


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["", "\n", "\ufeff", " \n \n", "\ufeff\r\n", ",,,\n", '""'])
def test_an_empty_file_is_refused(content: str, write: Write) -> None:
    message = refusal(write(content))
    assert message == ": it is empty; a table needs a header line and at least one row"


@pytest.mark.parametrize("content", ["a,b", "a,b\n", "a,b\n\n  \n"])
def test_a_header_without_rows_is_refused(content: str, write: Write) -> None:
    assert refusal(write(content)) == ": it has a header line but no rows"


@pytest.mark.parametrize(
    ("content", "line", "cells"),
    [
        ("a,b\n1,2\n3\n", 3, 1),
        ("a,b\n1,2,3\n", 2, 3),
        ("\n\na,b\n\n1,2,\n", 5, 3),
        ('"a\nb",c\n1,2\n1\n', 4, 1),
        ("a;b\n1,2\n", 2, 1),
        ("a,b\n1,2\n1,2\n,,\n", 4, 3),
    ],
)
def test_a_row_with_more_or_fewer_cells_than_the_header_is_refused_with_its_line(
    content: str, line: int, cells: int, write: Write
) -> None:
    message = refusal(write(content))
    assert message == f", line {line}: needed 2 cells as in the header, got {cells}"


@pytest.mark.parametrize(
    "cell", ["high", "1_000", "_", "1,5", "0x10", "1 000", "12%", "--1", "1.2.3", "True", "nil"]
)
def test_text_where_a_number_is_needed_is_refused_with_its_line(
    cell: str, write: Write
) -> None:
    message = refusal(write(f'a,the b\n1,2\n3,"{cell}"\n'))
    assert message.startswith(
        f", line 3: column 'the b' must hold numbers, as most of its cells do, got {cell!r}; "
    )
    assert f"declare {cell!r} a mark for missing values" in message
    assert message.endswith("declare the column a category, or leave it out")


@pytest.mark.parametrize("cell", ["inf", "-inf", "Infinity", "1e999"])
def test_infinite_numbers_are_refused_with_their_line(cell: str, write: Write) -> None:
    message = refusal(write(f"a\n1\n\n{cell}\n"))
    assert message.startswith(
        f", line 4: column 'a' holds {cell!r}, but numbers must be finite"
    )


def test_lines_are_counted_across_chunks(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "CHUNK_ROWS", 2)
    assert ", line 7: " in refusal(write("a\n1\n2\n\n3\n4\nx\n"))


@pytest.mark.parametrize("mark", sorted({*MISSING, "NA", " "} - {"none"}))
def test_rows_without_a_target_are_left_out_with_a_remark(mark: str, write: Write) -> None:
    path = write(f"a,y,w\n1,yes,1\n2,{mark},\n3,no,2\n\n4,{mark},x\n")
    table = read_table(path, target="y", weight="w")
    assert table.X.tolist() == [[1], [3]]
    assert table.y is not None
    assert table.y.tolist() == ["yes", "no"]
    assert table.weights is not None
    assert table.weights.tolist() == [1, 2]
    (remark,) = table.remarks
    assert (remark.kind, remark.columns, remark.count) == ("no_target", ("y",), 2)
    assert remark.message.endswith(": 2 row(s), the first is line 3")
    assert repr(mark.strip()) in remark.message or not mark.strip()


def test_lines_are_those_of_the_file_after_rows_were_left_out(write: Write) -> None:
    table = read_table(write("a,y\n1,\n2,5\n3,x\n"), target="y")
    assert table.target is not None
    with pytest.raises(TableError, match="line 4: the target 'y' must hold numbers, got 'x'"):
        table.target.require_numbers()


def test_a_mark_that_may_be_a_class_is_refused_in_a_target(write: Write) -> None:
    message = refusal(write("a,y\n1,mild\n2,None\n3,severe\n"), target="y")
    assert message.startswith(", line 3: the target 'y' is missing ('None'); if this is the")


def test_a_target_that_is_missing_everywhere_is_refused(write: Write) -> None:
    message = refusal(write("a,y\n1,\n2,NA\n"), target="y")
    assert message == ": the target 'y' is missing in all 2 rows"


@pytest.mark.parametrize(
    ("asked", "meant"),
    [("glucos", "glucose"), ("Glucose", "glucose"), ("bmi", "BMI"), ("body_mass", "body mass")],
)
def test_a_column_that_does_not_exist_is_refused_with_the_closest_there_is(
    asked: str, meant: str, write: Write
) -> None:
    path = write("glucose,BMI,body mass\n1,2,3\n")
    said = (
        f": there is no column {asked!r}; did you mean {meant!r}? The columns are 'glucose', "
    )
    assert refusal(path, target=asked).startswith(said)
    assert refusal(path, columns=["BMI", asked]).startswith(said)
    assert refusal(path, drop=asked).startswith(said)


def test_a_column_like_no_other_is_refused_with_those_there_are(write: Write) -> None:
    message = refusal(write("a,b\n1,2\n"), target="diagnosis")
    assert message == ": there is no column 'diagnosis'. The columns are 'a', 'b'"


@pytest.mark.parametrize(("target", "columns"), [(None, None), ("a", None), (None, ["a"])])
def test_a_name_over_several_columns_is_refused(
    target: str | None, columns: list[str] | None, write: Write
) -> None:
    message = refusal(write("a,b,a, a\n1,2,3,4\n"), target, columns)
    assert message == ": the name 'a' stands over 3 columns; rename all but one"


def test_a_table_with_nothing_to_learn_from_is_refused(write: Write) -> None:
    path = write("y,id\nyes,1\n")
    assert refusal(path, target="y", drop="id") == ": no column is left to learn from"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a,b\n1,\xe9\n", ": it is not UTF-8 text ("),
        ("a,b\n1,2\n".encode("utf-16-le"), ", line 1: it holds NUL bytes"),
        (b"PK\x03\x04\x14\x00\x08\x00", ": it is a ZIP archive; unpack it"),
        (b"a,y\n1,x\n2,x\x00\n", ", line 3: it holds NUL bytes"),
        (b'a,b\n1,2\n"3"x,4\n', ", line 3: it is not a CSV file ("),
        (
            b'a,b\n1,2\n3,"4\n\n',
            ", line 4: it is not a CSV file (unexpected end of data); is a quote not closed "
            "that begins in line 3?",
        ),
        (b'"a,b\n1,2\n', ", line 2: it is not a CSV file (unexpected end of data)"),
        (b"a\n1\n" + b"1" * 200_000, ", line 3: it is not a CSV file (field larger than"),
    ],
    ids=[
        *("latin-1", "utf-16-le", "zip", "NUL", "after a quote", "open quote"),
        *("open header", "endless cell"),
    ],
)
def test_a_file_that_is_no_table_is_refused(content: bytes, said: str, write: Write) -> None:
    assert refusal(write(content)).startswith(said)


@pytest.mark.parametrize("where", ["header", "row"])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_a_line_without_end_is_refused_before_it_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, packed: bool
) -> None:
    monkeypatch.setattr(text, "MOST_CHARACTERS", 2**16)
    read: list[int] = []
    monkeypatch.setattr(text, "TextIOWrapper", Recording)
    monkeypatch.setattr(Recording, "seen", read)
    path = tmp_path / "table.csv"
    with (gzip.open if packed else open)(path, "wb") as file:
        file.write(b"a,b\n1,2\n" if where == "row" else b"")
        for _ in range(64):
            file.write(b"1," * 2**15)
    line = 3 if where == "row" else 1
    assert refusal(path) == (
        f", line {line}: this line has more than 65,536 characters, so it is none of a table"
    )
    assert max(read) <= 2**16 + 1


class Recording(TextIOWrapper):
    """Text that notes how long the lines are that are read from it."""

    seen: ClassVar[list[int]] = []

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        line = super().readline(size)
        self.seen.append(len(line))
        return line

    def __next__(self) -> str:  # type: ignore[override]
        line = super().__next__()
        self.seen.append(len(line))
        return line


def test_rows_of_long_texts_come_in_small_chunks(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "CHUNK_CHARACTERS", 1000)
    path = write("a,b\n" + "".join(f"{i % 3},{'x' * 500}{i % 2}\n" for i in range(20)))
    with open_chunks(path, {"a": "number", "b": "category"}) as (chunks, _):
        sizes = [len(chunk) for chunk in chunks]
    assert sum(sizes) == 20
    assert max(sizes) <= 3


@posix
def test_a_device_without_end_is_refused() -> None:
    with pytest.raises(TableError, match="NUL bytes"):
        read_table("/dev/zero")
    with pytest.raises(TableError, match="it is empty"):
        read_table("/dev/null")


def test_all_columns_with_problems_are_reported_at_once(write: Write) -> None:
    rows = (f"{i},2020-01-{i:02d},{i},{i}\n" for i in range(1, 28))
    path = write("a,b,c,d\n" + "".join(rows) + "x,2020-02-01,inf,1\n")
    with pytest.raises(TableError) as error:
        read_table(path, "d")
    head, *lines = str(error.value).split("\n")
    assert head == f"{path}: 3 columns cannot be used as they are:"
    assert [line[:21] for line in lines] == [
        "  line 29: column 'a'",
        "  column 'b' must hold"[:21],
        "  line 29: column 'c'",
    ]
    assert [each.remedies.get("drop") for each in error.value.problems] == ["a", "b", None]
    with (
        pytest.raises(TableError, match=r"2 columns cannot .*\n  line 2: column 'b'"),
        open_chunks(path, {"b": "number", "c": "number"}) as (chunks, _),
    ):
        list(chunks)


def test_a_missing_file_and_a_folder_are_errors_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.csv"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(IsADirectoryError, match=tmp_path.name):
        read_table(tmp_path)


@given(st.binary(max_size=60) | st.text(alphabet='ab1,;\t|"\n\r \0\ufeffé', max_size=40))
@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_a_table_or_an_error_that_names_the_file(
    write: Write, content: bytes | str
) -> None:
    path = write(content)
    result = table_or_error(path)
    if isinstance(result, TableError):
        assert str(result).startswith(str(path))
    else:
        assert len(result.columns.columns) == len(result.names) > 0
        assert len(result.columns) > 0


# --- classes ----------------------------------------------------------------------------------


def test_a_target_of_one_class_is_refused() -> None:
    with pytest.raises(TableError, match=r"at least 2 classes; it is 'yes' in all 3 rows"):
        check_classes(np.array(["yes"] * 3), "ill")


@pytest.mark.parametrize(("form", "otherwise"), [("{}", True), ("no. {}", False)])
def test_a_target_of_nearly_as_many_classes_as_rows_is_refused(
    form: str, otherwise: bool
) -> None:
    labels = np.array([form.format(number) for number in range(MOST_CLASSES + 1)])
    with pytest.raises(TableError, match=r"'price' has 51 different values in 51 ") as error:
        check_classes(labels, "price")
    assert ("predict it as a number" in str(error.value)) == otherwise
    assert error.value.remedies == ({"task": "regression"} if otherwise else {})


@pytest.mark.parametrize(
    ("classes", "rows"), [(2, 2), (2, 100), (MOST_CLASSES, MOST_CLASSES), (60, 120)]
)
def test_a_target_of_few_classes_or_of_many_rows_each_is_accepted(
    classes: int, rows: int
) -> None:
    check_classes(np.array([f"c{row % classes}" for row in range(rows)]), "y")
