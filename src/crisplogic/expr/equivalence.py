"""Whether two expressions say the same, however they are written."""

from __future__ import annotations

from collections.abc import Sequence

from crisplogic.algebra import UNKNOWN
from crisplogic.expr.nodes import And, Const, Expr, Not, Or, Squash, Sum, Var, Xor
from crisplogic.expr.notation import Statement

_Form = tuple[str, tuple[float, ...]]


class EquivalenceClasses:
    """Numbers for expressions: equal where they differ only in how they are written.

    They may differ in the order and the grouping of operands, and in where negations stand.
    The laws behind this hold for all values, not only for true and false. Inputs are the same
    if they have the same name among ``names``: a reader could not tell them apart.

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
        # A statement and a column that is called like it are two inputs.
        keys = [(name, isinstance(name, Statement)) for name in names]
        self._inputs = [keys.index(key) for key in keys]
        self._known: dict[tuple[Expr, bool], int] = {}
        self._numbers: dict[_Form, int] = {}
        self._forms: list[_Form] = []

    def of(self, expr: Expr, negated: bool = False) -> int:
        """The number of an expression, or of its negation."""
        key = expr, negated
        if key not in self._known:  # expressions share parts, and each is looked at once
            self._known[key] = self._compute(expr, negated)
        return self._known[key]

    def _compute(self, expr: Expr, negated: bool) -> int:
        match expr:
            case Not(operand=operand):
                return self.of(operand, not negated)
            case Const(value=value):
                return self._number("const", [UNKNOWN - value if negated else value])
            case Var(index=index):
                return self._number("input", [self._inputs[index], negated])
            case And(operands=operands) | Or(operands=operands):
                kind = "and" if isinstance(expr, And) != negated else "or"
                return self._number(kind, self._flatten(kind, operands, negated))
            case Xor(operands=operands):
                return self._parity(operands, negated)
            case Squash(operand=operand):
                terms = operand.terms if isinstance(operand, Sum) else (operand,)
                return self._number("tanh", [self.of(term, negated) for term in terms])
        raise TypeError(f"{type(expr).__name__} is no logic value")

    def _flatten(self, kind: str, operands: Sequence[Expr], negated: bool) -> list[float]:
        """The operands; in place of one of the same kind, its own operands."""
        numbers: list[float] = []
        for operand in operands:
            number = self.of(operand, negated)
            inside, parts = self._forms[number]
            numbers += parts if inside == kind else [number]
        return numbers

    def _parity(self, operands: Sequence[Expr], negated: bool) -> int:
        """An xor without a not inside: its operands, and whether all of it is negated."""
        numbers: list[float] = []
        same = False
        for operand in operands:
            plain, negation = self.of(operand), self.of(operand, negated=True)
            same |= plain == negation  # unknown is its own negation, and so is its xor
            negated ^= negation < plain
            kind, parts = self._forms[min(plain, negation)]
            if kind.endswith("xor"):
                negated ^= kind != "xor"
                numbers += parts
            else:
                numbers.append(min(plain, negation))
        return self._number("not xor" if negated and not same else "xor", numbers)

    def _number(self, kind: str, parts: Sequence[float]) -> int:
        # Operands commute, so they are sorted. An input has its number and its sign instead.
        form = kind, tuple(parts if kind == "input" else sorted(parts))
        if form not in self._numbers:
            self._numbers[form] = len(self._forms)
            self._forms.append(form)
        return self._numbers[form]
