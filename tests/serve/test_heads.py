"""The head of a request has a time to arrive; slow clients do not keep their connections."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from typing import Any

import uvicorn
from uvicorn.server import ServerState

from crisplogic.serve.app import create_app
from crisplogic.serve.heads import bound_heads
from tests.serve.models import CHECKLIST

# Long enough that a busy machine sends a whole request in it.
LIMIT = 0.4
# Nothing, a line, a head without its end.
SLOW = [b"", b"POST /predict HTTP/1.1\r\n", b"POST /predict HTTP/1.1\r\nHost: x\r\nX: "]
HEALTH = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
BODY = json.dumps(
    {"age": 41, 'bmi "kg/m²"': 33.0, "smoker": True, "port": "S", "deck": 1}
).encode()
HEAD = f"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: {len(BODY)}\r\n".encode()


async def exchange(*parts: bytes, pause: float = 0.0) -> bytes:
    """What a client gets until its connection is closed."""
    kind = bound_heads(LIMIT)
    config = uvicorn.Config(create_app(CHECKLIST), http=kind, lifespan="off", log_level="error")
    config.load()
    loop, state = asyncio.get_running_loop(), ServerState()
    server = await loop.create_server(lambda: kind(config, state, {}), "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    for part in parts:
        writer.write(part)
        await asyncio.sleep(pause)
    async with asyncio.timeout(60):
        found = await reader.read()
    writer.close()
    server.close()
    return found


async def together(*exchanges: Coroutine[Any, Any, bytes]) -> list[bytes]:
    return await asyncio.gather(*exchanges)


def test_a_head_that_does_not_end_closes_the_connection() -> None:
    answers = asyncio.run(together(*map(exchange, SLOW), exchange(HEALTH, SLOW[1], pause=0.05)))
    assert answers[:3] == [b"", b"", b""]
    assert answers[3].count(b"HTTP/1.1 ") == answers[3].count(b"HTTP/1.1 200") == 1


def test_a_body_may_take_longer_than_its_head() -> None:
    head = HEAD + b"Connection: close\r\n\r\n"
    answer = asyncio.run(exchange(head, BODY, pause=1.5 * LIMIT))
    assert answer.startswith(b"HTTP/1.1 200")
