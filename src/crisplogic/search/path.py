"""The path from large rules to small ones: drop what is least missed, mend, refit, go on."""

from __future__ import annotations

from collections.abc import Iterator

from crisplogic.search.calibrate import calibrated
from crisplogic.search.draft import Draft
from crisplogic.search.fit import refitted
from crisplogic.search.moves import (
    removals,
    with_better_terms,
    with_better_votes,
    within_budgets,
)
from crisplogic.search.points import with_better_amounts
from crisplogic.search.sample import Sample

# While there is much that could go, several go at once: this share of it.
SHARE = 0.15
# From here on one by one, and terms are rewritten as well.
FEW = 12
FIRST_STEPS, STEPS = 20, 10


def shrinking(draft: Draft, sample: Sample) -> Iterator[Draft]:
    """The draft refitted, then ever smaller ones, down to a single term.

    One without any terms, of a network that learned nothing or was allowed nothing, is all
    there is.
    """
    draft = within_budgets(_fitted(draft, sample, FIRST_STEPS), sample)
    if not draft.terms:
        yield refitted(draft, sample)
    while draft.terms:
        draft = _better_counted(draft, sample)
        yield draft
        if len(draft.terms) <= FEW and (mended := _mended(draft, sample)) is not draft:
            yield mended
            draft = mended
        draft = _fitted(_smaller(draft, sample), sample, STEPS)


def _better_counted(draft: Draft, sample: Sample) -> Draft:
    """The draft with other votes: of a number, in other amounts, to which ramps are fitted."""
    if not sample.of_numbers:
        return with_better_votes(draft, sample)
    better = with_better_amounts(draft, sample)
    unchanged = (better.votes == draft.votes).all()
    return draft if unchanged else refitted(better, sample, STEPS)


def _smaller(draft: Draft, sample: Sample) -> Draft:
    """The draft without what is least missed."""
    ranked = removals(draft, sample)
    count = max(1, int(SHARE * len(ranked))) if len(ranked) > FEW else 1
    votes = draft.votes.copy()
    for removal in ranked[:count]:
        votes[removal.term, removal.labels] = 0.0
    return draft.voting(votes)


def _mended(draft: Draft, sample: Sample) -> Draft:
    """The draft with terms rewritten; refitted if any was."""
    rewritten = with_better_terms(draft, sample)
    if rewritten.terms == draft.terms:
        return draft
    return _fitted(rewritten.voting(rewritten.votes), sample, STEPS)


def _fitted(draft: Draft, sample: Sample, steps: int) -> Draft:
    if not draft.terms:
        return draft
    return refitted(calibrated(draft, draft.values(sample), sample), sample, steps)
