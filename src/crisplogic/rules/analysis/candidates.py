"""Candidates: the values of a column that are worth trying if a prediction is to change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules.memberships import Indicator, Membership, Step
from crisplogic.rules.number_format import all_digits
from crisplogic.tables import TRUTH, Levels, Range

if TYPE_CHECKING:
    from crisplogic.rules import RuleSet

Floats = NDArray[np.float64]
# What a row holds in a column: a number, a text, a truth value, or nothing.
Value = float | str | bool | None

# So many values are tried along all ramps of a column together, and on each at least.
ON_RAMPS, ON_A_RAMP = 24, 5
# Numbers need not be finer than this share of their range.
FINEST = 1e-4
# A column of whole numbers has at least this range, and its ramps this width.
LEAST_RANGE, LEAST_RAMP = 2.0, 4.0
MOST_DECIMALS = 17


@dataclass(frozen=True, eq=False)
class Candidates:
    """Values of one column, as a matrix holds them: numbers in order, or codes of levels.

    Numbers lie on both sides of every threshold, as near as they can be written in the units of
    the column, and along ramps. All are within the range that training saw, as far as it is
    known. ``ends`` are that range, or the least and greatest threshold; None for a category.
    """

    feature: int
    values: Floats
    ends: Range | None
    levels: Levels | None

    @property
    def width(self) -> float:
        """That of the range: what distances are measured in."""
        low, high = self.ends or (0.0, 1.0)
        return high - low if 0 < high - low < math.inf else 1.0

    def other_than(self, now: float) -> tuple[Floats, Floats]:
        """The values that differ from what a row has, and how far each is from it.

        A number is as far as its share of the range. Another category, and a value in place of
        a missing one, is as far as a whole range: 1. This is Gower's distance.
        Shape: (values,) each.
        """
        values = self.values[self.values != now]
        if self.levels is not None or math.isnan(now):
            return values, np.ones(len(values))
        return values, np.abs(values - now) / self.width

    def decode(self, value: float) -> Value:
        """A value as a user's table has it.

        >>> colours = Candidates(0, np.arange(2.0), None, Levels(("red",), ("teal",)))
        >>> colours.decode(0.0), colours.decode(1.0), colours.decode(math.nan)
        ('red', 'teal', None)
        """
        if math.isnan(value) or (self.levels is not None and value < 0):
            return None
        if self.levels is None:
            return float(value)
        if self.levels == TRUTH:
            return bool(value)
        name = (*self.levels.names, *self.levels.others)[int(value)]
        return float(name) if self.levels.values == "numbers" else name


def find_candidates(rules: RuleSet) -> tuple[Candidates, ...]:
    """The candidates of every column that rules mention, in the order of the columns.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Rule
    >>> both = Rule("ill", parse("0 + 1 + 2")), Rule("well", parse("unknown"))
    >>> steps = Step(0, 40.0), Step.at_least(0, 65.0), Step(1, 31.25)
    >>> ranges = ((21.0, 81.0), (18.2, 67.1))
    >>> rules = ClassificationRules(("age", "bmi"), steps, both, ranges=ranges, crisp=True)
    >>> [each.values.tolist() for each in find_candidates(rules)]
    [[40.0, 41.0, 64.0, 65.0], [31.25, 31.26]]
    """
    levels = rules.levels or (None,) * len(rules.features)
    ranges = rules.ranges or (None,) * len(rules.features)
    inputs: dict[int, list[Membership]] = {}
    for index in rules.used:
        membership = rules.memberships[index]
        inputs.setdefault(membership.feature, []).append(membership)
    found = []
    for feature in sorted(inputs):
        its = levels[feature]
        if its is not None:
            codes = np.arange(float(len(its)))
            found.append(Candidates(feature, codes, None, its))
        else:
            values, ends = _numbers(inputs[feature], ranges[feature])
            found.append(Candidates(feature, values, ends, None))
    return tuple(found)


def _numbers(memberships: Sequence[Membership], ends: Range | None) -> tuple[Floats, Range]:
    """The numbers to try in a column, and the ends of its range."""
    steps = [each for each in memberships if isinstance(each, Step)]
    ramps = [each for each in memberships if not isinstance(each, Indicator)]
    known = [*(each.threshold for each in steps), *(ramp.low for ramp in ramps)]
    known += [ramp.high for ramp in ramps]
    low, high = ends or (min(known, default=0.0), max(known, default=0.0))
    width = high - low if 0 < high - low < math.inf else 1.0
    within = ends or (-math.inf, math.inf)
    shown = [low, high, *(each.bound[1] for each in steps)]
    decimals = _decimals(shown, ramps, width)
    values = _beside([each.threshold for each in steps], within, decimals)
    values += _along(ramps, within, decimals)
    if not values and math.isfinite(low + high):  # only whether it is missing matters
        values = [float(round(low / 2 + high / 2, decimals))]
    return np.unique(np.array(values) + 0.0), (low, high)


def _decimals(shown: Sequence[float], ramps: Sequence[Membership], width: float) -> int:
    """How many decimals numbers of a column have: none if all seem to be whole."""
    low, high, *thresholds = shown
    wide = all(ramp.high - ramp.low >= LEAST_RAMP for ramp in ramps)
    halves = all(number * 2 % 1 == 0 for number in thresholds)
    if wide and halves and low % 1 == 0 and high % 1 == 0 and width >= LEAST_RANGE:
        return 0
    most = max(0, math.ceil(-math.log10(width * FINEST)))
    if ramps:
        return min(most, MOST_DECIMALS)
    return min(most, max(map(_decimals_of, shown)), MOST_DECIMALS)


def _decimals_of(number: float) -> int:
    """How many decimals a number is written with.

    >>> [_decimals_of(number) for number in (40.0, 31.25, 1e-7)]
    [0, 2, 7]
    """
    digits, _, exponent = all_digits(number).partition("e")
    return max(0, len(digits.partition(".")[2]) - int(exponent or 0))


def _beside(cuts: Sequence[float], within: Range, decimals: int) -> list[float]:
    """The numbers next to every threshold, on both sides, if they are within the range."""
    cuts = sorted(set(cuts))
    low, high = within
    lowest = math.nextafter(low, -math.inf)
    found = []
    for at, cut in enumerate(cuts):
        before = max([lowest, *cuts[at - 1 : at][-1:]]) if at else lowest
        after = min([high, *cuts[at + 1 : at + 2]])
        below = _round_between(before, min(cut, high), decimals, from_above=True)
        above = _round_between(max(cut, lowest), after, decimals, from_above=False)
        found += [each for each in (below, above) if each is not None]
    return found


def _round_between(low: float, high: float, decimals: int, from_above: bool) -> float | None:
    """The least or greatest number above ``low`` and up to ``high`` with so many decimals.

    It has more decimals if there is none with so few. None if nothing lies between.

    >>> _round_between(31.5, 40.0, 1, from_above=False), _round_between(2.0, 31.5, 0, True)
    (31.6, 31.0)
    >>> _round_between(31.5, 31.52, 1, from_above=False)
    31.51
    """
    if not low < high:
        return None
    for places in range(decimals, MOST_DECIMALS + 1):
        unit = 10.0**places
        number = high * unit if from_above else low * unit
        if not math.isfinite(number):
            break
        number = (math.floor(number) if from_above else math.floor(number) + 1) / unit
        if low < number <= high:
            return number
    return high if from_above else math.nextafter(low, math.inf)


def _along(ramps: Sequence[Membership], within: Range, decimals: int) -> list[float]:
    """Numbers along ramps, ends included."""
    found: list[float] = []
    count = max(ON_A_RAMP, ON_RAMPS // max(len(ramps), 1))
    for ramp in ramps:
        found += np.linspace(ramp.low, ramp.high, count).round(decimals).tolist()
    return [number for number in found if within[0] <= number <= within[1]]
