"""Equivalence: whether two expressions say the same in different writings."""

from __future__ import annotations

from collections.abc import Sequence

from crisplogic.algebra import UNKNOWN
from crisplogic.expr import And, Const, Expr, Not, Or, Squash, Sum, Var, Xor
from crisplogic.expr.notation import Statement

_Form = tuple[str, tuple[float, ...]]


class EquivalenceClasses:
    """Numbers for expressions: the same where they differ only in how they are written.

    That is in the order and in the grouping of operands, and in where negations stand. The
    laws behind it hold for all values, not only for true and false. Inputs are the same if
    they have the same one of ``names``: a reader could not tell them apart.

    >>> from crisplogic.expr import parse
    >>> classes = EquivalenceClasses(["a", "b", "c"])
    >>> classes.of(parse("0 & ~1 & 2")) == classes.of(parse("~(1 | ~(2 & 0))"))
    True
    >>> classes.of(parse("0 ^ ~1")) == classes.of(parse("~(1 ^ 0)"))
    True
    >>> classes.of(parse("0 & 1")) == classes.of(parse("~(0 & 1)"))
    False
    """

    def __init__(self, names: Sequence[str]) -> None:
        # A statement is no column that is called like it.
        keys = [(name, isinstance(name, Statement)) for name in names]
        self._inputs = [keys.index(key) for key in keys]
        self._known: dict[tuple[Expr, bool], int] = {}
        self._numbers: dict[_Form, int] = {}
        self._forms: list[_Form] = []

    def of(self, expr: Expr, negated: bool = False) -> int:
        """The number of an expression, or of its negation."""
        key = expr, negated
        if key not in self._known:  # parts are shared: each is looked at once
            self._known[key] = self._worked_out(expr, negated)
        return self._known[key]

    def _worked_out(self, expr: Expr, negated: bool) -> int:
        match expr:
            case Not(operand=operand):
                return self.of(operand, not negated)
            case Const(value=value):
                return self._number("const", [UNKNOWN - value if negated else value])
            case Var(index=index):
                return self._number("input", [self._inputs[index], negated])
            case And(operands=operands) | Or(operands=operands):
                kind = "and" if isinstance(expr, And) != negated else "or"
                return self._number(kind, self._flat(kind, operands, negated))
            case Xor(operands=operands):
                return self._parity(operands, negated)
            case Squash(operand=operand):
                terms = operand.terms if isinstance(operand, Sum) else (operand,)
                return self._number("tanh", [self.of(term, negated) for term in terms])
        raise TypeError(f"{type(expr).__name__} is no logic value")

    def _flat(self, kind: str, operands: Sequence[Expr], negated: bool) -> list[float]:
        """The operands, where those of the same kind give way to their own operands."""
        numbers: list[float] = []
        for operand in operands:
            number = self.of(operand, negated)
            inside, parts = self._forms[number]
            numbers += parts if inside == kind else [number]
        return numbers

    def _parity(self, operands: Sequence[Expr], negated: bool) -> int:
        """An xor without any not inside: its operands, and whether all of it is negated."""
        numbers: list[float] = []
        same = False
        for operand in operands:
            plain, contrary = self.of(operand), self.of(operand, negated=True)
            same |= plain == contrary  # unknown is its own contrary, and all of the xor with it
            negated ^= contrary < plain
            kind, parts = self._forms[min(plain, contrary)]
            if kind.endswith("xor"):
                negated ^= kind != "xor"
                numbers += parts
            else:
                numbers.append(min(plain, contrary))
        return self._number("not xor" if negated and not same else "xor", numbers)

    def _number(self, kind: str, parts: Sequence[float]) -> int:
        # What commutes is sorted; of an input, the first number is which and the second how.
        form = kind, tuple(parts if kind == "input" else sorted(parts))
        if form not in self._numbers:
            self._numbers[form] = len(self._forms)
            self._forms.append(form)
        return self._numbers[form]
