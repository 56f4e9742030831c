"""``crisplogic evaluate``: how good rules from a table are on rows they have not seen."""

from __future__ import annotations

from typing import Annotated

import typer

from crisplogic.cli.app import (
    CategoryOption,
    DelimiterOption,
    DropOption,
    EncodingOption,
    JsonOption,
    MissingOption,
    NoHeaderOption,
    QuietOption,
    SeedOption,
    TableArgument,
    TargetOption,
    app,
    shows_progress,
)
from crisplogic.cli.output import print_json


@app.command()
def evaluate(
    table: TableArgument,
    target: TargetOption,
    folds: Annotated[int, typer.Option(min=2, help="Parts that the rows are cut into.")] = 10,
    repeats: Annotated[int, typer.Option(min=1, help="How often they are cut anew.")] = 3,
    drop: DropOption = None,
    category: CategoryOption = None,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the rows, a phase.")] = 30,
    max_literals: Annotated[
        int, typer.Option(min=1, help="The most literals that all rules together may have.")
    ] = 60,
    seed: SeedOption = 0,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    no_header: NoHeaderOption = False,
    missing: MissingOption = None,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Say how good rules are on rows not learned from.

    Repeated cross-validation: all folds are trained at once, which takes some minutes. The
    interval takes into account that folds learn from nearly the same rows (Nadeau and Bengio,
    2003).

    \b
    Examples:
      crisplogic evaluate patients.csv --target diagnosis
      crisplogic evaluate patients.csv --target diagnosis --folds 5 --repeats 1 --json
    """
    from crisplogic.cli.learning import Source
    from crisplogic.data import Layout

    layout = Layout(delimiter, encoding, not no_header, tuple(missing or ()))
    source = Source(table, target, tuple(drop or ()), tuple(category or ()), layout)
    data = source.read(quiet or json)
    assert data.y is not None

    from crisplogic.cli.evaluation import evaluated
    from crisplogic.estimators import LogicClassifier

    classifier = LogicClassifier(
        epochs=epochs,
        max_literals=max_literals,
        random_state=seed,
        verbose=shows_progress(quiet or json),
    )
    found = evaluated(classifier, data.columns, data.y, folds, repeats, seed)
    if json:
        print_json(found.to_dict())
    else:
        typer.echo(found.to_text())
