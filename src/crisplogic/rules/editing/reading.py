"""Reading: a rule that a person wrote, in the notation that rules are printed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from crisplogic.algebra import UNKNOWN
from crisplogic.expr import Const, Expr, parse
from crisplogic.expr.nodes import negative
from crisplogic.expr.notation import IS, Statement
from crisplogic.rules.editing.grammar import GRAMMARS, TIMES, Grammar, Written
from crisplogic.rules.editing.hints import pointing
from crisplogic.rules.editing.inputs import Inputs
from crisplogic.rules.editing.lexer import Word, with_close_comparisons, words
from crisplogic.rules.memberships import Membership

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet


@dataclass(frozen=True)
class Reading:
    """What a text says: an expression over ``memberships``, and numbers if it has some.

    A ``factor`` is never below 0: the terms are negated instead.
    """

    expression: Expr
    intercept: float | None
    factor: float | None
    memberships: tuple[Membership, ...]


def read(
    text: str,
    rules: RuleSet,
    *,
    number: bool = False,
    new: bool = True,
    width: float | None = None,
) -> Reading:
    """A text over the columns of some rules; see :class:`Inputs` for what may be new.

    Whether a ``number`` may stand beside the terms is for the caller to say.
    """
    grammar = GRAMMARS[rules.predicts]
    every = words(text)
    if not every:
        raise pointing("there is nothing to read", text, 0)
    written = grammar.taken_apart(every, text)
    if written.has_numbers and not number:
        last = max(word.start for word in every if word.number is not None)
        raise pointing(grammar.term, text, last)
    _refuse_signs(written.terms, grammar, text)
    _refuse_nothing_said(written.terms, text)
    inputs = Inputs(rules, text, new, width)
    expression = _expression(written, grammar, inputs)
    factor = written.factor
    if factor is not None and factor < 0:
        expression, factor = negative(expression), -factor
    return Reading(expression, written.intercept, factor, tuple(inputs.memberships))


def _expression(written: Written, grammar: Grammar, inputs: Inputs) -> Expr:
    if not written.terms:
        return Const(UNKNOWN)
    named = _meanings(written.terms, inputs)
    text = with_close_comparisons(inputs.text)[: written.stop]
    names = _statements(inputs.names)
    return parse(text, names, named, start=written.start, minus=grammar.minus)


def _refuse_signs(found: Sequence[Word], grammar: Grammar, text: str) -> None:
    counts = _counts(found) if grammar.counts else set()
    for place, word in enumerate(found):
        if place in counts:
            continue
        if word.number is not None:
            raise pointing(grammar.stray, text, word.start)
        advice = grammar.advice.get(word.symbol or "")
        if advice is not None:
            raise pointing(advice, text, word.start)


def _counts(found: Sequence[Word]) -> set[int]:
    """The places of whole numbers that say how often a term counts, and of their signs."""
    return {
        at
        for place, (word, after) in enumerate(pairwise(found))
        if word.text.isdigit() and after.symbol in TIMES
        for at in (place, place + 1)
    }


def _refuse_nothing_said(found: Sequence[Word], text: str) -> None:
    """A column and "is", and nothing after it that it could be."""
    for before, word in pairwise(found):
        said = before.comparison is not None or before.value is not None
        if before.name is not None and not said and word.text == IS:
            problem = f"a value has to stand after {IS!r}, as in colour is red, age is missing"
            raise pointing(problem, text, word.start)


def _meanings(found: Sequence[Word], inputs: Inputs) -> dict[str, Expr]:
    """What the parser will call each name, and what that stands for."""
    meanings: dict[str, Expr] = {}
    for word in found:
        if word.name is None:
            continue
        meant = inputs.meant_by(word)
        if word.value is not None:
            continue  # the parser finds statements by themselves
        name = word.name + (word.comparison or "")
        if meanings.setdefault(name, meant) != meant:
            problem = f"{word.text} and another part of the text are called the same"
            raise pointing(problem, inputs.text, word.start)
    return meanings


def _statements(names: Sequence[str]) -> list[str]:
    """The names by which the parser finds statements; all others it is told by _meanings."""
    known: set[str] = set()
    found = []
    for number, name in enumerate(names):
        said = isinstance(name, Statement) and name not in known
        found.append(name if said else f"input {number}, which no text can mean")
        known.add(name)
    return found
