"""The path from large rules to small ones: remove votes, rewrite terms, fit, and repeat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from crisplogic.rules import RuleSet
from crisplogic.search.convert import draft_from_rules, rules_from_draft
from crisplogic.search.draft import Draft
from crisplogic.search.fit import calibrate, fit_draft
from crisplogic.search.moves import fit_to_max_literals, improve_terms, rank_removals
from crisplogic.search.training_set import TrainingSet

# Of many votes that could go, this share goes at once.
SHARE = 0.15
# Below this number they go one by one, and terms are rewritten as well.
FEW = 12
FIRST_STEPS, STEPS = 20, 10


@dataclass(frozen=True)
class Candidate:
    """A tidy draft on the path, its rules, and its loss on the rows that it is fitted to."""

    draft: Draft
    rules: RuleSet
    loss: float

    @property
    def size(self) -> int:
        """Literals as printed; the draft does not count whole rules that are the same once."""
        return self.rules.size


def follow_path(start: RuleSet, data: TrainingSet, pure: bool = False) -> list[Candidate]:
    """All candidates on the way from a snapped network's rules to a single term."""
    found = []
    for draft in shrink(draft_from_rules(start, pure, data.task.positive), data):
        tidy = data.task.tidy(draft, data)
        rules = rules_from_draft(tidy, start.features, start.labels, data.task)
        loss = float(data.loss(tidy.logits(tidy.values(data))))
        found.append(Candidate(tidy, rules, loss))
    return found


def shrink(draft: Draft, data: TrainingSet) -> Iterator[Draft]:
    """The fitted draft, then ever smaller ones, down to a single term.

    A draft without any terms, of a network that learned nothing, is the only one.
    """
    draft = fit_to_max_literals(_fit(draft, data, FIRST_STEPS), data)
    if not draft.terms:
        yield fit_draft(draft, data)
    while draft.terms:
        draft = data.task.improve_votes(draft, data, STEPS)
        yield draft
        if len(draft.terms) <= FEW and (rewritten := _rewrite(draft, data)) is not draft:
            yield rewritten
            draft = rewritten
        draft = _fit(_remove_votes(draft, data), data, STEPS)


def _remove_votes(draft: Draft, data: TrainingSet) -> Draft:
    """Remove the votes that raise the loss least."""
    ranked = rank_removals(draft, data)
    count = max(1, int(SHARE * len(ranked))) if len(ranked) > FEW else 1
    votes = draft.votes.copy()
    for removal in ranked[:count]:
        votes[removal.term, removal.outputs] = 0.0
    return draft.with_votes(votes)


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
