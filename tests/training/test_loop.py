"""The training loop: its steps by hand, copies side by side, and the epoch that it keeps."""

from __future__ import annotations

import copy
import math
from dataclasses import replace
from itertools import chain
from typing import Any, Literal

import numpy as np
import pytest
import torch
from torch import Tensor

from crisplogic.errors import CrisplogicError, DivergedError
from crisplogic.nn import LogicNetwork
from crisplogic.training import PAPER_CONFIG, Epoch, PhaseConfig, Rows, objectives, train
from crisplogic.training.losses import LOSSES
from crisplogic.training.optim import SGD
from tests.training.watched_steps import watch_steps

State = dict[str, Tensor]

QUICK = PhaseConfig(epochs=8, batch_size=8)
ROUGH = PhaseConfig(epochs=12, batch_size=8, learning_rate=0.5, optimizer="sgd", loss="squared")


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def some_rows(
    count: int = 40, columns: int = 3, seed: int = 0, dtype: torch.dtype | None = None
) -> Rows:
    """Rows of two classes that differ in whether the first two columns have the same sign."""
    values = torch.rand(count, columns, generator=seeded(seed), dtype=dtype) * 2 - 1
    return Rows(values, (values[:, 0] * values[:, 1] > 0).long())


def fresh_network(
    depth: int = 1, columns: int = 3, classes: int = 2, **options: Any
) -> LogicNetwork:
    return LogicNetwork(columns, classes, width=2, depth=depth, generator=seeded(1), **options)


def state_of(network: LogicNetwork) -> State:
    return {name: tensor.clone() for name, tensor in network.state_dict().items()}


def same(one: State, other: State) -> bool:
    """Whether two states are the same, bit for bit."""
    return all(torch.equal(tensor, other[name]) for name, tensor in one.items())


def trained(
    settings: PhaseConfig, seed: int = 0, **options: Any
) -> tuple[LogicNetwork, list[Epoch], list[State]]:
    """A trained network, its history, and its state after each epoch."""
    network, states = fresh_network(), list[State]()
    history = train(
        network,
        some_rows(),
        settings,
        seeded(seed),
        on_epoch=lambda epoch: states.append(state_of(network)),
        **options,
    )
    return network, history, states


# --- the steps --------------------------------------------------------------------------------


def papers_step(network: LogicNetwork, row: list[float], target: int) -> State:
    """One step of the paper's training at depth 1, in nothing but Python floats.

    Squared error, plain gradient descent at rate 0.01, L1 at 0.0001.
    """
    ((fuzzy, selector),) = network.levels()
    first, second = row
    pairs = [(first, second), (first, -1.0), (first, 1.0), (second, -1.0), (second, 1.0)]
    alphas, weights = fuzzy.alpha.tolist(), selector.weight.tolist()
    values = [
        (x + a) * (y + a) / (1 + abs(a)) - abs(a)
        for (x, y), a in zip(pairs, alphas, strict=True)
    ]
    by_alpha = [
        (abs(a) * (x + y) - a * (x * y + 1)) / (abs(a) * (abs(a) + 1) ** 2)
        for (x, y), a in zip(pairs, alphas, strict=True)
    ]
    scores = [sum(w * f for w, f in zip(unit, values, strict=True)) for unit in weights]
    blame = [score - (1 if number == target else -1) for number, score in enumerate(scores)]
    new_alphas = [
        a - 0.01 * slope * sum(b * unit[pair] for b, unit in zip(blame, weights, strict=True))
        for pair, (a, slope) in enumerate(zip(alphas, by_alpha, strict=True))
    ]
    new_weights = [
        [
            w - 0.01 * (b * value + 0.0001 * math.copysign(1, w))
            for w, value in zip(unit, values, strict=True)
        ]
        for b, unit in zip(blame, weights, strict=True)
    ]
    return {
        "alpha": torch.tensor(new_alphas, dtype=torch.float64),
        "weight": torch.tensor(new_weights, dtype=torch.float64),
    }


def test_a_step_with_the_papers_settings_is_the_papers_step_by_hand() -> None:
    network = fresh_network(columns=2, dtype=torch.float64)
    ((fuzzy, selector),) = network.levels()
    rows = Rows(torch.tensor([[0.3, -0.8]], dtype=torch.float64), torch.tensor([1]))
    for _ in range(5):  # the rate is constant: five runs of one epoch, five equal steps
        expected = papers_step(network, [0.3, -0.8], 1)
        train(network, rows, replace(PAPER_CONFIG, epochs=1), seeded())
        torch.testing.assert_close(fuzzy.alpha.detach(), expected["alpha"])
        torch.testing.assert_close(selector.weight.detach(), expected["weight"])
    assert network.log_scale == 0


def descend(network: LogicNetwork, rows: Rows, order: Tensor) -> None:
    """The paper's training on one row after the other, with torch's derivatives."""
    for row in order.tolist():
        network.zero_grad()
        scores = network.scores(rows.scaled[[row]])
        truth = torch.full_like(scores, -1.0)
        truth[0, rows.targets[row]] = 1.0
        ((scores - truth).square().sum() / 2 + 1e-4 * network.l1()).backward()
        with torch.no_grad():
            for parameter in network.parameters():
                if parameter.grad is not None:
                    parameter.sub_(0.01 * parameter.grad).clamp_(-1, 1)


@pytest.mark.parametrize("depth", [1, 2])
def test_the_papers_training_takes_one_plain_step_a_row(depth: int) -> None:
    network, by_hand = fresh_network(depth), fresh_network(depth)
    rows = some_rows(10)
    train(network, rows, replace(PAPER_CONFIG, epochs=1), seeded(3))
    descend(by_hand, rows, torch.randperm(10, generator=seeded(3)))
    for one, other in zip(network.parameters(), by_hand.parameters(), strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
@pytest.mark.parametrize("loss", ["cross_entropy", "squared"])
@pytest.mark.parametrize("snapped", [False, True])
def test_a_row_of_some_weight_is_learned_from_as_so_many_rows(
    optimizer: Literal["adam", "sgd"], loss: Literal["cross_entropy", "squared"], snapped: bool
) -> None:
    """Where a step sees all rows, for each copy by its own weights."""
    options: dict[str, Any] = {"copies": 2, "memberships": 2, "dtype": torch.float64}
    together = fresh_network(intercepts=True, **options)
    alone = copy.deepcopy(together)
    rows = some_rows(12, dtype=torch.float64)
    times = torch.randint(1, 5, (2, 12), generator=seeded(2))
    weights = times * (12 / times.sum(1, keepdim=True, dtype=torch.float64))
    settings = PhaseConfig(10, 100, 0.05, 1e-3, 1e-3, optimizer=optimizer, loss=loss)
    for network in (together, alone):
        network.snap(snapped)
    train(together, replace(rows, weights=weights), settings, seeded())
    for number, repeats in enumerate(times):
        repeated = rows[torch.arange(12).repeat_interleave(repeats)]
        network = copy.deepcopy(alone)
        train(network, repeated, settings, seeded())
        expected = state_of(network.copy(number))
        for name, tensor in state_of(together.copy(number)).items():
            torch.testing.assert_close(tensor, expected[name], rtol=1e-6, atol=1e-6)
        found, other = objectives(together, rows, settings), objectives(network, rows, settings)
        assert found[number].item() == pytest.approx(other[number].item(), rel=1e-6)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[dict[int, float]]:
    """The learning rate of every parameter in every step that is taken."""
    seen: list[dict[int, float]] = []

    def see(descent: SGD) -> None:
        seen.append({id(parameter): float(rate) for parameter, rate in descent})

    watch_steps(monkeypatch, see)
    return seen


Steps = list[dict[int, float]]


def rates_of(steps: Steps) -> list[float]:
    """The one rate of all parameters, step by step."""
    rates = [set(step.values()) for step in steps]
    assert all(len(rate) == 1 for rate in rates)
    return [rate.pop() for rate in rates]


def test_the_papers_rate_stays(steps: Steps) -> None:
    train(fresh_network(), some_rows(20), replace(PAPER_CONFIG, epochs=2), seeded())
    assert rates_of(steps) == [0.01] * 40


@pytest.mark.parametrize("settings", [QUICK, ROUGH], ids=["adam", "sgd"])
@pytest.mark.parametrize("pace", [0.25, 1.0, 3.0])
def test_every_parameter_is_trained_and_memberships_at_their_own_pace(
    settings: PhaseConfig, pace: float, steps: Steps
) -> None:
    network = fresh_network(memberships=2, intercepts=True)
    slow = {id(parameter) for parameter in network.membership.parameters()}
    train(network, some_rows(), replace(settings, epochs=2, membership_lr_scale=pace), seeded())
    assert len(steps) == 2 * 5
    for step in steps:
        assert set(step) == {id(parameter) for parameter in network.parameters()}
        of_logic = step[id(network.log_scale)]
        for parameter, rate in step.items():
            assert rate == pytest.approx(of_logic * (pace if parameter in slow else 1.0))
    assert steps[0][id(network.log_scale)] == settings.learning_rate


@pytest.mark.parametrize("settings", [QUICK, ROUGH], ids=["adam", "sgd"])
def test_memberships_without_a_pace_stay_where_they_are(settings: PhaseConfig) -> None:
    network = fresh_network(memberships=2)
    before = state_of(network)
    settings = replace(settings, loss="cross_entropy", membership_lr_scale=0)
    train(network, some_rows(), settings, seeded())
    for name, value in state_of(network).items():
        assert torch.equal(value, before[name]) == name.startswith("membership.")


def test_the_modern_rate_falls_to_nothing_along_a_cosine(steps: Steps) -> None:
    train(fresh_network(), some_rows(21), PhaseConfig(epochs=10, batch_size=5), seeded())
    rates = rates_of(steps)
    cosine = [0.02 * (1 + math.cos(math.pi * step / 50)) / 2 for step in range(50)]
    assert rates == pytest.approx(cosine)
    assert rates[-1] < rates[0] / 1000


def test_every_epoch_goes_once_through_all_rows_in_an_order_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batches: list[list[int]] = []

    def watched(network: LogicNetwork, scores: Tensor, targets: Tensor) -> Tensor:
        if torch.is_grad_enabled():  # a step, not an evaluation
            batches.append(targets.tolist())
        return scores.square().sum(-1)

    monkeypatch.setitem(LOSSES, "squared", watched)
    rows = Rows(torch.zeros(10, 3), torch.arange(10))  # the class is the number of the row
    settings = PhaseConfig(epochs=2, batch_size=4, loss="squared")
    train(fresh_network(classes=10), rows, settings, seeded())
    assert [len(batch) for batch in batches] == [4, 4, 2, 4, 4, 2]
    first, second = (list(chain(*batches[start : start + 3])) for start in (0, 3))
    assert sorted(first) == sorted(second) == list(range(10))
    assert first != second


# --- learning ---------------------------------------------------------------------------------

LEARNERS = {"modern": replace(QUICK, epochs=25), "paper": replace(PAPER_CONFIG, epochs=8)}


@pytest.mark.parametrize("settings", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("depth", [1, 2])
def test_the_loss_falls(settings: PhaseConfig, depth: int) -> None:
    history = train(fresh_network(depth), some_rows(), settings, seeded())
    assert history[-1].loss < 0.97 * history[0].loss


def test_a_network_is_trained_through_its_snap() -> None:
    network, rows = fresh_network(), some_rows(60)
    network.snap()
    train(network, rows, PhaseConfig(epochs=40, batch_size=8, learning_rate=0.05), seeded())
    right = network.scores(rows.scaled).argmax(1) == rows.targets
    assert right.float().mean() > 0.95
    for fuzzy, selector in network.levels():
        assert fuzzy.snapped
        assert selector.snapped


def test_more_l1_leaves_smaller_weights() -> None:
    sizes = [trained(replace(QUICK, l1=price))[0].l1().item() for price in (0.0, 0.01, 1.0)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < sizes[0] / 2


@pytest.mark.parametrize("depth", [1, 2])
def test_a_price_on_literals_leaves_fewer_of_them(depth: int) -> None:
    literals = []
    for price in (0.0, 0.01, 0.3):
        network = fresh_network(depth)
        settings = replace(QUICK, epochs=25, l1=0.0, literal_penalty=price)
        train(network, some_rows(), settings, seeded())
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
    "adam": (replace(QUICK, l1=1e-3, literal_penalty=1e-3), {}),
    "sgd": (replace(PAPER_CONFIG, epochs=1), {"depth": 2}),
    "adam with everything": (
        replace(QUICK, epochs=4, literal_penalty=1e-3),
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


def copies_of(count: int = 3, snapped: bool = False, **options: Any) -> LogicNetwork:
    """Copies that differ in all their parameters, in double precision."""
    network = fresh_network(copies=count, dtype=torch.float64, **options)
    generator = seeded(5)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.uniform_(-0.8, 0.8, generator=generator)
    network.snap(snapped)
    return network


def some_weights(copies: int, rows: int) -> Tensor:
    """Weights of rows for copies, a third of them 0."""
    weights = torch.rand(copies, rows, generator=seeded(6), dtype=torch.float64) * 3
    return weights.where(weights > 1, 0.0)


@batch_shape
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("snapped", [False, True])
def test_copies_learn_what_each_would_learn_alone(
    settings: PhaseConfig, options: dict[str, Any], weighted: bool, snapped: bool
) -> None:
    rows = some_rows(dtype=torch.float64)
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
def test_a_row_of_no_weight_is_kept_from_a_copy(
    settings: PhaseConfig, options: dict[str, Any]
) -> None:
    rows = some_rows(dtype=torch.float64)
    weights = torch.ones(2, len(rows), dtype=torch.float64)
    hidden = torch.tensor([0, 7, 8, 39])
    weights[1, hidden] = 0.0
    states = []
    for targets in (rows.targets, rows.targets.index_copy(0, hidden, 1 - rows.targets[hidden])):
        network = copies_of(2, **options)
        train(network, Rows(rows.scaled, targets, weights), settings, seeded(2))
        states.append([state_of(network.copy(number)) for number in range(2)])
    (sees_all, sees_less), (sees_others, sees_same) = states
    assert same(sees_less, sees_same)
    assert not same(sees_all, sees_others)


def test_weights_say_how_much_a_row_counts() -> None:
    rows = some_rows(4, dtype=torch.float64)
    twice = Rows(rows.scaled, rows.targets, torch.tensor([[2.0, 1.0, 1.0, 0.0]]))
    repeated = rows[torch.tensor([0, 0, 1, 2])]
    first, second = copies_of(1), copies_of(1)
    settings = PhaseConfig(epochs=3, batch_size=4)  # all rows in one step
    train(first, twice, settings, seeded())
    train(second, repeated, settings, seeded())
    for one, other in zip(first.parameters(), second.parameters(), strict=True):
        torch.testing.assert_close(one, other)


# --- objectives -------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["cross_entropy", "squared"])
@pytest.mark.parametrize("weighted", [False, True])
def test_objectives_are_the_loss_of_every_copy_with_the_price_of_its_size(
    loss: Literal["cross_entropy", "squared"], weighted: bool
) -> None:
    network, rows = copies_of(depth=2, memberships=1), some_rows(dtype=torch.float64)
    weights = some_weights(3, len(rows)) if weighted else torch.ones(3, len(rows))
    settings = PhaseConfig(l1=0.01, literal_penalty=0.02, loss=loss)
    found = objectives(network, replace(rows, weights=weights if weighted else None), settings)
    assert found.shape == (3,)
    assert not found.requires_grad
    for number, one in enumerate(network.copy(number) for number in range(3)):
        losses = LOSSES[loss](one, one.scores(rows.scaled), rows.targets)
        mean = (losses * weights[number]).sum() / len(rows)
        expected = mean + 0.01 * one.l1() + 0.02 * one.literals()
        assert found[number].item() == pytest.approx(expected.item())


def test_a_single_network_has_one_objective() -> None:
    assert objectives(fresh_network(), some_rows(), QUICK).shape == ()


# --- random draws -----------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_parameters_bit_for_bit() -> None:
    first, second = (state_of(trained(QUICK, seed=4)[0]) for _ in range(2))
    assert same(first, second)


def test_another_seed_gives_other_parameters() -> None:
    assert not same(state_of(trained(QUICK, seed=4)[0]), state_of(trained(QUICK, seed=5)[0]))


def test_the_random_numbers_of_torch_and_numpy_are_left_alone() -> None:
    of_torch, of_numpy = torch.get_rng_state(), np.random.get_state()  # noqa: NPY002
    trained(QUICK, validation=some_rows(10, seed=1))
    assert torch.equal(torch.get_rng_state(), of_torch)
    assert str(np.random.get_state()) == str(of_numpy)  # noqa: NPY002


def test_the_rows_are_left_as_they_were() -> None:
    rows = some_rows()
    before = copy.deepcopy(rows)
    train(fresh_network(), rows, QUICK, seeded())
    assert torch.equal(rows.scaled, before.scaled)
    assert torch.equal(rows.targets, before.targets)


# --- the epoch that is kept -------------------------------------------------------------------


@pytest.mark.parametrize("patience", [None, 2])
def test_without_validation_rows_the_last_epoch_is_the_one_kept(patience: int | None) -> None:
    network, history, states = trained(replace(ROUGH, patience=patience))
    losses = [epoch.loss for epoch in history]
    best = losses.index(min(losses))
    assert best < len(history) - 1, "the last epoch is the best: this run shows nothing"
    assert same(state_of(network), states[-1])
    assert not same(states[best], states[-1])


def test_with_validation_rows_the_best_epoch_is_the_best_on_them() -> None:
    network, history, states = trained(ROUGH, validation=some_rows(9, seed=2))
    losses = [epoch.loss for epoch in history]
    validation_losses = [epoch.validation_loss or math.nan for epoch in history]
    best = validation_losses.index(min(validation_losses))
    assert best != losses.index(min(losses)), "both losses agree: this run shows nothing"
    assert best != len(history) - 1, "the last epoch is the best: this run shows nothing"
    assert same(state_of(network), states[best])


def test_validation_rows_change_no_step() -> None:
    _, without, states = trained(QUICK)
    _, history, others = trained(QUICK, validation=some_rows(9, seed=2))
    assert [epoch.loss for epoch in history] == [epoch.loss for epoch in without]
    assert all(map(same, states, others))


@pytest.mark.parametrize("patience", [1, 2, 3])
@pytest.mark.parametrize("validated", [False, True])
def test_patience_stops_so_many_epochs_after_the_best(patience: int, validated: bool) -> None:
    validation = some_rows(9, seed=2) if validated else None
    _, history, _ = trained(replace(ROUGH, epochs=40, patience=patience), validation=validation)
    monitored = [epoch.monitored for epoch in history]
    assert len(history) < 40
    assert len(history) == monitored.index(min(monitored)) + 1 + patience


def test_without_patience_no_epoch_is_left_out() -> None:
    assert len(trained(ROUGH)[1]) == ROUGH.epochs


def test_the_network_is_handed_back_ready_for_use() -> None:
    assert not trained(QUICK)[0].training


# --- the history ------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["cross_entropy", "squared"])
@pytest.mark.parametrize("copies", [None, 3])
def test_the_history_holds_what_the_steps_of_an_epoch_saw(
    loss: Literal["cross_entropy", "squared"], copies: int | None
) -> None:
    network, rows = fresh_network(copies=copies), some_rows()
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
    network, rows = copies_of(1), some_rows(dtype=torch.float64)
    still = PhaseConfig(epochs=1, batch_size=39, learning_rate=1e-30)
    (epoch,) = train(network, rows, still, seeded())
    assert epoch.loss == pytest.approx(objectives(network, rows, still).item(), rel=1e-5)


@pytest.mark.parametrize("loss", ["cross_entropy", "squared"])
@pytest.mark.parametrize("copies", [None, 3])
def test_the_validation_loss_is_the_bare_loss_after_the_epoch(
    loss: Literal["cross_entropy", "squared"], copies: int | None
) -> None:
    network, validation = fresh_network(copies=copies), some_rows(9, seed=2)
    checked: list[Epoch] = []

    def check(epoch: Epoch) -> None:
        scores = network.scores(validation.scaled)
        bare = LOSSES[loss](network, scores, validation.targets).mean().item()
        assert epoch.validation_loss == pytest.approx(bare, rel=1e-5)
        checked.append(epoch)

    settings = PhaseConfig(epochs=3, batch_size=8, l1=0.01, literal_penalty=0.01, loss=loss)
    train(network, some_rows(), settings, seeded(), validation, on_epoch=check)
    assert len(checked) == 3


def test_every_epoch_is_reported_as_it_ends_and_returned_in_the_end() -> None:
    reported: list[Epoch] = []
    history = train(
        fresh_network(), some_rows(), QUICK, seeded(), phase="first", on_epoch=reported.append
    )
    assert reported == history
    assert [epoch.number for epoch in history] == list(range(1, QUICK.epochs + 1))
    assert {epoch.phase for epoch in history} == {"first"}
    assert all(epoch.validation_loss is None for epoch in history)


def test_epochs_are_compared_by_the_validation_loss_where_there_is_one() -> None:
    assert Epoch("soft", 1, 0.5, None).monitored == 0.5
    assert Epoch("soft", 1, 0.5, 0.7).monitored == 0.7


# --- divergence -------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [1e3, 1e10, 1e30])
@pytest.mark.parametrize("validated", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_a_run_that_diverges_says_so_and_what_to_try(
    rate: float, validated: bool, seed: int
) -> None:
    validation = some_rows(9, seed=2) if validated else None
    with pytest.raises(DivergedError) as error:
        trained(replace(QUICK, learning_rate=rate), seed, validation=validation)
    assert f"with learning_rate={rate}; try a smaller one, such as {rate / 10:g}" in str(
        error.value
    )
    assert isinstance(error.value, CrisplogicError)
    assert isinstance(error.value, ArithmeticError)


def test_rows_that_are_not_numbers_diverge() -> None:
    rows = some_rows()
    rows.scaled[3, 1] = math.nan
    with pytest.raises(DivergedError, match="after epoch 1 the loss was nan"):
        train(fresh_network(), rows, QUICK, seeded())


def test_validation_rows_that_are_not_numbers_diverge() -> None:
    validation = some_rows(9)
    validation.scaled[3, 1] = math.nan
    with pytest.raises(DivergedError, match="after epoch 1"):
        train(fresh_network(), some_rows(), QUICK, seeded(), validation)


@pytest.mark.parametrize("log_scale", [-200.0, 200.0, math.nan])
def test_one_copy_that_diverges_is_enough(log_scale: float) -> None:
    network = fresh_network(copies=3)
    with torch.no_grad():
        network.log_scale[1] = log_scale
    with pytest.raises(DivergedError, match="after epoch 1"):
        train(network, some_rows(), QUICK, seeded())


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


# --- rows -------------------------------------------------------------------------------------


def test_rows_are_picked_by_number() -> None:
    rows = some_rows(5)
    part = rows[torch.tensor([4, 0])]
    assert len(rows) == 5
    assert len(part) == 2
    assert torch.equal(part.scaled, rows.scaled[[4, 0]])
    assert torch.equal(part.targets, rows.targets[[4, 0]])
    assert part.weights is None


def test_rows_take_their_weights_along() -> None:
    rows = replace(some_rows(5), weights=torch.arange(10.0).reshape(2, 5))
    part = rows[torch.tensor([4, 0])]
    assert part.weights is not None
    assert part.weights.tolist() == [[4.0, 0.0], [9.0, 5.0]]
