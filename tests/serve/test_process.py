"""The service as a process: many clients, hostile ones, and a graceful stop."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from crisplogic.errors import UnseenValuesWarning
from tests.platforms import posix
from tests.serve.models import CHECKLIST, as_table, some_rows

pytestmark = posix

# The image of the Dockerfile has none of these.
WITHOUT = ("torch", "sklearn", "scipy", "pandas", "pyarrow", "narwhals", "joblib")
SERVE = f"""
import sys

class Refuse:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in {WITHOUT}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Refuse())
from crisplogic.__main__ import main
main()
"""
HOST, MAX_BODY, SECONDS = "127.0.0.1", 20_000, 60


class Service(NamedTuple):
    """A process that serves, and its port."""

    process: subprocess.Popen[str]
    port: int

    def ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, Any]:
        connection = HTTPConnection(HOST, self.port, timeout=SECONDS)
        try:
            return ask(connection, method, path, body)
        finally:
            connection.close()


def ask(
    connection: HTTPConnection, method: str, path: str, body: bytes | None = None
) -> tuple[int, Any]:
    connection.request(method, path, body)
    answered = connection.getresponse()
    return answered.status, json.loads(answered.read())


@contextmanager
def started(folder: Path) -> Iterator[Service]:
    model = folder / "rules.json"
    CHECKLIST.save(model)
    options = ["--port", "0", "--max-body", str(MAX_BODY)]
    program = [sys.executable, "-c", SERVE, "serve", str(model), *options]
    with subprocess.Popen(
        program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.fullmatch(rf"serving .* at http://{HOST}:(\d+)\n", line)
            assert found, line + process.communicate()[1]
            yield Service(process, int(found[1]))
        finally:
            process.kill()


HOSTILE: list[tuple[bytes, int]] = [
    (b"{", 400),
    (b'{"age": NaN}', 400),
    (b"[]", 422),
    (b'{"age": "41"}', 422),
    (b" " * (MAX_BODY + 1), 413),
]


def test_many_clients_get_right_answers_beside_hostile_ones(tmp_path: Path) -> None:
    rows = some_rows(120)
    with pytest.warns(UnseenValuesWarning):
        predicted = CHECKLIST.predict(as_table(rows)).tolist()
    with started(tmp_path) as service:

        def client(number: int) -> list[Any]:
            """Ask about every fourth row, and for something that is refused after each."""
            found = []
            connection = HTTPConnection(HOST, service.port, timeout=SECONDS)
            for at in range(number, len(rows), 4):
                body = json.dumps(rows[at]).encode()
                status, answer = ask(connection, "POST", "/predict", body)
                assert status == 200
                found.append(answer["prediction"])
                hostile, wanted = HOSTILE[at % len(HOSTILE)]
                status, answer = ask(connection, "POST", "/predict", hostile)
                assert (status, list(answer)) == (wanted, ["error"])
            connection.close()
            return found

        with ThreadPoolExecutor(4) as pool:
            for number, found in enumerate(pool.map(client, range(4))):
                assert found == predicted[number::4]
        send_no_http(service.port)
        body = json.dumps({"rows": rows}).encode()
        assert service.ask("POST", "/predict/batch", body)[1]["predictions"] == predicted
        assert service.ask("GET", "/health") == (200, {"status": "ok"})
        service.process.send_signal(signal.SIGTERM)
        out, err = service.process.communicate(timeout=SECONDS)
    assert service.process.returncode == 0
    assert "Traceback" not in out + err


def send_no_http(port: int) -> None:
    """Bytes that are no request, a head without end, and a request that is not finished."""
    for text in (b"\x00\xff\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + b"a" * 200_000, b"POST /pre"):
        with socket.create_connection((HOST, port), timeout=SECONDS) as connection:
            try:
                connection.sendall(text)
                connection.shutdown(socket.SHUT_WR)
                assert connection.recv(100)[:12] in (b"", b"HTTP/1.1 400")
            except ConnectionError:  # refused before all was sent
                continue


def test_a_request_in_flight_is_answered_after_sigterm(tmp_path: Path) -> None:
    row = {"age": 41, 'bmi "kg/m²"': 33.0, "smoker": True, "port": "S", "deck": 1}
    body = json.dumps(row).encode()
    with started(tmp_path) as service:
        with socket.create_connection((HOST, service.port), timeout=SECONDS) as connection:
            head = f"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode() + body[:5])
            wait_until(lambda: in_flight(service.port) == 2)  # this one, and the question
            service.process.send_signal(signal.SIGTERM)
            wait_until(lambda: not listens(service.port))
            connection.sendall(body[5:])
            with connection.makefile("rb") as file:
                answered = file.read()
        out, err = service.process.communicate(timeout=SECONDS)
    assert answered.startswith(b"HTTP/1.1 200")
    answer = json.loads(answered.partition(b"\r\n\r\n")[2])
    assert answer["prediction"] == CHECKLIST.predict(as_table([row])).tolist()[0]
    assert service.process.returncode == 0
    assert "Traceback" not in out + err


def in_flight(port: int) -> int:
    connection = HTTPConnection(HOST, port, timeout=SECONDS)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    [line] = [each for each in text.splitlines() if each.startswith("crisplogic_requests_in_")]
    return int(line.split()[1])


def listens(port: int) -> bool:
    try:
        socket.create_connection((HOST, port), timeout=SECONDS).close()
    except ConnectionRefusedError:
        return False
    return True


def wait_until(condition: Any) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
