"""The shortest logic that is found for a truth table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache, reduce

import numpy as np
from numpy.typing import NDArray

from crisplogic.algebra import FALSE, TRUE
from crisplogic.expr.negations import push_negations
from crisplogic.expr.nodes import And, Const, Expr, Not, Or, Var

Bools = NDArray[np.bool_]
# Inputs, each with whether it has to be true, all of which have to be so.
Cube = frozenset[tuple[int, bool]]
# So many truth tables are remembered.
KNOWN = 512


def minimize(table: Bools, possible: Bools) -> Expr:
    """Short logic of *and*, *or* and *not* that has a truth table.

    ``table`` has one axis of length 2 an input, false before true. Where a combination is not
    ``possible``, any value will do. The logic is the shorter one of two: products of literals
    that are joined by *or*, and the dual; literals that they share are written once.

    >>> a, b, c = np.indices((2, 2, 2)).astype(bool)
    >>> from crisplogic.expr import to_text
    >>> to_text(minimize((a & b) | (a & ~c), np.ones_like(a)))
    '0 & (1 | ¬2)'
    """
    return _minimize(table.shape, table.tobytes(), possible.tobytes())


@lru_cache(maxsize=KNOWN)
def _minimize(shape: tuple[int, ...], truth: bytes, allowed: bytes) -> Expr:
    """The same; many lists have one truth table."""
    table, possible = (
        np.frombuffer(each, np.bool_).reshape(shape) for each in (truth, allowed)
    )
    wanted, unwanted = table & possible, ~table & possible
    if not wanted.any() or not unwanted.any():
        return Const(TRUE if wanted.any() else FALSE)
    forms = (
        _factor(_cover(wanted, ~unwanted)),
        push_negations(_factor(_cover(unwanted, ~wanted)), negated=True),
    )
    return min(forms, key=_count_literals)


def _count_literals(expr: Expr) -> int:
    return 1 if isinstance(expr, Var) else sum(map(_count_literals, expr.parts))


def _prime_cubes(allowed: Bools) -> list[Cube]:
    """All cubes inside a set that are in no larger one, larger ones first.

    An axis gets a third entry: the input does not matter.
    """
    inside = allowed
    for axis in range(allowed.ndim):
        either = inside.take([0], axis) & inside.take([1], axis)
        inside = np.concatenate([inside, either], axis)
    prime = inside.copy()
    for axis in range(allowed.ndim):
        larger = inside.take([2], axis)
        keep = np.concatenate([~larger, ~larger, np.ones_like(larger)], axis)
        prime &= keep
    cubes = [
        frozenset((axis, bool(state)) for axis, state in enumerate(states) if state < 2)
        for states in np.argwhere(prime).tolist()
    ]
    return sorted(cubes, key=lambda cube: (len(cube), sorted(cube)))


def _cover(wanted: Bools, allowed: Bools) -> list[Cube]:
    """A few cubes inside ``allowed`` that contain all that is ``wanted``."""
    cubes = _prime_cubes(allowed)
    areas = [_area(cube, wanted.ndim) & wanted for cube in cubes]
    chosen: list[int] = []
    left = wanted.copy()
    while left.any():
        gains = [
            int((area & left).sum()) / len(cube)
            for cube, area in zip(cubes, areas, strict=True)
        ]
        best = max(range(len(cubes)), key=lambda at: (gains[at], -at))
        chosen.append(best)
        left &= ~areas[best]
    # What was chosen early may be covered by what came later. Long cubes go first.
    for each in sorted(chosen, key=lambda at: (-len(cubes[at]), -at)):
        rest = [at for at in chosen if at != each]
        covered = reduce(np.logical_or, (areas[at] for at in rest), np.zeros_like(wanted))
        if rest and bool((covered | ~wanted).all()):
            chosen = rest
    return [cubes[at] for at in sorted(chosen)]


def _area(cube: Cube, inputs: int) -> Bools:
    """The entries of a truth table that a cube contains."""
    area = np.zeros((2,) * inputs, dtype=np.bool_)
    states = dict(cube)
    area[tuple(int(states[at]) if at in states else slice(None) for at in range(inputs))] = True
    return area


def _factor(cubes: Sequence[Cube]) -> Expr:
    """Cubes joined by *or*; a literal that several of them share is written once."""
    if any(not cube for cube in cubes):
        return Const(TRUE)
    counts = Counter(literal for cube in cubes for literal in cube)
    literal, times = min(counts.items(), key=lambda item: (-item[1], item[0]))
    if times < 2:
        return _join(
            Or, [_join(And, [_literal(each) for each in sorted(cube)]) for cube in cubes]
        )
    sharing = [cube - {literal} for cube in cubes if literal in cube]
    others = [cube for cube in cubes if literal not in cube]
    shared = push_negations(_join(And, [_literal(literal), _factor(sharing)]))
    return push_negations(_join(Or, [shared, _factor(others)])) if others else shared


def _literal(literal: tuple[int, bool]) -> Expr:
    index, truth = literal
    return Var(index) if truth else Not(Var(index))


def _join(kind: type[And] | type[Or], parts: Sequence[Expr]) -> Expr:
    return kind(tuple(parts)) if len(parts) > 1 else parts[0]
