"""Terms rewritten: another operator over the same inputs, or one input less."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import And, Expr, Not, Or, Var, Xor
from crisplogic.expr.nodes import Operation
from crisplogic.polish.draft import Draft, cost, term_values
from crisplogic.polish.loss import losses
from crisplogic.polish.sample import Sample

Floats = NDArray[np.float64]

# What a literal has to gain, and what a change has to gain, in the surprise of one row. The
# best of a dozen changes gains about log(12) on rows that mean nothing.
LITERAL_PRICE = 1.0
CHANGE_PRICE = 3.0


def with_better_terms(draft: Draft, sample: Sample) -> Draft:
    """Each term in turn replaced by the best of its neighbours, if that pays.

    A replacement may be no larger and votes as the term did, or the other way round.
    """
    degrees = draft.degrees(sample)
    for position, term in enumerate(draft.terms):
        ballot = draft.votes[position]
        options = [
            each
            for each in neighbours(term)
            if each not in draft.terms and cost(each, ballot) <= cost(term, ballot)
        ]
        if options:
            draft = _best(draft, position, options, degrees, sample)
    return draft


def neighbours(term: Expr) -> Iterator[Expr]:
    """Other ways to join the two inputs of a term, and each input alone.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.render import to_text
    >>> [to_text(each) for each in neighbours(parse("0 & 1"))]
    ['0 | 1', '0 ⊕ 1', '0 & ¬1', '¬0 & 1', '0', '1']
    """
    match term:
        case Operation(operands=(first, second)):
            x, y = _bare(first), _bare(second)
            if isinstance(x, Var) and isinstance(y, Var):
                joined = (And((x, y)), Or((x, y)), Xor((x, y)), And((x, ~y)), And((~x, y)))
                yield from (each for each in (*joined, x, y) if each != term)


def _bare(expr: Expr) -> Expr:
    return expr.operand if isinstance(expr, Not) else expr


def _best(
    draft: Draft, position: int, options: list[Expr], degrees: Floats, sample: Sample
) -> Draft:
    """The draft with the best of the options, or its own term, at a position."""
    terms, ballot = draft.terms, draft.votes[position]
    own, *others = term_values([terms[position], *options], degrees)
    rest = draft.logits(term_values(terms, degrees)) - np.outer(ballot, draft.said(own, sample))

    def price(option: Expr, value: Floats, sign: float) -> float:
        logits = rest + np.outer(sign * ballot, draft.said(value, sample))
        size = LITERAL_PRICE * cost(option, ballot) + CHANGE_PRICE
        return float(losses(logits, sample)) + size / sample.total

    own_price = price(terms[position], own, 1.0) - CHANGE_PRICE / sample.total
    trials = [(own_price, terms[position], 1.0)]
    for option, value in zip(options, others, strict=True):
        trials += [
            (price(option, value, sign), option, sign)
            for sign in (1.0, -1.0)
            if sample.demands.permits(option, sign * ballot, draft.feature)
        ]
    _, winner, sign = min(trials, key=lambda trial: trial[0])
    votes = draft.votes.copy()
    votes[position] = sign * ballot
    return replace(
        draft, terms=(*terms[:position], winner, *terms[position + 1 :]), votes=votes
    )
