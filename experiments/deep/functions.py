"""Functions of truth values, and two intervals of a number, among columns that tell nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

ROWS = 500
IDLE = 5


class Drawn(NamedTuple):
    """Rows to learn from, and the rows on which rules must be right, both without noise.

    Shape: ``X`` and ``known`` (rows, columns), arrays or data frames; the others (rows,).
    """

    X: Any
    truth: NDArray[Any]
    known: Any
    known_truth: NDArray[Any]


@dataclass(frozen=True)
class Function:
    """A function of its first columns; the other columns are idle.

    ``smallest`` is the number of literals of the smallest right form. ``truth`` takes an array
    for each input. Inputs are truth values, or whole numbers from 1 to 100.
    """

    formula: str
    inputs: int
    smallest: int
    truth: Callable[..., Bools]
    of_numbers: bool = False

    def draw(self, rng: np.random.Generator) -> Drawn:
        """Rows at random. All combinations of truth values are known, but no others of numbers.

        The inputs stand in random places among the idle columns.
        """
        columns = self.inputs + IDLE
        places = rng.permutation(columns)[: self.inputs]
        if self.of_numbers:
            X = rng.integers(1, 101, (ROWS, columns)).astype(float)
            known = X
        else:
            X = rng.integers(0, 2, (ROWS, columns)).astype(float)
            known = combinations(columns)
        return Drawn(X, self._values(X, places), known, self._values(known, places))

    def _values(self, rows: Floats, places: NDArray[np.intp]) -> Bools:
        inputs = rows[:, places].T
        return self.truth(*(inputs if self.of_numbers else inputs > 0))


def combinations(columns: int) -> Floats:
    """All rows of 0 and 1. Shape: (2 ** columns, columns).

    >>> combinations(2).tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    """
    return np.array(list(product((0.0, 1.0), repeat=columns)))


def _majority(*inputs: Bools) -> Bools:
    return np.array(np.sum(inputs, axis=0) * 2 > len(inputs))


def _multiplexer_of_six(a: Bools, b: Bools, c: Bools, d: Bools, e: Bools, f: Bools) -> Bools:
    return np.where(a, np.where(b, c, d), np.where(b, e, f))


def _intervals(x: Floats) -> Bools:
    return ((x > 20) & (x <= 40)) | ((x > 60) & (x <= 80))


FUNCTIONS: Mapping[str, Function] = {
    "parity-of-3": Function("a ⊕ b ⊕ c", 3, 3, lambda a, b, c: a ^ b ^ c),
    "majority-of-5": Function("at least 3 of a, b, c, d, e", 5, 5, _majority),
    "conjunctions": Function(
        "a & b & c | d & e", 5, 5, lambda a, b, c, d, e: (a & b & c) | (d & e)
    ),
    "or-and-xor": Function("(a | b) & (c ⊕ d)", 4, 4, lambda a, b, c, d: (a | b) & (c ^ d)),
    # If-then-else is the same function.
    "multiplexer-of-3": Function("if a then b else c", 3, 4, np.where),
    "multiplexer-of-6": Function(
        "if a then (if b then c else d) else (if b then e else f)", 6, 10, _multiplexer_of_six
    ),
    "intervals": Function("20 < x ≤ 40 or 60 < x ≤ 80", 1, 4, _intervals, of_numbers=True),
}
