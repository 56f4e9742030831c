"""Runs exported SQL in PostgreSQL: a server of our own, which is gone afterwards."""

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

from crisplogic.errors import ExportError
from crisplogic.export.running.databases import TABLE, Query
from crisplogic.export.running.rows import Answers, RawRows
from crisplogic.rules import RuleSet

# A statement that takes longer is stopped.
MOST_SECONDS = 600
# The root user may not run a server; Debian's package has this user for it.
USER = "postgres"


def run_postgres(rules: RuleSet, rows: RawRows, **options: Any) -> Answers:
    """Run the query in a server that is started for it."""
    with running_postgres() as server:
        return server.answers(rules, rows, **options)


class PostgresServer:
    """A server that listens on a socket in a folder."""

    def __init__(self, folder: Path, user: str | None) -> None:
        self.folder, self.user = folder, user

    def answers(
        self, rules: RuleSet, rows: RawRows, gap: float | None = None, **options: Any
    ) -> Answers:
        """What the rules say of rows; missing numbers are ``gap``, NULL or NaN."""
        query = Query(rules, rows, "postgres", **options)
        columns = query.columns("DOUBLE PRECISION", "TEXT")
        text = io.StringIO()
        writer = csv.writer(text)
        for row in zip(*query.values(rows, gap), strict=True):
            writer.writerow(["\\N" if each is None else each for each in row])
        data = self.folder / "rows.csv"
        data.write_text(text.getvalue(), encoding="utf-8")
        found = self._query(
            f"DROP TABLE IF EXISTS {TABLE}; CREATE TABLE {TABLE} ({columns});\n"
            f"\\copy {TABLE} FROM '{data}' (FORMAT csv, NULL '\\N')\n",
            query.text,
        )
        return query.answers_in_text(found)

    def _query(self, before: str, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query, as texts."""
        where = ["-h", str(self.folder), "-U", USER, "-d", "postgres"]
        options = ["-X", "-q", "-v", "ON_ERROR_STOP=1", *where, "-f", "-"]
        script = f"{before}COPY ({sql}) TO STDOUT (FORMAT csv);"
        text = self.run(_binary("psql"), *options, given=script)
        return [tuple(row) for row in csv.reader(io.StringIO(text, newline=""))]

    def run(self, *command: str, given: str = "") -> str:
        """Run a program as the user of the server; what it prints."""
        done = subprocess.run(
            command,
            input=given.encode(),
            capture_output=True,
            check=False,
            timeout=MOST_SECONDS,
            user=self.user,
            cwd=self.folder,
            env={
                **os.environ,
                "LC_ALL": "C.UTF-8",
                "PGOPTIONS": "-c client_min_messages=error",
            },
        )
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace")
            raise ExportError(f"PostgreSQL failed: {said[-2000:]}")
        return done.stdout.decode()


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """A server with an empty database, for this user alone."""
    initdb, control = _binary("initdb"), _binary("pg_ctl")
    user = USER if os.getuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="pg", dir="/tmp") as name:
        folder = Path(name)
        try:
            if user is not None:
                shutil.chown(folder, user)
        except LookupError:
            raise ExportError(
                f"root may not run PostgreSQL, and no user {user} is installed"
            ) from None
        server = PostgresServer(folder, user)
        data, log = str(folder / "data"), str(folder / "log")
        server.run(initdb, "-D", data, "-U", USER, "-A", "trust", "--no-sync", "-E", "UTF8")
        settings = f"-k {folder} -c listen_addresses='' -c fsync=off"
        server.run(control, "-D", data, "-o", settings, "-l", log, "-w", "start")
        try:
            yield server
        finally:
            server.run(control, "-D", data, "-m", "immediate", "stop")


def _binary(name: str) -> str:
    found = shutil.which(name) or max(glob(f"/usr/lib/postgresql/*/bin/{name}"), default=None)
    if found is None:
        raise ExportError("PostgreSQL is not installed")
    return found
