"""LogicNetwork: the paper's topology, what it computes, and how it is kept and copied."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from crisplogic.constraints.limits import Limits
from crisplogic.nn import (
    AllPairings,
    LearnedMembership,
    LinearMembership,
    LogicNetwork,
    logic_layer,
)

# What stands beside the paper's layers: memberships a column, intercepts, skip connections.
EXTRAS: list[dict[str, Any]] = [
    {},
    {"memberships": 1},
    {"memberships": 2, "intercepts": True},
    {"memberships": 1, "skip": True},
]
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
with_extras = pytest.mark.parametrize("extras", EXTRAS, ids=str)


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def table(rows: int = 12, columns: int = 4, seed: int = 0) -> Tensor:
    return torch.randn(rows, columns, generator=seeded(seed), dtype=torch.float64) * 5 + 3


def scattered(network: LogicNetwork, seed: int = 0) -> LogicNetwork:
    """The network with parameters that differ from each other, as after training."""
    generator = seeded(seed)
    with torch.no_grad():
        for _, selector in network.levels():
            selector.weight.uniform_(-1, 1, generator=generator)
        network.log_scale.uniform_(-1, 1, generator=generator)
        for name, parameter in network.named_parameters():
            if name in ("membership.centre", "membership.log_width", "intercept"):
                parameter.uniform_(-1, 1, generator=generator)
    return network


def ready_network(
    depth: int = 2, dtype: torch.dtype = torch.float64, seed: int = 0, **extras: Any
) -> LogicNetwork:
    """A fitted network with parameters as after training."""
    network = LogicNetwork(
        4, 3, width=2, depth=depth, generator=seeded(seed), dtype=dtype, **extras
    )
    network.membership.fit(table())
    return scattered(network, seed)


def by_hand(network: LogicNetwork, row: list[float]) -> list[float]:
    """The scores of one row, from the paper's formulas and nothing but Python floats."""
    low, high = (ends.tolist() for ends in network.membership.ends())
    values = [
        max(-1.0, min(1.0, 2 * (x - least) / (most - least) - 1))
        for x, least, most in zip(row * (len(low) // len(row)), low, high, strict=True)
    ]
    beside = values if network.skip else []
    for level, (fuzzy, selector) in enumerate(network.levels()):
        if level > 0:
            values = [*[math.tanh(value) for value in values], *beside]
        pairs = []
        for i, x in enumerate(values):
            pairs += [(x, y) for y in [*values[i + 1 :], -1.0, 1.0]]
        joined = [
            (x + a) * (y + a) / (1 + abs(a)) - abs(a)
            for (x, y), a in zip(pairs, fuzzy.alpha.tolist(), strict=True)
        ]
        values = [
            sum(w * value for w, value in zip(weights, joined, strict=True))
            for weights in selector.weight.tolist()
        ]
    return [a + b for a, b in zip(values, network.intercept.tolist(), strict=True)]


# --- the topology -----------------------------------------------------------------------------


def test_at_depth_two_the_layers_are_the_papers() -> None:
    network = LogicNetwork(in_features=9, out_features=2, width=8, depth=2)
    assert isinstance(network.membership, LinearMembership)
    first, tanh, second = network.logic
    assert isinstance(tanh, nn.Tanh)
    assert [repr(layer) for level in (first, second) for layer in level.children()] == [
        "AllPairings(in_features=9, pairs=54)",
        "Fuzzy(units=54, epsilon=0.001)",
        "FeatureSelector(in_features=54, out_features=8)",
        "AllPairings(in_features=8, pairs=44)",
        "Fuzzy(units=44, epsilon=0.001)",
        "FeatureSelector(in_features=44, out_features=2)",
    ]


def test_learned_memberships_are_the_inputs_of_the_first_level() -> None:
    network = LogicNetwork(in_features=3, out_features=2, depth=1, memberships=2)
    assert isinstance(network.membership, LearnedMembership)
    assert network.membership.per_feature == 2
    ((fuzzy, _),) = network.levels()
    assert fuzzy.units == AllPairings(6).out_features


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_every_depth_runs_forward_and_backward(depth: int) -> None:
    network = ready_network(depth)
    scores = network(table())
    scores.square().sum().backward()
    assert scores.shape == (12, 3)
    assert len(list(network.levels())) == depth
    for fuzzy, selector in network.levels():
        for parameter in (fuzzy.alpha, selector.weight):
            assert parameter.grad is not None
            assert parameter.grad.isfinite().all()
            assert parameter.grad.abs().max() > 0


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_parameters_are_the_levels_and_one_scale(depth: int) -> None:
    network = ready_network(depth)
    of_levels = [p for level in network.levels() for layer in level for p in layer.parameters()]
    expected = {*of_levels, network.log_scale}
    assert set(network.parameters()) == expected


def test_learned_memberships_and_intercepts_are_parameters_where_asked_for() -> None:
    plain, more = (
        {name: p.shape for name, p in LogicNetwork(4, 3, depth=1, **extras).named_parameters()}
        for extras in (EXTRAS[0], EXTRAS[2])
    )
    assert {name: shape for name, shape in more.items() if name not in plain} == {
        "membership.centre": (8,),
        "membership.log_width": (8,),
        "intercept": (3,),
    }


@with_extras
def test_all_parameters_learn_from_the_probabilities(extras: dict[str, Any]) -> None:
    network = ready_network(**extras)
    network.logits(network(table())).log_softmax(1)[:, 0].sum().backward()
    for parameter in network.parameters():
        assert parameter.grad is not None
        assert parameter.grad.isfinite().all()
        assert parameter.grad.abs().max() > 0


# --- the values -------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_scores_are_those_of_the_layers_composed(depth: int) -> None:
    network, rows = ready_network(depth), table()
    values = network.membership(rows)
    for level, (fuzzy, selector) in enumerate(network.levels()):
        values = torch.tanh(values) if level > 0 else values
        values = selector(fuzzy(AllPairings(values.shape[1])(values)))
    torch.testing.assert_close(network(rows), values, rtol=1e-12, atol=1e-12)


@with_extras
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_the_papers_formulas_by_hand(
    depth: int, seed: int, extras: dict[str, Any]
) -> None:
    network = ready_network(depth, seed=seed, **extras)
    rows = torch.cat([table(), table(seed=99) * 3])  # the latter beyond the fitted range
    scores = network(rows).tolist()
    for row, row_scores in zip(rows.tolist(), scores, strict=True):
        assert row_scores == pytest.approx(by_hand(network, row))


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("copies", [None, 2])
@pytest.mark.parametrize("memberships", [0, 2])
def test_a_network_with_skip_connections_contains_those_of_one_level(
    depth: int, copies: int | None, memberships: int
) -> None:
    options: dict[str, Any] = {"memberships": memberships, "copies": copies}
    flat, deep = (ready_network(levels, **options, skip=True) for levels in (1, depth))
    units = 2
    for level in ("membership", "log_scale"):
        for name, values in flat.named_parameters():
            if name.startswith(level):
                deep.get_parameter(name).data.copy_(values)
    (fuzzy, selector), (last_fuzzy, last_selector) = (
        next(flat.levels()),
        list(deep.levels())[-1],
    )
    with torch.no_grad():
        # The pairs of units come first; after them those of memberships, in the same order.
        pairs = fuzzy.units
        last_selector.weight.zero_()
        last_selector.weight[..., -pairs:] = selector.weight
        last_fuzzy.alpha[..., -pairs:] = fuzzy.alpha
    assert last_fuzzy.units > pairs > units
    torch.testing.assert_close(deep(table()), flat(table()))
    for network in (flat, deep):
        network.snap()
    torch.testing.assert_close(deep(table()), flat(table()))


@pytest.mark.parametrize("depth", [2, 3])
def test_a_snapped_unit_beside_memberships_is_one_expression(depth: int) -> None:
    network = ready_network(depth, memberships=1, skip=True)
    network.snap()
    *units, (fuzzy, last) = network.levels()
    for _, selector in units:
        kept = selector.snapped_weight().abs().sum(-1)
        assert kept.tolist() == [1.0] * selector.out_features
    assert last.snapped_weight(fuzzy.direction()).abs().sum(-1).max() > 1
    network.snap(False)
    _, selector = next(network.levels())
    assert torch.equal(selector.used_weight(), selector.weight)


@with_extras
def test_forward_is_scaling_then_scores(extras: dict[str, Any]) -> None:
    network, rows = ready_network(**extras), table()
    assert torch.equal(network(rows), network.scores(network.scale(rows)))


@with_extras
def test_what_is_scaled_does_not_change_while_training(extras: dict[str, Any]) -> None:
    network, rows = ready_network(**extras), table()
    scaled = network.scale(rows)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(0.5)
    assert torch.equal(network.scale(rows), scaled)
    assert scaled.shape == rows.shape


@with_extras
@pytest.mark.parametrize("copies", [None, 2])
@pytest.mark.parametrize("chunk_values", [1, 30, 10_000])
@pytest.mark.parametrize("rows", [0, 1, 12])
def test_scores_by_chunks_are_the_scores(
    chunk_values: int,
    rows: int,
    copies: int | None,
    extras: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("crisplogic.nn.network.MAX_CHUNK_VALUES", chunk_values)
    network = ready_network(copies=copies, **extras)
    scaled = network.scale(table(rows))
    scores = network.scores(scaled)
    torch.testing.assert_close(network.scores_by_chunks(scaled), scores)
    assert scores.shape[-2:] == (rows, 3)


@pytest.mark.parametrize("copies", [None, 3])
def test_chunks_keep_memory_bounded(
    copies: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crisplogic.nn.network.MAX_CHUNK_VALUES", 60)
    network, seen = ready_network(copies=copies), list[int]()
    original = network.scores

    def watched(scaled: Tensor) -> Tensor:
        seen.append(len(scaled))
        return original(scaled)

    monkeypatch.setattr(network, "scores", watched)
    network.scores_by_chunks(network.scale(table(20)))
    # The widest level holds 4 * 2 values a row, in each copy.
    assert max(seen) == 60 // (8 * (copies or 1))
    assert sum(seen) == 20


@with_extras
def test_missing_values_give_finite_scores(extras: dict[str, Any]) -> None:
    rows = table()
    rows[::2, 1] = torch.nan
    assert ready_network(**extras)(rows).isfinite().all()


def test_intercepts_are_added_to_the_scores_and_change_predictions() -> None:
    network, rows = ready_network(intercepts=True), table()
    before = network(rows)
    with torch.no_grad():
        network.intercept.add_(torch.tensor([0.0, 100.0, -3.0]))
    shifted = before + torch.tensor([0.0, 100.0, -3.0], dtype=torch.float64)
    torch.testing.assert_close(network(rows), shifted)
    assert set(network.predict(rows).tolist()) == {1}


@pytest.mark.parametrize("intercepts", [False, True])
def test_intercepts_start_at_nothing(intercepts: bool) -> None:
    network = LogicNetwork(4, 3, intercepts=intercepts)
    assert network.intercept.tolist() == [0.0] * 3
    assert ("intercept" in network.state_dict()) == intercepts


def test_rows_do_not_touch_each_other() -> None:
    network, rows = ready_network(), table()
    alone = torch.cat([network(row[None]) for row in rows])
    torch.testing.assert_close(network(rows), alone)


@pytest.mark.parametrize("log_scale", [-5.0, 0.0, 2.0])
def test_log_scale_changes_logits_but_never_scores_or_predictions(log_scale: float) -> None:
    network, rows = ready_network(), table()
    scores, predictions = network(rows), network.predict(rows)
    with torch.no_grad():
        network.log_scale.fill_(log_scale)
    assert torch.equal(network(rows), scores)
    assert torch.equal(network.predict(rows), predictions)
    logits = network.logits(scores)
    torch.testing.assert_close(logits, scores * math.exp(log_scale))
    assert torch.equal(logits.argmax(1), predictions)


def test_predictions_are_the_classes_of_greatest_score() -> None:
    network, rows = ready_network(), table()
    assert network.predict(rows).tolist() == [
        max(range(3), key=scores.__getitem__) for scores in network(rows).tolist()
    ]


def test_l1_is_the_sum_over_all_selectors() -> None:
    network = ready_network(depth=3)
    expected = sum(selector.weight.abs().sum().item() for _, selector in network.levels())
    assert network.l1().item() == pytest.approx(expected)


def test_l1_of_a_fresh_network_is_its_number_of_units() -> None:
    assert LogicNetwork(4, 3, width=5, depth=3).l1().item() == pytest.approx(5 + 5 + 3)


def test_literals_are_the_sum_over_all_levels() -> None:
    network = ready_network(depth=3)
    expected = 0.0
    for (_, selector), inputs in zip(network.levels(), [4, 2, 2], strict=True):
        sizes, pair = selector.weight.abs().T.tolist(), 0
        for i in range(inputs):
            with_inputs, alone = inputs - 1 - i, 2
            expected += sum(2 * max(units) for units in sizes[pair : pair + with_inputs])
            pair += with_inputs
            expected += sum(sum(units) for units in sizes[pair : pair + alone])
            pair += alone
    assert network.literals().item() == pytest.approx(expected)


# --- gradients --------------------------------------------------------------------------------


@with_extras
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_gradients_are_those_of_finite_differences(depth: int, extras: dict[str, Any]) -> None:
    network = ready_network(depth, **extras)
    network.membership.fit(3 * table() - 6)  # so that no row lies on the edge of the range
    rows = table(rows=3).requires_grad_()
    parameters = tuple(network.parameters())
    alphas = torch.cat([fuzzy.alpha for fuzzy, _ in network.levels()])
    assert alphas.abs().min() > 0.001  # away from the kink
    assert torch.autograd.gradcheck(
        lambda rows, *_: network.logits(network(rows)), (rows, *parameters)
    )


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=needs_gpu)])
def test_gradients_reach_through_three_fused_levels(
    device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logic_layer, "MAX_EXPLICIT_PAIRS", 0)
    network = ready_network(3).to(device)
    network.membership.fit((3 * table() - 6).to(device))
    rows = table(rows=3).to(device).requires_grad_()
    assert torch.autograd.gradcheck(
        lambda rows, *_: network.logits(network(rows)), (rows, *network.parameters())
    )


def half_rise(columns: int, outputs: int) -> Limits:
    """Every second column may only rise, and neighbours may not stand together."""
    falls = np.ones((columns, outputs), dtype=bool)
    falls[::2] = False
    apart = np.eye(columns, k=1, dtype=bool) | np.eye(columns, k=-1, dtype=bool)
    return Limits(np.ones_like(falls), falls, ~apart)


@needs_gpu
@pytest.mark.parametrize("limits", [None, half_rise(64, 3)], ids=["free", "limited"])
def test_gradients_of_three_levels_on_a_gpu_are_those_of_float64(limits: Limits | None) -> None:
    """So many rows and inputs that the fused form, and its kernels, are used."""
    network = LogicNetwork(64, 3, depth=3, width=32, limits=limits, generator=seeded())
    network = scattered(network)
    rows = torch.rand(2000, 64, generator=seeded()) * 2 - 1
    network.fit(rows)

    def gradients(device: str, dtype: torch.dtype) -> list[Tensor]:
        own = copy.deepcopy(network).to(device, dtype)
        logits = own.logits(own(rows.to(device, dtype)))
        target = torch.arange(len(rows), device=device) % 3
        loss = torch.nn.functional.cross_entropy(logits, target)
        return [each.cpu().double() for each in torch.autograd.grad(loss, [*own.parameters()])]

    exact = gradients("cpu", torch.float64)
    for one, other in zip(gradients("cuda", torch.float32), exact, strict=True):
        assert (one - other).norm() <= 1e-3 * other.norm() + 1e-7


# --- precision --------------------------------------------------------------------------------


@with_extras
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("input_dtype", [torch.float32, torch.float64, torch.int64])
def test_scores_have_the_precision_of_the_network(
    dtype: torch.dtype, input_dtype: torch.dtype, extras: dict[str, Any]
) -> None:
    network = ready_network(dtype=dtype, **extras)
    assert {parameter.dtype for parameter in network.parameters()} == {dtype}
    assert network(table().to(input_dtype)).dtype == dtype


@with_extras
def test_single_precision_agrees_with_double(extras: dict[str, Any]) -> None:
    network, rows = ready_network(**extras), table()
    single = copy.deepcopy(network).float()
    torch.testing.assert_close(single(rows).double(), network(rows), atol=1e-5, rtol=1e-5)


@with_extras
def test_a_column_far_from_zero_works_in_single_precision(extras: dict[str, Any]) -> None:
    rows = table()
    far = rows + torch.tensor([0.0, 1e9, 0.0, 0.0], dtype=torch.float64)
    network = ready_network(dtype=torch.float32, **extras).float()
    near_scores = network(rows)
    network.membership.fit(far)
    torch.testing.assert_close(network(far), near_scores, atol=1e-5, rtol=1e-5)


# --- snapping ---------------------------------------------------------------------------------


def test_snapping_rounds_every_layer_in_the_forward_pass() -> None:
    network, rows = ready_network(), table()
    rounded = copy.deepcopy(network)
    with torch.no_grad():
        for fuzzy, selector in rounded.levels():
            fuzzy.alpha.round_()
            selector.weight.round_()
    network.snap()
    assert torch.equal(network(rows), rounded(rows))


def test_snapping_can_be_taken_back() -> None:
    network, rows = ready_network(), table()
    soft = network(rows)
    network.snap(True)
    assert not torch.equal(network(rows), soft)
    network.snap(False)
    assert torch.equal(network(rows), soft)


def test_a_snapped_network_still_trains_all_its_parameters() -> None:
    network, rows = ready_network(), table()
    network.snap()
    network(rows).square().sum().backward()
    for fuzzy, selector in network.levels():
        assert fuzzy.alpha.grad is not None
        assert selector.weight.grad is not None
        assert selector.weight.grad.abs().max() > 0


# --- starting, saving, copying ----------------------------------------------------------------


def same_state(first: LogicNetwork, second: LogicNetwork) -> bool:
    states = first.state_dict(), second.state_dict()
    return states[0].keys() == states[1].keys() and all(
        torch.equal(states[0][name], states[1][name]) for name in states[0]
    )


@with_extras
def test_the_same_generator_gives_the_same_network(extras: dict[str, Any]) -> None:
    first, second, other = (
        LogicNetwork(4, 3, generator=seeded(seed), **extras) for seed in (1, 1, 2)
    )
    assert same_state(first, second)
    assert not same_state(first, other)


@with_extras
def test_a_generator_leaves_torchs_own_random_numbers_alone(extras: dict[str, Any]) -> None:
    before = torch.get_rng_state()
    LogicNetwork(4, 3, generator=seeded(), **extras)
    assert torch.equal(torch.get_rng_state(), before)


@with_extras
def test_a_saved_state_restores_scores_and_range(extras: dict[str, Any]) -> None:
    network, rows = ready_network(**extras), table()
    other = LogicNetwork(4, 3, width=2, generator=seeded(9), dtype=torch.float64, **extras)
    other.load_state_dict(network.state_dict())
    assert torch.equal(other(rows), network(rows))


@with_extras
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda n: pickle.loads(pickle.dumps(n))])
def test_a_duplicate_gives_the_same_scores_and_a_life_of_its_own(
    duplicate: Any, extras: dict[str, Any]
) -> None:
    network, rows = ready_network(**extras), table()
    network.snap()
    scores = network(rows)
    double = duplicate(network)
    assert torch.equal(double(rows), scores)
    with torch.no_grad():
        for parameter in double.parameters():
            parameter.neg_()
    assert torch.equal(network(rows), scores)


# --- copies side by side ----------------------------------------------------------------------


@with_extras
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("snapped", [False, True])
def test_a_copy_taken_out_is_its_slice(
    depth: int, snapped: bool, extras: dict[str, Any]
) -> None:
    network, rows = ready_network(depth, copies=3, **extras), table()
    network.snap(snapped)
    rows[::3, 1] = torch.nan
    scores = network(rows)
    logits, l1, literals = network.logits(scores), network.l1(), network.literals()
    assert scores.shape == (3, 12, 3)
    for number in range(3):
        one = network.copy(number)
        assert one.copies is None
        torch.testing.assert_close(one(rows), scores[number])
        torch.testing.assert_close(one.logits(one(rows)), logits[number])
        torch.testing.assert_close(one.l1(), l1[number])
        torch.testing.assert_close(one.literals(), literals[number])
        assert torch.equal(one.predict(rows), network.predict(rows)[number])
    assert not torch.equal(scores[0], scores[1])


@with_extras
def test_every_parameter_of_copies_has_a_leading_dimension(extras: dict[str, Any]) -> None:
    single, several = (ready_network(copies=copies, **extras) for copies in (None, 3))
    shapes = {name: (3, *values.shape) for name, values in single.named_parameters()}
    assert {name: values.shape for name, values in several.named_parameters()} == shapes


def test_copies_differ_from_the_start() -> None:
    network = LogicNetwork(4, 3, memberships=2, copies=2, generator=seeded())
    one, other = network.copy(0), network.copy(1)
    assert not torch.equal(one.membership.ends()[0], other.membership.ends()[0])
    for (first, _), (second, _) in zip(one.levels(), other.levels(), strict=True):
        assert not torch.equal(first.alpha, second.alpha)


@with_extras
@pytest.mark.parametrize("snapped", [False, True])
@pytest.mark.parametrize("training", [False, True])
def test_a_copy_taken_out_has_a_life_of_its_own(
    snapped: bool, training: bool, extras: dict[str, Any]
) -> None:
    network, rows = ready_network(copies=2, **extras).train(training), table()
    network.snap(snapped)
    before, one = network(rows), network.copy(1)
    assert one.training == training
    assert {layer.snapped for level in one.levels() for layer in level} == {snapped}
    one.membership.fit(100 * rows)
    with torch.no_grad():
        for parameter in one.parameters():
            parameter.fill_(0.3)
    assert torch.equal(network(rows), before)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_copy_taken_out_has_the_precision_it_was_made_with(dtype: torch.dtype) -> None:
    assert ready_network(dtype=dtype, copies=2).copy(0)(table()).dtype == dtype


def test_a_copy_taken_out_has_the_precision_of_the_network() -> None:
    network, rows = ready_network(dtype=torch.float32, copies=2).double(), table()
    torch.testing.assert_close(network.copy(1)(rows), network(rows)[1], rtol=0, atol=1e-12)


def test_taking_a_copy_out_leaves_torchs_own_random_numbers_alone() -> None:
    network, before = ready_network(copies=2), torch.get_rng_state()
    network.copy(0)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_network_without_copies_has_none_to_take_out() -> None:
    with pytest.raises(ValueError, match="only a network with copies"):
        ready_network().copy(0)


def test_there_is_no_copy_behind_the_last() -> None:
    with pytest.raises(IndexError):
        ready_network(copies=2).copy(2)


@pytest.mark.parametrize("copies", [0, -1])
def test_no_copies_are_refused(copies: int) -> None:
    with pytest.raises(ValueError, match=f"copies must be None or at least 1, got {copies}"):
        LogicNetwork(4, 3, copies=copies)


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [0, -1])
@pytest.mark.parametrize("argument", ["in_features", "out_features", "width", "depth"])
@pytest.mark.parametrize("depth", [1, 2])
def test_a_size_below_one_is_refused(argument: str, bad: int, depth: int) -> None:
    sizes: dict[str, Any] = {
        "in_features": 4,
        "out_features": 3,
        "width": 2,
        "depth": depth,
        argument: bad,
    }
    with pytest.raises(ValueError, match=f"of at least 1, got .*{bad}"):
        LogicNetwork(**sizes)


def test_a_number_of_memberships_below_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 ramp a column, got -1"):
        LogicNetwork(4, 3, memberships=-1)


@pytest.mark.parametrize("columns", [1, 3, 5])
def test_a_table_of_another_width_is_refused(columns: int) -> None:
    with pytest.raises(ValueError, match=r"needs inputs of shape \(\.\.\., 4\)"):
        ready_network()(table(columns=columns))


# --- selected columns -------------------------------------------------------------------------


def test_a_network_ignores_columns_that_it_does_not_select() -> None:
    network = LogicNetwork(6, 2, depth=1, n_selected_features=2, generator=seeded())
    network.select_columns(torch.tensor([4, 1]))
    rows = torch.rand(9, 6, generator=seeded())
    network.fit(rows)
    narrow = LogicNetwork(2, 2, depth=1, generator=seeded())
    narrow.load_state_dict({k: v for k, v in network.state_dict().items() if k != "columns"})
    torch.testing.assert_close(network(rows), narrow(rows[:, [4, 1]]))


def test_copies_select_their_own_columns_and_keep_them() -> None:
    network = LogicNetwork(6, 2, depth=1, n_selected_features=2, copies=2, memberships=1)
    network.select_columns(torch.tensor([[4, 1], [0, 5]]))
    assert network.copy(0).columns.tolist() == [4, 1]
    assert network.copy(1).columns.tolist() == [0, 5]


def test_what_is_known_of_places_that_change_is_forgotten_and_nothing_else() -> None:
    network = LogicNetwork(6, 2, depth=1, n_selected_features=3, memberships=2)
    (_, selector), level = next(network.levels()), next(network._logic_layers())
    with torch.no_grad():
        selector.weight.fill_(0.5)
        assert isinstance(network.membership, LearnedMembership)
        network.membership.centre.fill_(0.25)
    network.select_columns(torch.tensor([0, 5, 2]))
    changed = {1, 4}  # both ramps of the place
    for left, right, weights in zip(
        *level.pair_indices[:2].tolist(), selector.weight.T, strict=True
    ):
        forgotten = bool(changed & {left, right})
        expected = 1 / selector.in_features if forgotten else 0.5
        assert weights.tolist() == pytest.approx([expected] * 2)
    assert network.membership.centre.tolist() == [0.25, 0, 0.25, 0.25, 0, 0.25]


@pytest.mark.parametrize("depth", [2, 3])
def test_columns_are_used_and_changed_in_all_levels_that_see_them(depth: int) -> None:
    options: dict[str, Any] = {"depth": depth, "memberships": 1, "n_selected_features": 2}
    network = scattered(LogicNetwork(5, 3, width=2, skip=True, generator=seeded(), **options))
    with torch.no_grad():
        for _, selector in network.levels():
            selector.weight.zero_()
        last = list(network.levels())[-1][1]
        last.weight[0, -1] = 0.5  # the last membership with true
    assert network.usage().tolist() == [0.0, 0.5]
    network.select_columns(torch.tensor([0, 4]))
    assert network.usage()[1] != 0.5
    changed = [selector.weight.count_nonzero(-1).tolist() for _, selector in network.levels()]
    # Of (a, b), (a, false), (a, true), (b, false), (b, true) the first and the last two; where
    # two units are beside, their pairs with b, too.
    assert changed == [[3, 3], *[[5] * len(each) for each in changed[1:]]]


def test_usage_is_the_weight_of_all_pairs_with_a_column() -> None:
    network = LogicNetwork(6, 1, depth=1, n_selected_features=3, memberships=2)
    (_, selector), level = next(network.levels()), next(network._logic_layers())
    places = level.pair_indices[:2].T.tolist()
    with torch.no_grad():
        selector.weight.zero_()
        selector.weight[0, places.index([0, 4])] = -0.5  # places 0 and 1
        selector.weight[0, places.index([2, 7])] = 0.25  # place 2 and true
    assert network.usage().tolist() == [0.5, 0.5, 0.25]


@pytest.mark.parametrize("number", [0, -1, 7])
def test_the_number_of_selected_columns_must_be_possible(number: int) -> None:
    with pytest.raises(
        ValueError, match=f"n_selected_features must be from 1 to 6, got {number}"
    ):
        LogicNetwork(6, 2, n_selected_features=number)


# --- hard thresholds --------------------------------------------------------------------------


def crisp_network(depth: int = 2, copies: int | None = None) -> LogicNetwork:
    generator = torch.Generator().manual_seed(0)
    network = LogicNetwork(
        3, 2, width=4, depth=depth, memberships=2, copies=copies, generator=generator
    )
    with torch.no_grad():
        for _, selector in network.levels():
            selector.weight.uniform_(-1, 1, generator=generator)
    network.snap(crisp=True)
    return network


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_all_values_of_a_crisp_network_are_true_false_or_unknown(depth: int) -> None:
    network, found = crisp_network(depth), []
    for layer in network.logic:
        layer.register_forward_pre_hook(lambda _, inputs: found.append(inputs[0]))
    rows = torch.randn(50, 3, generator=torch.Generator().manual_seed(1))
    rows[rows.abs() < 0.1] = torch.nan
    scores = network(rows)
    assert len(found) == 2 * depth - 1
    assert all(set(each.unique().tolist()) <= {-1.0, 0.0, 1.0} for each in found)
    assert set(found[0].unique().tolist()) == {-1.0, 0.0, 1.0}
    torch.testing.assert_close(scores, scores.round())


def test_a_copy_of_a_crisp_network_is_crisp_and_scores_alike() -> None:
    networks = crisp_network(copies=3)
    rows = torch.randn(20, 3, generator=torch.Generator().manual_seed(1))
    for number, scores in enumerate(networks(rows)):
        one = networks.copy(number)
        assert one.crisp
        torch.testing.assert_close(one(rows), scores)


def test_a_crisp_network_can_be_soft_again() -> None:
    network, soft = crisp_network(), crisp_network()
    network.snap(False)
    soft.snap(True)
    soft.snap(False)
    rows = torch.randn(20, 3, generator=torch.Generator().manual_seed(1))
    assert not network.crisp
    assert torch.equal(network(rows), soft(rows))
    assert not torch.equal(network(rows), crisp_network()(rows))


def test_the_papers_membership_has_no_thresholds_to_learn() -> None:
    with pytest.raises(ValueError, match="memberships of at least 1, got 0"):
        LogicNetwork(3, 2).snap(crisp=True)
