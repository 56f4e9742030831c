"""Constraints: what people know of a domain, read in the words that they use for it.

People speak of the columns of a table and of classes; what learners and rules keep to is what
each column may do to each score (:class:`crisplogic.constraints.limits.Limits`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crisplogic.constraints.limits import Limits
from crisplogic.errors import TableError
from crisplogic.messages import did_you_mean, list_some
from crisplogic.parameters import require, require_one_of

Bools = NDArray[np.bool_]
# A column is named, or counted from 0.
Column = str | int
# Of a number or the second of two classes; or of each class that is named. The keys are columns
# and classes; a mapping's keys must be of one type, and not every caller has both kinds.
Monotone = Mapping[Any, str | Mapping[Any, str]]
Pairs = Iterable[Sequence[Column]]

UP, DOWN = "up", "down"


@dataclass(frozen=True, eq=False)
class Constraints:
    """What was asked for, in numbers of the table's columns.

    ``forbidden`` columns must not be used. ``limits`` are those of all columns, each in the
    direction that it has in the table; None if nothing is limited. ``falling`` columns are
    better shown to a learner the other way round: then all columns that are limited rise for
    the class that was constrained first, and *x and not y* is an *and* of two inputs.

    >>> asked = Constraints.read(
    ...     ("age", "bmi", "zip"), ("number", "number", "category"), ("ill", "well"),
    ...     forbidden_columns=["zip"],
    ...     monotone={"age": "down"},
    ...     forbidden_pairs=[("age", "bmi")],
    ... )
    >>> asked.forbidden, asked.falling
    ((2,), (0,))
    >>> asked.limits.rises.tolist()
    [[True, False], [True, True], [True, True]]
    """

    forbidden: tuple[int, ...] = ()
    limits: Limits | None = None
    falling: tuple[int, ...] = ()

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
    ) -> Constraints:
        """Read what a user wrote about a table's columns; any mistake is an error that says so.

        ``kinds`` are those of the columns: "number", "boolean" or "category". ``classes`` are
        None where a number is predicted.

        ``monotone`` gives a column "up" or "down": as it rises, the number, or the probability
        of the second of two classes, never falls, or never rises. It may also give a column
        such a word for each of some classes. Different columns stand in one term only if
        they are among ``allowed_pairs``, or are not among ``forbidden_pairs``.
        """
        table = _Table(tuple(names), tuple(kinds), _classes(classes))
        forbidden = forbidden_among(names, forbidden_columns)
        statements = _statements(table, {} if monotone is None else monotone)
        rises, falls = _directions(table, statements)
        pairs = _pairs(table, allowed_pairs, forbidden_pairs)
        limits = Limits(rises, falls, pairs)
        first = statements[0].output if statements else 0
        falling = np.flatnonzero(falls[:, first] & ~rises[:, first])
        return cls(forbidden, None if limits.is_free else limits, tuple(falling.tolist()))


class _Table(NamedTuple):
    """What there is to speak of."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    classes: tuple[object, ...] | None

    @property
    def outputs(self) -> int:
        return 1 if self.classes is None else len(self.classes)

    def position(self, column: object, parameter: str) -> int:
        """Which column is meant."""
        if isinstance(column, str) and column in self.names:
            return self.names.index(column)
        whole = isinstance(column, Integral) and not isinstance(column, bool)
        if whole and 0 <= int(column) < len(self.names):  # type: ignore[call-overload]
            return int(column)  # type: ignore[call-overload, no-any-return]
        raise TableError(
            f"{parameter} must name columns of the table, or count them from 0; there is no "
            f"column {column!r}: the columns are {list_some(self.names)}"
            f"{did_you_mean(column, self.names)}"
        )


class _Statement(NamedTuple):
    """As a column rises, what an output says never falls (``up``), or never rises."""

    column: int
    output: int
    up: bool


def _classes(classes: Sequence[object] | None) -> tuple[object, ...] | None:
    # An array's own numbers are spelled otherwise in messages.
    return None if classes is None else tuple(np.asarray(classes, dtype=object).tolist())


def forbidden_among(names: Sequence[str], columns: Iterable[Column] | None) -> tuple[int, ...]:
    """The numbers of the columns that must not be used.

    >>> forbidden_among(("age", "bmi", "zip"), ["zip", 0])
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
    for column, said in monotone.items():
        place, name = table.position(column, "monotone"), f"monotone[{column!r}]"
        if table.kinds[place] == "category":
            raise TableError(
                f"monotone must name columns that can rise, numbers or truth values, but "
                f"{table.names[place]!r} holds texts; give its values numbers in their order"
            )
        by_output = _by_output(table, name, said)
        found += [_Statement(place, output, word == UP) for output, word in by_output.items()]
    return found


def _by_output(table: _Table, name: str, said: object) -> dict[int, object]:
    """What was said of one column, by the numbers of outputs."""
    if isinstance(said, Mapping):
        of_classes = {_class(table, name, label): word for label, word in said.items()}
    else:
        require_one_of(name, said, (UP, DOWN))
        if table.classes is not None:
            example = {table.classes[0]: said}
            needed = f"one for a class, as {example}, for there are {table.outputs} classes"
            require(table.outputs <= 2, name, needed, said)
        of_classes = {table.outputs - 1: said}
    for word in of_classes.values():
        require_one_of(name, word, (UP, DOWN))
    return of_classes


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
    """What scores may do. Shape: two of (columns, outputs)."""
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
