"""The page of the service: the rules, the columns of a row, and how to ask."""

from __future__ import annotations

import html
import json
import shlex

from crisplogic.rules import RuleSet
from crisplogic.rules.markup import Cell, Table, to_html
from crisplogic.serve.schema import example_row, row_schema

PATHS = {
    "POST /predict": "The prediction for one row.",
    "POST /predict/batch": 'The predictions for many rows: {"rows": [...]}.',
    "POST /explain": "Why one row is predicted as it is.",
    "POST /explain/batch": "The same for many rows.",
    "GET /model": "The rules, their classes and their columns.",
    "GET /openapi.json": "All of this for programs.",
    "GET /health": "Whether the service is up.",
    "GET /metrics": "Counts and times, for Prometheus.",
}
MOST_SHOWN = 12


class Page:
    """The page, in HTML. All text is escaped, and nothing is loaded from elsewhere.

    Only the address depends on the request. The rest is written once.
    """

    def __init__(self, rules: RuleSet) -> None:
        columns = row_schema(rules)["properties"]
        rows = [
            [Cell(name, code=True), Cell(each["description"]), Cell(_values(each))]
            for name, each in columns.items()
        ]
        paths = [[Cell(path, code=True), Cell(what)] for path, what in PATHS.items()]
        body = html.escape(shlex.quote(json.dumps(example_row(rules))))
        self._head = (
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>crisplogic</title>'
            "<style>body{font:16px sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
            "td,th{padding:.2em 1em .2em 0}pre{overflow-x:auto}</style>"
            f"<h1>crisplogic</h1>{rules._repr_html_()}"
            f"<h2>Columns of a row</h2>{to_html([Table('', ['column', '', 'values'], rows)])}"
            "<h2>How to ask</h2><pre>curl "
        )
        table = to_html([Table("", ["path", ""], paths)])
        self._tail = f"/predict -d {body}</pre>{table}</html>"

    def at(self, address: str) -> str:
        """The page of the service at an address."""
        return self._head + html.escape(address.rstrip("/")) + self._tail


def _values(schema: dict[str, object]) -> str:
    """The known values of a category, the first of many."""
    options = schema.get("anyOf")
    known = options[0]["enum"] if isinstance(options, list) else []
    more = f" and {len(known) - MOST_SHOWN} more" if len(known) > MOST_SHOWN else ""
    return ", ".join(map(str, known[:MOST_SHOWN])) + more
