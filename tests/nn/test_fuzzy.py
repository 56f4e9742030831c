"""Fuzzy: where alpha starts, its bounds, its gradients, and how it learns an operator."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
import torch
from torch import Tensor, nn

from crisplogic.algebra import fuzzy, fuzzy_gradients
from crisplogic.nn import AllPairings, FeatureSelector, Fuzzy

EPSILON = 0.001
AWAY_FROM_ZERO = [-1.0, -0.7, -0.1, -0.0011, 0.0011, 0.1, 0.7, 1.0]
NEAR_ZERO = [-0.00099, -0.0005, -1e-9, 1e-9, 0.0005, 0.00099]

# All four rows of a truth table, and what alpha = 1, -1 and 0 make of them.
TRUTH_TABLE = torch.tensor([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
OPERATORS = {
    "and": (1, [1.0, -1.0, -1.0, -1.0]),
    "nor": (-1, [-1.0, -1.0, -1.0, 1.0]),
    "nxor": (0, [1.0, -1.0, -1.0, 1.0]),
}

MakeOptimizer = Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def layer_at(
    alphas: list[float],
    epsilon: float = EPSILON,
    *,
    snapped: bool = False,
    dtype: torch.dtype = torch.float64,
) -> Fuzzy:
    layer = Fuzzy(len(alphas), epsilon, dtype=dtype)
    layer.snapped = snapped
    with torch.no_grad():
        layer.alpha.copy_(torch.tensor(alphas, dtype=dtype))
    return layer


def random_pairs(*shape: int) -> Tensor:
    pairs = torch.rand(*shape, 2, generator=seeded(), dtype=torch.float64) * 2 - 1
    return pairs.requires_grad_()


def grad(tensor: Tensor) -> Tensor:
    assert tensor.grad is not None
    return tensor.grad


def learn(
    operator: str,
    starts: list[float],
    *,
    epsilon: float = EPSILON,
    step: float = 0.05,
    steps: int = 400,
) -> Tensor:
    """The alphas after plain gradient descent on the mean squared error of a truth table.

    Every start has a unit of its own; the units do not touch each other.
    """
    layer = layer_at(starts, epsilon, dtype=torch.float32)
    pairs = TRUTH_TABLE[:, None, :].expand(-1, len(starts), -1)
    targets = torch.tensor(OPERATORS[operator][1])[:, None]
    optimizer = torch.optim.SGD(layer.parameters(), step)
    for _ in range(steps):
        optimizer.zero_grad()
        (layer(pairs) - targets).square().mean(0).sum().backward()
        optimizer.step()
    return layer.alpha.detach()


# --- the start --------------------------------------------------------------------------------


def test_alphas_start_uniform_on_minus_one_to_one() -> None:
    alphas = Fuzzy(10_000, generator=seeded()).alpha.detach().sort().values
    uniform = torch.linspace(-1, 1, 10_000)
    assert alphas.abs().max() <= 1
    furthest = (alphas - uniform).abs().max() / 2  # as a share of the range
    assert furthest < 1.36 / 10_000**0.5  # Kolmogorov and Smirnov's bound at 5 %


def test_the_same_seed_draws_the_same_alphas() -> None:
    first, second, other = (Fuzzy(50, generator=seeded(s)).alpha for s in (1, 1, 2))
    assert torch.equal(first, second)
    assert not torch.equal(first, other)


def test_a_generator_leaves_torchs_own_random_numbers_alone() -> None:
    before = torch.get_rng_state()
    Fuzzy(50, generator=seeded())
    assert torch.equal(torch.get_rng_state(), before)


def test_alpha_is_the_only_parameter_one_a_unit() -> None:
    assert {name: p.shape for name, p in Fuzzy(7).named_parameters()} == {"alpha": (7,)}


# --- the values -------------------------------------------------------------------------------


@pytest.mark.parametrize(("alpha", "values"), OPERATORS.values(), ids=OPERATORS)
def test_whole_alphas_are_the_boolean_operators(alpha: int, values: list[float]) -> None:
    layer = layer_at([float(alpha)])
    assert layer(TRUTH_TABLE.double()[:, None]).ravel().tolist() == values


@pytest.mark.parametrize("leading", [(), (1,), (6,), (2, 3), (0,)])
def test_any_leading_dimensions_are_kept(leading: tuple[int, ...]) -> None:
    layer = layer_at(AWAY_FROM_ZERO)
    pairs = random_pairs(*leading, len(AWAY_FROM_ZERO))
    expected = fuzzy(pairs[..., 0], pairs[..., 1], layer.alpha)
    assert torch.equal(layer(pairs), expected)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_precision_is_that_of_the_layer_and_its_inputs(dtype: torch.dtype) -> None:
    layer = Fuzzy(3, dtype=dtype)
    values = layer(torch.zeros(5, 3, 2, dtype=dtype))
    values.sum().backward()
    assert values.dtype == grad(layer.alpha).dtype == dtype


# --- the gradients ----------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", AWAY_FROM_ZERO)
def test_gradients_are_the_papers_closed_forms(alpha: float) -> None:
    layer, pairs = layer_at([alpha]), random_pairs(20, 1)
    blame = torch.randn(20, 1, generator=seeded(1), dtype=torch.float64)
    layer(pairs).backward(blame)

    x, y = pairs.detach().unbind(-1)
    by_x, by_y, by_alpha = fuzzy_gradients(x, y, alpha)
    torch.testing.assert_close(grad(pairs)[..., 0], blame * by_x)
    torch.testing.assert_close(grad(pairs)[..., 1], blame * by_y)
    torch.testing.assert_close(grad(layer.alpha), (blame * by_alpha).sum(0))


def test_gradients_are_those_of_finite_differences() -> None:
    # The bounds themselves are left out: half of a central difference would be clipped there.
    layer = layer_at([alpha for alpha in AWAY_FROM_ZERO if abs(alpha) < 1])
    pairs = random_pairs(4, layer.units)
    assert torch.autograd.gradcheck(lambda pairs, _: layer(pairs), (pairs, layer.alpha))


@pytest.mark.parametrize("bound", [-1.0, 1.0])
def test_gradients_at_the_bounds_are_those_of_differences_from_inside(bound: float) -> None:
    layer, pairs, step = layer_at([bound] * 5), random_pairs(5), 1e-6
    assert torch.autograd.gradcheck(layer, (pairs,))
    layer(pairs).sum().backward()
    slopes = (layer(pairs) - layer_at([bound * (1 - step)] * 5)(pairs)) / (bound * step)
    torch.testing.assert_close(grad(layer.alpha), slopes.detach(), atol=1e-5, rtol=0)


def test_second_derivatives_are_right_too() -> None:
    layer = layer_at([-0.7, 0.1, 0.6])
    pairs = random_pairs(2, 3)
    assert torch.autograd.gradgradcheck(lambda pairs, _: layer(pairs), (pairs, layer.alpha))


@pytest.mark.parametrize("alpha", NEAR_ZERO)
def test_near_zero_the_gradient_of_the_inputs_stays_exact(alpha: float) -> None:
    layer, pairs = layer_at([alpha]), random_pairs(20, 1)
    assert torch.autograd.gradcheck(layer, (pairs,))


@pytest.mark.parametrize("alpha", NEAR_ZERO)
def test_near_zero_the_gradient_of_alpha_is_the_mean_of_both_sides(alpha: float) -> None:
    layer, pairs = layer_at([alpha]), random_pairs(20, 1)
    layer(pairs).sum().backward()
    x, y = pairs.detach().unbind(-1)
    sides = [fuzzy_gradients(x, y, side)[2].sum(0) for side in (-1e-12, 1e-12)]
    torch.testing.assert_close(grad(layer.alpha), sum(sides) / 2)


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_at_zero_the_gradient_of_alpha_is_finite_the_mean_of_both_sides(zero: float) -> None:
    layer, pairs = layer_at([zero] * 20), random_pairs(20)
    layer(pairs).sum().backward()
    assert torch.equal(grad(layer.alpha), pairs.detach().sum(-1))


def test_the_pattern_true_false_gives_alpha_no_gradient() -> None:
    layer = layer_at([*AWAY_FROM_ZERO, *NEAR_ZERO, 0.0])
    layer(torch.tensor([[1.0, -1.0]] * layer.units, dtype=torch.float64)).sum().backward()
    assert grad(layer.alpha).abs().max() == 0


def test_used_twice_before_one_backward_pass_the_gradients_add_up() -> None:
    layer, first, second = layer_at([-0.5, 0.5]), random_pairs(3, 2), random_pairs(5, 2)
    layer(torch.cat([first, second])).sum().backward()
    together = grad(layer.alpha).clone()
    layer.zero_grad()
    (layer(first).sum() + layer(second).sum()).backward()
    torch.testing.assert_close(grad(layer.alpha), together)


def test_training_goes_on_after_inference_mode() -> None:
    layer, pairs = layer_at([3.0]), random_pairs(4, 1)
    with torch.inference_mode():
        layer(pairs.detach())
    layer(pairs).sum().backward()
    assert grad(layer.alpha).isfinite().all()


@pytest.mark.parametrize("size", [0.0, 1e-45, 1e-30, 1.0, 1e6, 1e18])
@pytest.mark.parametrize("snapped", [False, True])
def test_no_input_however_extreme_gives_nan(size: float, snapped: bool) -> None:
    alphas = [*AWAY_FROM_ZERO, *NEAR_ZERO, 0.0]
    layer = layer_at(alphas, snapped=snapped, dtype=torch.float32)
    pairs = (size * TRUTH_TABLE)[:, None].repeat(1, len(alphas), 1).requires_grad_()
    values = layer(pairs)
    values.sum().backward()
    for tensor in (values, grad(pairs), grad(layer.alpha)):
        assert tensor.isfinite().all()


# --- the bounds -------------------------------------------------------------------------------

OPTIMIZERS: dict[str, MakeOptimizer] = {
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=1e4),
    "momentum": lambda parameters: torch.optim.SGD(parameters, lr=1e3, momentum=0.9),
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=10.0),
}


@pytest.mark.parametrize("make_optimizer", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_alpha_stays_in_bounds_in_a_users_own_loop(make_optimizer: MakeOptimizer) -> None:
    layer = Fuzzy(5, generator=seeded())
    network = nn.Sequential(AllPairings(2), layer, FeatureSelector(5, 1))
    optimizer = make_optimizer(network.parameters())
    for seed in range(20):
        inputs = torch.rand(16, 2, generator=seeded(seed)) * 2 - 1
        optimizer.zero_grad()
        loss = (
            (network(inputs) - torch.randn(16, 1, generator=seeded(-seed - 1))).square().mean()
        )
        assert layer.alpha.abs().max() <= 1
        assert loss.isfinite()
        loss.backward()
        optimizer.step()


def test_a_step_beyond_a_bound_counts_as_a_step_to_it() -> None:
    pairs = random_pairs(6, 2)
    assert torch.equal(layer_at([-40.0, 7.0])(pairs), layer_at([-1.0, 1.0])(pairs))


# --- learning ---------------------------------------------------------------------------------


def test_alpha_crosses_zero_on_its_way_from_nor_to_and() -> None:
    assert learn("and", [-0.5]) == pytest.approx(1.0, abs=1e-3)


def test_without_epsilon_small_steps_leave_alpha_stuck_at_zero() -> None:
    # A step of more than 1/8 would overshoot zero and cross by luck; this one never does.
    stuck = learn("and", [-0.5], epsilon=0.0)
    assert stuck < 0
    assert stuck == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("seed", range(5))
def test_every_operator_is_learned_from_any_start(operator: str, seed: int) -> None:
    starts = Fuzzy(200, generator=seeded(seed)).alpha.tolist()
    learned = learn(operator, [*starts, *AWAY_FROM_ZERO, *NEAR_ZERO, 0.0])
    wanted = torch.full_like(learned, OPERATORS[operator][0])
    torch.testing.assert_close(learned, wanted, atol=5e-3, rtol=0)


@pytest.mark.parametrize(("operator", "start"), [("and", 0.0005), ("nor", -0.0005)])
def test_an_operator_is_learned_from_its_own_side_of_zero(operator: str, start: float) -> None:
    assert learn(operator, [start]) == pytest.approx(OPERATORS[operator][0], abs=1e-3)


def test_alpha_crosses_zero_by_steps_smaller_than_epsilon() -> None:
    assert learn("and", [-0.0012], step=1e-4, steps=1000) > 0.01


# --- snapped ----------------------------------------------------------------------------------

UNSNAPPED = [-1.0, -0.8, -0.5, -0.2, 0.0, 0.3, 0.5, 0.51, 1.0]
SNAPPED = [-1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]


def test_snapped_values_are_exactly_those_of_the_nearest_whole_alpha() -> None:
    pairs = random_pairs(10, len(UNSNAPPED))
    assert torch.equal(layer_at(UNSNAPPED, snapped=True)(pairs), layer_at(SNAPPED)(pairs))


def test_snapped_gradients_go_straight_through_to_alpha() -> None:
    layer, rounded = layer_at(UNSNAPPED, snapped=True), layer_at(SNAPPED)
    pairs, same = random_pairs(10, len(UNSNAPPED)), random_pairs(10, len(UNSNAPPED))
    layer(pairs).sum().backward()
    rounded(same).sum().backward()
    assert torch.equal(grad(layer.alpha), grad(rounded.alpha))
    assert torch.equal(grad(pairs), grad(same))


def test_snapping_leaves_alpha_itself_as_it_was() -> None:
    layer = layer_at(UNSNAPPED, snapped=True)
    layer(random_pairs(10, len(UNSNAPPED)))
    assert layer.alpha.tolist() == UNSNAPPED


def test_snapped_alphas_are_whole_even_after_a_step_beyond_the_bounds() -> None:
    assert layer_at([-40.0, -0.4, 0.6, 7.0]).snapped_alpha().tolist() == [-1.0, 0.0, 1.0, 1.0]


# --- copies -----------------------------------------------------------------------------------


@pytest.mark.parametrize("snapped", [False, True])
def test_every_copy_has_alphas_of_its_own(snapped: bool) -> None:
    layer = Fuzzy(3, copies=4, generator=seeded(), dtype=torch.float64)
    layer.snapped = snapped
    pairs = random_pairs(4, 6, 3)
    values = layer(pairs)
    values.square().sum().backward()
    assert layer.alpha.unique().numel() == 12
    assert values.shape == (4, 6, 3)
    for number in range(4):
        alone = layer_at(layer.alpha[number].tolist(), snapped=snapped)
        own_pairs = pairs[number].detach().requires_grad_()
        own_values = alone(own_pairs)
        own_values.square().sum().backward()
        torch.testing.assert_close(own_values, values[number])
        torch.testing.assert_close(grad(alone.alpha), grad(layer.alpha)[number])
        torch.testing.assert_close(grad(own_pairs), grad(pairs)[number])


@pytest.mark.parametrize("copies", [0, -1])
def test_no_copies_are_refused(copies: int) -> None:
    with pytest.raises(ValueError, match=f"copies must be None or at least 1, got {copies}"):
        Fuzzy(3, copies=copies)


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize("units", [0, -3])
def test_no_units_are_refused(units: int) -> None:
    with pytest.raises(ValueError, match=f"at least 1 unit, got {units}"):
        Fuzzy(units)


@pytest.mark.parametrize("shape", [(), (2,), (3,), (5, 3), (5, 2, 2), (5, 3, 3), (5, 2, 3)])
def test_wrong_shapes_are_refused_and_quoted(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"needs pairs of shape \(\.\.\., 3, 2\)") as error:
        Fuzzy(3)(torch.zeros(shape))
    assert str(error.value).endswith(f"got {shape}")


def test_printing_shows_the_units() -> None:
    assert repr(Fuzzy(9)) == "Fuzzy(units=9, epsilon=0.001)"
