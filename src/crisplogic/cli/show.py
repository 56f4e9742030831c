"""``crisplogic rules``, ``explain`` and ``frontier``: look at a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from crisplogic.cli.app import app
from crisplogic.cli.options import (
    ForceOption,
    JsonOption,
    ModelArgument,
    QuietOption,
    TableArgument,
    TextOptions,
    expand_groups,
)
from crisplogic.cli.output import check_can_write, notation, print_json, rules_text
from crisplogic.errors import RuleError, TableError
from crisplogic.files import atomic_writer

if TYPE_CHECKING:
    from crisplogic.io import Layout
    from crisplogic.rules import Goal, RuleSet
    from crisplogic.rules.analysis.explanation import Explanation

AsciiOption = Annotated[
    bool, typer.Option("--ascii", help="Print ~ and ^ instead of the paper's symbols.")
]
LogicOption = Annotated[
    bool,
    typer.Option(
        "--notation", help="Print crisp rules in the notation of logic instead of words."
    ),
]


@app.command()
def rules(
    model: ModelArgument,
    logic: LogicOption = False,
    ascii_: AsciiOption = False,
    numbered: Annotated[
        bool, typer.Option("--numbered", help="Print numbers for names, as in the paper.")
    ] = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Print the rules of a model.

    \b
    Examples:
      crisplogic rules model/
      crisplogic rules model/ --notation
      crisplogic rules rules.json --ascii
    """
    from crisplogic.cli.model import load_rules, rules_summary

    found = load_rules(model)
    if json:
        print_json(rules_summary(found))
    else:
        typer.echo(_text(found, ascii_, quiet, numbered, logic))
        if found.history and not quiet:
            notes = "".join(f"\n  {note}" for note in found.history)
            typer.echo(f"\nChanged by hand:{notes}")


@app.command()
@expand_groups
def explain(
    *,
    model: ModelArgument,
    table: TableArgument,
    row: Annotated[
        list[int] | None,
        typer.Option(
            min=1, metavar="N", help="The row to explain, counted from 1 [1]. Repeatable."
        ),
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Also find the smallest change that changes the prediction, of columns that "
            "can change. Repeatable; all means every column.",
        ),
    ] = None,
    to: Annotated[
        str | None, typer.Option(metavar="CLASS", help="The class that a change makes it.")
    ] = None,
    at_least: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="The least number that a change makes it."),
    ] = None,
    at_most: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="The greatest number that a change makes it."),
    ] = None,
    by: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="How far a change moves the number, up or down."),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the change of one row to this .svg file."),
    ] = None,
    text: TextOptions,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Explain the predictions for some rows, term by term.

    \b
    Examples:
      crisplogic explain model/ new.csv --row 7
      crisplogic explain model/ new.csv --row 7 --row 12 --json
      crisplogic explain model/ new.csv --row 7 --change glucose --change weight
      crisplogic explain prices/ new.csv --change all --by 5 --picture change.svg
    """
    from crisplogic.cli.model import load_rules, model_files

    if picture is not None:
        if change is None or len(set(row or [1])) > 1:
            raise typer.BadParameter("--picture needs --change and a single --row")
        check_can_write(picture, table, *model_files(model))
    rules = load_rules(model)
    changeable, goal = _wanted(rules, change, to, at_least, at_most, by)
    found = list(_explanations(rules, table, text.layout, row or [1], changeable, goal))
    if picture is not None:
        _write_picture(picture, found[0][1])
    if json:
        print_json({"rows": [{"row": number, **each.to_dict()} for number, each in found]})
        return
    with_heading = len(found) > 1 and not quiet
    blocks = [f"row {number}\n{each}" if with_heading else str(each) for number, each in found]
    typer.echo("\n\n".join(blocks))


def _wanted(
    rules: RuleSet,
    change: list[str] | None,
    to: str | None,
    at_least: float | None,
    at_most: float | None,
    by: float | None,
) -> tuple[list[str] | str | None, Goal | None]:
    """The columns that may change and what is to be reached, as options say it."""
    from crisplogic.cli.decision import find_class
    from crisplogic.rules import Goal

    given = {"--to": to, "--at-least": at_least, "--at-most": at_most, "--by": by}
    asked = [option for option, value in given.items() if value is not None]
    if change is None:
        if asked:
            raise typer.BadParameter(f"{asked[0]} needs --change, the columns that can change")
        return None, None
    if rules.predicts == "number" and not (asked and to is None):
        raise typer.BadParameter(
            "--change of a number needs one of --at-least, --at-most and --by"
        )
    if rules.predicts == "class" and (to is None or len(asked) > 1) and asked:
        raise typer.BadParameter(f"{asked[-1]} is for numbers, but these rules predict a class")
    label = None if to is None else find_class("--to", to, rules.labels)
    everything = change == ["all"] and "all" not in rules.features
    return "all" if everything else change, Goal(label, at_least, at_most, by)


def _write_picture(path: Path, found: Explanation) -> None:
    """Draw the change of a row, if there is one."""
    if not found.counterfactual:
        raise RuleError(f"{path} is not drawn: {found.counterfactual}")
    with atomic_writer(path) as file:
        file.write(found.counterfactual.to_svg())


def _explanations(
    rules: RuleSet,
    table: Path,
    layout: Layout,
    rows: list[int],
    changeable: list[str] | str | None,
    goal: Goal | None,
) -> Iterator[tuple[int, Explanation]]:
    """The numbers of some rows of a file, counted from 1, and their explanations, in order."""
    from crisplogic.cli.tables import open_for_rules

    wanted = np.unique(rows) - 1
    start = 0
    with open_for_rules(table, rules, layout) as (chunks, _):
        for chunk in chunks:
            here = wanted[(wanted >= start) & (wanted < start + len(chunk))]
            explained = rules.explain_each(chunk.take(here - start), changeable, goal)
            yield from zip((here + 1).tolist(), explained, strict=True)
            start += len(chunk)
            if wanted[-1] < start:
                return
    raise TableError(f"{table}: it has {start} rows, there is no row {wanted[-1] + 1}")


@app.command()
def frontier(
    model: ModelArgument,
    at: Annotated[
        int | None,
        typer.Option(min=0, metavar="LITERALS", help="Show rules of at most this size."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Write these rules to a file (small.json) or a folder (small/). Needs --at.",
        ),
    ] = None,
    force: ForceOption = False,
    logic: LogicOption = False,
    ascii_: AsciiOption = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Show error against size, or the rules of one size.

    \b
    Examples:
      crisplogic frontier model/
      crisplogic frontier model/ --at 12
      crisplogic frontier model/ --at 12 --out small.json
      crisplogic frontier model/ --at 12 --out model/
    """
    from crisplogic.cli.model import choose_size, load_frontier, rules_summary
    from crisplogic.rules.serialize_frontier import frontier_entries, frontier_figures

    if out is not None and at is None:
        raise typer.BadParameter("--out needs --at, the largest size of the rules")
    found, selected = load_frontier(model)
    if at is None:
        if json:
            sizes = frontier_entries(found, with_rules=False)
            print_json({"chosen": selected, **frontier_figures(found), "sizes": sizes})
        else:
            typer.echo(found.to_text(mark=None if quiet else selected))
        return
    rules = found.at(at).rules
    if out is not None:
        choose_size(out, model, found, rules, force)
    if json:
        print_json({**rules_summary(rules), "out": out})
    elif out is None:
        typer.echo(_text(rules, ascii_, quiet, logic=logic))
    elif not quiet:
        typer.echo(f"wrote rules of {rules.size} literals to {out}")


def _text(
    rules: RuleSet, ascii_: bool, quiet: bool, numbered: bool = False, logic: bool = False
) -> str:
    logic = logic or ascii_  # words need no symbols
    if not quiet:
        return rules_text(rules, ascii_, numbered, logic=logic)
    if rules.crisp and not (logic or numbered):
        return rules.describe(notes=False)
    return rules.to_text(notation(ascii_), numbered)
