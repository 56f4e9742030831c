"""A MariaDB server of our own, started for the tests and gone after them."""

from __future__ import annotations

import getpass
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from crisplogic.export.running.databases import TABLE, Query
from crisplogic.export.running.rows import Answers, RawRows
from crisplogic.rules import RuleSet

STARTING = 60  # seconds


def _binary(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if found is None:
        pytest.skip(f"{name} of MariaDB is not installed")
    return found


class Server:
    """A server that listens on a socket in a folder."""

    def __init__(self, folder: Path) -> None:
        self.socket = str(folder / "socket")

    def wait(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until it listens."""
        end = time.monotonic() + STARTING
        while not os.path.exists(self.socket):
            assert process.poll() is None, "MariaDB ended at once"
            assert time.monotonic() < end, "MariaDB did not start"
            time.sleep(0.05)

    def run(self, sql: str) -> str:
        options = ["--no-defaults", "--socket", self.socket, "--batch"]
        more = ["--skip-column-names", "--default-character-set=utf8mb4", "test"]
        done = subprocess.run(
            [_binary("mariadb"), *options, *more],
            input=sql,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def answers(self, rules: RuleSet, rows: RawRows, **options: Any) -> Answers:
        """What the rules say of rows."""
        query = Query(rules, rows, "mysql", **options)
        columns = query.columns("DOUBLE", "VARCHAR(1000)")
        lines = ["SET sql_mode = 'STRICT_ALL_TABLES';", f"DROP TABLE IF EXISTS {TABLE};"]
        lines.append(f"CREATE TABLE {TABLE} ({columns}) CHARSET utf8mb4 COLLATE utf8mb4_bin;")
        values = list(zip(*query.values(rows), strict=True))
        if values:
            cells = (f"({', '.join(self._cell(query, v) for v in row)})" for row in values)
            lines.append(f"INSERT INTO {TABLE} VALUES {', '.join(cells)};")
        text = self.run("\n".join([*lines, f"{query.text};"]))
        labels = {str(label): label for label in query.program.labels}
        found = [tuple(map(_unescaped, line.split("\t"))) for line in text.split("\n")[:-1]]
        if not labels:
            return query.answers(found)
        at = -1 - len(labels)
        return query.answers([(*row[:at], labels[row[at]], *row[at + 1 :]) for row in found])

    def _cell(self, query: Query, value: Any) -> str:
        if value is None:
            return "NULL"
        return query.dialect.text(value) if isinstance(value, str) else repr(value)


def _unescaped(cell: str) -> str:
    """A cell as it was: the client escapes what would end a cell or a line."""
    escapes = {"t": "\t", "n": "\n", "0": "\0", "\\": "\\"}
    return re.sub(r"\\(.)", lambda found: escapes.get(found[1], found[0]), cell)


@contextmanager
def running_server() -> Iterator[Server]:
    """A server with an empty database."""
    install, daemon = _binary("mariadb-install-db"), _binary("mariadbd")
    with tempfile.TemporaryDirectory(prefix="my", dir="/tmp") as name:
        folder = Path(name)
        data = [f"--datadir={folder / 'data'}", f"--user={getpass.getuser()}"]
        open_ = ["--auth-root-authentication-method=normal"]
        made = subprocess.run(
            [install, "--no-defaults", *data, *open_], capture_output=True, check=False
        )
        assert made.returncode == 0, made.stderr[-2000:]
        server = Server(folder)
        quiet = ["--skip-networking", f"--socket={server.socket}", f"--pid-file={folder}/pid"]
        with open(folder / "log", "wb") as log:
            process = subprocess.Popen(
                [daemon, "--no-defaults", *data, *quiet], stdout=log, stderr=log
            )
        try:
            server.wait(process)
            yield server
        finally:
            process.terminate()
            process.wait(60)
