"""The application: the page, and what it may ask for, in FastAPI."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

from crisplogic.errors import CrisplogicError, RuleError
from crisplogic.workbench.bench import Bench
from crisplogic.workbench.guard import (
    HEADERS,
    RefusedError,
    check_change,
    check_page,
    hosts_of,
)
from crisplogic.workbench.page import describe, write_page

Json = dict[str, Any]
Change = Callable[[Bench, Json], Bench]
# The largest body of a request, in bytes.
MOST_BYTES = 100_000
WRONG, TOO_LARGE, FAILED = 422, 413, 500

CHANGES: dict[str, Change] = {
    "edit": lambda bench, asked: bench.edit(asked),
    "refit": lambda bench, asked: bench.refit(),
    "undo": lambda bench, asked: bench.with_session(bench.session.undo()),
    "redo": lambda bench, asked: bench.with_session(bench.session.redo()),
    "go": lambda bench, asked: bench.with_session(bench.session.go(asked.get("at", -1))),
    "take": lambda bench, asked: bench.take(asked.get("size", -1)),
    "compare": lambda bench, asked: bench.compare_with(asked.get("at", -1)),
}


class Workbench:
    """The one thing that changes: the bench that is shown, and where it is saved."""

    def __init__(self, bench: Bench, folder: Path, file: str, author: str, token: str) -> None:
        self.bench = bench
        self.folder, self.file, self.author, self.token = folder, file, author, token
        self._lock = asyncio.Lock()

    def page(self) -> str:
        """The page as it is now."""
        return write_page(self.bench, self.token, self.author, self.file)

    async def change(self, name: str, asked: Json) -> Json:
        """Make one change, and describe what there is then. A fit may take a while."""
        async with self._lock:
            changed = await asyncio.to_thread(CHANGES[name], self.bench, asked)
            described = await asyncio.to_thread(describe, changed)
            self.bench = changed
            return described

    async def save(self, asked: Json) -> Json:
        """Write the rules that are shown to a new file, with notes of who changed what."""
        file, who, why = (asked.get(key, "") for key in ("file", "who", "why"))
        if not all(isinstance(text, str) for text in (file, who, why)) or not who.strip():
            raise RuleError("who changed the rules, and the name of a file, must be texts")
        path = self.folder / check_name(file)
        if path.exists():
            raise RuleError(
                f"{file} exists; a workbench overwrites nothing: choose another name"
            )
        self.bench.session.signed(who.strip(), why.strip()).save(path)
        self.author = who.strip()
        return {"file": str(path)}


def check_name(name: str) -> str:
    """The name of a file without a folder.

    >>> check_name("edited.json")
    'edited.json'
    """
    plain = name == Path(name).name and name.isprintable() and os.sep not in name
    if not plain or "\\" in name or not name.endswith(".json") or name.startswith("."):
        raise RuleError(
            f"a file must be named like edited.json, without a folder, got {name!r}"
        )
    return name


def create_app(workbench: Workbench, port: int) -> FastAPI:
    """The application for a workbench that listens at a port of this machine."""
    app = FastAPI(openapi_url=None)
    hosts = hosts_of(port)
    for problem in (CrisplogicError, HTTPException, OSError, Exception):
        app.add_exception_handler(problem, _refuse)

    @app.get("/")
    async def show(request: Request) -> Response:
        given = request.query_params.get("token", "")
        check_page(request.headers, hosts, given, workbench.token)
        page = await asyncio.to_thread(workbench.page)
        return Response(page, media_type="text/html; charset=utf-8", headers=HEADERS)

    @app.post("/{name}")
    async def change(name: str, request: Request) -> Response:
        check_change(request.headers, hosts, workbench.token)
        asked = await _read(request)
        if name == "save":
            return _json(await workbench.save(asked))
        if name not in CHANGES:
            raise RefusedError(404, "there is no such page")
        return _json(await workbench.change(name, asked))

    return app


async def _read(request: Request) -> Json:
    """The object that a body holds."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            raise RefusedError(TOO_LARGE, f"the body may have at most {MOST_BYTES} bytes")
        parts.append(part)
    try:
        found = json.loads(b"".join(parts).decode())
    except (ValueError, RecursionError) as error:
        raise RefusedError(WRONG, "the body is not JSON") from error
    if not isinstance(found, dict):
        raise RefusedError(WRONG, "the body must be an object")
    return found


def _json(value: Json, status: int = 200) -> Response:
    # Names may hold halves of characters, which only escapes can write.
    content = json.dumps(value, default=str).encode()
    return Response(content, status, media_type="application/json", headers=HEADERS)


async def _refuse(request: Request, error: Exception) -> Response:
    """One message, and never a traceback. That of an unexpected error is in the log."""
    if isinstance(error, RefusedError):
        return _json({"error": str(error)}, error.status)
    if isinstance(error, HTTPException):
        return _json({"error": error.detail}, error.status_code)
    if isinstance(error, CrisplogicError | OSError):
        return _json({"error": str(error)}, WRONG)
    return _json({"error": "the workbench failed; its log says why"}, FAILED)
