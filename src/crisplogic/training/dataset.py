"""Rows to learn from."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class Rows:
    """Rows to learn from: scaled inputs (rows, inputs) and targets (rows,).

    Targets are the numbers of classes, or whatever numbers are to be predicted. Copies of a
    network that see the rows in different units need inputs (copies, rows, inputs), those that
    predict in different units targets (copies, rows).
    ``weights``, of shape (copies, rows), say how much each row counts for each copy of a
    network; 0 keeps a row from a copy; (1, rows) is for all copies alike. By default every
    row counts 1. ``penalties``, of shape (copies,), are what each copy pays of the penalties
    in the
    settings, 1 by default.
    """

    scaled: Tensor
    targets: Tensor
    weights: Tensor | None = None
    penalties: Tensor | None = None

    def __getitem__(self, rows: Tensor) -> Rows:
        weights = None if self.weights is None else self.weights[:, rows]
        return Rows(self.scaled[..., rows, :], self.targets[..., rows], weights, self.penalties)

    def __len__(self) -> int:
        return self.targets.shape[-1]
