"""The path from large rules to small ones: drop what is least missed, refit, go on."""

from __future__ import annotations

from collections.abc import Iterator

from crisplogic.polish.calibrate import calibrated
from crisplogic.polish.draft import Draft, Sample
from crisplogic.polish.moves import removals, with_better_votes
from crisplogic.polish.refit import refitted

# While there are many terms several go at once: this share of them.
SHARE = 0.15
FEW = 12


def shrinking(draft: Draft, sample: Sample) -> Iterator[Draft]:
    """The draft refitted, then ever smaller ones, down to a single term.

    One without any terms, of a network that learned nothing, is all there is.
    """
    if not draft.terms:
        yield refitted(draft, sample)
        return
    draft = calibrated(draft, draft.values(sample), sample)
    draft = refitted(draft, sample, steps=20)
    while draft.terms:
        draft = with_better_votes(draft, sample)
        yield draft
        draft = _smaller(draft, sample)
        if draft.terms:
            draft = calibrated(draft, draft.values(sample), sample)
            draft = refitted(draft, sample)


def _smaller(draft: Draft, sample: Sample) -> Draft:
    """The draft without what is least missed."""
    ranked = removals(draft, sample)
    count = max(1, int(SHARE * len(ranked))) if len(ranked) > FEW else 1
    votes = draft.votes.copy()
    for removal in ranked[:count]:
        votes[removal.term, removal.labels] = 0.0
    return draft.voting(votes)
