"""Printed rules read back: what a person reads is what is computed."""

from __future__ import annotations

import re

import pytest

from crisplogic.expr import Expr, Notation, Var, parse
from crisplogic.expr.walk import map_children
from crisplogic.rules import RuleSet

INTERCEPT = re.compile(r"(?:^| ([+-]) )(-?[0-9.]+(?:e[+-][0-9]+)?)$")


def without_intercept(body: str, intercept: float) -> str:
    """The expression of a printed rule, once its intercept has been read and compared."""
    found = INTERCEPT.search(body)
    said = float((found[1] or "") + found[2]) if found else 0.0
    assert said == pytest.approx(intercept, rel=1e-14)
    return (body[: found.start()] or "unknown") if found else body


def parsed_back(rules: RuleSet, notation: Notation) -> list[Expr]:
    """The expressions that printed rules say, shared parts put back in their places."""
    lines = rules.to_text(notation).split("\n")
    classes = rules.heads()
    named = [re.split(" +=", line)[0] for line in lines[: len(lines) - len(classes)]]
    assert all(re.fullmatch(r"h\d+", name) for name in named)
    width = max(map(len, [*named, *classes]))
    parts: list[Expr] = [Var(index) for index in range(len(rules.names))]
    intercepts = [*[0.0] * len(named), *rules.intercepts]
    for head, line, intercept in zip([*named, *classes], lines, intercepts, strict=True):
        assert line.startswith(f"{head:<{width}} = ")
        body = without_intercept(line[width + 3 :], intercept)
        parts.append(substituted(parse(body, [*rules.names, *named]), parts))
    return parts[-len(classes) :]


def substituted(expr: Expr, parts: list[Expr]) -> Expr:
    if isinstance(expr, Var):
        return parts[expr.index]
    return map_children(expr, lambda part: substituted(part, parts))
