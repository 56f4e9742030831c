"""The command line: ``python -m experiments.numbers``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from crisplogic.files import atomic_writer
from experiments.harness.command_line import count, exit_code
from experiments.harness.origin import here, now
from experiments.harness.pool import worker_processes
from experiments.harness.run import Task, answered
from experiments.harness.store import Store
from experiments.numbers.folds import SPLITS
from experiments.numbers.page import to_markdown
from experiments.numbers.peers import require_interpret
from experiments.numbers.tables import NAMES
from experiments.numbers.tasks import AdditiveTask, rules_task

RESULTS = Path(__file__).parents[1] / "results" / "numbers"


def main(arguments: Sequence[str]) -> int:
    """Run the experiment and return the exit code; what a user can mend is one message."""
    options = _parser().parse_args(arguments)
    return exit_code(
        lambda: _run(options, arguments), "without --again the next run goes on from here"
    )


def tasks_for(tables: Sequence[str], folds: int, ebm: bool) -> list[Task]:
    """The first fold of each table, then the second of each and so on; all of EBM at last.

    In this order the time left can be told early, and a run that is stopped has something
    about every table.
    """
    where = [(table, fold) for fold in range(folds) for table in tables]
    rules: list[Task] = [rules_task(table, fold) for table, fold in where]
    return [*rules, *[AdditiveTask(table, fold) for table, fold in where if ebm]]


def _run(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    if options.ebm:
        require_interpret()
    origin = here("experiments.numbers", arguments)
    store = Store(options.output)
    tables = list(dict.fromkeys(options.tables))  # a table named twice is measured once
    tasks = tasks_for(tables, options.folds, options.ebm)
    if options.again:
        store.forget(task.name for task in tasks)
    with worker_processes(options.workers) as executor:
        documents = answered(tasks, store, origin, executor, "fold")
    page = to_markdown(documents, origin, now())
    with atomic_writer(options.output / "numbers.md") as file:
        file.write(page)
    print(page)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.numbers",
        description="Measure LogicRegressor's default rules beside other learners, on ten "
        "folds of six tables. A run that was stopped goes on where it stopped.",
    )
    parser.add_argument(
        "--tables",
        nargs="+",
        choices=NAMES,
        default=list(NAMES),
        metavar="NAME",
        help=f"only these of {', '.join(NAMES)}",
    )
    parser.add_argument(
        "--folds",
        type=int,
        choices=range(1, SPLITS + 1),
        default=SPLITS,
        metavar="COUNT",
        help="only the first so many",
    )
    parser.add_argument(
        "--workers", type=count, default=os.cpu_count() or 1, help="processes (all cores)"
    )
    parser.add_argument("--ebm", action="store_true", help="compare with an EBM as well")
    parser.add_argument(
        "--again", action="store_true", help="measure anew what is stored already"
    )
    parser.add_argument(
        "--output", type=Path, default=RESULTS, metavar="FOLDER", help="where results go"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
