"""Tables in chunks, for rules that know what they need."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from crisplogic.errors import TableError
from crisplogic.io import arrow, column_kinds, open_chunks, text
from crisplogic.tables import Columns, Kind, Levels, Numbers, as_matrix
from tests.io.conftest import Write

KINDS: dict[str, Kind] = {"age": "number", "sex": "category", "ill": "boolean"}
CONTENT = "ill,note,sex,age\nTRUE,x,f,50\n0,y,07,\n,z, m ,3\n"


def chunks_of(
    path: Path, kinds: dict[str, Kind], unused: tuple[str, ...] = ()
) -> list[Columns]:
    with open_chunks(path, kinds, unused) as (chunks, fraction_read):
        found = list(chunks)
        assert fraction_read() == 1
    return found


@pytest.mark.parametrize("size", [1, 2, 100])
def test_columns_are_read_as_the_kinds_say(
    write: Write, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(text, "CHUNK_ROWS", size)
    found = chunks_of(write(CONTENT), KINDS)
    assert [len(chunk) for chunk in found] == {1: [1, 1, 1], 2: [2, 1], 100: [3]}[size]
    assert {chunk.names for chunk in found} == {("age", "sex", "ill")}
    ages, sexes, ills = (
        np.concatenate([chunk.columns[at].values for chunk in found]) for at in range(3)
    )
    np.testing.assert_array_equal(ages, [50, np.nan, 3])
    assert sexes.tolist() == ["f", "07", "m"]  # in other files they might look like numbers
    np.testing.assert_array_equal(ills, [1, 0, np.nan])


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("true,x,f,true", "column 'age' must hold numbers"),
        ("yes,x,f,1", "column 'ill' must hold true and false, or 1 and 0"),
        ("true,x,f,1e999", "column 'age' holds '1e999', but numbers must be finite"),
    ],
)
def test_what_is_of_another_kind_is_refused_with_its_line(
    write: Write, monkeypatch: pytest.MonkeyPatch, row: str, said: str
) -> None:
    monkeypatch.setattr(text, "CHUNK_ROWS", 2)
    with pytest.raises(TableError, match=f"line 6: {said}"):
        chunks_of(write(f"{CONTENT}\n{row}\n"), KINDS)


def test_columns_that_are_not_used_need_not_be_there(write: Write) -> None:
    (chunk,) = chunks_of(write("age\n1\n2\n"), KINDS, unused=("sex", "ill"))
    assert chunk.names == ("age", "sex", "ill")
    assert np.isnan(chunk.columns[1].values.tolist()).all()
    with pytest.raises(TableError, match="no column 'sex'"):
        chunks_of(write("age\n1\n2\n"), KINDS, unused=("ill",))


def test_where_nothing_is_used_rows_are_counted_all_the_same(write: Write) -> None:
    (chunk,) = chunks_of(write("other\nx\ny\n"), KINDS, unused=tuple(KINDS))
    assert len(chunk) == 2


def test_parquet_comes_in_chunks_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow, "CHUNK_ROWS", 2)
    path = tmp_path / "table.parquet"
    table = {"sex": ["f", None, "m"], "age": [1.0, 2.0, 3.0], "ill": [True, False, None]}
    pyarrow.parquet.write_table(pa.table(table), path)
    found = chunks_of(path, KINDS)
    assert [len(chunk) for chunk in found] == [2, 1]
    assert found[0].columns[1].values.tolist() == ["f", None]


def test_kinds_follow_from_levels_and_flags() -> None:
    levels = (None, Levels(("f", "m")), None)
    assert column_kinds(tuple(KINDS), levels, flags=[2]) == KINDS
    assert set(column_kinds(("a", "b"), (), ()).values()) == {"number"}


def test_two_numbers_are_read_as_numbers_however_they_are_written(write: Write) -> None:
    levels = (Levels(("1.5", "2.5"), values="numbers"),)
    for content in ("a;b\n2,5;x\n1,5;y\n", "a;b\n2.5 %;x\n1.5%;y\n", "a\n2.50\n<1.5\n"):
        (chunk,) = chunks_of(write(content), column_kinds(["a"], levels, ()))
        assert as_matrix(chunk, ["a"], levels).tolist() == [[1], [0]]


def test_rows_are_taken_in_any_order(write: Write) -> None:
    (chunk,) = chunks_of(write(CONTENT), KINDS)
    some = chunk.take(np.array([2, 0]))
    assert [column.values.tolist()[0] for column in some.columns[:2]] == [3, "m"]
    truth = some.columns[2]
    assert isinstance(truth, Numbers)
    assert truth.boolean


def test_a_column_that_is_only_counted_is_not_taken_for_what_it_is_not(write: Write) -> None:
    (chunk,) = chunks_of(write("ill\ntrue\nfalse\n"), {"ill": "number"}, unused=("ill",))
    assert len(chunk) == 2
    (column,) = chunk.columns
    assert isinstance(column, Numbers)
    assert np.isnan(column.values).all()
