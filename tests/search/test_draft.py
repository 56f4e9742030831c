"""Drafts: their size, their terms and their degrees of truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisplogic.expr import And, Var, parse
from crisplogic.expr.walk import unique_nodes
from crisplogic.search.convert import rules_from_draft
from crisplogic.search.draft import Draft, renumber
from crisplogic.search.tasks import CLASSIFICATION
from crisplogic.search.training_set import TrainingSet
from tests.search.drafts import FEATURES, a_draft, a_sample, cases, training_set

INF, NAN = np.inf, np.nan


@given(cases(min_terms=0))
@settings(max_examples=60)
def test_the_size_of_a_draft_is_that_of_its_rules(case: tuple[Draft, TrainingSet]) -> None:
    draft, data = case
    rules = rules_from_draft(draft, FEATURES, range(data.n_outputs), CLASSIFICATION)
    assert draft.size() == rules.size <= draft.costs().sum()


def test_sums_that_are_the_same_in_two_rules_count_once() -> None:
    data = a_sample(classes=3)
    draft = a_draft(data, [Var(0), Var(1) & Var(2)], [[1, 1, 0], [1, 1, -1]])
    rules = rules_from_draft(draft, FEATURES, range(3), CLASSIFICATION)
    assert draft.size() == rules.size == 3


@given(cases(min_terms=2), st.data())
@settings(max_examples=35)
def test_terms_that_are_kept_say_what_they_said(
    case: tuple[Draft, TrainingSet], drawn: st.DataObject
) -> None:
    draft, data = case
    kept = np.array([drawn.draw(st.booleans()) for _ in draft.terms], dtype=bool)
    less = draft.keep(kept)
    assert less.values(data).tobytes() == draft.values(data)[kept].tobytes()
    assert less.votes.tolist() == draft.votes[kept].tolist()
    mentioned = {node.index for node in unique_nodes(less.terms) if isinstance(node, Var)}
    assert mentioned == set(range(len(less.feature)))
    assert len(less.feature) == len(less.centre) == len(less.width)


def test_a_term_that_loses_its_last_vote_goes() -> None:
    data = a_sample(classes=3)
    draft = a_draft(data, [Var(1), And((Var(0), Var(2)))], [[1, 0, -1], [0, 1, 0]])
    votes = draft.votes.copy()
    votes[0] = 0.0
    less = draft.with_votes(votes)
    assert less.votes.tolist() == [[0, 1, 0]]
    assert less.size() == 2
    assert draft.size() == 4


def test_renumbering_keeps_all_but_the_numbers() -> None:
    expr = parse("tanh(0 + ~(3 & 1)) | (1 ^ 0 ^ true)")
    renumbered = parse("tanh(7 + ~(2 & 0)) | (0 ^ 7 ^ true)")
    assert renumber([expr, expr], {0: 7, 1: 0, 3: 2}) == (renumbered, renumbered)


@given(cases())
@settings(max_examples=35)
def test_degrees_are_those_of_the_ramps_in_the_rules(case: tuple[Draft, TrainingSet]) -> None:
    draft, data = case
    rules = rules_from_draft(draft, FEATURES, range(data.n_outputs), CLASSIFICATION)
    np.testing.assert_allclose(
        draft.degrees(data), rules.degrees(data.columns.T).T, rtol=0, atol=1e-7
    )
    np.testing.assert_allclose(
        draft.logits(draft.values(data)),
        (rules.scale * rules.scores(data.columns.T)).T,
        atol=1e-6,
    )


def test_missing_values_are_unknown_and_infinite_ones_are_the_ends() -> None:
    data = training_set(np.array([[NAN, INF, -INF, 2.0, 2.5]]), np.zeros(5, dtype=np.intp), 2)
    one = np.ones(1)
    draft = Draft(
        np.zeros(1, dtype=np.intp), 2 * one, one, (Var(0),), np.eye(2)[1:], 0 * one, 1.0
    )
    assert draft.degrees(data).tolist() == [[0, 1, -1, 0, 0.5]]


def test_literals_that_deep_terms_share_count_once_and_are_divided_among_them() -> None:
    data = a_sample(rows=40)
    shared = parse("(0 & 1) | 2"), parse("(0 & 1) ^ 3"), parse("0 & 1"), parse("3")
    draft = a_draft(data, list(shared), [[0, 1]] * 4)
    rules = rules_from_draft(draft, FEATURES, range(2), CLASSIFICATION)
    assert draft.size() == rules.size == 5
    assert draft.costs().sum() == pytest.approx(5)
    assert draft.costs()[2] < 2
