"""The server: one process and one event loop, which a signal stops gracefully."""

from __future__ import annotations

import signal
import socket
import sys
from math import ceil
from types import FrameType
from typing import NoReturn

import uvicorn

from crisplogic.rules import RuleSet
from crisplogic.serve.app import create_app
from crisplogic.serve.heads import bound_heads
from crisplogic.serve.limits import Limits

# Seconds that an idle connection is kept for the next request.
KEEP_ALIVE = 30


def listen(host: str, port: int) -> socket.socket:
    """A socket that waits for requests. Errors name the address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        error.filename = f"{host}:{port}"
        raise
    # An answer is sent in two parts. The second must not wait until the first has arrived.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def address_of(listener: socket.socket) -> str:
    """The address to ask at.

    >>> with listen("127.0.0.1", 0) as listener:
    ...     address_of(listener).rpartition(":")[0]
    'http://127.0.0.1'
    """
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def serve(rules: RuleSet, listener: socket.socket, limits: Limits) -> None:
    """Serve until SIGTERM or SIGINT. Requests that have begun are answered before it ends."""
    config = uvicorn.Config(
        create_app(rules, limits),
        lifespan="off",
        http=bound_heads(limits.seconds),
        ws="none",
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        limit_concurrency=limits.connections,
        timeout_keep_alive=KEEP_ALIVE,
        # A request in flight may still arrive, and then be answered.
        timeout_graceful_shutdown=ceil(2 * limits.seconds),
    )
    # The server gives the signal on when it has stopped. SIGTERM is then no failure.
    signal.signal(signal.SIGTERM, _exit)
    uvicorn.Server(config).run(sockets=[listener])


def _exit(signum: int, frame: FrameType | None) -> NoReturn:
    sys.exit(0)
