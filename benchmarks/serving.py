"""Serving: requests a second that one process answers, on one core."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.tables import Row, Table, Verdict, number
from crisplogic.expr import parse
from crisplogic.rules import ClassificationRules, Flag, Level, Rule, Step
from crisplogic.tables import TRUTH, Levels

TITLE = "Serving"
ABOUT = (
    "`crisplogic serve` on one core, and clients on the same machine that send requests one"
    " after the other, each on its own connection. Every answer is checked. A second of the"
    " processor is one that the server itself computed."
)
CLIENTS = 8
TARGET = 1000.0
STEPS = (Step(0, 40.0), Step(1, 30.0), Step(2, 127.0))
RULES = ClassificationRules(
    ("age", "body mass", "glucose", "sex", "smoker", "port"),
    (
        Step(0, 40.0),
        Step(1, 30.0),
        Step(2, 127.0),
        Level(3, 0, "male"),
        Flag(4),
        Level(5, 1, "S"),
    ),
    (Rule("ill", parse("(0 & 1) + 2 + (3 | 4) + 5")), Rule("well", parse("unknown"))),
    1.0,
    (-1.5, 0.0),
    (None, None, None, Levels(("male", "female")), TRUTH, Levels(("C", "S", "Q"))),
    ((17.0, 90.0), (10.0, 60.0), (50.0, 300.0), None, None, None),
    crisp=True,
)
ROW = {
    "age": 41.5,
    "body mass": 25,
    "glucose": 130,
    "sex": "male",
    "smoker": False,
    "port": "Q",
}
# What is asked for: the path, the rows of a request, and the share of the time.
QUESTIONS = [("/predict", 1, 1.0), ("/predict/batch", 100, 0.2), ("/explain", 1, 0.2)]


def measure(seconds: float) -> list[Row]:
    """The first question for some seconds, the others for less, each of its own server."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "rules.json"
        RULES.save(model)
        return [_ask(model, path, rows, seconds * share) for path, rows, share in QUESTIONS]


def table(rows: Sequence[Row]) -> Table:
    """The figures as text."""
    head = ["question", "rows", "seconds", "requests", "a second", "a second of the processor"]
    lines = [
        [
            f"`{row['path']}`",
            str(row["rows"]),
            f"{row['seconds']:.0f}",
            str(row["requests"]),
            number(row["requests"] / row["seconds"]),
            number(row["requests"] / row["processor"]),
        ]
        for row in rows
    ]
    return Table(head, lines)


def verdicts(rows: Sequence[Row]) -> list[Verdict]:
    """Requests of one row a second."""
    return [
        Verdict("requests of one row", row["requests"] / row["seconds"], TARGET, "a second")
        for row in rows
        if row["path"] == "/predict"
    ]


def _ask(model: Path, path: str, rows: int, seconds: float) -> Row:
    program = [sys.executable, "-m", "crisplogic", "serve", str(model), "--port", "0"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            [port] = re.findall(r":(\d+)$", process.stdout.readline().strip())
            if hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(process.pid, [max(os.sched_getaffinity(0))])
            before = _processor_seconds(process.pid)
            began = time.perf_counter()
            counts = asyncio.run(_clients(int(port), path, rows, seconds))
            taken = time.perf_counter() - began
            processor = _processor_seconds(process.pid) - before
        finally:
            process.terminate()
    return {
        "path": path,
        "rows": rows,
        "seconds": taken,
        "requests": sum(counts),
        "processor": processor,
    }


def _processor_seconds(process: int) -> float:
    """What a process has computed so far, as Linux counts it."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _clients(port: int, path: str, rows: int, seconds: float) -> list[int]:
    end = time.perf_counter() + seconds
    return await asyncio.gather(*(_client(port, path, rows, end) for _ in range(CLIENTS)))


async def _client(port: int, path: str, rows: int, end: float) -> int:
    """Ask one question after the other; the number of right answers. Others are an error."""
    body = json.dumps(ROW if rows == 1 else {"rows": [ROW] * rows}).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    request, wanted, count = head.encode() + body, None, 0
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
    while time.perf_counter() < end:
        writer.write(request)
        status = await reader.readuntil(b"\r\n\r\n")
        [length] = re.findall(rb"content-length: (\d+)", status)
        answer = await reader.readexactly(int(length))
        wanted = wanted or answer
        if not status.startswith(b"HTTP/1.1 200") or answer != wanted:
            raise RuntimeError(f"{path}: got {status[:100]!r} {answer[:200]!r}")
        count += 1
    writer.close()
    return count
