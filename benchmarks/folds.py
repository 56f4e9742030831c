"""How long a cross-validation takes, beside one fit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from benchmarks.made import all_cores
from benchmarks.measuring import Patience, Run, Spread, in_turns, ratios
from benchmarks.tables import Row, Table, Verdict, stored, with_spread
from crisplogic import LogicClassifier, cross_validate
from crisplogic.datasets import load

TITLE = "Cross-validation"
FOLDS = 10
TARGET = 4.0
ABOUT = (
    f"Seconds of `cross_validate(LogicClassifier(), X, y, cv={FOLDS})`, by turns with one fit"
    " on all rows, with all cores."
)
TABLES = ("breast-cancer-wisconsin", "vehicle")


def measure(tables: Sequence[str], repeats: int, **settings: Any) -> list[Row]:
    """Both on every table. ``settings`` are those of the classifier."""
    patience = Patience(seconds=0.0, least=repeats, most=repeats, longest=3600.0)
    with all_cores():
        return [_measured(name, patience, settings) for name in tables]


def table(rows: Sequence[Row]) -> Table:
    """The figures as text."""
    head = ["table", "rows", "cross-validation, s", "a fit, s", "ratio"]
    return Table(head, [_line(row) for row in rows])


def verdicts(rows: Sequence[Row]) -> list[Verdict]:
    """Every ratio has the same target."""
    return [
        Verdict(
            f"{FOLDS} folds, {row['table']}",
            row["ratio"]["median"],
            TARGET,
            "fits",
            at_least=False,
        )
        for row in rows
    ]


def _measured(name: str, patience: Patience, settings: dict[str, Any]) -> Row:
    data, clf = load(name), LogicClassifier(random_state=0, **settings)
    runs: dict[str, Run] = {
        "folds": partial(cross_validate, clf, data.X, data.y, cv=FOLDS),
        "fit": partial(clf.fit, data.X, data.y),
    }
    seconds = in_turns(runs, patience)
    return {
        "table": name,
        "rows": len(data.y),
        "turns": len(seconds["fit"]),
        **{what: stored(Spread.of(known)) for what, known in seconds.items()},
        "ratio": stored(Spread.of(ratios(seconds["folds"], seconds["fit"]))),
    }


def _line(row: Row) -> list[str]:
    spreads = [with_spread(row[name]) for name in ("folds", "fit", "ratio")]
    return [row["table"], str(row["rows"]), *spreads]
