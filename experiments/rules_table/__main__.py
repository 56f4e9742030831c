"""The command line: ``python -m experiments.rules_table``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from crisplogic.datasets import load
from experiments.harness.command_line import (
    add_choice_option,
    add_folds_option,
    add_run_options,
    exit_code,
    require_interpret,
)
from experiments.harness.evaluation import FOLDS
from experiments.harness.origin import current_origin, now
from experiments.harness.pages import write_page
from experiments.harness.processes import worker_processes
from experiments.harness.store import Store
from experiments.harness.tasks import find_stored, run_tasks
from experiments.rules_table.page import to_markdown
from experiments.rules_table.targets import TARGETS
from experiments.rules_table.tasks import tasks_for
from experiments.rules_table.timing import TimingTask

RESULTS = Path(__file__).parents[1] / "results" / "rules-table"


def main(arguments: Sequence[str]) -> int:
    """Run the experiment and return the exit code."""
    options = _parser().parse_args(arguments)
    return exit_code(lambda: _run(options, arguments))


def _run(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    origin = current_origin("experiments.rules_table", arguments)
    store = Store(options.output)
    tables = list(dict.fromkeys(options.tables))  # a table named twice is measured once
    _check_possible(tables, options.timing)
    tasks = tasks_for(tables, options.folds)
    timing_tasks = [TimingTask(table) for table in tables if options.timing]
    if options.again:
        store.forget([task.name for task in tasks] + [task.name for task in timing_tasks])
    find_stored(timing_tasks, store)  # timings of other settings are an error now, not later
    with worker_processes(options.workers) as executor:
        folds = run_tasks(tasks, store, origin, executor, "fold")
    with worker_processes(1) as executor:  # nothing else may run beside it
        timings = run_tasks(timing_tasks, store, origin, executor, "timing")
    write_page(to_markdown(folds, timings, origin, now()), options.output / "rules-table.md")


def _check_possible(tables: Sequence[str], timing: bool) -> None:
    """Fail now, before anything is forgotten, instead of after hours."""
    for table in tables:
        load(table)
    if timing:
        require_interpret("--timing")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.rules_table",
        description="Measure LogicClassifier's default rules on five tables, 30 folds each. "
        "A run that was stopped continues where it stopped.",
    )
    add_choice_option(parser, "--tables", list(TARGETS))
    add_folds_option(parser, FOLDS, default=FOLDS)
    parser.add_argument("--timing", action="store_true", help="compare fit times with an EBM")
    add_run_options(parser, RESULTS)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
