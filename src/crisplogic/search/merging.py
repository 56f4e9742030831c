"""Merge ramps: one threshold in place of two of a column that part hardly any rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import Expr, Var, simplify, split_sign
from crisplogic.expr.walk import map_children
from crisplogic.search.draft import Draft, count_literals
from crisplogic.search.fit import calibrate
from crisplogic.search.training_set import TrainingSet

Floats = NDArray[np.float64]

# Two thresholds are near each other if at most this share of the rows lies between them.
MAX_SHARE = 0.03
# What two thresholds have to gain over one, in the loss of one row.
MERGE_PENALTY = 2.0


def merge_ramps(draft: Draft, data: TrainingSet) -> Draft:
    """Merge ramps of one column whose thresholds are near each other, where it costs little."""
    while (merged := _merge_once(draft, data)) is not draft:
        draft = merged
    return draft


def _merge_once(draft: Draft, data: TrainingSet) -> Draft:
    pairs = list(_near_pairs(draft, data))
    most = _loss(draft, data) + MERGE_PENALTY / data.total_weight if pairs else 0.0
    for first, second in pairs:
        trials = [
            _calibrate(each, data)
            for each in _merged(draft, first, second, data)
            if each.terms and each.size() <= draft.size()  # a literal is written in every rule
        ]
        best = min(trials, key=lambda trial: _loss(trial, data), default=draft)
        if best is not draft and _loss(best, data) <= most:
            return best
    return draft


def _near_pairs(draft: Draft, data: TrainingSet) -> Iterator[tuple[int, int]]:
    for first, second in combinations(range(len(draft.feature)), 2):
        if draft.feature[first] == draft.feature[second]:
            low, high = sorted((draft.centre[first], draft.centre[second]))
            column = data.columns[draft.feature[first]]
            if data.mean((column > low) & (column <= high)) <= MAX_SHARE:
                yield first, second


def _merged(draft: Draft, first: int, second: int, data: TrainingSet) -> Iterator[Draft]:
    """The draft with one ramp for two: the first, the second, or the one between them."""
    both, terms = [first, second], [_join(term, first, second) for term in draft.terms]
    votes: dict[Expr, Floats] = {}
    for term, own in zip(terms, draft.votes, strict=True):
        part, sign = split_sign(term)
        if count_literals(part):
            votes[part] = votes.get(part, np.zeros(data.n_outputs)) + sign * own
    found = np.array(list(votes.values())).reshape(-1, data.n_outputs)
    most = np.abs(draft.votes).max()
    is_cut = data.cuts_of(int(draft.feature[first])).size > 0
    for at in ([first], [second]) if is_cut else ([first], [second], both):
        centre, width = draft.centre.copy(), draft.width.copy()
        centre[both], width[both] = draft.centre[at].mean(), draft.width[at].mean()
        yield replace(draft, centre=centre, width=width, terms=tuple(votes)).with_votes(
            found.clip(-most, most)
        )


def _join(term: Expr, first: int, second: int) -> Expr:
    """A term over the first of two ramps only; *x and x* is *x*."""

    def over_first(expr: Expr) -> Expr:
        if isinstance(expr, Var):
            return Var(first) if expr.index == second else expr
        return map_children(expr, over_first)

    joined = over_first(term)
    return term if joined == term else simplify(joined, crisp=True)


def _calibrate(draft: Draft, data: TrainingSet) -> Draft:
    return calibrate(draft, draft.values(data), data, steps=4)


def _loss(draft: Draft, data: TrainingSet) -> float:
    return float(data.loss(draft.logits(draft.values(data))))
