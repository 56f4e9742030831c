"""The command line: ``python -m experiments.other_tables``."""

from __future__ import annotations

import argparse
import sys

from experiments.harness.command_line import add_choice_option, add_folds_option
from experiments.harness.experiment import Experiment
from experiments.other_tables.page import to_markdown
from experiments.other_tables.tables import NAMES, SPLITS
from experiments.other_tables.tasks import tasks_for


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_choice_option(parser, "--tables", NAMES)
    add_folds_option(parser, SPLITS, default=SPLITS)


EXPERIMENT = Experiment(
    "other-tables",
    "Measure crisp and graded rules and other learners on tables with categories and gaps, on "
    "which nothing was chosen.",
    "fold",
    _add_options,
    lambda options: tasks_for(options.tables, options.folds),
    to_markdown,
)
main = EXPERIMENT.main


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
