"""Thresholds changed by hand: where a ramp turns, and how gradually."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from crisplogic.errors import ExpressionError, RuleError
from crisplogic.expr.lexer import tokenize
from crisplogic.expr.notation import WIDTH, parse_comparison, split_comparison, written_name
from crisplogic.messages import did_you_mean, list_some
from crisplogic.parameters import AMOUNT, is_amount, require
from crisplogic.rules.memberships import Ramp
from crisplogic.rules.rule import AnyRules

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet

# The least width, in steps between neighbouring floats. It is a power of two, so that the
# middle between both ends is the threshold to the last bit.
STEPS = 4
LEAST_AT_ZERO = 1e-12  # around 0 the steps are too small to divide by


def ramp_at(feature: int, threshold: float, width: float) -> Ramp:
    """A ramp that is false up to ``threshold - width`` and true from ``threshold + width``.

    A width of 0 is a crisp step: true above the threshold, false below it, and unknown only
    at the threshold itself.

    >>> ramp_at(0, 130, 20)
    Ramp(feature=0, low=110.0, high=150.0)
    >>> ramp_at(0, 0.3, 0.1)
    Ramp(feature=0, low=0.2, high=0.4)
    >>> ramp_at(0, 130, 0).reading()
    'false below 130, true above 130'
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


def _finite(threshold: float) -> float:
    value = float(threshold)
    if not math.isfinite(value):
        raise RuleError(f"a threshold must be a finite number, got {threshold}")
    return value


def with_threshold(
    rules: AnyRules, literal: str, threshold: float, width: float | None = None
) -> AnyRules:
    """The rules with another threshold for a literal, wherever it stands.

    The ``literal`` is named as it is printed, ``glucose>127`` or ``glucose<127``. Without a
    width, ``glucose>127`` also stands for ``glucose>127+/-10`` and ``glucose>127+/-20``. The
    name of a column is enough if it has one threshold only. The ramp stays as gradual as it is
    unless a ``width`` is given: it is false up to ``threshold - width`` and true from
    ``threshold + width``, so that 0 makes a crisp step.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Rule
    >>> ill, well = Rule("ill", parse("0")), Rule("well", parse("~0"))
    >>> rules = ClassificationRules(("glucose",), (Ramp(0, 107.0, 147.0),), (ill, well))
    >>> print(rules.with_threshold("glucose>127", 130).to_text())
    ill  = glucose>130
    well = glucose<130
    >>> print(rules.with_threshold("glucose", 130, width=5).legend())
    glucose>130  false up to 125, true from 135
    """
    named = _named(rules, literal)
    memberships = [
        ramp_at(each.feature, threshold, width_of(each) if width is None else width)
        if isinstance(each, Ramp) and number in named
        else each
        for number, each in enumerate(rules.memberships)
    ]
    return replace(rules, memberships=tuple(memberships))


def _named(rules: RuleSet, literal: str) -> list[int]:
    """The ramps that a literal or a column names: several if they are printed alike."""
    for column, threshold, width in _readings(literal):
        found = _ramps(rules, column)
        if threshold is not None:
            found = [number for number in found if _is_at(rules, number, threshold, width)]
        elif used := [number for number in found if number in rules.used]:
            found = used
        if len({_shown(rules, number) for number in found}) > 1:
            raise RuleError(
                f"{written_name(column)} has several thresholds; name one of "
                f"{_written(rules, found)}"
            )
        if found:
            return found
    # A column may have no name at all: its ramp is called by the threshold alone.
    names = {number: rules.names[number] for number in _ramps(rules)}
    whole = [number for number, name in names.items() if literal in (name, written_name(name))]
    if not whole:
        raise RuleError(_none(rules, literal))
    return whole


_Reading = tuple[str, float | None, float | None]


def _readings(literal: str) -> Iterator[_Reading]:
    """The columns, thresholds and widths that a literal may mean, with quotes or without.

    >>> list(_readings('"body mass" > 31.5'))[-1]
    ('body mass', 31.5, None)
    """
    yield literal, None, None
    column, comparison = split_comparison(literal)
    if comparison:
        yield column, *parse_comparison(comparison)[1:]
    tokens = tokenize(literal)
    try:
        match [token.kind for token in tokens]:
            case ["name", "end"]:
                yield tokens[0].unquoted, None, None
            case ["name", "comparison", "end"]:
                comparison = "".join(tokens[1].text.split()).replace("±", WIDTH)
                yield tokens[0].unquoted, *parse_comparison(comparison)[1:]
    except ExpressionError:  # what is in quotes is not JSON
        return


def _ramps(rules: RuleSet, column: str | None = None) -> list[int]:
    return [
        number
        for number, each in enumerate(rules.memberships)
        if isinstance(each, Ramp) and column in (None, rules.features[each.feature])
    ]


def _shown(rules: RuleSet, number: int) -> float:
    ramp = rules.memberships[number]
    assert isinstance(ramp, Ramp)
    return float(ramp.shown)


def _is_at(rules: RuleSet, number: int, threshold: float, width: float | None) -> bool:
    ramp = rules.memberships[number]
    assert isinstance(ramp, Ramp)
    turns_here = threshold in (float(ramp.shown), ramp.threshold)
    return turns_here and width in (None, width_of(ramp))


def _written(rules: RuleSet, numbers: list[int]) -> str:
    names = dict.fromkeys(written_name(rules.names[number]) for number in numbers)
    return list_some(names, show=str)


def _none(rules: RuleSet, literal: str) -> str:
    column = [reading[0] for reading in _readings(literal)][-1]
    own = _ramps(rules, column)
    there = own or [number for number in _ramps(rules) if number in rules.used] or _ramps(rules)
    if not there:
        return f"no literal is called {literal}: these rules have no thresholds"
    names = [written_name(rules.names[number]) for number in there]
    return (
        f"no literal with a threshold is called {literal}; there are "
        f"{_written(rules, there)}{did_you_mean(literal, names, show=str)}"
    )
