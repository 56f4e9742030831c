"""Numbers as text: as many digits as are promised, below each other where they add up."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisplogic.rules.number_format import aligned, four_digits, six_digits


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.9999999, "1.000"),
        (9.9996, "10.00"),
        (123456.0, "123500"),
        (1e11, "100000000000"),
        (1.5e12, "1.5e+12"),
        (0.0001, "0.0001000"),
        (0.00001, "1e-05"),
        (-12.345, "-12.35"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        (-0.0, "-0"),
    ],
)
def test_four_digits_are_shown(number: float, text: str) -> None:
    assert four_digits(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_is_shown_is_the_number_to_four_digits(number: float) -> None:
    assert float(four_digits(number)) == float(f"{number:.4g}")
    assert float(six_digits(number)) == float(f"{number:.6g}")


@pytest.mark.parametrize(
    ("numbers", "scale", "texts"),
    [
        ([22.5], 4.125, ["+22.500"]),
        ([0.0, -0.0], 1.0, ["+0.000", "+0.000"]),
        ([1e6, -123.0], 12345.0, ["+1000000", "   -123"]),
        ([22.5, 1e-9], 1e-9, ["+22.5", "+1e-09"]),
        ([1e90, 2.0], 2.0, ["+1e+90", "    +2"]),
    ],
)
def test_amounts_stand_below_each_other(
    numbers: list[float], scale: float, texts: list[str]
) -> None:
    assert [text.strip() for text in aligned(numbers, scale)] == [t.strip() for t in texts]
    assert len({len(text) for text in aligned(numbers, scale)}) == 1
