"""``crisplogic fit``: from a table in a file to rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

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
from crisplogic.cli.output import check_can_write, lesson_text, print_json


@app.command()
def fit(
    table: TableArgument,
    target: TargetOption,
    out: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Where to write: rules.json, or a folder model/."),
    ] = None,
    drop: DropOption = None,
    category: CategoryOption = None,
    depth: Annotated[int, typer.Option(min=1, help="Levels of logic.")] = 1,
    width: Annotated[int, typer.Option(min=1, help="Expressions between two levels.")] = 8,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the rows, a phase.")] = 30,
    max_literals: Annotated[
        int, typer.Option(min=1, help="The most literals that all rules together may have.")
    ] = 60,
    plot: Annotated[
        Path | None, typer.Option(help="Where to draw error against size (PNG, SVG or PDF).")
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="A file to go on from if the run is killed; removed at the end."),
    ] = None,
    seed: SeedOption = 0,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    no_header: NoHeaderOption = False,
    missing: MissingOption = None,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Learn rules from a table.

    Columns hold numbers, texts (categories), or true and false; an empty cell is "unknown".
    A folder holds the rules (rules.json), those of all sizes (frontier.json) and what is
    printed (report.txt).

    \b
    Examples:
      crisplogic fit patients.csv --target diagnosis --out model/
      crisplogic fit patients.csv --target diagnosis --drop id --max-literals 12
      crisplogic fit patients.parquet --target diagnosis --out rules.json --json
    """
    from crisplogic.cli.learning import Source, taught
    from crisplogic.cli.model import check_can_save, save
    from crisplogic.data import Layout

    layout = Layout(delimiter, encoding, not no_header, tuple(missing or ()))
    source = Source(table, target, tuple(drop or ()), tuple(category or ()), layout)
    data = source.read(quiet or json)
    if out is not None:
        check_can_save(out, table)
    if plot is not None:
        from crisplogic.plot import check_can_draw

        check_can_write(plot, table)
        check_can_draw(plot)

    from crisplogic.estimators import LogicClassifier  # takes seconds; errors come at once

    lesson = taught(
        LogicClassifier(
            depth=depth,
            width=width,
            epochs=epochs,
            max_literals=max_literals,
            random_state=seed,
            verbose=shows_progress(quiet or json),
        ),
        data,
        checkpoint,
    )
    if out is not None:
        save(out, lesson)  # before anything is printed: printing may fail
    if plot is not None:
        from crisplogic.plot import save_frontier

        save_frontier(plot, lesson.frontier, lesson.rules.size)
    if json:
        print_json({**_document(lesson, len(data.columns), out), "left_out": data.left_out})
        return
    typer.echo(lesson.rules.to_text() if quiet else lesson_text(lesson))
    if out is not None and not quiet:
        typer.echo(f"\nwrote the rules to {out}")
    if plot is not None and not quiet:
        typer.echo(f"\ndrew error against size in {plot}")


def _document(lesson: Any, rows: int, out: str | None) -> dict[str, Any]:
    from crisplogic.cli.model import frontier_entries, rules_entry

    return {
        "rows": rows,
        "literals": lesson.rules.size,
        "text": lesson.rules.to_text(),
        "rules": rules_entry(lesson.rules),
        "sizes": frontier_entries(lesson.frontier, with_rules=False),
        "out": out,
    }
