"""The command line: ``python -m experiments.rules_table``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from crisplogic.datasets import load
from crisplogic.files import atomic_writer
from experiments.harness.command_line import count, exit_code
from experiments.harness.folds import FOLDS
from experiments.harness.origin import here, now
from experiments.harness.pool import worker_processes
from experiments.harness.store import Store
from experiments.rules_table.markdown import to_markdown
from experiments.rules_table.report import Report, report_document, reported
from experiments.rules_table.run import measured, tasks_for
from experiments.rules_table.targets import TARGETS
from experiments.rules_table.timing import (
    require_interpret,
    stored_timings,
    timed,
    timing_name,
)

RESULTS = Path(__file__).parents[1] / "results" / "rules-table"


def main(arguments: Sequence[str]) -> int:
    """Run the experiment and return the exit code; what a user can mend is one message."""
    options = _parser().parse_args(arguments)
    return exit_code(
        lambda: _run(options, arguments), "without --again the next run goes on from here"
    )


def _run(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    origin = here("experiments.rules_table", arguments)
    store = Store(options.output)
    tables = list(dict.fromkeys(options.tables))  # a table named twice is measured once
    to_time = tables if options.timing else []
    tasks = tasks_for(tables, options.folds)
    _check_possible(tables, options.timing)
    if options.again:
        store.forget([*[task.name for task in tasks], *map(timing_name, to_time)])
    stored_timings(to_time, store)  # those of other settings are an error: not hours later
    with worker_processes(options.workers) as executor:
        records = measured(tasks, store, origin, executor)
    timings = timed(to_time, store, origin)
    _write(reported(records, timings, origin, now()), store)


def _check_possible(tables: Sequence[str], timing: bool) -> None:
    """What would fail after hours fails now, and before anything is forgotten."""
    for table in tables:
        load(table)
    if timing:
        require_interpret()


def _write(report: Report, store: Store) -> None:
    page = to_markdown(report)
    store.write("rules-table", report_document(report))
    with atomic_writer(store.folder / "rules-table.md") as file:
        file.write(page)
    print(page)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.rules_table",
        description="Measure LogicClassifier's default rules on five tables, 30 folds each. "
        "A run that was stopped goes on where it stopped.",
    )
    parser.add_argument(
        "--tables",
        nargs="+",
        choices=list(TARGETS),
        default=list(TARGETS),
        metavar="NAME",
        help=f"only these of {', '.join(TARGETS)}",
    )
    parser.add_argument("--folds", type=_folds, default=FOLDS, help="only the first so many")
    parser.add_argument(
        "--workers", type=count, default=os.cpu_count() or 1, help="processes (all cores)"
    )
    parser.add_argument("--timing", action="store_true", help="compare fit times with an EBM")
    parser.add_argument(
        "--again", action="store_true", help="measure anew what is stored already"
    )
    parser.add_argument(
        "--output", type=Path, default=RESULTS, metavar="FOLDER", help="where results go"
    )
    return parser


def _folds(text: str) -> int:
    number = count(text)
    if number > FOLDS:
        raise argparse.ArgumentTypeError(f"there are {FOLDS} folds, got {text}")
    return number


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
