"""Single changes of a draft: which term is least missed, which vote had better be another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import And, Expr, Or, Var, Xor, split_sign
from crisplogic.expr.nodes import Operation
from crisplogic.search.calibrate import calibrated
from crisplogic.search.draft import Draft, cost, literals_of, term_values
from crisplogic.search.losses import curvatures, losses, slopes
from crisplogic.search.sample import Sample

Floats = NDArray[np.float64]

# What a vote has to gain, in the surprise of one row: a vote that gains nothing is clutter.
VOTE_PRICE = 0.5
MOST_TRIALS = 8


class Removal(NamedTuple):
    """Votes of one term that can only go together, and how much the loss rises a literal."""

    term: int
    labels: list[int]
    cost: float


def removals(draft: Draft, sample: Sample) -> list[Removal]:
    """All that could be left out, the least missed first.

    A part that several rules share is written once, so all its votes go or none; a literal
    that stands alone is written in every rule, and each of its votes can go by itself. What
    goes leaves its mean in the bias, if there is one, so that only what it says of single
    rows is missed.
    """
    values = draft.values(sample)
    logits = draft.logits(values)
    said = draft.said(values, sample)
    loss = float(losses(logits, sample))
    found = []
    for term, labels, literals in _removable(draft):
        without = logits.copy()
        without[labels] -= np.outer(draft.votes[term, labels], said[term])
        rise = float(losses(without, sample)) - loss
        found.append(Removal(term, labels, rise / literals))
    return sorted(found, key=lambda removal: removal.cost)


def _removable(draft: Draft) -> Iterator[tuple[int, list[int], int]]:
    for number, (term, ballot) in enumerate(zip(draft.terms, draft.votes, strict=True)):
        labels = np.flatnonzero(ballot).tolist()
        if isinstance(term, Var):
            yield from ((number, [label], 1) for label in labels)
        else:
            yield number, labels, cost(term, ballot)


def within_budgets(draft: Draft, sample: Sample) -> Draft:
    """Without the votes that are least missed, where the rule of a class is too large."""
    budgets = sample.demands.budgets
    if budgets is None:
        return draft
    values = draft.values(sample)
    while (over := np.flatnonzero(draft.spent() > budgets)).size:
        draft = _without_a_vote(draft, values, int(over[0]), sample)
    return draft.voting(draft.votes)


def _without_a_vote(draft: Draft, values: Floats, label: int, sample: Sample) -> Draft:
    """Without the vote for a class that is least missed a literal. Shape: (terms, rows)."""
    logits, said = draft.logits(values), draft.said(values, sample)

    def missed(term: int) -> float:
        without = logits.copy()
        without[label] -= draft.votes[term, label] * said[term]
        return float(losses(without, sample)) / literals_of(draft.terms[term])

    votes = draft.votes.copy()
    votes[min(np.flatnonzero(votes[:, label]).tolist(), key=missed), label] = 0.0
    return calibrated(replace(draft, votes=votes), values, sample, steps=2)


def with_better_votes(draft: Draft, sample: Sample) -> Draft:
    """Votes changed one by one, the most promising first, each only if it pays."""
    values = draft.values(sample)
    loss = float(losses(draft.logits(values), sample))
    for term, label, vote in _promising(draft, values, sample):
        votes = draft.votes.copy()
        votes[term, label] = vote
        trial = calibrated(replace(draft, votes=votes), values, sample, steps=2)
        new = float(losses(trial.logits(values), sample))
        price = VOTE_PRICE / sample.total * (abs(vote) - abs(draft.votes[term, label]))
        if votes[term].any() and new + price < loss and _is_affordable(trial, sample):
            draft, loss = trial, new
    return draft


def _is_affordable(draft: Draft, sample: Sample) -> bool:
    """Whether no rule is larger than it may be; votes that were promising add up."""
    budgets = sample.demands.budgets
    return budgets is None or bool((draft.spent() <= budgets).all())


def _promising(draft: Draft, values: Floats, sample: Sample) -> list[tuple[int, int, float]]:
    """Changes that would lower a quadratic estimate of the loss, at most one a term."""
    logits = draft.logits(values)
    slope, spread = slopes(logits, sample), curvatures(logits, sample)
    curvature = np.square(values) @ spread.T
    curvature -= np.square(values @ spread.T) / np.maximum(spread.sum(axis=1), 1e-12)
    gradient = values @ slope.T
    gains = np.stack(
        [_gain(vote, draft, gradient, curvature, sample) for vote in (-1.0, 0.0, 1.0)]
    )
    alone = np.array([isinstance(term, Var) for term in draft.terms], dtype=bool)
    gains[:, alone[:, None] & (draft.votes == 0)] = -np.inf  # it would be written once more
    if sample.classes == 2:
        gains[:, :, 0] = -np.inf  # two classes are told apart by one sum
    found: dict[int, tuple[int, int, float]] = {}
    for flat in np.argsort(gains, axis=None)[::-1]:
        choice, term, label = (int(i) for i in np.unravel_index(flat, gains.shape))
        if gains[choice, term, label] <= 0 or len(found) == MOST_TRIALS:
            break
        change = term, label, choice - 1.0
        if term not in found and _is_allowed(draft, change, sample):
            found[term] = change
    return list(found.values())


def _is_allowed(draft: Draft, change: tuple[int, int, float], sample: Sample) -> bool:
    term, label, vote = change
    ballot = draft.votes[term].copy()
    ballot[label] = vote
    return sample.demands.permits(draft.terms[term], ballot, draft.feature)


def _gain(
    vote: float, draft: Draft, gradient: Floats, curvature: Floats, sample: Sample
) -> Floats:
    """By how much the loss would fall if a vote were this one. Shape: (terms, classes)."""
    change = vote - draft.votes
    step = change * (draft.scale / sample.spread)
    price = VOTE_PRICE / sample.total * (abs(vote) - np.abs(draft.votes))
    gain: Floats = -step * gradient - step**2 * curvature / 2 - price
    return np.where(change == 0, -np.inf, gain)


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
    >>> from crisplogic.expr import to_text
    >>> [to_text(each) for each in neighbours(parse("0 & 1"))]
    ['0 | 1', '0 ⊕ 1', '0 & ¬1', '¬0 & 1', '0', '1']
    """
    match term:
        case Operation(operands=(first, second)):
            (x, _), (y, _) = split_sign(first), split_sign(second)
            if isinstance(x, Var) and isinstance(y, Var):
                joined = (And((x, y)), Or((x, y)), Xor((x, y)), And((x, ~y)), And((~x, y)))
                yield from (each for each in (*joined, x, y) if each != term)


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
