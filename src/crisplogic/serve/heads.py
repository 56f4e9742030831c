"""A protocol that waits so long for the head of a request, and no longer.

The application sees a request once its head is there, and bounds its body. A client that sends
a head byte by byte would keep a connection for ever, and so many clients all of them.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


def bound_heads(seconds: float) -> type[H11Protocol]:
    """HTTP by h11, which bounds how long heads are; their time is bounded here."""

    class Protocol(_BoundedHeads):
        limit = seconds

    return Protocol


class _BoundedHeads(H11Protocol):
    """Closes a connection on which a head has begun, and does not end within a limit."""

    limit: float
    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """A connection, which has a time to bring its first head."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Some bytes; those that begin a head begin its time."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:  # the head is complete
            self._stop_waiting()
        elif self._waiting is None and self.conn.trailing_data[0]:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """The end of a connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(self.limit, self._close)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _close(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
