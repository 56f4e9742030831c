"""Rows as networks see them."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class TrainingData:
    """Rows as networks see them.

    ``weights`` say how much each row counts for each copy of a network; 0 hides a row from a
    copy. ``penalty_factors`` scale the penalties of each copy. None means 1 everywhere.

    Shape: ``inputs`` (rows, inputs), scaled, or (copies, rows, inputs) if copies scale
    differently; ``targets`` (rows,) or (copies, rows); ``weights`` (copies, rows) or (1, rows);
    ``penalty_factors`` (copies,).

    >>> import torch
    >>> data = TrainingData(torch.zeros(3, 2), torch.tensor([0, 1, 1]))
    >>> data[torch.tensor([2, 0])].targets.tolist()
    [1, 0]
    """

    inputs: Tensor
    targets: Tensor
    weights: Tensor | None = None
    penalty_factors: Tensor | None = None

    def __getitem__(self, rows: Tensor) -> TrainingData:
        weights = None if self.weights is None else self.weights[:, rows]
        return TrainingData(
            self.inputs[..., rows, :], self.targets[..., rows], weights, self.penalty_factors
        )

    def __len__(self) -> int:
        return self.targets.shape[-1]

    def overwrite(self, other: TrainingData) -> bool:
        """Copy other rows into the memory of these; return False if they do not fit."""
        pairs = list(zip(self._tensors(), other._tensors(), strict=True))
        if any(own.shape != new.shape for own, new in pairs):
            return False
        for own, new in pairs:
            own.copy_(new)
        return True

    def _tensors(self) -> list[Tensor]:
        none = self.targets.new_empty(0)
        found = (self.inputs, self.targets, self.weights, self.penalty_factors)
        return [none if each is None else each for each in found]
