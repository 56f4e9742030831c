"""Single changes of a draft: what they cost, and that only those are made that pay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from crisplogic.expr import Var
from crisplogic.search.convert import as_rules
from crisplogic.search.draft import Draft
from crisplogic.search.moves import VOTE_PRICE, Removal, removals, with_better_votes
from crisplogic.search.sample import Sample
from tests.search.drafts import FEATURES, a_draft, a_sample, cases, loss_of


def without(draft: Draft, removal: Removal, sample: Sample) -> Draft:
    """The draft less some votes, what they say on average kept in the bias."""
    votes, bias = draft.votes.copy(), draft.bias.copy()
    mean = draft.values(sample)[removal.term].mean()
    for label in removal.labels:
        if not draft.pure:
            bias[label] += draft.scale * votes[removal.term, label] * mean
        votes[removal.term, label] = 0.0
    return replace(draft, bias=bias).voting(votes)


@given(cases())
@settings(max_examples=35)
def test_the_cost_of_a_removal_is_the_rise_of_the_loss_for_every_literal_saved(
    case: tuple[Draft, Sample],
) -> None:
    draft, sample = case
    for removal in removals(draft, sample):
        less = without(draft, removal, sample)
        rise = loss_of(less, sample) - loss_of(draft, sample)
        saved = draft.costs().sum() - less.costs().sum()
        assert removal.cost == pytest.approx(rise / saved, abs=1e-9)


@given(cases(min_terms=0))
@settings(max_examples=35)
def test_every_vote_can_go_once_and_the_least_missed_comes_first(
    case: tuple[Draft, Sample],
) -> None:
    draft, sample = case
    found = removals(draft, sample)
    votes = np.zeros_like(draft.votes)
    for removal in found:
        votes[removal.term, removal.labels] += 1
    assert votes.tolist() == np.abs(draft.votes).tolist()
    assert [removal.cost for removal in found] == sorted(removal.cost for removal in found)


def test_votes_of_a_pair_go_together_and_those_of_a_literal_one_by_one() -> None:
    sample = a_sample(classes=3)
    draft = a_draft(sample, [Var(0), Var(1) & Var(2)], [[1, 0, -1], [1, -1, 1]])
    found = sorted((removal.term, removal.labels) for removal in removals(draft, sample))
    assert found == [(0, [0]), (0, [2]), (1, [0, 1, 2])]


def price(draft: Draft, sample: Sample) -> float:
    return VOTE_PRICE * float(np.abs(draft.votes).sum()) / len(sample)


@given(cases())
@settings(max_examples=40)
def test_better_votes_never_raise_the_loss_and_the_price_of_the_votes(
    case: tuple[Draft, Sample],
) -> None:
    draft, sample = case
    after = with_better_votes(draft, sample)
    paid = loss_of(after, sample) + price(after, sample)
    assert paid <= loss_of(draft, sample) + price(draft, sample) + 1e-12


@given(cases())
@settings(max_examples=40)
def test_better_votes_never_make_the_rules_larger(case: tuple[Draft, Sample]) -> None:
    draft, sample = case
    after = with_better_votes(draft, sample)
    labels = range(sample.classes)
    assert after.size() <= draft.size()
    assert after.terms == draft.terms
    assert (after.votes != 0).any(axis=1).all()
    assert set(np.unique(after.votes)) <= {-1.0, 0.0, 1.0}
    assert as_rules(after, FEATURES, labels).size <= max(draft.size(), after.size())
    if sample.classes == 2:
        assert not after.votes[:, 0].any()
    if draft.pure:
        assert not after.bias.any()


def test_a_vote_for_the_wrong_class_turns_around() -> None:
    sample = a_sample(rows=200)
    wrong = a_draft(sample, [Var(0), Var(1)], [[0, -1], [0, 1]], scale=1.0)
    after = with_better_votes(wrong, sample)
    assert after.votes.tolist() == [[0, 1], [0, 1]]
    assert loss_of(after, sample) < loss_of(wrong, sample)


def test_a_vote_that_pays_is_added_to_a_pair_and_to_no_literal() -> None:
    sample = a_sample(rows=300, classes=3)
    pair = a_draft(sample, [Var(0) & Var(1)], [[0, 0, 1]], scale=1.0)
    after = with_better_votes(pair, sample)
    assert np.abs(after.votes).sum() == 2
    assert after.size() == pair.size()
    literal = a_draft(sample, [Var(0)], [[0, 0, 1]], scale=1.0)
    assert with_better_votes(literal, sample).votes.tolist() == [[0, 0, 1]]


def test_without_terms_there_is_nothing_to_change() -> None:
    sample = a_sample(classes=3)
    nothing = a_draft(sample, [], np.empty((0, 3)))
    assert removals(nothing, sample) == []
    assert with_better_votes(nothing, sample).terms == ()
