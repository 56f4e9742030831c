"""Statistics of parts add up to those of the whole, in any order."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisplogic.errors import TableError
from crisplogic.streaming import Examples, StreamedTable, TableStatistics, join_examples
from crisplogic.streaming.statistics import MOST_TEXTS, NumberStatistics, TextStatistics
from crisplogic.tables import Columns, Numbers, Text, infer_schema, read_columns
from tests.streaming.tables import NAMES, examples, make_table, write_files

NUMBERS = st.lists(
    st.one_of(st.sampled_from([0.0, 1.0, 2.0, -0.0]), st.floats(allow_infinity=False)),
    min_size=1,
    max_size=12,
)


def test_the_schema_is_that_of_the_table_in_memory(tmp_path: Path) -> None:
    made = make_table()
    table = StreamedTable.open(write_files(tmp_path, made, 3))
    found = TableStatistics.of(examples(table, "w")).schema()
    assert found == infer_schema(read_columns(made.select(NAMES)))


@settings(max_examples=60, deadline=None)
@given(NUMBERS, NUMBERS, NUMBERS)
def test_statistics_of_numbers_do_not_depend_on_parts(
    a: list[float], b: list[float], c: list[float]
) -> None:
    whole = Numbers(np.array([*a, *b, *c]))
    parts = [NumberStatistics.of(Numbers(np.array(each))) for each in (a, b, c)]
    found = NumberStatistics.of(whole)
    assert parts[0] + parts[1] + parts[2] == found
    assert parts[2] + (parts[0] + parts[1]) == found
    schema = infer_schema(Columns(None, (whole,), len(whole)))
    assert (found.levels, found.missing > 0) == (schema.levels[0], schema.has_missing[0])
    if found.levels is None:
        assert found.range == schema.ranges[0]


def test_statistics_do_not_depend_on_how_rows_are_split(tmp_path: Path) -> None:
    table = StreamedTable.open(write_files(tmp_path, make_table(), 2))
    rows = join_examples(examples(table, "w"))
    generator = np.random.default_rng(0)
    whole = TableStatistics.of([rows])
    for _ in range(5):
        order = generator.permutation(len(rows))
        cuts = [0, *np.sort(generator.integers(1, len(rows), 4)).tolist(), len(rows)]
        parts = [rows.take(order[low:high]) for low, high in pairwise(cuts) if low < high]
        found = TableStatistics.of(parts)
        assert found.schema() == whole.schema()
        assert (found.rows, found.target) == (whole.rows, whole.target)
        assert found.class_weights == pytest.approx(whole.class_weights)


def test_too_many_texts_are_not_kept_whoever_finds_them() -> None:
    words = [f"w{number}" for number in range(MOST_TEXTS + 1)]
    codes = np.arange(MOST_TEXTS // 2, dtype=np.int32)
    first = TextStatistics.of(Text(tuple(words[: MOST_TEXTS // 2]), codes))
    second = TextStatistics.of(Text(tuple(words[-MOST_TEXTS // 2 - 1 :]), codes))
    many = TextStatistics.of(Text(tuple(words), np.arange(MOST_TEXTS + 1, dtype=np.int32)))
    assert many.counts is None
    assert (many + first).counts is None
    assert (first + many).looks_like_identifier
    assert (first + second).counts is not None


def test_infinity_and_identifiers_are_refused_by_name() -> None:
    table = read_columns({"x": [1.0, np.inf], "who": ["a", "b"]})
    part = Examples(np.arange(2), table, Text.from_values(["no", "yes"]))
    with pytest.raises(TableError, match="'x': numbers must be finite"):
        TableStatistics.of([part]).check()
