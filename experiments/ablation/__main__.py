"""The command line: ``python -m experiments.ablation``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from experiments.ablation.page import to_markdown
from experiments.ablation.tasks import SPLITS, tasks_for
from experiments.harness.command_line import add_folds_option, add_run_options, exit_code
from experiments.harness.origin import current_origin
from experiments.harness.pages import write_page
from experiments.harness.runs import add_part_options, measure, prepare

RESULTS = Path(__file__).parents[1] / "results" / "ablation"
DEFAULT_FOLDS = 2


def main(arguments: Sequence[str]) -> int:
    """Run the experiment and return the exit code."""
    options = _parser().parse_args(arguments)
    return exit_code(lambda: _run(options, arguments))


def _run(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    origin = current_origin("experiments.ablation", arguments)
    tasks = tasks_for(options.folds)
    documents = measure(tasks, prepare(options, tasks), origin, options, "fit")
    if documents is not None:
        write_page(to_markdown(documents), options.output / "ablation.md")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.ablation",
        description="Measure what each part of the default classifier contributes, on six "
        "tables. A run that was stopped continues where it stopped.",
    )
    add_folds_option(parser, SPLITS, default=DEFAULT_FOLDS)
    add_run_options(parser, RESULTS)
    add_part_options(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
