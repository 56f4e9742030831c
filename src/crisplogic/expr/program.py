"""Expressions as a program: steps in place, over a little memory that stays in the cache.

Many rows are evaluated in chunks, by the same steps for each chunk. A value is kept in a slot
and used with a sign, since rounding treats x and -x alike: *not* costs nothing, *or* is *and*
of what is negated, and a sum subtracts what is negated. The bits are still those of the
formulas in :mod:`crisplogic.algebra`, except for the sign of zero.

A crisp program computes with Kleene's logic of false, unknown and true instead, -1, 0 and 1:
*and* is the minimum, *or* the maximum. Its values fit into bytes, of which a processor handles
many at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import ExpressionError
from crisplogic.expr.nodes import And, Const, Expr, Not, Or, Squash, Sum, Var, Xor
from crisplogic.expr.walk import unique_nodes

Floats = NDArray[np.float64]
Values = NDArray[Any]  # floats, or whole numbers of few bytes

# Rows evaluated together: few enough that the values of a readable rule set stay in the cache,
# and so many that the arithmetic takes longer than calling it. No two slots of more than half
# of numpy's buffer (8192) fit into it, so numpy works in place. It is no power of two, or the
# same place of every slot would compete for the same few lines of the cache.
CHUNK_ROWS = 6000
# The values of crisp programs take less memory: more rows, fewer calls.
CRISP_CHUNK_ROWS = 2 * CHUNK_ROWS

# Constants have slots, too: the ones that Python counts from the end.
_CONSTANTS = (0.5, 0.0, 1.0)
_HALF, _ZERO, _ONE = -3, -2, -1


def chunks(rows: int | slice, most: int = CHUNK_ROWS) -> Iterator[slice]:
    """Slices of at most ``most`` rows that make up all rows, or a slice of them.

    >>> [(chunk.start, chunk.stop) for chunk in chunks(CHUNK_ROWS + 1)]
    [(0, 6000), (6000, 6001)]
    """
    first, end = (rows.start, rows.stop) if isinstance(rows, slice) else (0, rows)
    for start in range(first, end, most):
        yield slice(start, min(start + most, end))


class Signed(NamedTuple):
    """The value in a slot, or its negation."""

    slot: int
    negative: bool = False

    def __neg__(self) -> Signed:
        return Signed(self.slot, not self.negative)


class Operation(NamedTuple):
    """A function of the values of one slot or two."""

    function: np.ufunc
    operands: tuple[int, ...]


class Step(NamedTuple):
    """An operation, and the slot that its result goes to."""

    operation: Operation
    out: int


@dataclass(frozen=True)
class Buffer:
    """Memory that a program runs on: fill ``inputs``, :meth:`run`, read ``results``.

    Shape: ``inputs`` (inputs that the program uses, rows). A result is a value for each row,
    or one value for all rows, and whether its negation is meant.
    """

    inputs: Values
    results: list[tuple[Values, bool]]
    calls: list[Callable[[], Values]]

    def run(self) -> None:
        """Run all steps; afterwards, the inputs may have been overwritten."""
        for call in self.calls:
            call()


class Program:
    """The steps to the values of several expressions; what they share is computed once.

    >>> from crisplogic.expr import parse
    >>> program = Program([parse("3 & 7"), parse("~3")])
    >>> program.used
    (3, 7)
    >>> buffer = program.buffer(np.empty((program.slots, 1)))
    >>> buffer.inputs[:] = [[0.5], [-0.5]]
    >>> buffer.run()
    >>> [(float(value[0]), negative) for value, negative in buffer.results]
    [(-0.625, False), (0.5, True)]
    """

    def __init__(self, exprs: Sequence[Expr], crisp: bool = False) -> None:
        nodes = list(unique_nodes(exprs))
        self.used = tuple(sorted(node.index for node in nodes if isinstance(node, Var)))
        """The numbers of the inputs that the expressions mention."""
        self._whole = _whole_type(nodes) if crisp else None  # votes are whole, too
        compiler = _Compiler(self.used, crisp)
        values: dict[Expr, Signed] = {}
        for node in nodes:
            if crisp and isinstance(node, Squash):
                values[node] = compiler.vote([values[part] for part in node.operand.parts])
            else:
                values[node] = compiler.compile(node, [values[part] for part in node.parts])
        self.steps, self.results, self.slots = _reuse_slots(
            len(self.used), list(compiler.steps), [values[expr] for expr in exprs]
        )
        """Steps in their order, where the results are, and how many slots there are.

        Slots below 0 are constants: 1 is the last, 0 the one before.
        """

    @property
    def dtype(self) -> np.dtype[Any]:
        """The smallest type of all values where inputs are -1, 0 or 1; else that of floats."""
        return np.dtype(self._whole or np.float64)

    def buffer(self, memory: Values) -> Buffer:
        """The program on some memory. Shape: ``memory`` (slots, rows)."""
        places = [*memory, *(np.array(each).astype(memory.dtype) for each in _CONSTANTS)]
        return Buffer(
            memory[: len(self.used)],
            [(places[slot], negative) for slot, negative in self.results],
            [
                partial(function, *(places[slot] for slot in operands), out=places[out])
                for (function, operands), out in self.steps
            ],
        )

    def buffers(
        self, rows: int | slice, dtype: Any = np.float64, most: int = CHUNK_ROWS
    ) -> Iterator[tuple[slice, Buffer]]:
        """A buffer for each chunk of at most so many rows, all on the same memory."""
        size = rows.stop - rows.start if isinstance(rows, slice) else rows
        memory = np.empty((self.slots, min(size, most)), dtype)
        buffer = self.buffer(memory)
        for chunk in chunks(rows, most):
            size = chunk.stop - chunk.start
            if size < memory.shape[1]:  # the last one
                buffer = self.buffer(memory[:, :size])
            yield chunk, buffer


def _whole_type(nodes: Sequence[Expr]) -> type[np.signedinteger[Any]] | None:
    """The smallest type of whole numbers that holds all sums of -1, 0 and 1, if any does."""
    longest = max((len(node.parts) for node in nodes if isinstance(node, Sum)), default=1)
    fitting = (each for each in (np.int8, np.int16) if longest <= np.iinfo(each).max)
    return next(fitting, None)


class _Compiler:
    """Collects steps, each of them once. Every step has a slot, counted after the inputs."""

    def __init__(self, used: Sequence[int], crisp: bool = False) -> None:
        self.crisp = crisp
        self.inputs = {index: slot for slot, index in enumerate(used)}
        self.steps: dict[Operation, int] = {}

    def compile(self, node: Expr, parts: list[Signed]) -> Signed:
        """Where the value of a node will be, from where the values of its parts are."""
        match node:
            case Var(index=index):
                return Signed(self.inputs[index])
            case Const(value=value):
                return Signed(_ONE if value else _ZERO, value < 0)
            case Not():
                return -parts[0]
            case And():
                return reduce(self._and, parts)
            case Or():
                return -reduce(self._and, [-part for part in parts])
            case Xor():
                return reduce(self._xor, parts)
            case Sum():
                return reduce(self._plus, parts)
            case Squash():
                return Signed(self._step(np.tanh, self._unsigned(parts[0])))
        raise TypeError(f"no steps are known for {type(node).__name__}")

    def vote(self, terms: list[Signed]) -> Signed:
        """True if more than half of the terms are, false if more than half are false.

        Terms are looked at one after the other: are there so many that hold, for every number
        up to what is needed? If it is half of them, the vote is unknown.
        """
        needed = len(terms) // 2 + 1
        true, false = Signed(_ONE), Signed(_ONE, negative=True)
        reached = [true, *[false] * needed]
        for term in terms:
            for number in range(needed, 0, -1):
                more = self._join(term, reached[number - 1], true, false)
                reached[number] = -self._join(-reached[number], -more, true, false)
        if len(terms) % 2:
            return reached[needed]
        half = self._join(reached[needed - 1], Signed(_ZERO), true, false)
        return -self._join(-reached[needed], -half, true, false)

    def _join(self, x: Signed, y: Signed, true: Signed, false: Signed) -> Signed:
        """The lesser of two values; constants need no step."""
        if false in (x, y):
            return false
        return y if x == true else x if y == true else self._least(x, y)

    def _and(self, x: Signed, y: Signed) -> Signed:
        if self.crisp:
            return self._least(x, y)
        product = self._step(np.multiply, self._plus_one(x), self._plus_one(y))
        half = self._step(np.multiply, product, _HALF)
        return Signed(self._step(np.subtract, half, _ONE))

    def _least(self, x: Signed, y: Signed) -> Signed:
        if x.negative and y.negative:
            return Signed(self._step(np.maximum, x.slot, y.slot), negative=True)
        return Signed(self._step(np.minimum, self._unsigned(x), self._unsigned(y)))

    def _xor(self, x: Signed, y: Signed) -> Signed:
        product = self._step(np.multiply, x.slot, y.slot)
        return Signed(product, negative=x.negative == y.negative)

    def _plus(self, x: Signed, y: Signed) -> Signed:
        if x.negative == y.negative:
            return Signed(self._step(np.add, x.slot, y.slot), x.negative)
        x, y = (y, x) if x.negative else (x, y)
        return Signed(self._step(np.subtract, x.slot, y.slot))

    def _plus_one(self, x: Signed) -> int:
        return self._plus(Signed(_ONE), x).slot  # positive, for 1 is

    def _unsigned(self, x: Signed) -> int:
        return self._step(np.negative, x.slot) if x.negative else x.slot

    def _step(self, operation: np.ufunc, *operands: int) -> int:
        if operation is not np.subtract:  # the others commute: x + y and y + x are one step
            operands = tuple(sorted(operands))
        return self.steps.setdefault(
            Operation(operation, operands), len(self.inputs) + len(self.steps)
        )


def _reuse_slots(
    inputs: int, steps: list[Operation], results: list[Signed]
) -> tuple[list[Step], list[Signed], int]:
    """Steps with the slot of each result; slots that are no longer needed are used again.

    Also returns where the results are, and how many slots there are in all.
    """
    last_use = {slot: number for number, step in enumerate(steps) for slot in step.operands}
    last_use |= {result.slot: len(steps) for result in results}
    place = {slot: slot for slot in (*range(inputs), _HALF, _ZERO, _ONE)}
    free: list[int] = []
    slots = inputs
    reused = []
    for number, (function, operands) in enumerate(steps):
        free += [
            place[slot] for slot in set(operands) if slot >= 0 and last_use[slot] == number
        ]
        if not free:
            free, slots = [slots], slots + 1
        # What became free last is still in the fastest cache: often the operand itself.
        place[inputs + number] = free.pop()
        operation = Operation(function, tuple(place[slot] for slot in operands))
        reused.append(Step(operation, place[inputs + number]))
    return reused, [Signed(place[slot], negative) for slot, negative in results], slots


def evaluate(expr: Expr, inputs: NDArray[np.floating], crisp: bool = False) -> Floats:
    """The value of one expression for every row.

    With ``crisp=True``, *and* is the minimum and *or* the maximum, as in Kleene's logic.

    Shape: ``inputs`` (rows, inputs) with values in [-1, 1]; returns (rows,).

    >>> from crisplogic.expr import parse
    >>> evaluate(parse("0 & ~1"), np.array([[1.0, -1.0], [1.0, 1.0], [0.0, -1.0]])).tolist()
    [1.0, -1.0, 0.0]
    >>> unknown = np.array([[0.0, 0.0]])
    >>> evaluate(parse("0 & 1"), unknown).tolist()
    [-0.5]
    >>> evaluate(parse("0 & 1"), unknown, crisp=True).tolist()
    [0.0]
    """
    return evaluate_all([expr], inputs, crisp)[:, 0]


def evaluate_all(
    exprs: Sequence[Expr], inputs: NDArray[np.floating], crisp: bool = False
) -> Floats:
    """The values of several expressions; what they share is computed once.

    ``crisp`` as for :func:`evaluate`.

    Shape: ``inputs`` (rows, inputs); returns (rows, expressions).
    """
    table = np.asarray(inputs, dtype=np.float64)
    program = Program(exprs, crisp)
    _check_inputs(program.used, table)
    values = np.empty((len(table), len(exprs)))
    for chunk, buffer in program.buffers(len(table)):
        for row, index in zip(buffer.inputs, program.used, strict=True):
            row[:] = table[chunk, index]
        buffer.run()
        for column, (value, negative) in zip(values[chunk].T, buffer.results, strict=True):
            column[:] = -value if negative else value
    return values


def _check_inputs(used: Sequence[int], inputs: Floats) -> None:
    if inputs.ndim != 2:
        raise ExpressionError(
            f"inputs must have the shape (rows, inputs), got {inputs.ndim} dimension(s); "
            "reshape a single row with inputs[None, :]"
        )
    if used and used[-1] >= inputs.shape[1]:
        raise ExpressionError(
            f"the expression uses input {used[-1]}, but the table has only "
            f"{inputs.shape[1]} inputs, counted from 0"
        )
