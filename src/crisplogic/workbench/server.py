"""The server: one process on this machine, for one person."""

from __future__ import annotations

import secrets
import socket
from pathlib import Path

import uvicorn

from crisplogic.workbench.app import Workbench, create_app
from crisplogic.workbench.bench import Bench

# Only programs of this machine can reach it.
HOST = "127.0.0.1"


def listen(port: int) -> socket.socket:
    """A socket that waits for requests of this machine. Errors name the address."""
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        error.filename = f"{HOST}:{port}"
        raise


def make_workbench(bench: Bench, folder: Path, file: str, author: str) -> Workbench:
    """A workbench with a token that nobody else knows."""
    return Workbench(bench, folder, file, author, secrets.token_urlsafe(32))


def address_of(listener: socket.socket, workbench: Workbench) -> str:
    """The address of the page, with its token."""
    return f"http://{HOST}:{listener.getsockname()[1]}/?token={workbench.token}"


def serve(workbench: Workbench, listener: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT."""
    make_server(workbench, listener).run(sockets=[listener])


def make_server(workbench: Workbench, listener: socket.socket) -> uvicorn.Server:
    """What answers the requests that a socket gets."""
    config = uvicorn.Config(
        create_app(workbench, listener.getsockname()[1]),
        lifespan="off",
        http="h11",
        ws="none",
        access_log=False,  # addresses hold the token
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=2,
    )
    return uvicorn.Server(config)
