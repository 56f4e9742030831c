"""Training of several processes, window after window, is that of one process."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
from torch import Tensor

from crisplogic.errors import DisagreementError, TableError
from crisplogic.group import ALONE, Group
from crisplogic.nn import LogicNetwork
from crisplogic.training import Epoch, PhaseConfig, TrainingData, objectives, train
from crisplogic.training.loop import TrainingState
from crisplogic.training.windows import Window, read_ahead
from tests.groups import run_together
from tests.training.samples import fresh_network, seeded, some_data, some_weights, state_of

COPIES, ROWS, EPOCHS = 3, 50, 4
CONFIG = PhaseConfig(epochs=EPOCHS, batch_size=8, learning_rate=0.05, l1=0.01)


@dataclass(frozen=True)
class Parts:
    """Windows of which every rank holds the rows that ``holders`` say, in another order."""

    group: Group
    holders: Tensor
    broken: int | None = None
    n_rows: int = ROWS

    def read(self, number: int) -> Window:
        if self.broken == number and self.group.rank == self.group.size - 1:
            raise TableError("part-7.parquet: it is damaged")
        data = some_data(ROWS, seed=number, dtype=torch.float64)
        data = replace(data, weights=some_weights(COPIES, ROWS))
        if self.group.size == 1:
            return Window(data, ROWS)
        places = torch.nonzero(self.holders == self.group.rank).flatten().flip(0)
        return Window.part(data[places], places, ROWS)


def network(**options: Any) -> LogicNetwork:
    return fresh_network(copies=COPIES, intercepts=True, dtype=torch.float64, **options)


EVEN = torch.arange(ROWS) % 2
UNEVEN = (torch.arange(ROWS) > 40).long()
ALL_BY_ONE = torch.ones(ROWS, dtype=torch.int64)


@pytest.mark.parametrize("holders", [EVEN, UNEVEN, ALL_BY_ONE], ids=["even", "uneven", "none"])
@pytest.mark.parametrize(
    ("config", "options"),
    [
        (CONFIG, {"memberships": 2}),
        (CONFIG, {"memberships": 1, "depth": 2}),
        (replace(CONFIG, optimizer="sgd", literal_penalty=0.01), {"memberships": 1}),
    ],
    ids=["shallow", "deep", "sgd"],
)
def test_processes_train_the_network_that_one_would(
    holders: Tensor, config: PhaseConfig, options: dict[str, Any]
) -> None:
    alone = network(**options)
    expected = train(alone, Parts(ALONE, holders), config, seeded(3))

    def train_in(group: Group) -> tuple[LogicNetwork, list[Epoch], Tensor]:
        own = network(**options)
        windows = Parts(group, holders)
        history = train(own, windows, config, seeded(3))
        return own, history, objectives(own, windows, config)

    found = run_together(2, train_in)
    values = objectives(alone, Parts(ALONE, holders), config)
    for each in found:
        assert not isinstance(each, Exception), each
        own, history, own_values = each
        for name, value in state_of(alone).items():
            assert torch.allclose(own.state_dict()[name], value, rtol=0, atol=1e-6), name
        losses = [epoch.loss for epoch in expected]
        assert [epoch.loss for epoch in history] == pytest.approx(losses, rel=1e-6)
        assert torch.allclose(own_values, values, rtol=1e-6)
    first, second = found
    assert isinstance(first, tuple)
    assert isinstance(second, tuple)
    assert all(
        torch.equal(value, second[0].state_dict()[name])
        for name, value in first[0].state_dict().items()
    )


@pytest.mark.parametrize("size", [1, 2])
def test_training_resumes_at_the_window_where_it_was(size: int) -> None:
    def resume(group: Group) -> tuple[LogicNetwork, LogicNetwork]:
        states: list[TrainingState] = []
        windows = Parts(group, EVEN)
        whole, resumed = network(memberships=1), network(memberships=1)

        def keep(state: TrainingState, _: bool) -> None:
            states.append(copy.deepcopy(state))

        train(whole, windows, CONFIG, seeded(3), callback=keep)
        train(resumed, windows, CONFIG, seeded(4), resume_state=states[1])
        return whole, resumed

    for found in run_together(size, resume):
        assert isinstance(found, tuple), found
        whole, resumed = found
        for name, value in whole.state_dict().items():
            assert torch.equal(value, resumed.state_dict()[name]), name


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("broken", [0, 2])
def test_a_window_that_one_process_cannot_read_ends_all_with_its_error(
    size: int, broken: int
) -> None:
    def fail(group: Group) -> None:
        train(network(memberships=1), Parts(group, EVEN, broken), CONFIG, seeded())

    found = run_together(size, fail)
    assert [str(each) for each in found] == ["part-7.parquet: it is damaged"] * size


def test_a_process_that_computes_another_network_is_detected() -> None:
    def train_in(group: Group) -> None:
        config = replace(CONFIG, learning_rate=0.05 + 0.1 * group.rank)
        train(network(memberships=1), Parts(group, EVEN), config, seeded())

    found = run_together(2, train_in)
    assert [type(each) for each in found] == [DisagreementError] * 2
    assert "the network of process 1 of 2 differs" in str(found[0])


def test_windows_are_read_once_each_and_in_order() -> None:
    seen: list[int] = []

    class Watched(Parts):
        def read(self, number: int) -> Window:
            seen.append(number)
            return super().read(number)

    for window in read_ahead(Watched(ALONE, EVEN), 2, 5):
        assert window.n_rows == ROWS
    assert seen == [2, 3, 4]
    assert not list(read_ahead(Watched(ALONE, EVEN), 3, 3))


def test_every_batch_has_each_row_of_all_processes_once() -> None:
    data = TrainingData(torch.arange(20.0)[:, None], torch.zeros(20, dtype=torch.int64))
    order = torch.randperm(20, generator=seeded())
    windows = [
        Window.part(data[places], places, 20)
        for places in (torch.arange(17), torch.arange(17, 20))
    ]
    batches = zip(*(window.batches(order, 6) for window in windows), strict=True)
    for parts, expected in zip(batches, order.split(6), strict=True):
        assert {part.n_rows for part in parts} == {len(expected)}
        found = []
        for window, part in zip(windows, parts, strict=True):
            rows = window.data[part.rows]
            assert rows.weights is not None
            found += rows.inputs[rows.weights[0] > 0].flatten().tolist()
        assert sorted(found) == sorted(expected.tolist())
