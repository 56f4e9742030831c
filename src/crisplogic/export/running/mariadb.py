"""Runs exported SQL of MySQL in MariaDB: a server of our own, which is gone afterwards."""

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

from crisplogic.errors import ExportError
from crisplogic.export.running.databases import TABLE, Query
from crisplogic.export.running.rows import Answers, RawRows, refuse_infinite
from crisplogic.rules import RuleSet

STARTING = 60  # seconds
# A statement that takes longer is stopped.
MOST_SECONDS = 600
# A statement that inserts rows has a greatest length.
ROWS_AT_A_TIME = 20_000


def run_mariadb(rules: RuleSet, rows: RawRows, **options: Any) -> Answers:
    """Run the query in a server that is started for it."""
    with running_mariadb() as server:
        return server.answers(rules, rows, **options)


class MariaServer:
    """A server that listens on a socket in a folder."""

    def __init__(self, folder: Path) -> None:
        self.socket = str(folder / "socket")

    def wait(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until it listens."""
        end = time.monotonic() + STARTING
        while not os.path.exists(self.socket):
            if process.poll() is not None or time.monotonic() > end:
                raise ExportError("MariaDB did not start")
            time.sleep(0.05)

    def answers(self, rules: RuleSet, rows: RawRows, **options: Any) -> Answers:
        """What the rules say of rows."""
        refuse_infinite(rows, "columns of MySQL")
        query = Query(rules, rows, "mysql", **options)
        columns = query.columns("DOUBLE", "VARCHAR(1000)")
        lines = ["SET sql_mode = 'STRICT_ALL_TABLES';", f"DROP TABLE IF EXISTS {TABLE};"]
        lines.append(f"CREATE TABLE {TABLE} ({columns}) CHARSET utf8mb4 COLLATE utf8mb4_bin;")
        cells = [
            f"({', '.join(_cell(query, value) for value in row)})"
            for row in zip(*query.values(rows), strict=True)
        ]
        for start in range(0, len(cells), ROWS_AT_A_TIME):
            some = ", ".join(cells[start : start + ROWS_AT_A_TIME])
            lines.append(f"INSERT INTO {TABLE} VALUES {some};")
        text = self._run("\n".join([*lines, f"{query.text};"]))
        found = [tuple(map(_unescaped, line.split("\t"))) for line in text.split("\n")[:-1]]
        return query.answers_in_text(found)

    def _run(self, sql: str) -> str:
        """Run statements; what they print, one row a line."""
        options = ["--no-defaults", "--socket", self.socket, "--batch", "--skip-column-names"]
        done = subprocess.run(
            [_binary("mariadb"), *options, "--default-character-set=utf8mb4", "test"],
            input=sql.encode(),
            capture_output=True,
            check=False,
            timeout=MOST_SECONDS,
        )
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace")
            raise ExportError(f"MariaDB failed: {said[said.find('ERROR') :][:2000]}")
        return done.stdout.decode()


def _cell(query: Query, value: Any) -> str:
    if value is None:
        return "NULL"
    return query.dialect.text(value) if isinstance(value, str) else repr(value)


def _unescaped(cell: str) -> str:
    """A cell as it was: the client escapes what would end a cell or a line."""
    escapes = {"t": "\t", "n": "\n", "0": "\0", "\\": "\\"}
    return re.sub(r"\\(.)", lambda found: escapes.get(found[1], found[0]), cell)


@contextmanager
def running_mariadb() -> Iterator[MariaServer]:
    """A server with an empty database, for this user alone."""
    install, daemon = _binary("mariadb-install-db"), _binary("mariadbd")
    with tempfile.TemporaryDirectory(prefix="my", dir="/tmp") as name:
        folder = Path(name)
        data = [f"--datadir={folder / 'data'}", f"--user={getpass.getuser()}"]
        open_ = ["--auth-root-authentication-method=normal"]
        made = subprocess.run(
            [install, "--no-defaults", *data, *open_], capture_output=True, check=False
        )
        if made.returncode:
            said = made.stderr.decode("utf-8", "replace")
            raise ExportError(f"MariaDB failed: {said[-2000:]}")
        server = MariaServer(folder)
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
            process.wait(STARTING)


def _binary(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if found is None:
        raise ExportError("MariaDB is not installed")
    return found
