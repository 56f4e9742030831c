"""Expressions as text for people, which :func:`crisplogic.expr.parse` reads back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import count, starmap

from crisplogic.errors import ExpressionError
from crisplogic.expr.nodes import And, Const, Expr, Not, Operation, Or, Squash, Sum, Var, Xor
from crisplogic.expr.notation import (
    CONSTANTS,
    MOST_TIMES,
    PAPER,
    Notation,
    name_of_input,
    opposite,
    written_name,
)
from crisplogic.expr.size import measure_written, repeated, shared_parts

_CONSTANT_NAMES = {value: name for name, value in CONSTANTS.items()}


def to_text(
    expr: Expr,
    names: Sequence[str] | None = None,
    notation: Notation = PAPER,
    shared: Mapping[Expr, str] | None = None,
) -> str:
    """One expression as one line, in the paper's notation unless told otherwise.

    Inputs appear as numbers, or as ``names``. What is in ``shared``, a part or the whole,
    appears as the name given there. As in the paper, every composite operand stands in
    brackets, and the tanh of a sum inside logic is left out (the parser puts it back).
    A repeated term is written once, after how often it counts.

    >>> from crisplogic.expr import ASCII, parse
    >>> to_text(parse("~(0 | 3) + (1 & 2)"))
    '¬(0 | 3) + (1 & 2)'
    >>> to_text(parse("0 + 0 + 1"))
    '2 × (0) + 1'
    >>> to_text(parse("~0 ^ 1"), names=["age", "body mass"], notation=ASCII)
    '~age ^ "body mass"'
    >>> to_text(parse("~0 & 1"), names=["age>41", "body mass>31.5"])
    'age<41 & "body mass">31.5'
    >>> from crisplogic.expr.notation import Statement
    >>> to_text(parse("~0"), names=[Statement.of_value("colour", "red")])
    'colour is not red'
    """
    return Printer(names, notation, shared).text(expr)


# A text of more parts is a mistake: an expression may share parts, and written out without
# names for them, it is longer than any memory.
MOST_WRITTEN = 300_000


class Printer:
    """Writes many expressions alike; see :func:`to_text`.

    >>> from crisplogic.expr import parse
    >>> printer = Printer(shared={parse("0 & 3"): "h1"})
    >>> printer.text(parse("~(0 & 3)")), printer.text(parse("0 & 3"), [parse("0 & 3")])
    ('¬h1', '0 & 3')
    """

    def __init__(
        self,
        names: Sequence[str] | None = None,
        notation: Notation = PAPER,
        shared: Mapping[Expr, str] | None = None,
    ) -> None:
        self.names = names
        self.shared = shared or {}
        self.written_out: Collection[Expr] = ()
        self.left = MOST_WRITTEN
        self.notation = notation
        self.not_ = notation.not_
        self.times = notation.times
        self.operators: dict[type[Expr], str] = {
            And: f" {notation.and_} ",
            Or: f" {notation.or_} ",
            Xor: f" {notation.xor} ",
            Sum: " + ",
        }

    def text(self, expr: Expr, written_out: Collection[Expr] = ()) -> str:
        """An expression as text. Parts that are ``written_out`` do not appear by name."""
        self.written_out, self.left = written_out, MOST_WRITTEN
        return self.part(expr)

    def whole(self, expr: Expr) -> str:
        """An expression written out."""
        self.left -= 1
        if self.left < 0:
            raise ExpressionError(
                f"written out, the expression has more than {MOST_WRITTEN} parts; "
                "name those that it shares, as rules do when they are printed"
            )
        match expr:
            case Var(index=index):
                return name_of_input(index, self.names, self.notation)
            case Const(value=value):
                return _CONSTANT_NAMES[value]
            case Not(operand=Var(index=index)) if name := self.opposite(index):
                return written_name(name, self.notation)
            case Not(operand=operand):
                return self.not_ + self.operand(operand)
            case Squash(operand=operand):
                return f"tanh({self.part(operand)})"
            case Sum(terms=terms):
                # No more than a text may say at once: 120 times are 99 times and 21 times.
                counts = (
                    (term, n) for term, times in repeated(terms) for n in _split_count(times)
                )
                return self.operators[Sum].join(starmap(self.repeat, counts))
        operator = self.operators[type(expr)]
        return operator.join(self.operand(part) for part in expr.parts)

    def opposite(self, index: int) -> str | None:
        """The name of an input's negation, if its own name says how."""
        names = self.names or ()
        name = opposite(names[index]) if index < len(names) else None
        return None if name is None or written_name(name) in self.written else name

    @cached_property
    def written(self) -> set[str]:
        """The names of all inputs, as they are written."""
        return set(map(written_name, self.names or ()))

    def name(self, expr: Expr) -> str | None:
        """The shared name of an expression, unless it is to be written out."""
        return None if expr in self.written_out else self.shared.get(expr)

    def part(self, expr: Expr) -> str:
        """An expression where no brackets are needed: its shared name if it has one."""
        return self.name(expr) or self.whole(expr)

    def term(self, expr: Expr) -> str:
        """A sub-expression with brackets around it if it is composite."""
        bracketed = isinstance(expr, Operation | Sum) and not self.name(expr)
        return f"({self.part(expr)})" if bracketed else self.part(expr)

    def repeat(self, expr: Expr, times: int) -> str:
        """A term with its count. In ``2 × age>41`` the count would seem to be compared."""
        if times == 1:
            return self.term(expr)
        said = self.part(expr)
        # A negation has brackets of its own, and a name needs none.
        plain = self.name(expr) or (isinstance(expr, Not) and said.startswith(self.not_))
        return f"{times} {self.times} {said if plain else f'({said})'}"

    def operand(self, expr: Expr) -> str:
        """A term inside logic, where the tanh of a sum is left out."""
        if isinstance(expr, Squash) and not self.name(expr):
            inner = expr.operand
            if isinstance(inner, Sum) and not self.name(inner):
                return self.term(inner)
        return self.term(expr)


def _split_count(times: int) -> list[int]:
    """A count as a sum of counts that the parser reads.

    >>> _split_count(3), _split_count(200)
    ([3], [99, 99, 2])
    """
    most, rest = divmod(times, MOST_TIMES)
    return [MOST_TIMES] * most + [rest] * (rest > 0)


def is_part_name(name: str) -> bool:
    """Whether :func:`named_parts` may call a part like this.

    >>> is_part_name("h12"), is_part_name("height")
    (True, False)
    """
    return name[:1] == "h" and name[1:].isdecimal()


def named_parts(
    exprs: Sequence[Expr], taken: Collection[str] = (), longest: int = 0
) -> dict[Expr, str]:
    """The parts that deserve a name, and names for them that are not ``taken``.

    A part of at most ``longest`` literals is better written out.

    >>> from crisplogic.expr import parse
    >>> list(named_parts([parse("(0 & 3) | 1"), parse("~(0 & 3)")], taken=["h1"]).values())
    ['h2']
    """
    free = (name for name in (f"h{number}" for number in count(1)) if name not in taken)
    parts = shared_parts(exprs)
    if longest:
        parts = [part for part in parts if measure_written(part).literals > longest]
    return dict(zip(parts, free, strict=False))


def definitions(
    shared: Mapping[Expr, str], names: Sequence[str] | None = None, notation: Notation = PAPER
) -> dict[str, str]:
    """What each name stands for, as text; a part comes before the parts that mention it.

    >>> from crisplogic.expr import parse
    >>> definitions(named_parts([parse("(0 & 3) | 1"), parse("~(0 & 3)")]))
    {'h1': '0 & 3'}
    """
    printer = Printer(names, notation, shared)
    return {name: printer.text(part, [part]) for part, name in shared.items()}
