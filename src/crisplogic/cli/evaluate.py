"""``crisplogic evaluate``: how good the rules of a table are on new rows."""

from __future__ import annotations

from typing import Annotated

import typer

from crisplogic.cli.app import app
from crisplogic.cli.options import (
    ColumnOptions,
    Command,
    JsonOption,
    LearningOptions,
    QuietOption,
    StreamOptions,
    TablesArgument,
    TextOptions,
    expand_groups,
)
from crisplogic.cli.output import print_json


@app.command(cls=Command)
@expand_groups
def evaluate(
    *,
    table: TablesArgument,
    columns: ColumnOptions,
    folds: Annotated[
        int, typer.Option(min=2, metavar="N", help="Folds of the cross-validation.")
    ] = 10,
    repeats: Annotated[
        int, typer.Option(min=1, metavar="N", help="Repeats, with other folds.")
    ] = 3,
    learning: LearningOptions,
    stream: StreamOptions,
    text: TextOptions,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Estimate how good the rules are on new rows.

    Runs repeated cross-validation. All folds are trained at once, which takes some minutes.
    Reports how many predictions are wrong, or how far off predicted numbers are. The
    confidence intervals account for folds that share training rows (Nadeau and Bengio, 2003).
    Of several files, folders and large files a sample is evaluated.

    \b
    Examples:
      crisplogic evaluate patients.csv --target diagnosis
      crisplogic evaluate patients.csv --target diagnosis --folds 5 --repeats 1 --json
      crisplogic evaluate houses.csv --target price --up rooms
    """
    from crisplogic.cli.remarks import remarks_on
    from crisplogic.cli.streamed import is_streamed, read_sampled_table
    from crisplogic.cli.tables import read_training_table
    from crisplogic.cli.training import make_estimator
    from crisplogic.group import ALONE

    if stream.workers != 1:
        raise typer.BadParameter("--workers is for 'fit': a sample is evaluated in one process")
    if is_streamed(table, stream, ALONE):
        sampled = read_sampled_table(table, columns, text.layout, stream, quiet or json, ALONE)
        data = sampled.as_table()
    else:
        data = read_training_table(table[0], columns, text.layout, quiet or json)
    data = data.without_zero_weights()
    estimator = make_estimator(data, learning, quiet or json)

    from crisplogic.cli.evaluation import evaluate_estimator

    evaluation = evaluate_estimator(estimator, data, folds, repeats, learning.seed)
    if json:
        remarks = [each.to_dict() for each in remarks_on(data, learning)]
        print_json({"task": data.task.value, **evaluation.to_dict(), "remarks": remarks})
        return
    if evaluation.unseen.notable and not quiet:
        notable = f"values that folds never saw in training: {evaluation.unseen.notable}"
        typer.echo(f"warning: {notable}\n", err=True)
    typer.echo(evaluation.to_text())
