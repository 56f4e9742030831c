"""Cuts part the rows as they should, whatever the numbers are."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisplogic.search.crisp.cuts import make_cuts, round_between

LEAST, MOST = 5e-324, sys.float_info.max
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(
        [0.0, LEAST, -LEAST, 3 * LEAST, 1e-308, MOST, -MOST, 1.0, np.nextafter(1, 2)]
    ),
)


@given(NUMBERS, NUMBERS)
def test_a_number_between_two_others_parts_them_however_large_or_small_they_are(
    first: float, second: float
) -> None:
    low, high = sorted((first, second))
    if low < high:
        assert low <= round_between(low, high) < high


@pytest.mark.parametrize("unit", [LEAST, 1e-300, 1.0, 1e300])
def test_columns_of_any_unit_are_cut(unit: float) -> None:
    column = unit * np.repeat([1.0, 2.0, 3.0, 4.0], 10)
    cuts = make_cuts(column, most=8)
    assert len(cuts) == 3
    assert [int((column > cut).sum()) for cut in cuts] == [30, 20, 10]


@given(st.integers(1, 99_999), st.integers(2, 9), st.integers(1, 3))
def test_a_cut_has_no_more_digits_than_its_neighbours(low: int, more: int, digits: int) -> None:
    """Such as 69.97 between 69.96 and 70, though 69.96 / 0.01 is 6995.999999999999."""
    first, second = low / 10**digits, (low + more) / 10**digits
    cut = round_between(first, second)
    assert first < cut < second
    assert round(cut, digits) == cut
