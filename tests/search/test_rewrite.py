"""Terms rewritten: never larger, never worse once they are calibrated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings

from crisplogic.expr import And, Var, Xor, measure
from crisplogic.expr.walk import unique_nodes
from crisplogic.search.calibrate import calibrated
from crisplogic.search.draft import Draft
from crisplogic.search.moves import LITERAL_PRICE, neighbours, with_better_terms
from crisplogic.search.sample import Sample
from tests.search.drafts import a_draft, a_sample, cases, loss_of, pairs


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


@given(cases())
@settings(max_examples=40)
def test_rewriting_never_makes_the_rules_larger(case: tuple[Draft, Sample]) -> None:
    draft, sample = case
    after = with_better_terms(draft, sample)
    assert after.size() <= draft.size()
    assert len(after.terms) == len(set(after.terms)) == len(draft.terms)


def test_a_pair_that_many_rules_share_is_not_replaced_by_a_literal_in_each_of_them() -> None:
    sample = a_sample(rows=300, classes=4)
    noise = np.random.default_rng(1).normal(size=300)
    sample = replace(sample, columns=np.stack([sample.columns[0], noise]))
    draft = a_draft(sample, [Var(1) & Var(0)], [[-1, -1, 1, 1]])
    assert draft.size() == 2
    assert with_better_terms(draft, sample).size() <= 2


@given(cases(pure=True))
@settings(max_examples=40)
def test_rewriting_never_raises_the_loss_and_the_price_of_the_literals(
    case: tuple[Draft, Sample],
) -> None:
    draft, sample = case
    after = with_better_terms(draft, sample)
    price = LITERAL_PRICE / len(sample)
    paid = loss_of(after, sample) + price * mentions(after)
    assert paid <= loss_of(draft, sample) + price * mentions(draft) + 1e-9


def test_a_pair_that_should_be_another_is_rewritten() -> None:
    rng = np.random.default_rng(0)
    columns = rng.uniform(-1, 1, (2, 400))
    sample = Sample(columns, (columns[0] * columns[1] < 0).astype(np.intp), classes=2)
    ramps = np.arange(2), np.zeros(2), np.full(2, 0.3)
    x, y = Var(0), Var(1)
    for vote in (1.0, -1.0):
        draft = Draft(*ramps, (And((x, y)),), np.array([[0, vote]]), np.zeros(2), 2.0)
        after = with_better_terms(draft, sample)
        assert after.terms == (Xor((x, y)),)
        assert after.votes.tolist() == [[0, 1]]
        fitted = calibrated(after, after.values(sample), sample)
        right = fitted.logits(fitted.values(sample)).argmax(axis=0) == sample.targets
        assert right.mean() > 0.9


def test_an_input_that_says_nothing_is_left_out() -> None:
    sample = a_sample(rows=300)
    noise = np.random.default_rng(1).normal(size=300)
    sample = replace(sample, columns=np.stack([sample.columns[0], noise]))
    draft = a_draft(sample, [Var(1) & Var(0)], [[0, 1]])
    after = with_better_terms(draft, sample)
    assert after.size() == 1
    assert [after.feature[term.index] for term in after.terms if isinstance(term, Var)] == [0]
