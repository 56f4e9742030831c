"""Whether two expressions say the same, however they are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from crisplogic.algebra import UNKNOWN
from crisplogic.expr.nodes import And, Const, Expr, Not, Or, Squash, Sum, Var, Xor
from crisplogic.expr.notation import written_name

# The kind of an expression, and its parts: each with the number of times that it stands there.
# Parts are counted, for what is shared may stand there any number of times.
_Form = tuple[str, tuple[tuple[float, int], ...]]


class EquivalenceClasses:
    """Numbers for expressions: equal where they differ only in how they are written.

    They may differ in the order and the grouping of operands, and in where negations stand.
    The laws behind this hold for all values, not only for true and false. ``crisp`` ones also
    say the same if an operand of *and* or *or* is repeated, as in Kleene's logic. Inputs are
    the same if they have the same name among ``names``: a reader could not tell them apart.

    >>> from crisplogic.expr import parse
    >>> classes = EquivalenceClasses(["a", "b", "c"])
    >>> classes.of(parse("0 & ~1 & 2")) == classes.of(parse("~(1 | ~(2 & 0))"))
    True
    >>> classes.of(parse("0 ^ ~1")) == classes.of(parse("~(1 ^ 0)"))
    True
    >>> classes.of(parse("0 & 1")) == classes.of(parse("~(0 & 1)"))
    False
    >>> crisp = EquivalenceClasses(["a", "b", "c"], crisp=True)
    >>> crisp.of(parse("0 & 0")) == crisp.of(parse("0")), classes.of(parse("0 & 0")) == 0
    (True, False)
    """

    def __init__(self, names: Sequence[str], crisp: bool = False) -> None:
        self._crisp = crisp
        # A statement and a column that is called like it are two inputs, written differently.
        first: dict[str, int] = {}
        self._inputs = [
            first.setdefault(written_name(name), number) for number, name in enumerate(names)
        ]
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
                return self._number("const", Counter([UNKNOWN - value if negated else value]))
            case Var(index=index):
                kind = "not input" if negated else "input"
                return self._number(kind, Counter([self._inputs[index]]))
            case And(operands=operands) | Or(operands=operands):
                kind = "and" if isinstance(expr, And) != negated else "or"
                parts = self._flatten(kind, operands, negated)
                return self._number(kind, Counter(set(parts)) if self._crisp else parts)
            case Xor(operands=operands):
                return self._parity(operands, negated)
            case Squash(operand=operand):
                terms = operand.terms if isinstance(operand, Sum) else (operand,)
                return self._number("tanh", Counter(self.of(term, negated) for term in terms))
        raise TypeError(f"{type(expr).__name__} is no logic value")

    def _flatten(self, kind: str, operands: Sequence[Expr], negated: bool) -> Counter[float]:
        """The operands; in place of one of the same kind, its own operands."""
        numbers: Counter[float] = Counter()
        for operand, times in Counter(operands).items():
            number = self.of(operand, negated)
            inside, parts = self._forms[number]
            _add(numbers, parts if inside == kind else ((number, 1),), times)
        return numbers

    def _parity(self, operands: Sequence[Expr], negated: bool) -> int:
        """An xor without a not inside: its operands, and whether all of it is negated."""
        numbers: Counter[float] = Counter()
        same = False
        for operand, times in Counter(operands).items():
            plain, negation = self.of(operand), self.of(operand, negated=True)
            same |= plain == negation  # unknown is its own negation, and so is its xor
            kind, parts = self._forms[min(plain, negation)]
            turned = negation < plain
            if kind.endswith("xor"):
                turned ^= kind != "xor"
                _add(numbers, parts, times)
            else:
                _add(numbers, ((min(plain, negation), 1),), times)
            negated ^= turned and times % 2 == 1
        return self._number("not xor" if negated and not same else "xor", numbers)

    def _number(self, kind: str, parts: Counter[float]) -> int:
        if kind in ("and", "or") and sum(parts.values()) == 1:
            return int(min(parts))
        form = kind, tuple(sorted(parts.items()))  # operands commute
        if form not in self._numbers:
            self._numbers[form] = len(self._forms)
            self._forms.append(form)
        return self._numbers[form]


def _add(numbers: Counter[float], parts: Iterable[tuple[float, int]], times: int) -> None:
    """Add parts, each so many times."""
    for part, count in parts:
        numbers[part] += count * times
