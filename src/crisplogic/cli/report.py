"""``crisplogic report``: a model and a table as one HTML page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from crisplogic.cli.app import app
from crisplogic.cli.options import (
    ForceOption,
    JsonOption,
    ModelArgument,
    QuietOption,
    TextOptions,
    expand_groups,
)
from crisplogic.cli.output import check_can_write, print_json
from crisplogic.errors import RuleFileError

if TYPE_CHECKING:
    from crisplogic.io import Layout
    from crisplogic.report import Summary
    from crisplogic.rules import Frontier, HeldOutErrors, RuleSet


@app.command()
@expand_groups
def report(
    *,
    model: ModelArgument,
    data: Annotated[
        Path, typer.Option("--data", metavar="TABLE", help="The table to show the rules on.")
    ],
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="Write the page to this file.")
    ] = Path("report.html"),
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column with the true classes or numbers "
            "[found, if one column holds them].",
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The title of the page.")
    ] = None,
    shown_rows: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", help="So many rows of the table stand in the page, at most."
        ),
    ] = 200,
    text: TextOptions,
    force: ForceOption = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Write rules, their evidence and a place to try them as one HTML page.

    The page opens in any browser, without a network. With --json the same figures are printed,
    and no page is written. Needs: pip install 'crisplogic[report]'.

    \b
    Examples:
      crisplogic report model/ --data patients.csv --out report.html
      crisplogic report rules.json --data new.csv --target diagnosis
      crisplogic report model/ --data patients.csv --json
    """
    from crisplogic.cli.model import load_rules, model_files
    from crisplogic.report import check_can_report, write_report

    if not json:
        check_can_report()
        check_can_write(out, data, *model_files(model))
        if out.is_file() and out.stat().st_size and not force:
            raise typer.BadParameter(f"{out} exists; overwrite it with --force")
    rules = load_rules(model)
    summary = _summarize(model, rules, data, target, title, text.layout, shown_rows)
    if json:
        print_json(summary.to_dict())
        return
    write_report(summary, out)
    if not quiet:
        if not summary.has_truth:
            typer.echo(
                "no column holds what is predicted, so nothing is measured; see --target",
                err=True,
            )
        typer.echo(f"wrote a report of {summary.table_rows} rows to {out}")


def _summarize(
    model: Path,
    rules: RuleSet,
    data: Path,
    target: str | None,
    title: str | None,
    layout: Layout,
    shown_rows: int,
) -> Summary:
    from crisplogic.cli.rows import find_target, read_matrix, read_target
    from crisplogic.report import summarize

    frontier, compared = _known(model, rules)
    same = [] if frontier is None else [point.rules for point in frontier]
    also = [each for each in same if each.features == rules.features]
    matrix = read_matrix(data, [rules, *also], layout)
    target = find_target(data, rules, layout) if target is None else target
    y: Any = None
    known: Any = None
    if target is not None:
        y, known = read_target(data, rules, target, layout)
        matrix = matrix[known]
    return summarize(
        rules,
        np.asarray(matrix),
        y,
        frontier=frontier,
        compared=compared,
        expected_error=np.nan if frontier is None else frontier.expected,
        title=title or (None if target is None else f"Rules for {target.strip()}"),
        made=_made(model, rules, data, target),
        shown_rows=shown_rows,
        row_numbers=known,
        coded=True,
    )


def _known(model: Path, rules: RuleSet) -> tuple[Frontier | None, HeldOutErrors | None]:
    """The rules of other sizes, and what network and other rules reach, if a model has them."""
    from crisplogic.cli.model import load_frontier
    from crisplogic.rules import HeldOutErrors

    if not model.is_dir():
        return None, None
    try:
        frontier, size = load_frontier(model)
    except (RuleFileError, OSError):  # a report needs the rules alone
        return None, None
    own = next((p.held_out_error for p in frontier if p.rules == rules), np.nan)
    crisp, graded = own, frontier.other_rules_error
    if not rules.crisp:
        crisp, graded = graded, crisp
    if rules != frontier.at(size).rules:
        frontier = replace(frontier, expected=np.nan)
    return frontier, HeldOutErrors(frontier.network_error, crisp, graded, rules.predicts)


def _made(model: Path, rules: RuleSet, data: Path, target: str | None) -> list[tuple[str, str]]:
    from datetime import UTC, datetime

    from crisplogic.cli.model import model_files

    changed = datetime.fromtimestamp(model_files(model)[0].stat().st_mtime, tz=UTC)
    return [
        ("model", f"{model.resolve().name}, written {changed:%Y-%m-%d}"),
        ("table", data.name),
        *([] if target is None else [("true values", f"column {target.strip()}")]),
        *(("changed", str(note)) for note in rules.history),
    ]
