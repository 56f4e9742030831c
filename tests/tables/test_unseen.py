"""Values that training never saw are counted, shown, and warned of where they are many."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from crisplogic.errors import UnseenValuesWarning
from crisplogic.tables import (
    TRUTH,
    Levels,
    UnseenColumn,
    UnseenValues,
    as_matrix,
    find_unseen,
    warn_of_unseen,
)

NAMES = ("pain", "smoker", "size", "age")
LEVELS = (Levels(("Absent", "Present")), TRUTH, Levels(("1", "2"), values="numbers"), None)
RANGES = (None, None, None, (17.0, 90.0))


def unseen_in(table: Any, needed: Any = range(4)) -> UnseenValues:
    matrix = as_matrix(table, NAMES, LEVELS, set(needed))
    return find_unseen(table, matrix, NAMES, LEVELS, RANGES, needed)


def counts(unseen: UnseenValues) -> dict[str, int]:
    return {name: each.rows for name, each in unseen.columns.items()}


def test_what_was_seen_in_any_spelling_is_no_surprise() -> None:
    rows = [[" Present ", "yes", "2.0", 17], ["Absent", "FALSE", 1.0, 90], [None] * 4]
    assert not unseen_in(rows)
    assert unseen_in(rows).rows == 3
    near = [["Absent", 1, 2, 90 + 73], ["Absent", True, "2", 17 - 73]]
    assert not unseen_in(near)  # outside, but not far


def test_values_are_counted_column_by_column_with_examples() -> None:
    rows = [
        ["PRESENT", "often", 3, 164],
        ["PRESENT", 0.5, "1.5", -57],
        ["none", 1, 1, 1e300],
        ["Present", None, None, None],
    ]
    unseen = unseen_in(rows)
    assert counts(unseen) == {"pain": 3, "smoker": 2, "size": 2, "age": 3}
    assert unseen.columns["pain"].examples == {"PRESENT": 2, "none": 1}
    assert unseen.columns["smoker"].examples == {"often": 1, "0.5": 1}
    assert unseen.columns["size"].known == ("1", "2")
    assert unseen.columns["age"].range == (17.0, 90.0)
    assert "did you mean 'Present'?" in str(unseen)
    assert "far outside 17 to 90" in str(unseen.columns["age"])
    assert json.loads(json.dumps(unseen.to_dict()))["pain"]["rows"] == 3


def test_only_columns_that_matter_count() -> None:
    assert counts(unseen_in([["?", 7, 7, 999]], needed=[1])) == {"smoker": 1}


def test_tables_of_numbers_alone_are_searched_too() -> None:
    table = np.array([[0.0, 1.0], [0.5, 2.0], [np.nan, 3.0]])
    names, levels = ("a", "b"), (TRUTH, LEVELS[2])
    matrix = as_matrix(table, names, levels)
    np.testing.assert_array_equal(matrix, [[0, 0], [-1, 1], [np.nan, -1]])
    assert counts(find_unseen(table, matrix, names, levels, (), [0, 1])) == {"a": 1, "b": 1}


def test_reports_of_chunks_add_up_to_that_of_the_table() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "pain": rng.choice(["Present", "present", "nil"], 90),
            "smoker": rng.choice([0, 1, 2], 90),
            "size": 1,
            "age": rng.uniform(0, 300, 90),
        }
    )
    whole = unseen_in(table)
    parts = [unseen_in(table[start : start + 25]) for start in range(0, 90, 25)]
    total = sum(parts, start=UnseenValues(0))
    assert (total.rows, counts(total)) == (90, counts(whole))
    assert total.columns["pain"].examples == whole.columns["pain"].examples


def report(rows: int, of: int, example: str = "nil") -> UnseenValues:
    pain = UnseenColumn("pain", rows, {example: rows}, ("Absent", "Present"))
    return UnseenValues(of, {"pain": pain})


def test_a_few_rare_values_are_worth_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_unseen(UnseenValues(100))
        warn_of_unseen(report(5, 100))
        warn_of_unseen(report(10, 1000))


@pytest.mark.parametrize(
    "unseen", [report(1, 1), report(6, 100), report(11, 1000), report(1, 1000, "PRESENT")]
)
def test_many_values_and_other_spellings_are(unseen: UnseenValues) -> None:
    with pytest.warns(UnseenValuesWarning, match="rows in 'pain'") as caught:
        warn_of_unseen(unseen)
    assert caught[0].filename == __file__  # the caller is to look at its table


def test_a_warning_is_short_however_much_is_new() -> None:
    columns = {
        f"c{number}": UnseenColumn(f"c{number}", 9, {"x" * 40: 9}, tuple("abcdefgh" * 9))
        for number in range(500)
    }
    assert len(str(UnseenValues(9, columns))) < 1_500
