"""Running the command line, and the files that its tests run it on."""

from __future__ import annotations

import csv
import os
import random
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from crisplogic.cli.performance import ClassPerformance, Confusion
from crisplogic.cli.training import FitResult
from crisplogic.estimators import LogicClassifier, LogicRegressor
from crisplogic.expr import parse
from crisplogic.rules import (
    ClassificationRules,
    ClassSnapReport,
    Frontier,
    Membership,
    Point,
    Rule,
    RuleSet,
)

NAMES = ("größe", '"; DROP TABLE', "a + (b", "age")
EXPRESSIONS = {"ja": "(0 ^ 1) + ~(2 | 3) + (0 & 2) + 1", "nein ⊕": "~(0 ^ 1) + ~3"}

TABLE = "age,bmi,ill\n50,31.5,yes\n41,,no\n30,22,no\n66,29,yes\n"


# A column of every kind, and names that need care: a comma, a colon, quotes.
HOUSES = ("rooms", "area, m2", "town: name", '"; DROP TABLE', "garden", "price")

# What the commands print when they find out that a price is a number.
REMARK = (
    "'price' has 120 different values, 95.721 to 200.094, and is learned as a number; "
    "--task classification learns classes\n\n"
)


class Ran(NamedTuple):
    """What a run of the command line left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "crisplogic", *map(str, arguments)]


def run_apart(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The command line in a process of its own; the variables are added to our own."""
    ours = {name: value for name, value in os.environ.items() if name != "PYTHONIOENCODING"}
    return subprocess.run(
        command(*arguments), capture_output=True, check=False, env={**ours, **environment}
    )


def assert_refused(ran: Ran, *expected: str) -> None:
    """One message on standard error that says what is wrong, nothing else, exit code 2.

    Several problems are indented lines below the first.
    """
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("error: ")
    first, *others = ran.err.splitlines()
    assert first.endswith(":") or not others
    assert all(line.startswith("  ") for line in others)
    for words in expected:
        assert words in ran.err


def rule_set() -> ClassificationRules:
    return ClassificationRules(
        features=NAMES,
        memberships=tuple(Membership(number, 0.0, 10.0) for number in range(len(NAMES))),
        rules=tuple(Rule(label, parse(text)) for label, text in EXPRESSIONS.items()),
        scale=2.0,
    )


def write_rows(path: Path, names: tuple[str, ...] = NAMES, rows: int = 30) -> Path:
    """A table whose cells depend on the column's name and the row, not on the order."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for row in range(rows):
            writer.writerow(
                "" if row % 7 == 3 else random.Random(f"{name} {row}").randrange(11)
                for name in names
            )
    return path


def write_houses(path: Path, rows: int = 120) -> Path:
    """A table of houses and their prices, with gaps; rooms, towns and gardens make a price."""
    draw = random.Random(0)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HOUSES)
        for row in range(rows):
            rooms, town = draw.randint(1, 8), draw.choice(["Oslo", "Bergen", "Bodø"])
            area, garden = 20 * rooms + draw.randint(-8, 8), draw.random() < 0.4
            price = 100 + 35 * (rooms > 4) + 40 * (town == "Oslo") + 20 * garden
            cells = ("" if row % 9 == 4 else area, "" if row % 17 == 5 else town, draw.random())
            price_in_full = price + draw.gauss(0, 3)
            writer.writerow([rooms, *cells, "true" if garden else "false", price_in_full])
    return path


def small_rules() -> RuleSet:
    """Smaller rules for the same columns."""
    rules = Rule("ja", parse("0")), Rule("nein ⊕", parse("false"))
    return ClassificationRules(rule_set().features, (Membership(3, 0.0, 10.0),), rules)


def fit_result() -> FitResult:
    """Rules of two sizes, as if they had been learned."""
    points = Point(small_rules(), 0.25), Point(rule_set(), 0.125, 0.2, 0.1, 0.01)
    report = ClassSnapReport.compare([], *([[0, 1]] * 3))  # type: ignore[arg-type]
    labels, truth = rule_set().labels, np.array([0, 1])
    confusion = Confusion.of(labels, truth, truth)
    performance = ClassPerformance(0.0, 0.5, labels[0], 1.0, confusion)
    return FitResult(rule_set(), Frontier(points), report, performance)


def learn_quickly(monkeypatch: pytest.MonkeyPatch, folds: int = 2) -> None:
    """Let the command line learn from one start and few folds."""
    for kind in (LogicClassifier, LogicRegressor):
        fast = partial(kind, restarts=1, folds=folds)
        monkeypatch.setattr(f"crisplogic.estimators.{kind.__name__}", fast)
