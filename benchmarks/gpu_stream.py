"""How busy streaming keeps a GPU, compared with a table in memory.

A GPU is busy for the share of the time in which it runs something, as ``nvidia-smi`` samples it
while networks train.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from crisplogic import LogicClassifier
from crisplogic.training import train

FILES, ROWS, COLUMNS = 8, 200_000, 20
PERIOD_MS = 50
TURNS = 2
# One network and no search: what is measured is training.
SETTINGS: dict[str, Any] = {
    "literals": "graded",
    "snapping": "straight_through",
    "device": "cuda",
    "restarts": 1,
    "folds": 0,
    "random_state": 0,
}

Run = Callable[[], object]
Span = tuple[float, float]


def measure() -> list[dict[str, Any]]:
    """The busy share of every phase of training, by turns; the first fits are left out."""
    with TemporaryDirectory() as folder:
        X, y = _write_files(Path(folder))
        runs: dict[str, Run] = {
            "in memory": lambda: LogicClassifier(**SETTINGS).fit(X, y),
            "streamed": lambda: LogicClassifier(**SETTINGS).fit_dataset(folder, target="y"),
        }
        for run in runs.values():
            run()
        return [_measured(name, run) for _ in range(TURNS) for name, run in runs.items()]


def _write_files(folder: Path) -> tuple[NDArray[np.float32], NDArray[np.str_]]:
    """Write the rows to files of 100,000 rows a group, and return them."""
    import pyarrow
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    X = rng.normal(size=(FILES * ROWS, COLUMNS)).astype(np.float32)
    noise = 0.5 * rng.normal(size=len(X))
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] + noise > 0, "yes", "no")
    for number in range(FILES):
        rows = slice(number * ROWS, (number + 1) * ROWS)
        columns = {f"c{at}": X[rows, at] for at in range(COLUMNS)}
        table = pyarrow.table({**columns, "y": y[rows]})
        parquet.write_table(table, folder / f"{number}.parquet", row_group_size=100_000)
    return X, y


def _measured(name: str, run: Run) -> dict[str, Any]:
    with _phases() as spans, _samples() as samples:
        run()
    phases = [
        {"seconds": end - start, "busy": _mean_between(samples, start, end)}
        for start, end in spans
    ]
    seconds = sum(phase["seconds"] for phase in phases)
    busy = sum(phase["seconds"] * phase["busy"] for phase in phases) / seconds
    return {"run": name, "phases": phases, "seconds": seconds, "busy": busy}


def _mean_between(samples: list[tuple[float, float]], start: float, end: float) -> float:
    return mean([share for at, share in samples if start <= at <= end] or [0.0])


@contextmanager
def _phases() -> Iterator[list[Span]]:
    """When each phase of training began and ended."""
    spans: list[Span] = []

    def timed(*arguments: Any) -> Any:
        start = time.time()
        history = train(*arguments)
        spans.append((start, time.time()))
        return history

    with patch("crisplogic.training.networks.train", timed):
        yield spans


@contextmanager
def _samples() -> Iterator[list[tuple[float, float]]]:
    """Times, and the share of the time before in which the GPU was busy."""
    found: list[tuple[float, float]] = []
    query = ["--query-gpu=utilization.gpu", "--format=csv,noheader,nounits"]
    command = ["nvidia-smi", *query, f"--loop-ms={PERIOD_MS}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = process.stdout

        def read() -> None:
            found.extend((time.time(), float(line) / 100) for line in lines)

        reader = threading.Thread(target=read)
        reader.start()
        try:
            yield found
        finally:
            process.terminate()
            reader.join()
