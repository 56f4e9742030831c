"""Batches: rows in a random order, as networks train on them, in bounded memory.

Shards come in a random order, and rows go through a buffer: every batch is drawn from all rows
in it. So rows that stand together in a file are not learned together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.streaming.random_numbers import fold_numbers
from crisplogic.streaming.rows import Examples

# Rows that are mixed with each other.
BUFFER_ROWS = 1 << 17


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows as a network takes them.

    Arrays are plain and contiguous: ``torch.from_numpy`` takes them as they are, and can pin
    them for a GPU.

    Shape: ``inputs`` (rows, columns); ``targets``, class numbers or numbers, ``weights`` and
    ``rows``, the numbers in the whole table, (rows,).
    """

    inputs: NDArray[np.float32]
    targets: NDArray[np.int64] | NDArray[np.float32]
    weights: NDArray[np.float32]
    rows: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, positions: NDArray[np.intp]) -> Batch:
        """Take rows by their positions here."""
        return Batch(
            self.inputs[positions],
            self.targets[positions],
            self.weights[positions],
            self.rows[positions],
        )

    def folds(self, n: int, seed: int = 0) -> NDArray[np.int64]:
        """The fold of every row, of so many: the same in every pass. Shape: (rows,)."""
        return fold_numbers(self.rows, n, seed)


Encode = Callable[[Examples], Batch]


def shuffled_batches(
    parts: Iterable[Examples],
    encode: Encode,
    batch_rows: int,
    seed: int,
    buffer_rows: int = BUFFER_ROWS,
) -> Iterator[Batch]:
    """Batches of so many rows, drawn at random from a buffer; the last one may be smaller.

    The same parts in the same order and the same ``seed`` are the same batches. Pass other
    seeds for other passes, and shards in another order
    (:func:`~crisplogic.streaming.shards.shuffle_shards`).

    >>> from crisplogic.tables import Numbers, read_columns
    >>> columns = read_columns([[value] for value in range(5)])
    >>> part = Examples(np.arange(5), columns, Numbers(np.zeros(5)))
    >>> def encode(part):
    ...     inputs = np.column_stack([each.values for each in part.columns.columns])
    ...     ones = np.ones(len(part), np.float32)
    ...     return Batch(inputs.astype(np.float32), ones, ones, part.numbers)
    >>> found = [batch.rows.tolist() for batch in shuffled_batches([part], encode, 2, seed=0)]
    >>> [len(rows) for rows in found], sorted(sum(found, []))
    ([2, 2, 1], [0, 1, 2, 3, 4])
    """
    generator = np.random.default_rng(seed)
    waiting: list[Batch] = []
    held = 0
    for part in parts:
        waiting.append(encode(part))
        held += len(part)
        if held >= buffer_rows + batch_rows:
            mixed = _mixed(waiting, generator)
            # The buffer stays half full, so that new rows meet old ones.
            out = max(1, (held - buffer_rows // 2) // batch_rows) * batch_rows
            yield from _cut(mixed, 0, out, batch_rows)
            rest = mixed.take(np.arange(out, held))
            waiting, held = [rest], len(rest)
    if held:
        mixed = _mixed(waiting, generator)
        yield from _cut(mixed, 0, held, batch_rows)


def join_batches(parts: list[Batch]) -> Batch:
    """Batches one after the other, as one."""
    if len(parts) == 1:
        return parts[0]
    return Batch(
        np.concatenate([part.inputs for part in parts]),
        np.concatenate([part.targets for part in parts]),
        np.concatenate([part.weights for part in parts]),
        np.concatenate([part.rows for part in parts]),
    )


def _mixed(parts: list[Batch], generator: np.random.Generator) -> Batch:
    joined = join_batches(parts)
    return joined.take(generator.permutation(len(joined)))


def _cut(batch: Batch, start: int, stop: int, rows: int) -> Iterator[Batch]:
    for first in range(start, stop, rows):
        part = slice(first, min(first + rows, stop))
        yield Batch(
            batch.inputs[part], batch.targets[part], batch.weights[part], batch.rows[part]
        )
