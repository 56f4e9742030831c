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
from numpy.typing import NDArray

from crisplogic.expr import Expr, Squash, Sum, simplify, split_sign
from crisplogic.expr.nodes import Operation, squashed, total
from crisplogic.expr.walk import map_children, unique_nodes
from crisplogic.search.draft import Draft, cost, count_literals, term_values
from crisplogic.search.training_set import TrainingSet

Floats = NDArray[np.float64]

# A pruning saves at least this share of a term's literals, if any does: a large term is small
# in few steps.
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


def rank_prunings(draft: Draft, data: TrainingSet, least_literals: int = 2) -> list[Pruning]:
    """All ways to prune a term, those first that raise the loss least a literal.

    Of terms with ``least_literals`` or more. What terms share is not counted as shared.
    """
    degrees = draft.degrees(data)
    values = term_values(draft.terms, degrees)
    logits = draft.logits(values)
    contributions = draft.contributions(values, data)
    loss = float(data.loss(logits))
    found = []
    for number, (term, votes) in enumerate(zip(draft.terms, draft.votes, strict=True)):
        if count_literals(term) < least_literals:
            continue
        savings = {
            form: saved
            for form, saved in _savings(term, votes).items()
            if form not in draft.terms
        }
        rest = logits - np.outer(votes, contributions[number])
        pruned = term_values(list(savings), degrees)
        for (form, saved), value in zip(savings.items(), pruned, strict=True):
            for sign in (1.0, -1.0):
                if data.permits(form, sign * votes, draft.feature):
                    trial = rest + np.outer(sign * votes, draft.contributions(value, data))
                    rise = float(data.loss(trial)) - loss
                    found.append(Pruning(number, form, sign, rise / saved))
    return sorted(found, key=lambda pruning: pruning.cost)


def _savings(term: Expr, votes: Floats) -> dict[Expr, int]:
    """Smaller forms of a term that save enough, and how many literals each saves."""
    size = cost(term, votes)
    savings = {form: size - cost(form, votes) for form in smaller_forms(term)}
    enough = min(MIN_SHARE * size, max(savings.values(), default=0))
    return {form: saved for form, saved in savings.items() if saved >= max(enough, 1)}


@lru_cache(maxsize=1_000)
def smaller_forms(term: Expr) -> tuple[Expr, ...]:
    """A term without one of its parts, simplified; without a not before all of it.

    >>> from crisplogic.expr import parse, to_text
    >>> [to_text(form) for form in smaller_forms(parse("(0 | 1) & tanh(2 + 3)"))]
    ['tanh(2 + 3)', '0 | 1', '(0 | 1) & 3', '(0 | 1) & 2', '1 & (2 + 3)', '0 & (2 + 3)']
    """
    forms = (
        split_sign(simplify(form, crisp=True))[0] for form in islice(_pruned(term), MAX_FORMS)
    )
    return tuple(dict.fromkeys(form for form in forms if count_literals(form)))


def _pruned(term: Expr) -> Iterator[Expr]:
    """A term without one part, wherever it stands; the largest parts come first."""
    for node in reversed(list(unique_nodes([term]))):
        match node:
            case Operation(operands=operands):
                for rest in _without_one(operands):
                    yield replace_part(
                        term, node, rest[0] if len(rest) == 1 else type(node)(rest)
                    )
            case Sum(terms=terms):
                for rest in _without_one(terms):
                    yield replace_part(term, node, total(rest))


def _without_one(parts: Sequence[Expr]) -> Iterator[tuple[Expr, ...]]:
    for place in range(len(parts)):
        yield (*parts[:place], *parts[place + 1 :])


def replace_part(term: Expr, old: Expr, new: Expr) -> Expr:
    """A term with another part in place of one, wherever it stands."""

    def change(part: Expr) -> Expr:
        return squashed(part.operand) if isinstance(part, Squash) else part

    made: dict[Expr, Expr] = {}
    for node in unique_nodes([term]):  # each shared part once
        made[node] = new if node == old else change(map_children(node, made.__getitem__))
    return made[term]
