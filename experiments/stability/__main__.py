"""The command line: ``python -m experiments.stability``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crisplogic.tables import as_matrix, infer_schema, read_columns
from experiments.harness.command_line import add_choice_option, add_run_options, exit_code
from experiments.harness.origin import current_origin, now
from experiments.harness.pages import write_page
from experiments.harness.runs import add_part_options, measure, prepare
from experiments.stability.page import to_markdown
from experiments.stability.tables import NAMES, table
from experiments.stability.tasks import tasks_for

RESULTS = Path(__file__).parents[1] / "results" / "stability"


def main(arguments: Sequence[str]) -> int:
    """Run the experiment and return the exit code."""
    options = _parser().parse_args(arguments)
    return exit_code(lambda: _run(options, arguments))


def _run(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    tables = list(dict.fromkeys(options.tables))  # a table named twice is measured once
    for name in tables:
        table(name)  # fail now instead of after hours
    origin = current_origin("experiments.stability", arguments)
    tasks = tasks_for(tables)
    documents = measure(tasks, prepare(options, tasks), origin, options, "fit")
    if documents is not None:
        page = to_markdown(documents, read_matrix, origin, now())
        write_page(page, options.output / "stability.md")


def read_matrix(name: str) -> Any:
    """A whole table as numbers, categories as codes. Shape: (rows, columns)."""
    columns = read_columns(table(name).X)
    schema = infer_schema(columns)
    return as_matrix(columns, schema.names, schema.levels)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.stability",
        description="Measure how much of crisp rules comes back with other seeds and on other "
        "rows. A run that was stopped continues where it stopped.",
    )
    add_choice_option(parser, "--tables", NAMES)
    add_run_options(parser, RESULTS)
    add_part_options(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
