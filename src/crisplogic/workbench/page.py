"""The page of the workbench: the report of the rules, and a panel to change them."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from crisplogic.expr.notation import OTHER, written_column, written_name, written_value
from crisplogic.report.page import Panel, render
from crisplogic.rules import RuleSet
from crisplogic.rules.analysis.comparison import Comparison
from crisplogic.rules.formatting import Wording, terms_of
from crisplogic.rules.memberships import Ramp, Step
from crisplogic.rules.number_format import all_digits
from crisplogic.rules.words import labels_in_words
from crisplogic.tables import TRUTH, Levels
from crisplogic.workbench.bench import Bench
from crisplogic.workbench.edits import checklist_of

if TYPE_CHECKING:
    from jinja2 import Template

# So many rows that are predicted differently are listed.
MOST_ROWS = 20


def write_page(bench: Bench, token: str, author: str, name: str) -> str:
    """The page. It sends ``token`` with what it asks for; a new file is called ``name``."""
    view = {**describe(bench), "author": author, "file": name}
    html = _template().render(v=view)
    panel = Panel(html, _part("panel.js"), _part("panel.css"), {"token": token})
    return render(bench.summary(), panel)


def describe(bench: Bench) -> dict[str, Any]:
    """All that the panel shows, as plain data."""
    rules, session, found = bench.rules, bench.session, bench.comparison()
    form = checklist_of(rules)
    sizes = [] if bench.frontier is None else [point.size for point in bench.frontier]
    return {
        "predicts": rules.predicts,
        "labels": labels_in_words(rules.labels),
        "thresholds": _thresholds(rules),
        "rules": _rules(rules),
        "speaks_for": _speaks_for(rules),
        "needed": None if form is None else all_digits(form.needed),
        "total": None if form is None else form.total,
        "versions": [each.what for each in session.versions],
        "at": session.at,
        "sizes": sizes,
        "nearest_size": max((size for size in sizes if size <= rules.size), default=None),
        "compared": bench.compared,
        "can_undo": session.can_undo,
        "can_redo": session.can_redo,
        "metrics": _metrics(found),
        "rows": found.rows,
        "changed": len(found.changed),
        "better": len(found.better),
        "worse": len(found.worse),
        "changed_rows": [asdict(each) for each in bench.changed_rows(found, MOST_ROWS)],
        "diff": found.diff,
        "fitted": len(bench.rows.fitted),
        "columns": [written_column(name) for name in rules.features],
        "example": _example(rules),
    }


def _metrics(found: Comparison[Any]) -> list[dict[str, str]]:
    """Names of metrics, what they are now, and by how much they changed."""
    pairs = zip(found.before.lines(), found.after.lines(), strict=True)
    return [
        {
            "name": new.name,
            "now": new.format(new.number),
            "change": new.format(new.number - old.number, "+"),
        }
        for old, new in pairs
    ]


def _thresholds(rules: RuleSet) -> list[dict[str, Any]]:
    """The thresholds that rules use, each once: a literal as it is named, and its number."""
    found: dict[str, str] = {}
    for index in rules.used:
        membership = rules.memberships[index]
        if isinstance(membership, Step):
            value = all_digits(membership.bound[1])
        elif isinstance(membership, Ramp) and membership.low < membership.high:
            value = membership.shown
        else:
            continue
        found[written_name(rules.names[index])] = value
    return [{"text": text, "value": value} for text, value in found.items()]


def _speaks_for(rules: RuleSet) -> int:
    """The class that a new statement speaks for, unless someone says otherwise."""
    form = checklist_of(rules)
    return 0 if form is None else rules.labels.index(form.positive)


def _rules(rules: RuleSet) -> list[dict[str, Any]]:
    """Every rule: its terms, and its text, as they can be written again."""
    wording = Wording(rules)
    return [
        {
            "terms": list(dict.fromkeys(map(wording.whole, terms_of(expr)))),
            "text": wording.bodies[at],
        }
        for at, expr in enumerate(rules.expressions)
    ]


def _example(rules: RuleSet) -> str:
    """A statement as one might be added, about columns that there are."""
    levels = rules.levels or (None,) * len(rules.features)
    first, *more = (
        _comparison(name, its) for name, its in zip(rules.features, levels, strict=True)
    )
    return " & ".join([first, *more[:1]])


def _comparison(name: str, levels: Levels | None) -> str:
    column = written_column(name)
    if levels is None:
        return f"{column}>1"
    if levels == TRUTH:
        return column
    return f"{column} is {written_value(levels.names[0]) if levels.names else OTHER}"


def _part(name: str) -> str:
    return (files("crisplogic.workbench") / "templates" / name).read_text(encoding="utf-8")


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    return environment.from_string(_part("panel.html"))
