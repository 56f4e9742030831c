"""Start-up time: whole processes, from their start to their end."""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.made import all_cores, made_table
from benchmarks.measuring import Patience, Run, Spread, in_turns
from benchmarks.tables import Row, Table, Verdict, milliseconds, stored
from crisplogic import LogicClassifier
from crisplogic.datasets import load_breast_cancer_wisconsin

TITLE = "Starting"
ABOUT = (
    "Milliseconds of a fresh process from its start to its end, Python's own included. Saved"
    " rules are loaded, and a row predicted, without torch."
)
# The most seconds that each may take.
TARGETS = {
    "import crisplogic": 0.05,
    "crisplogic --help": 0.5,
    "load rules, predict a row": 0.5,
    "crisplogic fit, 1,000 rows": 4.0,
}
ROWS, COLUMNS = 1000, 10
PREDICT = """
import sys
from crisplogic import RuleSet
rules = RuleSet.load(sys.argv[1])
print(rules.predict([[1.0] * len(rules.features)])[0])
assert "torch" not in sys.modules
"""


def measure(processes: int) -> list[Row]:
    """Fresh processes of each kind, by turns, with all cores."""
    with tempfile.TemporaryDirectory() as folder, all_cores():
        file, learned = _rules_file(Path(folder)), Path(folder) / "learned.json"
        commands = {
            "python alone": ["-c", "pass"],
            "import crisplogic": ["-c", "import crisplogic"],
            "crisplogic --help": ["-m", "crisplogic", "--help"],
            "load rules, predict a row": ["-c", PREDICT, str(file)],
            "crisplogic fit, 1,000 rows": [
                *("-m", "crisplogic", "fit", str(_table_file(Path(folder)))),
                *("--target", "target", "--out", str(learned), "--quiet"),
            ],
        }
        runs: dict[str, Run] = {
            what: partial(_process, arguments) for what, arguments in commands.items()
        }
        patience = Patience(0.0, least=processes, most=processes, longest=600.0)
        seconds = in_turns(runs, patience)
    return [
        {"what": what, "turns": len(known), "process": stored(Spread.of(known))}
        for what, known in seconds.items()
    ]


def table(rows: Sequence[Row]) -> Table:
    """The figures as text."""
    lines = [[row["what"], str(row["turns"]), milliseconds(row["process"])] for row in rows]
    return Table(["what", "processes", "ms"], lines)


def verdicts(rows: Sequence[Row]) -> list[Verdict]:
    """One verdict for each command that has a target."""
    return [
        Verdict(row["what"], row["process"]["median"], target, "s", at_least=False)
        for row in rows
        if (target := TARGETS.get(row["what"])) is not None
    ]


def _rules_file(folder: Path) -> Path:
    """Rules of an ordinary size: how good they are does not matter here."""
    data = load_breast_cancer_wisconsin()
    classifier = LogicClassifier(epochs=1, folds=0, max_literals=12, random_state=0)
    file = folder / "rules.json"
    classifier.fit(data.X, data.y).rules_.save(file)
    return file


def _table_file(folder: Path) -> Path:
    data, file = made_table(ROWS, COLUMNS), folder / "table.csv"
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines)
        writer.writerow([*data.feature_names, data.target_name])
        writer.writerows([*row, label] for row, label in zip(data.X, data.y, strict=True))
    return file


def _process(arguments: Sequence[str]) -> None:
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
