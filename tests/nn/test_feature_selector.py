"""FeatureSelector: the paper's four changes to a linear layer, and snapping."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
import torch
from torch import Tensor, nn

from crisplogic.nn import FeatureSelector

MakeOptimizer = Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]


def selector_with(weight: list[list[float]], *, snapped: bool = False) -> FeatureSelector:
    layer = FeatureSelector(len(weight[0]), len(weight), dtype=torch.float64)
    layer.snapped = snapped
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(weight, dtype=torch.float64))
    return layer


def random(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def grad(layer: FeatureSelector) -> Tensor:
    assert layer.weight.grad is not None
    return layer.weight.grad


def test_there_is_no_bias() -> None:
    layer = FeatureSelector(5, 2)
    assert {name: p.shape for name, p in layer.named_parameters()} == {"weight": (2, 5)}
    assert layer(torch.zeros(3, 5)).abs().max() == 0


@pytest.mark.parametrize("n", [1, 3, 54, 1000])
def test_weights_start_equal_and_sum_to_one(n: int) -> None:
    weight = FeatureSelector(n, 4, dtype=torch.float64).weight
    assert weight.unique().numel() == 1
    torch.testing.assert_close(weight.sum(1), torch.ones(4, dtype=torch.float64))


def test_a_unit_starts_as_the_mean_of_its_inputs() -> None:
    inputs = random(6, 7)
    means = FeatureSelector(7, 2, dtype=torch.float64)(inputs)
    torch.testing.assert_close(means, inputs.mean(1, keepdim=True).expand(6, 2))


def test_outputs_are_weighted_sums() -> None:
    layer = selector_with([[1.0, -0.5, 0.0], [0.0, 0.25, -1.0]])
    assert layer(torch.tensor([[4.0, 2.0, 1.0]]).double()).tolist() == [[3.0, -0.5]]


@pytest.mark.parametrize("leading", [(), (1,), (2, 3), (0,)])
def test_any_leading_dimensions_are_kept(leading: tuple[int, ...]) -> None:
    inputs = random(*leading, 5)
    layer = FeatureSelector(5, 2, dtype=torch.float64)
    torch.testing.assert_close(layer(inputs), inputs @ layer.weight.T)


def test_gradients_are_those_of_finite_differences() -> None:
    layer = selector_with([[0.5, -0.25, 0.0], [0.75, 0.1, -0.9]])
    inputs = random(4, 3).requires_grad_()
    assert torch.autograd.gradcheck(lambda inputs, _: layer(inputs), (inputs, layer.weight))


OPTIMIZERS: dict[str, MakeOptimizer] = {
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=1e5),
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=10.0),
}


@pytest.mark.parametrize("make_optimizer", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_weights_stay_in_bounds_in_a_users_own_loop(make_optimizer: MakeOptimizer) -> None:
    layer = FeatureSelector(3, 2, dtype=torch.float64)
    network = nn.Sequential(layer, nn.Tanh())
    optimizer = make_optimizer(network.parameters())
    for _ in range(10):
        optimizer.zero_grad()
        loss = (network(random(8, 3)) - random(8, 2)).square().mean()
        assert layer.weight.abs().max() <= 1
        loss.backward()
        optimizer.step()


def test_used_twice_before_one_backward_pass_the_gradients_add_up() -> None:
    layer = selector_with([[5.0, -5.0]])
    (layer(random(4, 2)).sum() + layer(2 * random(4, 2)).sum()).backward()
    torch.testing.assert_close(grad(layer), 3 * random(4, 2).sum(0, keepdim=True))


def test_l1_is_the_sum_of_the_absolute_weights() -> None:
    layer = selector_with([[1.0, -0.5], [0.0, 0.25]])
    l1 = layer.l1()
    assert l1.shape == ()
    assert l1.item() == 1.75
    l1.backward()
    assert torch.equal(grad(layer), layer.weight.sign())


def test_l1_takes_weights_that_nothing_else_needs_to_zero() -> None:
    layer = FeatureSelector(4, 1)
    inputs = torch.randn(200, 4, generator=torch.Generator().manual_seed(0))
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.01)
    for _ in range(500):
        optimizer.zero_grad()
        ((layer(inputs) + inputs[:, :1]).square().mean() + 0.05 * layer.l1()).backward()
        optimizer.step()
    assert layer.weight[0, 0] < -0.9
    assert layer.weight[0, 1:].abs().max() < 0.01


UNSNAPPED = [[-1.0, -0.6, -0.5, -0.2], [0.4, 0.5, 0.51, 0.9]]
SNAPPED = [[-1.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]


def test_snapped_values_are_exactly_those_of_the_nearest_whole_weights() -> None:
    inputs = random(6, 4)
    expected = selector_with(SNAPPED)(inputs)
    assert torch.equal(selector_with(UNSNAPPED, snapped=True)(inputs), expected)


def test_snapped_gradients_go_straight_through_to_the_weights() -> None:
    layer, rounded = selector_with(UNSNAPPED, snapped=True), selector_with(SNAPPED)
    for selector in (layer, rounded):
        selector(random(6, 4)).square().sum().backward()
    assert torch.equal(grad(layer), grad(rounded))
    assert torch.equal(layer.weight, selector_with(UNSNAPPED).weight)


def test_snapped_weights_are_whole_even_after_a_step_beyond_the_bounds() -> None:
    assert selector_with([[-40.0, -0.4, 7.0]]).snapped_weight().tolist() == [[-1.0, 0.0, 1.0]]


@pytest.mark.parametrize("snapped", [False, True])
def test_every_copy_has_weights_of_its_own(snapped: bool) -> None:
    layer = FeatureSelector(3, 2, copies=4, dtype=torch.float64)
    assert layer.weight.unique().numel() == 1  # all copies start as the mean
    with torch.no_grad():
        layer.weight.copy_(random(4, 2, 3))
    layer.snapped = snapped
    inputs = random(4, 5, 3)
    values, l1 = layer(inputs), layer.l1()
    values.square().sum().backward()
    assert values.shape == (4, 5, 2)
    assert l1.shape == (4,)
    for number in range(4):
        alone = selector_with(layer.weight[number].tolist(), snapped=snapped)
        own_values = alone(inputs[number])
        own_values.square().sum().backward()
        torch.testing.assert_close(own_values, values[number])
        torch.testing.assert_close(grad(alone), grad(layer)[number])
        torch.testing.assert_close(alone.l1(), l1[number])


@pytest.mark.parametrize("copies", [0, -1])
def test_no_copies_are_refused(copies: int) -> None:
    with pytest.raises(ValueError, match=f"copies must be None or at least 1, got {copies}"):
        FeatureSelector(3, 2, copies=copies)


@pytest.mark.parametrize(("inputs", "outputs"), [(0, 1), (1, 0), (-1, 2)])
def test_no_inputs_or_no_outputs_are_refused(inputs: int, outputs: int) -> None:
    with pytest.raises(ValueError, match=f"1 input and 1 output, got {inputs} and {outputs}"):
        FeatureSelector(inputs, outputs)


def test_a_wrong_number_of_inputs_is_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(\.\.\., 3\), got \(5, 4\)"):
        FeatureSelector(3, 2)(torch.zeros(5, 4))


def test_printing_shows_the_sizes() -> None:
    assert repr(FeatureSelector(9, 2)) == "FeatureSelector(in_features=9, out_features=2)"


def test_a_single_expression_is_the_one_of_the_greatest_weight_and_gradients_pass() -> None:
    layer = FeatureSelector(3, 3, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[0.1, -0.3, 0.2], [0.2, 0.2, 0.0], [9.0, -0.9, 0.0]]))
    layer.snapped = layer.single = True
    values = layer(torch.tensor([[1.0, -1.0, 0.5]], dtype=torch.float64))
    assert values.tolist() == [[1.0, 1.0, 1.0]]
    assert layer.snapped_weight().tolist() == [[0, -1, 0], [1, 0, 0], [1, 0, 0]]
    values.sum().backward()
    assert layer.weight.grad is not None
    assert layer.weight.grad.tolist() == [[1.0, -1.0, 0.5]] * 3
