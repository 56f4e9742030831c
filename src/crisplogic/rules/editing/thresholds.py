"""Thresholds changed by hand: where a ramp turns, and how gradually; where a step is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from crisplogic.errors import ExpressionError, RuleError
from crisplogic.expr.lexer import tokenize
from crisplogic.expr.notation import (
    WRITTEN_COMPARISON,
    parse_comparison,
    plain_comparison,
    split_comparison,
    written_name,
)
from crisplogic.messages import did_you_mean, list_some
from crisplogic.parameters import AMOUNT, is_amount, require
from crisplogic.rules.memberships import LEAST_AT_ZERO, Membership, Ramp, Step
from crisplogic.rules.rule import AnyRules

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet

# The least width, in steps between neighbouring floats. It is a power of two, so that the
# middle between both ends is the threshold to the last bit.
STEPS = 4

NO_WIDTH = "a threshold of crisp rules has no width; graded rules have ramps with one"


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


def step_at(feature: int, sign: str, threshold: float) -> Step:
    """The step that a comparison, or its negation, says.

    >>> step_at(0, ">", 40).name("age"), step_at(0, "<=", 40).name("age")
    ('age>40', 'age>40')
    >>> step_at(0, ">=", 40).name("age"), step_at(0, "<", 40).name("age")
    ('age>=40', 'age>=40')
    """
    threshold = _finite(threshold)
    return (
        Step(feature, threshold) if sign in (">", "<=") else Step.at_least(feature, threshold)
    )


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

    A literal of crisp rules keeps its sign: ``age>=40`` becomes ``age>=45``. It has no width.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Rule
    >>> ill, well = Rule("ill", parse("0")), Rule("well", parse("~0"))
    >>> rules = ClassificationRules(("glucose",), (Ramp(0, 107.0, 147.0),), (ill, well))
    >>> print(rules.with_threshold("glucose>127", 130).to_text())
    ill  = glucose>130±20
    well = glucose<130±20
    >>> print(rules.with_threshold("glucose", 130, width=5).legend())
    glucose>130±5  false up to 125, true from 135
    """
    named = _named(rules, literal)
    memberships = list(rules.memberships)
    for number in named:
        memberships[number] = _moved(memberships[number], threshold, width)
    return replace(rules, memberships=tuple(memberships))


def _moved(membership: Membership, threshold: float, width: float | None) -> Membership:
    """A ramp or a step at another threshold."""
    if isinstance(membership, Step):
        if width is not None:
            raise RuleError(NO_WIDTH)
        return step_at(membership.feature, membership.bound[0], threshold)
    assert isinstance(membership, Ramp)
    width = width_of(membership) if width is None else width
    return ramp_at(membership.feature, threshold, width)


def _named(rules: RuleSet, literal: str) -> list[int]:
    """The thresholds that a literal or a column names: several if they are printed alike."""
    for column, comparison in _readings(literal):
        found = _thresholds(rules, column)
        if comparison:
            found = [at for at in found if _is_at(rules.memberships[at], comparison)]
        elif used := [number for number in found if number in rules.used]:
            found = used
        if len({_shown(rules.memberships[number]) for number in found}) > 1:
            raise RuleError(
                f"{written_name(column)} has several thresholds; name one of "
                f"{_written(rules, found)}"
            )
        if found:
            return found
    # A column may have no name at all: its ramp is called by the threshold alone.
    names = {number: rules.names[number] for number in _thresholds(rules)}
    whole = [number for number, name in names.items() if literal in (name, written_name(name))]
    if not whole:
        raise RuleError(_none(rules, literal))
    return whole


def _readings(literal: str) -> Iterator[tuple[str, str]]:
    """The columns and comparisons that a literal may mean, with quotes or without.

    >>> list(_readings('"body mass" > 31.5'))[-1], list(_readings("age≥40"))[-1]
    (('body mass', '>31.5'), ('age', '>=40'))
    """
    yield literal, ""
    column, comparison = split_comparison(literal, WRITTEN_COMPARISON)
    if comparison:
        yield column, plain_comparison(comparison)
    tokens = tokenize(literal)
    try:
        match [token.kind for token in tokens]:
            case ["name", "end"]:
                yield tokens[0].unquoted, ""
            case ["name", "comparison", "end"]:
                yield tokens[0].unquoted, plain_comparison(tokens[1].text)
    except ExpressionError:  # what is in quotes is not JSON
        return


def _thresholds(rules: RuleSet, column: str | None = None) -> list[int]:
    return [
        number
        for number, each in enumerate(rules.memberships)
        if isinstance(each, Ramp | Step) and column in (None, rules.features[each.feature])
    ]


def _shown(membership: Membership) -> float:
    assert isinstance(membership, Ramp | Step)
    return float(membership.shown) if isinstance(membership, Ramp) else membership.threshold


def _is_at(membership: Membership, comparison: str) -> bool:
    """Whether a ramp or a step turns where a comparison says."""
    sign, threshold, width = parse_comparison(comparison)
    if isinstance(membership, Step):
        return width is None and membership == step_at(membership.feature, sign, threshold)
    assert isinstance(membership, Ramp)
    turns_here = threshold in (float(membership.shown), membership.threshold)
    return sign in "<>" and turns_here and membership.is_wide(width)


def _written(rules: RuleSet, numbers: list[int]) -> str:
    names = dict.fromkeys(written_name(rules.names[number]) for number in numbers)
    return list_some(names, show=str)


def _none(rules: RuleSet, literal: str) -> str:
    column = [reading[0] for reading in _readings(literal)][-1]
    own = _thresholds(rules, column)
    there = (
        own
        or [number for number in _thresholds(rules) if number in rules.used]
        or _thresholds(rules)
    )
    if not there:
        return f"no literal is called {literal}: these rules have no thresholds"
    names = [written_name(rules.names[number]) for number in there]
    return (
        f"no literal with a threshold is called {literal}; there are "
        f"{_written(rules, there)}{did_you_mean(literal, names, show=str)}"
    )
