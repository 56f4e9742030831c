"""Groups whose processes are threads of this one: quick, and with the same messages."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Condition
from typing import TypeVar

import torch
from torch import Tensor

from crisplogic.group import Group

T = TypeVar("T")
# Seconds after which a thread that waits for another fails, which would wait for ever.
PATIENCE = 20.0


class Room:
    """Where threads leave messages for each other, and say when they leave."""

    def __init__(self) -> None:
        self.condition = Condition()
        self.messages: dict[int, dict[int, bytes]] = defaultdict(dict)
        self.gone: set[int] = set()


class ThreadGroup:
    """One of several threads that learn together."""

    def __init__(self, rank: int, size: int, room: Room) -> None:
        self.rank, self.size = rank, size
        self._room, self._calls = room, 0

    def gather(self, value: T) -> list[T]:
        room, found = self._room, self._room.messages[self._calls]
        self._calls += 1

        def is_over() -> bool:
            return len(found) == self.size or bool(room.gone - set(found))

        with room.condition:
            found[self.rank] = pickle.dumps(value)
            room.condition.notify_all()
            if not room.condition.wait_for(is_over, PATIENCE) or len(found) < self.size:
                raise ConnectionError(f"process {sorted(room.gone)} is gone")
        return [pickle.loads(found[rank]) for rank in range(self.size)]

    def broadcast(self, value: T) -> T:
        return self.gather(value)[0]

    def add_up(self, tensor: Tensor) -> None:
        tensor.copy_(torch.stack(self.gather(tensor.clone())).sum(0))


def run_together(size: int, function: Callable[[Group], T]) -> list[T | Exception]:
    """What a function returns, or raises, in each of several ranks."""
    room = Room()

    def run(rank: int) -> T | Exception:
        try:
            return function(ThreadGroup(rank, size, room))
        except Exception as error:
            return error
        finally:
            with room.condition:
                room.gone.add(rank)
                room.condition.notify_all()

    with ThreadPoolExecutor(size) as pool:
        return list(pool.map(run, range(size)))
