"""Targets: the classes or numbers of rows in any form, or an error that says what is wrong."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from crisplogic.errors import TableError
from crisplogic.rules.targets import class_targets, number_targets
from tests.rules.rule_sets import NAN

LABELS = ("ill", "well")
CLASSES = ["ill", "ill", "well", "well", "well"]
NUMBERS = [30.0, 15.0, 20.0, 19.0, 26.0]


def test_unknown_classes_and_wrong_lengths_are_refused() -> None:
    with pytest.raises(TableError, match="classes of the rules"):
        class_targets(5, LABELS, ["sick"] * 5, None)
    with pytest.raises(TableError, match="one class a row, 5 in all, got 2"):
        class_targets(5, LABELS, ["ill", "well"], None)
    with pytest.raises(TableError, match="sample_weight must be one number a row"):
        class_targets(5, LABELS, CLASSES, [1.0])
    with pytest.raises(TableError, match="sample_weight must be one number a row"):
        number_targets(5, NUMBERS, [1.0])


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pd.Categorical, "object"])
def test_classes_may_come_in_any_form(kind: object) -> None:
    y = np.array(CLASSES, dtype=object) if kind == "object" else kind(CLASSES)  # type: ignore[operator]
    positions = class_targets(5, LABELS, y, None).values
    assert positions is not None
    assert positions.tolist() == [0, 0, 1, 1, 1]


def test_classes_of_different_types_are_told_apart() -> None:
    y = np.array([1, "1"], dtype=object)
    positions = class_targets(2, ("1", 1), y, None).values
    assert positions is not None
    assert positions.tolist() == [1, 0]


def test_rows_count_by_their_weights() -> None:
    plain, weighted = (number_targets(5, NUMBERS, w) for w in (None, [2, 1, 0, 3, 1]))
    assert (plain.sum_of_weights, weighted.sum_of_weights) == (5.0, 7.0)
    rows, holds = slice(1, 4), np.array([True, False, True])
    assert (plain.total(rows, holds), weighted.total(rows, holds)) == (2.0, 4.0)
    assert weighted.total(rows, np.array([1.5, 2.0, -1.0])) == 1.5 - 3.0


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (["30", "15", "20", "19", "26"], "one number a row, got '30'"),
        ([30.0, 15.0, "20", 19.0, 26.0], "one number a row, got '"),
        (np.array(NUMBERS, dtype=object).astype(str), "one number a row, got '30.0'"),
        ([30.0, NAN, 20.0, 19.0, 26.0], "a finite number in every row, got nan in row 1"),
        ([30.0, None, 20.0, 19.0, 26.0], "a finite number in every row, got nan in row 1"),
        ([30.0, math.inf, 20.0, 19.0, 26.0], "got inf in row 1"),
        (NUMBERS[:4], "one number a row, 5 in all, got 4"),
        ([], "one number a row, 5 in all, got 0"),
        (np.array(NUMBERS)[:, None], r"got an array of \(5, 1\)"),
        (pd.DataFrame({"price": NUMBERS}), r"got an array of \(5, 1\)"),
        (30.0, r"got an array of \(\)"),
        ([[30.0], [15.0, 2.0], [20.0], [19.0], [26.0]], "one number a row, got"),
        ([30.0, 10**400, 20.0, 19.0, 26.0], "one number a row, got 1000"),
        ([1j] * 5, "one number a row, got 1j"),
        (pd.date_range("2020", periods=5), "one number a row"),
        (pd.Series([1, None, 3, 4, 5], dtype="Int64"), "got nan in row 1"),
    ],
)
def test_what_is_no_number_is_refused(y: Any, said: str) -> None:
    with pytest.raises(TableError, match=said):
        number_targets(5, y, None)


@pytest.mark.parametrize(
    "y",
    [
        tuple(NUMBERS),
        np.array(NUMBERS, dtype=np.float32),
        np.array(NUMBERS, dtype=np.int8),
        pd.Series(NUMBERS, index=range(7, 12)),
        pd.Series(NUMBERS, dtype="Float64"),
        [Decimal(str(number)) for number in NUMBERS],
        np.array(NUMBERS, dtype=object),
    ],
)
def test_any_numbers_will_do(y: Any) -> None:
    numbers = number_targets(5, y, None).values
    assert numbers is not None
    assert numbers.tolist() == NUMBERS
