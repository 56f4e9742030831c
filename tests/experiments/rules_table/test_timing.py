from __future__ import annotations

from typing import Any

import pytest

from experiments.rules_table import timing as timing_module
from experiments.rules_table.timing import REPEATS, TimingTask, alternate
from tests.experiments.rules_table.samples import tiny_table

Notes = list[tuple[str, int, int]]


class Fitted:
    """A classifier that only notes its fits."""

    def __init__(self, name: str, seed: int, notes: Notes) -> None:
        self.name, self.seed, self.notes = name, seed, notes

    def fit(self, X: Any, y: Any) -> None:
        self.notes.append((self.name, self.seed, len(X)))


def test_fits_alternate_on_the_whole_table_with_a_seed_each() -> None:
    notes: Notes = []
    makers = {
        "ours": lambda seed: Fitted("ours", seed, notes),
        "theirs": lambda seed: Fitted("theirs", seed, notes),
    }
    lines: list[str] = []
    seconds = alternate(tiny_table(), makers, on_step=lines.append)
    assert notes == [(name, seed, 60) for seed in range(3) for name in ("ours", "theirs")]
    assert [len(values) for values in seconds.values()] == [3, 3]
    assert all(value > 0 for values in seconds.values() for value in values)
    assert len(lines) == 6


def test_a_task_times_both_learners(monkeypatch: pytest.MonkeyPatch) -> None:
    notes: Notes = []
    makers = {name: lambda seed: Fitted("", seed, notes) for name in timing_module.MAKERS}
    monkeypatch.setattr(timing_module, "MAKERS", makers)
    monkeypatch.setattr(timing_module, "load", lambda name: tiny_table())
    task = TimingTask("vehicle")
    figures = task.perform()
    assert {name: len(values) for name, values in figures.items()} == dict.fromkeys(
        ("LogicClassifier", "EBM"), REPEATS
    )
    assert task.line(figures) == "vehicle: LogicClassifier 0.0 s, EBM 0.0 s"
