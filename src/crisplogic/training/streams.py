"""Tables beyond memory, as networks see them: window by window.

What networks know of a table before they train comes from a sample in memory: levels, ranges,
scales of targets, weights of classes, folds. The rows that they train on come from a stream,
and are encoded by what the sample showed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from crisplogic.group import Group
from crisplogic.training.data import TrainingData
from crisplogic.training.losses import Targets
from crisplogic.training.problem import Part, TrainingProblem
from crisplogic.training.views import Floats, RowNumbers
from crisplogic.training.windows import Window


class ShownRows(NamedTuple):
    """Rows as one view of the table shows them.

    A weight of 0 hides a row. The mean weight of all rows of the table is 1.

    Shape: ``inputs`` (rows, features), ``targets`` and ``weights`` (rows,).
    """

    inputs: Floats
    targets: Targets
    weights: Floats


class StreamedRows(NamedTuple):
    """Own rows of a window, as each view shows them, and their places among all its rows.

    Shape: ``places`` (rows,).
    """

    places: RowNumbers
    shown: Sequence[ShownRows]


class Stream(Protocol):
    """A table that is read window by window; ``n_rows`` is that of all processes."""

    @property
    def group(self) -> Group:
        """The processes that read parts of the same windows."""

    @property
    def n_rows(self) -> int:
        """The rows of a window, of all processes together."""

    def read(self, number: int, part: Part) -> StreamedRows:
        """Own rows of a window, for every view of a part: all rows, then each fold."""


class StreamedWindows:
    """The windows of a stream, as the networks of a problem see them."""

    def __init__(self, problem: TrainingProblem, stream: Stream) -> None:
        self.group, self.n_rows = stream.group, stream.n_rows
        self._stream, self._part = stream, problem.parts[0]
        self._device, self._loss = problem.device, problem.config.loss
        copies = range(problem.config.copies)
        self._views = [problem.number_of_view(number) for number in copies]
        # Of networks with a scale and columns of their own; training must not see them change.
        self._scalers = [problem.single_network(problem.network, number) for number in copies]
        if not problem.selects_columns:
            self._scalers = [self._scalers[self._views.index(each)] for each in self._views]

    def read(self, number: int) -> Window:
        """The window of an epoch, counted from 0."""
        places, shown = self._stream.read(number, self._part)
        scaled: dict[int, Tensor] = {}
        for view, scaler in zip(self._views, self._scalers, strict=True):
            if id(scaler) not in scaled:
                rows = torch.as_tensor(shown[view].inputs).to(self._device)
                scaled[id(scaler)] = scaler.scale(rows)
        inputs = [scaled[id(scaler)] for scaler in self._scalers]
        targets = [self._loss.to_tensor(shown[view].targets) for view in self._views]
        weights = [torch.as_tensor(shown[view].weights) for view in self._views]
        data = TrainingData(
            _as_one(inputs),
            _as_one(targets).to(self._device),
            torch.stack(weights).to(self._device).float(),
        )
        if self.group.size == 1:
            order = torch.from_numpy(places).to(self._device).argsort()
            return Window(data[order], self.n_rows)
        return Window.part(data, torch.from_numpy(places).to(self._device), self.n_rows)


def _as_one(tensors: Sequence[Tensor]) -> Tensor:
    """Those of all copies, or one if they are equal; they seldom differ."""
    first = tensors[0]
    if all(each is first or torch.equal(each, first) for each in tensors[1:]):
        return first
    return torch.stack(list(tensors))
