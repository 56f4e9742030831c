"""Constraints: what a user demands of rules, in terms of columns and classes.

Learners and rules keep to the :class:`~crisplogic.constraints.limits.Limits` that follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from crisplogic.constraints.limits import Limits
from crisplogic.errors import TableError
from crisplogic.expr.connectives import OPERATORS
from crisplogic.messages import did_you_mean, list_some
from crisplogic.parameters import one_of, require

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
# A column is named, or counted from 0.
Column = str | int
# "up" or "down" for a number or the positive of two classes, or one for each named class. The
# keys are columns and classes; Any, as a mapping's keys are invariant.
Monotone = Mapping[Any, str | Mapping[Any, str]]
Pairs = Iterable[Sequence[Column]]
# The only thresholds of some columns.
Cuts = Mapping[Any, Iterable[float]]

UP, DOWN = "up", "down"
DIRECTION = one_of(UP, DOWN)


@dataclass(frozen=True, eq=False)
class Constraints:
    """The constraints on the columns of a table, which are given by their numbers.

    ``forbidden`` columns must not be used. ``limits`` are those of all columns, each in the
    direction that it has in the table; None if nothing is limited. ``negated`` columns should
    be negated for a learner: then all limited columns rise for the class that was constrained
    first, and *x and not y* is an *and* of two inputs.

    >>> asked = Constraints.read(
    ...     ("age", "bmi", "zip"), ("number", "number", "category"), ("ill", "well"),
    ...     forbidden_columns=["zip"],
    ...     monotone={"age": "down"},
    ...     forbidden_pairs=[("age", "bmi")],
    ... )
    >>> asked.forbidden, asked.negated
    ((2,), (0,))
    >>> asked.limits.rises.tolist()
    [[True, False], [True, True], [True, True]]
    """

    forbidden: tuple[int, ...] = ()
    limits: Limits | None = None
    negated: tuple[int, ...] = ()

    @classmethod
    def read(
        cls,
        names: Sequence[str],
        kinds: Sequence[str],
        classes: Sequence[object] | None,
        *,
        forbidden_columns: Iterable[Column] | None = None,
        monotone: Monotone | None = None,
        allowed_pairs: Pairs | None = None,
        forbidden_pairs: Pairs | None = None,
        max_literals_per_class: object = None,
        positive: int = 1,
        operators: Iterable[str] | None = None,
        cuts: Cuts | None = None,
    ) -> Constraints:
        """Read the constraints that a user wrote, and refuse those that make no sense.

        ``kinds`` are those of the columns: "number", "boolean" or "category". ``classes`` are
        None where a number is predicted.

        ``monotone`` gives a column "up" or "down": as it rises, the number, or the probability
        of the ``positive`` of two classes, never falls, or never rises. It may also give a
        column one of these for each of some classes. Different columns stand in one term only
        if they are among ``allowed_pairs``, or are not among ``forbidden_pairs``.
        ``max_literals_per_class`` is one number for all classes or one for each of some.
        ``operators`` are those that may join columns; an empty list allows single columns only.
        ``cuts`` are the only thresholds that columns of numbers may have.
        """
        table = _Table(tuple(names), tuple(kinds), _classes(classes), positive)
        forbidden = find_forbidden(names, forbidden_columns)
        statements = _statements(table, {} if monotone is None else monotone)
        rises, falls = _directions(table, statements)
        pairs = _pairs(table, allowed_pairs, forbidden_pairs)
        max_literals = _max_literals(table, max_literals_per_class)
        limits = Limits(
            rises, falls, pairs, max_literals, _operators(operators), _cuts(table, cuts)
        )
        first = statements[0].output if statements else 0
        negated = np.flatnonzero(falls[:, first] & ~rises[:, first])
        return cls(forbidden, None if limits.is_free else limits, tuple(negated.tolist()))


@dataclass(frozen=True)
class _Table:
    """The columns of a table and their kinds, the classes, and which of two is positive."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    classes: tuple[object, ...] | None
    positive: int = 1

    @property
    def outputs(self) -> int:
        return 1 if self.classes is None else len(self.classes)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.names)}

    def position(self, column: object, parameter: str) -> int:
        """The number of a column that is named or numbered."""
        if isinstance(column, str) and column in self._positions:
            return self._positions[column]
        whole = isinstance(column, Integral) and not isinstance(column, bool)
        if whole and 0 <= int(column) < len(self.names):  # type: ignore[call-overload]
            return int(column)  # type: ignore[call-overload, no-any-return]
        raise TableError(
            f"{parameter} must name columns of the table, or count them from 0; there is no "
            f"column {column!r}: the columns are {list_some(self.names)}"
            f"{did_you_mean(column, self.names)}"
        )


class _Statement(NamedTuple):
    """As a column rises, an output never falls (``up``), or never rises."""

    column: int
    output: int
    up: bool


def _classes(classes: Sequence[object] | None) -> tuple[object, ...] | None:
    # Python's numbers, as numpy's are printed differently in messages.
    return None if classes is None else tuple(np.asarray(classes, dtype=object).tolist())


def find_forbidden(names: Sequence[str], columns: Iterable[Column] | None) -> tuple[int, ...]:
    """The numbers of the columns that must not be used.

    >>> find_forbidden(("age", "bmi", "zip"), ["zip", 0])
    (0, 2)
    """
    if columns is None:
        return ()
    name, table = "forbidden_columns", _Table(tuple(names), (), None)
    listed = isinstance(columns, Iterable) and not isinstance(columns, str | Mapping)
    require(listed, name, "a list of columns", columns)
    found = tuple(sorted({table.position(column, name) for column in columns}))
    if len(found) == len(table.names):
        raise TableError(
            f"forbidden_columns must leave a column to learn from, got all {len(found)} of them"
        )
    return found


def _statements(table: _Table, monotone: Monotone) -> list[_Statement]:
    needed = "a mapping of columns to 'up' or 'down'"
    require(isinstance(monotone, Mapping), "monotone", needed, monotone)
    found: list[_Statement] = []
    for column, direction in monotone.items():
        place, name = table.position(column, "monotone"), f"monotone[{column!r}]"
        if table.kinds[place] == "category":
            raise TableError(
                f"monotone must name columns that can rise, numbers or truth values, but "
                f"{table.names[place]!r} holds texts; give its values numbers in their order"
            )
        by_output = _by_output(table, name, direction)
        found += [_Statement(place, output, word == UP) for output, word in by_output.items()]
    return found


def _by_output(table: _Table, name: str, direction: object) -> dict[int, object]:
    """The directions of one column, by the numbers of outputs."""
    if isinstance(direction, Mapping):
        by_output = {_class(table, name, label): word for label, word in direction.items()}
    else:
        DIRECTION.check(name, direction)
        if table.classes is not None:
            example = {table.classes[0]: direction}
            needed = f"one for a class, as {example}, for there are {table.outputs} classes"
            require(table.outputs <= 2, name, needed, direction)
        by_output = {min(table.positive, table.outputs - 1): direction}
    for word in by_output.values():
        DIRECTION.check(name, word)
    return by_output


def _class(table: _Table, name: str, label: object) -> int:
    needed = "'up' or 'down', for a number is predicted"
    require(table.classes is not None, name, needed, {label: "..."})
    classes = table.classes or ()
    if label not in classes:
        raise TableError(
            f"{name} must name classes, but there is no class {label!r}; the classes are "
            f"{list_some(classes)}{did_you_mean(label, classes)}"
        )
    return classes.index(label)


def _directions(table: _Table, statements: Iterable[_Statement]) -> tuple[Bools, Bools]:
    """Whether scores may rise, and fall, with columns. Shape: two of (columns, outputs)."""
    free = Limits.free(len(table.names), table.outputs)
    rises, falls = free.rises, free.falls
    for column, output, up in statements:
        # A probability never falls if its own score never does and no other ever rises.
        own = np.arange(table.outputs) == output
        rises[column] &= own if up else ~own
        falls[column] &= ~own if up else own
    return rises, falls


def _pairs(table: _Table, allowed: Pairs | None, forbidden: Pairs | None) -> Bools | None:
    if allowed is not None and forbidden is not None:
        raise ValueError(
            "allowed_pairs and forbidden_pairs must not be given at once: pairs that are not "
            "allowed are forbidden already"
        )
    if allowed is None and forbidden is None:
        return None
    name = "forbidden_pairs" if allowed is None else "allowed_pairs"
    listed = np.zeros((len(table.names),) * 2, dtype=bool)
    for one, other in _read_pairs(table, name, forbidden if allowed is None else allowed):
        listed[one, other] = listed[other, one] = True
    return ~listed if allowed is None else listed


def _read_pairs(table: _Table, name: str, pairs: object) -> list[tuple[int, int]]:
    needed = "a list of pairs of two different columns, as [('age', 'weight')]"
    several = isinstance(pairs, Iterable) and not isinstance(pairs, str | Mapping)
    require(several, name, needed, pairs)
    found = []
    for pair in pairs:  # type: ignore[attr-defined]
        # A text of two letters would be a pair of columns that are called by one letter.
        two = isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2
        require(two, name, needed, pair)
        one, other = (table.position(column, name) for column in pair)
        require(one != other, name, needed, pair)
        found.append((one, other))
    return found


def _cuts(table: _Table, asked: object) -> tuple[tuple[float, ...], ...] | None:
    """The cuts of every column, in order; none where there are no bounds.

    >>> _cuts(_Table(("age", "sex"), ("number", "category"), None), {"age": [65, 40]})
    ((40.0, 65.0), ())
    """
    if asked is None:
        return None
    needed = "a mapping of columns to lists of numbers, as {'age': [40, 65]}"
    require(isinstance(asked, Mapping), "cuts", needed, asked)
    found: list[tuple[float, ...]] = [()] * len(table.names)
    for column, numbers in cast("Mapping[object, object]", asked).items():
        place = table.position(column, "cuts")
        if table.kinds[place] != "number":
            raise TableError(
                f"cuts must name columns of numbers, but {table.names[place]!r} is a "
                f"{table.kinds[place]}, which has no thresholds"
            )
        listed = isinstance(numbers, Iterable) and not isinstance(numbers, str | Mapping)
        own = [*cast("Iterable[object]", numbers)] if listed else []
        fine = [isinstance(each, Real) and np.isfinite(float(each)) for each in own]
        needed_here = "a list of one or more finite numbers"
        require(bool(fine) and all(fine), f"cuts[{column!r}]", needed_here, numbers)
        found[place] = tuple(sorted({float(cast("float", each)) for each in own}))
    return tuple(found) if any(found) else None


def _operators(asked: object) -> frozenset[str] | None:
    """The operators that are allowed; None where all are.

    >>> sorted(_operators(["and", "or"]))
    ['and', 'or']
    """
    if asked is None:
        return None
    needed = f"a list of operators, some of {', '.join(OPERATORS)}"
    listed = isinstance(asked, Iterable) and not isinstance(asked, str | Mapping)
    require(listed, "operators", needed, asked)
    found = list(cast("Iterable[object]", asked))
    for each in found:
        require(isinstance(each, str) and each in OPERATORS, "operators", needed, each)
    allowed = frozenset(cast("list[str]", found))
    return None if len(allowed) == len(OPERATORS) else allowed


def _max_literals(table: _Table, asked: object) -> Floats | None:
    """The most literals in the rule of each class, infinity where none is set.

    One sum separates two classes: the smaller bound is that of both. Shape: (classes,).

    >>> ill = _Table((), (), ("ill", "well"))
    >>> _max_literals(ill, {"ill": 6}).tolist()
    [6.0, 6.0]
    >>> _max_literals(_Table((), (), ("ill", "unsure", "well")), {"ill": 6}).tolist()
    [6.0, inf, inf]
    """
    if asked is None:
        return None
    classes = list(table.classes or ())
    if not isinstance(asked, Mapping):
        return np.full(len(classes), float(cast("int", asked)))
    unknown = [label for label in asked if label not in classes]
    if unknown:
        raise TableError(
            f"max_literals_per_class must name classes, that is {classes}, got {unknown}"
        )
    bounds = np.array([float(asked.get(label, np.inf)) for label in classes])
    return np.full(2, bounds.min()) if len(classes) == 2 else bounds
