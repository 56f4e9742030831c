"""Runs exported SQL in databases that need no server: DuckDB and SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import numpy as np

from crisplogic.errors import ExportError
from crisplogic.export.from_rules import make_program
from crisplogic.export.program import Amount
from crisplogic.export.running.rows import Answers, RawRows
from crisplogic.export.sql_dialects import Dialect
from crisplogic.export.targets import export
from crisplogic.rules import RuleSet

TABLE = "raw_rows"


class Query:
    """The query of a rule set for one dialect, with a number a row to sort by."""

    def __init__(self, rules: RuleSet, rows: RawRows, dialect: str, **options: Any) -> None:
        self.dialect = Dialect(dialect)
        self.rules = rules
        self.program = make_program(rules, options.get("missing", True))
        self.number = "row_number_"
        while self.number in rows.columns:
            self.number += "_"
        self.proba = not isinstance(self.program.outcome, Amount)
        wanted: dict[str, Any] = {"proba": True} if self.proba else {}
        text = export(
            rules, "sql", dialect=dialect, table=TABLE, keep=[self.number], **wanted, **options
        )
        assert isinstance(text, str)
        self.text = (
            f"SELECT * FROM ({text.strip().rstrip(';')}\n) AS found ORDER BY {self.number}"
        )

    def columns(self, number: str, text: str) -> str:
        """The columns of the table that is selected from, with their types."""
        kinds = {each.name: each.kind for each in self.program.columns}
        each = [f"{self.number} INTEGER"]
        for name, kind in kinds.items():
            each.append(f"{self.dialect.column(name)} {text if kind == 'text' else number}")
        return ", ".join(each)

    def values(self, rows: RawRows, missing: Any = None) -> list[list[Any]]:
        """The columns of the table as lists; missing numbers are ``missing``."""
        found: list[list[Any]] = [list(range(len(rows)))]
        for column in self.program.columns:
            raw = rows.columns[column.name]
            if isinstance(raw, np.ndarray):
                found.append([missing if v != v else v for v in raw.tolist()])
            else:
                found.append(list(raw))
        return found

    def answers(self, found: Sequence[tuple[Any, ...]]) -> Answers:
        """What the rows of a result say."""
        if not self.proba:
            return Answers([float(row[-1]) for row in found])
        labels = self.program.labels
        count = len(labels)
        texts = {self._written(label): label for label in labels}
        predictions = [texts.get(row[-1 - count], row[-1 - count]) for row in found]
        chances = np.array([[float(x) for x in row[-count:]] for row in found])
        return Answers(predictions, chances.reshape(len(found), count))

    def answers_in_text(self, found: list[tuple[str, ...]]) -> Answers:
        """The same of rows that are texts."""
        labels = {str(label): label for label in self.program.labels}
        if not labels:
            return self.answers(found)
        at = -1 - len(labels)
        return self.answers([(*row[:at], labels[row[at]], *row[at + 1 :]) for row in found])

    def _written(self, label: Any) -> Any:
        """A class as the database gives it: a text, if classes are of several kinds."""
        several = len({type(each) for each in self.program.labels}) > 1
        return str(label) if several else label


def run_sqlite(rules: RuleSet, rows: RawRows, **options: Any) -> Answers:
    """Run the query in SQLite."""
    query = Query(rules, rows, "sqlite", **options)
    with sqlite3.connect(":memory:") as database:
        try:
            database.execute("SELECT exp(0)")
        except sqlite3.OperationalError:
            raise ExportError("this SQLite was built without exp") from None
        database.execute(f"CREATE TABLE {TABLE} ({query.columns('REAL', 'TEXT')})")
        values = query.values(rows)
        marks = ", ".join("?" * len(values))
        database.executemany(f"INSERT INTO {TABLE} VALUES ({marks})", zip(*values, strict=True))
        found = database.execute(query.text).fetchall()
    database.close()
    return query.answers(found)


def run_duckdb(rules: RuleSet, rows: RawRows, gap: Any = None, **options: Any) -> Answers:
    """Run the query in DuckDB; missing numbers are ``gap``, NULL or NaN."""
    try:
        import duckdb
    except ImportError:
        raise ExportError("duckdb is not installed") from None
    query = Query(rules, rows, "duckdb", **options)
    with duckdb.connect(":memory:") as database:
        database.execute(f"CREATE TABLE {TABLE} ({query.columns('DOUBLE', 'VARCHAR')})")
        _fill_duckdb(database, query.values(rows, gap))
        found = database.execute(query.text).fetchall()
    return query.answers(found)


def _fill_duckdb(database: Any, values: list[list[Any]]) -> None:
    try:
        import pyarrow
    except ImportError:  # slow, row by row
        marks = ", ".join("?" * len(values))
        rows = list(map(list, zip(*values, strict=True)))
        database.executemany(f"INSERT INTO {TABLE} VALUES ({marks})", rows)
        return
    arrays = [pyarrow.array(each, from_pandas=False) for each in values]
    named = pyarrow.table({f"c{at}": each for at, each in enumerate(arrays)})
    database.register("given", named)
    database.execute(f"INSERT INTO {TABLE} SELECT * FROM given")
