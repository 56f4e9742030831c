"""Single changes of a draft: remove votes, change votes, rewrite terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import And, Expr, Or, Var, Xor, simplify, split_sign
from crisplogic.expr.nodes import Operation
from crisplogic.expr.walk import unique_nodes
from crisplogic.search.draft import Draft, cost, count_literals, term_values
from crisplogic.search.fit import calibrate
from crisplogic.search.points import MAX_POINTS, count_doublings
from crisplogic.search.pruning import replace_part, smaller_forms
from crisplogic.search.training_set import TrainingSet
from crisplogic.search.units import has_sums

Floats = NDArray[np.float64]

# What a vote has to gain, in the loss of one row: a vote that gains nothing is clutter.
VOTE_PENALTY = 0.5
# What doubling the points of a vote has to gain, likewise: more than a number's, for most
# rules of classes need none.
DOUBLING_PENALTY = 2.0
# A vote for a class or against it, or none; and how often a vote counts.
CAST = np.array([-1.0, 0.0, 1.0])
POINTS = np.array([sign * n for sign in (-1.0, 1.0) for n in range(1, MAX_POINTS + 1)])
MAX_TRIALS = 8
# What a literal has to gain, and what a change has to gain, in the loss of one row. The
# best of a dozen changes gains about log(12) on rows of pure noise.
LITERAL_PENALTY = 1.0
CHANGE_PENALTY = 3.0
MAX_REWRITTEN = 8  # larger terms have too many neighbours


class Removal(NamedTuple):
    """Votes of one term that can only go together, and by how much the loss rises a literal."""

    term: int
    outputs: list[int]
    cost: float


def rank_removals(draft: Draft, data: TrainingSet, refitted: bool = False) -> list[Removal]:
    """All votes that could be removed, those first that raise the loss least.

    A part that several rules share is written once, so all its votes go or none; a literal
    that stands alone is written in every rule, and each of its votes can go by itself. Where
    rules are larger than they may be, each of their votes can go, and no other. The mean of
    what goes stays in the bias, if there is one. Where terms make up for each other, the rise
    of the loss is another once bias and scale are ``refitted``.
    """
    values = draft.values(data)
    logits = draft.logits(values)
    contributions = draft.contributions(values, data)
    loss = float(data.loss(logits))
    found = []
    for term, outputs, literals in _removable(draft, data):
        without = logits.copy()
        without[outputs] -= np.outer(draft.votes[term, outputs], contributions[term])
        least = float(data.loss(without))
        if refitted:
            votes = draft.votes.copy()
            votes[term, outputs] = 0.0
            trial = calibrate(replace(draft, votes=votes), values, data, steps=4)
            least = min(least, float(data.loss(trial.logits(values))))
        found.append(Removal(term, outputs, (least - loss) / literals))
    return sorted(found, key=lambda removal: removal.cost)


def _removable(draft: Draft, data: TrainingSet) -> Iterator[tuple[int, list[int], float]]:
    too_large, costs = outputs_too_large(draft, data), draft.costs()
    for number, (term, votes) in enumerate(zip(draft.terms, draft.votes, strict=True)):
        outputs = np.flatnonzero(votes).tolist()
        if too_large:
            literals = count_literals(term)
            yield from ((number, [each], literals) for each in too_large if each in outputs)
        elif isinstance(term, Var):
            yield from ((number, [output], 1) for output in outputs)
        else:
            yield number, outputs, float(costs[number])


def outputs_too_large(draft: Draft, data: TrainingSet) -> list[int]:
    """The outputs whose rules have more literals than they may have."""
    bounds = data.max_literals
    if bounds is None:
        return []
    found: list[int] = np.flatnonzero(draft.literals_by_output() > bounds).tolist()
    return found


def improve_votes(draft: Draft, data: TrainingSet) -> Draft:
    """Change votes one by one, the most promising first, each only if it pays.

    First votes for and against are added, dropped and turned around. Then those that are left
    get whole points, unless the draft is pure.
    """
    values = draft.values(data)
    draft = _change_votes(draft, values, data)
    if draft.pure:
        return draft
    # Under another scale all votes would seem to need other points.
    calibrated = calibrate(draft, values, data)
    pointed = _change_votes(calibrated, values, data, points=True)
    return draft if pointed is calibrated else pointed


def _change_votes(
    draft: Draft, values: Floats, data: TrainingSet, points: bool = False
) -> Draft:
    loss = float(data.loss(draft.logits(values)))
    for term, output, vote in _promising_votes(draft, values, data, points):
        votes = draft.votes.copy()
        votes[term, output] = vote
        trial = calibrate(replace(draft, votes=votes), values, data, steps=2)
        new = float(data.loss(trial.logits(values)))
        penalty = _penalty(vote) - _penalty(draft.votes[term, output])
        pays = votes[term].any() and new + penalty / data.total_weight < loss
        if pays and not _enlarges(trial, draft, data):
            draft, loss = trial, new
    return draft


def _penalty(votes: Floats | float) -> Floats:
    """What votes have to gain, in the loss of one row. Shape: (...) to (...)."""
    penalty: Floats = VOTE_PENALTY * (votes != 0) + DOUBLING_PENALTY * count_doublings(votes)
    return penalty


def _enlarges(after: Draft, before: Draft, data: TrainingSet) -> bool:
    """Whether rules grow, or one grows beyond what it may have: promising votes add up.

    Rules with the same votes are written once, until a vote or its points make them different.
    """
    if after.size() > before.size():
        return True
    bounds = data.max_literals
    if bounds is None:
        return False
    literals = after.literals_by_output()
    return bool(((literals > bounds) & (literals > before.literals_by_output())).any())


def _promising_votes(
    draft: Draft, values: Floats, data: TrainingSet, points: bool
) -> list[tuple[int, int, float]]:
    """Changes that would lower a quadratic estimate of the loss, at most one a term.

    Other ``points`` change neither whether a term votes nor its sign.
    """
    logits = draft.logits(values)
    by_logit, diagonal = data.loss.gradient(logits), data.loss.hessian_diagonal(logits)
    hessian = np.square(values) @ diagonal.T
    hessian -= np.square(values @ diagonal.T) / np.maximum(diagonal.sum(axis=1), 1e-12)
    gradient = values @ by_logit.T
    choices = POINTS if points else CAST
    gains = np.stack([_gain(vote, draft, gradient, hessian, data) for vote in choices])
    if points:
        gains[np.sign(choices)[:, None, None] != np.sign(draft.votes)] = -np.inf
    alone = np.array([isinstance(term, Var) for term in draft.terms], dtype=bool)
    gains[:, alone[:, None] & (draft.votes == 0)] = -np.inf  # it would be written once more
    if data.n_outputs == 2:
        gains[:, :, 1 - data.task.positive] = -np.inf  # one sum separates two classes
    found: dict[int, tuple[int, int, float]] = {}
    for flat in np.argsort(gains, axis=None)[::-1]:
        choice, term, output = (int(i) for i in np.unravel_index(flat, gains.shape))
        if gains[choice, term, output] <= 0 or len(found) == MAX_TRIALS:
            break
        vote = float(choices[choice])
        if term not in found and _is_permitted(draft, term, output, vote, data):
            found[term] = term, output, vote
    return list(found.values())


def _is_permitted(draft: Draft, term: int, output: int, vote: float, data: TrainingSet) -> bool:
    votes = draft.votes[term].copy()
    votes[output] = vote
    return data.permits(draft.terms[term], votes, draft.feature)


def _gain(
    vote: float, draft: Draft, gradient: Floats, hessian: Floats, data: TrainingSet
) -> Floats:
    """By how much the loss would fall if a vote were this one. Shape: (terms, outputs)."""
    change = vote - draft.votes
    step = change * (draft.scale / data.loss.spread)
    penalty = (_penalty(vote) - _penalty(draft.votes)) / data.total_weight
    gain: Floats = -step * gradient - step**2 * hessian / 2 - penalty
    return np.where(change == 0, -np.inf, gain)


def improve_terms(draft: Draft, data: TrainingSet) -> Draft:
    """Replace each term in turn by the best of its neighbours, if that pays.

    A replacement is no larger and has the votes of the term, or their opposites.
    """
    degrees = draft.degrees(data)
    for position, term in enumerate(draft.terms):
        votes = draft.votes[position]
        options = [
            each
            for each in neighbours(term)
            if each not in draft.terms and cost(each, votes) <= cost(term, votes)
        ]
        if options:
            draft = _replace_term(draft, position, options, degrees, data)
    return draft


@lru_cache(maxsize=10_000)
def neighbours(term: Expr) -> tuple[Expr, ...]:
    """Other ways to join the two inputs of a term, and each input alone.

    In a deeper term one operator is another one, an operand of it is negated, or it has one
    operand less.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.expr import to_text
    >>> [to_text(each) for each in neighbours(parse("0 & 1"))]
    ['0 | 1', '0 ⊕ 1', '0 & ¬1', '¬0 & 1', '0', '1']
    >>> [to_text(each) for each in neighbours(parse("(0 & 1) | 2"))][:4]
    ['0 | 1 | 2', '(0 ⊕ 1) | 2', '(¬0 & 1) | 2', '(0 & ¬1) | 2']
    """
    match term:
        case Operation(operands=(first, second)):
            (x, _), (y, _) = split_sign(first), split_sign(second)
            if isinstance(x, Var) and isinstance(y, Var):
                x, y = sorted((x, y), key=lambda var: var.index)  # as simplify sorts them
                joined = (And((x, y)), Or((x, y)), Xor((x, y)), And((x, ~y)), And((~x, y)))
                return tuple(each for each in (*joined, x, y) if each != term)
    return _deep_neighbours(term)


def _deep_neighbours(term: Expr) -> tuple[Expr, ...]:
    if has_sums(term) or count_literals(term) > MAX_REWRITTEN:
        return ()
    changed = [
        replace_part(term, node, other)
        for node in unique_nodes([term])
        if isinstance(node, Operation)
        for other in _other_operations(node)
    ]
    simplified = [split_sign(simplify(each))[0] for each in changed]
    found = dict.fromkeys([*simplified, *smaller_forms(term)])
    return tuple(each for each in found if each != term)


def _other_operations(node: Operation) -> Iterator[Operation]:
    """The same operands joined by another operator, or one of them negated."""
    yield from (kind(node.operands) for kind in (And, Or, Xor) if kind is not type(node))
    if not isinstance(node, Xor):
        for place, operand in enumerate(node.operands):
            others = node.operands[:place], node.operands[place + 1 :]
            yield type(node)((*others[0], ~operand, *others[1]))


def _replace_term(
    draft: Draft, position: int, options: list[Expr], degrees: Floats, data: TrainingSet
) -> Draft:
    """The draft with the best of the options, or its own term, at a position."""
    terms, votes = draft.terms, draft.votes[position]
    own, *others = term_values([terms[position], *options], degrees)
    logits = draft.logits(term_values(terms, degrees))
    rest = logits - np.outer(votes, draft.contributions(own, data))

    def penalized_loss(option: Expr, value: Floats, sign: float) -> float:
        logits = rest + np.outer(sign * votes, draft.contributions(value, data))
        penalty = LITERAL_PENALTY * cost(option, votes) + CHANGE_PENALTY
        return float(data.loss(logits)) + penalty / data.total_weight

    own_loss = penalized_loss(terms[position], own, 1.0) - CHANGE_PENALTY / data.total_weight
    trials = [(own_loss, terms[position], 1.0)]
    for option, value in zip(options, others, strict=True):
        trials += [
            (penalized_loss(option, value, sign), option, sign)
            for sign in (1.0, -1.0)
            if data.permits(option, sign * votes, draft.feature)
        ]
    _, winner, sign = min(trials, key=lambda trial: trial[0])
    new_votes = draft.votes.copy()
    new_votes[position] = sign * votes
    return replace(
        draft, terms=(*terms[:position], winner, *terms[position + 1 :]), votes=new_votes
    )
