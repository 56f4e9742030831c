"""Rule sets as JSON: a small format a person can read, with a version number.

Expressions are kept as plain ASCII logic over numbered inputs, parts that they share once
and by name, or a deep network's file would grow exponentially with its depth. Whatever comes
from a file goes through the parser and is checked piece by piece: files come from strangers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from reprlib import repr as shortened
from typing import Any

import numpy as np

from crisplogic.errors import ExpressionError, RuleFileError
from crisplogic.expr import ASCII, Expr, parse
from crisplogic.render import definitions, named_parts, to_text
from crisplogic.rules.entries import (
    levels_entry,
    levels_from,
    membership_entry,
    membership_from,
)
from crisplogic.rules.fields import each, get, number
from crisplogic.rules.membership import Membership
from crisplogic.rules.rule import Label, Predicts, Rule
from crisplogic.tables import Levels

FORMAT = "crisplogic.rules"
# The first had neither ramps nor intercepts, the second neither levels nor what speaks of them,
# the third no numbers to predict. Classes need none: who reads the third can read theirs.
VERSIONS: dict[Predicts, int] = {"class": 3, "number": 4}
READABLE = (1, 2, 3, 4)

Parts = tuple[
    tuple[str, ...],
    tuple[Membership, ...],
    tuple[Rule, ...],
    float,
    tuple[float, ...],
    tuple[Levels | None, ...],
    Predicts,
]


def to_json(
    features: Sequence[str],
    memberships: Sequence[Membership],
    rules: Sequence[Rule],
    scale: float,
    intercepts: Sequence[float],
    levels: Sequence[Levels | None],
    predicts: Predicts = "class",
) -> str:
    """The parts of a rule set as JSON text.

    >>> parts = ("age",), (Membership(0, 0, 9),), (Rule("old", parse("0")),), 1.0, (0.5,), ()
    >>> from_json(to_json(*parts)) == (*parts, "class")
    True
    """
    counted = predicts == "number"  # as in print; files of classes are read by older versions
    shared = named_parts([rule.expression for rule in rules], counted=counted)
    document = {
        "format": FORMAT,
        "version": VERSIONS[predicts],
        **({"predicts": predicts} if predicts != "class" else {}),
        "features": list(features),
        "levels": levels_entry(features, levels),
        "memberships": [membership_entry(membership) for membership in memberships],
        "shared": definitions(shared, None, ASCII),
        "rules": [
            {
                "label": _label(rule.label),
                "expression": to_text(rule.expression, None, ASCII, shared, counted),
            }
            for rule in rules
        ],
        "intercepts": list(intercepts),
        "scale": scale,
    }
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    # Half a surrogate pair is no character; only as an escape can a file keep it.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def from_json(text: str) -> Parts:
    """The parts of the rule set in a JSON text, or an error that says what is wrong."""
    document = _loaded(text)
    if document.get("format") != FORMAT:
        raise RuleFileError(f'it does not say "format": "{FORMAT}"')
    version = get(document, "version", int)
    if version not in READABLE:
        raise RuleFileError(
            f"it has format version {version}, this crisplogic reads versions "
            f"{READABLE[0]} to {READABLE[-1]}; "
            "if a newer crisplogic wrote it, upgrade to read it"
        )
    predicts = _predicts(document, version)
    features = tuple(each(document, "features", str))
    levels = levels_from(get({"levels": {}, **document}, "levels", dict), features)
    memberships = tuple(
        membership_from(entry, levels) for entry in each(document, "memberships", dict)
    )
    shared: dict[str, Expr] = {}
    written = get({"shared": {}, **document}, "shared", dict)
    for name in written:
        what = f"part {shortened(name)}"
        shared[name] = _expression(get(written, name, str), len(memberships), shared, what)
    rules = tuple(
        _rule(entry, len(memberships), shared) for entry in each(document, "rules", dict)
    )
    intercepts = _intercepts(document, len(rules))
    scale = number(document, "scale")
    return features, memberships, rules, scale, intercepts, levels, predicts


def _loaded(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RuleFileError(f"it is not JSON ({error})") from error
    if not isinstance(document, dict):
        raise RuleFileError(f"it holds a JSON {type(document).__name__}, not an object")
    return document


def _predicts(document: dict[str, Any], version: int) -> Predicts:
    """What the rules are for: classes, where a version that knew nothing else does not say."""
    if version < VERSIONS["number"] and "predicts" not in document:
        return "class"
    said = document.get("predicts")
    for predicts in VERSIONS:
        if said == predicts:
            return predicts
    known = " or ".join(f'"{predicts}"' for predicts in VERSIONS)
    raise RuleFileError(f'"predicts" must be {known}, got {shortened(said)}')


def _intercepts(document: dict[str, Any], rules: int) -> tuple[float, ...]:
    if "intercepts" not in document:
        return (0.0,) * rules
    values = get(document, "intercepts", list)
    return tuple(number({"intercepts": value}, "intercepts") for value in values)


def _rule(entry: dict[str, Any], inputs: int, shared: dict[str, Expr]) -> Rule:
    label = _label(entry.get("label"))
    what = f"rule for {shortened(label)}"
    return Rule(label, _expression(get(entry, "expression", str), inputs, shared, what))


def _expression(text: str, inputs: int, shared: dict[str, Expr], what: str) -> Expr:
    try:
        # The numbers themselves serve as names, so that the parser knows how many there are.
        return parse(text, [str(number) for number in range(inputs)], shared)
    except ExpressionError as error:
        raise RuleFileError(f"the {what} is not readable: {error}") from error


def _label(label: object) -> Label:
    """A label as Python's own kind of value: JSON knows nothing of numpy's."""
    plain = label.item() if isinstance(label, np.generic) else label
    if isinstance(plain, str | int) or (isinstance(plain, float) and math.isfinite(plain)):
        return plain
    raise RuleFileError(f'a "label" must be text or a finite number, got {shortened(plain)}')
