"""Training networks: two phases, one seed, restarts and folds side by side, validation."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

import crisplogic.training.networks
import crisplogic.training.problem
from crisplogic.nn import LogicNetwork
from crisplogic.nn.learned_membership import START_WIDTH
from crisplogic.training import (
    Checkpoint,
    Epoch,
    PhaseConfig,
    TrainedNetworks,
    TrainingConfig,
    TrainingData,
    objectives,
    stratified_holdout,
    train,
)
from crisplogic.training import checkpoint as checkpoint_module
from tests.training.samples import train_on

SOFT = PhaseConfig(epochs=4, batch_size=8)
PENALIZED = replace(SOFT, epochs=3, l1=2e-3, literal_penalty=1e-3)
CONFIG = TrainingConfig(depth=1, width=2, soft=SOFT, snapped=PENALIZED)
VALIDATED = replace(CONFIG, validation_fraction=0.25)
FOLDED = replace(CONFIG, restarts=2, folds=3)
EVERYTHING = replace(FOLDED, depth=2, memberships=2, intercepts=True, skip=True)


def some_table(rows: int = 40) -> NDArray[np.float64]:
    return np.random.default_rng(0).normal(50.0, 20.0, (rows, 3))


def some_targets(table: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.asarray(table[:, 0] > table[:, 1], dtype=np.intp)


def learned(config: TrainingConfig = CONFIG, seed: int = 0, **options: Any) -> TrainedNetworks:
    table = some_table()
    return train_on(table, some_targets(table), 2, config, seed, **options)


def networks_of(result: TrainedNetworks) -> list[LogicNetwork]:
    """Every network that was learned: soft, snapped, and of folds."""
    pairs = [network for pair in result.restarts for network in (pair.network, pair.snapped)]
    folds = [network for fold in result.folds for network in (fold.network, fold.snapped)]
    return [*pairs, *folds]


def same(one: LogicNetwork, other: LogicNetwork) -> bool:
    """Whether two networks are the same, bit for bit."""
    states = zip(one.state_dict().values(), other.state_dict().values(), strict=True)
    return all(torch.equal(*tensors) for tensors in states)


def objective_of(network: LogicNetwork, settings: PhaseConfig) -> float:
    table = some_table()
    rows = TrainingData(
        network.scale(torch.from_numpy(table)), torch.from_numpy(some_targets(table))
    )
    return objectives(network, rows, settings).item()


# --- one seed ---------------------------------------------------------------------------------


@pytest.mark.parametrize("config", [CONFIG, VALIDATED, FOLDED, EVERYTHING])
def test_the_same_seed_learns_the_same_bit_for_bit(config: TrainingConfig) -> None:
    first, second = learned(config, 3), learned(config, 3)
    assert first.history == second.history
    assert all(map(same, networks_of(first), networks_of(second)))
    assert [fold.held_out.tolist() for fold in first.folds] == [
        fold.held_out.tolist() for fold in second.folds
    ]


def test_another_seed_trains_other_networks_on_the_same_folds() -> None:
    first, second = learned(FOLDED, 3), learned(FOLDED, 4)
    assert not any(map(same, networks_of(first), networks_of(second)))
    assert first.folds[0].held_out.tolist() == second.folds[0].held_out.tolist()


@pytest.mark.parametrize("config", [VALIDATED, EVERYTHING])
def test_the_random_numbers_of_torch_and_numpy_are_left_alone(config: TrainingConfig) -> None:
    of_torch, of_numpy = torch.get_rng_state(), np.random.get_state()  # noqa: NPY002
    learned(config)
    assert torch.equal(torch.get_rng_state(), of_torch)
    assert str(np.random.get_state()) == str(of_numpy)  # noqa: NPY002


def test_the_table_and_the_targets_are_left_as_they_were() -> None:
    table = some_table()
    targets = some_targets(table)
    train_on(table, targets, 2, EVERYTHING, seed=0)
    assert np.array_equal(table, some_table())
    assert np.array_equal(targets, some_targets(table))


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_learning_works_where_gradients_are_switched_off(mode: Any) -> None:
    usual = learned()
    with mode():
        other = learned()
    assert all(map(same, networks_of(usual), networks_of(other)))


# --- two phases -------------------------------------------------------------------------------


def test_the_second_phase_leaves_the_soft_network_alone() -> None:
    both, first_alone = (
        learned().restarts[0],
        learned(replace(CONFIG, snapped=None)).restarts[0],
    )
    assert same(both.network, first_alone.network)
    assert not same(both.snapped, both.network)


@pytest.mark.parametrize("config", [CONFIG, EVERYTHING])
def test_the_second_phase_goes_on_from_the_first(config: TrainingConfig) -> None:
    barely = replace(PENALIZED, epochs=1, learning_rate=1e-12)
    result = learned(replace(config, snapped=barely))
    assert len(result.restarts) == config.restarts
    for pair in result.restarts:
        states = pair.network.state_dict(), pair.snapped.state_dict()
        for before, after in zip(*(state.values() for state in states), strict=True):
            # The last step of the first phase may have gone a little beyond a bound.
            torch.testing.assert_close(before, after, rtol=0, atol=1e-4)


def test_without_a_second_phase_the_network_itself_is_snapped() -> None:
    result = learned(replace(CONFIG, snapped=None))
    assert same(result.restarts[0].network, result.restarts[0].snapped)
    assert {epoch.phase for epoch in result.history} == {"soft"}


def test_no_two_networks_share_anything() -> None:
    networks = networks_of(learned(EVERYTHING))
    tensors = [tensor for network in networks for tensor in network.state_dict().values()]
    assert len({tensor.data_ptr() for tensor in tensors}) == len(tensors)


@pytest.mark.parametrize("config", [CONFIG, FOLDED, replace(FOLDED, snapped=None)])
def test_one_network_of_each_pair_is_soft_and_the_other_snapped(config: TrainingConfig) -> None:
    result = learned(config)
    soft = [pair.network for pair in (*result.restarts, *result.folds)]
    for network in networks_of(result):
        flags = {layer.snapped for level in network.levels() for layer in level}
        assert flags == {not any(network is each for each in soft)}


@pytest.mark.parametrize("config", [CONFIG, FOLDED])
def test_the_history_tells_both_phases(config: TrainingConfig) -> None:
    assert [(epoch.phase, epoch.number) for epoch in learned(config).history] == [
        *(("soft", number) for number in (1, 2, 3, 4)),
        *(("snapped", number) for number in (1, 2, 3)),
    ]


def test_every_epoch_is_reported_as_it_ends() -> None:
    reported: list[Epoch] = []
    assert learned(on_epoch=reported.append).history == reported


def test_a_config_knows_its_epochs() -> None:
    assert list(CONFIG.epochs().items()) == [("soft", 4), ("snapped", 3)]
    assert replace(CONFIG, snapped=None).epochs() == {"soft": 4}


def test_the_history_of_the_second_phase_is_that_of_the_snapped_values() -> None:
    still = replace(PENALIZED, epochs=1, learning_rate=1e-12)
    result = learned(replace(CONFIG, snapped=still))
    snapped = result.restarts[0].snapped
    assert result.history[-1].loss == pytest.approx(objective_of(snapped, still), rel=1e-4)
    snapped.snap(False)
    assert result.history[-1].loss != pytest.approx(objective_of(snapped, still), rel=1e-2)


def test_the_networks_have_the_shape_of_the_config() -> None:
    for network in networks_of(learned(replace(EVERYTHING, depth=3, width=5))):
        sizes = [
            (selector.in_features, selector.out_features) for _, selector in network.levels()
        ]
        assert sizes == [(27, 5), (77, 5), (77, 2)]  # 6 memberships, then 5 units beside them
        assert network.in_features == 3
        assert "intercept" in network.state_dict()
        assert network.copies is None
        assert not network.training


def test_networks_come_ready_for_rows_in_the_tables_own_units() -> None:
    result = learned(EVERYTHING)
    pairs = [(network, np.empty(0, np.intp)) for network in networks_of(result)[:4]]
    pairs += [(fold.snapped, fold.held_out) for fold in result.folds]
    for network, held_out in pairs:
        # A fold knows nothing of its held-out rows, not even the range of a column.
        seen = torch.from_numpy(np.delete(some_table(), held_out, axis=0))
        lows, highs = network.membership.scale(seen).aminmax(dim=0)
        assert lows.tolist() == pytest.approx([-1.0] * 3)
        assert highs.tolist() == pytest.approx([1.0] * 3)


@pytest.mark.parametrize("config", [FOLDED, EVERYTHING])
def test_a_folds_network_does_not_depend_on_its_held_out_rows(config: TrainingConfig) -> None:
    """Neither on their values, which may lie far outside the range of the others."""
    table, targets = some_table(), some_targets(some_table())
    usual = train_on(table, targets, 2, config, seed=0)
    for number, fold in enumerate(usual.folds):
        spoiled = table.copy()
        spoiled[fold.held_out] *= 1e6
        other = train_on(spoiled, targets, 2, config, seed=0)
        pairs = zip(usual.folds, other.folds, strict=True)
        unchanged = [same(one.snapped, another.snapped) for one, another in pairs]
        assert unchanged == [each == number for each in range(3)]


# --- restarts ---------------------------------------------------------------------------------


def test_one_restart_and_no_folds_are_the_default() -> None:
    result = learned()
    assert len(result.restarts) == 1
    assert result.folds == []


@pytest.mark.parametrize(
    "config", [replace(CONFIG, restarts=5), replace(EVERYTHING, restarts=4)]
)
@pytest.mark.parametrize("second", [PENALIZED, None])
def test_restarts_differ_and_come_with_the_least_objective_first(
    config: TrainingConfig, second: PhaseConfig | None
) -> None:
    config = replace(config, snapped=second)
    sorted_already = 0
    for seed in range(3):
        result = learned(config, seed)
        assert len(result.restarts) == config.restarts
        values = [objective_of(pair.snapped, second or SOFT) for pair in result.restarts]
        assert values == sorted(values)
        assert values[0] < values[-1]
        soft = [objective_of(pair.network, SOFT) for pair in result.restarts]
        sorted_already += soft == sorted(soft)
    assert sorted_already < 3, "any order of the soft networks would do: this shows nothing"


def test_a_restart_holds_a_soft_network_and_the_snapped_one_trained_from_it() -> None:
    barely = replace(PENALIZED, epochs=1, learning_rate=1e-12)
    result = learned(replace(CONFIG, restarts=4, snapped=barely))
    alphas = [next(pair.network.levels())[0].alpha for pair in result.restarts]
    for number, pair in enumerate(result.restarts):
        (fuzzy, _) = next(pair.snapped.levels())
        distances = [(fuzzy.alpha - alpha).abs().max().item() for alpha in alphas]
        assert distances.index(min(distances)) == number
        assert min(distances) < 1e-3


# --- folds ------------------------------------------------------------------------------------


@pytest.mark.parametrize("folds", [2, 3, 7])
def test_held_out_rows_of_all_folds_are_all_rows_and_of_all_classes(folds: int) -> None:
    result = learned(replace(CONFIG, folds=folds))
    targets = some_targets(some_table())
    assert len(result.folds) == folds
    rows = np.concatenate([fold.held_out for fold in result.folds])
    assert sorted(rows.tolist()) == list(range(40))
    shares = [targets[fold.held_out].mean() for fold in result.folds]
    assert shares == pytest.approx([targets.mean()] * folds, abs=0.2)


def fixed_folds(targets: Tensor, folds: int, *_: Any) -> Tensor:
    """Folds that the targets have no part in."""
    return torch.arange(len(targets)) % folds


@pytest.mark.parametrize("config", [FOLDED, EVERYTHING])
def test_a_folds_network_does_not_depend_on_its_held_out_targets(
    config: TrainingConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crisplogic.training.problem, "stratified_folds", fixed_folds)
    table = some_table()
    usual = learned(config)
    for number, fold in enumerate(usual.folds):
        assert fold.held_out.tolist() == list(range(number, 40, 3))
        targets = some_targets(table)
        targets[fold.held_out] = 1 - targets[fold.held_out]
        other = train_on(table, targets, 2, config, seed=0)
        pairs = zip(usual.folds, other.folds, strict=True)
        unchanged = [same(one.snapped, another.snapped) for one, another in pairs]
        assert unchanged == [each == number for each in range(3)]


def test_a_folds_network_has_learned_from_the_rows_it_saw() -> None:
    long = PhaseConfig(epochs=60, batch_size=8, learning_rate=0.05)
    result = learned(replace(CONFIG, folds=2, memberships=1, soft=long, snapped=long))
    table = some_table()
    for fold in result.folds:
        right = fold.snapped.predict(torch.from_numpy(table)).numpy() == some_targets(table)
        seen = np.setdiff1d(np.arange(40), fold.held_out)
        assert right[seen].mean() > 0.8


def test_restarts_see_all_rows_whatever_folds_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(crisplogic.training.problem, "stratified_folds", fixed_folds)
    table = some_table()
    usual = learned(FOLDED)
    for row in (0, 1, 2):  # one of each fold
        targets = some_targets(table)
        targets[row] = 1 - targets[row]
        other = train_on(table, targets, 2, FOLDED, seed=0)
        assert not same(usual.restarts[0].network, other.restarts[0].network)


def test_the_weights_of_a_fold_have_a_mean_of_1(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[TrainingData] = []

    def watched(network: LogicNetwork, rows: TrainingData, *others: Any) -> list[Epoch]:
        seen.append(rows)
        return []

    monkeypatch.setattr(crisplogic.training.networks, "train", watched)
    result = learned(FOLDED)
    soft, snapped = seen
    assert soft.weights is not None
    assert snapped.weights is not None
    assert torch.equal(soft.weights, snapped.weights)
    assert soft.weights.shape == (5, 40)
    assert soft.weights.mean(1).tolist() == pytest.approx([1.0] * 5)
    for restart in soft.weights[:2]:
        assert restart.unique().tolist() == [1.0]
    for fold, weights in zip(result.folds, soft.weights[2:], strict=True):
        assert np.flatnonzero(weights.numpy() == 0).tolist() == fold.held_out.tolist()
        assert weights.unique().numel() == 2


# --- weights of rows --------------------------------------------------------------------------


def some_weights() -> NDArray[np.float64]:
    return np.random.default_rng(7).integers(1, 5, 40).astype(float)


def test_weights_apply_to_every_network_that_sees_the_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[TrainingData] = []

    def watched(network: LogicNetwork, rows: TrainingData, *others: Any) -> list[Epoch]:
        seen.append(rows)
        return []

    monkeypatch.setattr(crisplogic.training.networks, "train", watched)
    weights = some_weights()
    result = learned(FOLDED, weights=weights)
    for rows in seen:
        assert rows.weights is not None
        assert rows.weights.mean(1).tolist() == pytest.approx([1.0] * 5)
        for restart in rows.weights[:2]:
            assert restart.tolist() == pytest.approx((weights / weights.mean()).tolist())
        for fold, of_copy in zip(result.folds, rows.weights[2:], strict=True):
            share = of_copy.numpy() / weights
            assert np.flatnonzero(share == 0).tolist() == fold.held_out.tolist()
            assert np.ptp(share[share > 0]) < 1e-6


WHOLE = replace(SOFT, epochs=20, batch_size=1000, optimizer="sgd", learning_rate=0.2)


@pytest.mark.parametrize("loss", ["cross_entropy", "squared_error"])
def test_a_weighted_row_counts_as_that_many_rows(loss: Any) -> None:
    """By plain descent on all rows at once: Adam makes much of the last digit of a sum."""
    whole = replace(WHOLE, loss=loss)
    config = replace(CONFIG, restarts=2, memberships=1, soft=whole, snapped=whole)
    table, weights = some_table(), some_weights()
    repeated = table.repeat(weights.astype(int), axis=0)
    one = train_on(table, some_targets(table), 2, config, seed=0, weights=weights)
    other = train_on(repeated, some_targets(repeated), 2, config, seed=0)
    for mine, its in zip(networks_of(one), networks_of(other), strict=True):
        for name, tensor in mine.state_dict().items():
            torch.testing.assert_close(tensor, its.state_dict()[name], rtol=1e-4, atol=1e-4)


def test_screening_uses_the_weights_of_rows() -> None:
    table = np.random.default_rng(0).normal(size=(200, 12))
    targets = np.where(np.arange(200) < 150, table[:, 3] > 0, table[:, 8] > 0).astype(np.intp)
    config = replace(CONFIG, n_selected_features=1, soft=replace(SOFT, epochs=1), snapped=None)
    for fold_count in (0, 2):
        for heavy, expected in ((slice(None, 150), 3), (slice(150, None), 8)):
            weights = np.full(200, 1e-3)
            weights[heavy] = 1.0
            config = replace(config, folds=fold_count)
            result = train_on(table, targets, 2, config, seed=0, weights=weights)
            for network in networks_of(result):
                assert network.columns.tolist() == [expected]


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

    monkeypatch.setattr(crisplogic.training.networks, "stratified_holdout", watched)
    return seen


def test_memberships_come_from_the_training_rows_alone(split: Split) -> None:
    low, high = learned(VALIDATED).restarts[0].network.membership.ends()
    assert len(split.held_out) == 10
    assert low.tolist() == some_table()[split.kept].min(axis=0).tolist()
    assert high.tolist() == some_table()[split.kept].max(axis=0).tolist()


def test_no_step_depends_on_validation_rows(split: Split) -> None:
    usual = learned(VALIDATED)
    table = some_table()
    targets = some_targets(table)
    table[split.held_out] *= -1000.0
    other = train_on(table, targets, 2, VALIDATED, seed=0)
    losses, others = (
        [epoch.loss for epoch in result.history if epoch.phase == "soft"]
        for result in (usual, other)
    )
    assert losses == others
    assert usual.history[0].validation_loss != other.history[0].validation_loss


def test_every_epoch_is_judged_by_the_validation_rows() -> None:
    losses = [epoch.validation_loss for epoch in learned(VALIDATED).history]
    assert all(loss is not None and math.isfinite(loss) for loss in losses)


def test_validation_rows_judge_the_networks_of_folds_too() -> None:
    """They are kept from all networks alike, not only from some."""
    with_folds = learned(replace(VALIDATED, folds=3))
    assert min(epoch.validation_loss or 0.0 for epoch in with_folds.history) > 0.1


def test_validation_rows_are_weighted(split: Split, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[TrainingData] = []

    def watched(network: LogicNetwork, rows: TrainingData, *others: Any) -> list[Epoch]:
        asked.append(others[2])
        return train(network, rows, *others)

    monkeypatch.setattr(crisplogic.training.networks, "train", watched)
    weights = some_weights()
    history = learned(replace(VALIDATED, restarts=2, folds=3), weights=weights).history
    expected = weights[split.held_out] / weights[split.held_out].mean()
    for validation in asked:
        assert validation.weights is not None
        assert validation.weights.shape == (1, 10)  # the same for all networks
        assert validation.weights[0].tolist() == pytest.approx(expected.tolist())
    other = learned(replace(VALIDATED, restarts=2, folds=3)).history
    assert history[0].validation_loss != other[0].validation_loss


def test_without_a_validation_fraction_all_rows_are_used() -> None:
    result = learned()
    _, high = result.restarts[0].network.membership.ends()
    assert high.tolist() == some_table().max(axis=0).tolist()
    assert all(epoch.validation_loss is None for epoch in result.history)


def test_held_out_rows_are_rows_of_the_table_beside_validation_rows_too(split: Split) -> None:
    result = learned(replace(VALIDATED, folds=3))
    rows = np.concatenate([fold.held_out for fold in result.folds])
    assert sorted(rows.tolist()) == split.kept.tolist()


FRACTIONS: tuple[Any, ...] = (-0.1, 1, 1.5, math.nan, math.inf, "0.2", None)


@pytest.mark.parametrize("fraction", FRACTIONS)
def test_an_invalid_validation_fraction_is_an_error(fraction: Any) -> None:
    needed = "validation_fraction must be a number of at least 0 and below 1, got "
    with pytest.raises(ValueError, match=f"^{needed}"):
        replace(CONFIG, validation_fraction=fraction)


# --- what is shown meanwhile ------------------------------------------------------------------


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    learned(FOLDED)
    assert capfd.readouterr() == ("", "")


# --- hard thresholds --------------------------------------------------------------------------

CRISP = replace(FOLDED, memberships=2, literals="crisp")


@pytest.mark.parametrize("depth", [1, 2])
def test_the_second_phase_may_train_through_hard_thresholds(depth: int) -> None:
    result = learned(replace(CRISP, depth=depth))
    snapped = [each.snapped for each in (*result.restarts, *result.folds)]
    assert all(network.crisp for network in snapped)
    assert not any(each.network.crisp for each in (*result.restarts, *result.folds))


def test_rounding_alone_makes_hard_thresholds_too() -> None:
    result = learned(replace(CRISP, snapped=None))
    assert all(pair.snapped.crisp for pair in result.restarts)


def test_hard_thresholds_are_learned() -> None:
    table = np.random.default_rng(1).normal(50.0, 20.0, (300, 2))
    targets = np.asarray(table[:, 0] > 60.0, dtype=np.intp)
    phase = PhaseConfig(epochs=30, batch_size=32, learning_rate=0.05)
    config = TrainingConfig(
        depth=1, width=2, soft=phase, snapped=phase, memberships=1, intercepts=True
    )
    result = train_on(table, targets, 2, replace(config, literals="crisp"))
    best = result.restarts[0]
    predicted = best.snapped.predict(torch.from_numpy(table)).numpy()
    assert np.mean(predicted != targets) < 0.03
    both = (each.membership.get_parameter("centre") for each in (best.network, best.snapped))
    assert not torch.equal(*both), "thresholds move in the second phase"


@pytest.mark.parametrize("after", [1, 2])
def test_training_through_hard_thresholds_resumes_bit_for_bit(
    after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint_module, "SECONDS_BETWEEN", 0.0)
    whole = learned(CRISP)

    def stop(epoch: Epoch) -> None:
        if epoch.phase == "snapped" and epoch.number > after:
            raise KeyboardInterrupt

    path, known = tmp_path / "fit.npz", {"literals": "crisp"}
    with pytest.raises(KeyboardInterrupt):
        learned(CRISP, on_epoch=stop, checkpoint=Checkpoint(path, known))
    resumed = learned(CRISP, checkpoint=Checkpoint(path, known))
    assert resumed.history == whole.history
    assert all(map(same, networks_of(resumed), networks_of(whole)))


# --- where memberships start ------------------------------------------------------------------


def test_graded_memberships_start_as_in_the_paper() -> None:
    still = replace(SOFT, epochs=1, learning_rate=1e-9)
    result = learned(replace(FOLDED, soft=still, snapped=None, memberships=1))
    for fold in result.folds:
        begin, end = fold.network.membership.ends()
        seen = some_table()[fold.view.rows]
        np.testing.assert_allclose(begin.numpy(), seen.min(axis=0), rtol=1e-4)
        np.testing.assert_allclose(end.numpy(), seen.max(axis=0), rtol=1e-4)


def test_crisp_memberships_start_where_most_values_are_that_a_network_sees() -> None:
    table = some_table()
    table[7, 0] = 1e6  # far from the others
    still = replace(SOFT, epochs=1, learning_rate=1e-9)
    config = replace(CRISP, soft=still, snapped=None, memberships=1)
    for fold in train_on(table, some_targets(table), 2, config).folds:
        begin, end = fold.network.membership.ends()
        seen = table[fold.view.rows]
        width = START_WIDTH * seen.std(axis=0)
        np.testing.assert_allclose((begin + end).numpy() / 2, seen.mean(axis=0), rtol=1e-4)
        np.testing.assert_allclose((end - begin).numpy() / 2, width, rtol=1e-4)
