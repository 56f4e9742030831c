"""The time of a whole fit beside that of boosting: an EBM, or scikit-learn's histograms."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from benchmarks.made import all_cores, made_table
from benchmarks.measuring import Spread, ratios
from benchmarks.tables import Row, Table, Verdict, stored, with_spread
from crisplogic import LogicClassifier, LogicRegressor
from crisplogic.datasets import Dataset, load, names
from experiments.harness.command_line import progress
from experiments.rules_table.timing import MAKERS, Maker, alternate

TITLE = "A whole fit"
ABOUT = (
    "Seconds of a default fit on a whole table, by turns with another learner at its defaults:"
    " interpret's `ExplainableBoostingClassifier(interactions=0, n_jobs=1)` (EBM; one job is"
    " what that chooses itself on a machine with two cores), or scikit-learn's"
    " `HistGradientBoosting`. All may use all cores. *Made* tables have 20 columns. A ratio"
    " above 1: we take longer."
)
LARGE = (10_000, 100_000, 1_000_000)


@dataclass(frozen=True)
class Contest:
    """A learner of ours and another one, on a table, and the most that the ratio may be."""

    load: Callable[[], Dataset]
    rival: str
    target: float
    repeats: int = 3

    @property
    def makers(self) -> dict[str, Maker]:
        """Ours first."""
        return {self.ours: OURS[self.ours], self.rival: RIVALS[self.rival]}

    @property
    def ours(self) -> str:
        """Which learner of ours it is."""
        return "LogicRegressor" if self.rival.endswith("Regressor") else "LogicClassifier"


OURS: dict[str, Maker] = {
    "LogicClassifier": MAKERS["LogicClassifier"],
    "LogicRegressor": lambda seed: LogicRegressor(random_state=seed),
}
RIVALS: dict[str, Maker] = {
    "EBM": MAKERS["EBM"],
    "HistGradientBoostingClassifier": lambda seed: HistGradientBoostingClassifier(
        random_state=seed
    ),
    "HistGradientBoostingRegressor": lambda seed: HistGradientBoostingRegressor(
        random_state=seed
    ),
}


def contests() -> list[Contest]:
    """The tables that come with the library, and one with a number to predict."""
    small = [Contest(partial(load, name), "EBM", 1.0) for name in available()]
    return [*small, Contest(_diabetes, "HistGradientBoostingRegressor", 3.0)]


def large_contests() -> list[Contest]:
    """Made tables. The largest are measured once: they take minutes."""
    turns = dict(zip(LARGE, (3, 1, 1), strict=True))
    classes = [Contest(partial(made_table, rows), "EBM", 1.0, turns[rows]) for rows in LARGE]
    million = Contest(partial(made_table, LARGE[-1]), "HistGradientBoostingClassifier", 3.0, 1)
    regressor = "HistGradientBoostingRegressor"
    numbers = [
        Contest(partial(made_table, rows, numbers=True), regressor, 3.0, turns[rows])
        for rows in LARGE
    ]
    return [*classes, million, *numbers]


def measure(chosen: Sequence[Contest]) -> list[Row]:
    """Fits of both learners of every contest."""
    steps = sum(2 * contest.repeats for contest in chosen)
    with progress("fit", steps) as on_step, all_cores():
        return [_measured(contest, on_step) for contest in chosen]


def quick() -> list[Row]:
    """Short fits on a part of a table, as a trial."""
    data = load("breast-cancer-wisconsin")
    few = replace(data, X=data.X[:100], y=data.y[:100])
    short = LogicClassifier(epochs=2, folds=0, max_literals=3)
    makers = {"LogicClassifier": lambda seed: short, "EBM": MAKERS["EBM"]}
    seconds = alternate(few, makers, 1)
    return [_row(few, Contest(lambda: few, "EBM", 1.0), seconds)]


def available() -> list[str]:
    """The tables that are installed: one may not be redistributed, and not all have it."""
    found = []
    for name in names():
        try:
            load(name)
        except FileNotFoundError:
            continue
        found.append(name)
    return found


def table(rows: Sequence[Row]) -> Table:
    """The figures as text."""
    head = ["table", "rows", "columns", "ours", "other", "ours, s", "other, s", "ratio"]
    return Table(head, [_line(row) for row in rows])


def verdicts(rows: Sequence[Row]) -> list[Verdict]:
    """Every ratio has a target."""
    return [
        Verdict(
            f"fit, {row['table']}, beside {row.get('rival', 'EBM')}",
            row["ratio"]["median"],
            row.get("target", 1.0),
            "x",
            at_least=False,
        )
        for row in rows
    ]


def _measured(contest: Contest, on_step: Any) -> Row:
    data = contest.load()
    cores = os.cpu_count() or 1
    seconds = alternate(data, contest.makers, contest.repeats, cores, on_step)
    return _row(data, contest, seconds)


def _diabetes() -> Dataset:
    X, y = load_diabetes(return_X_y=True)
    columns = tuple(f"c{number}" for number in range(X.shape[1]))
    return Dataset("diabetes, a number", X, y, columns, "target", "", "")


def _row(data: Dataset, contest: Contest, seconds: dict[str, tuple[float, ...]]) -> Row:
    ours, rival = (seconds[name] for name in contest.makers)
    return {
        "table": data.name,
        "rows": data.X.shape[0],
        "columns": data.X.shape[1],
        "ours": contest.ours,
        "rival": contest.rival,
        "target": contest.target,
        "turns": len(ours),
        "logic": stored(Spread.of(ours)),
        "boosting": stored(Spread.of(rival)),
        "ratio": stored(Spread.of(ratios(ours, rival))),
    }


def _line(row: Row) -> list[str]:
    # Figures that were stored earlier are all of a classifier beside an EBM.
    spreads = [with_spread(row[name]) for name in ("logic", "boosting", "ratio")]
    learners = [row.get("ours", "LogicClassifier"), row.get("rival", "EBM")]
    return [row["table"], str(row["rows"]), str(row["columns"]), *learners, *spreads]
