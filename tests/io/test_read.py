"""Files of every kind, real ones: compressed, in other encodings, Parquet, damaged."""

from __future__ import annotations

import gzip
import io
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from crisplogic.errors import TableError
from crisplogic.io import Layout, Table, arrow, read_table
from crisplogic.tables import Numbers, Text
from tests.io.conftest import Write
from tests.platforms import not_root
from tests.strategies import HOSTILE_NAMES

CONTENT = "größe,farbe,gut\n1.5,rot,ja\n,blau,nein\n"
FRAME = pd.DataFrame(
    {
        "größe": [1.5, None, 3.0],
        "farbe": ["rot", "blau", None],
        "alt": [True, False, True],
        "stufe": pd.Categorical(["1", "2", "1"]),
        "gut": ["ja", "nein", "ja"],
    }
)


def assert_as_written(table: Table) -> None:
    assert table.names == ("größe", "farbe")
    number, text = table.columns.columns
    np.testing.assert_array_equal(number.values, [1.5, np.nan])
    assert text.values.tolist() == ["rot", "blau"]
    assert table.y is not None
    assert table.y.tolist() == ["ja", "nein"]


# --- text -------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_unicode_is_found_out_compressed_or_not(
    write: Write, encoding: str, packed: bool
) -> None:
    content = CONTENT.encode(encoding)
    path = write(gzip.compress(content) if packed else content)  # the name says nothing of it
    assert_as_written(read_table(path, "gut"))


def test_big_endian_utf_16_is_found_out_by_its_mark(write: Write) -> None:
    assert_as_written(read_table(write(("\ufeff" + CONTENT).encode("utf-16-be")), "gut"))


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-16-le", "utf-8", "UTF-8"])
def test_an_encoding_may_be_given(write: Write, encoding: str) -> None:
    path = write(CONTENT.encode(encoding))
    assert_as_written(read_table(path, "gut", layout=Layout(encoding=encoding)))


def test_older_encodings_are_never_guessed_and_the_error_says_how_to_give_one(
    write: Write,
) -> None:
    with pytest.raises(TableError, match=r"not UTF-8 text .*name its encoding: 'cp1252'"):
        read_table(write(CONTENT.encode("cp1252")))


@pytest.mark.parametrize("encoding", ["nosuch", "base64", "", "\0"])
def test_an_encoding_that_is_none_is_refused(encoding: str) -> None:
    with pytest.raises(TableError, match="is not known; try 'utf-8'"):
        Layout(encoding=encoding)


@pytest.mark.parametrize("delimiter", ["\t", "tab", "\\t", ":", " "])
def test_a_delimiter_may_be_given(write: Write, delimiter: str) -> None:
    layout = Layout(delimiter=delimiter)
    assert layout.delimiter is not None
    path = write(CONTENT.replace(",", layout.delimiter), "table.tsv")
    assert_as_written(read_table(path, "gut", layout=layout))


@pytest.mark.parametrize("delimiter", ["", ",,", "a", "1", '"', "\n"])
def test_a_delimiter_that_is_none_is_refused(delimiter: str) -> None:
    with pytest.raises(TableError, match="a delimiter is one character"):
        Layout(delimiter=delimiter)


def test_without_a_header_columns_are_numbered_and_the_first_line_is_a_row(
    write: Write,
) -> None:
    table = read_table(write("\n1,a,3\n4,b,6\n"), "x1", layout=Layout(header=False))
    assert table.names == ("x0", "x2")
    assert table.X.tolist() == [[1, 3], [4, 6]]
    assert table.y is not None
    assert table.y.tolist() == ["a", "b"]


def test_a_header_of_numbers_gives_a_hint_that_there_may_be_none(write: Write) -> None:
    with pytest.raises(TableError, match=r"no column 'y'.*Does the first line hold no names"):
        read_table(write("1,2\n3,4\n"), "y")


@pytest.mark.parametrize("cut", [5, 12, 30, -1])
def test_a_damaged_compressed_file_is_refused(write: Write, cut: int) -> None:
    path = write(gzip.compress(CONTENT.encode())[:cut])
    with pytest.raises(TableError, match=r"table\.csv: its compression is damaged"):
        read_table(path)


@pytest.mark.parametrize(
    ("begin", "said"),
    [
        (b"PK\x03\x04", "a ZIP archive; unpack it"),
        (b"%PDF-1.4", "a PDF document"),
        (b"<!DOCTYPE html>", "a web page"),
        (b'[{"a": 1}', "JSON"),
        (b"@relation iris", "ARFF"),
        (b"\xd0\xcf\x11\xe0", "old Excel"),
        (b"BZh9", "bzip2"),
        (b"\xfd7zXZ\0", "xz"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"SQLite format 3\0", "database"),
    ],
    ids=["zip", "pdf", "html", "json", "arff", "xls", "bzip2", "xz", "zstd", "sqlite"],
)
def test_what_is_no_table_is_called_by_its_name(write: Write, begin: bytes, said: str) -> None:
    with pytest.raises(TableError, match=said):
        read_table(write(begin + b"\1\2\3" * 9))


@pytest.mark.parametrize(
    ("member", "said"),
    [
        ("xl/workbook.xml", "an Excel workbook; save the sheet"),
        ("content.xml", "an OpenDocument sheet; save"),
        ("table.csv", "a ZIP archive; unpack it"),
    ],
)
def test_workbooks_are_refused_with_what_to_do(tmp_path: Path, member: str, said: str) -> None:
    path = tmp_path / "table.csv"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, "a,b")
    with pytest.raises(TableError, match=f"table.csv: it is {said}"):
        read_table(path)


@not_root
def test_an_unreadable_file_is_an_error_of_the_system(write: Write) -> None:
    path = write(CONTENT)
    path.chmod(0)
    with pytest.raises(PermissionError):
        read_table(path)


# --- Parquet and Feather ----------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["parquet", "feather", "csv"])
@pytest.mark.parametrize("batch", [1, 2, 100])
def test_arrows_files_are_known_by_how_they_begin(
    tmp_path: Path, suffix: str, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrow, "CHUNK_ROWS", batch)
    path, table = tmp_path / f"table.{suffix}", pa.Table.from_pandas(FRAME)
    if suffix == "feather":
        pyarrow.feather.write_feather(table, str(path), chunksize=batch)
    else:
        pyarrow.parquet.write_table(table, path)  # even if it is called .csv
    found = read_table(path, "gut", categories=["größe"], drop=["stufe"])
    assert found.names == ("größe", "farbe", "alt")
    number, text, truth = found.columns.columns
    assert number.values.tolist() == ["1.5", None, "3"]
    assert text.values.tolist() == ["rot", "blau", None]
    assert isinstance(truth, Numbers)
    assert truth.boolean
    assert found.y is not None
    assert found.y.tolist() == ["ja", "nein", "ja"]
    assert isinstance(read_table(path, "gut").columns.columns[3], Text)


def test_hostile_names_are_read_from_parquet_too(tmp_path: Path) -> None:
    names = [name for name in HOSTILE_NAMES if name.strip()]
    table = pa.table({name: [float(number)] for number, name in enumerate(names)})
    pyarrow.parquet.write_table(table, tmp_path / "table.parquet")
    found = read_table(tmp_path / "table.parquet")
    assert found.names == tuple(name.strip() for name in names)
    assert found.X.tolist() == [list(range(len(names)))]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (pa.table({"a": [1.0], "y": pa.array([None], pa.string())}), "'y' is missing"),
        (
            pa.table({"a": pa.array([], pa.float64()), "y": pa.array([], pa.string())}),
            "no rows",
        ),
        (pa.table({"b": [1.0], "z": ["x"]}), "no column 'y'"),
        (pa.table({"a": [[1.0]], "y": ["x"]}), "'a' must hold numbers or text, got lists"),
        (
            pa.table({"a": pa.array([0], pa.date32()), "y": ["x"]}),
            "'a' must hold numbers or text, got dates",
        ),
    ],
    ids=["missing target", "no rows", "no target", "lists", "dates"],
)
def test_what_cannot_be_learned_from_in_parquet_is_refused_by_name(
    tmp_path: Path, table: pa.Table, said: str
) -> None:
    path = tmp_path / "table.parquet"
    pyarrow.parquet.write_table(table, path)
    with pytest.raises(TableError) as error:
        read_table(path, "y")
    assert str(error.value).startswith(str(path))
    assert said in str(error.value)


@pytest.mark.parametrize("cut", [8, 100, -4])
@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_a_damaged_file_of_arrow_is_refused(write: Write, kind: str, cut: int) -> None:
    buffer = io.BytesIO()
    if kind == "parquet":
        pyarrow.parquet.write_table(pa.Table.from_pandas(FRAME), buffer)
    else:
        pyarrow.feather.write_feather(FRAME, buffer)
    path = write(buffer.getvalue()[:cut].ljust(8, b"1"))
    with pytest.raises(TableError, match=r"table\.csv: it is damaged"):
        read_table(path)


def test_without_pyarrow_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.parquet"
    pyarrow.parquet.write_table(pa.table({"a": [1.0]}), path)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(TableError, match=r"pip install 'crisplogic\[parquet\]'"):
        read_table(path)
