"""The command line: ``python -m experiments.regression``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from experiments.harness.command_line import (
    add_choice_option,
    add_folds_option,
    add_run_options,
    exit_code,
    require_interpret,
)
from experiments.harness.origin import current_origin, now
from experiments.harness.pages import write_page
from experiments.harness.runs import add_part_options, measure, prepare
from experiments.regression.page import to_markdown
from experiments.regression.tables import NAMES, SPLITS
from experiments.regression.tasks import tasks_for

RESULTS = Path(__file__).parents[1] / "results" / "regression"


def main(arguments: Sequence[str]) -> int:
    """Run the experiment and return the exit code."""
    options = _parser().parse_args(arguments)
    return exit_code(lambda: _run(options, arguments))


def _run(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    if options.ebm:
        require_interpret("--ebm")
    origin = current_origin("experiments.regression", arguments)
    tables = list(dict.fromkeys(options.tables))  # a table named twice is measured once
    tasks = tasks_for(tables, options.folds, options.ebm)
    documents = measure(tasks, prepare(options, tasks), origin, options, "fold")
    if documents is not None:
        write_page(to_markdown(documents, origin, now()), options.output / "regression.md")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.regression",
        description="Measure LogicRegressor's default rules beside other learners, on ten "
        "folds of six tables. A run that was stopped continues where it stopped.",
    )
    add_choice_option(parser, "--tables", NAMES)
    add_folds_option(parser, SPLITS, default=SPLITS)
    parser.add_argument("--ebm", action="store_true", help="compare with an EBM as well")
    add_run_options(parser, RESULTS)
    add_part_options(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
