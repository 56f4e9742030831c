"""Ramps by hand: where they turn, and how gradually."""

from __future__ import annotations

import math

from crisplogic.errors import RuleError
from crisplogic.parameters import AMOUNT, is_amount, require
from crisplogic.rules.membership import Ramp

# The least width: so few of the smallest steps that numbers can make. It is a power of two,
# so that the middle between both ends is the threshold to the last bit.
STEPS = 4
LEAST_AT_ZERO = 1e-12  # around 0 numbers can make steps that no division survives


def ramp_at(feature: int, threshold: float, width: float) -> Ramp:
    """A ramp that is false up to ``threshold - width`` and true from ``threshold + width``.

    A width of 0 is a crisp step: whatever is above the threshold is high, whatever is below
    is not, and only the threshold itself is neither.

    >>> ramp_at(0, 130, 20)
    Ramp(feature=0, low=110.0, high=150.0)
    >>> ramp_at(0, 0.3, 0.1)
    Ramp(feature=0, low=0.2, high=0.4)
    >>> ramp_at(0, 130, 0).reading()
    'false up to 130, true from 130'
    """
    threshold = _finite(threshold)
    require(is_amount(width), "width", AMOUNT, width)
    least = STEPS * math.ulp(threshold) if threshold else LEAST_AT_ZERO
    reach = max(float(width), least)
    ends = threshold - reach, threshold + reach
    if not all(map(math.isfinite, ends)):
        raise RuleError(f"a threshold of {threshold:g} is too large for a width of {width:g}")
    plain = [float(f"{end:.12g}") for end in ends]  # 0.3 - 0.1 is not quite 0.2
    # Ends that lie close together need all their digits.
    close = all(abs(x - y) <= 1e-6 * reach for x, y in zip(plain, ends, strict=True))
    return Ramp(feature, *(plain if close else ends))


def width_of(ramp: Ramp) -> float:
    """How far the ends of a ramp lie from its threshold.

    >>> width_of(Ramp(0, 110.0, 150.0))
    20.0
    """
    return ramp.high / 2 - ramp.low / 2


def shown(ramp: Ramp) -> float:
    """The threshold of a ramp as it is printed: what a person can name it by."""
    return float(f"{ramp.threshold:.12g}")


def _finite(threshold: float) -> float:
    value = float(threshold)
    if not math.isfinite(value):
        raise RuleError(f"a threshold must be a finite number, got {threshold}")
    return value
