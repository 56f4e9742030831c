"""The eight logic operators, in both conventions, and as the paper builds them.

The paper first lists the operators with false = 0 (the *unit* convention), then moves
false to -1 (the *signed* convention, used everywhere else in this package), and at last
writes each of them with one activation, the constants true and false and a weight of -1.
All three forms stand side by side here, so that a test can hold them against each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from crisplogic.algebra.activation import Array, fuzzy

TRUE = 1.0
FALSE = -1.0
UNKNOWN = 0.0


def to_signed(unit: Array) -> Array:
    """From false = 0 to false = -1.

    >>> to_signed(0.0), to_signed(0.5), to_signed(1.0)
    (-1.0, 0.0, 1.0)
    """
    return 2 * unit - 1


def to_unit(signed: Array) -> Array:
    """From false = -1 to false = 0.

    >>> to_unit(-1.0), to_unit(0.0), to_unit(1.0)
    (0.0, 0.5, 1.0)
    """
    return (signed + 1) / 2


@dataclass(frozen=True)
class Operator:
    """One logic operator in its three forms.

    ``unit`` and ``signed`` take one value (*identity*, *not*) or two. The paper's form is
    ``weight * fuzzy(x, y, alpha)``, where ``constant`` stands in for ``y`` if there is
    only one input.

    >>> OPERATORS["or"].signed(-1.0, 1.0), OPERATORS["or"].from_fuzzy(-1.0, 1.0)
    (1.0, 1.0)
    """

    name: str
    unit: Callable[..., Any]
    signed: Callable[..., Any]
    alpha: int
    weight: int = 1
    constant: float | None = None

    @property
    def arity(self) -> int:
        """How many inputs the operator takes."""
        return 2 if self.constant is None else 1

    def from_fuzzy(self, *inputs: Array) -> Array:
        """The operator as the paper builds it from the activation."""
        x: Any = inputs[0]
        y: Any = inputs[1] if self.constant is None else self.constant
        value: Array = fuzzy(x, y, float(self.alpha))
        return self.weight * value


OPERATORS: dict[str, Operator] = {
    operator.name: operator
    for operator in (
        Operator("identity", lambda x: x, lambda x: x, alpha=0, constant=TRUE),
        Operator("not", lambda x: 1 - x, lambda x: -x, alpha=0, constant=FALSE),
        Operator(
            "or",
            lambda x, y: 1 - (1 - x) * (1 - y),
            lambda x, y: 1 - (x - 1) * (y - 1) / 2,
            alpha=-1,
            weight=-1,
        ),
        Operator(
            "xor",
            lambda x, y: x + y - 2 * x * y,
            lambda x, y: -x * y,
            alpha=0,
            weight=-1,
        ),
        Operator("and", lambda x, y: x * y, lambda x, y: (x + 1) * (y + 1) / 2 - 1, alpha=1),
        Operator(
            "nor",
            lambda x, y: (1 - x) * (1 - y),
            lambda x, y: (x - 1) * (y - 1) / 2 - 1,
            alpha=-1,
        ),
        Operator("nxor", lambda x, y: 1 - (x + y - 2 * x * y), lambda x, y: x * y, alpha=0),
        Operator(
            "nand",
            lambda x, y: 1 - x * y,
            lambda x, y: 1 - (x + 1) * (y + 1) / 2,
            alpha=1,
            weight=-1,
        ),
    )
}
