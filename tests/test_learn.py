"""Learning: two phases, one seed, and validation rows that nothing learns from."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

import crisplogic.learn
from crisplogic.learn import Learned, Plan, learn
from crisplogic.nn import LogicNetwork
from crisplogic.train import Settings, stratified_holdout

SOFT = Settings(epochs=4, batch_size=8)
PRICED = replace(SOFT, epochs=3, l1=2e-3)
PLAN = Plan(depth=1, width=2, soft=SOFT, snapped=PRICED)
VALIDATED = replace(PLAN, validation_fraction=0.25)


def some_table(rows: int = 40) -> NDArray[np.float64]:
    return np.random.default_rng(0).normal(50.0, 20.0, (rows, 3))


def some_targets(table: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.asarray(table[:, 0] > table[:, 1], dtype=np.intp)


def learned(plan: Plan = PLAN, seed: int = 0, **options: Any) -> Learned:
    table = some_table()
    return learn(table, some_targets(table), 2, plan, seed, **options)


def same(one: LogicNetwork, other: LogicNetwork) -> bool:
    """Whether two networks are the same, bit for bit."""
    states = zip(one.state_dict().values(), other.state_dict().values(), strict=True)
    return all(torch.equal(*tensors) for tensors in states)


# --- one seed ---------------------------------------------------------------------------------


@pytest.mark.parametrize("plan", [PLAN, VALIDATED, replace(PLAN, depth=2)])
def test_the_same_seed_learns_the_same_bit_for_bit(plan: Plan) -> None:
    first, second = learned(plan, 3), learned(plan, 3)
    assert first.history == second.history
    assert same(first.network, second.network)
    assert same(first.snapped, second.snapped)


def test_another_seed_learns_something_else() -> None:
    assert not same(learned(seed=3).network, learned(seed=4).network)


def test_the_random_numbers_of_torch_and_numpy_are_left_alone() -> None:
    of_torch, of_numpy = torch.get_rng_state(), np.random.get_state()  # noqa: NPY002
    learned(VALIDATED)
    assert torch.equal(torch.get_rng_state(), of_torch)
    assert str(np.random.get_state()) == str(of_numpy)  # noqa: NPY002


# --- two phases -------------------------------------------------------------------------------


def test_the_second_phase_leaves_the_soft_network_alone() -> None:
    both, first_alone = learned(), learned(replace(PLAN, snapped=None))
    assert same(both.network, first_alone.network)
    assert not same(both.snapped, both.network)


def test_the_second_phase_goes_on_from_the_first() -> None:
    barely = replace(PRICED, epochs=1, learning_rate=1e-12)
    result = learned(replace(PLAN, snapped=barely))
    for before, after in zip(
        result.network.parameters(), result.snapped.parameters(), strict=True
    ):
        torch.testing.assert_close(before, after)


def test_without_a_second_phase_the_network_itself_is_snapped() -> None:
    result = learned(replace(PLAN, snapped=None))
    assert same(result.network, result.snapped)
    assert {epoch.phase for epoch in result.history} == {"soft"}


def test_the_two_networks_share_nothing() -> None:
    result = learned(replace(PLAN, snapped=None))
    before = [parameter.clone() for parameter in result.network.parameters()]
    for parameter in result.snapped.parameters():
        torch.nn.init.constant_(parameter, 9.0)
    assert all(map(torch.equal, result.network.parameters(), before))


@pytest.mark.parametrize("plan", [PLAN, replace(PLAN, snapped=None)])
def test_one_network_is_soft_and_the_other_snapped(plan: Plan) -> None:
    result = learned(plan)
    for network, snapped in ((result.network, False), (result.snapped, True)):
        assert {layer.snapped for level in network.levels() for layer in level} == {snapped}


def test_the_history_tells_both_phases() -> None:
    history = learned().history
    assert [(epoch.phase, epoch.number) for epoch in history] == [
        *(("soft", number) for number in (1, 2, 3, 4)),
        *(("snapped", number) for number in (1, 2, 3)),
    ]


def test_the_history_of_the_second_phase_is_that_of_the_snapped_values() -> None:
    table = some_table()
    result = learned()
    with torch.no_grad():
        scores = result.snapped(torch.from_numpy(table))
    targets = torch.from_numpy(some_targets(table))
    bare = torch.nn.functional.cross_entropy(result.snapped.logits(scores), targets)
    best = min(epoch.loss for epoch in result.history if epoch.phase == "snapped")
    assert best == pytest.approx((bare + PRICED.l1 * result.snapped.l1()).item(), rel=1e-5)


def test_the_network_has_the_shape_of_the_plan() -> None:
    network = learned(replace(PLAN, depth=3, width=5)).network
    sizes = [selector.out_features for _, selector in network.levels()]
    assert sizes == [5, 5, 2]
    assert network.in_features == 3


# --- validation rows --------------------------------------------------------------------------


@dataclass
class Split:
    """Which rows the last call of ``stratified_holdout`` kept and which it set aside."""

    kept: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    held_out: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))


@pytest.fixture
def split(monkeypatch: pytest.MonkeyPatch) -> Split:
    seen = Split()

    def watched(*arguments: Any) -> tuple[Tensor, Tensor]:
        kept, held_out = stratified_holdout(*arguments)
        seen.kept, seen.held_out = kept.numpy(), held_out.numpy()
        return kept, held_out

    monkeypatch.setattr(crisplogic.learn, "stratified_holdout", watched)
    return seen


def test_memberships_come_from_the_training_rows_alone(split: Split) -> None:
    membership = learned(VALIDATED).network.membership
    assert len(split.held_out) == 10
    assert membership.low.tolist() == some_table()[split.kept].min(axis=0).tolist()
    assert membership.high.tolist() == some_table()[split.kept].max(axis=0).tolist()


def test_no_step_depends_on_validation_rows(split: Split) -> None:
    usual = learned(VALIDATED)
    table = some_table()
    targets = some_targets(table)
    table[split.held_out] *= -1000.0
    other = learn(table, targets, 2, VALIDATED, seed=0)
    losses, others = (
        [epoch.loss for epoch in result.history if epoch.phase == "soft"]
        for result in (usual, other)
    )
    assert losses == others
    assert usual.history[0].validation_loss != other.history[0].validation_loss


def test_every_epoch_is_judged_by_the_validation_rows() -> None:
    losses = [epoch.validation_loss for epoch in learned(VALIDATED).history]
    assert all(loss is not None and math.isfinite(loss) for loss in losses)


def test_without_a_fraction_all_rows_are_learned_from() -> None:
    result = learned()
    assert result.network.membership.high.tolist() == some_table().max(axis=0).tolist()
    assert all(epoch.validation_loss is None for epoch in result.history)


FRACTIONS: tuple[Any, ...] = (-0.1, 1, 1.5, math.nan, math.inf, "0.2", None)


@pytest.mark.parametrize("fraction", FRACTIONS)
def test_a_fraction_that_is_none_is_refused(fraction: Any) -> None:
    needed = "validation_fraction must be a number of at least 0 and below 1, got "
    with pytest.raises(ValueError, match=f"^{needed}"):
        replace(PLAN, validation_fraction=fraction)


# --- what is shown meanwhile ------------------------------------------------------------------


def test_nothing_is_printed_unless_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    learned()
    assert capfd.readouterr() == ("", "")


def test_asked_for_the_bar_counts_the_epochs_of_both_phases(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "120"}.items():
        monkeypatch.setenv(name, value)
    learned(verbose=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "epoch 7/7" in captured.err
