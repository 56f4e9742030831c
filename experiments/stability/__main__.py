"""The command line: ``python -m experiments.stability``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from crisplogic.tables import as_matrix, infer_schema, read_columns
from experiments.harness.command_line import add_choice_option
from experiments.harness.experiment import Experiment
from experiments.harness.tasks import Task
from experiments.stability.page import to_markdown
from experiments.stability.tables import NAMES, table
from experiments.stability.tasks import tasks_for


def read_matrix(name: str) -> Any:
    """A whole table as numbers, categories as codes. Shape: (rows, columns)."""
    columns = read_columns(table(name).X)
    schema = infer_schema(columns)
    return as_matrix(columns, schema.names, schema.levels)


def _tasks_for(options: argparse.Namespace) -> Sequence[Task]:
    for name in options.tables:
        table(name)  # fail now instead of after hours
    return tasks_for(options.tables)


EXPERIMENT = Experiment(
    "stability",
    "Measure how much of crisp rules comes back with other seeds and on other rows.",
    "fit",
    lambda parser: add_choice_option(parser, "--tables", NAMES),
    _tasks_for,
    lambda documents, origin, date: to_markdown(documents, read_matrix, origin, date),
)
main = EXPERIMENT.main


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
