"""Windows: the rows that training sees in one epoch, and who holds which of them.

A table in memory is the same window in every epoch. A table beyond memory is a stream of
windows: every epoch reads other rows. Where several processes train together, each holds some
rows of a window. All of them draw the same batches from the whole window and take a step with
the rows that they hold, so that their number changes nothing but rounding.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor
from torch.nn import functional

from crisplogic.group import ALONE, Group, together
from crisplogic.training.data import TrainingData

# Own parts of batches are filled up to a multiple of so many rows: few sizes need memory.
PADDING = 16


class Batch(NamedTuple):
    """Row numbers in the data of a window, and of how many rows all processes have a batch."""

    rows: Tensor
    n_rows: int


@dataclass(frozen=True)
class Window:
    """The rows of one epoch: ``n_rows`` of all processes, of which ``data`` holds some.

    ``places`` are the numbers of own rows among those of all processes; None: all are here.

    Shape: ``places`` (own rows,).
    """

    data: TrainingData
    n_rows: int
    places: Tensor | None = None

    @classmethod
    def part(cls, data: TrainingData, places: Tensor, n_rows: int) -> Window:
        """A window of which this process has some rows, maybe none.

        One more row, of weight 0, fills up batches.

        >>> data = TrainingData(torch.ones(2, 3), torch.tensor([1, 1]), torch.ones(1, 2))
        >>> window = Window.part(data, torch.tensor([0, 3]), 4)
        >>> [batch.rows[:2].tolist() for batch in window.batches(torch.tensor([3, 1, 0, 2]), 2)]
        [[1, 2], [0, 2]]
        """
        weights = data.weights
        if weights is None:
            weights = torch.ones(1, len(data), device=data.targets.device)
        filled = TrainingData(
            functional.pad(data.inputs, (0, 0, 0, 1)),
            functional.pad(data.targets, (0, 1)),
            functional.pad(weights, (0, 1)),
            data.penalty_factors,
        )
        return cls(filled, n_rows, places)

    def batches(self, order: Tensor, batch_size: int) -> Iterator[Batch]:
        """Own parts of the batches of all processes. Shape: ``order`` (n_rows,)."""
        if self.places is None:
            yield from (Batch(rows, len(rows)) for rows in order.split(batch_size))
            return
        at = torch.empty_like(order)
        at[order] = torch.arange(len(order), device=order.device)
        own = at[self.places]
        sizes = [len(batch) for batch in order.split(batch_size)]
        counts = torch.bincount(own // batch_size, minlength=len(sizes)).tolist()
        filled = -(-max(*counts, 1) // PADDING) * PADDING
        for rows, n_rows in zip(own.argsort().split(counts), sizes, strict=True):
            yield Batch(
                functional.pad(rows, (0, filled - len(rows)), value=len(self.data) - 1), n_rows
            )


class Windows(Protocol):
    """Where the rows of every epoch come from. All windows have as many rows."""

    @property
    def group(self) -> Group:
        """The processes that train together."""

    @property
    def n_rows(self) -> int:
        """The rows of a window, of all processes together."""

    def read(self, number: int) -> Window:
        """The window of an epoch, counted from 0. It depends on nothing else."""


@dataclass(frozen=True)
class InMemory:
    """A table in memory: the same window in every epoch.

    Each process of a group has the whole table, and trains on a part of every batch.

    >>> windows = InMemory(TrainingData(torch.zeros(3, 2), torch.tensor([0, 1, 1])))
    >>> windows.read(0).n_rows, windows.read(7).data is windows.data
    (3, True)
    """

    data: TrainingData
    group: Group = ALONE

    @property
    def n_rows(self) -> int:
        """The rows of the table."""
        return len(self.data)

    def read(self, number: int) -> Window:
        """All rows, or every second one of two processes."""
        if self.group.size == 1:
            return Window(self.data, len(self.data))
        device = self.data.targets.device
        places = torch.arange(self.group.rank, len(self.data), self.group.size, device=device)
        return Window.part(self.data[places], places, len(self.data))


def read_ahead(windows: Windows, start: int, stop: int) -> Generator[Window, None, None]:
    """Yield the windows of some epochs; the next one is read while training sees another.

    An error of reading is raised in all processes.
    """
    with ThreadPoolExecutor(1, "read the next window") as reader:
        coming = reader.submit(windows.read, start) if start < stop else None
        for number in range(start + 1, stop + 1):
            assert coming is not None
            window = together(windows.group, coming.result)
            coming = reader.submit(windows.read, number) if number < stop else None
            yield window
