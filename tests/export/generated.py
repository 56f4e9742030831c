"""Rule sets of every kind, drawn from a seed, and rows that are hard for them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from crisplogic.expr import And, Const, Expr, Not, Or, Squash, Sum, Var, Xor, total
from crisplogic.expr.counts import at_least, between
from crisplogic.rules import (
    ClassificationRules,
    Flag,
    Level,
    Membership,
    Missing,
    Ramp,
    RegressionRules,
    Rule,
    RuleSet,
    Step,
)
from crisplogic.tables import Levels

# Names that would end a text, a comment or a name, mean something to a language, or collide.
HOSTILE = (
    'a"b',
    "it's",
    "two\nlines",
    "select",
    "'; DROP TABLE raw_rows; --",
    '"; DROP TABLE raw_rows; --',
    "</script><!--",
    "*/ #error",
    "??/",
    "ends with \\",
    "größe über µ 名前",
    "a b",
    "a-b",
    "a.b",
    "class",
    "int",
    "row",
    "score",
    "prediction",
    "s1",
    "{{ 1/0 }}{% raw %}",
    "`tick`]]",
    "%s $1 :name ?",
    "\u202e\u2028\x1b[2J",
    "x" * 300,
    "x" * 299 + "y",
    "0",
    "_",
    "None",
    "NaN",
    "user",
    "__proto__",
    "constructor",
)
THRESHOLDS = (0.0, 0.1, 0.1 + 0.2, 1 / 3, 6.5, 40.0, -7.25, 1e-9, 123456789.123, 1e16)


def names_of(rng: Generator, count: int, hostile: bool) -> list[str]:
    """Different names of columns or classes."""
    if not hostile:
        return [f"column_{at}" for at in range(count)]
    return [str(name) for name in rng.permutation(np.array(HOSTILE, dtype=object))[:count]]


def _logic(rng: Generator, inputs: int, depth: int) -> Expr:
    if depth == 0 or rng.random() < 0.3:
        found: Expr = Var(int(rng.integers(inputs)))
    else:
        kind = (And, Or, Xor)[int(rng.choice(3, p=(0.4, 0.4, 0.2)))]
        parts = [_logic(rng, inputs, depth - 1) for _ in range(int(rng.integers(2, 4)))]
        found = kind(tuple(parts))
    return Not(found) if rng.random() < 0.3 else found


def _count(rng: Generator, inputs: int) -> Expr:
    """At least so many of some literals, or between two numbers."""
    chosen = rng.choice(inputs, int(rng.integers(3, min(inputs, 6))), replace=False)
    parts = [Var(int(at)) if rng.random() < 0.7 else Not(Var(int(at))) for at in chosen]
    least, most = sorted(int(each) for each in rng.integers(1, len(parts), 2))
    return between(least, most, parts) if rng.random() < 0.5 else at_least(most, parts)


def _terms(rng: Generator, inputs: int, crisp: bool) -> Expr:
    terms: list[Expr] = []
    for _ in range(int(rng.integers(0, 5))):
        term = _logic(rng, inputs, int(rng.integers(0, 3)))
        if not crisp and rng.random() < 0.1:
            term = Squash(Sum((term, _logic(rng, inputs, 1))))
        if crisp and inputs > 3 and rng.random() < 0.1:
            term = _count(rng, inputs)
        terms += [term] * int(rng.choice([1, 1, 1, 2, 3]))
    if rng.random() < 0.1:
        terms.append(Const(float(rng.choice([-1, 1]))))
    return total(terms)


def _levels(rng: Generator, hostile: bool) -> Levels | None:
    kind = rng.integers(4)
    if kind == 0:
        return Levels(("1", "2"), values="numbers")
    if kind == 1:
        values = names_of(rng, 5, hostile)
        return Levels(tuple(values[:3]), tuple(values[3:]))
    return None


def _memberships(
    rng: Generator, at: int, levels: Levels | None, crisp: bool
) -> list[Membership]:
    found: list[Membership] = [Missing(at)]
    if levels is not None:
        return found + [Level.of(at, code, levels) for code in range(len(levels))]
    if rng.random() < 0.25:
        return [*found, Flag(at)]
    ends = sorted(float(each) for each in rng.choice(THRESHOLDS, 2, replace=False))
    if crisp:
        return [*found, Step(at, ends[0]), Step.at_least(at, ends[1])]
    constant = rng.random() < 0.1
    return [*found, Ramp(at, ends[0], ends[0] if constant else ends[1])]


def rules_of(
    seed: int, task: str, crisp: bool, hostile: bool = False, neat: bool = True
) -> RuleSet:
    """Rules for "two" classes, "several" or a "number"."""
    rng = np.random.default_rng(seed)
    features = names_of(rng, 4, hostile)
    levels = tuple(_levels(rng, hostile) for _ in features)
    inputs: list[Membership] = []
    for at, its in enumerate(levels):
        inputs += _memberships(rng, at, its, crisp)
    exprs = [
        _terms(rng, len(inputs), crisp) for _ in range({"two": 2, "several": 4}.get(task, 1))
    ]
    steps = (0.5,) if neat else (0.1, 0.3, 1 / 3)
    intercepts = tuple(float(rng.integers(-4, 5) * rng.choice(steps)) for _ in exprs)
    if task == "number":
        rule = Rule(names_of(rng, 1, hostile)[0], exprs[0])
        transform = rng.choice(np.array([None, "log", "log1p"], dtype=object))
        return RegressionRules(
            tuple(features), tuple(inputs), (rule,), 0.37, intercepts, levels,
            crisp=crisp, transform=transform,
        )  # fmt: skip
    labels: Sequence[str | int] = names_of(rng, len(exprs), hostile)
    if seed % 3 == 0:
        labels = list(range(len(exprs)))
    rules = tuple(Rule(label, expr) for label, expr in zip(labels, exprs, strict=True))
    found = ClassificationRules(
        tuple(features), tuple(inputs), rules, 0.8, intercepts, levels, crisp=crisp
    )
    if task == "two" and seed % 2:
        found = found.with_decision_threshold(0.3, positive=labels[1])
    return found


def rows_of(rules: RuleSet, count: int, seed: int = 0) -> NDArray[np.float64]:
    """A coded matrix: at thresholds, beside them, far from them, missing, never seen."""
    rng = np.random.default_rng(seed)
    table = np.empty((count, len(rules.features)))
    for at in range(len(rules.features)):
        levels = rules.levels[at] if rules.levels else None
        if levels is not None:
            table[:, at] = rng.choice([*range(len(levels)), -1, math.nan], count)
            continue
        mine = [each for each in rules.memberships if each.feature == at]
        ends = [each.threshold for each in mine if isinstance(each, Step)]
        ends += [
            end for each in mine if isinstance(each, Ramp) for end in (each.low, each.high)
        ]
        near = [math.nextafter(end, to) for end in ends for to in (-math.inf, math.inf)]
        special = [math.nan, 0.0, -0.0, math.inf, -math.inf, 1e300, 5e-324, *ends, *near]
        drawn = rng.choice(special, count)
        spread = max([*map(abs, ends), 1.0])
        table[:, at] = np.where(rng.random(count) < 0.5, drawn, rng.normal(0, spread, count))
    return table
