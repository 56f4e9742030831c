"""A PostgreSQL server of our own, started for the tests and gone after them."""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import Any

import pytest

from crisplogic.export.running.databases import TABLE, Query
from crisplogic.export.running.rows import Answers, RawRows
from crisplogic.rules import RuleSet


def _binary(name: str) -> str:
    found = shutil.which(name) or max(glob(f"/usr/lib/postgresql/*/bin/{name}"), default=None)
    if found is None:
        pytest.skip(f"{name} of PostgreSQL is not installed")
    return found


class Server:
    """A server that listens on a socket in a folder."""

    def __init__(self, folder: Path, user: str | None) -> None:
        self.folder, self.user = folder, user

    def run(self, *command: str, given: str = "") -> str:
        done = subprocess.run(
            command,
            input=given,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            user=self.user,
            cwd=self.folder,
            env={
                **os.environ,
                "LC_ALL": "C.UTF-8",
                "PGOPTIONS": "-c client_min_messages=error",
            },
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def psql(self, sql: str) -> str:
        """Run statements; what they print."""
        options = [
            "-X",
            "-q",
            "-v",
            "ON_ERROR_STOP=1",
            "-h",
            str(self.folder),
            "-d",
            "postgres",
        ]
        return self.run(_binary("psql"), *options, "-f", "-", given=sql)

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query, as texts."""
        text = self.psql(f"COPY ({sql.strip().rstrip(';')}) TO STDOUT (FORMAT csv);")
        return [tuple(row) for row in csv.reader(io.StringIO(text))]

    def answers(self, rules: RuleSet, rows: RawRows, gap: str = "", **options: Any) -> Answers:
        """What the rules say of rows; missing numbers are ``gap``, NULL or NaN."""
        query = Query(rules, rows, "postgres", **options)
        columns = query.columns("DOUBLE PRECISION", "TEXT")
        self.psql(f"DROP TABLE IF EXISTS {TABLE}; CREATE TABLE {TABLE} ({columns});")
        lines = io.StringIO()
        writer = csv.writer(lines, quoting=csv.QUOTE_MINIMAL)
        for row in zip(*query.values(rows, gap or None), strict=True):
            writer.writerow([_cell(value) for value in row])
        with tempfile.NamedTemporaryFile("w", dir="/tmp", suffix=".csv", newline="") as file:
            file.write(lines.getvalue())
            file.flush()
            os.chmod(file.name, 0o644)
            self.psql(f"COPY {TABLE} FROM '{file.name}' (FORMAT csv, NULL '\\N');")
        found = self.query(query.text)
        labels = {str(label): label for label in query.program.labels}
        if not labels:
            return query.answers(found)
        at = -1 - len(labels)
        return query.answers([(*row[:at], labels[row[at]], *row[at + 1 :]) for row in found])


def _cell(value: Any) -> Any:
    if value is None:
        return "\\N"
    return repr(value) if isinstance(value, float) else value


@contextmanager
def running_server() -> Iterator[Server]:
    """A server with an empty database. The root user may not run one, so another does."""
    initdb, control = _binary("initdb"), _binary("pg_ctl")
    user = None
    if os.getuid() == 0:
        user = "postgres"
        if subprocess.run(["id", user], capture_output=True, check=False).returncode:
            pytest.skip("root may not run PostgreSQL, and there is no user postgres")
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    if user is not None:
        shutil.chown(folder, user)
    server = Server(folder, user)
    data = str(folder / "data")
    try:
        server.run(initdb, "-D", data, "-U", user or "postgres", "--no-sync", "-E", "UTF8")
        settings = f"-k {folder} -c listen_addresses='' -c fsync=off"
        log = str(folder / "log")
        server.run(control, "-D", data, "-o", settings, "-l", log, "-w", "start")
        try:
            yield server
        finally:
            server.run(control, "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
