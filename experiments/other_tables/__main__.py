"""The command line: ``python -m experiments.other_tables``."""

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
)
from experiments.harness.origin import current_origin, now
from experiments.harness.pages import write_page
from experiments.harness.runs import add_part_options, measure, prepare
from experiments.other_tables.page import to_markdown
from experiments.other_tables.tables import NAMES, SPLITS
from experiments.other_tables.tasks import tasks_for

RESULTS = Path(__file__).parents[1] / "results" / "other-tables"


def main(arguments: Sequence[str]) -> int:
    """Run the experiment and return the exit code."""
    options = _parser().parse_args(arguments)
    return exit_code(lambda: _run(options, arguments))


def _run(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    origin = current_origin("experiments.other_tables", arguments)
    tasks = tasks_for(list(dict.fromkeys(options.tables)), options.folds)
    documents = measure(tasks, prepare(options, tasks), origin, options, "fold")
    if documents is not None:
        write_page(to_markdown(documents, origin, now()), options.output / "other-tables.md")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.other_tables",
        description="Measure crisp and graded rules and other learners on tables with "
        "categories and gaps, on which nothing was chosen. A run that was stopped continues "
        "where it stopped.",
    )
    add_choice_option(parser, "--tables", NAMES)
    add_folds_option(parser, SPLITS, default=SPLITS)
    add_run_options(parser, RESULTS)
    add_part_options(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
