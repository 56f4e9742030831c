"""The path of crisp rules from none to many statements, with a local optimum at every size.

Every size is reached from smaller ones by adding a statement or by making one larger. Then
statements are exchanged and cuts are moved until no single change helps. Larger rules without
one of their statements are tried in turn. All losses are exact, and equal ones are decided by
a fixed order, so the same table gives the same rules everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from crisplogic.search.crisp.compiled import find_path, moved_cut
from crisplogic.search.crisp.literals import Literals
from crisplogic.search.crisp.objective import DIGITS, Objective
from crisplogic.search.crisp.scan import Scan
from crisplogic.search.crisp.screening import promising, promising_changes
from crisplogic.search.crisp.statement import (
    Statement,
    other_joins,
    size_of,
    with_literal,
    without_literals,
)

Statements = tuple[Statement, ...]

# A change has to gain this much, in the loss of one row; less is a matter of rounding.
LEAST_GAIN = 1e-6
# Up to this size every statement is exchanged; of larger rules, only the last one.
THOROUGH = 12
# How many ways to a size are followed to the end, and how often statements are exchanged.
N_WAYS, N_EXCHANGES = 3, 5
# What moving a cut to where rows say it should be has to gain, in the loss of one row: so
# much, or so much a row that changes sides.
CLEAR_GAIN, ROW_GAIN = 12.0, 2.0
N_TURNS = 8
# A literal has to gain this much, or the path ends.
LITERAL_GAIN = 0.3


class Found(NamedTuple):
    """Statements, and their loss."""

    loss: float
    statements: Statements


def follow_path(objective: Objective, most: int) -> dict[int, Found]:
    """The best statements found of every size up to ``most`` literals."""
    if objective.kernel is not None:
        found = find_path(objective.kernel, most, objective.screened, objective.longest, N_WAYS)
        return {size_of(statements): Found(loss, statements) for loss, statements in found}
    path = _Path(objective)
    for size in range(1, most + 1):
        path.reach(size)
        if size > objective.screened and path.has_ended(size):
            break
    path.shrink()
    return path.best


def keep_if_better(best: dict[int, Found], found: Found) -> None:
    """Keep statements that are better than the best of their size."""
    size = size_of(found.statements)
    if size not in best or found.loss < best[size].loss - LEAST_GAIN:
        best[size] = found


def move_to_rows(objective: Objective, statements: Statements) -> Statements:
    """Move cuts to where the rows themselves, unsmoothed, say clearly that they should be.

    At each turn, a statement moves one of its cuts, by a few quantiles at most.
    """
    rows = objective.unsmoothed
    for _ in range(N_TURNS):
        before = statements
        for at, statement in enumerate(statements):
            rest = (*statements[:at], *statements[at + 1 :])
            if rows.kernel is None:
                moved = _move_to_rows(objective, rows, rest, statement)
            else:
                moved = _move_compiled(objective.literals, rows.kernel, rest, statement)
            statements = (*statements[:at], moved, *statements[at + 1 :])
        if statements == before:
            break
    return statements


def _move_to_rows(
    objective: Objective, rows: Objective, rest: Statements, statement: Statement
) -> Statement:
    """One statement, with the cut moved that gains most; the same if none gains enough."""
    near = [
        objective.literals.scan_near(statement, place, rest) for place in range(statement.size)
    ]
    scans = [each for each in near if each is not None]
    if not scans:
        return statement
    needed = [
        np.minimum(CLEAR_GAIN, ROW_GAIN * scan.changed(objective.weights)) for scan in scans
    ]
    own = round(float(rows.losses(rest, [statement])[0]), DIGITS)
    losses = np.round(rows.losses(rest, (), scans, needed), DIGITS)
    if float(losses.min()) >= own:
        return statement
    at, scan = _find(scans, int(losses.argmin()))
    moved = objective.literals.round_cut(scan.with_cut(at).literals[scan.place])
    return with_literal(statement, scan.place, moved)


def _move_compiled(
    literals: Literals, unsmoothed: Any, rest: Statements, statement: Statement
) -> Statement:
    """The same by compiled kernels."""
    found = moved_cut(unsmoothed, rest, statement, literals.movable)
    if found is None:
        return statement
    place, cut = found
    moved = literals.round_cut(statement.literals[place]._replace(cut=cut))
    return with_literal(statement, place, moved)


def _find(scans: Sequence[Scan], at: int) -> tuple[int, Scan]:
    """Which cut of which scan is at a place, if all are counted in order."""
    for scan in scans:
        if at < len(scan):
            return at, scan
        at -= len(scan)
    raise IndexError(at)


class _Path:
    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.best = {0: Found(objective.loss(()), ())}
        # The best statement of a size beside others, and below which limit it was looked for.
        self._added: dict[tuple[frozenset[Statement], int], tuple[float, Found | None]] = {}

    def reach(self, size: int) -> None:
        """Find rules of a size from smaller ones, by a statement more or a literal more."""
        ways: list[Found] = []
        for own in range(1, self.objective.screened + 1):
            if size - own in self.best:
                ways += self._add(self.best[size - own].statements, own)
        if size - 1 in self.best and size <= THOROUGH:
            smaller = self.best[size - 1].statements
            for each in smaller:
                if each.size == 1:
                    ways += self._add(_without(smaller, each), 2)
                elif each.size < self.objective.longest:
                    ways += self._change(smaller, each, grow=True)
        ways.sort(key=_rank)
        for found in ways[: N_WAYS if size <= THOROUGH else 1]:
            keep_if_better(self.best, self._improve(found, thorough=size <= THOROUGH))

    def has_ended(self, size: int) -> bool:
        """Whether the last literals gained nothing."""
        sizes = sorted(self.best)
        before = [each for each in sizes if each <= size - 3]
        if not before or sizes[-1] < size - 1:
            return bool(before)
        gained = self.best[before[-1]].loss - self.best[sizes[-1]].loss
        return gained < LITERAL_GAIN * (sizes[-1] - before[-1])

    def shrink(self) -> None:
        """Try all rules without each of their statements, the largest first."""
        for size in sorted(self.best, reverse=True):
            if size > THOROUGH + 2:
                continue
            statements = self.best[size].statements
            for rest in _smaller(statements):
                found = Found(self.objective.loss(rest), rest)
                known = self.best.get(size_of(rest))
                if rest and (known is None or found.loss < known.loss + 2.0):
                    keep_if_better(self.best, self._improve(found))

    def _add(self, rest: Statements, size: int, limit: float = np.inf) -> list[Found]:
        """The best statement of a size beside others, if one has a loss below the limit."""
        key = frozenset(rest), size
        tried, best = self._added.get(key, (-np.inf, None))
        if best is None and tried < limit:  # the same statements are met on many ways
            slope = self.objective.slope(rest)
            options = promising(self.objective.literals, slope, size)
            options = self.objective.oriented(options, slope)
            best = next(iter(self._choose(rest, options, limit=limit)), None)
            self._added[key] = limit, best
        return [] if best is None else [Found(best.loss, (*rest, best.statements[-1]))]

    def _change(
        self, statements: Statements, one: Statement, grow: bool, limit: float = np.inf
    ) -> list[Found]:
        """The best statement that one of them grows to, or becomes by exchanging a literal."""
        rest = _without(statements, one)
        slope = self.objective.slope(rest)
        options = promising_changes(self.objective.literals, slope, one, grow)
        return self._choose(rest, self.objective.oriented(options, slope), limit=limit)

    def _choose(
        self,
        rest: Statements,
        options: Sequence[Statement],
        scans: Sequence[Scan] = (),
        limit: float = np.inf,
    ) -> list[Found]:
        """The option or cut of the least loss beside others, as a list of one.

        An empty list if that is not below the limit.
        """
        sensible = self.objective.literals.sensible(options, rest)
        if not sensible and not any(scan.allowed.any() for scan in scans):
            return []
        losses = np.round(self.objective.losses(rest, sensible, scans, limit=limit), DIGITS)
        least = float(losses.min())
        if not least < limit:
            return []

        def statement(at: int) -> Statement:
            if at < len(sensible):
                return sensible[at]
            place, scan = _find(scans, at - len(sensible))
            return scan.with_cut(place)

        best = min(statement(int(at)) for at in np.flatnonzero(losses == least))
        return [Found(least, (*rest, best))]

    def _improve(self, found: Found, thorough: bool = True) -> Found:
        """Move cuts and exchange statements until nothing helps."""
        found = self._move_cuts(found, found.statements if thorough else found.statements[-1:])
        for _ in range(N_EXCHANGES if thorough else 0):
            ways = [
                way
                for each in found.statements
                for way in self._exchange(found.statements, each, found.loss)
                if way.loss < found.loss - LEAST_GAIN
            ]
            if not ways:
                break
            best = min(ways, key=_rank)
            found = self._move_cuts(best, best.statements)
        return found

    def _exchange(self, statements: Statements, one: Statement, limit: float) -> list[Found]:
        """The statements with another one of the same size, if that is below the limit."""
        ways: list[Found] = []
        if one.size <= self.objective.screened:
            ways += self._add(_without(statements, one), one.size, limit)
        if one.size > 2:
            ways += self._change(statements, one, grow=False, limit=limit)
        return ways

    def _move_cuts(self, found: Found, statements: Sequence[Statement]) -> Found:
        """Move cuts and change operators one by one, as long as that helps."""
        waiting = list(statements)
        while waiting:
            statement = waiting.pop(0)
            rest = _without(found.statements, statement)
            joins = [each for each in other_joins(statement) if self.objective.permits(each)]
            scans = [
                self.objective.literals.scan(statement, place, rest)
                for place in range(statement.size)
            ]
            for best in self._choose(rest, joins, scans, found.loss):
                if best.loss < found.loss - LEAST_GAIN:
                    others = [each for each in rest if each in statements]
                    statements = [*others, best.statements[-1]]
                    waiting = list(statements)
                    found = best
        return found


def _smaller(statements: Statements) -> Iterator[Statements]:
    """The statements without each of them, or without a literal of one that has many."""
    for each in statements:
        rest = _without(statements, each)
        yield rest
        if each.size > 2:
            yield from ((*rest, smaller) for smaller in without_literals(each))


def _without(statements: Statements, one: Statement) -> Statements:
    return tuple(each for each in statements if each != one)


def _rank(found: Found) -> tuple[float, Statements]:
    return round(found.loss, DIGITS), found.statements
