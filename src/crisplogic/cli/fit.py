"""``crisplogic fit``: from a table in a file to rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from crisplogic.cli.app import JsonOption, QuietOption, TableArgument, app
from crisplogic.cli.options import ColumnOptions, Command, LearningOptions, TextOptions, grouped
from crisplogic.cli.output import check_can_write, lesson_text, print_json


@app.command(cls=Command)
@grouped
def fit(
    *,
    table: TableArgument,
    chosen: ColumnOptions,
    out: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Where to write: rules.json, or a folder model/."),
    ] = None,
    learning: LearningOptions,
    depth: Annotated[int, typer.Option(min=1, help="Levels of logic.")] = 1,
    width: Annotated[int, typer.Option(min=1, help="Expressions between two levels.")] = 8,
    plot: Annotated[
        Path | None, typer.Option(help="Where to draw error against size (PNG, SVG or PDF).")
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="A file to go on from if the run is killed; removed at the end."),
    ] = None,
    text: TextOptions,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Learn rules from a table.

    Columns hold numbers, texts (categories), or true and false; an empty cell is "unknown".
    The target holds classes or numbers. A folder holds the rules (rules.json), those of all
    sizes (frontier.json) and what is printed (report.txt).

    \b
    Examples:
      crisplogic fit patients.csv --target diagnosis --out model/
      crisplogic fit patients.csv --target diagnosis --drop id --max-literals 12
      crisplogic fit patients.csv --target ill --balanced --up age --forbid-pair age sex
      crisplogic fit houses.parquet --target price --up rooms --out rules.json --json
    """
    from crisplogic.cli.model import check_can_save, save
    from crisplogic.cli.tables import estimator_for, read_material, taught

    material = read_material(table, chosen, text.layout, quiet or json)
    if out is not None:
        check_can_save(out, table)
    if plot is not None:
        from crisplogic.plot import check_can_draw

        check_can_write(plot, table)
        check_can_draw(plot)

    estimator = estimator_for(material, learning, quiet or json, depth=depth, width=width)
    lesson = taught(estimator, material, checkpoint)
    if out is not None:
        save(out, lesson)  # before anything is printed: printing may fail
    if plot is not None:
        from crisplogic.plot import save_frontier

        save_frontier(plot, lesson.frontier, lesson.rules.size)
    if json:
        document = _document(lesson, len(material.columns), out)
        print_json({**document, "left_out": material.left_out})
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
