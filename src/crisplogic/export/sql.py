"""SQL for many databases: a query, a view or a dbt model."""

from __future__ import annotations

import re
from collections.abc import Sequence

from crisplogic.errors import ExportError
from crisplogic.export.about import About
from crisplogic.export.from_rules import make_program
from crisplogic.export.sql_code import SqlCode
from crisplogic.export.sql_dialects import Dialect
from crisplogic.export.sql_query import Query
from crisplogic.messages import list_some
from crisplogic.rules import RuleSet

# How truth values are stored: as 0 and 1, as a type of their own, as words.
TRUTH_TYPES = ("number", "boolean", "text")


def write_sql(
    rules: RuleSet,
    about: About,
    *,
    dialect: str = "duckdb",
    table: str | Sequence[str] = "data",
    keep: Sequence[str] | None = None,
    proba: bool = False,
    view: str | Sequence[str] | None = None,
    dbt: bool = False,
    quote: bool = False,
    truth: str = "number",
    nan: bool = False,
    missing: bool = True,
) -> str:
    """A query of all rows of a table: their columns, score and prediction.

    A dot in a name of a table or a view separates it from its schema; where it does not, give
    the parts as a list.
    """
    if truth not in TRUTH_TYPES:
        raise ExportError(f"truth must be one of {list_some(TRUTH_TYPES)}, got {truth!r}")
    if view is not None and dbt:
        raise ExportError("a dbt model is a view by itself: give either view or dbt")
    database = Dialect(dialect, quote)
    code = SqlCode(make_program(rules, missing), database, truth, nan)
    source = _ref(table) if dbt else database.table(table)
    columns = None if keep is None else list(map(database.column, keep))
    query = Query(code, columns, {*rules.features, *(keep or ())})
    text = "\n".join(query.lines(source, proba))
    if dbt:
        text = text.replace(source, "\0")
        text = re.sub(r"\{(?=[{%#])", '{{ "{" }}', text).replace("\0", source)
    head = [f"-- {_without_jinja(line) if dbt else line}" for line in about.lines(rules)]
    start = [] if view is None else [f"CREATE VIEW {database.table(view)} AS"]
    ending = "" if dbt else ";"
    return "\n".join([*head, *start, f"{text}{ending}"]) + "\n"


def _ref(table: str | Sequence[str]) -> str:
    name = table if isinstance(table, str) else ".".join(table)
    if not re.fullmatch(r"[\w.-]+", name):
        raise ExportError(f"a dbt model refers to another by a plain name, got {name!r}")
    return "{{ ref('" + name + "') }}"


def _without_jinja(line: str) -> str:
    return re.sub(r"\{(?=[{%#])", "{ ", line)
