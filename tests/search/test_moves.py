"""Single changes of a draft: what they cost, and that only those are made that pay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from crisplogic.constraints import Limits
from crisplogic.expr import And, Var, Xor, measure, parse
from crisplogic.expr.walk import unique_nodes
from crisplogic.search.convert import rules_from_draft
from crisplogic.search.draft import Draft
from crisplogic.search.fit import calibrate
from crisplogic.search.moves import (
    DOUBLING_PENALTY,
    LITERAL_PENALTY,
    VOTE_PENALTY,
    Removal,
    improve_terms,
    improve_votes,
    neighbours,
    rank_removals,
)
from crisplogic.search.points import MAX_POINTS, count_doublings
from crisplogic.search.tasks import CLASSIFICATION
from crisplogic.search.training_set import TrainingSet
from tests.search.drafts import (
    FEATURES,
    Floats,
    a_draft,
    a_sample,
    cases,
    loss_of,
    pairs,
    predicted,
    training_set,
)


def without(draft: Draft, removal: Removal, data: TrainingSet) -> Draft:
    """The draft less some votes, what they say on average kept in the bias."""
    votes, bias = draft.votes.copy(), draft.bias.copy()
    mean = draft.values(data)[removal.term].mean()
    for label in removal.outputs:
        if not draft.pure:
            bias[label] += draft.scale * votes[removal.term, label] * mean
        votes[removal.term, label] = 0.0
    return replace(draft, bias=bias).with_votes(votes)


@given(cases())
@settings(max_examples=35)
def test_the_cost_of_a_removal_is_the_rise_of_the_loss_for_every_literal_saved(
    case: tuple[Draft, TrainingSet],
) -> None:
    draft, data = case
    for removal in rank_removals(draft, data):
        less = without(draft, removal, data)
        rise = loss_of(less, data) - loss_of(draft, data)
        saved = draft.costs().sum() - less.costs().sum()
        assert removal.cost == pytest.approx(rise / saved, abs=1e-9)


@given(cases(min_terms=0))
@settings(max_examples=35)
def test_every_vote_can_go_once_and_the_least_missed_comes_first(
    case: tuple[Draft, TrainingSet],
) -> None:
    draft, data = case
    found = rank_removals(draft, data)
    votes = np.zeros_like(draft.votes)
    for removal in found:
        votes[removal.term, removal.outputs] += 1
    assert votes.tolist() == (draft.votes != 0).tolist()
    assert [removal.cost for removal in found] == sorted(removal.cost for removal in found)


def test_votes_of_a_pair_go_together_and_those_of_a_literal_one_by_one() -> None:
    data = a_sample(classes=3)
    draft = a_draft(data, [Var(0), Var(1) & Var(2)], [[1, 0, -1], [1, -1, 1]])
    found = sorted((removal.term, removal.outputs) for removal in rank_removals(draft, data))
    assert found == [(0, [0]), (0, [2]), (1, [0, 1, 2])]


def penalty(draft: Draft, data: TrainingSet) -> float:
    votes = VOTE_PENALTY * np.count_nonzero(draft.votes)
    points = DOUBLING_PENALTY * float(count_doublings(draft.votes).sum())
    return (votes + points) / len(data)


@given(cases())
@settings(max_examples=40)
def test_better_votes_never_raise_the_loss_and_the_price_of_the_votes(
    case: tuple[Draft, TrainingSet],
) -> None:
    draft, data = case
    after = improve_votes(draft, data)
    total = loss_of(after, data) + penalty(after, data)
    assert total <= loss_of(draft, data) + penalty(draft, data) + 1e-12


@given(cases())
@settings(max_examples=40)
def test_better_votes_never_make_the_rules_larger(case: tuple[Draft, TrainingSet]) -> None:
    draft, data = case
    after = improve_votes(draft, data)
    labels = range(data.n_outputs)
    assert after.size() <= draft.size()
    assert after.terms == draft.terms
    assert (after.votes != 0).any(axis=1).all()
    assert set(np.unique(after.votes)) <= set(range(-MAX_POINTS, MAX_POINTS + 1))
    if draft.pure:
        assert set(np.unique(after.votes)) <= {-1.0, 0.0, 1.0}
    assert rules_from_draft(after, FEATURES, labels, CLASSIFICATION).size <= max(
        draft.size(), after.size()
    )
    if data.n_outputs == 2:
        assert not after.votes[:, 0].any()
    if draft.pure:
        assert not after.bias.any()


def test_a_vote_for_the_wrong_class_turns_around() -> None:
    data = a_sample(rows=200)
    wrong = a_draft(data, [Var(0), Var(1)], [[0, -1], [0, 1]], scale=1.0)
    after = improve_votes(wrong, data)
    assert after.votes.tolist() == [[0, 1], [0, 1]]
    assert loss_of(after, data) < loss_of(wrong, data)


def test_a_vote_that_pays_is_added_to_a_pair_and_to_no_literal() -> None:
    data = a_sample(rows=300, classes=3)
    pair = a_draft(data, [Var(0) & Var(1)], [[0, 0, 1]], scale=1.0)
    after = improve_votes(pair, data)
    assert np.abs(after.votes).sum() == 2
    assert after.size() == pair.size()
    literal = a_draft(data, [Var(0)], [[0, 0, 1]], scale=1.0)
    assert improve_votes(literal, data).votes.tolist() == [[0, 0, 1]]


def test_without_terms_there_is_nothing_to_change() -> None:
    data = a_sample(classes=3)
    nothing = a_draft(data, [], np.empty((0, 3)))
    assert rank_removals(nothing, data) == []
    assert improve_votes(nothing, data).terms == ()


# --- points ------------


def a_draft_of_flags(data: TrainingSet, votes: Floats) -> Draft:
    """Every column is true above 0; the terms have these votes. Shape: (terms, classes)."""
    n = len(votes)
    terms, bias = tuple(map(Var, range(n))), np.zeros(data.n_outputs)
    draft = Draft(np.arange(n), np.zeros(n), np.ones(n), terms, votes, bias, 1.0)
    return calibrate(draft, draft.values(data), data)


def flags(worth: Sequence[Sequence[float]], noise: bool, rows: int = 400) -> TrainingSet:
    """Truth values, and the class with the greatest sum of what they are worth for it.

    With ``noise`` it is the likeliest. Shape: ``worth`` (columns, classes).
    """
    rng = np.random.default_rng(0)
    columns = rng.choice([-1.0, 1.0], (len(worth), rows))
    scores = np.array(worth, dtype=float).T @ columns
    if noise:
        scores += rng.gumbel(size=scores.shape)
    return training_set(columns, scores.argmax(axis=0), scores.shape[0])


def improve_often(draft: Draft, data: TrainingSet) -> Draft:
    """As often as a path does, and more."""
    for _ in range(6):
        draft = improve_votes(draft, data)
    return draft


def wrong(draft: Draft, data: TrainingSet) -> int:
    return int((predicted(draft, data) != data.y).sum())


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_points_tell_classes_apart_that_equal_votes_do_not(sign: float) -> None:
    # 2a + b + c + d is above 0 or below; a + b + c + d is 0 as well.
    data = flags([[0, 2 * sign], [0, 1], [0, 1], [0, 1]], noise=False)
    equal = a_draft_of_flags(data, np.array([[0.0, sign], [0, 1], [0, 1], [0, 1]]))
    found = improve_often(equal, data)
    assert wrong(equal, data) > 0 == wrong(found, data)
    assert abs(found.votes[0, 1]) > np.abs(found.votes[1:]).max()
    assert np.sign(found.votes).tolist() == np.sign(equal.votes).tolist()
    assert found.size() == equal.size() == 4


@pytest.mark.parametrize("noise", [False, True])
def test_where_equal_votes_suffice_there_are_no_points(noise: bool) -> None:
    data = flags([[0, 2.0], [0, 2.2], [0, -1.8]], noise, rows=100)
    equal = a_draft_of_flags(data, np.array([[0.0, 1], [0, 1], [0, -1]]))
    assert improve_often(equal, data).votes.tolist() == equal.votes.tolist()


def test_points_are_found_for_each_of_several_classes() -> None:
    data = flags([[4, 0, 0], [0, 1, 0], [0, 0, 1], [1, -1, 0]], noise=True, rows=3000)
    votes = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, -1, 0]])
    found = improve_often(a_draft_of_flags(data, votes), data)
    assert found.votes[0, 0] > np.abs(found.votes[1:]).max()


def test_pure_rules_have_no_points() -> None:
    data = flags([[0, 2], [0, 1], [0, 1], [0, 1]], noise=False)
    pure = replace(
        a_draft_of_flags(data, np.array([[0.0, 1]] * 4)), bias=np.zeros(2), pure=True
    )
    assert np.abs(improve_often(pure, data).votes).max() == 1


def test_points_keep_to_the_limits() -> None:
    data = flags([[0, 6], [0, -1], [0, 1]], noise=True)
    up = Limits(np.array([[False, True]] * 3), np.array([[True, False]] * 3))
    limited = replace(data, limits=up)
    found = improve_often(a_draft_of_flags(data, np.array([[0.0, 1]] * 3)), limited)
    assert (found.votes[:, 1] >= 0).all()
    assert found.votes[0, 1] > 1


# --- terms ------------


def mentions(draft: Draft) -> int:
    """The literals of all terms, each written once."""
    return sum(measure([term]).literals for term in draft.terms)


def test_neighbours_are_other_terms_over_the_same_inputs() -> None:
    for term in pairs(3):
        found = list(neighbours(term))
        inputs = {node for node in unique_nodes([term]) if isinstance(node, Var)}
        assert term not in found
        assert len(set(found)) == len(found) == (0 if isinstance(term, Var) else 6)
        assert all(measure([each]).literals <= 2 for each in found)
        for each in found:
            assert {node for node in unique_nodes([each]) if isinstance(node, Var)} <= inputs


def test_neighbours_of_a_deep_term_change_one_operator_or_leave_out_one_part() -> None:
    term = parse("(0 & 1) | 2")
    found = neighbours(term)
    assert term not in found
    assert len(set(found)) == len(found)
    assert {parse("(0 ^ 1) | 2"), parse("(0 & ~1) | 2"), parse("0 | 2")} <= set(found)
    assert max(measure([each]).literals for each in found) == 3
    assert neighbours(parse("tanh(0 + 1) & 2")) == ()  # sums go part by part


def test_a_deep_term_that_should_be_another_is_rewritten() -> None:
    rng = np.random.default_rng(0)
    columns = rng.choice([-1.0, 1.0], (3, 200))
    data = training_set(columns, (columns.prod(axis=0) > 0).astype(np.intp), classes=2)
    ramps = np.arange(3), np.zeros(3), np.full(3, 0.3)
    wrong = parse("(0 ^ 1) & 2")
    draft = Draft(*ramps, (wrong,), np.array([[0.0, 1.0]]), np.zeros(2), 2.0)
    (after,) = improve_terms(draft, data).terms
    assert measure([after]) == measure([parse("0 ^ 1 ^ 2")])


@given(cases())
@settings(max_examples=40)
def test_rewriting_never_makes_the_rules_larger(case: tuple[Draft, TrainingSet]) -> None:
    draft, data = case
    after = improve_terms(draft, data)
    assert after.size() <= draft.size()
    assert len(after.terms) == len(set(after.terms)) == len(draft.terms)


def test_a_pair_that_many_rules_share_is_not_replaced_by_a_literal_in_each_of_them() -> None:
    data = a_sample(rows=300, classes=4)
    noise = np.random.default_rng(1).normal(size=300)
    data = replace(data, X=np.stack([data.columns[0], noise]).T)
    draft = a_draft(data, [Var(1) & Var(0)], [[-1, -1, 1, 1]])
    assert draft.size() == 2
    assert improve_terms(draft, data).size() <= 2


@given(cases(pure=True))
@settings(max_examples=40)
def test_rewriting_never_raises_the_loss_and_the_price_of_the_literals(
    case: tuple[Draft, TrainingSet],
) -> None:
    draft, data = case
    after = improve_terms(draft, data)
    penalty = LITERAL_PENALTY / len(data)
    total = loss_of(after, data) + penalty * mentions(after)
    assert total <= loss_of(draft, data) + penalty * mentions(draft) + 1e-9


def test_a_pair_that_should_be_another_is_rewritten() -> None:
    rng = np.random.default_rng(0)
    columns = rng.uniform(-1, 1, (2, 400))
    data = training_set(columns, (columns[0] * columns[1] < 0).astype(np.intp), classes=2)
    ramps = np.arange(2), np.zeros(2), np.full(2, 0.3)
    x, y = Var(0), Var(1)
    for vote in (1.0, -1.0):
        draft = Draft(*ramps, (And((x, y)),), np.array([[0, vote]]), np.zeros(2), 2.0)
        after = improve_terms(draft, data)
        assert after.terms == (Xor((x, y)),)
        assert after.votes.tolist() == [[0, 1]]
        fitted = calibrate(after, after.values(data), data)
        right = fitted.logits(fitted.values(data)).argmax(axis=0) == data.y
        assert right.mean() > 0.9


def test_an_input_that_says_nothing_is_left_out() -> None:
    data = a_sample(rows=300)
    noise = np.random.default_rng(1).normal(size=300)
    data = replace(data, X=np.stack([data.columns[0], noise]).T)
    draft = a_draft(data, [Var(1) & Var(0)], [[0, 1]])
    after = improve_terms(draft, data)
    assert after.size() == 1
    assert [after.feature[term.index] for term in after.terms if isinstance(term, Var)] == [0]
