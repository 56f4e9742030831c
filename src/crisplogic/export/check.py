"""Compares exports with the library: every target that this machine can run, on given rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from crisplogic.errors import ExportError
from crisplogic.export.running.databases import run_duckdb, run_sqlite
from crisplogic.export.running.decisions import run_dmn
from crisplogic.export.running.mariadb import run_mariadb
from crisplogic.export.running.onnx_session import run_onnx
from crisplogic.export.running.postgres import run_postgres
from crisplogic.export.running.programs import (
    run_c,
    run_java,
    run_javascript,
    run_numpy,
    run_python,
)
from crisplogic.export.running.rows import Answers, Floats, RawRows, library_answers
from crisplogic.export.running.scorecards import run_pmml
from crisplogic.export.running.spark import run_spark
from crisplogic.messages import list_some
from crisplogic.rules import RuleSet

RUNNERS: dict[str, Callable[[RuleSet, RawRows], Answers]] = {
    "python": run_python,
    "numpy": run_numpy,
    "c": run_c,
    "javascript": run_javascript,
    "java": run_java,
    "sql (duckdb)": run_duckdb,
    "sql (sqlite)": run_sqlite,
    "sql (postgres)": run_postgres,
    "sql (mysql)": run_mariadb,
    "sql (spark)": run_spark,
    "onnx": run_onnx,
    "pmml": run_pmml,
    "dmn": run_dmn,
}
# Numbers and probabilities may differ by so much, of 1 or of themselves.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Agreement:
    """How a target did: on how many rows its answer differs, or why it was not run.

    ``difference`` is the greatest one of probabilities, or of numbers in relation to them.
    """

    target: str
    rows: int = 0
    disagreements: int = 0
    difference: float = 0.0
    skipped: str | None = None

    @property
    def agrees(self) -> bool:
        """Whether it gave the library's answer on every row."""
        return self.skipped is None and not self.disagreements

    def to_dict(self) -> dict[str, Any]:
        """The figures as values of JSON."""
        if self.skipped is not None:
            return {"target": self.target, "skipped": self.skipped}
        return {
            "target": self.target,
            "rows": self.rows,
            "disagreements": self.disagreements,
            "difference": self.difference,
        }


def check_exports(
    rules: RuleSet, rows: RawRows, matrix: Floats, targets: Iterable[str] | None = None
) -> Iterator[Agreement]:
    """Run targets on rows, and compare. ``matrix`` is the rows as the library reads them.

    A target whose program is not installed is skipped, with the reason. "sql" stands for all
    databases.
    """
    chosen: list[str] = []
    for target in RUNNERS if targets is None else targets:
        found = [name for name in RUNNERS if name == target or name.startswith(f"{target} (")]
        if not found:
            known = list_some(RUNNERS, 99)
            raise ExportError(f"{target!r} is none of the targets that can be run: {known}")
        chosen += found
    return _check_each(rules, rows, matrix, chosen)


def _check_each(
    rules: RuleSet, rows: RawRows, matrix: Floats, targets: Iterable[str]
) -> Iterator[Agreement]:
    wanted = library_answers(rules, matrix)
    for target in targets:
        try:
            found = RUNNERS[target](rules, rows)
        except (ExportError, ImportError) as error:
            yield Agreement(target, skipped=str(error))
        else:
            yield compare(target, wanted, found)


def compare(target: str, wanted: Answers, found: Answers) -> Agreement:
    """Count the rows on which two programs differ."""
    rows = len(wanted.predictions)
    if wanted.probabilities is None:
        expected = np.array(wanted.predictions, dtype=np.float64)
        numbers = np.array(found.predictions, dtype=np.float64)
        gaps = np.abs(numbers - expected) / np.maximum(np.abs(expected), 1.0)
        return Agreement(target, rows, int((~(gaps <= TOLERANCE)).sum()), _greatest(gaps))
    assert found.probabilities is not None
    pairs = zip(wanted.predictions, found.predictions, strict=True)
    wrong = np.array([a != b for a, b in pairs], dtype=bool)
    gaps = np.abs(found.probabilities - wanted.probabilities).max(axis=1, initial=0.0)
    return Agreement(target, rows, int((wrong | ~(gaps <= TOLERANCE)).sum()), _greatest(gaps))


def _greatest(gaps: Floats) -> float:
    return float(gaps.max(initial=0.0))
