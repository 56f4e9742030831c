"""The command line: ``python -m experiments.peers``."""

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
)
from experiments.harness.origin import current_origin, now
from experiments.harness.pages import write_page
from experiments.harness.runs import add_part_options, measure, prepare
from experiments.peers.page import to_markdown
from experiments.peers.published import TABLES
from experiments.peers.tasks import SPLITS, tasks_for

RESULTS = Path(__file__).parents[1] / "results" / "peers"


def main(arguments: Sequence[str]) -> int:
    """Run the experiment and return the exit code."""
    options = _parser().parse_args(arguments)
    return exit_code(lambda: _run(options, arguments))


def _run(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    tables = list(dict.fromkeys(options.tables))  # a table named twice is measured once
    for name in tables:
        load(name)  # fail now instead of after hours
    origin = current_origin("experiments.peers", arguments)
    tasks = tasks_for(tables, options.folds)
    documents = measure(tasks, prepare(options, tasks), origin, options, "fold")
    if documents is not None:
        write_page(to_markdown(documents, origin, now()), options.output / "peers.md")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.peers",
        description="Measure crisp rules of several sizes on the folds on which other learners "
        "of yes/no rules were measured. A run that was stopped continues where it stopped.",
    )
    add_choice_option(parser, "--tables", TABLES)
    add_folds_option(parser, SPLITS, default=SPLITS)
    add_run_options(parser, RESULTS)
    add_part_options(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
