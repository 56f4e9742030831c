"""LogicLayer: the values and gradients of the three layers that it stands for."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import Tensor

from crisplogic.algebra.pairing import pair_count, pair_indices
from crisplogic.nn import AllPairings, FeatureSelector, Fuzzy, LogicLayer, logic_layer

EPSILON = 0.001
# Zero, closer to it than epsilon, exactly as far, a little further, the bounds, and beyond.
HARD_ALPHAS = [0.0, -0.0, 1e-9, -0.0005, 0.00099, EPSILON, -EPSILON, 0.0011, 1.0, -1.0, 3.0]

TOLERANCES = {torch.float32: 2e-5, torch.float64: 1e-12}
precisions = pytest.mark.parametrize("dtype", TOLERANCES)
copied = pytest.mark.parametrize("copies", [None, 1, 3])
either_way = pytest.mark.parametrize("snapped", [False, True])


@pytest.fixture(
    autouse=True, params=[0, logic_layer.MAX_EXPLICIT_PAIRS], ids=["quadratic", "by size"]
)
def max_pairs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows form all pairs; 0 switches to the quadratic form of many rows."""
    monkeypatch.setattr(logic_layer, "MAX_EXPLICIT_PAIRS", request.param)


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def random(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 0) -> Tensor:
    return torch.rand(*shape, generator=seeded(seed), dtype=dtype) * 2 - 1


def layer_with(
    in_features: int = 5,
    out_features: int = 3,
    *,
    copies: int | None = None,
    snapped: bool = False,
    hard: bool = False,
    dtype: torch.dtype = torch.float64,
) -> LogicLayer:
    """A layer as after training; ``hard`` puts its first alphas where they are special."""
    layer = LogicLayer(
        in_features, out_features, EPSILON, copies=copies, generator=seeded(), dtype=dtype
    )
    layer.fuzzy.snapped = layer.selector.snapped = snapped
    with torch.no_grad():
        if hard:
            layer.fuzzy.alpha[..., : len(HARD_ALPHAS)] = torch.tensor(HARD_ALPHAS, dtype=dtype)
        layer.selector.weight.uniform_(-1.2, 1.2, generator=seeded(1))  # some out of bounds
    return layer


def written_out(layer: LogicLayer, inputs: Tensor) -> Tensor:
    """The three layers, one after the other."""
    values: Tensor = layer.selector(layer.fuzzy(AllPairings(layer.in_features)(inputs)))
    return values


def values_and_gradients(function: Any, layer: LogicLayer, inputs: Tensor) -> list[Tensor]:
    """Of some function of a layer and its inputs: by the inputs, alphas and weights."""
    inputs = inputs.clone().requires_grad_()
    values = function(layer, inputs)
    blame = random(*values.shape, dtype=values.dtype, seed=2)
    values.backward(blame)
    gradients = [inputs.grad, layer.fuzzy.alpha.grad, layer.selector.weight.grad]
    return [values.detach(), *(tensor for tensor in gradients if tensor is not None)]


# --- the three layers -------------------------------------------------------------------------


@precisions
@copied
@either_way
@pytest.mark.parametrize(("inputs", "outputs"), [(1, 1), (2, 1), (5, 3)])
def test_values_and_all_gradients_are_those_of_the_three_layers(
    inputs: int, outputs: int, snapped: bool, copies: int | None, dtype: torch.dtype
) -> None:
    layer = layer_with(
        inputs, outputs, copies=copies, snapped=snapped, hard=inputs == 5, dtype=dtype
    )
    rows = random(*(() if copies is None else (copies,)), 7, inputs, dtype=dtype)
    expected = values_and_gradients(written_out, copy.deepcopy(layer), rows)
    found = values_and_gradients(LogicLayer.__call__, layer, rows)
    assert len(found) == len(expected) == 4
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == dtype
        tolerance = TOLERANCES[dtype]
        torch.testing.assert_close(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("size", [1.0, 30.0])
@pytest.mark.parametrize("leading", [(), (1,), (2, 3), (0,)])
def test_any_leading_dimensions_are_kept(leading: tuple[int, ...], size: float) -> None:
    layer, rows = layer_with(), size * random(*leading, 5)
    values = layer(rows)
    assert values.shape == (*leading, 3)
    torch.testing.assert_close(values, written_out(layer, rows))


def test_another_epsilon_is_that_of_the_fuzzy_layer() -> None:
    gradients = []
    for function in (written_out, LogicLayer.__call__):
        layer = LogicLayer(2, 1, 0.3, dtype=torch.float64)
        assert layer.fuzzy.epsilon == 0.3
        with torch.no_grad():
            layer.fuzzy.alpha.copy_(torch.tensor([-0.29, 0.29, 0.3, -0.31, 0.1]))
        gradients.append(values_and_gradients(function, layer, random(4, 2))[2])
    torch.testing.assert_close(*gradients)


def test_it_starts_as_the_layers_that_it_stands_for() -> None:
    layer = LogicLayer(4, 3, generator=seeded())
    assert torch.equal(layer.fuzzy.alpha, Fuzzy(14, generator=seeded()).alpha)
    assert torch.equal(layer.selector.weight, FeatureSelector(14, 3).weight)


def test_what_is_trained_and_saved_is_in_those_layers() -> None:
    layer = LogicLayer(4, 3)
    assert set(dict(layer.named_parameters())) == {"fuzzy.alpha", "selector.weight"}
    assert set(layer.state_dict()) == {"fuzzy.alpha", "selector.weight"}


# --- copies -----------------------------------------------------------------------------------


@either_way
@pytest.mark.parametrize("shared", [False, True])
def test_every_copy_is_a_layer_of_its_own(snapped: bool, shared: bool) -> None:
    layer = layer_with(copies=3, snapped=snapped, hard=True)
    rows = random(7, 5) if shared else random(3, 7, 5)
    values = layer(rows)
    assert values.shape == (3, 7, 3)
    for number in range(3):
        alone = layer_with(snapped=snapped)
        with torch.no_grad():
            alone.fuzzy.alpha.copy_(layer.fuzzy.alpha[number])
            alone.selector.weight.copy_(layer.selector.weight[number])
        own_rows = rows if shared else rows[number]
        torch.testing.assert_close(values[number], alone(own_rows))


def test_copies_start_from_different_alphas() -> None:
    alphas = LogicLayer(4, 3, copies=3, generator=seeded()).fuzzy.alpha
    assert alphas.unique().numel() == 3 * pair_count(4)


# --- derivatives ------------------------------------------------------------------------------


@copied
def test_gradients_are_those_of_finite_differences(copies: int | None) -> None:
    layer = layer_with(3, 2, copies=copies)
    with torch.no_grad():
        layer.selector.weight.clamp_(-0.9, 0.9)  # half a difference would be clipped beyond
    alpha, weight = layer.fuzzy.alpha, layer.selector.weight
    assert (alpha.abs() > 0.01).all(), "on the kink there is no derivative"
    assert (alpha.abs() < 0.99).all()
    rows = random(*(() if copies is None else (copies,)), 4, 3).requires_grad_()
    assert torch.autograd.gradcheck(lambda rows, *_: layer(rows), (rows, alpha, weight))
    assert torch.autograd.gradgradcheck(lambda rows, *_: layer(rows), (rows, alpha, weight))


@either_way
def test_it_works_under_function_transforms(snapped: bool) -> None:
    layer, rows = layer_with(snapped=snapped, hard=True), random(6, 5)
    parameters = {name: value.detach() for name, value in layer.named_parameters()}

    def loss(parameters: dict[str, Tensor], row: Tensor) -> Tensor:
        values: Tensor = torch.func.functional_call(layer, parameters, (row,))
        return values.square().sum()

    by_parameters, by_rows = torch.func.vmap(
        torch.func.grad(loss, argnums=(0, 1)), in_dims=(None, 0)
    )(parameters, rows)
    rows.requires_grad_()
    layer(rows).square().sum().backward()
    torch.testing.assert_close(by_rows, rows.grad)
    for name, parameter in layer.named_parameters():
        assert by_parameters[name].shape == (6, *parameter.shape)
        torch.testing.assert_close(by_parameters[name].sum(0), parameter.grad)


def test_used_twice_before_one_backward_pass_the_gradients_add_up() -> None:
    together, apart = layer_with(hard=True), layer_with(hard=True)
    first, second = random(3, 5), random(4, 5, seed=1)
    together(torch.cat([first, second])).sum().backward()
    (apart(first).sum() + apart(second).sum()).backward()
    for one, other in zip(together.parameters(), apart.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad)


# --- bounds -----------------------------------------------------------------------------------


def test_parameters_stay_in_bounds_in_a_users_own_loop() -> None:
    layer = LogicLayer(3, 2, generator=seeded())
    optimizer = torch.optim.SGD(layer.parameters(), lr=1e4)
    for seed in range(10):
        rows = random(8, 3, dtype=torch.float32, seed=seed)
        optimizer.zero_grad()
        loss = (layer(rows) - rows[:, :2].flip(1)).square().mean()
        for parameter in layer.parameters():
            assert parameter.abs().max() <= 1
        loss.backward()
        optimizer.step()


# --- literals ---------------------------------------------------------------------------------


def literals_by_hand(weight: list[list[float]], inputs: int) -> float:
    """Twice the greatest weight of a pair of inputs; all weights of an input alone."""
    count = 0.0
    for pair, right in enumerate(pair_indices(inputs)[1].tolist()):
        sizes = [min(1.0, abs(unit[pair])) for unit in weight]
        count += 2 * max(sizes) if right < inputs else sum(sizes)
    return count


@pytest.mark.parametrize(("inputs", "outputs"), [(1, 1), (2, 2), (5, 3)])
def test_literals_count_shared_pairs_once_and_single_inputs_in_every_unit(
    inputs: int, outputs: int
) -> None:
    layer = layer_with(inputs, outputs)
    expected = literals_by_hand(layer.selector.weight.tolist(), inputs)
    assert layer.literals().shape == ()
    assert layer.literals().item() == pytest.approx(expected)


def test_literals_of_copies_are_those_of_each() -> None:
    layer = layer_with(copies=3)
    expected = [literals_by_hand(weight, 5) for weight in layer.selector.weight.tolist()]
    assert len(set(expected)) == 3
    assert layer.literals().tolist() == pytest.approx(expected)


def test_literals_push_the_greatest_weight_of_a_pair_and_all_of_an_input() -> None:
    layer = LogicLayer(2, 2, dtype=torch.float64)
    with torch.no_grad():
        layer.selector.weight.copy_(
            torch.tensor([[0.5, 0.1, 0.0, 0.2, -0.3], [-0.7, 0.3, 0.1, 0.0, 0.4]])
        )
    layer.literals().backward()
    assert layer.selector.weight.grad is not None
    assert layer.selector.weight.grad.tolist() == [[0, 1, 0, 1, -1], [-2, 1, 1, 0, 1]]


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize("copies", [None, 2])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 4, 5), (2, 4, 1)])
def test_wrong_shapes_are_refused_and_quoted(
    shape: tuple[int, ...], copies: int | None
) -> None:
    message = r"^LogicLayer\(4, 2\) needs inputs of shape \(\.\.\., 4\), got \("
    with pytest.raises(ValueError, match=message) as error:
        LogicLayer(4, 2, copies=copies)(torch.zeros(shape))
    assert str(error.value).endswith(str(shape))


@pytest.mark.parametrize(("inputs", "outputs"), [(0, 1), (1, 0)])
def test_no_inputs_or_no_outputs_are_refused(inputs: int, outputs: int) -> None:
    with pytest.raises(ValueError, match="needs at least 1"):
        LogicLayer(inputs, outputs)


@pytest.mark.parametrize("copies", [0, -1])
def test_no_copies_are_refused(copies: int) -> None:
    with pytest.raises(ValueError, match=f"copies must be None or at least 1, got {copies}"):
        LogicLayer(2, 1, copies=copies)


def test_printing_shows_the_sizes_and_the_layers() -> None:
    assert repr(LogicLayer(4, 3)).split("\n") == [
        "LogicLayer(",
        "  in_features=4, out_features=3",
        "  (pairings): AllPairings(in_features=4, pairs=14)",
        "  (fuzzy): Fuzzy(units=14, epsilon=0.001)",
        "  (selector): FeatureSelector(in_features=14, out_features=3)",
        ")",
    ]


def test_more_inputs_than_a_block_are_those_of_the_three_layers() -> None:
    layer = layer_with(150, 2)
    rows = random(9, 150)
    expected = values_and_gradients(written_out, copy.deepcopy(layer), rows)
    found = values_and_gradients(LogicLayer.__call__, layer, rows)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-10)


# --- Kleene's logic ---------------------------------------------------------------------------


def by_kleene(layer: LogicLayer, inputs: Tensor) -> Tensor:
    """The sums of all units, pair by pair, with minima and maxima."""
    x, y = AllPairings(layer.in_features)(inputs).unbind(-1)
    alpha = layer.fuzzy.used_alpha().unsqueeze(-2)
    nor = -torch.maximum(x, y)
    values = torch.where(alpha > 0, torch.minimum(x, y), torch.where(alpha < 0, nor, x * y))
    return values @ layer.selector.used_weight().mT


@precisions
@copied
@pytest.mark.parametrize("unknown", [0.0, 0.4])
def test_three_values_are_joined_as_in_kleenes_logic(
    copies: int | None, unknown: float, dtype: torch.dtype
) -> None:
    layer = layer_with(copies=copies, snapped=True, dtype=dtype)
    layer.kleene = True
    shape = (*(() if copies is None else (copies,)), 60, 5)
    rows = random(*shape, dtype=dtype).sign()
    rows = rows.where(random(*shape, seed=4) > 2 * unknown - 1, 0.0)
    expected = values_and_gradients(by_kleene, copy.deepcopy(layer), rows)
    found = values_and_gradients(LogicLayer.__call__, layer, rows)
    torch.testing.assert_close(found[0], expected[0])
    torch.testing.assert_close(found[-1], expected[-1])  # by the weights
    assert found[0].unique().tolist() == pytest.approx(found[0].unique().round().tolist())
