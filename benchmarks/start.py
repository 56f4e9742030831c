"""Start-up time: whole processes, from their start to their end."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

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
TARGETS = {"import crisplogic": 0.2, "crisplogic --help": 0.5, "load rules, predict a row": 0.5}
PREDICT = """
import sys
from crisplogic import RuleSet
rules = RuleSet.load(sys.argv[1])
print(rules.predict([[1.0] * len(rules.features)])[0])
assert "torch" not in sys.modules
"""


def measure(processes: int) -> list[Row]:
    """Fresh processes of each kind, by turns."""
    with tempfile.TemporaryDirectory() as folder:
        file = _rules_file(Path(folder))
        commands = {
            "python alone": ["-c", "pass"],
            "import crisplogic": ["-c", "import crisplogic"],
            "crisplogic --help": ["-m", "crisplogic", "--help"],
            "load rules, predict a row": ["-c", PREDICT, str(file)],
        }
        runs: dict[str, Run] = {
            what: partial(_process, arguments) for what, arguments in commands.items()
        }
        patience = Patience(seconds=0.0, least=processes, most=processes)
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
    classifier = LogicClassifier(
        epochs=5, restarts=1, snapping="straight_through", random_state=0
    )
    file = folder / "rules.json"
    classifier.fit(data.X, data.y).rules_.save(file)
    return file


def _process(arguments: Sequence[str]) -> None:
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
