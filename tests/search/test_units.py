"""Units: the parts of sums within terms, ranked by what they cost, and removed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crisplogic.expr import Var, parse
from crisplogic.search.draft import Draft
from crisplogic.search.training_set import TrainingSet
from crisplogic.search.units import has_sums, rank_parts, remove_parts
from tests.search.drafts import a_draft, a_sample

SHARED = ["tanh(0 + (1 & 2) + ~3) & 1", "tanh(0 + (1 & 2) + ~3) | (2 ^ 3)"]


def some_draft(data: TrainingSet, *texts: str) -> Draft:
    votes = [[0, 1] if number % 2 else [0, -1] for number in range(len(texts))]
    return a_draft(data, [parse(text) for text in texts], votes)


def loss_of(draft: Draft, data: TrainingSet) -> float:
    return float(data.loss(draft.logits(draft.values(data))))


@pytest.mark.parametrize("texts", [SHARED, ["tanh(0 + 1) & tanh(2 + 3)"], ["tanh(0 + 1) ^ 2"]])
def test_the_cost_of_a_part_is_the_rise_of_the_loss_for_every_literal(texts: list[str]) -> None:
    data = a_sample(rows=50)
    pure = replace(some_draft(data, *texts), pure=True)  # no mean goes to the bias
    ranked = rank_parts(pure, data)
    assert [each.cost for each in ranked] == sorted(each.cost for each in ranked)
    for removal in ranked:
        smaller = remove_parts(pure, [removal])
        part = removal.unit.operand.parts[removal.place]
        literals = len({node for node in part.parts if isinstance(node, Var)}) or 1
        rise = loss_of(smaller, data) - loss_of(pure, data)
        # A part of the shared unit stands in one place: the unit itself.
        assert removal.cost * literals == pytest.approx(rise, abs=1e-9)
        assert smaller.size() < pure.size()


def test_a_part_of_a_shared_unit_goes_wherever_the_unit_stands() -> None:
    data = a_sample(rows=50)
    draft = some_draft(data, *SHARED)
    (unit,) = {removal.unit for removal in rank_parts(draft, data)}
    of_pair = next(each for each in rank_parts(draft, data) if each.place == 1)
    smaller = remove_parts(draft, [of_pair])
    assert unit not in smaller.terms
    assert smaller.size() == draft.size() - 2
    assert len({each.unit for each in rank_parts(smaller, data)}) == 1


def test_a_unit_keeps_its_last_part_which_is_no_sum() -> None:
    data = a_sample(rows=50)
    draft = some_draft(data, *SHARED)
    after = remove_parts(draft, rank_parts(draft, data))
    assert len(after.terms) == 2
    assert not any(map(has_sums, after.terms))
    assert not rank_parts(after, data)


def test_terms_that_become_the_same_are_one() -> None:
    data = a_sample(rows=50)
    draft = a_draft(
        data, [parse("tanh(0 + 1) & 2"), parse("tanh(0 + 3) & 2")], [[0, 1], [0, 1]]
    )
    gone = [each for each in rank_parts(draft, data) if each.place == 1]
    after = remove_parts(draft, gone)
    assert after.terms == (parse("0 & 1"),)
    assert after.votes.tolist() == [[0.0, 1.0]]


def test_terms_without_sums_have_no_parts_to_remove() -> None:
    data = a_sample(rows=50)
    assert rank_parts(some_draft(data, "(0 & 1) | 2", "3"), data) == []


def test_the_loss_without_a_part_keeps_its_mean_in_the_bias() -> None:
    data = a_sample(rows=50)
    draft = some_draft(data, *SHARED)
    pure = replace(draft, pure=True)
    assert np.isfinite([each.cost for each in rank_parts(draft, data)]).all()
    costs = [[each.cost for each in rank_parts(one, data)] for one in (draft, pure)]
    assert costs[0] != costs[1]
