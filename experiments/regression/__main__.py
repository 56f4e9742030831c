"""The command line: ``python -m experiments.regression``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from experiments.harness.command_line import (
    add_choice_option,
    add_folds_option,
    require_interpret,
)
from experiments.harness.experiment import Experiment
from experiments.harness.tasks import Task
from experiments.regression.page import to_markdown
from experiments.regression.tables import NAMES, SPLITS
from experiments.regression.tasks import tasks_for


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_choice_option(parser, "--tables", NAMES)
    add_folds_option(parser, SPLITS, default=SPLITS)
    parser.add_argument("--ebm", action="store_true", help="compare with an EBM as well")


def _tasks_for(options: argparse.Namespace) -> Sequence[Task]:
    if options.ebm:
        require_interpret("--ebm")
    return tasks_for(options.tables, options.folds, options.ebm)


EXPERIMENT = Experiment(
    "regression",
    "Measure LogicRegressor's default rules beside other learners, on ten folds of six tables.",
    "fold",
    _add_options,
    _tasks_for,
    to_markdown,
)
main = EXPERIMENT.main


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
