"""The application: paths, limits and errors, in FastAPI.

Rows are checked by ``rows`` and not by FastAPI, so that errors speak of columns, and a request
takes little time.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import crisplogic
from crisplogic.rules import RuleSet
from crisplogic.rules.rule import as_plain
from crisplogic.serve.answers import Answers, Json, Pause
from crisplogic.serve.goals import read_goal
from crisplogic.serve.limits import (
    MALFORMED,
    TIMED_OUT,
    TOO_LARGE,
    TOO_SLOW,
    Limits,
    RequestError,
)
from crisplogic.serve.metrics import CONTENT_TYPE, Metrics
from crisplogic.serve.page import PATHS, Page
from crisplogic.serve.rows import parse_body, read_batch
from crisplogic.serve.schema import answer_schemas, operation, row_schema

FAILED, JSON = 500, "application/json"
# So many times the largest body is read to its end, so that its sender gets an answer.
DRAINED = 10

# The answer to a request, of which the body is still to be received.
Answer = Callable[[Scope, Receive], Awaitable[Json]]
One = Callable[[Any], Json]
Many = Callable[[list[Any], Pause], Awaitable[Json]]


def create_app(rules: RuleSet, limits: Limits | None = None) -> ASGIApp:
    """The application that serves a rule set, for any server of ASGI applications."""
    limits = limits or Limits()
    answers = Answers(rules)
    found = {
        "/predict": _one(answers.predict_one, limits),
        "/predict/batch": _many(answers.predict_many, limits),
        "/explain": _explain(answers, limits),
        "/explain/batch": _many(answers.explain_many, limits),
    }
    metrics = Metrics(["/", *(path.split()[1] for path in PATHS)])
    return Service(_pages(answers, metrics, found, limits), found, metrics)


def _pages(
    answers: Answers, metrics: Metrics, found: Mapping[str, Answer], limits: Limits
) -> FastAPI:
    """All but the answers: pages, the OpenAPI document, and errors of paths and methods."""
    app = FastAPI(
        title="crisplogic",
        version=crisplogic.__version__,
        openapi_url=None,  # and so none of FastAPI's pages, which load programs from elsewhere
    )
    for problem in (HTTPException, Exception):
        app.add_exception_handler(problem, _refuse)
    for path, answer in found.items():
        app.post(path, summary=PATHS[f"POST {path}"])(_described(answer))
    _add_pages(app, answers, metrics)
    document = _json(_describe_paths(app, answers.rules, limits))

    @app.get("/openapi.json", include_in_schema=False)
    async def describe() -> Response:
        return Response(document, media_type=JSON)

    return app


def _described(answer: Answer) -> Callable[[Request], Awaitable[Response]]:
    """An answer as FastAPI lists it; :class:`Service` answers before FastAPI is asked."""

    async def handle(request: Request) -> Response:
        return Response(_json(await answer(request.scope, request.receive)), media_type=JSON)

    return handle


def _describe_paths(app: FastAPI, rules: RuleSet, limits: Limits) -> Json:
    """The OpenAPI document. FastAPI itself would refuse names that are no proper Unicode."""
    document = app.openapi()
    document["info"]["description"] = rules.describe()
    for path in answer_schemas(rules):
        document["paths"][path]["post"] |= operation(rules, path, limits.rows)
    return document


def _add_pages(app: FastAPI, answers: Answers, metrics: Metrics) -> None:
    rules = answers.rules
    model = _json(
        {
            "predicts": rules.predicts,
            "labels": answers.labels,
            "literals": rules.size,
            "description": rules.describe(),
            "row": row_schema(rules),
        }
    )
    page = Page(rules)
    heads = dict(zip(map(as_plain, rules.labels), rules.heads(), strict=True))

    @app.get("/", include_in_schema=False)
    async def show(request: Request) -> Response:
        content = page.at(str(request.base_url)).encode("utf-8", "replace")
        return Response(content, media_type="text/html")

    @app.get("/model", summary=PATHS["GET /model"])
    async def describe() -> Response:
        return Response(model, media_type=JSON)

    @app.get("/health", summary=PATHS["GET /health"])
    async def health() -> Response:
        return Response(_json({"status": "ok"}), media_type=JSON)

    @app.get("/metrics", summary=PATHS["GET /metrics"])
    async def measure() -> Response:
        predicted = {heads[label]: count for label, count in answers.predicted.items()}
        lines = metrics.lines(predicted, answers.unseen)
        return Response("\n".join(lines) + "\n", media_type=CONTENT_TYPE)


# Reading and answering


def _one(answer: One, limits: Limits) -> Answer:
    async def handle(scope: Scope, receive: Receive) -> Json:
        return answer(parse_body(await _read_body(receive, limits)))

    return handle


def _explain(answers: Answers, limits: Limits) -> Answer:
    async def handle(scope: Scope, receive: Receive) -> Json:
        asked = QueryParams(scope["query_string"]).multi_items()
        changeable, goal = read_goal(asked, answers.rules)
        row = parse_body(await _read_body(receive, limits))
        return answers.explain_one(row, changeable, goal)

    return handle


def _many(answer: Many, limits: Limits) -> Answer:
    async def handle(scope: Scope, receive: Receive) -> Json:
        body = await _read_body(receive, limits)
        end = time.monotonic() + limits.seconds

        async def pause() -> None:
            if time.monotonic() > end:
                problem = f"it takes longer than {limits.seconds:g} s; send fewer rows"
                raise RequestError(TOO_SLOW, problem)
            await asyncio.sleep(0)  # others have a turn

        return await answer(read_batch(parse_body(body), limits.rows), pause)

    return handle


async def _read_body(receive: Receive, limits: Limits) -> bytes:
    """The body, unless it is too large or too slow. No more than the limit is kept."""
    parts, size, more = [], 0, True
    try:
        async with asyncio.timeout(limits.seconds):
            while more and size <= DRAINED * limits.body:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise RequestError(MALFORMED, "the body ended too early")
                part, more = message.get("body", b""), message.get("more_body", False)
                size += len(part)
                if size <= limits.body:
                    parts.append(part)
    except TimeoutError:
        problem = f"the body did not arrive within {limits.seconds:g} s"
        raise RequestError(TIMED_OUT, problem) from None
    if size > limits.body:
        raise RequestError(TOO_LARGE, f"the body may have at most {limits.body} bytes")
    return b"".join(parts)


def _json(value: Json) -> bytes:
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


UNEXPECTED = _json({"error": "the service failed; its log says why"})


async def _refuse(request: Request, error: Exception) -> Response:
    """One message, and never a traceback. That of an unexpected error is in the log."""
    if isinstance(error, HTTPException):
        content = _json({"error": error.detail})
        return Response(content, error.status_code, error.headers, JSON)
    return Response(UNEXPECTED, FAILED, media_type=JSON)


class Service:
    """Answers requests about rows itself, and leaves the rest to FastAPI.

    FastAPI would take half of the time of a request. All requests are counted and timed.
    """

    def __init__(self, pages: ASGIApp, answers: Mapping[str, Answer], metrics: Metrics) -> None:
        self._pages, self._answers, self._metrics = pages, answers, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._pages(scope, receive, send)
            return
        status, start = FAILED, time.perf_counter()

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self._metrics.begin()
        try:
            answer = self._answers.get(scope["path"])
            if answer is None or scope["method"] != "POST":
                await self._pages(scope, receive, note)
            else:
                await self._answer(answer(scope, receive), note)
        finally:
            self._metrics.end(scope["path"], status, time.perf_counter() - start)

    async def _answer(self, answer: Awaitable[Json], send: Send) -> None:
        try:
            found = _json(await answer)
        except RequestError as error:
            closes = error.status in (TIMED_OUT, TOO_LARGE)  # the rest of the body is not read
            await _send(send, _json({"error": str(error)}), error.status, closes)
        except Exception:
            await _send(send, UNEXPECTED, FAILED)
            raise  # for the log
        else:
            await _send(send, found)


async def _send(send: Send, content: bytes, status: int = 200, closes: bool = False) -> None:
    """Send JSON."""
    headers = [
        (b"content-type", JSON.encode()),
        (b"content-length", str(len(content)).encode()),
        *([(b"connection", b"close")] if closes else []),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
