"""Rows set aside: in which proportion, who is left, and that the seed alone decides."""

from __future__ import annotations

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import Tensor

from crisplogic.errors import TableError
from crisplogic.training import stratified_folds, stratified_holdout

class_sizes = st.lists(st.integers(1, 30), min_size=1, max_size=5)
fractions = st.floats(0.01, 0.99)
seeds = st.integers(0, 2**31 - 1)


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def shuffled_targets(sizes: list[int], seed: int = 0) -> Tensor:
    """Class numbers in a random order, so many of each."""
    targets = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
    return targets[torch.randperm(len(targets), generator=seeded(seed))]


def held_out_of(size: int, fraction: float) -> int:
    return min(round(fraction * size), size - 1)


@given(class_sizes, fractions, seeds)
def test_every_class_is_set_aside_in_its_proportion_and_left_with_a_row(
    sizes: list[int], fraction: float, seed: int
) -> None:
    expected = [held_out_of(size, fraction) for size in sizes]
    assume(any(expected))
    targets = shuffled_targets(sizes, seed)
    train, validate = stratified_holdout(targets, fraction, seeded(seed))
    assert targets[validate].bincount(minlength=len(sizes)).tolist() == expected
    assert targets[train].bincount(minlength=len(sizes)).min() >= 1


@given(class_sizes, fractions, seeds)
def test_every_row_is_on_one_side_in_the_order_of_the_table(
    sizes: list[int], fraction: float, seed: int
) -> None:
    assume(any(held_out_of(size, fraction) for size in sizes))
    targets = shuffled_targets(sizes, seed)
    train, validate = stratified_holdout(targets, fraction, seeded(seed))
    assert sorted([*train.tolist(), *validate.tolist()]) == list(range(len(targets)))
    for side in (train, validate):
        assert side.tolist() == sorted(side.tolist())


def test_the_seed_alone_decides() -> None:
    targets = shuffled_targets([40, 40])
    first, same, other = (
        stratified_holdout(targets, 0.25, seeded(seed))[1].tolist() for seed in (1, 1, 2)
    )
    assert first == same != other


def test_every_row_of_a_class_may_be_drawn() -> None:
    targets = torch.zeros(4, dtype=torch.int64)
    drawn = {stratified_holdout(targets, 0.25, seeded(seed))[1].item() for seed in range(60)}
    assert drawn == {0, 1, 2, 3}


def test_torchs_own_random_numbers_are_left_alone() -> None:
    before = torch.get_rng_state()
    stratified_holdout(shuffled_targets([5, 5]), 0.4, seeded())
    assert torch.equal(torch.get_rng_state(), before)


def test_the_smallest_table_that_works_has_two_rows_of_a_class() -> None:
    train, validate = stratified_holdout(torch.tensor([0, 1, 0]), 0.5, seeded())
    assert (len(train), len(validate)) == (2, 1)


@pytest.mark.parametrize("sizes", [[1], [1, 1, 1], [4, 4]])
def test_a_table_too_small_to_set_anything_aside_is_refused_with_advice(
    sizes: list[int],
) -> None:
    rows = sum(sizes)
    with pytest.raises(TableError, match=f"the table has {rows} rows; use a larger fraction"):
        stratified_holdout(shuffled_targets(sizes), 0.1, seeded())


def test_class_numbers_need_not_be_consecutive() -> None:
    targets = torch.tensor([7, 7, 7, 7, 3, 3])
    _, validate = stratified_holdout(targets, 0.5, seeded())
    assert sorted(targets[validate].tolist()) == [3, 7, 7]


# --- folds ------------------------------------------------------------------------------------


@given(class_sizes, st.integers(2, 8), seeds)
def test_every_row_is_in_one_fold_and_every_class_spread_evenly(
    sizes: list[int], folds: int, seed: int
) -> None:
    targets = shuffled_targets(sizes, seed)
    numbers = stratified_folds(targets, folds, seeded(seed))
    assert numbers.shape == targets.shape
    assert set(numbers.tolist()) <= set(range(folds))
    for rows in [numbers, *(numbers[targets == target] for target in targets.unique())]:
        counts = rows.bincount(minlength=folds)
        assert counts.sum() == len(rows)
        assert counts.max() - counts.min() <= 1


def test_the_seed_alone_decides_the_folds() -> None:
    targets = shuffled_targets([40, 40])
    first, same, other = (
        stratified_folds(targets, 4, seeded(seed)).tolist() for seed in (1, 1, 2)
    )
    assert first == same != other


def test_every_row_may_come_into_every_fold() -> None:
    targets = torch.tensor([0, 0, 0, 1, 1, 1])
    drawn = torch.stack([stratified_folds(targets, 3, seeded(seed)) for seed in range(60)])
    assert [set(of_row) for of_row in drawn.T.tolist()] == [{0, 1, 2}] * 6


def test_folds_of_classes_do_not_follow_from_each_other() -> None:
    targets = torch.tensor([0, 0, 1, 1])
    drawn = {tuple(stratified_folds(targets, 2, seeded(seed)).tolist()) for seed in range(60)}
    assert drawn == {(a, 1 - a, b, 1 - b) for a in (0, 1) for b in (0, 1)}


@pytest.mark.parametrize("folds", [0, 1])
def test_without_folds_all_rows_are_together(folds: int) -> None:
    assert stratified_folds(shuffled_targets([3, 4]), folds, seeded()).tolist() == [0] * 7


def test_more_folds_than_rows_leave_some_empty() -> None:
    assert sorted(stratified_folds(torch.tensor([0, 1, 1]), 5, seeded()).tolist()) == [0, 1, 2]


def test_drawing_folds_leaves_torchs_own_random_numbers_and_the_targets_alone() -> None:
    before, targets = torch.get_rng_state(), shuffled_targets([5, 5])
    stratified_folds(targets, 3, seeded())
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(targets, shuffled_targets([5, 5]))


@given(class_sizes, st.integers(2, 8), seeds)
def test_folds_of_weighed_rows_are_as_even_as_others(
    sizes: list[int], folds: int, seed: int
) -> None:
    targets = shuffled_targets(sizes, seed)
    weights = torch.rand(len(targets), generator=seeded(seed))
    numbers = stratified_folds(targets, folds, seeded(seed), weights)
    for target in targets.unique():
        counts = numbers[targets == target].bincount(minlength=folds)
        assert counts.max() - counts.min() <= 1


def test_every_fold_gets_its_share_of_rows_that_count_much() -> None:
    targets = shuffled_targets([60, 60])
    weights = torch.ones(120)
    weights[torch.randperm(120, generator=seeded(3))[:12]] = 100.0
    numbers = stratified_folds(targets, 4, seeded(), weights)
    heavy = numbers[weights > 1].bincount(minlength=4)
    assert heavy.tolist() == [3, 3, 3, 3]
    assert stratified_folds(targets, 4, seeded(1), weights).tolist() != numbers.tolist()


@pytest.mark.parametrize("rare", [2, 3, 4, 5, 50])
def test_no_fold_is_without_a_rare_class_where_that_can_be_avoided(rare: int) -> None:
    targets = shuffled_targets([500, rare])
    for seed in range(5):
        numbers = stratified_folds(targets, 5, seeded(seed))
        held_out = numbers[targets == 1].bincount(minlength=5)
        assert (held_out < rare).all(), "each fold's network has seen the class"
        assert (held_out > 0).sum() == min(rare, 5)
