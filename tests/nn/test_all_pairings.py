"""AllPairings: the count and order of pairs, and the blame that flows back through them."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from crisplogic.nn import AllPairings

SIZES = [1, 2, 3, 9, 18]


def authors_pairs(inputs: list[float]) -> list[list[float]]:
    """The loop of the authors' program, written out."""
    pairs = []
    for i, value in enumerate(inputs):
        pairs += [[value, later] for later in inputs[i + 1 :]]
        pairs += [[value, -1.0], [value, 1.0]]
    return pairs


def random(*shape: int) -> Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(0)) * 2 - 1


@pytest.mark.parametrize("n", SIZES)
def test_there_are_as_many_pairs_as_the_paper_counts(n: int) -> None:
    layer = AllPairings(n)
    assert layer.out_features == n * (n - 1) // 2 + 2 * n
    assert layer(random(n)).shape == (layer.out_features, 2)


@pytest.mark.parametrize("n", SIZES)
def test_pairs_come_in_the_authors_order_with_false_before_true(n: int) -> None:
    inputs = random(n)
    assert AllPairings(n)(inputs).tolist() == authors_pairs(inputs.tolist())


@pytest.mark.parametrize("leading", [(), (1,), (7,), (2, 3), (2, 1, 3), (0,)])
def test_any_leading_dimensions_are_kept(leading: tuple[int, ...]) -> None:
    inputs = random(*leading, 4)
    pairs = AllPairings(4)(inputs)
    assert pairs.shape == (*leading, 14, 2)
    for row, row_pairs in zip(inputs.reshape(-1, 4), pairs.reshape(-1, 14, 2), strict=True):
        assert row_pairs.tolist() == authors_pairs(row.tolist())


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_precision_is_that_of_the_inputs(dtype: torch.dtype) -> None:
    assert AllPairings(3)(torch.zeros(5, 3, dtype=dtype)).dtype == dtype


@pytest.mark.parametrize("n", SIZES)
def test_blame_of_an_input_is_the_sum_over_the_outputs_it_feeds(n: int) -> None:
    layer = AllPairings(n)
    inputs = random(5, n).requires_grad_()
    blame = random(5, layer.out_features, 2)
    layer(inputs).backward(blame)

    owners = authors_pairs([10.0 + i for i in range(n)])  # the constants stay below 10
    expected = torch.zeros(5, n)
    for pair, owner in enumerate(owners):
        for member, value in enumerate(owner):
            if value >= 10.0:
                expected[:, int(value) - 10] += blame[:, pair, member]
    torch.testing.assert_close(inputs.grad, expected)


def test_every_input_feeds_n_plus_one_pairs() -> None:
    inputs = random(6).requires_grad_()
    AllPairings(6)(inputs).sum().backward()
    assert inputs.grad is not None
    assert inputs.grad.tolist() == [7.0] * 6


def test_there_is_nothing_to_train_or_to_save() -> None:
    layer = AllPairings(3)
    assert list(layer.parameters()) == []
    assert layer.state_dict() == {}


@pytest.mark.parametrize("n", [0, -1])
def test_no_inputs_are_refused(n: int) -> None:
    with pytest.raises(ValueError, match=f"at least 1 input, got {n}"):
        AllPairings(n)


@pytest.mark.parametrize("shape", [(), (4,), (3, 2), (2, 3, 1)])
def test_wrong_shapes_are_refused_and_quoted(shape: tuple[int, ...]) -> None:
    with pytest.raises(
        ValueError, match=r"needs inputs of shape \(\.\.\., 3\), got \("
    ) as error:
        AllPairings(3)(torch.zeros(shape))
    assert str(error.value).endswith(str(shape))


def test_printing_shows_the_sizes() -> None:
    assert repr(AllPairings(9)) == "AllPairings(in_features=9, pairs=54)"
