"""``crisplogic edit``: change rules in a browser, and see at once what it costs."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from crisplogic.cli.app import app
from crisplogic.cli.options import QuietOption, TextOptions, expand_groups
from crisplogic.errors import RuleFileError, TableError

if TYPE_CHECKING:
    from crisplogic.io import Layout
    from crisplogic.rules import Frontier, RuleSet
    from crisplogic.workbench import Rows


@app.command()
@expand_groups
def edit(
    *,
    model: Annotated[
        Path | None,
        typer.Argument(metavar="[MODEL]", help="A rule file, or a folder that fit wrote."),
    ] = None,
    data: Annotated[
        Path, typer.Option("--data", metavar="TABLE", help="The table to measure rules on.")
    ],
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column with the true classes or numbers "
            "[found, if one column holds them].",
        ),
    ] = None,
    new: Annotated[
        bool, typer.Option("--new", help="Begin without rules, and write them by hand.")
    ] = False,
    held_out: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=0.9,
            metavar="SHARE",
            help="Keep this share of the rows from fits, to measure on.",
        ),
    ] = 0.3,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save to this new file [MODEL-edited.json]."),
    ] = None,
    author: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who changes the rules [the user].")
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="The port; 0 is any free one.")
    ] = 0,
    text: TextOptions,
    quiet: QuietOption = False,
) -> None:
    """Change rules in a browser, and see at once what that costs.

    Prints the address of a page that only this machine can open. Ctrl-C stops it. Needs: pip
    install 'crisplogic[report,serve]'.

    \b
    Examples:
      crisplogic edit model/ --data patients.csv
      crisplogic edit rules.json --data patients.csv --target diagnosis --out better.json
      crisplogic edit --new --data patients.csv --target diagnosis
    """
    if (model is None) != new:
        raise typer.BadParameter("give a MODEL to change, or --new to begin without rules")
    if new and target is None:
        raise typer.BadParameter("--new needs --target, the column to predict")
    try:
        from crisplogic.workbench import server
    except ModuleNotFoundError as error:
        raise typer.BadParameter(
            f"edit needs {error.name}: pip install 'crisplogic[report,serve]'"
        ) from error
    from crisplogic.report import check_can_report
    from crisplogic.workbench import Bench, Session
    from crisplogic.workbench.app import check_name

    check_can_report()
    out = out or Path(f"{'rules' if model is None else model.resolve().stem}-edited.json")
    check_name(out.name)
    if not out.resolve().parent.is_dir():
        raise typer.BadParameter(f"the folder of {out} does not exist")
    if model is None:
        assert target is not None
        rules, rows = _begin(data, target, text.layout, held_out)
    else:
        rules, rows, target = _load(model, data, target, text.layout, held_out)
    frontier = None if model is None else _frontier(model, rules)
    title = f"Rules for {target.strip()}"
    bench = Bench(Session.start(rules), rows, title, frontier=frontier)
    who = author or _user()
    workbench = server.make_workbench(bench, out.resolve().parent, out.name, who)
    with server.listen(port) as listener:
        typer.echo(server.address_of(listener, workbench))
        if not quiet:
            typer.echo(
                f"open this address in a browser of this machine; {len(rows.measured)} rows "
                f"measure, {len(rows.fitted)} rows fit; Ctrl-C stops",
                err=True,
            )
        server.serve(workbench, listener)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may have no name for its user
        return "someone"


def _load(
    model: Path, data: Path, target: str | None, layout: Layout, held_out: float
) -> tuple[RuleSet, Rows, str]:
    """The rules of a model, and the rows of a table with all of its columns."""
    from crisplogic.cli.model import load_rules
    from crisplogic.cli.rows import find_target, read_target
    from crisplogic.workbench import Rows
    from crisplogic.workbench.start import with_truth_columns

    rules = with_truth_columns(load_rules(model))
    target = find_target(data, rules, layout) if target is None else target
    if target is None:
        raise TableError(
            f"{data}: no single column holds what the rules predict; name it with --target"
        )
    matrix = _read_all(data, rules, layout)
    y, known = read_target(data, rules, target, layout)
    return rules, Rows.split(matrix[known], y, held_out, known), target


def _frontier(model: Path, rules: RuleSet) -> Frontier | None:
    """The learned rules of other sizes, if a model has them."""
    from crisplogic.cli.model import load_frontier

    if not model.is_dir():
        return None
    try:
        frontier, _ = load_frontier(model)
    except (RuleFileError, OSError):  # the rules alone are enough
        return None
    same = all(point.rules.features == rules.features for point in frontier)
    return frontier if same else None


def _read_all(data: Path, rules: RuleSet, layout: Layout) -> Any:
    """All columns of the rules that the table has: a new statement may mention any."""
    from crisplogic.io import column_kinds, open_chunks
    from crisplogic.io.files import open_table
    from crisplogic.rules import Flag
    from crisplogic.tables import as_matrix

    with open_table(data, layout) as file:
        there = {name.strip() for name in file.header}
    flags = {each.feature for each in rules.memberships if isinstance(each, Flag)}
    kinds = column_kinds(rules.features, rules.levels, flags)
    absent = [name for name in rules.features if name not in there]
    gone = [name for name in absent if name not in rules.mentioned_columns]
    with open_chunks(data, kinds, gone, layout) as (chunks, _):
        parts = [as_matrix(chunk, rules.features, rules.levels) for chunk in chunks]
    if not parts:
        raise TableError(f"{data}: it has no rows")
    return np.concatenate(parts)


def _begin(data: Path, target: str, layout: Layout, held_out: float) -> tuple[RuleSet, Rows]:
    """No rules yet, over the columns of a table, and its rows."""
    from crisplogic.cli.options import ColumnOptions, Task
    from crisplogic.cli.tables import read_training_table
    from crisplogic.tables import infer_schema
    from crisplogic.workbench import Rows
    from crisplogic.workbench.start import new_number_rules, new_rules

    table = read_training_table(data, ColumnOptions(target), layout, quiet=True)
    schema = infer_schema(table.columns)
    rules: RuleSet
    if table.task == Task.REGRESSION:
        rules = new_number_rules(schema, table.target, table.y)
    else:
        rules = new_rules(schema, table.classes)
    return rules, Rows.split(schema.matrix(table.columns), table.y, held_out)
