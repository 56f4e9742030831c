"""Numbers as text: a few digits, and powers of ten only where needed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crisplogic.messages import list_some

# So many numbers of rows are printed.
MOST_ROWS = 10
# Numbers beyond these are written with powers of ten.
LEAST, MOST = 1e-4, 1e12


def all_digits(number: float) -> str:
    """A number with as many digits as make it the same number again, and no more.

    >>> [all_digits(each) for each in (127.0, 0.1, 0.1 + 0.2, -0.0)]
    ['127', '0.1', '0.30000000000000004', '0']
    """
    texts = (f"{number + 0.0:.{digits}g}" for digits in (15, 16, 17))
    return next(text for text in texts if float(text) == number)


def four_digits(number: float) -> str:
    """A number with four significant digits, the last zeros included.

    >>> [four_digits(each) for each in (4.1, 31.23456, 45678.9, -0.01234567, 0.0, 3e-9)]
    ['4.100', '31.23', '45680', '-0.01235', '0', '3e-09']
    """
    rounded = float(f"{number:.4g}")
    return f"{rounded:.{_places(rounded)}f}" if _is_plain(rounded) else f"{rounded:.4g}"


def six_digits(number: float) -> str:
    """A number with at most six significant digits.

    >>> [six_digits(each) for each in (31.2, 1234567.8, 0.1 + 0.2)]
    ['31.2', '1234570', '0.3']
    """
    rounded = float(f"{number:.6g}")
    return f"{rounded:.15g}" if _is_plain(rounded) else f"{rounded:.6g}"


def aligned(numbers: Sequence[float], scale: float) -> list[str]:
    """Terms of a sum as aligned text with signs; the scale has four digits.

    >>> aligned([22.5, -4.13, 100.0], scale=4.13)
    [' +22.500', '  -4.130', '+100.000']
    """
    plain = _is_plain(scale) and max(map(abs, numbers)) < MOST
    style = f"+.{_places(scale)}f" if plain else "+.4g"
    texts = [f"{number + 0.0:{style}}" for number in numbers]
    width = max(map(len, texts))
    return [f"{text:>{width}}" for text in texts]


def format_rows(rows: NDArray[np.intp]) -> str:
    """The numbers of some rows, and how many more there are.

    >>> format_rows(np.array([3])), format_rows(np.arange(12))
    ('row 3', 'rows 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more')
    """
    return f"row{'s' if len(rows) > 1 else ''} {list_some(rows.tolist(), MOST_ROWS)}"


def _is_plain(number: float) -> bool:
    return LEAST <= abs(number) < MOST


def _places(number: float) -> int:
    """How many places after the point show four digits."""
    return max(3 - math.floor(math.log10(abs(number))), 0)
