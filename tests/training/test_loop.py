"""The training loop: what it learns, copies side by side, and the epoch that it keeps."""

from __future__ import annotations

import copy
import itertools
import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
import torch
from sklearn.datasets import load_iris
from torch import Tensor

from crisplogic import kernels
from crisplogic.errors import CrisplogicError, DivergedError
from crisplogic.nn import LogicNetwork, logic_layer
from crisplogic.rules import RuleSet
from crisplogic.snap import snap
from crisplogic.training import (
    PAPER_CONFIG,
    Epoch,
    PhaseConfig,
    TrainingData,
    objectives,
    train,
)
from crisplogic.training.losses import LOSSES, cross_entropy
from tests.training.samples import (
    ROUGH,
    SMALL,
    State,
    copies_of,
    fresh_network,
    same,
    seeded,
    some_data,
    some_weights,
    state_of,
)


def trained(
    settings: PhaseConfig, seed: int = 0, **options: Any
) -> tuple[LogicNetwork, list[Epoch], list[State]]:
    """A trained network, its history, and its state after each epoch."""
    network, states = fresh_network(), list[State]()
    history = train(
        network,
        some_data(),
        settings,
        seeded(seed),
        on_epoch=lambda epoch: states.append(state_of(network)),
        **options,
    )
    return network, history, states


# --- learning ---------------------------------------------------------------------------------

LEARNERS = {"modern": replace(SMALL, epochs=25), "paper": replace(PAPER_CONFIG, epochs=8)}


@pytest.mark.parametrize("settings", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("depth", [1, 2])
def test_the_loss_falls(settings: PhaseConfig, depth: int) -> None:
    history = train(fresh_network(depth), some_data(), settings, seeded())
    assert history[-1].loss < 0.97 * history[0].loss


def test_a_network_is_trained_through_its_snap() -> None:
    network, rows = fresh_network(), some_data(60)
    network.snap()
    train(network, rows, PhaseConfig(epochs=40, batch_size=8, learning_rate=0.05), seeded())
    right = network.scores(rows.inputs).argmax(1) == rows.targets
    assert right.float().mean() > 0.95
    for fuzzy, selector in network.levels():
        assert fuzzy.snapped
        assert selector.snapped


def test_more_l1_leaves_smaller_weights() -> None:
    sizes = [trained(replace(SMALL, l1=penalty))[0].l1().item() for penalty in (0.0, 0.01, 1.0)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < sizes[0] / 2


@pytest.mark.parametrize("depth", [1, 2])
def test_a_literal_penalty_leaves_fewer_literals(depth: int) -> None:
    literals = []
    for penalty in (0.0, 0.01, 0.3):
        network = fresh_network(depth)
        settings = replace(SMALL, epochs=25, l1=0.0, literal_penalty=penalty)
        train(network, some_data(), settings, seeded())
        literals.append(network.literals().item())
    assert literals == sorted(literals, reverse=True)
    assert literals[-1] < literals[0] / 2


def test_parameters_end_in_bounds_however_large_the_steps() -> None:
    network, _, _ = trained(replace(ROUGH, learning_rate=50.0))
    for fuzzy, selector in network.levels():
        assert fuzzy.alpha.abs().max() <= 1
        assert selector.weight.abs().max() <= 1


# --- copies side by side ----------------------------------------------------------------------

SIDE_BY_SIDE: dict[str, tuple[PhaseConfig, dict[str, Any]]] = {
    "adam": (replace(SMALL, l1=1e-3, literal_penalty=1e-3), {}),
    "sgd": (replace(PAPER_CONFIG, epochs=1), {"depth": 2}),
    "adam with everything": (
        replace(SMALL, epochs=4, literal_penalty=1e-3),
        {"depth": 2, "memberships": 2, "intercepts": True},
    ),
    "sgd with everything": (
        replace(ROUGH, learning_rate=0.05),
        {"depth": 1, "memberships": 1, "intercepts": True},
    ),
}
batch_shape = pytest.mark.parametrize(
    ("settings", "options"), SIDE_BY_SIDE.values(), ids=SIDE_BY_SIDE
)


@batch_shape
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("snapped", [False, True])
def test_copies_learn_what_each_would_learn_alone(
    settings: PhaseConfig, options: dict[str, Any], weighted: bool, snapped: bool
) -> None:
    rows = some_data(dtype=torch.float64)
    weights = some_weights(3, len(rows)) if weighted else None
    together = copies_of(snapped=snapped, **options)
    alone = [together.copy(number) for number in range(3)]
    history = train(together, replace(rows, weights=weights), settings, seeded(2))
    histories = []
    for number, network in enumerate(alone):
        before = state_of(network)
        own = None if weights is None else weights[[number]]
        histories.append(train(network, replace(rows, weights=own), settings, seeded(2)))
        beside = state_of(together.copy(number))
        for name, value in state_of(network).items():
            torch.testing.assert_close(beside[name], value, rtol=1e-9, atol=1e-9)
        assert not same(before, beside)
    means = [sum(epoch.loss for epoch in epochs) / 3 for epochs in zip(*histories, strict=True)]
    assert [epoch.loss for epoch in history] == pytest.approx(means, rel=1e-5)


@batch_shape
def test_a_row_of_weight_0_is_hidden_from_a_copy(
    settings: PhaseConfig, options: dict[str, Any]
) -> None:
    rows = some_data(dtype=torch.float64)
    weights = torch.ones(2, len(rows), dtype=torch.float64)
    hidden = torch.tensor([0, 7, 8, 39])
    weights[1, hidden] = 0.0
    states = []
    for targets in (rows.targets, rows.targets.index_copy(0, hidden, 1 - rows.targets[hidden])):
        network = copies_of(2, **options)
        train(network, TrainingData(rows.inputs, targets, weights), settings, seeded(2))
        states.append([state_of(network.copy(number)) for number in range(2)])
    (sees_all, sees_less), (sees_others, sees_same) = states
    assert same(sees_less, sees_same)
    assert not same(sees_all, sees_others)


def test_weights_say_how_much_a_row_counts() -> None:
    rows = some_data(4, dtype=torch.float64)
    twice = TrainingData(rows.inputs, rows.targets, torch.tensor([[2.0, 1.0, 1.0, 0.0]]))
    repeated = rows[torch.tensor([0, 0, 1, 2])]
    first, second = copies_of(1), copies_of(1)
    settings = PhaseConfig(epochs=3, batch_size=4)  # all rows in one step
    train(first, twice, settings, seeded())
    train(second, repeated, settings, seeded())
    for one, other in zip(first.parameters(), second.parameters(), strict=True):
        torch.testing.assert_close(one, other)


# --- random draws -----------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_parameters_bit_for_bit() -> None:
    first, second = (state_of(trained(SMALL, seed=4)[0]) for _ in range(2))
    assert same(first, second)


def test_another_seed_gives_other_parameters() -> None:
    assert not same(state_of(trained(SMALL, seed=4)[0]), state_of(trained(SMALL, seed=5)[0]))


def test_the_random_numbers_of_torch_and_numpy_are_left_alone() -> None:
    of_torch, of_numpy = torch.get_rng_state(), np.random.get_state()  # noqa: NPY002
    trained(SMALL, validation=some_data(10, seed=1))
    assert torch.equal(torch.get_rng_state(), of_torch)
    assert str(np.random.get_state()) == str(of_numpy)  # noqa: NPY002


def test_the_rows_are_left_as_they_were() -> None:
    rows = some_data()
    before = copy.deepcopy(rows)
    train(fresh_network(), rows, SMALL, seeded())
    assert torch.equal(rows.inputs, before.inputs)
    assert torch.equal(rows.targets, before.targets)


# --- the epoch that is kept -------------------------------------------------------------------


@pytest.mark.parametrize(("patience", "epochs"), [(None, SMALL.epochs), (2, 3)])
def test_without_validation_rows_the_last_epoch_is_the_one_kept(
    patience: int | None, epochs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = itertools.count()
    compute = type(cross_entropy).__call__

    def rising(*arguments: Any) -> Tensor:
        """Greater with every step, whatever is learned: the first epoch is the best."""
        return compute(*arguments) + next(calls)

    monkeypatch.setattr(kernels, "compiled", None)  # it has a loss of its own
    monkeypatch.setattr(type(cross_entropy), "__call__", rising)
    network, history, states = trained(replace(SMALL, patience=patience))
    assert len(history) == epochs
    assert same(state_of(network), states[-1])
    assert not same(states[0], states[-1])


def test_with_validation_rows_the_best_epoch_is_the_best_on_them() -> None:
    """They say the contrary of the training rows: the more is learned, the worse."""
    rows = some_data()
    validation = replace(rows, targets=1 - rows.targets)
    network, history, states = trained(SMALL, validation=validation)
    losses = [epoch.loss for epoch in history]
    validation_losses = [epoch.validation_loss or math.nan for epoch in history]
    best = validation_losses.index(min(validation_losses))
    assert best < losses.index(min(losses))
    assert same(state_of(network), states[best])


def test_validation_rows_change_no_step() -> None:
    _, without, states = trained(SMALL)
    _, history, others = trained(SMALL, validation=some_data(9, seed=2))
    assert [epoch.loss for epoch in history] == [epoch.loss for epoch in without]
    assert all(map(same, states, others))


@pytest.mark.parametrize("patience", [1, 2, 3])
@pytest.mark.parametrize("validated", [False, True])
def test_patience_stops_that_many_epochs_after_the_best(patience: int, validated: bool) -> None:
    validation = some_data(9, seed=2) if validated else None
    _, history, _ = trained(replace(ROUGH, epochs=40, patience=patience), validation=validation)
    monitored = [epoch.monitored for epoch in history]
    assert len(history) < 40
    assert len(history) == monitored.index(min(monitored)) + 1 + patience


def test_without_patience_no_epoch_is_left_out() -> None:
    assert len(trained(ROUGH)[1]) == ROUGH.epochs


def test_the_network_is_handed_back_ready_for_use() -> None:
    assert not trained(SMALL)[0].training


# --- the history ------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["cross_entropy", "squared_error"])
@pytest.mark.parametrize("copies", [None, 3])
def test_the_history_holds_what_the_steps_of_an_epoch_saw(
    loss: Literal["cross_entropy", "squared_error"], copies: int | None
) -> None:
    network, rows = fresh_network(copies=copies), some_data()
    settings = PhaseConfig(epochs=4, batch_size=40, l1=0.01, literal_penalty=0.01, loss=loss)
    # With one step an epoch that is the objective as the epoch before left it.
    expected = [objectives(network, rows, settings).mean().item()]
    history = train(
        network,
        rows,
        settings,
        seeded(),
        on_epoch=lambda _: expected.append(objectives(network, rows, settings).mean().item()),
    )
    assert [epoch.loss for epoch in history] == pytest.approx(expected[:-1], rel=1e-5)
    assert len(set(expected)) == 5


def test_the_loss_in_the_history_is_the_mean_over_rows_not_over_steps() -> None:
    network, rows = copies_of(1), some_data(dtype=torch.float64)
    still = PhaseConfig(epochs=1, batch_size=39, learning_rate=1e-30)
    (epoch,) = train(network, rows, still, seeded())
    assert epoch.loss == pytest.approx(objectives(network, rows, still).item(), rel=1e-5)


@pytest.mark.parametrize("loss", ["cross_entropy", "squared_error"])
@pytest.mark.parametrize("copies", [None, 3])
def test_the_validation_loss_is_the_bare_loss_after_the_epoch(
    loss: Literal["cross_entropy", "squared_error"], copies: int | None
) -> None:
    network, validation = fresh_network(copies=copies), some_data(9, seed=2)
    checked: list[Epoch] = []

    def check(epoch: Epoch) -> None:
        scores = network.scores(validation.inputs)
        bare = LOSSES[loss](network, scores, validation.targets).mean().item()
        assert epoch.validation_loss == pytest.approx(bare, rel=1e-5)
        checked.append(epoch)

    settings = PhaseConfig(epochs=3, batch_size=8, l1=0.01, literal_penalty=0.01, loss=loss)
    train(network, some_data(), settings, seeded(), validation, on_epoch=check)
    assert len(checked) == 3


def test_every_epoch_is_reported_as_it_ends_and_returned_in_the_end() -> None:
    reported: list[Epoch] = []
    history = train(
        fresh_network(), some_data(), SMALL, seeded(), phase="first", on_epoch=reported.append
    )
    assert reported == history
    assert [epoch.number for epoch in history] == list(range(1, SMALL.epochs + 1))
    assert {epoch.phase for epoch in history} == {"first"}
    assert all(epoch.validation_loss is None for epoch in history)


def test_epochs_are_compared_by_the_validation_loss_where_there_is_one() -> None:
    assert Epoch("soft", 1, 0.5, None).monitored == 0.5
    assert Epoch("soft", 1, 0.5, 0.7).monitored == 0.7


# --- divergence -------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [1e3, 1e10, 1e30])
@pytest.mark.parametrize("validated", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_divergence_is_an_error_with_advice(rate: float, validated: bool, seed: int) -> None:
    validation = some_data(9, seed=2) if validated else None
    with pytest.raises(DivergedError) as error:
        trained(replace(SMALL, learning_rate=rate), seed, validation=validation)
    assert f"with learning_rate={rate}; try a smaller one, such as {rate / 10:g}" in str(
        error.value
    )
    assert isinstance(error.value, CrisplogicError)
    assert isinstance(error.value, ArithmeticError)


def test_rows_that_are_not_numbers_diverge() -> None:
    rows = some_data()
    rows.inputs[3, 1] = math.nan
    with pytest.raises(DivergedError, match="after epoch 1 the loss was nan"):
        train(fresh_network(), rows, SMALL, seeded())


def test_validation_rows_that_are_not_numbers_diverge() -> None:
    validation = some_data(9)
    validation.inputs[3, 1] = math.nan
    with pytest.raises(DivergedError, match="after epoch 1"):
        train(fresh_network(), some_data(), SMALL, seeded(), validation)


@pytest.mark.parametrize("log_scale", [-200.0, 200.0, math.nan])
def test_one_copy_that_diverges_is_enough(log_scale: float) -> None:
    network = fresh_network(copies=3)
    with torch.no_grad():
        network.log_scale[1] = log_scale
    with pytest.raises(DivergedError, match="after epoch 1"):
        train(network, some_data(), SMALL, seeded())


@pytest.mark.parametrize("settings", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("rate", [1.0, 10.0, 30.0, 100.0, 1e30])
def test_no_network_with_nan_is_ever_handed_back(settings: PhaseConfig, rate: float) -> None:
    try:
        network, history, _ = trained(replace(settings, epochs=3, learning_rate=rate))
    except DivergedError:
        return
    assert all(parameter.isfinite().all() for parameter in network.parameters())
    assert network.log_scale.exp() > 0
    assert all(math.isfinite(epoch.loss) for epoch in history)


# --- two ways to compute a level --------------------------------------------------------------

X, Y = load_iris(return_X_y=True)


def rules_learned(depth: int, phases: list[PhaseConfig]) -> tuple[RuleSet, torch.Tensor]:
    """The rules of a network in double precision, and its parameters in one row."""
    generator = torch.Generator().manual_seed(0)
    network = LogicNetwork(4, 3, 3, depth, generator=generator, dtype=torch.float64)
    inputs = torch.from_numpy(np.asarray(X))
    network.fit(inputs)
    rows = TrainingData(network.scale(inputs), torch.from_numpy(np.asarray(Y)))
    for number, settings in enumerate(phases):
        network.snap(number > 0)
        train(network, rows, settings, generator)
    flat = torch.cat([p.detach().flatten() for p in network.parameters()])
    return snap(network, list("abcd"), [0, 1, 2]), flat


@pytest.mark.parametrize(
    ("depth", "phases"),
    [
        (2, [replace(PAPER_CONFIG, epochs=2)]),
        (
            1,
            [
                PhaseConfig(epochs=10, batch_size=32),
                PhaseConfig(epochs=10, literal_penalty=1e-3),
            ],
        ),
    ],
    ids=["as in the paper", "through the snap"],
)
def test_rules_are_the_same_however_a_level_is_computed(
    depth: int, phases: list[PhaseConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for limit in (2**60, 0):
        monkeypatch.setattr(logic_layer, "MAX_EXPLICIT_PAIRS", limit)
        found.append(rules_learned(depth, phases))
    (rules, parameters), (same_rules, same_parameters) = found
    torch.testing.assert_close(parameters, same_parameters, rtol=1e-9, atol=1e-9)
    assert rules.expressions == same_rules.expressions
    np.testing.assert_array_equal(rules.predict(X), same_rules.predict(X))
