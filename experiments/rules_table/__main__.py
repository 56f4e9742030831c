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
from experiments.harness.runs import add_part_options, measure, prepare
from experiments.harness.tasks import Task
from experiments.rules_table.page import to_markdown
from experiments.rules_table.readme import update_readme
from experiments.rules_table.targets import TARGETS
from experiments.rules_table.tasks import tasks_for
from experiments.rules_table.timing import TimingTask

RESULTS = Path(__file__).parents[1] / "results" / "rules-table"
README = Path(__file__).parents[2] / "README.md"


def main(arguments: Sequence[str]) -> int:
    """Run the experiment and return the exit code."""
    options = _parser().parse_args(arguments)
    return exit_code(lambda: _run(options, arguments))


def _run(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    origin = current_origin("experiments.rules_table", arguments)
    _check_possible(options.tables, options.timing)
    tasks: list[Task] = [*tasks_for(options.tables, options.folds)]
    timing_tasks: list[Task] = [TimingTask(table) for table in options.tables if options.timing]
    store = prepare(options, tasks)
    prepare(options, timing_tasks)
    folds = measure(tasks, store, origin, options, "fold")
    # Nothing else may run beside a timing.
    timings = measure(timing_tasks, store, origin, options, "timing", workers=1)
    if folds is None or timings is None:
        return
    write_page(to_markdown(folds, timings, origin, now()), options.output / "rules-table.md")
    if options.readme:
        update_readme(README, folds)


def _check_possible(tables: Sequence[str], timing: bool) -> None:
    """Fail now, before anything is forgotten, instead of after hours."""
    for table in tables:
        load(table)
    if timing:
        require_interpret("--timing")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.rules_table",
        description="Measure LogicClassifier's crisp and graded rules on five tables, 30 "
        "folds each. A run that was stopped continues where it stopped.",
    )
    add_choice_option(parser, "--tables", list(TARGETS))
    add_folds_option(parser, FOLDS, default=FOLDS)
    parser.add_argument("--timing", action="store_true", help="compare fit times with an EBM")
    parser.add_argument("--readme", action="store_true", help="update the table in README.md")
    add_run_options(parser, RESULTS)
    add_part_options(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
