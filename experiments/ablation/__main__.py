"""The command line: ``python -m experiments.ablation``."""

from __future__ import annotations

import sys

from experiments.ablation.page import to_markdown
from experiments.ablation.tasks import SPLITS, tasks_for
from experiments.harness.command_line import add_folds_option
from experiments.harness.experiment import Experiment

DEFAULT_FOLDS = 2

EXPERIMENT = Experiment(
    "ablation",
    "Measure what each part of the default classifier contributes, on six tables.",
    "fit",
    lambda parser: add_folds_option(parser, SPLITS, default=DEFAULT_FOLDS),
    lambda options: tasks_for(options.folds),
    lambda documents, _origin, _date: to_markdown(documents),
)
main = EXPERIMENT.main


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
