"""The OpenAPI schemas of requests and answers, from the columns of a model."""

from __future__ import annotations

from typing import Any, TypeAlias

from crisplogic.rules import RegressionRules, RuleSet
from crisplogic.rules.rule import as_plain
from crisplogic.serve.rows import NEEDED, Kind, column_kind
from crisplogic.tables import Levels, Range

Json: TypeAlias = dict[str, Any]

# Categories of more values are not listed in a schema.
MOST_VALUES = 1000

ERROR: Json = {
    "type": "object",
    "properties": {"error": {"type": "string"}},
    "required": ["error"],
}
ERRORS = {
    400: "The body is not JSON.",
    408: "The body did not arrive in time.",
    413: "The body or the batch is too large.",
    422: "A column is unknown, is not given, or holds a value of the wrong type.",
    503: "It would take too long, or there are too many requests.",
}


def row_schema(rules: RuleSet) -> Json:
    """The schema of a row. Columns that rules mention must be given.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Rule, Step
    >>> both = Rule("ill", parse("0")), Rule("well", parse("unknown"))
    >>> rules = ClassificationRules(
    ...     ("age",), (Step(0, 40.0),), both, ranges=((17.0, 90.0),), crisp=True
    ... )
    >>> row_schema(rules)["properties"]["age"]["description"]
    'A number or null; 17 to 90 in training.'
    """
    levels = rules.levels or (None,) * len(rules.features)
    ranges = rules.ranges or (None,) * len(rules.features)
    columns = zip(rules.features, levels, ranges, strict=True)
    needed = set(rules.mentioned_columns)
    return {
        "type": "object",
        "properties": {
            name: column_schema(its, ends) if name in needed else {"description": "Not used."}
            for name, its, ends in columns
        },
        "required": rules.mentioned_columns,
        "additionalProperties": False,
        "example": example_row(rules),
    }


def column_schema(levels: Levels | None, ends: Range | None) -> Json:
    """The schema of a column: what it may hold, and what training saw."""
    kind, known = column_kind(levels), _known(levels)
    words = [NEEDED[kind].capitalize()]
    if ends is not None:
        words.append(f"{ends[0]:.12g} to {ends[1]:.12g} in training")
    if known:
        words.append("other values are unknown")
    found: Json = {"description": f"{'; '.join(words)}.", **_TYPES[kind]}
    if known and len(known) <= MOST_VALUES:
        found = {"description": found["description"], "anyOf": [{"enum": known}, _TYPES[kind]]}
    return found if ends is None else {**found, "x-training-range": list(ends)}


_TYPES: dict[Kind, Json] = {
    "number": {"type": ["number", "null"]},
    "truth": {"type": ["boolean", "null"]},
    "category": {"type": ["string", "null"]},
}


def _known(levels: Levels | None) -> list[str | float]:
    """The values of a column that training saw; none for numbers and truth values."""
    if levels is None or column_kind(levels) == "truth":
        return []
    if levels.values == "numbers":
        return [float(name) for name in levels.names]
    return [*levels.names, *levels.others]


def example_row(rules: RuleSet) -> Json:
    """A row that could be sent: the middle of each range, the first value of a category."""
    levels = dict(zip(rules.features, rules.levels, strict=bool(rules.levels)))
    ranges = dict(zip(rules.features, rules.ranges, strict=bool(rules.ranges)))
    return {
        name: _example(levels.get(name), ranges.get(name)) for name in rules.mentioned_columns
    }


def _example(levels: Levels | None, ends: Range | None) -> Any:
    if levels is not None:
        known = _known(levels)
        return known[0] if known else True
    return 0.0 if ends is None else float(f"{ends[0] / 2 + ends[1] / 2:.3g}")


def answer_schemas(rules: RuleSet) -> dict[str, Json]:
    """The schemas of answers, by path."""
    labels = [as_plain(label) for label in rules.labels]
    number = isinstance(rules, RegressionRules)
    one: Json = {"type": "number"} if number else {"enum": labels}
    shares: Json = {"type": "array", "items": {"type": "number", "minimum": 0, "maximum": 1}}
    head: Json = {"number": {"const": labels[0]}} if number else {"classes": {"const": labels}}
    head["unseen"] = {
        "type": "object",
        "description": "Values that training never saw, by column. Left out if there are none.",
    }
    each = {"type": "array", "items": one}
    explanation: Json = {"type": "object", "properties": {"predicted": one}}
    return {
        "/predict": _object(
            head | {"prediction": one} | ({} if number else {"probabilities": shares})
        ),
        "/predict/batch": _object(
            head
            | {"predictions": each}
            | ({} if number else {"probabilities": {"type": "array", "items": shares}})
        ),
        "/explain": explanation,
        "/explain/batch": _object({"explanations": {"type": "array", "items": explanation}}),
    }


def _object(properties: Json) -> Json:
    return {"type": "object", "properties": properties}


def operation(rules: RuleSet, path: str, most_rows: int) -> Json:
    """The body that a path needs, and what it answers, for an OpenAPI document."""
    row = row_schema(rules)
    example: Json = row.pop("example")
    if path.endswith("/batch"):
        rows = {"type": "array", "maxItems": most_rows, "items": row}
        row = {**_object({"rows": rows}), "required": ["rows"], "additionalProperties": False}
        example = {"rows": [example]}
    content = {"application/json": {"schema": row, "example": example}}
    answered = {"schema": answer_schemas(rules)[path]}
    refused = {"content": {"application/json": {"schema": ERROR}}}
    return {
        "requestBody": {"required": True, "content": content},
        "responses": {
            "200": {"description": "The answer.", "content": {"application/json": answered}},
            **{str(code): {"description": what, **refused} for code, what in ERRORS.items()},
        },
    }
