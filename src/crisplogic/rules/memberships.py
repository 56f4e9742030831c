"""Memberships: how true a statement about a column is, from -1 to 1."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from crisplogic.algebra import linear_membership
from crisplogic.errors import RuleError
from crisplogic.expr.notation import (
    WIDTH,
    Comparison,
    Statement,
    name_of_column,
    written_name,
    written_value,
)
from crisplogic.rules.number_format import all_digits
from crisplogic.tables import TRUTH, Levels, Schema

# A ramp over so few neighbouring floats is a step.
MOST_STEPS = 16
# Around 0 floats are too close to each other: there a ramp that is no wider is a step.
LEAST_AT_ZERO = 1e-12


@dataclass(frozen=True)
class Membership:
    """One column's linear membership: -1 at ``low`` and below, +1 at ``high`` and above.

    ``feature`` is the number of the column. A missing value is unknown, 0.

    >>> Membership(feature=0, low=0.0, high=200.0).degree(np.array([[50.0], [np.nan]])).tolist()
    [-0.5, 0.0]
    """

    feature: int
    low: float
    high: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise RuleError(
                f"a membership needs two finite numbers with low <= high, "
                f"got low = {self.low} and high = {self.high}"
            )

    def degree(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """The membership of every row. Shape: (rows, features) to (rows,)."""
        column = table[:, [self.feature]]
        return linear_membership(column, np.array([self.low]), np.array([self.high]))[:, 0]

    def name(self, column: str) -> str:
        """The name of the membership, from the name of its column."""
        return name_of_column(column)

    def names(self, column: str) -> Iterator[str]:
        """The name, and longer ones that tell it from a membership of the same name."""
        yield self.name(column)
        yield f"{column}>{self._exactly}"

    @property
    def is_step(self) -> bool:
        """Whether it turns from false to true at once."""
        return False

    @property
    def _exactly(self) -> str:
        """The threshold and the width with all their digits."""
        middle, half = self.low / 2 + self.high / 2, self.high / 2 - self.low / 2
        return f"{all_digits(middle)}{WIDTH}{all_digits(half)}"

    def reading(self, levels: Levels | None = None) -> str:
        """What "is high" means, in the column's own units.

        ``levels`` are those of the column, if it is a category.

        >>> Membership(feature=0, low=1.0, high=10.0).reading()
        'is high: false at 1, unknown at 5.5, true at 10'
        """
        if self.low == self.high:
            return f"never varied (always {all_digits(self.low)}): unknown"
        low, middle, high = map(all_digits, (self.low, self.low / 2 + self.high / 2, self.high))
        return f"is high: false at {low}, unknown at {middle}, true at {high}"


@dataclass(frozen=True)
class Ramp(Membership):
    """A membership with a learned threshold and a width, which are part of its name.

    >>> Ramp(feature=0, low=90.0, high=164.0).name("glucose")
    'glucose>127+/-37'
    """

    @property
    def threshold(self) -> float:
        """The value where the membership is 0."""
        return self.low / 2 + self.high / 2

    @property
    def is_step(self) -> bool:
        """Whether no more than a few floats lie between its ends."""
        return 0 < self.high - self.low <= MOST_STEPS * math.ulp(self.threshold)

    @property
    def shown(self) -> str:
        """The threshold as text: with 12 digits, and more if the ends lie close together."""
        close = (self.high / 2 - self.low / 2) / 100
        texts = (f"{self.threshold:.{digits}g}" for digits in range(12, 18))
        return next(text for text in texts if abs(float(text) - self.threshold) <= close)

    @property
    def shown_width(self) -> str:
        """Half the distance between the ends as text, with 12 digits; none for a step."""
        half = self.high / 2 - self.low / 2
        at_zero = self.threshold == 0 and half <= LEAST_AT_ZERO
        return "" if half == 0 or self.is_step or at_zero else f"{half:.12g}"

    def is_wide(self, width: float | None) -> bool:
        """Whether a width that a text may say is its own, as it is printed or exactly."""
        half = self.high / 2 - self.low / 2
        return width in (None, half, float(self.shown_width or half))

    def name(self, column: str) -> str:
        """The column and its threshold, and how wide it is unless it is a step."""
        width = self.shown_width
        return f"{column}>{self.shown}{WIDTH if width else ''}{width}"

    def names(self, column: str) -> Iterator[str]:
        """A name, and one with all digits.

        >>> list(Ramp(feature=0, low=90.0, high=164.0).names("glucose"))
        ['glucose>127+/-37', 'glucose>127+/-37']
        """
        yield self.name(column)
        yield f"{column}>{self._exactly}"

    def reading(self, levels: Levels | None = None) -> str:
        """How gradual the threshold is, in the column's own units.

        >>> Ramp(feature=0, low=90.0, high=164.0).reading()
        'false up to 90, true from 164'
        """
        if self.low == self.high:
            return super().reading()
        if self.is_step:
            step = all_digits(self.threshold)
            return f"false below {step}, true above {step}"
        return f"false up to {all_digits(self.low)}, true from {all_digits(self.high)}"


Floats = NDArray[np.float64]

# A step is written with ">=" where that saves more than so many digits.
FAR_FEWER = 4

# A reading lists at most so many values. The values of a column that has more are listed once.
MOST_NAMED = 8


@dataclass(frozen=True)
class Indicator(Membership):
    """Base of the memberships that are true or false: what they indicate is 0 or 1."""

    low: float = field(default=0.0, init=False, repr=False)
    high: float = field(default=1.0, init=False, repr=False)

    def names(self, column: str) -> Iterator[str]:
        """The only name."""
        yield self.name(column)

    def indicated(self, column: Floats, out: Floats | None = None) -> Floats:
        """1 where it holds, 0 where not, NaN where that is unknown. Shape: (rows,) to (rows,).

        ``column`` is one of a matrix that :func:`crisplogic.tables.as_matrix` made. The result
        is also written to ``out``, if given.
        """
        raise NotImplementedError

    def degree(self, table: Floats) -> Floats:
        """The membership of every row. Shape: (rows, features) to (rows,)."""
        column = self.indicated(table[:, self.feature])[:, None]
        return linear_membership(column, np.array([self.low]), np.array([self.high]))[:, 0]


@dataclass(frozen=True)
class Step(Indicator):
    """A yes/no threshold: true above it, false at it and below, unknown where it is missing.

    ``age>=40`` is the step at the greatest number below 40, and is called so.

    >>> Step(0, 127.0).degree(np.array([[127.5], [127.0], [np.inf], [np.nan]])).tolist()
    [1.0, -1.0, 1.0, 0.0]
    >>> Step(0, 127.0).name("glucose"), Step.at_least(1, 40.0).name("age")
    ('glucose>127', 'age>=40')
    """

    threshold: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.threshold):
            raise RuleError(f"a threshold must be a finite number, got {self.threshold}")
        # A plain float without the sign of zero: equal steps have equal names.
        object.__setattr__(self, "threshold", float(self.threshold) + 0.0)

    @classmethod
    def at_least(cls, feature: int, least: float) -> Step:
        """The step that is true at ``least`` and above."""
        return cls(feature, math.nextafter(least, -math.inf))

    @property
    def bound(self) -> tuple[str, float]:
        """How it is written: ">" and the threshold, or ">=" and the next greater number.

        The latter is for a number that has far fewer digits.

        >>> Step(0, 39.99999999999999).bound, Step(0, 0.1 + 0.2).bound
        (('>=', 40.0), ('>', 0.30000000000000004))
        """
        least = math.nextafter(self.threshold, math.inf)
        if math.isfinite(least) and self._digits(least) + FAR_FEWER < self._digits():
            return ">=", least
        return ">", self.threshold

    def _digits(self, number: float | None = None) -> int:
        return len(all_digits(self.threshold if number is None else number))

    def indicated(self, column: Floats, out: Floats | None = None) -> Floats:
        """1 where the value is above the threshold, NaN where it is missing."""
        out = np.empty(len(column)) if out is None else out
        np.greater(column, self.threshold, out=out)
        if np.isnan(column.max(initial=-np.inf)):  # few columns have missing values
            np.copyto(out, np.nan, where=np.isnan(column))
        return out

    def name(self, column: str) -> Comparison:
        """The column and its threshold, with as many digits as it needs."""
        sign, number = self.bound
        return Comparison(column, f"{sign}{all_digits(number)}")

    def reading(self, levels: Levels | None = None) -> str:
        """Where it is true, where it is false.

        >>> Step(0, 127.0).reading(), Step.at_least(0, 40.0).reading()
        ('true above 127, false up to 127', 'true from 40, false below 40')
        """
        sign, number = self.bound
        true, false = ("above", "up to") if sign == ">" else ("from", "below")
        return f"true {true} {all_digits(number)}, false {false} {all_digits(number)}"


@dataclass(frozen=True)
class Flag(Indicator):
    """A column of truth values, named like the column: ``smoker``, ``¬smoker``.

    >>> Flag(0).degree(np.array([[1.0], [0.0], [np.nan]])).tolist()
    [1.0, -1.0, 0.0]
    """

    def indicated(self, column: Floats, out: Floats | None = None) -> Floats:
        """The column itself; NaN where it is neither 0 nor 1."""
        out = np.positive(column, out=out)
        np.copyto(out, np.nan, where=(out != 0) & (out != 1))
        return out

    def reading(self, levels: Levels | None = None) -> str:
        """What it stands for."""
        return "true where it is 1, true or yes; false where it is 0, false or no"


@dataclass(frozen=True)
class Missing(Indicator):
    """Whether a column has no value: ``glucose is missing``.

    >>> Missing(0).degree(np.array([[7.0], [np.nan]])).tolist()
    [-1.0, 1.0]
    """

    def indicated(self, column: Floats, out: Floats | None = None) -> Floats:
        """1 where the value is NaN, 0 elsewhere; never unknown."""
        out = np.empty(len(column)) if out is None else out
        np.isnan(column, out=out)
        return out

    def name(self, column: str) -> Statement:
        """The column, and "is missing"."""
        return Statement.missing(column)

    def reading(self, levels: Levels | None = None) -> str:
        """What it stands for."""
        return "true where there is no value, false where there is one"


@dataclass(frozen=True)
class Level(Indicator):
    """One group of the values of a category: ``colour is red``, ``colour is other``.

    ``code`` is its number in the column's :class:`~crisplogic.tables.Levels`; ``value`` is its
    text, None for the group of other values.

    >>> red = Level(0, code=2, value="red")
    >>> red.degree(np.array([[2.0], [0.0], [-1.0], [np.nan]])).tolist()
    [1.0, -1.0, 0.0, 0.0]
    """

    code: int
    value: str | None

    @classmethod
    def of(cls, feature: int, code: int, levels: Levels) -> Level:
        """The level with the number ``code``."""
        return cls(feature, code, levels.groups[code])

    def indicated(self, column: Floats, out: Floats | None = None) -> Floats:
        """1 where the code is this one, NaN where the value is missing or new."""
        out = np.empty(len(column)) if out is None else out
        np.equal(column, self.code, out=out)
        np.copyto(out, np.nan, where=~(column >= 0))
        return out

    def name(self, column: str) -> Statement:
        """The column, and its value."""
        if self.value is None:
            return Statement.other(column)
        return Statement.of_value(column, self.value)

    def reading(self, levels: Levels | None = None) -> str:
        """What it stands for, among the levels of its column.

        >>> colours = Levels(("red", "blue"), ("mauve", "light blue"))
        >>> Level.of(0, 0, colours).reading(colours)
        'true for red; false for blue, mauve, "light blue"; else unknown'
        >>> Level.of(0, 2, colours).reading(colours)
        'true for mauve, "light blue"; false for red, blue; else unknown'
        """
        if levels is None or not lists_values(levels):
            this = "this value" if self.value is not None else "those called other"
            return f"true for {this}, false for the rest of the known values; else unknown"
        values = levels.others if self.value is None else (self.value,)
        parts = [f"true for {_listed(values)}"]
        rest = [each for each in (*levels.names, *levels.others) if each not in values]
        if rest:
            parts.append(f"false for {_listed(rest)}")
        return "; ".join([*parts, "else unknown"])


def compares_numbers(membership: Membership) -> bool:
    """Whether a membership asks how large a number is.

    >>> compares_numbers(Step(0, 40.0)), compares_numbers(Flag(0))
    (True, False)
    """
    return isinstance(membership, Step) or not isinstance(membership, Indicator)


def lists_values(levels: Levels) -> bool:
    """Whether the reading of a level lists all values of its column."""
    return len(levels.names) + len(levels.others) <= MOST_NAMED


def read_levels(levels: Levels) -> str:
    """All values of a column.

    >>> read_levels(Levels(("red", "blue"), ("mauve", "light blue")))
    'known are red, blue; other are mauve, "light blue"'
    """
    known = f"known are {_listed(levels.names)}"
    return f"{known}; other are {_listed(levels.others)}" if levels.others else known


def distinct_names(
    features: Sequence[str], memberships: Sequence[Membership], used: Sequence[int]
) -> tuple[str, ...]:
    """The names of memberships: those that differ have different names.

    Names are as short as they can be. So a membership that no rule has ``used`` gives way.

    >>> ramps = Ramp(0, 2.0, 3.0), Ramp(0, 1.0, 4.0), Ramp(0, 5.0, 6.0), Flag(1)
    >>> distinct_names(["x", "x>5.5"], ramps, [0, 1, 2, 3])
    ('x>2.5+/-0.5', 'x>2.5+/-1.5', 'x>5.5+/-0.5', '"x>5.5"')
    """

    def possible(at: int) -> Iterator[str]:
        membership = memberships[at]
        return membership.names(features[membership.feature])

    longer = {at: possible(at) for at in used}
    names = {at: next(longer[at]) for at in used}
    renamed = names
    while renamed:
        meant: dict[str, set[Membership]] = {}
        for at, name in names.items():
            meant.setdefault(written_name(name), set()).add(memberships[at])
        clashing = (at for at, name in names.items() if len(meant[written_name(name)]) > 1)
        renamed = {at: name for at in clashing if (name := next(longer[at], "")) != ""}
        names |= renamed
    taken = {written_name(name): memberships[at] for at, name in names.items()}
    for at, each in enumerate(memberships):
        if at not in names:
            for name in possible(at):
                names[at] = name
                if taken.setdefault(written_name(name), each) == each:
                    break
    return tuple(names[at] for at in range(len(memberships)))


def every_indicator(schema: Schema, missing: bool = False) -> tuple[Indicator, ...]:
    """All indicators of the columns of a table, in their order.

    A category of two values has one indicator, that of the rarer or of the greater number.
    With ``missing=True``, a column with missing values has an indicator for these.

    >>> from crisplogic.tables import infer_schema, read_columns
    >>> table = [[41, True, "red"], [None, False, "blue"], [7, True, "red"], [3, True, "teal"]]
    >>> every = every_indicator(infer_schema(read_columns(table)), missing=True)
    >>> [each.name(f"x{each.feature}") for each in every]
    ['x0 is missing', 'x1', 'x2 is red', 'x2 is blue', 'x2 is teal']
    """
    found: list[Indicator] = []
    for feature, (kind, levels) in enumerate(zip(schema.kinds, schema.levels, strict=True)):
        if kind == "boolean" and levels in (None, TRUTH):
            found.append(Flag(feature))
        elif levels is not None:
            found += [Level.of(feature, code, levels) for code in _indicated_codes(levels)]
        if missing and schema.has_missing[feature]:
            found.append(Missing(feature))
    return tuple(found)


def _indicated_codes(levels: Levels) -> Sequence[int]:
    """The codes of the groups that get an indicator: of two groups, one is enough."""
    if len(levels) == 2:
        return [0 if levels.others else 1]  # the one that has a name, the rarer, the greater
    return range(len(levels)) if len(levels) > 2 else []


def _listed(values: Sequence[str]) -> str:
    """The values as they are written.

    >>> _listed(["a", "b c", "other"])
    'a, "b c", "other"'
    """
    return ", ".join(map(written_value, values))
