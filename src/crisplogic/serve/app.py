"""The application: paths, limits and errors, in FastAPI.

Rows are checked by ``rows`` and not by FastAPI, so that errors speak of columns, and a request
takes little time.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
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

FAILED = 500
# So many times the largest body is read to its end, so that its sender gets an answer.
DRAINED = 10

Handler = Callable[[Request], Awaitable[Response]]
One = Callable[[Any], Json]
Many = Callable[[list[Any], Pause], Awaitable[Json]]


def create_app(rules: RuleSet, limits: Limits | None = None) -> FastAPI:
    """The application that serves a rule set, for any server of ASGI applications."""
    limits = limits or Limits()
    answers = Answers(rules)
    app = FastAPI(
        title="crisplogic",
        version=crisplogic.__version__,
        openapi_url=None,  # and so none of FastAPI's pages, which load programs from elsewhere
    )
    metrics = Metrics(["/", *(path.split()[1] for path in PATHS)])
    app.add_middleware(MeasuredApp, metrics=metrics)
    for problem in (RequestError, HTTPException, Exception):
        app.add_exception_handler(problem, _refuse)

    def add(path: str, answer: Handler) -> None:
        app.post(path, summary=PATHS[f"POST {path}"])(answer)

    add("/predict", _one(answers.predict_one, limits))
    add("/predict/batch", _many(answers.predict_many, limits))
    add("/explain", _explain(answers, limits))
    add("/explain/batch", _many(answers.explain_many, limits))
    _add_pages(app, answers, metrics)
    document = _json(_describe_paths(app, rules, limits))

    @app.get("/openapi.json", include_in_schema=False)
    async def describe() -> Response:
        return Response(document.body, media_type="application/json")

    return app


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
        return Response(model.body, media_type="application/json")

    @app.get("/health", summary=PATHS["GET /health"])
    async def health() -> Response:
        return _json({"status": "ok"})

    @app.get("/metrics", summary=PATHS["GET /metrics"])
    async def measure() -> Response:
        predicted = {heads[label]: count for label, count in answers.predicted.items()}
        lines = metrics.lines(predicted, answers.unseen)
        return Response("\n".join(lines) + "\n", media_type=CONTENT_TYPE)


# Reading and answering


def _one(answer: One, limits: Limits) -> Handler:
    async def handle(request: Request) -> Response:
        return _json(answer(parse_body(await _read_body(request, limits))))

    return handle


def _explain(answers: Answers, limits: Limits) -> Handler:
    async def handle(request: Request) -> Response:
        changeable, goal = read_goal(request.query_params.multi_items(), answers.rules)
        row = parse_body(await _read_body(request, limits))
        return _json(answers.explain_one(row, changeable, goal))

    return handle


def _many(answer: Many, limits: Limits) -> Handler:
    async def handle(request: Request) -> Response:
        body = await _read_body(request, limits)
        end = time.monotonic() + limits.seconds

        async def pause() -> None:
            if time.monotonic() > end:
                problem = f"it takes longer than {limits.seconds:g} s; send fewer rows"
                raise RequestError(TOO_SLOW, problem)
            await asyncio.sleep(0)  # others have a turn

        return _json(await answer(read_batch(parse_body(body), limits.rows), pause))

    return handle


async def _read_body(request: Request, limits: Limits) -> bytes:
    """The body, unless it is too large or too slow. No more than the limit is kept."""
    parts, size = [], 0
    try:
        async with asyncio.timeout(limits.seconds):
            async for part in request.stream():
                size += len(part)
                if size <= limits.body:
                    parts.append(part)
                elif size > DRAINED * limits.body:
                    break
    except TimeoutError:
        problem = f"the body did not arrive within {limits.seconds:g} s"
        raise RequestError(TIMED_OUT, problem) from None
    except ClientDisconnect:
        raise RequestError(MALFORMED, "the body ended too early") from None
    if size > limits.body:
        raise RequestError(TOO_LARGE, f"the body may have at most {limits.body} bytes")
    return b"".join(parts)


def _json(value: Json, status: int = 200) -> Response:
    content = json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    return Response(content, status, media_type="application/json")


async def _refuse(request: Request, error: Exception) -> Response:
    """One message, and never a traceback. That of an unexpected error is in the log."""
    if isinstance(error, RequestError):
        answer = _json({"error": str(error)}, error.status)
        if error.status in (TIMED_OUT, TOO_LARGE):  # the rest of the body is not read
            answer.headers["Connection"] = "close"
        return answer
    if isinstance(error, HTTPException):
        answer = _json({"error": error.detail}, error.status_code)
        answer.headers.update(error.headers or {})
        return answer
    return _json({"error": "the service failed; its log says why"}, FAILED)


class MeasuredApp:
    """An application whose requests are counted and timed."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, start = FAILED, time.perf_counter()

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self._metrics.begin()
        try:
            await self._app(scope, receive, note)
        finally:
            self._metrics.end(scope["path"], status, time.perf_counter() - start)
