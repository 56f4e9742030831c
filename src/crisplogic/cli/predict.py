"""``crisplogic predict``: a class or a number for every row of a table, in bounded memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crisplogic.cli.app import app
from crisplogic.cli.options import (
    Command,
    DecisionOptions,
    JsonOption,
    ModelArgument,
    QuietOption,
    TableArgument,
    TextOptions,
    expand_groups,
)
from crisplogic.cli.output import check_can_write, print_json, progress_bar

if TYPE_CHECKING:
    from crisplogic.cli.predictions import Writer
    from crisplogic.io import Layout
    from crisplogic.rules import RuleSet


@app.command(cls=Command)
@expand_groups
def predict(
    *,
    model: ModelArgument,
    table: TableArgument,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write to this file: .csv, .tsv or .json, also with .gz, or .parquet "
            "[standard output].",
        ),
    ] = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the probability of every class.")
    ] = False,
    decision: DecisionOptions,
    text: TextOptions,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Predict a class or a number for every row of a table.

    Writes one line per row, in the order of the table. Files are read in chunks and may be
    larger than memory. Columns that no rule uses may be missing.

    \b
    Examples:
      crisplogic predict model/ new.csv --out predictions.csv --proba
      crisplogic predict rules.json new.csv.gz | head
      crisplogic predict model/ new.csv --decision-threshold 0.2 --positive ill
      crisplogic predict rules.json new.parquet --out predictions.parquet --json
    """
    from crisplogic.cli.decision import decide_otherwise
    from crisplogic.cli.model import load_rules
    from crisplogic.cli.predictions import open_output, open_writer
    from crisplogic.rules import RegressionRules

    rules = decide_otherwise(load_rules(model), decision)
    if proba and isinstance(rules, RegressionRules):
        raise typer.BadParameter(
            f"--proba needs classes, but these rules predict a number, {rules.labels[0]!r}"
        )
    if out is None:
        with open_output(rules, proba, json) as writer:
            _predict(rules, table, text.layout, writer, quiet=True)
        return
    check_can_write(out, model, table)
    with open_writer(out, rules, proba) as writer:
        _predict(rules, table, text.layout, writer, quiet or json)
    if json:
        print_json({**writer.summary.to_dict(), "out": str(out)})
    elif not quiet:
        typer.echo(f"wrote {writer.summary.rows} predictions to {out}")


def _predict(rules: RuleSet, table: Path, layout: Layout, writer: Writer, quiet: bool) -> None:
    """Predict chunk by chunk."""
    from crisplogic.cli.tables import open_for_rules

    with (
        open_for_rules(table, rules, layout) as (chunks, fraction_read),
        progress_bar(f"predicting {table.name}", quiet) as on_progress,
    ):
        for chunk in chunks:
            writer.write(rules.scores(chunk))
            on_progress(fraction_read())
