"""Pruning: smaller terms from within, ranked by what they cost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from crisplogic.expr import Var, parse, simplify
from crisplogic.search.draft import Draft
from crisplogic.search.pruning import rank_prunings, smaller_forms
from crisplogic.search.training_set import TrainingSet
from tests.search.drafts import a_draft, a_sample, cases


@given(cases())
@settings(max_examples=20)
def test_prunings_make_a_draft_smaller_and_the_cheapest_comes_first(
    case: tuple[Draft, TrainingSet],
) -> None:
    draft, data = case
    found = rank_prunings(draft, data)
    costs = [pruning.cost for pruning in found]
    assert costs == sorted(costs)
    for pruning in found:
        assert pruning.apply(draft).costs().sum() < draft.costs().sum()


@pytest.mark.parametrize(
    "text",
    ["tanh(0 + 1) & tanh(0 + 1)", "tanh((0 & 1) + ~2) | (1 ^ 2)", "tanh(tanh(0 + 1) + 2)"],
)
def test_every_deep_term_can_become_a_literal(text: str) -> None:
    data = a_sample(rows=40)
    draft = a_draft(data, [parse(text)], [[0, 1]])
    while draft.size() > 1:
        smaller = rank_prunings(draft, data)[0].apply(draft)
        assert smaller.size() < draft.size()
        draft = smaller
    assert draft.terms == (Var(0),)


def test_shared_parts_are_pruned_wherever_they_stand() -> None:
    shared = parse("tanh((0 & 1) + 2) & tanh((0 & 1) + 3)")
    assert simplify(parse("tanh(1 + 2) & tanh(1 + 3)")) in smaller_forms(shared)
