"""Rules written by hand: terms, and the numbers beside them.

The rule of a class ends in its intercept, ``2 × (age>41) + bmi>30 - 0.4``. The rule of a number
begins with its intercept and with what a term is worth, ``20 + 3.5 × (age>41 - bmi>30)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from crisplogic.algebra import UNKNOWN
from crisplogic.expr import Const, Expr, negate
from crisplogic.expr.lexer import Token, tokenize
from crisplogic.expr.parser import ADVICE, Parser, Syntax, error_at
from crisplogic.rules.editing.inputs import Inputs
from crisplogic.rules.memberships import Membership
from crisplogic.rules.rule import Predicts

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet

SIGNS = ("sum", "minus")
EXAMPLE = "20 + 3.5 × (... + 2 × (...))"
_TIMES = (
    "before it stands what all terms are worth, or a whole number that says how often one "
    f"counts; write {EXAMPLE}"
)
_SYNTAX: dict[Predicts, Syntax] = {
    "class": Syntax(
        numbered=False,
        advice={
            **ADVICE,
            "number": "a number stands at the end of a rule, or before × and a term that "
            "counts as often; inputs are called by their columns",
            "-": "only a number can be subtracted, at the end; write + ~(...) to count against "
            "a class",
        },
    ),
    "number": Syntax(
        numbered=False,
        minus=True,
        advice={
            **{text: advice for text, advice in ADVICE.items() if text != "-"},
            "number": f"numbers stand before the terms, as in {EXAMPLE}; inputs are called by "
            "their columns",
            "times": _TIMES,
        },
    ),
}
_NUMBER_IN_TERM: dict[Predicts, str] = {
    "class": "a term has no number; see with_intercept",
    "number": "a term has no number; see with_intercept and with_scale",
}


@dataclass(frozen=True)
class ParsedRule:
    """What a text says: an expression over ``memberships``, and numbers if it has some.

    A ``factor`` is never below 0: the terms are negated instead.
    """

    expression: Expr
    memberships: tuple[Membership, ...]
    intercept: float | None = None
    factor: float | None = None


def parse_rule(text: str, rules: RuleSet, width: float | None = None) -> ParsedRule:
    """A whole rule over the columns of some rules; see :class:`Inputs` for what is new."""
    inputs = Inputs(rules, width=width)
    intercept, factor, tokens = _split_numbers(_tokens(text), rules.predicts)
    parser = Parser(text, tokens, inputs, _SYNTAX[rules.predicts])
    if factor is not None:
        expression = parser.term()
        if parser.token.kind in SIGNS:
            parser.fail(f"the factor is one for all terms; write {EXAMPLE}", parser.token)
        parser.finish()
    else:
        expression = parser.parse() if len(tokens) > 1 else Const(UNKNOWN)
    if factor is not None and factor < 0:
        expression, factor = negate(expression), -factor
    return ParsedRule(expression, tuple(inputs.memberships), intercept, factor)


def parse_terms(
    text: str, rules: RuleSet, *, new: bool = True, width: float | None = None
) -> ParsedRule:
    """Terms without numbers beside them; see :class:`Inputs` for what may be ``new``."""
    inputs = Inputs(rules, new, width)
    tokens = _tokens(text)
    intercept, factor, _ = _split_numbers(tokens, rules.predicts)
    if intercept is not None or factor is not None:
        last = max(token.start for token in tokens if token.kind == "number")
        raise error_at(_NUMBER_IN_TERM[rules.predicts], text, last)
    expression = Parser(text, tokens, inputs, _SYNTAX[rules.predicts]).parse()
    return ParsedRule(expression, tuple(inputs.memberships))


def _tokens(text: str) -> list[Token]:
    tokens = tokenize(text)
    if len(tokens) == 1:
        raise error_at("there is nothing to read", text, 0)
    return tokens


class _Split(NamedTuple):
    """The numbers of a rule, and the tokens of its terms."""

    intercept: float | None
    factor: float | None
    terms: Sequence[Token]


def _split_numbers(tokens: Sequence[Token], predicts: Predicts) -> _Split:
    before = _Split(None, None, tokens)
    if predicts == "number":
        before = _split_numbers_before(tokens)
    return before if before.intercept is not None else _split_number_at_end(before)


def _split_numbers_before(tokens: Sequence[Token]) -> _Split:
    """The intercept and the factor before the terms, either of which may be left out."""
    first, place = _signed_number(tokens, 0)
    if first is None:
        return _Split(None, None, tokens)
    match tokens[place].kind:
        case "times":
            return _Split(None, first, tokens[place + 1 :])
        case "end":
            return _Split(first, None, tokens[place:])
        case "sum" | "minus" as sign:
            second, behind = _signed_number(tokens, place)
            if second is not None and tokens[behind].kind == "times":
                return _Split(first, second, tokens[behind + 1 :])
            # A minus belongs to the term behind it; a plus without a term is an error.
            has_plus = sign == "sum" and tokens[place + 1].kind != "end"
            return _Split(first, None, tokens[place + has_plus :])
    return _Split(None, None, tokens)


def _split_number_at_end(split: _Split) -> _Split:
    """The intercept after the terms, or without any."""
    last = len(split.terms) - 1
    start = max(last - 2, 0)
    number, place = _signed_number(split.terms, start)
    if number is None or place != last:
        return split
    end = Token("end", "", split.terms[start].start)
    return split._replace(intercept=number, terms=[*split.terms[:start], end])


def _signed_number(tokens: Sequence[Token], place: int) -> tuple[float | None, int]:
    """The number that begins at a place, with a sign or without, and the place behind it."""
    sign = tokens[place].kind
    place += sign in SIGNS
    if tokens[place].kind != "number":
        return None, place
    number = float(tokens[place].text)
    return (-number if sign == "minus" else number), place + 1
