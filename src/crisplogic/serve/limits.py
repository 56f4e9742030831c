"""Limits on requests, and the error that a request gets."""

from __future__ import annotations

from dataclasses import dataclass

from crisplogic.errors import CrisplogicError

MALFORMED, TIMED_OUT, TOO_LARGE, WRONG, TOO_SLOW = 400, 408, 413, 422, 503


class RequestError(CrisplogicError, ValueError):
    """A request cannot be answered. ``status`` is that of the answer in HTTP.

    >>> RequestError(WRONG, "the row has no column 'age'").status
    422
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Limits:
    """What one request may take.

    ``body`` is in bytes. A request has ``seconds`` to arrive, and as many to be answered. There
    are at most so many ``connections`` at a time.
    """

    body: int = 2_000_000
    rows: int = 10_000
    seconds: float = 10.0
    connections: int = 1000
