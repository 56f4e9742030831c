"""The path from large rules to small ones: remove votes, rewrite terms, fit, and repeat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules import RuleSet
from crisplogic.search.convert import draft_from_rules, rules_from_draft
from crisplogic.search.cuts import improve_cuts, move_to_cuts
from crisplogic.search.draft import Draft
from crisplogic.search.fit import calibrate, fit_draft
from crisplogic.search.merging import merge_ramps
from crisplogic.search.moves import Removal, improve_terms, outputs_too_large, rank_removals
from crisplogic.search.pruning import rank_prunings
from crisplogic.search.training_set import TrainingSet
from crisplogic.search.units import PartRemoval, rank_parts, remove_parts

Floats = NDArray[np.float64]

# Of many votes that could go, this share goes at once.
SHARE = 0.15
# Below this number they go one by one, and terms are rewritten as well.
FEW = 12
# With so many terms or fewer, terms are also made smaller from within.
VERY_FEW = 3
FIRST_STEPS, STEPS = 20, 10


@dataclass(frozen=True)
class Candidate:
    """A tidy draft on the path, its rules, and its loss on the rows that it is fitted to."""

    draft: Draft
    rules: RuleSet
    loss: float

    @property
    def size(self) -> int:
        """The literals in all rules together."""
        return self.rules.size


def follow_path(start: RuleSet, data: TrainingSet, pure: bool = False) -> list[Candidate]:
    """All candidates on the way from a snapped network's rules to a single literal."""
    found = []
    for draft in shrink(draft_from_rules(start, pure, data.task.positive), data):
        tidy = data.task.tidy(draft, data)
        rules = rules_from_draft(tidy, start.features, start.labels, data.task)
        loss = float(data.loss(tidy.logits(tidy.values(data))))
        found.append(Candidate(tidy, rules, loss))
    return found


def shrink(draft: Draft, data: TrainingSet) -> Iterator[Draft]:
    """The fitted draft, then ever smaller ones, down to a single literal.

    Drafts whose rules are larger than they may be are left out. If none is left, as when a
    network learned nothing, or if the last term is still a deep one, the last draft has no
    terms: there are rules for every bound on their size.
    """
    last = None
    for smaller in _shrink(draft, data):
        if not outputs_too_large(smaller, data):
            yield (last := smaller)
    if last is None or last.is_deep:
        yield fit_draft(draft.without_terms(), data)


def _shrink(draft: Draft, data: TrainingSet) -> Iterator[Draft]:
    draft = _fit(move_to_cuts(_keep_permitted(draft, data), data), data, FIRST_STEPS)
    while draft.terms:
        draft = improve_cuts(_merge(draft, data), data)
        draft = data.task.improve_votes(draft, data, STEPS)
        yield draft
        if len(draft.terms) <= FEW and (rewritten := _rewrite(draft, data)) is not draft:
            yield rewritten
            draft = rewritten
        draft = _fit(_reduce(draft, data), data, STEPS)


def _keep_permitted(draft: Draft, data: TrainingSet) -> Draft:
    """Without terms that limits forbid, such as two ramps of one column that an *and* joins."""
    pairs = zip(draft.terms, draft.votes, strict=True)
    kept = [data.permits(term, votes, draft.feature) for term, votes in pairs]
    return draft.keep(np.array(kept, dtype=bool))


def _reduce(draft: Draft, data: TrainingSet) -> Draft:
    """Remove the votes and parts that raise the loss least, or prune one of the last terms."""
    few, last = len(draft.terms) <= FEW, len(draft.terms) == 1
    removals = rank_removals(draft, data, refitted=few)
    if outputs_too_large(draft, data):
        return _remove(draft, removals, [], data)
    parts = rank_parts(draft, data)
    if few and not parts:
        deep_only = len(draft.terms) > VERY_FEW
        prunings = rank_prunings(draft, data, least_literals=3 if deep_only else 2)
        if prunings and (last or prunings[0].cost < removals[0].cost):
            return prunings[0].apply(draft)
    if last and parts:
        removals = []  # a sum goes part by part
    return _remove(draft, removals, parts, data)


def _remove(
    draft: Draft, removals: list[Removal], parts: list[PartRemoval], data: TrainingSet
) -> Draft:
    """Remove the votes and the parts of units that are missed least, by what each saves."""
    moves: list[Removal | PartRemoval] = [*removals, *parts]
    chosen = sorted(moves, key=lambda move: move.cost)[: _count(len(moves))]
    votes = _remove_votes(draft, [each for each in chosen if isinstance(each, Removal)], data)
    gone = [each for each in chosen if isinstance(each, PartRemoval)]
    if gone:
        return remove_parts(replace(draft, votes=votes), gone)
    return draft.with_votes(votes)


def _count(moves: int) -> int:
    """How many of so many moves are made at once."""
    return max(1, int(SHARE * moves)) if moves > FEW else 1


def _remove_votes(draft: Draft, removals: list[Removal], data: TrainingSet) -> Floats:
    """The votes without some; where rules are too large, only until they no longer are.

    Shape: (terms, outputs).
    """
    too_large = bool(outputs_too_large(draft, data))
    votes = draft.votes.copy()
    for removal in removals:
        votes[removal.term, removal.outputs] = 0.0
        if too_large and not outputs_too_large(replace(draft, votes=votes), data):
            break
    return votes


def _merge(draft: Draft, data: TrainingSet) -> Draft:
    """Merge near thresholds, and fit the draft if any were merged."""
    merged = merge_ramps(draft, data)
    return draft if merged is draft else _fit(merged, data, STEPS)


def _rewrite(draft: Draft, data: TrainingSet) -> Draft:
    """Replace terms by better ones, and fit the draft if any was replaced."""
    rewritten = improve_terms(draft, data)
    if rewritten.terms == draft.terms:
        return draft
    return _fit(rewritten.with_votes(rewritten.votes), data, STEPS)


def _fit(draft: Draft, data: TrainingSet, steps: int) -> Draft:
    if not draft.terms:
        return draft
    return fit_draft(calibrate(draft, draft.values(data), data), data, steps)
