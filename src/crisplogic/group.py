"""Groups of processes that learn together, and what such processes have to agree on.

All processes of a group run the same program on their own part of the rows, and exchange what
they found. Which engine started them and carries the messages is nobody's business here:
:mod:`crisplogic.distributed` has those of ``torch.distributed``; :class:`Alone` is one process.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from crisplogic.errors import DisagreementError
from crisplogic.messages import shorten

if TYPE_CHECKING:
    from torch import Tensor

T = TypeVar("T")
# A digest of what a process knows, and how it is shown.
_Known = tuple[str, str]
# So many differences are shown: more do not help to find the reason.
MOST_SHOWN = 5


class Group(Protocol):
    """Processes that learn together. Every process has to make the same calls in one order.

    ``rank`` is the number of this process, from 0, and ``size`` how many there are.
    """

    rank: int
    size: int

    def gather(self, value: T) -> list[T]:
        """Return the values of all processes, in the order of their ranks."""

    def broadcast(self, value: T) -> T:
        """Return the value of the first process. What others give does not matter."""

    def add_up(self, tensor: Tensor) -> None:
        """Replace a tensor by the sum of those of all processes, in place."""


class Alone:
    """One process.

    >>> Alone().gather("rows"), Alone().size
    (['rows'], 1)
    """

    rank = 0
    size = 1

    def gather(self, value: T) -> list[T]:
        """Return the one value."""
        return [value]

    def broadcast(self, value: T) -> T:
        """Return the value."""
        return value

    def add_up(self, tensor: Tensor) -> None:
        """Leave the tensor as it is."""


ALONE = Alone()


def gather_results(group: Group, function: Callable[[], T]) -> list[T]:
    """Call a function in every process. Return all results, or raise the same error in all.

    Without this a process that fails would leave the others waiting for it.
    """
    result, error = None, None
    try:
        result = function()
    except Exception as reason:  # any: it is raised again, in all processes
        error = reason
    if group.size == 1:
        if error is not None:
            raise error
        return [result]  # type: ignore[list-item]
    outcomes = group.gather((result, error))
    for _, failure in outcomes:
        if failure is not None:
            raise failure
    return [value for value, _ in outcomes]  # type: ignore[misc]


def together(group: Group, function: Callable[[], T]) -> T:
    """Call a function in every process and return its own result, once all have succeeded.

    >>> together(Alone(), lambda: 3)
    3
    """
    if group.size == 1:
        return function()
    kept: list[T] = []
    gather_results(group, lambda: kept.append(function()))
    return kept[0]


def merge_results(
    group: Group, function: Callable[[], T | None], merge: Callable[[T, T], T]
) -> T | None:
    """Call a function in every process. Return all results merged, in the order of ranks.

    A process without any rows returns None; the result is None if all do.

    >>> merge_results(Alone(), lambda: {"red"}, set.union)
    {'red'}
    """
    found = [each for each in gather_results(group, function) if each is not None]
    return reduce(merge, found) if found else None


def on_first(group: Group, function: Callable[[], T]) -> T:
    """Call a function in the first process alone. All return its result or raise its error.

    >>> on_first(Alone(), lambda: "read")
    'read'
    """
    if group.size == 1:
        return function()
    outcome: tuple[Any, Exception | None] = (None, None)
    if group.rank == 0:
        try:
            outcome = (function(), None)
        except Exception as reason:  # any: it is raised again, in all processes
            outcome = (None, reason)
    result, error = group.broadcast(outcome)
    if error is not None:
        raise error
    return result  # type: ignore[no-any-return]


def require_agreement(group: Group, known: Mapping[str, object]) -> None:
    """Raise an error in all processes unless they know the same.

    The message names what differs, and between which processes.

    >>> require_agreement(Alone(), {"seed": 3})
    """
    if group.size == 1:
        return
    own = {name: (_digest(value), _short(value)) for name, value in known.items()}
    first, *others = group.gather(own)
    for rank, other in enumerate(others, start=1):
        names = [name for name in {**first, **other} if first.get(name) != other.get(name)]
        if names:
            shown = [_difference(name, first, other, rank) for name in names]
            raise DisagreementError(
                "processes that learn together need the same tables, settings and versions; "
                f"process {rank} of {group.size} differs from process 0 in "
                f"{', '.join(shown[:MOST_SHOWN])}; start all of them with the same arguments "
                "on the same files"
            )


def _difference(
    name: str, first: Mapping[str, _Known], other: Mapping[str, _Known], rank: int
) -> str:
    there, here = (known.get(name, ("", "nothing"))[1] for known in (first, other))
    return f"{name} ({there} in process 0, {here} in process {rank})"


def _digest(value: object) -> str:
    return hashlib.sha256(_text(value).encode()).hexdigest()


def _text(value: object) -> str:
    """What a value looks like, wherever in memory it is."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))


def _short(value: object) -> str:
    return shorten(_text(value))
