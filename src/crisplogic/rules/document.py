"""Rule sets as JSON: a small format a person can read, with a version number.

Expressions are kept as plain ASCII logic over numbered inputs, parts that they share once
and by name, or a deep network's file would grow exponentially with its depth. Whatever comes
from a file goes through the parser and is checked piece by piece: files come from strangers.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from reprlib import repr as shortened
from typing import Any, TypeVar

import numpy as np

from crisplogic.errors import ExpressionError, RuleFileError
from crisplogic.expr import ASCII, Expr, parse
from crisplogic.render import definitions, named_parts, to_text
from crisplogic.rules.membership import Membership, Ramp
from crisplogic.rules.rule import Label, Rule

FORMAT = "crisplogic.rules"
VERSION = 2
READABLE = (1, 2)  # the first had neither ramps nor intercepts
KINDS: dict[str, type[Membership]] = {"linear": Membership, "ramp": Ramp}

T = TypeVar("T")


def to_json(
    features: Sequence[str],
    memberships: Sequence[Membership],
    rules: Sequence[Rule],
    scale: float,
    intercepts: Sequence[float],
) -> str:
    """The parts of a rule set as JSON text.

    >>> parts = ("age",), (Ramp(0, 0.0, 9.0),), (Rule("old", parse("0")),), 1.0, (0.5,)
    >>> from_json(to_json(*parts)) == parts
    True
    """
    shared = named_parts([rule.expression for rule in rules])
    document = {
        "format": FORMAT,
        "version": VERSION,
        "features": list(features),
        "memberships": [
            {"kind": _kind(each), "feature": each.feature, "low": each.low, "high": each.high}
            for each in memberships
        ],
        "shared": definitions(shared, None, ASCII),
        "rules": [
            {
                "label": _label(rule.label),
                "expression": to_text(rule.expression, None, ASCII, shared),
            }
            for rule in rules
        ],
        "intercepts": list(intercepts),
        "scale": scale,
    }
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    # Half a surrogate pair is no character; only as an escape can a file keep it.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def from_json(
    text: str,
) -> tuple[tuple[str, ...], tuple[Membership, ...], tuple[Rule, ...], float, tuple[float, ...]]:
    """The parts of the rule set in a JSON text, or an error that says what is wrong."""
    document = _loaded(text)
    if document.get("format") != FORMAT:
        raise RuleFileError(f'it does not say "format": "{FORMAT}"')
    version = _get(document, "version", int)
    if version not in READABLE:
        raise RuleFileError(
            f"it has format version {version}, this crisplogic reads versions "
            f"{' and '.join(map(str, READABLE))}; "
            "if a newer crisplogic wrote it, upgrade to read it"
        )
    features = tuple(_each(document, "features", str))
    memberships = tuple(_membership(entry) for entry in _each(document, "memberships", dict))
    shared: dict[str, Expr] = {}
    written = _get({"shared": {}, **document}, "shared", dict)
    for name in written:
        what = f"part {shortened(name)}"
        shared[name] = _expression(_get(written, name, str), len(memberships), shared, what)
    rules = tuple(
        _rule(entry, len(memberships), shared) for entry in _each(document, "rules", dict)
    )
    intercepts = _intercepts(document, len(rules))
    return features, memberships, rules, _number(document, "scale"), intercepts


def _loaded(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RuleFileError(f"it is not JSON ({error})") from error
    if not isinstance(document, dict):
        raise RuleFileError(f"it holds a JSON {type(document).__name__}, not an object")
    return document


def _kind(membership: Membership) -> str:
    return next(name for name, kind in KINDS.items() if kind is type(membership))


def _membership(entry: dict[str, Any]) -> Membership:
    kind = _get(entry, "kind", str)
    if kind not in KINDS:
        known = " and ".join(map(repr, KINDS))
        raise RuleFileError(f"unknown kind of membership {shortened(kind)}; known are {known}")
    return KINDS[kind](
        _get(entry, "feature", int), _number(entry, "low"), _number(entry, "high")
    )


def _intercepts(document: dict[str, Any], rules: int) -> tuple[float, ...]:
    if "intercepts" not in document:
        return (0.0,) * rules
    values = _get(document, "intercepts", list)
    return tuple(_number({"intercepts": value}, "intercepts") for value in values)


def _rule(entry: dict[str, Any], inputs: int, shared: dict[str, Expr]) -> Rule:
    label = _label(entry.get("label"))
    what = f"rule for {shortened(label)}"
    return Rule(label, _expression(_get(entry, "expression", str), inputs, shared, what))


def _expression(text: str, inputs: int, shared: dict[str, Expr], what: str) -> Expr:
    try:
        # The numbers themselves serve as names, so that the parser knows how many there are.
        return parse(text, [str(number) for number in range(inputs)], shared)
    except ExpressionError as error:
        raise RuleFileError(f"the {what} is not readable: {error}") from error


def _get(entry: dict[str, Any], key: str, kind: type[T]) -> T:
    value = entry.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise RuleFileError(f'"{key}" must be of type {kind.__name__}, got {shortened(value)}')
    return value


def _number(entry: dict[str, Any], key: str) -> float:
    value = entry.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not _fits(value):
        raise RuleFileError(f'"{key}" must be a finite number, got {shortened(value)}')
    return float(value)


def _fits(value: float) -> bool:
    """Whether a number is a finite float, as neither NaN nor an integer of 400 digits is."""
    return abs(value) <= sys.float_info.max


def _each(entry: dict[str, Any], key: str, kind: type[T]) -> list[T]:
    values = _get(entry, key, list)
    for value in values:
        if not isinstance(value, kind):
            raise RuleFileError(
                f'"{key}" must be a list of {kind.__name__}, got {shortened(value)}'
            )
    return values


def _label(label: object) -> Label:
    """A label as Python's own kind of value: JSON knows nothing of numpy's."""
    plain = label.item() if isinstance(label, np.generic) else label
    if isinstance(plain, str | int) or (isinstance(plain, float) and math.isfinite(plain)):
        return plain
    raise RuleFileError(f'a "label" must be text or a finite number, got {shortened(plain)}')
