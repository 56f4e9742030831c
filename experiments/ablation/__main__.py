"""The command line: ``python -m experiments.ablation``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from crisplogic.files import atomic_writer
from experiments.ablation.page import to_markdown
from experiments.ablation.tables import NAMES
from experiments.ablation.tasks import SPLITS, VARIANTS, Figures, Task
from experiments.harness.origin import Origin, here, now
from experiments.harness.pool import worker_processes
from experiments.harness.run import answered
from experiments.harness.store import Store

RESULTS = Path(__file__).parents[1] / "results" / "ablation"


def measured(
    tasks: Sequence[Task], store: Store, origin: Origin, workers: int
) -> dict[Task, Figures]:
    """Stored results as they are, all others measured now and stored at once."""
    with worker_processes(workers) as executor:
        documents = answered(tasks, store, origin, executor, "fit")
    return {
        task: Figures(**document["figures"])
        for task, document in zip(tasks, documents, strict=True)
    }


def main(arguments: Sequence[str]) -> None:
    """Run the experiment; a run that was stopped goes on where it stopped."""
    parser = argparse.ArgumentParser(prog="python -m experiments.ablation")
    parser.add_argument("--folds", type=int, default=2, choices=range(1, SPLITS + 1))
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--again", action="store_true", help="measure anew what is stored")
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FOLDER")
    options = parser.parse_args(arguments)
    store = Store(options.output)
    tasks = [
        Task(variant, name, fold)
        for fold in range(options.folds)
        for variant in VARIANTS
        for name in NAMES
    ]
    if options.again:
        store.forget(task.name for task in tasks)
    origin = here("experiments.ablation", arguments)
    figures = measured(tasks, store, origin, options.workers)
    page = to_markdown({task: figures[task] for task in tasks}, origin, now())
    with atomic_writer(options.output / "ablation.md") as file:
        file.write(page)
    print(page)


if __name__ == "__main__":
    main(sys.argv[1:])
