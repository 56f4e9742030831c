"""How a text calls an input, and which input is meant."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from crisplogic.errors import ExpressionError
from crisplogic.expr.nodes import Expr, Not, Var
from crisplogic.expr.notation import Statement, opposite, written_column, written_name
from crisplogic.messages import did_you_mean, list_some, shorten

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
        self.shared = {} if shared is None else shared  # which may still grow

    def __call__(self, mention: Mention) -> Expr:
        """The expression that is meant."""
        if mention.number:
            return self._numbered(mention.text)
        if mention.statement is not None:
            return Var(self._only(mention.statement, mention))
        if not mention.comparison and mention.name in self.shared:
            return self.shared[mention.name]
        name = written_column(mention.name) + mention.comparison
        if mention.comparison and name in self._contraries and name not in self._numbers:
            return Not(Var(self._only(self._contraries[name], mention)))
        if not mention.comparison and name not in self._numbers:
            name = written_name(mention.name)  # a comparison in quotes
        return Var(self._only(name, mention))

    def _numbered(self, digits: str) -> Var:
        known = MAX_INPUTS if self.names is None else len(self.names)
        if not digits.isdecimal() or len(digits) > 9 or int(digits) >= known:
            raise ExpressionError(
                f"no such input, there are at most {known}, numbered from 0; got {digits:.20}"
            )
        return Var(int(digits))

    @cached_property
    def _numbers(self) -> dict[str, list[int]]:
        """The inputs of every name, as it is written: that tells statements from columns."""
        numbers: dict[str, list[int]] = {}
        for number, name in enumerate(self.names or ()):
            numbers.setdefault(written_name(name), []).append(number)
        return numbers

    @cached_property
    def _contraries(self) -> dict[str, str]:
        """What the negations of inputs are called, and what the inputs are called."""
        named = ((opposite(name), written_name(name)) for name in self.names or ())
        return {written_name(contrary): name for contrary, name in named if contrary}

    def _only(self, written: str, mention: Mention) -> int:
        if self.names is None:
            raise ExpressionError(
                f"expected the number of an input (no names were given), found "
                f"{shorten(mention.text)}"
            )
        found = self._numbers.get(written)
        if not found:
            raise ExpressionError(
                f"unknown name {shorten(mention.text)}; the names are {list_some(self.names)}"
                f"{did_you_mean(mention.name + mention.comparison, self.names)}"
            )
        if len(found) > 1:
            raise ExpressionError(
                f"several inputs have the name {shorten(mention.text)}; write the number "
                "instead"
            )
        return found[0]
