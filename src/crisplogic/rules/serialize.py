"""Rule sets as JSON: a small format a person can read, with a version number.

Expressions are ASCII text over numbered inputs. Shared parts are written once, by name: else
the file of a deep network would grow exponentially with its depth. Everything in a file is
parsed and checked: files come from strangers.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Sized
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from crisplogic.errors import ExpressionError, RuleFileError, TableError
from crisplogic.expr import ASCII, Expr, Squash, Sum
from crisplogic.expr.inputs import NamedInputs
from crisplogic.expr.lexer import tokenize
from crisplogic.expr.parser import Parser, TermBudget
from crisplogic.expr.printer import Printer, definitions, named_parts
from crisplogic.expr.size import repeated
from crisplogic.expr.walk import unique_nodes
from crisplogic.rules.history import Note
from crisplogic.rules.memberships import Flag, Level, Membership, Missing, Ramp, Step
from crisplogic.rules.rule import Label, Predicts, Rule, as_plain
from crisplogic.tables import TRUTH, Levels, Range

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet

FORMAT = "crisplogic.rules"
# Version 2 added ramps and intercepts, version 3 levels and indicators, version 4 rules that
# predict a number and terms that count several times, version 5 decision thresholds and
# transformed numbers, version 6 crisp rules, version 7 counts in them. Rules are written in
# the oldest version that can hold them, for older readers.
VERSIONS: dict[Predicts, int] = {"class": 3, "number": 4}
DECIDING, IN_DECIDING = 5, {"decision_threshold", "transform"}
CRISP, COUNTS = 6, 7
READABLE = (1, 2, 3, 4, DECIDING, CRISP, COUNTS)

# Longer names would make print as long as the file is, times the number of its lines.
MAX_NAME = 10_000

Parts = tuple[
    tuple[str, ...],
    tuple[Membership, ...],
    tuple[Rule, ...],
    float,
    tuple[float, ...],
    tuple[Levels | None, ...],
    tuple[Range | None, ...],
]


def to_json(rules: RuleSet) -> str:
    """A rule set as JSON text."""
    shared = named_parts(rules.expressions)
    printer = Printer(None, ASCII, shared)
    own = rules.own_parts()
    version = _version(rules, own)
    document = {
        "format": FORMAT,
        "version": version,
        **({"predicts": rules.predicts} if version >= VERSIONS["number"] else {}),
        **({"crisp": True} if rules.crisp else {}),
        "features": list(rules.features),
        "levels": levels_entry(rules.features, rules.levels),
        **_unless_empty("truth_values", truth_entry(rules.features, rules.levels)),
        **_unless_empty("ranges", ranges_entry(rules.features, rules.ranges)),
        "memberships": [membership_entry(each) for each in rules.memberships],
        "shared": definitions(shared, None, ASCII),
        "rules": [
            {
                "label": _label(rule.label),
                "expression": printer.text(rule.expression),
            }
            for rule in rules.rules
        ],
        "intercepts": list(rules.intercepts),
        "scale": rules.scale,
        **own,
        **_unless_empty("history", [note.to_dict() for note in rules.history]),
    }
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    # Half a surrogate pair is no character; only as an escape can a file keep it.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _version(rules: RuleSet, own: Mapping[str, Any]) -> int:
    """The oldest version that can hold the rules."""
    if rules.crisp:
        nodes = unique_nodes(rules.expressions)
        return COUNTS if any(isinstance(node, Squash) for node in nodes) else CRISP
    if own.keys() & IN_DECIDING:
        return DECIDING
    sums = (node.terms for node in unique_nodes(rules.expressions) if isinstance(node, Sum))
    counts = (count for terms in sums for _, count in repeated(terms))
    return VERSIONS["number" if max(counts, default=1) > 1 else rules.predicts]


def _unless_empty(key: str, entry: Sized) -> dict[str, Sized]:
    return {key: entry} if len(entry) else {}


def from_json(text: str) -> tuple[Predicts, Parts, dict[str, Any]]:
    """What the rules in a JSON text predict, their parts, and those that only some have."""
    document = parse_object(text)
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
    features = tuple(_names(document, "features"))
    truth = each({"truth_values": [], **document}, "truth_values", str)
    levels = levels_from(get({"levels": {}, **document}, "levels", dict), features, truth)
    ranges = ranges_from(get({"ranges": {}, **document}, "ranges", dict), features)
    memberships = tuple(
        membership_from(entry, levels) for entry in each(document, "memberships", dict)
    )
    expressions = _ExpressionReader(len(memberships))
    written = get({"shared": {}, **document}, "shared", dict)
    for name in written:
        part = expressions.read(get(written, name, str), f"part {shortened(name)}")
        expressions.shared[name] = part
    rules = tuple(_rule(entry, expressions) for entry in each(document, "rules", dict))
    intercepts = _intercepts(document, len(rules))
    scale = number(document, "scale")
    parts = features, memberships, rules, scale, intercepts, levels, ranges
    more = {"crisp": _crisp(document), "history": _history(document)}
    return predicts, parts, more | _own_parts(document, predicts)


def parse_object(text: str) -> dict[str, Any]:
    """The object that a JSON text holds. No key may stand in it twice.

    >>> parse_object('{"scale": 2}')
    {'scale': 2}
    """
    try:
        document = json.loads(text, object_pairs_hook=_without_repetition)
    except RuleFileError:
        raise
    except (ValueError, RecursionError) as error:
        raise RuleFileError(f"it is not JSON ({error})") from error
    if not isinstance(document, dict):
        raise RuleFileError(f"it holds a JSON {type(document).__name__}, not an object")
    return document


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(
            key for key, times in Counter(key for key, _ in pairs).items() if times > 1
        )
        raise RuleFileError(f"it says {shortened(twice)} twice in one object")
    return found


def _predicts(document: dict[str, Any], version: int) -> Predicts:
    """What the rules predict: classes, if an older version does not say."""
    if version < VERSIONS["number"] and "predicts" not in document:
        return "class"
    value = document.get("predicts")
    for predicts in VERSIONS:
        if value == predicts:
            return predicts
    known = " or ".join(f'"{predicts}"' for predicts in VERSIONS)
    raise RuleFileError(f'"predicts" must be {known}, got {shortened(value)}')


def _crisp(document: dict[str, Any]) -> bool:
    """Whether the rules are crisp; those of older versions are not."""
    crisp = document.get("crisp", False)
    if not isinstance(crisp, bool):
        raise RuleFileError(f'"crisp" must be true or false, got {shortened(crisp)}')
    return crisp


def _history(document: dict[str, Any]) -> tuple[Note, ...]:
    """Who changed the rules. A file of any version may say it; most do not."""
    return tuple(
        Note(*(get(entry, key, str) for key in ("when", "who", "what")))
        for entry in each({"history": [], **document}, "history", dict)
    )


def _own_parts(document: dict[str, Any], predicts: Predicts) -> dict[str, Any]:
    """The parts that only rules of one kind have, if the document has them."""
    found: dict[str, Any] = {}
    if predicts == "number" and "transform" in document:
        found["transform"] = get(document, "transform", str)
    if predicts == "class" and "positive" in document:
        found["positive"] = _label(document["positive"])
    for key in ("decision_threshold", "tie_probability"):
        if predicts == "class" and key in document:
            found[key] = number(document, key)
    return found


def _intercepts(document: dict[str, Any], rules: int) -> tuple[float, ...]:
    if "intercepts" not in document:
        return (0.0,) * rules
    values = get(document, "intercepts", list)
    return tuple(number({"intercepts": value}, "intercepts") for value in values)


class _ExpressionReader:
    """Reads the expressions of a file, which share named parts and a limit on their terms."""

    def __init__(self, inputs: int) -> None:
        self.shared: dict[str, Expr] = {}
        # The inputs are named by their numbers, so that the parser knows how many there are.
        self._inputs = NamedInputs([str(number) for number in range(inputs)], self.shared)
        self._budget = TermBudget()

    def read(self, text: str, what: str) -> Expr:
        """The expression that a text says; ``what`` it is, for errors."""
        try:
            tokens = tokenize(text)
            return Parser(text, tokens, self._inputs, budget=self._budget).parse()
        except ExpressionError as error:
            raise RuleFileError(f"the {what} is not readable: {error}") from error


def _rule(entry: dict[str, Any], expressions: _ExpressionReader) -> Rule:
    label = _label(entry.get("label"))
    text = get(entry, "expression", str)
    return Rule(label, expressions.read(text, f"rule for {shortened(label)}"))


def _label(label: Any) -> Label:
    plain = as_plain(label)
    if isinstance(plain, str):
        _check_length(plain, "label")
    if isinstance(plain, str | int) or (isinstance(plain, float) and math.isfinite(plain)):
        return plain
    raise RuleFileError(f'a "label" must be text or a finite number, got {shortened(plain)}')


KINDS: dict[str, type[Membership]] = {
    "linear": Membership,
    "ramp": Ramp,
    "step": Step,
    "flag": Flag,
    "level": Level,
    "missing": Missing,
}


def membership_entry(membership: Membership) -> dict[str, Any]:
    """A membership as JSON: its kind, its column, and its other fields.

    >>> membership_entry(Level(2, 0, "red"))
    {'kind': 'level', 'feature': 2, 'code': 0}
    """
    kind = next(name for name, kind in KINDS.items() if kind is type(membership))
    entry = {"kind": kind, "feature": membership.feature}
    if isinstance(membership, Level):
        return {**entry, "code": membership.code}
    if isinstance(membership, Flag | Missing):
        return entry
    if isinstance(membership, Step):
        sign, bound = membership.bound
        return {**entry, "above" if sign == ">" else "at_least": bound}
    return {**entry, "low": membership.low, "high": membership.high}


def membership_from(entry: dict[str, Any], levels: Sequence[Levels | None]) -> Membership:
    """The membership in a JSON entry; ``levels`` are those of the columns."""
    kind = get(entry, "kind", str)
    if kind not in KINDS:
        known = ", ".join(map(repr, KINDS))
        raise RuleFileError(f"unknown kind of membership {shortened(kind)}; known are {known}")
    feature = get(entry, "feature", int)
    if kind == "level":
        return _level(feature, get(entry, "code", int), levels)
    if kind in ("flag", "missing"):
        return Flag(feature) if kind == "flag" else Missing(feature)
    if kind == "step":
        if "at_least" in entry:
            return Step.at_least(feature, number(entry, "at_least"))
        return Step(feature, number(entry, "above"))
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
) -> dict[str, dict[str, Any]]:
    """The levels of the columns that have some, by the name of the column.

    Truth values are not among them: see :func:`truth_entry`.

    >>> levels_entry(["age", "colour"], [None, Levels(("red", "blue"), ("teal",))])
    {'colour': {'names': ['red', 'blue'], 'others': ['teal']}}
    """
    return {
        name: {
            "names": list(its.names),
            "others": list(its.others),
            **({"values": its.values} if its.are_ordered else {}),
        }
        for name, its in zip(features, levels, strict=bool(levels))
        if its is not None and its != TRUTH
    }


def truth_entry(features: Sequence[str], levels: Sequence[Levels | None]) -> list[str]:
    """The names of the columns that hold truth values. Older readers need no levels for them.

    >>> truth_entry(["age", "smoker"], [None, TRUTH])
    ['smoker']
    """
    pairs = zip(features, levels, strict=bool(levels))
    return [name for name, its in pairs if its == TRUTH]


def ranges_entry(
    features: Sequence[str], ranges: Sequence[Range | None]
) -> dict[str, list[float]]:
    """The least and the greatest number of the columns of numbers, by name.

    >>> ranges_entry(["age", "colour"], [(17.0, 90.0), None])
    {'age': [17.0, 90.0]}
    """
    pairs = zip(features, ranges, strict=bool(ranges))
    return {name: list(ends) for name, ends in pairs if ends is not None}


def ranges_from(
    entries: Mapping[str, Any], features: Sequence[str]
) -> tuple[Range | None, ...]:
    """The range of every column, or None; empty if no column has one."""
    _refuse_unknown("ranges", entries, features)
    return tuple(_range(name, entries) for name in features) if entries else ()


def _range(name: str, entries: Mapping[str, Any]) -> Range | None:
    if name not in entries:
        return None
    ends = get(entries, name, list)
    if len(ends) != 2:
        raise RuleFileError(f"a range is two numbers, got {shortened(ends)}")
    low, high = (number({"ranges": end}, "ranges") for end in ends)
    return low, high


def _refuse_unknown(field: str, names: Iterable[str], features: Sequence[str]) -> None:
    known = set(features)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise RuleFileError(
            f'"{field}" must be those of columns, but {shortened(unknown[0])} is none'
        )


def levels_from(
    entries: Mapping[str, Any], features: Sequence[str], truth: Sequence[str] = ()
) -> tuple[Levels | None, ...]:
    """The levels of every column, or None; empty if no column has levels."""
    _refuse_unknown("levels", entries, features)
    _refuse_unknown("truth_values", truth, features)
    found = {name: _levels(name, entries) for name in entries}
    found |= dict.fromkeys(truth, TRUTH)
    return tuple(found.get(name) for name in features) if found else ()


def _levels(name: str, entries: Mapping[str, Any]) -> Levels:
    entry = get(entries, name, dict)
    try:
        return Levels(
            tuple(_names(entry, "names")),
            tuple(_names({"others": [], **entry}, "others")),
            _values(entry),
        )
    except TableError as error:
        raise RuleFileError(f"column {shortened(name)}: {error}") from error


def _values(entry: dict[str, Any]) -> Literal["text", "numbers"]:
    value = entry.get("values", "text")
    if value == "text" or value == "numbers":
        return "numbers" if value == "numbers" else "text"
    raise RuleFileError(f'"values" must be "text" or "numbers", got {shortened(value)}')


T = TypeVar("T")


def get(entry: Mapping[str, Any], key: str, kind: type[T]) -> T:
    """The value under a key, checked to be of a type."""
    value = entry.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise RuleFileError(f'"{key}" must be of type {kind.__name__}, got {shortened(value)}')
    return value


def number(entry: dict[str, Any], key: str) -> float:
    """The number under a key, checked to be finite."""
    value = entry.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not _fits(value):
        raise RuleFileError(f'"{key}" must be a finite number, got {shortened(value)}')
    return float(value)


def _names(entry: dict[str, Any], key: str) -> list[str]:
    """The list of texts under a key, none of them longer than anyone would print."""
    names = each(entry, key, str)
    for name in names:
        _check_length(name, key)
    return names


def _check_length(name: str, key: str) -> None:
    if len(name) > MAX_NAME:
        raise RuleFileError(
            f'"{key}" has a name of {len(name)} characters, at most {MAX_NAME} can be used'
        )


def _fits(value: float) -> bool:
    """Whether a number is a finite float; an integer of 400 digits is not."""
    return abs(value) <= sys.float_info.max


def each(entry: dict[str, Any], key: str, kind: type[T]) -> list[T]:
    """The list under a key, its values checked to be of a type.

    >>> each({"features": ["age"]}, "features", str)
    ['age']
    """
    values = get(entry, key, list)
    for value in values:
        if not isinstance(value, kind):
            raise RuleFileError(
                f'"{key}" must be a list of {kind.__name__}, got {shortened(value)}'
            )
    return values
