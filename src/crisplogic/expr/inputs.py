"""How a text calls an input, and which input is meant."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from crisplogic.errors import ExpressionError
from crisplogic.expr.nodes import Expr, Not, Var
from crisplogic.expr.notation import Statement, opposite
from crisplogic.messages import did_you_mean, list_some

MAX_INPUTS = 10**9


@dataclass(frozen=True)
class Mention:
    """How a text calls an input: ``3``, ``age``, ``age>41`` or ``colour is red``.

    ``text`` is what is written. ``name`` has no quotes; ``quoted`` says whether it had some.
    A ``comparison`` or a ``statement`` may belong to it; the ``value`` of the latter has no
    quotes either.
    """

    text: str
    name: str
    number: bool = False
    quoted: bool = False
    comparison: str = ""
    statement: Statement | None = None
    value: str = ""


# Finds the expression that is meant, or raises an ExpressionError without the place.
Resolve = Callable[[Mention], Expr]


class NamedInputs:
    """Resolves numbers, names if there are any, and the names of shared parts."""

    def __init__(
        self, names: Sequence[str] | None = None, shared: Mapping[str, Expr] | None = None
    ) -> None:
        self.names = names
        self.shared = shared or {}

    def __call__(self, mention: Mention) -> Expr:
        """The expression that is meant."""
        if mention.number:
            return self._numbered(mention.text)
        if mention.statement is not None:
            return Var(self._only(mention.statement, mention))
        if not mention.comparison and mention.name in self.shared:
            return self.shared[mention.name]
        name = mention.name + mention.comparison
        contrary = opposite(name) if mention.comparison else None
        if contrary is not None and self._find(contrary) and not self._find(name):
            return Not(Var(self._only(contrary, mention)))
        return Var(self._only(name, mention))

    def _numbered(self, digits: str) -> Var:
        known = MAX_INPUTS if self.names is None else len(self.names)
        if not digits.isdecimal() or len(digits) > 9 or int(digits) >= known:
            raise ExpressionError(
                f"no such input, there are at most {known}, numbered from 0; got {digits:.20}"
            )
        return Var(int(digits))

    def _find(self, name: str) -> list[int]:
        # A column may be called what another column is said to be.
        stated = isinstance(name, Statement)
        return [
            number
            for number, known in enumerate(self.names or ())
            if known == name and isinstance(known, Statement) == stated
        ]

    def _only(self, name: str, mention: Mention) -> int:
        if self.names is None:
            raise ExpressionError(
                f"expected the number of an input (no names were given), found {mention.text}"
            )
        found = self._find(name)
        if not found:
            raise ExpressionError(
                f"unknown name {mention.text}; the names are {list_some(self.names)}"
                f"{did_you_mean(name, self.names)}"
            )
        if len(found) > 1:
            raise ExpressionError(
                f"several inputs have the name {mention.text}; write the number instead"
            )
        return found[0]
