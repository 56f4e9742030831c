"""Statements: yes/no literals about columns, joined by *and*, *or* and *xor*.

A statement is flat: its literals from left to right, and a shape that says how they are joined.
The shape is in postfix notation, with a dot for every literal: ``..&.|`` is *(a and b) or c*.
So statements are short tuples, which are compared and looked up fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

# What a statement counts on a row: 0 if it is false, 1 if it is unknown, 2 if it holds.
Halves = NDArray[np.int8]
FALSE, UNKNOWN, TRUE = 0, 1, 2
DOT = "."
# What a join becomes where both sides and the whole are negated.
DUAL = {"&": "|", "|": "&"}


class Literal(NamedTuple):
    """Whether a column is above a cut, or at most that if it is ``negated``."""

    feature: int
    cut: float
    negated: bool = False

    def __invert__(self) -> Literal:
        return self._replace(negated=not self.negated)


class Statement(NamedTuple):
    """Literals from left to right, and how they are joined: ``&``, ``|`` or ``^``, postfix."""

    literals: tuple[Literal, ...]
    shape: str = DOT

    @property
    def size(self) -> int:
        """How many literals there are."""
        return len(self.literals)

    @property
    def operator(self) -> str:
        """What joins the two sides of the whole; a dot if it is a literal."""
        return self.shape[-1]


def size_of(statements: Sequence[Statement]) -> int:
    """The literals of all statements."""
    return sum(each.size for each in statements)


def join(operator: str, first: Statement, second: Statement) -> Statement:
    """Two statements as one.

    >>> a, b, c = (Statement((Literal(feature, 0.5),)) for feature in range(3))
    >>> join("|", join("&", a, b), c).shape
    '..&.|'
    """
    return Statement(first.literals + second.literals, f"{first.shape}{second.shape}{operator}")


def split(statement: Statement) -> tuple[Statement, Statement]:
    """The two sides of a statement of several literals.

    >>> three = Statement(tuple(Literal(feature, 0.5) for feature in range(3)), "...&|")
    >>> first, second = split(three)
    >>> first.shape, second.shape
    ('.', '..&')
    """
    middle = _start(statement.shape, len(statement.shape) - 2)
    left, right = statement.shape[:middle], statement.shape[middle:-1]
    count = left.count(DOT)
    return (
        Statement(statement.literals[:count], left),
        Statement(statement.literals[count:], right),
    )


def _start(shape: str, end: int) -> int:
    """Where the part begins that ends at a place of a shape."""
    missing, place = 1, end + 1
    while missing:
        place -= 1
        missing += -1 if shape[place] == DOT else 1
    return place


def fold(
    statement: Statement, leaf: Callable[[Literal], T], joined: Callable[[str, T, T], T]
) -> T:
    """What literals are, joined as the statement joins them."""
    stack: list[T] = []
    literals = iter(statement.literals)
    for symbol in statement.shape:
        if symbol == DOT:
            stack.append(leaf(next(literals)))
        else:
            second = stack.pop()
            stack.append(joined(symbol, stack.pop(), second))
    return stack[0]


def negation(statement: Statement) -> Statement:
    """The statement that holds where this one does not.

    >>> pair = Statement((Literal(0, 5.0), Literal(1, 2.0, negated=True)), "..&")
    >>> negation(pair).shape, [each.negated for each in negation(pair).literals]
    ('..|', [True, False])
    """
    if statement.size == 1:
        return Statement((~statement.literals[0],))
    first, second = split(statement)
    if statement.operator == "^":
        return join("^", first, negation(second))
    return join(DUAL[statement.operator], negation(first), negation(second))


def grown(statement: Statement, end: int, operator: str, literal: Literal) -> Statement:
    """The part that ends at a place of the shape is joined with a literal.

    >>> pair = Statement((Literal(0, 1.0), Literal(1, 2.0)), "..&")
    >>> [grown(pair, end, "|", Literal(2, 3.0)).shape for end in range(3)]
    ['..|.&', '...|&', '..&.|']
    """
    shape, literals = statement.shape, statement.literals
    count = shape[: end + 1].count(DOT)
    return Statement(
        (*literals[:count], literal, *literals[count:]),
        f"{shape[: end + 1]}{DOT}{operator}{shape[end + 1 :]}",
    )


def with_literal(statement: Statement, place: int, literal: Literal) -> Statement:
    """The same with another literal at a place."""
    literals = statement.literals
    return statement._replace(literals=(*literals[:place], literal, *literals[place + 1 :]))


def without_literals(statement: Statement) -> Iterator[Statement]:
    """The statement without each of its literals; none if it has one only.

    >>> three = Statement(tuple(Literal(feature, 0.5) for feature in range(3)), "..&.|")
    >>> [(each.shape, [x.feature for x in each.literals]) for each in without_literals(three)]
    [('..|', [1, 2]), ('..|', [0, 2]), ('..&', [0, 1])]
    """
    if statement.size == 1:
        return
    first, second = split(statement)
    for smaller in without_literals(first):
        yield join(statement.operator, smaller, second)
    if first.size == 1:
        yield second
    for smaller in without_literals(second):
        yield join(statement.operator, first, smaller)
    if second.size == 1:
        yield first


def other_joins(statement: Statement) -> Iterator[Statement]:
    """The same literals joined in another way.

    >>> [each.shape for each in other_joins(Statement((Literal(0, 5.0),)))]
    []
    """
    if statement.size == 2:
        yield from (each for each in _all_pairs(*statement.literals) if each != statement)
    elif statement.size > 2:
        yield from _with_other_joins(statement)


def _with_other_joins(statement: Statement) -> Iterator[Statement]:
    """With one literal negated, or one join exchanged."""
    for place, literal in enumerate(statement.literals):
        yield with_literal(statement, place, ~literal)
    for place, symbol in enumerate(statement.shape):
        for other in "&|^" if symbol != DOT else "":
            if other != symbol:
                shape = f"{statement.shape[:place]}{other}{statement.shape[place + 1 :]}"
                yield statement._replace(shape=shape)


def _all_pairs(first: Literal, second: Literal) -> Iterator[Statement]:
    """All ways to join two literals, negated or not; each *xor* once."""
    signs = (False, True)
    for operator in "&|":
        for one in signs:
            for two in signs:
                both = first._replace(negated=one), second._replace(negated=two)
                yield Statement(both, f"..{operator}")
    for two in signs:
        both = first._replace(negated=False), second._replace(negated=two)
        yield Statement(both, "..^")
