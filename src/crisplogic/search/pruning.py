"""Prune terms: make a term smaller from within, where only few terms are left.

A term of a deep network can have dozens of literals. Without pruning, the smallest rules would
be the smallest term.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from crisplogic.expr import Expr, Not, Squash, Sum, simplify, split_sign
from crisplogic.expr.nodes import Operation, squashed, total
from crisplogic.search.draft import Draft, cost, count_literals, term_values
from crisplogic.search.training_set import TrainingSet

# A pruning saves at least this share of a term's literals: a large term is small in few steps.
MIN_SHARE = 0.15
# So many ways to prune a term are tried; those that save most come first.
MAX_FORMS = 200


class Pruning(NamedTuple):
    """A smaller term in place of one, its sign, and by how much the loss rises a literal."""

    term: int
    smaller: Expr
    sign: float
    cost: float

    def apply(self, draft: Draft) -> Draft:
        """The draft with the smaller term."""
        terms, votes = list(draft.terms), draft.votes.copy()
        terms[self.term] = self.smaller
        votes[self.term] *= self.sign
        return replace(draft, terms=tuple(terms)).with_votes(votes)


def rank_prunings(draft: Draft, data: TrainingSet) -> list[Pruning]:
    """All ways to prune a term, those first that raise the loss least a literal."""
    degrees = draft.degrees(data)
    values = term_values(draft.terms, degrees)
    logits = draft.logits(values)
    contributions = draft.contributions(values, data)
    loss = float(data.loss(logits))
    found = []
    for number, (term, votes) in enumerate(zip(draft.terms, draft.votes, strict=True)):
        size = cost(term, votes)
        forms = [
            form
            for form in smaller_forms(term)
            if form not in draft.terms and size - cost(form, votes) >= max(1, MIN_SHARE * size)
        ]
        rest = logits - np.outer(votes, contributions[number])
        for form, value in zip(forms, term_values(forms, degrees), strict=True):
            for sign in (1.0, -1.0):
                if data.permits(form, sign * votes, draft.feature):
                    trial = rest + np.outer(sign * votes, draft.contributions(value, data))
                    rise = float(data.loss(trial)) - loss
                    found.append(Pruning(number, form, sign, rise / (size - cost(form, votes))))
    return sorted(found, key=lambda pruning: pruning.cost)


@lru_cache(maxsize=1_000)
def smaller_forms(term: Expr) -> tuple[Expr, ...]:
    """A term without one of its parts, simplified; without a not before all of it.

    >>> from crisplogic.expr import parse, to_text
    >>> [to_text(form) for form in smaller_forms(parse("(0 | 1) & tanh(2 + 3)"))]
    ['tanh(2 + 3)', '0 | 1', '1 & (2 + 3)', '0 & (2 + 3)', '(0 | 1) & 3', '(0 | 1) & 2']
    """
    forms = (split_sign(simplify(form))[0] for form in islice(_pruned(term), MAX_FORMS))
    return tuple(dict.fromkeys(form for form in forms if count_literals(form)))


def _pruned(expr: Expr) -> Iterator[Expr]:
    """An expression without one of its parts; the largest parts first."""
    match expr:
        case Not(operand=operand):
            yield from map(Not, _pruned(operand))
        case Squash(operand=operand):
            yield from map(squashed, _pruned(operand))
        case Operation(operands=operands):
            for rest in _without_one(operands):
                yield rest[0] if len(rest) == 1 else type(expr)(rest)
            yield from map(type(expr), _with_one_pruned(operands))
        case Sum(terms=terms):
            yield from map(total, _without_one(terms))
            yield from map(total, _with_one_pruned(terms))


def _without_one(parts: Sequence[Expr]) -> Iterator[tuple[Expr, ...]]:
    for place in range(len(parts)):
        yield (*parts[:place], *parts[place + 1 :])


def _with_one_pruned(parts: Sequence[Expr]) -> Iterator[tuple[Expr, ...]]:
    for place, part in enumerate(parts):
        for smaller in _pruned(part):
            yield (*parts[:place], smaller, *parts[place + 1 :])
