"""Checklists that are simple logic in disguise are rewritten as that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crisplogic.algebra import UNKNOWN
from crisplogic.expr import And, Const, Expr, Or, Var
from crisplogic.expr.minimize import minimize
from crisplogic.expr.nodes import total
from crisplogic.expr.program import evaluate_all
from crisplogic.expr.size import measure
from crisplogic.expr.walk import map_children, unique_nodes
from crisplogic.rules.checklist import Checklist, normal_form
from crisplogic.rules.memberships import Flag, Level, Membership, Missing, Step
from crisplogic.rules.rule import Rule
from crisplogic.tables import Levels

if TYPE_CHECKING:
    from crisplogic.rules import ClassificationRules

Bools = NDArray[np.bool_]

# The truth table of more literals is not looked at.
MOST_LITERALS = 12
# How far the count is above what is needed, in scores: a half that no sum of halves reaches.
MARGIN = 0.5


def simplify_checklist(rules: ClassificationRules) -> ClassificationRules:
    """The same decisions by fewer literals, where there are such; otherwise the same rules.

    A checklist of two classes is compared, by truth table, with a list of statements all of
    which have to hold, or any of which. Combinations that no row can have, such as two values
    of one category, may mean anything. The result predicts the same class for every row
    without missing or new values. It may count unknown values differently, and its scores are
    others: the ``scale`` should be fitted again.

    Where any of the statements is enough, a statement ``a | b`` is two statements; where all
    of them are needed, ``a & b`` is.

    It is shorter if it has fewer literals; of as many literals, if it needs no points; and
    then if it has fewer statements.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Level, Rule
    >>> from crisplogic.tables import Levels
    >>> ff, yes = Levels(("c", "q", "ff")), Levels(("f", "t"))
    >>> inputs = Level.of(0, 2, ff), Level.of(1, 0, yes), Level.of(2, 1, yes)
    >>> both = Rule("+", parse("~(0 | 1) + ~1 + (1 ^ 2)")), Rule("-", parse("unknown"))
    >>> rules = ClassificationRules(
    ...     ("A6", "A9", "A10"), inputs, both, 1.0, (-0.5, 0.0), (ff, yes, yes), crisp=True
    ... )
    >>> print(simplify_checklist(rules).to_text())
    "+" = A9 is not f + (A6 is not ff | A10 is t) - 1.5
    "-" = 0
    """
    if not rules.crisp or len(rules.rules) != 2:
        return rules
    form = normal_form(rules)
    assert isinstance(form, Checklist)
    if form.always is not None:
        return rules
    found = _shortest(rules, form)
    before = tuple(item.expression for item in form.items)
    if found is not None:
        statements = found.operands if isinstance(found, And | Or) else (found,)
        if _length(statements, False) < _length(before, form.has_points):
            needed = len(statements) if isinstance(found, And) else 1
            return _rewrite(rules, form, statements, needed)
    if form.has_points:
        return rules
    split, needed = _split(before, form.needed)
    return rules if split == before else _rewrite(rules, form, split, needed)


def _split(statements: tuple[Expr, ...], needed: float) -> tuple[tuple[Expr, ...], int]:
    """Split *or* where any statement is enough, and *and* where all are needed.

    >>> from crisplogic.expr import parse, to_text
    >>> split, needed = _split((parse("0 | 1"), parse("2 & 3")), 1)
    >>> [to_text(each) for each in split], needed
    (['0', '1', '2 & 3'], 1)
    """
    kind = Or if needed == 1 else And
    if needed not in (1, len(statements)):
        return statements, int(needed)
    parts = dict.fromkeys(
        part
        for each in statements
        for part in (each.operands if isinstance(each, kind) else (each,))
    )
    return tuple(parts), 1 if kind is Or else len(parts)


def _length(statements: Sequence[Expr], has_points: bool) -> tuple[int, bool, int]:
    literals = sum(measure([statement]).literals for statement in statements)
    return literals, has_points, len(statements)


def _rewrite(
    rules: ClassificationRules, form: Checklist, statements: Sequence[Expr], needed: int
) -> ClassificationRules:
    """The checklist of other statements, whose votes all are for the positive class."""
    positive = rules.labels.index(form.positive)
    intercepts = list(rules.intercepts)
    intercepts[positive] = intercepts[1 - positive] + len(statements) - 2 * needed + MARGIN
    exprs = [Const(UNKNOWN), Const(UNKNOWN)]
    exprs[positive] = total(statements)  # type: ignore[call-overload]
    written = tuple(map(Rule, rules.labels, exprs))
    return replace(rules, rules=written, intercepts=tuple(intercepts))


def _shortest(rules: ClassificationRules, form: Checklist) -> Expr | None:
    """Logic that decides like a checklist; None if no truth table is looked at."""
    exprs = [item.expression for item in form.items]
    # Literals stand in the order in which the checklist mentions them.
    nodes = unique_nodes(exprs)
    inputs = [node.index for node in nodes if isinstance(node, Var)]
    if any(isinstance(node, Const) for node in unique_nodes(exprs)):
        return None
    if len(inputs) > MOST_LITERALS:
        return None
    memberships = [rules.memberships[index] for index in inputs]
    grid = np.indices((2,) * len(inputs)).reshape(len(inputs), -1).astype(bool)
    possible = np.ones(grid.shape[1], dtype=np.bool_)
    for condition in _conditions(memberships, grid, rules.levels):
        if condition is None:
            return None
        possible &= condition
    values = np.zeros((grid.shape[1], max(inputs) + 1))
    values[:, inputs] = np.where(grid.T, 1.0, -1.0)
    holds = evaluate_all(exprs, values, crisp=True) > 0
    counts = holds @ np.array([item.points[0] for item in form.items])
    shape = (2,) * len(inputs)
    found = minimize((counts >= form.needed).reshape(shape), possible.reshape(shape))
    return None if isinstance(found, Const) else _renumber(found, inputs)


def _renumber(expr: Expr, inputs: Sequence[int]) -> Expr:
    if isinstance(expr, Var):
        return Var(inputs[expr.index])
    return map_children(expr, lambda part: _renumber(part, inputs))


def _conditions(
    memberships: Sequence[Membership], grid: Bools, levels: Sequence[Levels | None]
) -> Iterator[Bools | None]:
    """Which combinations of literals a row can have, as far as each column is concerned.

    None where a column may be missing and have a value: then others of its literals are
    neither true nor false. Shape: ``grid`` (literals, combinations) to (combinations,).
    """
    columns: dict[int, list[int]] = {}
    for at, each in enumerate(memberships):
        columns.setdefault(each.feature, []).append(at)
    for feature, own in columns.items():
        missing = [at for at in own if isinstance(memberships[at], Missing)]
        if missing and len(missing) < len(own):
            yield None
            return
        for one, two in combinations(own, 2):
            yield _pair_condition(memberships[one], memberships[two], grid[one], grid[two])
        codes = {_code(memberships[at]) for at in own}
        its = levels[feature] if levels else None
        if its is not None and codes == set(range(len(its))):
            yield np.any(grid[own], axis=0)  # there is no other value


def _pair_condition(one: Membership, two: Membership, holds: Bools, also: Bools) -> Bools:
    """Which truths two literals of one column can have together."""
    if isinstance(one, Step) and isinstance(two, Step):
        if one.threshold > two.threshold:
            return ~holds | also
        return ~also | holds if one.threshold < two.threshold else holds == also
    return holds == also if _code(one) == _code(two) else ~(holds & also)


def _code(membership: Membership) -> int | None:
    """The code of the value that a literal names; truth values have the codes 0 and 1."""
    if isinstance(membership, Flag):
        return 1
    return membership.code if isinstance(membership, Level) else None
