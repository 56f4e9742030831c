"""Numbers and texts: each word once, and the way from one kind of column to the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisplogic.errors import TableError
from crisplogic.tables import Numbers, Text
from crisplogic.tables.kinds import as_numbers, as_text, is_missing
from tests.rules.rule_sets import INF, NAN

texts = st.lists(st.none() | st.text(max_size=3) | st.sampled_from(["a", "b", "nan", ""]))


@given(texts, st.integers(1, 4))
def test_texts_come_back_without_blanks_around_them_whatever_the_chunks(
    values: list[str | None], size: int
) -> None:
    chunks = [values[start : start + size] for start in range(0, len(values), size)]
    values = [None if value is None else value.strip() for value in values]
    for text in (Text.from_values(values), Text.from_chunks(chunks)):
        assert text.values.tolist() == values
        assert list(text.uniques) == list(dict.fromkeys(v for v in values if v is not None))
        assert text.counts().tolist() == [values.count(word) for word in text.uniques]
        assert len(text) == len(values)


def test_no_value_is_no_word() -> None:
    text = Text.from_values([None, NAN, float("nan"), np.nan, np.float32("nan")])
    assert text.uniques == ()
    assert text.codes.tolist() == [-1] * 5


def test_a_number_and_its_text_are_one_word() -> None:
    text = Text.from_values(["1", 1, 1.0, np.int64(1), "1.0"])
    assert text.uniques == ("1", "1.0")
    assert text.codes.tolist() == [0, 0, 0, 0, 1]


@given(st.lists(st.floats() | st.integers(-(2**53), 2**53).map(float), max_size=6))
def test_numbers_survive_as_texts(values: list[float]) -> None:
    column = Numbers(np.array(values, dtype=float))
    again = as_numbers(as_text(column), "it").values
    np.testing.assert_array_equal(again, column.values)


def test_whole_numbers_are_written_as_such_and_truth_values_by_name() -> None:
    values = np.array([3.0, -1e20, 0.5, INF, NAN, 3.0])
    expected = ["3", "-100000000000000000000", "0.5", "inf", None, "3"]
    assert as_text(Numbers(values)).values.tolist() == expected
    truth = Numbers(np.array([1.0, NAN, 0.0]), boolean=True)
    assert as_text(truth).values.tolist() == ["True", None, "False"]


@pytest.mark.parametrize("word", ["x", "", "1_000", "1,5", "true", "0x10"])
def test_a_text_that_is_no_number_is_refused(word: str) -> None:
    with pytest.raises(TableError, match="it must hold numbers, got the text '"):
        as_numbers(Text.from_values(["1", word]), "it")


def test_a_long_text_makes_a_short_message() -> None:
    with pytest.raises(TableError) as error:
        as_numbers(Text.from_values(["x" * 10_000]), "it")
    assert len(str(error.value)) < 200


def test_either_kind_is_itself() -> None:
    numbers, text = Numbers(np.zeros(2)), Text.from_values(["a"])
    assert as_numbers(numbers, "it") is numbers
    assert as_text(text) is text


@pytest.mark.parametrize("value", ["", 0, False, "nan", (), INF])
def test_few_things_are_missing(value: Any) -> None:
    assert not is_missing(value)
