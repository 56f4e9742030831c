"""The command line: ``python -m experiments.peers``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from crisplogic.datasets import load
from experiments.harness.command_line import add_choice_option, add_folds_option
from experiments.harness.experiment import Experiment
from experiments.harness.tasks import Task
from experiments.peers.page import to_markdown
from experiments.peers.published import TABLES
from experiments.peers.tasks import SPLITS, tasks_for


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_choice_option(parser, "--tables", TABLES)
    add_folds_option(parser, SPLITS, default=SPLITS)


def _tasks_for(options: argparse.Namespace) -> Sequence[Task]:
    for name in options.tables:
        load(name)  # fail now instead of after hours
    return tasks_for(options.tables, options.folds)


EXPERIMENT = Experiment(
    "peers",
    "Measure crisp rules of several sizes on the folds on which other learners of yes/no rules "
    "were measured.",
    "fold",
    _add_options,
    _tasks_for,
    to_markdown,
)
main = EXPERIMENT.main


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
