"""Train networks on a table, or on parts of it: softly, then through the rounding."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from crisplogic.group import ALONE, Group
from crisplogic.nn import LogicNetwork
from crisplogic.parameters import require
from crisplogic.training.checkpoint import Checkpoint
from crisplogic.training.config import PhaseConfig, TrainingConfig
from crisplogic.training.data import TrainingData
from crisplogic.training.device import matmul_precision, threads_for
from crisplogic.training.loop import Epoch, OnEpoch, objectives, train
from crisplogic.training.losses import Targets
from crisplogic.training.problem import TrainingProblem, ValidationRows
from crisplogic.training.screening import best_columns, updated_columns
from crisplogic.training.splits import stratified_holdout
from crisplogic.training.streams import Stream, StreamedWindows
from crisplogic.training.views import Floats, MakeViews, RowNumbers, View
from crisplogic.training.windows import InMemory, Windows


@dataclass(frozen=True)
class Restart:
    """A soft network, and the network trained on from it through the rounding."""

    network: LogicNetwork
    snapped: LogicNetwork


@dataclass(frozen=True)
class Fold(Restart):
    """Networks that never saw the rows ``held_out``, and what they did see."""

    held_out: RowNumbers
    view: View


@dataclass(frozen=True)
class TrainedNetworks:
    """All restarts, the least objective first, all folds, and the history.

    ``view`` is what the restarts saw.
    """

    restarts: list[Restart]
    folds: list[Fold]
    history: list[Epoch]
    view: View

    def tested_on(self, rows: RowNumbers) -> TrainedNetworks:
        """The same, with the best restart as the one fold: it never saw these rows."""
        return replace(self, folds=[self.as_fold(rows)])

    def as_fold(self, rows: RowNumbers) -> Fold:
        """The best restart as a fold that never saw these rows."""
        best = self.restarts[0]
        return Fold(best.network, best.snapped, rows, self.view)


@torch.inference_mode(False)  # training needs gradients, whatever the caller's mode
@torch.enable_grad()
def train_networks(
    make_views: MakeViews,
    targets: Targets,
    n_outputs: int,
    config: TrainingConfig,
    seed: int,
    on_epoch: OnEpoch = lambda epoch: None,
    weights: Floats | None = None,
    checkpoint: Checkpoint | None = None,
    rows: RowNumbers | None = None,
    group: Group = ALONE,
    stream: Stream | None = None,
) -> TrainedNetworks:
    """Train networks on a table, or on some ``rows`` of it.

    ``make_views`` encodes the table for each network, from the rows that this network may
    learn from. All random numbers come from ``seed``: the same seed, table and machine give
    the same networks, bit for bit. Restarts are ordered by their training objective, because
    it uses many more rows than a validation set has. A ``checkpoint`` saves training and
    resumes it; it must have the same fingerprint and seed. The processes of a ``group`` have
    the same table, and train the same networks together. With a ``stream`` the table is a
    sample of it, and networks train on the windows of the stream.

    Rows are set aside so that all sets of rows have similar ``targets`` and ``weights``. For
    regression the views need targets with a mean of about 0 and a standard deviation of about
    1; use one output and the loss "mean_squared_error".

    Shape: ``targets`` (rows,), class numbers below ``n_outputs`` or numbers; ``weights``
    (rows,), above 0.

    >>> from crisplogic.training import fixed_views
    >>> table = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> targets = np.array([0, 1, 1, 0])
    >>> phase = PhaseConfig(epochs=40, batch_size=1)
    >>> config = TrainingConfig(depth=1, width=8, soft=phase, snapped=phase)
    >>> trained = train_networks(fixed_views(table, targets), targets, 2, config, seed=0)
    >>> trained.restarts[0].snapped.predict(torch.from_numpy(table)).tolist()
    [0, 1, 1, 0]
    """
    generator = torch.Generator().manual_seed(seed)
    rows, validation = np.arange(len(targets)) if rows is None else rows, None
    require(
        stream is None or not config.validation_fraction,
        "config",
        "one without validation_fraction for a stream",
        config,
    )
    if config.validation_fraction:
        strata = config.loss.strata(torch.from_numpy(targets[rows]))
        kept, held_out = stratified_holdout(strata, config.validation_fraction, generator)
        chosen_by = torch.from_numpy(rows)[held_out]
        rows, validation = rows[kept.numpy()], ValidationRows.select(chosen_by, weights)
    problem = TrainingProblem.create(
        make_views, targets, n_outputs, config, [rows], generator, weights, validation
    )
    (trained,) = train_phases(problem, on_epoch, checkpoint, group, stream)
    return trained


@torch.inference_mode(False)  # training needs gradients, whatever the caller's mode
@torch.enable_grad()
def train_networks_by_part(
    make_views: MakeViews,
    targets: Targets,
    n_outputs: int,
    config: TrainingConfig,
    seed: int,
    parts: Sequence[RowNumbers],
    on_epoch: OnEpoch = lambda epoch: None,
    penalty_factors: Sequence[tuple[float, float]] | None = None,
    weights: Floats | None = None,
) -> list[TrainedNetworks]:
    """Train on several parts of a table at once, on each as if the rest did not exist.

    ``parts`` are row numbers, and so are the held-out rows of folds. All parts train for the
    same number of epochs, so ``config`` may have neither a validation fraction nor patience.
    ``penalty_factors`` scale the penalties of each part, in the soft and the snapped phase;
    the same rows may be several parts with different factors.
    """
    early = config.validation_fraction or config.soft.patience is not None
    require(not early, "config", "one without validation_fraction and patience", config)
    generator = torch.Generator().manual_seed(seed)
    problem = TrainingProblem.create(
        make_views,
        targets,
        n_outputs,
        config,
        parts,
        generator,
        weights,
        penalty_factors=penalty_factors,
    )
    return train_phases(problem, on_epoch)


def train_phases(
    problem: TrainingProblem,
    on_epoch: OnEpoch,
    checkpoint: Checkpoint | None = None,
    group: Group = ALONE,
    stream: Stream | None = None,
) -> list[TrainedNetworks]:
    """Train all networks of a problem in all phases. Return them part by part."""
    config, network = problem.config, problem.network
    saved = checkpoint or Checkpoint()

    def data(phase: str) -> TrainingData | Windows:
        if stream is not None:
            return StreamedWindows(problem, stream)
        rows = problem.training_data(snapped=phase == "snapped")
        return rows if group.size == 1 else InMemory(rows, group)

    def run(model: LogicNetwork, phase_config: PhaseConfig, phase: str) -> list[Epoch]:
        # A step shows each network as many of its own rows as if it were alone.
        batch_size = math.ceil(phase_config.batch_size * problem.batch_scale)
        return train(
            model,
            data(phase),
            replace(phase_config, batch_size=batch_size),
            problem.generator,
            problem.validation_data(),
            phase,
            on_epoch,
            saved.resume_state(phase),
            saved.callback(phase, network, history),
        )

    with matmul_precision(tf32=config.tf32), threads_for(network, config.soft.batch_size):
        history = saved.restore(network)
        if problem.selects_columns and not saved.is_done("screening"):
            network.columns.copy_(best_columns(problem))
            network.apply_constraints()
            problem.start_memberships()
            history += run(network, config.soft, "screening")
            network.select_columns(updated_columns(problem))
        if not saved.is_done("soft"):
            if not problem.selects_columns:  # else screening has trained them
                problem.start_memberships()
            history += run(network, config.soft, "soft")
        snapped = copy.deepcopy(network)
        snapped.snap(crisp=config.literals == "crisp")
        if config.snapped:
            history += run(snapped, config.snapped, "snapped")
        values = torch.zeros(len(network.columns))
        if config.restarts > 1:  # to put them in order
            rows = data("soft" if config.snapped is None else "snapped")
            values = objectives(snapped, rows, config.snapped or config.soft)
    return [
        _collect(problem, number, snapped, values, history)
        for number in range(len(problem.parts))
    ]


def _collect(
    problem: TrainingProblem,
    part_number: int,
    snapped: LogicNetwork,
    values: Tensor,
    history: list[Epoch],
) -> TrainedNetworks:
    """Collect the networks of one part. Shape: ``values`` (copies,), the objectives."""
    config, part = problem.config, problem.parts[part_number]
    first = part_number * config.copies
    order = first + values[first : first + config.restarts].argsort()

    def single(networks: LogicNetwork, copy_number: int) -> LogicNetwork:
        return problem.single_network(networks, copy_number).cpu()

    restarts = [Restart(single(problem.network, i), single(snapped, i)) for i in order.tolist()]
    folds = [
        Fold(
            single(problem.network, number),
            single(snapped, number),
            part.rows[part.fold_of_row == fold],
            view,
        )
        for fold, view in enumerate(part.views[1:])
        for number in [first + config.restarts + fold]
    ]
    return TrainedNetworks(restarts, folds, history, part.views[0])
