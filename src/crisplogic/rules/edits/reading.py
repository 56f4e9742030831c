"""Reading: a rule that a person wrote, in the notation that rules are printed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from crisplogic.algebra import UNKNOWN
from crisplogic.expr import Const, Expr, parse
from crisplogic.expr.lexicon import IS, Statement
from crisplogic.rules.edits.hints import pointing
from crisplogic.rules.edits.inputs import Inputs
from crisplogic.rules.edits.words import Word, split_number, with_close_comparisons, words
from crisplogic.rules.membership import Membership

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet

# Why some signs are not understood, and what to write instead.
_ADVICE = {
    "-": "only a number can be taken away, at the end; write + ~(...) to count against a class",
    '"': "a name in double quotes has to end in one, too",
    **dict.fromkeys("<>=≤≥", "a threshold is written column>12.5 or column<12.5"),
}


@dataclass(frozen=True)
class Reading:
    """What a text says: an expression over ``memberships``, and the number at its end."""

    expression: Expr
    number: float | None
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

    Whether a ``number`` may stand at the end is for the caller to say.
    """
    every = words(text)
    found, at_end, body = split_number(every, text)
    if at_end is not None and not number:
        raise pointing("a term has no number; see with_intercept", text, every[-1].start)
    if not every:
        raise pointing("there is nothing to read", text, 0)
    _refuse_signs(found, text)
    _refuse_nothing_said(found, text)
    inputs = Inputs(rules, text, new, width)
    named = _meanings(found, inputs)
    if not found:
        return Reading(Const(UNKNOWN), at_end, rules.memberships)
    expression = parse(with_close_comparisons(body), _statements(inputs.names), named)
    return Reading(expression, at_end, tuple(inputs.memberships))


def _refuse_signs(found: Sequence[Word], text: str) -> None:
    for word in found:
        if word.number is not None:
            problem = "a number stands at the end of a rule; inputs are called by their columns"
            raise pointing(problem, text, word.start)
        if word.symbol in _ADVICE:
            raise pointing(_ADVICE[word.symbol], text, word.start)


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
