"""Times of fits on whole tables, beside those of an explainable boosting machine (EBM)."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from crisplogic import LogicClassifier
from crisplogic.datasets import Dataset, load
from experiments.harness.command_line import OnStep
from experiments.harness.processes import limited_threads
from experiments.harness.store import Document

REPEATS = 3

# From a seed to a classifier that is not fitted yet.
Maker = Callable[[int], Any]


def _make_ebm(seed: int) -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(interactions=0, n_jobs=1, random_state=seed)


MAKERS: dict[str, Maker] = {
    "LogicClassifier": lambda seed: LogicClassifier(random_state=seed),
    "EBM": _make_ebm,
}


@dataclass(frozen=True)
class TimingTask:
    """Seconds of fits of both on one table, by turns, with the seeds 0, 1 and so on."""

    table: str

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"timing/{self.table}"

    def question(self) -> Document:
        """What stored figures must agree with."""
        settings = LogicClassifier().get_params()
        return {"table": self.table, "repeats": REPEATS, "settings": settings}

    def perform(self) -> Document:
        """Seconds by learner, in the order of the fits."""
        seconds = alternate(load(self.table), MAKERS)
        return {name: list(values) for name, values in seconds.items()}

    def line(self, figures: Document) -> str:
        """Medians of the seconds."""
        medians = [f"{name} {median(values):.1f} s" for name, values in figures.items()]
        return f"{self.table}: {', '.join(medians)}"


def alternate(
    table: Dataset,
    makers: Mapping[str, Maker],
    repeats: int = REPEATS,
    threads: int = 1,
    on_step: OnStep = lambda text: None,
) -> dict[str, tuple[float, ...]]:
    """Seconds of fits on the whole table, by turns: a busy minute then slows down all."""
    seconds: dict[str, list[float]] = {name: [] for name in makers}
    for seed in range(repeats):
        for name, make in makers.items():
            with limited_threads(threads):
                seconds[name].append(_fit_seconds(make(seed), table))
            on_step(f"{table.name}, {name}: {seconds[name][-1]:.1f} s")
    return {name: tuple(values) for name, values in seconds.items()}


def _fit_seconds(clf: Any, table: Dataset) -> float:
    with warnings.catch_warnings():
        # Interpret cannot draw missing values; nothing is drawn here.
        warnings.filterwarnings("ignore", "Missing values detected", UserWarning)
        started = time.perf_counter()
        clf.fit(table.X, table.y)
        return time.perf_counter() - started
