"""Memberships and levels as entries of a JSON document, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from reprlib import repr as shortened
from typing import Any

from crisplogic.errors import RuleFileError, TableError
from crisplogic.rules.fields import each, get, number
from crisplogic.rules.indicators import Flag, Level, Missing
from crisplogic.rules.membership import Membership, Ramp
from crisplogic.tables import Levels

KINDS: dict[str, type[Membership]] = {
    "linear": Membership,
    "ramp": Ramp,
    "flag": Flag,
    "level": Level,
    "missing": Missing,
}


def membership_entry(membership: Membership) -> dict[str, Any]:
    """A membership as an entry: its kind, its column, and what else it needs.

    >>> membership_entry(Level(2, 0, "red"))
    {'kind': 'level', 'feature': 2, 'code': 0}
    """
    kind = next(name for name, kind in KINDS.items() if kind is type(membership))
    entry = {"kind": kind, "feature": membership.feature}
    if isinstance(membership, Level):
        return {**entry, "code": membership.code}
    if isinstance(membership, Flag | Missing):
        return entry
    return {**entry, "low": membership.low, "high": membership.high}


def membership_from(entry: dict[str, Any], levels: Sequence[Levels | None]) -> Membership:
    """The membership that an entry describes; ``levels`` are those of the columns."""
    kind = get(entry, "kind", str)
    if kind not in KINDS:
        known = ", ".join(map(repr, KINDS))
        raise RuleFileError(f"unknown kind of membership {shortened(kind)}; known are {known}")
    feature = get(entry, "feature", int)
    if kind == "level":
        return _level(feature, get(entry, "code", int), levels)
    if kind in ("flag", "missing"):
        return Flag(feature) if kind == "flag" else Missing(feature)
    return KINDS[kind](feature, number(entry, "low"), number(entry, "high"))


def _level(feature: int, code: int, levels: Sequence[Levels | None]) -> Level:
    its = levels[feature] if 0 <= feature < len(levels) else None
    groups = () if its is None else its.groups
    if not 0 <= code < len(groups):
        raise RuleFileError(
            f'"code" must be the number of a level, got {shortened(code)}; '
            f"column {shortened(feature)} has {len(groups)} levels, counted from 0"
        )
    return Level(feature, code, groups[code])


def levels_entry(
    features: Sequence[str], levels: Sequence[Levels | None]
) -> dict[str, dict[str, list[str]]]:
    """The levels of those columns that have some, by the name of the column.

    >>> levels_entry(["age", "colour"], [None, Levels(("red", "blue"), ("teal",))])
    {'colour': {'names': ['red', 'blue'], 'others': ['teal']}}
    """
    return {
        name: {"names": list(its.names), "others": list(its.others)}
        for name, its in zip(features, levels, strict=bool(levels))
        if its is not None
    }


def levels_from(
    entries: Mapping[str, Any], features: Sequence[str]
) -> tuple[Levels | None, ...]:
    """The levels of every column, None where it has none; nothing at all if none has any."""
    unknown = [name for name in entries if name not in features]
    if unknown:
        raise RuleFileError(
            f'"levels" must be those of columns, but {shortened(unknown[0])} is none'
        )
    found = {name: _levels(name, entries) for name in entries}
    return tuple(found.get(name) for name in features) if found else ()


def _levels(name: str, entries: Mapping[str, Any]) -> Levels:
    entry = get(dict(entries), name, dict)
    try:
        return Levels(
            tuple(each(entry, "names", str)),
            tuple(each({"others": [], **entry}, "others", str)),
        )
    except TableError as error:
        raise RuleFileError(f"column {shortened(name)}: {error}") from error
