"""The command line: ``python -m experiments.deep``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from experiments.deep.page import to_markdown
from experiments.deep.tables import NAMES, SPLITS, table
from experiments.deep.tasks import SEEDS, logic_tasks, table_tasks
from experiments.harness.command_line import (
    add_choice_option,
    add_folds_option,
    whole_number,
)
from experiments.harness.experiment import Experiment
from experiments.harness.tasks import Task

PARTS = ("logic", "tables")
DEFAULT_FOLDS = 3


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_choice_option(parser, "--only", PARTS)
    parser.add_argument(
        "--seeds",
        type=whole_number(SEEDS),
        default=SEEDS,
        metavar="COUNT",
        help="at most so many seeds of each problem, expressions of each number of variables "
        f"and folds of end games (default: {SEEDS})",
    )
    add_choice_option(parser, "--tables", NAMES)
    add_folds_option(parser, SPLITS, default=DEFAULT_FOLDS)


def _tasks_for(options: argparse.Namespace) -> Sequence[Task]:
    tasks: list[Task] = []
    if "logic" in options.only:
        tasks += logic_tasks(options.seeds)
    if "tables" in options.only:
        for name in options.tables:
            table(name)  # fail now instead of after hours
        tasks += table_tasks(options.tables, options.folds)
    return tasks


EXPERIMENT = Experiment(
    "deep",
    "Measure rules of any depth: whether they are right where the truth is known, and beside "
    "rules of one level on ten tables.",
    "fit",
    _add_options,
    _tasks_for,
    to_markdown,
)
main = EXPERIMENT.main


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
