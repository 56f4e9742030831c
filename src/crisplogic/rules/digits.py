"""Measured numbers for people: four digits say enough, and powers of ten only where needed."""

from __future__ import annotations

import math

# Beyond these, nobody wants to count zeros.
LEAST, MOST = 1e-4, 1e12


def four_digits(number: float) -> str:
    """A number with four significant digits, the last zeros included.

    >>> [four_digits(each) for each in (4.1, 31.23456, 45678.9, -0.01234567, 0.0, 3e-9)]
    ['4.100', '31.23', '45680', '-0.01235', '0', '3e-09']
    """
    rounded = float(f"{number:.4g}")
    if not LEAST <= abs(rounded) < MOST:
        return f"{rounded:.4g}"
    return f"{rounded:.{max(3 - math.floor(math.log10(abs(rounded))), 0)}f}"


def signed_digits(number: float) -> str:
    """The same with a sign, even that of a plus.

    >>> signed_digits(4.1), signed_digits(-4.1), signed_digits(0.0)
    ('+4.100', '-4.100', '+0')
    """
    text = four_digits(number)
    return text if text.startswith("-") else f"+{text}"
