"""``crisplogic importance`` and ``shape``: what columns do in a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from crisplogic.cli.app import app
from crisplogic.cli.options import (
    JsonOption,
    ModelArgument,
    QuietOption,
    SeedOption,
    TableArgument,
    TextOptions,
    expand_groups,
)
from crisplogic.cli.output import check_can_write, print_json


@app.command()
@expand_groups
def importance(
    *,
    model: ModelArgument,
    table: TableArgument,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column with the true classes or numbers, to measure the error, too.",
        ),
    ] = None,
    seed: SeedOption = 0,
    text: TextOptions,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Show how much predictions depend on each column and each statement.

    The values of one column at a time are shuffled among the rows. The change is how far
    predictions move then: the share of probability that goes to other classes, or how far a
    number moves. With --target, also by how much the error rises.

    \b
    Examples:
      crisplogic importance model/ patients.csv
      crisplogic importance model/ patients.csv --target diagnosis --json
    """
    from crisplogic.cli.model import load_rules
    from crisplogic.cli.rows import read_matrix, read_target

    rules = load_rules(model)
    matrix = read_matrix(table, [rules], text.layout)
    y, known = None, np.arange(len(matrix))
    if target is not None:
        y, known = read_target(table, rules, target, text.layout)
    found = rules.importance(matrix[known], y, random_state=seed, coded=True)
    if json:
        print_json({"rows": len(known), **found.to_dict()})
    else:
        typer.echo(found.to_text())


@app.command()
@expand_groups
def shape(
    *,
    model: ModelArgument,
    table: TableArgument,
    column: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="The column to show [all columns that rules mention]."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw it (PNG, SVG or PDF). Needs --column."),
    ] = None,
    seed: SeedOption = 0,
    text: TextOptions,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Show what a column does: the average prediction for each of its values.

    Every row of the table gets the same value in this column, and keeps all others.

    \b
    Examples:
      crisplogic shape model/ patients.csv
      crisplogic shape model/ patients.csv --column age --plot age.png
    """
    from crisplogic.cli.model import load_rules
    from crisplogic.cli.rows import read_matrix

    if plot is not None and column is None:
        raise typer.BadParameter("--plot needs --column, the column to draw")
    rules = load_rules(model)
    if plot is not None:
        from crisplogic.plot import check_can_draw, save_shape

        check_can_write(plot, model, table)
        check_can_draw(plot)
    matrix = read_matrix(table, [rules], text.layout)
    columns = rules.mentioned_columns if column is None else [column]
    found = [rules.shape(name, matrix, random_state=seed, coded=True) for name in columns]
    if plot is not None:
        save_shape(plot, found[0])
    if json:
        shapes = [each.to_dict() for each in found]
        print_json({"columns": shapes, "plot": plot and str(plot)})
        return
    texts = [each.to_text() for each in found] or ["no rule mentions any column"]
    typer.echo("\n\n".join(texts))
    if plot is not None and not quiet:
        typer.echo(f"\ndrew the column in {plot}")
