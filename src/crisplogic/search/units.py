"""Units: sums within terms, made smaller part by part.

A unit of a deep network of the paper's topology is the tanh of a sum, and many terms share it.
Such a unit is most of the literals. If only whole terms could go, rules would be as large as
their units, or say nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import Expr, Squash, Sum, simplify, split_sign
from crisplogic.expr.autodiff import Tape
from crisplogic.expr.nodes import squashed, total
from crisplogic.expr.walk import map_children, unique_nodes
from crisplogic.search.draft import Draft, count_literals, literal_shares
from crisplogic.search.training_set import TrainingSet

Floats = NDArray[np.float64]


class PartRemoval(NamedTuple):
    """One part of a unit, and by how much the loss rises a literal without it."""

    unit: Squash
    place: int
    cost: float


@lru_cache(maxsize=10_000)
def has_sums(term: Expr) -> bool:
    """Whether there are sums within a term."""
    return any(isinstance(node, Squash) for node in unique_nodes([term]))


def rank_parts(draft: Draft, data: TrainingSet) -> list[PartRemoval]:
    """All parts of units, those first that are missed least.

    Terms are linear in each of their units. So the loss without a part is exact, but where
    units are nested, or stand in a term twice.
    """
    units = [node for node in unique_nodes(draft.terms) if isinstance(node, Squash)]
    if not units:
        return []
    tape, shares = Tape(draft.terms), literal_shares(draft.terms)
    slots = tape.forward(draft.degrees(data))
    logits = draft.logits(tape.values(slots))
    slopes = np.stack([tape.slopes(slots, draft.scale * votes) for votes in draft.votes.T])
    loss = float(data.loss(logits))
    found = []
    for unit in units:
        for place, part, after in _smaller_sums(unit, tape, slots):
            change = slopes[:, tape.slot(unit)] * (after - slots[tape.slot(unit)])
            if not draft.pure:  # the mean of what goes stays in the bias
                change -= data.mean(change)[:, None]
            rise = float(data.loss(logits + change)) - loss
            found.append(PartRemoval(unit, place, rise / shares[part]))
    return sorted(found, key=lambda removal: removal.cost)


def _smaller_sums(
    unit: Squash, tape: Tape, slots: Floats
) -> Iterator[tuple[int, Expr, Floats]]:
    """Each part of a unit, and the values of the unit without it. Shape: (rows,)."""
    if not isinstance(unit.operand, Sum):
        return
    whole = slots[tape.slot(unit.operand)]
    for place, part in enumerate(unit.operand.terms):
        if count_literals(part):
            rest = whole - slots[tape.slot(part)]
            single = len(unit.operand.terms) == 2  # what is left is no sum
            yield place, part, rest if single else np.tanh(rest)


def remove_parts(draft: Draft, removals: Collection[PartRemoval]) -> Draft:
    """The draft with smaller units, wherever they stand; a unit keeps one part at least."""
    gone: dict[Expr, set[int]] = {}
    for removal in removals:
        places = gone.setdefault(removal.unit, set())
        if len(places) + 1 < len(removal.unit.operand.parts):
            places.add(removal.place)
    made: dict[Expr, Expr] = {}
    for node in unique_nodes(draft.terms):
        if node in gone:
            parts = enumerate(node.parts[0].parts)
            made[node] = squashed(total(made[p] for n, p in parts if n not in gone[node]))
        else:
            made[node] = map_children(node, made.__getitem__)
    return _merge_equal(draft, [made[term] for term in draft.terms])


def _merge_equal(draft: Draft, terms: list[Expr]) -> Draft:
    """The draft with other terms; what they say twice, or of no column, is left out."""
    votes: dict[Expr, Floats] = {}
    for term, own in zip(terms, draft.votes, strict=True):
        part, sign = split_sign(term if has_sums(term) else simplify(term, crisp=True))
        if count_literals(part):
            votes[part] = votes.get(part, np.zeros_like(own)) + sign * own
    most = np.abs(draft.votes).max(initial=1.0)
    merged = np.array(list(votes.values())).reshape(-1, draft.votes.shape[1])
    return replace(draft, terms=tuple(votes)).with_votes(merged.clip(-most, most))
