"""The training loop: its steps by hand, its random draws, and the epoch that it keeps."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, Literal

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.optim.optimizer import register_optimizer_step_pre_hook

from crisplogic.errors import CrisplogicError, DivergedError
from crisplogic.nn import LogicNetwork
from crisplogic.train import PAPER_SETTINGS, Epoch, Rows, Settings, train
from crisplogic.train.losses import LOSSES

State = dict[str, Tensor]

QUICK = Settings(epochs=8, batch_size=8)
ROUGH = Settings(epochs=12, batch_size=8, learning_rate=0.5, optimizer="sgd", loss="squared")


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def some_rows(count: int = 40, columns: int = 3, seed: int = 0) -> Rows:
    """Rows of two classes that differ in whether the first two columns have the same sign."""
    values = torch.rand(count, columns, generator=seeded(seed)) * 2 - 1
    return Rows(values, (values[:, 0] * values[:, 1] > 0).long())


def fresh_network(
    depth: int = 1, columns: int = 3, classes: int = 2, dtype: torch.dtype | None = None
) -> LogicNetwork:
    return LogicNetwork(
        columns, classes, width=2, depth=depth, generator=seeded(1), dtype=dtype
    )


def state_of(network: LogicNetwork) -> State:
    return {name: tensor.clone() for name, tensor in network.state_dict().items()}


def same(one: State, other: State) -> bool:
    """Whether two states are the same, bit for bit."""
    return all(torch.equal(tensor, other[name]) for name, tensor in one.items())


def trained(
    settings: Settings, seed: int = 0, **options: Any
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
        train(network, rows, replace(PAPER_SETTINGS, epochs=1), seeded())
        torch.testing.assert_close(fuzzy.alpha.detach(), expected["alpha"])
        torch.testing.assert_close(selector.weight.detach(), expected["weight"])
    assert network.log_scale == 0


def descend(network: LogicNetwork, rows: Rows, order: Tensor) -> None:
    """The paper's training on one row after the other, with torch's derivatives."""
    for row in order.tolist():
        network.zero_grad()
        scores = network.scores(rows.memberships[[row]])
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
    train(network, rows, replace(PAPER_SETTINGS, epochs=1), seeded(3))
    descend(by_hand, rows, torch.randperm(10, generator=seeded(3)))
    for one, other in zip(network.parameters(), by_hand.parameters(), strict=True):
        torch.testing.assert_close(one, other)


@pytest.fixture
def rates() -> Iterator[list[float]]:
    """The learning rate of every step that any optimiser takes."""
    seen: list[float] = []
    hook = register_optimizer_step_pre_hook(
        lambda optimizer, *_: seen.append(float(optimizer.param_groups[0]["lr"]))
    )
    yield seen
    hook.remove()


def test_the_papers_rate_stays(rates: list[float]) -> None:
    train(fresh_network(), some_rows(20), replace(PAPER_SETTINGS, epochs=2), seeded())
    assert rates == [0.01] * 40


def test_the_modern_rate_falls_to_nothing_along_a_cosine(rates: list[float]) -> None:
    train(fresh_network(), some_rows(21), Settings(epochs=10, batch_size=5), seeded())
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
        return scores.square().sum()

    monkeypatch.setitem(LOSSES, "squared", watched)
    rows = Rows(torch.zeros(10, 3), torch.arange(10))  # the class is the number of the row
    settings = Settings(epochs=2, batch_size=4, loss="squared")
    train(fresh_network(classes=10), rows, settings, seeded())
    assert [len(batch) for batch in batches] == [4, 4, 2, 4, 4, 2]
    first, second = (list(chain(*batches[start : start + 3])) for start in (0, 3))
    assert sorted(first) == sorted(second) == list(range(10))
    assert first != second


# --- learning ---------------------------------------------------------------------------------

LEARNERS = {"modern": replace(QUICK, epochs=25), "paper": replace(PAPER_SETTINGS, epochs=8)}


@pytest.mark.parametrize("settings", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("depth", [1, 2])
def test_the_loss_falls(settings: Settings, depth: int) -> None:
    history = train(fresh_network(depth), some_rows(), settings, seeded())
    assert history[-1].loss < 0.97 * history[0].loss


def test_a_network_is_trained_through_its_snap() -> None:
    network, rows = fresh_network(), some_rows(60)
    network.snap()
    train(network, rows, Settings(epochs=40, batch_size=8, learning_rate=0.05), seeded())
    right = network.scores(rows.memberships).argmax(1) == rows.targets
    assert right.float().mean() > 0.95
    for fuzzy, selector in network.levels():
        assert fuzzy.snapped
        assert selector.snapped


def test_more_l1_leaves_smaller_weights() -> None:
    sizes = [trained(replace(QUICK, l1=price))[0].l1().item() for price in (0.0, 0.01, 1.0)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < sizes[0] / 2


def test_parameters_end_in_bounds_however_large_the_steps() -> None:
    network, _, _ = trained(replace(ROUGH, learning_rate=50.0))
    for fuzzy, selector in network.levels():
        assert fuzzy.alpha.abs().max() <= 1
        assert selector.weight.abs().max() <= 1


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
    assert torch.equal(rows.memberships, before.memberships)
    assert torch.equal(rows.targets, before.targets)


# --- the epoch that is kept -------------------------------------------------------------------


def test_the_best_epoch_is_the_one_kept() -> None:
    network, history, states = trained(ROUGH)
    losses = [epoch.loss for epoch in history]
    best = losses.index(min(losses))
    assert best < len(history) - 1, "the last epoch is the best: this run shows nothing"
    assert same(state_of(network), states[best])


def test_with_validation_rows_the_best_epoch_is_the_best_on_them() -> None:
    network, history, states = trained(ROUGH, validation=some_rows(9, seed=2))
    losses = [epoch.loss for epoch in history]
    validation_losses = [epoch.validation_loss or math.nan for epoch in history]
    best = validation_losses.index(min(validation_losses))
    assert best != losses.index(min(losses)), "both losses agree: this run shows nothing"
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


@pytest.mark.parametrize("loss", LOSSES)
def test_the_history_holds_the_loss_on_all_rows_with_the_price_of_weights(
    loss: Literal["cross_entropy", "squared"],
) -> None:
    network, rows, validation = fresh_network(), some_rows(), some_rows(9, seed=2)

    def check(epoch: Epoch) -> None:
        def bare(part: Rows) -> float:
            return LOSSES[loss](network, network.scores(part.memberships), part.targets).item()

        price = 0.01 * network.l1().item()
        assert epoch.loss == pytest.approx(bare(rows) + price, rel=1e-5)
        assert epoch.validation_loss == pytest.approx(bare(validation), rel=1e-5)

    settings = Settings(epochs=3, batch_size=8, l1=0.01, loss=loss)
    train(network, rows, settings, seeded(), validation, on_epoch=check)


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
    rows.memberships[3, 1] = math.nan
    with pytest.raises(DivergedError, match="after epoch 1 the loss was nan"):
        train(fresh_network(), rows, QUICK, seeded())


def test_validation_rows_that_are_not_numbers_diverge() -> None:
    validation = some_rows(9)
    validation.memberships[3, 1] = math.nan
    with pytest.raises(DivergedError, match="after epoch 1"):
        train(fresh_network(), some_rows(), QUICK, seeded(), validation)


@pytest.mark.parametrize("settings", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("rate", [1.0, 10.0, 30.0, 100.0, 1e30])
def test_no_network_with_nan_is_ever_handed_back(settings: Settings, rate: float) -> None:
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
    assert torch.equal(part.memberships, rows.memberships[[4, 0]])
    assert torch.equal(part.targets, rows.targets[[4, 0]])
