"""A training problem: a table, the parts of it to learn from, and the networks to train."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crisplogic.nn import LearnedMembership, LinearMembership, LogicNetwork
from crisplogic.training.config import TrainingConfig
from crisplogic.training.data import TrainingData
from crisplogic.training.device import device_for
from crisplogic.training.losses import Targets
from crisplogic.training.splits import stratified_folds
from crisplogic.training.views import Floats, MakeViews, RowNumbers, View
from crisplogic.weights import sample_rows

# Where the values of a column are is known from so many rows.
ROWS_TO_START_AT = 2**14


@dataclass(frozen=True)
class ValidationRows:
    """Rows that choose the best epoch. Their weights have a mean of 1.

    Shape: ``rows`` (n,), ``weights`` (1, n).
    """

    rows: Tensor
    weights: Tensor | None

    @classmethod
    def select(cls, rows: Tensor, weights: Floats | None) -> ValidationRows:
        """Select some rows of a table, given the weights of all rows."""
        if weights is None:
            return cls(rows, None)
        selected = weights[rows.numpy()]
        return cls(rows, torch.tensor(selected / selected.mean(), dtype=torch.float32)[None])


@dataclass(frozen=True)
class Part:
    """Rows that some networks train on, as if the rest of the table did not exist.

    ``views`` are what these networks see: first all restarts, then each fold.

    Shape: ``rows`` (n,) row numbers, ``fold_of_row`` (n,).
    """

    rows: RowNumbers
    fold_of_row: RowNumbers
    views: Sequence[View]


@dataclass(frozen=True)
class TrainingProblem:
    """The parts of a table to train on, and a network with copies for every part.

    Every part has ``config.copies`` copies, one after the other: first the restarts, then the
    folds. ``penalty_factors`` hold two factors a part, for the soft and the snapped phase.

    Networks learn from ``rows``: those of all parts, or a sample of them if a part has more
    than ``config.max_rows``. More rows would cost time and teach next to nothing.
    """

    config: TrainingConfig
    parts: list[Part]
    rows: RowNumbers
    network: LogicNetwork
    device: torch.device
    generator: torch.Generator
    validation: ValidationRows | None
    penalty_factors: Sequence[tuple[float, float]] | None

    @classmethod
    def create(
        cls,
        make_views: MakeViews,
        targets: Targets,
        n_outputs: int,
        config: TrainingConfig,
        parts: Sequence[RowNumbers],
        generator: torch.Generator,
        weights: Floats | None,
        validation: ValidationRows | None = None,
        penalty_factors: Sequence[tuple[float, float]] | None = None,
    ) -> TrainingProblem:
        """Draw the folds of every part, then the parameters of all networks.

        Shape: ``targets`` and ``weights`` (rows,), which folds are stratified by.
        """
        folds = [_draw_folds(rows, targets, weights, config) for rows in parts]
        row_sets = [
            rows[fold_of_row != fold]
            for rows, fold_of_row in zip(parts, folds, strict=True)
            for fold in range(-1, config.folds)  # no row is in fold -1: restarts see them all
        ]
        views = make_views(row_sets)
        network = LogicNetwork(
            views[0].inputs.shape[1],
            n_outputs,
            config.width,
            config.depth,
            memberships=config.memberships,
            intercepts=config.intercepts,
            skip=config.skip,
            n_selected_features=config.n_selected_features,
            limits=views[0].limits,
            copies=config.copies * len(parts),
            generator=generator,  # on the CPU: the same draws for all devices
        )
        device = device_for(config.device, network, min(len(targets), config.soft.batch_size))
        per_part = 1 + config.folds
        made = [
            Part(rows, fold_of_row, views[per_part * number : per_part * (number + 1)])
            for number, (rows, fold_of_row) in enumerate(zip(parts, folds, strict=True))
        ]
        return cls(
            config,
            made,
            _draw_rows(parts, targets, config.max_rows),
            network.to(device),
            device,
            generator,
            validation,
            penalty_factors,
        )

    @property
    def selects_columns(self) -> bool:
        """Whether networks see only some of the columns."""
        return self.network.n_selected_features < self.network.in_features

    @property
    def batch_scale(self) -> float:
        """How many rows a batch needs for each row of it that a network sees."""
        sizes = [self._is_used[part.rows].sum() for part in self.parts]
        return len(self.rows) / float(np.mean(sizes))

    @cached_property
    def copy_weights(self) -> Tensor | None:
        """The weight of every row for every copy: 0 if hidden, 1 on average over ``rows``.

        Shape: (copies, rows); None if every copy sees every row with the same weight.
        """
        views = [self.view_of_copy(number) for number in range(len(self.network.columns))]
        if len(self.parts) == 1 and not self.config.folds and views[0].weights is None:
            return None
        weights = np.zeros((len(views), len(self.rows)), dtype=np.float32)
        of_all = np.zeros(len(views[0].targets), dtype=np.float32)
        for own, view in zip(weights, views, strict=True):
            of_all[:] = 0.0
            of_all[view.rows] = 1.0 if view.weights is None else view.weights
            own[:] = of_all[self.rows]
        return self._move(weights * (len(self.rows) / weights.sum(axis=1, keepdims=True)))

    def training_data(self, snapped: bool) -> TrainingData:
        """The used rows of all parts, with the penalty factors of one phase."""
        weights, factors = self.copy_weights, None
        if self.penalty_factors is not None:
            of_parts = torch.tensor([both[snapped] for both in self.penalty_factors])
            factors = of_parts.repeat_interleave(self.config.copies).to(self.device)
        return self._data(self.rows, weights, factors)

    def start_memberships(self) -> None:
        """Move memberships to where the values are that each copy sees, for crisp literals.

        Networks learn faster from there. But the search of graded rules starts from their
        ramps, and ends with worse rules if these are narrower at first.
        """
        membership = self.network.membership
        if self.config.literals == "crisp" and isinstance(membership, LearnedMembership):
            data = self.training_data(snapped=False)
            every = -(-len(data) // ROWS_TO_START_AT)
            weights = None if data.weights is None else data.weights[:, ::every]
            membership.start_at(data.inputs[..., ::every, :], weights)

    def validation_data(self) -> TrainingData | None:
        """The rows that choose the best epoch, if there are any."""
        if self.validation is None:
            return None
        weights = self.validation.weights
        rows = self.validation.rows.numpy()
        return self._data(rows, None if weights is None else weights.to(self.device))

    def view_of_copy(self, copy_number: int) -> View:
        """The table as a copy sees it."""
        part = self.parts[copy_number // self.config.copies]
        return part.views[self.number_of_view(copy_number)]

    def number_of_view(self, copy_number: int) -> int:
        """Which of the views of its part a copy has: restarts share the first one."""
        fold = copy_number % self.config.copies - self.config.restarts
        return max(fold + 1, 0)

    def rows_of_copy(self, copy_number: int) -> tuple[Tensor, Tensor, Tensor | None]:
        """The inputs, targets and weights of the rows that a copy sees.

        Shape: (rows, features), (rows,), and (rows,) or None if all rows weigh the same.
        """
        view = self.view_of_copy(copy_number)
        known = self._is_used[view.rows]
        weights = None if view.weights is None else self._move(view.weights[known]).float()
        rows = view.rows[known]
        return self._move(view.inputs[rows]), self._targets(view)[rows], weights

    def single_network(self, networks: LogicNetwork, copy_number: int) -> LogicNetwork:
        """Take one copy out, with the column ranges of the rows that it sees."""
        network, view = networks.copy(copy_number), self.view_of_copy(copy_number)
        self._set_ranges(network, view, network.columns)
        return network

    @cached_property
    def _is_used(self) -> NDArray[np.bool_]:
        """Whether each row of the table is one of ``rows``."""
        used = np.zeros(len(self.parts[0].views[0].targets), dtype=bool)
        used[self.rows] = True
        return used

    def _set_ranges(self, network: LogicNetwork, view: View, columns: Tensor) -> None:
        """Set the ranges of some columns for the memberships, as a view shows them."""
        found = self._ranges(view)
        ranges = network.membership
        ranges = ranges.range if isinstance(ranges, LearnedMembership) else ranges
        ranges.low.copy_(found.low[columns])
        ranges.high.copy_(found.high[columns])

    def _ranges(self, view: View) -> LinearMembership:
        """The ranges of all columns in the rows that networks with this view learn from."""
        if id(view) not in self._found_ranges:
            known = self._move(view.inputs[view.rows[self._is_used[view.rows]]])
            found = LinearMembership(known.shape[1]).to(self.device).fit(known)
            self._found_ranges[id(view)] = found
        return self._found_ranges[id(view)]

    @cached_property
    def _found_ranges(self) -> dict[int, LinearMembership]:
        return {}

    def _data(
        self, rows: RowNumbers, weights: Tensor | None, factors: Tensor | None = None
    ) -> TrainingData:
        views = [self.view_of_copy(number) for number in range(len(self.network.columns))]
        shared = len({id(view.targets) for view in views}) == 1
        targets = [self._targets(view)[rows] for view in (views[:1] if shared else views)]
        return TrainingData(
            self._scale(views, rows),
            targets[0] if shared else torch.stack(targets),
            weights,
            factors,
        )

    def _scale(self, views: Sequence[View], rows: RowNumbers) -> Tensor:
        """Scale columns as each copy sees them. Shape: (rows, n) or (copies, rows, n)."""
        network = self.network
        if id(rows) in self._scaled:
            return self._scaled[id(rows)]
        scaled: dict[tuple[int, int], Tensor] = {}
        places = [(id(view), self.selects_columns and at) for at, view in enumerate(views)]
        for place, view, columns in zip(places, views, network.columns, strict=True):
            if place not in scaled:
                self._set_ranges(network, view, columns)
                inputs = self._move(view.inputs[rows])[:, columns]
                scaled[place] = network.membership.scale(inputs)
        found = [scaled[place] for place in (places[:1] if len(scaled) == 1 else places)]
        inputs = found[0] if len(scaled) == 1 else torch.stack(found)
        inputs = inputs.to(network.log_scale.dtype)
        if rows is self.rows and not self.selects_columns:  # else the columns may change
            self._scaled[id(rows)] = inputs
        return inputs

    @cached_property
    def _scaled(self) -> dict[int, Tensor]:
        """The inputs that are scaled already, for several phases."""
        return {}

    @cached_property
    def _moved(self) -> dict[int, Tensor]:
        """Targets that are on the device already: views share most of them."""
        return {}

    def _targets(self, view: View) -> Tensor:
        to_tensor = self.config.loss.to_tensor
        return self._once(view.targets, lambda: to_tensor(view.targets).to(self.device))

    def _once(self, array: NDArray[Any], move: Callable[[], Tensor]) -> Tensor:
        if id(array) not in self._moved:
            self._moved[id(array)] = move()
        return self._moved[id(array)]

    def _move(self, array: NDArray[Any]) -> Tensor:
        return torch.tensor(array, device=self.device)


def _draw_rows(
    parts: Sequence[RowNumbers], targets: Targets, max_rows: int | None
) -> RowNumbers:
    """The rows of all parts, or a sample in which a part has about ``max_rows``."""
    rows = parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))
    if max_rows is None:
        return rows
    share = max_rows / float(np.mean([len(part) for part in parts]))
    if share >= 1:
        return rows
    return rows[sample_rows(targets[rows], None, round(share * len(rows)), seed=0)]


def _draw_folds(
    rows: RowNumbers,
    targets: Targets,
    weights: Floats | None,
    config: TrainingConfig,
) -> RowNumbers:
    """Draw the fold of each of these rows. Shape: (n,) to (n,)."""
    if not config.folds:
        return np.zeros(len(rows), dtype=np.intp)
    own_targets = config.loss.to_tensor(targets[rows])
    own_weights = None if weights is None else torch.tensor(weights[rows]).float()
    # Whatever the seed of the networks, the same rows decide how large rules are.
    generator = torch.Generator().manual_seed(0)
    return stratified_folds(own_targets, config.folds, generator, own_weights).numpy()
