"""Levels: frequent values have a group of their own, rare ones share one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisplogic.errors import TableError
from crisplogic.expr import notation
from crisplogic.tables import (
    TRUTH,
    UNSEEN,
    Levels,
    Numbers,
    Text,
    find_levels,
    find_number_levels,
    levels,
    looks_like_identifier,
)
from crisplogic.tables.levels import MOST_GROUPS, OTHER, least_rows, says_truth
from tests.rules.rule_sets import NAN


def repeated(**counts: int) -> Text:
    """A column that holds each of some words so many times."""
    return Text.from_values([word for word, count in counts.items() for _ in range(count)])


def test_the_words_of_a_category_are_normalized_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One row after the other may be predicted, of a category with thousands of values."""
    counted: list[str] = []
    normalized = levels._normalized

    def count(word: str) -> str:
        counted.append(word)
        return normalized(word)

    monkeypatch.setattr(levels, "_normalized", count)
    many = Levels(tuple(f"{number}.0" for number in range(1000)))
    for number in range(20):
        assert many.codes(Text.from_values([str(number)])).tolist() == [number]
    assert len(counted) < 1100


def test_codes_are_positions_and_others_come_last() -> None:
    levels = Levels(("red", "blue"), ("teal", "mauve"))
    text = Text.from_values(["mauve", "blue", "red", "green", None, "teal"])
    np.testing.assert_array_equal(levels.codes(text), [2, 1, 0, UNSEEN, NAN, 2])
    assert levels.groups == ("red", "blue", None)
    assert len(levels) == 3
    assert len(Levels(("red",))) == 1
    assert len(Levels(())) == 0


@pytest.mark.parametrize(
    ("names", "others"), [(("a", "a"), ()), (("a",), ("a",)), ((), ("b", "b"))]
)
def test_a_level_is_in_one_group_only(names: tuple[str, ...], others: tuple[str, ...]) -> None:
    with pytest.raises(TableError, match=r"differ from each other, got '[ab]' twice"):
        Levels(names, others)


def test_levels_are_texts_in_tuples() -> None:
    assert Levels(["a"], ["b"]) == Levels(("a",), ("b",))  # type: ignore[arg-type]
    with pytest.raises(TableError, match="levels are texts, got 1"):
        Levels((1,))  # type: ignore[arg-type]


def test_the_most_frequent_come_first_and_ties_by_name() -> None:
    assert find_levels(repeated(b=30, a=30, c=40)) == Levels(("c", "a", "b"))


def test_rare_levels_are_grouped() -> None:
    assert find_levels(repeated(red=500, blue=494, teal=4, mauve=2)) == Levels(
        ("red", "blue"), ("mauve", "teal")
    )


def test_a_rare_level_that_is_the_only_one_keeps_its_name() -> None:
    assert find_levels(repeated(red=500, blue=499, teal=1)) == Levels(("red", "blue", "teal"))


def test_a_level_that_is_called_other_is_among_the_others() -> None:
    assert find_levels(repeated(red=50, other=50)) == Levels(("red",), ("other",))
    assert find_levels(repeated(red=500, other=500, teal=1)) == Levels(
        ("red",), ("other", "teal")
    )


def test_rules_and_tables_mean_the_same_by_other() -> None:
    assert OTHER == notation.OTHER


def test_in_small_tables_few_rows_are_not_rare() -> None:
    assert find_levels(Text.from_values(["yes", "no", "yes", "no"])) == Levels(("no", "yes"))


@pytest.mark.parametrize(
    ("rows", "least"), [(1, 0.1), (40, 4), (50, 5), (500, 5), (1000, 10), (10**6, 10**4)]
)
def test_rare_means_fewer_rows_than_this(rows: int, least: float) -> None:
    assert least_rows(rows) == least


def test_there_are_not_more_groups_than_a_person_can_read() -> None:
    many = repeated(**{f"v{number:02}": 100 - number for number in range(60)})
    levels = find_levels(many)
    assert len(levels) == MOST_GROUPS
    assert levels.names == tuple(f"v{number:02}" for number in range(MOST_GROUPS - 1))
    assert len(levels.others) == 60 - MOST_GROUPS + 1


def test_missing_values_are_no_level_and_count_for_nothing() -> None:
    assert find_levels(Text.from_values([None] * 900 + ["a"] * 60 + ["b"] * 40)) == Levels(
        ("a", "b")
    )
    assert (
        find_levels(Text.from_values([None])) == find_levels(Text.from_values([])) == Levels(())
    )


def test_words_that_no_row_holds_are_no_levels() -> None:
    text = repeated(a=5, b=5)
    assert find_levels(Text(text.uniques, text.codes[:5])) == Levels(("a",))


@given(st.lists(st.none() | st.sampled_from([*"abcdefgh", "other", ""])), st.integers(2, 5))
def test_every_value_seen_has_a_group_and_every_group_a_value(
    values: list[str | None], most: int
) -> None:
    text = Text.from_values(values)
    levels = find_levels(text, most)
    codes = levels.codes(text)
    assert len(levels) <= most
    assert np.isnan(codes).tolist() == [value is None for value in values]
    assert set(codes[~np.isnan(codes)]) == set(range(len(levels)))
    counts = Counter(value for value in values if value is not None)
    assert sorted(levels.names, key=lambda name: (-counts[name], name)) == list(levels.names)


@pytest.mark.parametrize(
    ("different", "rows", "expected"),
    [(100, 100, True), (60, 100, True), (50, 100, False), (20, 20, False), (21, 21, True)],
)
def test_an_identifier_is_different_in_nearly_all_rows(
    different: int, rows: int, expected: bool
) -> None:
    text = Text.from_values([f"v{row % different}" for row in range(rows)] + [None] * 50)
    assert looks_like_identifier(text) is expected


# --- two values -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0, 1, 1], TRUTH),
        ([0, NAN, 1], TRUTH),
        ([1, 2, 2, 1, NAN], Levels(("1", "2"), values="numbers")),
        ([7, 3.5, 3.5, 7], Levels(("3.5", "7"), values="numbers")),
        ([-1, 1, -1, 1], Levels(("-1", "1"), values="numbers")),
        ([1, 2], None),  # of many numbers, a small table may have but two
        ([0, 0, 0, 7688], None),
        ([0, 1, 2, 1], None),
        ([1, 1, 1], None),
        ([NAN, NAN], None),
        ([], None),
        ([np.inf, 0, 0, np.inf], None),
    ],
)
def test_two_numbers_are_truth_values_or_a_category(
    values: list[float], expected: Levels | None
) -> None:
    assert find_number_levels(np.array(values, dtype=np.float64)) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["yes", "no"], True),
        (["Y", "n"], True),
        (["T", "F", None], True),
        (["TRUE", "false", "True"], True),
        (["yes", "no", "Y", "N"], True),
        (["yes"], False),
        (["yes", "true"], False),
        (["t", "n"], False),
        (["f", "m"], False),
        (["yes", "no", "maybe"], False),
        (["yes", "no", ""], False),
        ([None], False),
    ],
)
def test_texts_are_truth_values_in_pairs(words: list[str | None], expected: bool) -> None:
    assert says_truth(Text.from_values(words)) is expected


def test_numbers_are_matched_by_value_however_they_are_written() -> None:
    sizes = Levels(("1", "2"), values="numbers")
    text = Text.from_values(["2", "2.0", " 1.00", "1e0", "3", "one", "nan", None])
    np.testing.assert_array_equal(sizes.codes(text), [1, 1, 0, 0, -1, -1, NAN, NAN])
    np.testing.assert_array_equal(sizes.codes(Numbers(np.array([1, 2.0, 2.5]))), [0, 1, -1])
    shares = Levels(("0.1", "0.3"), values="numbers")
    single = np.array([0.1, 0.3], dtype=np.float32).astype(np.float64)
    assert shares.codes(Numbers(single)).tolist() == [0, 1]
    near = Levels(("1000000000000", "1000000000001"), values="numbers")
    assert near.codes(Numbers(np.array([1e12, 1e12 + 1]))).tolist() == [0, 1]


def test_texts_are_matched_without_blanks_and_a_vain_decimal_point() -> None:
    levels = Levels(("2", "red", "007", "1.1"))
    text = Text.from_values(["2.0", "2.00", " red", "RED", "7", "1.10", "007"])
    assert levels.codes(text).tolist() == [0, 0, 1, -1, -1, -1, 2]
    both = Levels(("2.0", "2"))
    assert both.codes(Text.from_values(["2", "2.0"])).tolist() == [1, 0]
    padded = Levels((" red",))  # as files of older versions may have it
    assert padded.codes(Text.from_values(["red"])).tolist() == [0]


def test_whole_numbers_beyond_the_precision_of_floats_stay_apart() -> None:
    large = 2**53
    levels = find_levels(Text.from_values([large, large + 1, large, large + 1, "x"]))
    assert {str(large), str(large + 1)} <= set(levels.names)


@pytest.mark.parametrize(
    "names", [("2", "1"), ("1",), ("1", "2", "3"), ("a", "b"), ("1", "1.0")]
)
def test_levels_that_are_numbers_are_two_in_their_order(names: tuple[str, ...]) -> None:
    with pytest.raises(TableError, match="are two in their order"):
        Levels(names, values="numbers")
