"""LogicNetwork: the paper's topology, what it computes, and how it is kept and copied."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from crisplogic.nn import AllPairings, FeatureSelector, Fuzzy, LinearMembership, LogicNetwork


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def table(rows: int = 12, columns: int = 4, seed: int = 0) -> Tensor:
    return torch.randn(rows, columns, generator=seeded(seed), dtype=torch.float64) * 5 + 3


def scattered(network: LogicNetwork, seed: int = 0) -> LogicNetwork:
    """The network with selectors that differ from unit to unit, as after training."""
    generator = seeded(seed)
    with torch.no_grad():
        for _, selector in network.levels():
            selector.weight.uniform_(-1, 1, generator=generator)
    return network


def ready_network(
    depth: int = 2, dtype: torch.dtype = torch.float64, seed: int = 0
) -> LogicNetwork:
    """A fitted network with parameters as after training."""
    network = LogicNetwork(4, 3, width=2, depth=depth, generator=seeded(seed), dtype=dtype)
    network.membership.fit(table())
    return scattered(network, seed)


def by_hand(network: LogicNetwork, row: list[float]) -> list[float]:
    """The scores of one row, from the paper's formulas and nothing but Python floats."""
    low, high = network.membership.low.tolist(), network.membership.high.tolist()
    values = [
        max(-1.0, min(1.0, 2 * (x - least) / (most - least) - 1))
        for x, least, most in zip(row, low, high, strict=True)
    ]
    for level, (fuzzy, selector) in enumerate(network.levels()):
        if level > 0:
            values = [math.tanh(value) for value in values]
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
    return values


# --- the topology -----------------------------------------------------------------------------


def test_at_depth_two_the_layers_are_the_papers() -> None:
    network = LogicNetwork(in_features=9, out_features=2, width=8, depth=2)
    assert [type(layer) for layer in (network.membership, *network.logic)] == [
        LinearMembership,
        AllPairings,
        Fuzzy,
        FeatureSelector,
        nn.Tanh,
        AllPairings,
        Fuzzy,
        FeatureSelector,
    ]
    assert [repr(layer) for layer in network.logic] == [
        "AllPairings(in_features=9, pairs=54)",
        "Fuzzy(units=54, epsilon=0.001)",
        "FeatureSelector(in_features=54, out_features=8)",
        "Tanh()",
        "AllPairings(in_features=8, pairs=44)",
        "Fuzzy(units=44, epsilon=0.001)",
        "FeatureSelector(in_features=44, out_features=2)",
    ]


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


# --- the values -------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_scores_are_those_of_the_layers_composed(depth: int) -> None:
    network, rows = ready_network(depth), table()
    values = network.membership(rows)
    for level, (fuzzy, selector) in enumerate(network.levels()):
        values = torch.tanh(values) if level > 0 else values
        values = selector(fuzzy(AllPairings(values.shape[1])(values)))
    assert torch.equal(network(rows), values)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_the_papers_formulas_by_hand(depth: int, seed: int) -> None:
    network = ready_network(depth, seed=seed)
    rows = torch.cat([table(), table(seed=99) * 3])  # the latter beyond the fitted range
    scores = network(rows).tolist()
    for row, row_scores in zip(rows.tolist(), scores, strict=True):
        assert row_scores == pytest.approx(by_hand(network, row))


def test_forward_is_memberships_then_scores() -> None:
    network, rows = ready_network(), table()
    assert torch.equal(network(rows), network.scores(network.memberships(rows)))


@pytest.mark.parametrize("chunk_values", [1, 30, 10_000])
@pytest.mark.parametrize("rows", [0, 1, 12])
def test_scores_by_chunks_are_the_scores(
    chunk_values: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crisplogic.nn.network.CHUNK_VALUES", chunk_values)
    network = ready_network()
    memberships = network.memberships(table(rows))
    torch.testing.assert_close(
        network.scores_by_chunks(memberships), network.scores(memberships)
    )


def test_missing_values_give_finite_scores() -> None:
    rows = table()
    rows[::2, 1] = torch.nan
    assert ready_network()(rows).isfinite().all()


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


# --- gradients --------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_gradients_are_those_of_finite_differences(depth: int) -> None:
    network = ready_network(depth)
    network.membership.fit(3 * table() - 6)  # so that no row lies on the edge of the range
    rows = table(rows=3).requires_grad_()
    parameters = tuple(network.parameters())
    alphas = torch.cat([fuzzy.alpha for fuzzy, _ in network.levels()])
    assert alphas.abs().min() > 0.001  # away from the kink
    assert torch.autograd.gradcheck(
        lambda rows, *_: network.logits(network(rows)), (rows, *parameters)
    )


# --- precision --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("input_dtype", [torch.float32, torch.float64, torch.int64])
def test_scores_have_the_precision_of_the_network(
    dtype: torch.dtype, input_dtype: torch.dtype
) -> None:
    network = ready_network(dtype=dtype)
    assert {parameter.dtype for parameter in network.parameters()} == {dtype}
    assert network(table().to(input_dtype)).dtype == dtype


def test_single_precision_agrees_with_double() -> None:
    network, rows = ready_network(), table()
    single = copy.deepcopy(network).float()
    torch.testing.assert_close(single(rows).double(), network(rows), atol=1e-5, rtol=1e-5)


def test_a_column_far_from_zero_works_in_single_precision() -> None:
    rows = table()
    far = rows + torch.tensor([0.0, 1e9, 0.0, 0.0], dtype=torch.float64)
    network = ready_network(dtype=torch.float32).float()
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


def test_the_same_generator_gives_the_same_network() -> None:
    first, second, other = (LogicNetwork(4, 3, generator=seeded(seed)) for seed in (1, 1, 2))
    assert same_state(first, second)
    assert not same_state(first, other)


def test_a_generator_leaves_torchs_own_random_numbers_alone() -> None:
    before = torch.get_rng_state()
    LogicNetwork(4, 3, generator=seeded())
    assert torch.equal(torch.get_rng_state(), before)


def test_a_saved_state_restores_scores_and_range() -> None:
    network, rows = ready_network(), table()
    other = LogicNetwork(4, 3, width=2, generator=seeded(9), dtype=torch.float64)
    other.load_state_dict(network.state_dict())
    assert torch.equal(other(rows), network(rows))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda n: pickle.loads(pickle.dumps(n))])
def test_a_copy_gives_the_same_scores_and_a_life_of_its_own(duplicate: Any) -> None:
    network, rows = ready_network(), table()
    network.snap()
    scores = network(rows)
    double = duplicate(network)
    assert torch.equal(double(rows), scores)
    with torch.no_grad():
        for parameter in double.parameters():
            parameter.neg_()
    assert torch.equal(network(rows), scores)


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


@pytest.mark.parametrize("columns", [1, 3, 5])
def test_a_table_of_another_width_is_refused(columns: int) -> None:
    with pytest.raises(ValueError, match=r"needs inputs of shape \(\.\.\., 4\)"):
        ready_network()(table(columns=columns))
