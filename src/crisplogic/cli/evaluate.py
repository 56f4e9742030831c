"""``crisplogic evaluate``: how good rules from a table are on rows they have not seen."""

from __future__ import annotations

from typing import Annotated

import typer

from crisplogic.cli.app import JsonOption, QuietOption, TableArgument, app
from crisplogic.cli.options import ColumnOptions, Command, LearningOptions, TextOptions, grouped
from crisplogic.cli.output import print_json


@app.command(cls=Command)
@grouped
def evaluate(
    *,
    table: TableArgument,
    chosen: ColumnOptions,
    folds: Annotated[int, typer.Option(min=2, help="Parts that the rows are cut into.")] = 10,
    repeats: Annotated[int, typer.Option(min=1, help="How often they are cut anew.")] = 3,
    learning: LearningOptions,
    text: TextOptions,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Say how good rules are on rows not learned from.

    Repeated cross-validation: all folds are trained at once, which takes some minutes. Of
    classes it says how many predictions are wrong, of a number how far off they are. The
    interval takes into account that folds learn from nearly the same rows (Nadeau and Bengio,
    2003). Options are those of 'fit'.

    \b
    Examples:
      crisplogic evaluate patients.csv --target diagnosis
      crisplogic evaluate patients.csv --target diagnosis --folds 5 --repeats 1 --json
      crisplogic evaluate houses.csv --target price --up rooms
    """
    from crisplogic.cli.tables import estimator_for, read_material

    material = read_material(table, chosen, text.layout, quiet or json).counted()
    estimator = estimator_for(material, learning, quiet or json)

    from crisplogic.cli import evaluation, number_evaluation

    by_kind = number_evaluation if material.classes is None else evaluation
    found = by_kind.evaluated(estimator, material, folds, repeats, learning.seed)
    if json:
        print_json(found.to_dict())
    else:
        typer.echo(found.to_text())
