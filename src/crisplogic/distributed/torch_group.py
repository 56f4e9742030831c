"""TorchGroup: processes that exchange messages by ``torch.distributed``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import torch.distributed
from torch import Tensor

from crisplogic.errors import LostProcessError

T = TypeVar("T")


class TorchGroup:
    """The processes of the default group of ``torch.distributed``, which has to be initialised.

    Values are pickled on their way from one process to another, as that library does it: all
    processes run the same program for the same user.
    """

    def __init__(self) -> None:
        self.rank: int = torch.distributed.get_rank()
        self.size: int = torch.distributed.get_world_size()

    def gather(self, value: T) -> list[T]:
        """Return the values of all processes, in the order of their ranks."""
        values: list[Any] = [None] * self.size
        with self._connected():
            torch.distributed.all_gather_object(values, value)
        return values

    def broadcast(self, value: T) -> T:
        """Return the value of the first process."""
        values = [value if self.rank == 0 else None]
        with self._connected():
            torch.distributed.broadcast_object_list(values, src=0)
        return values[0]  # type: ignore[return-value]

    def add_up(self, tensor: Tensor) -> None:
        """Replace a tensor by the sum of those of all processes, in place."""
        with self._connected():
            torch.distributed.all_reduce(tensor)

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """Name the reason where another process cannot be reached."""
        try:
            yield
        except RuntimeError as error:  # which torch's errors of distribution are
            reason = str(error).partition("\n")[0][:200]
            raise LostProcessError(
                f"process {self.rank} of {self.size} cannot reach the others; one of them was "
                "probably killed or failed, and says why in its own output; start all of them "
                f"again, and training goes on from its checkpoint ({reason})"
            ) from error
