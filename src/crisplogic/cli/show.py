"""``crisplogic rules``, ``explain`` and ``frontier``: looking at what was learned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from crisplogic.cli.app import (
    JsonOption,
    ModelArgument,
    QuietOption,
    TableArgument,
    app,
)
from crisplogic.cli.options import TextOptions, grouped
from crisplogic.cli.output import check_can_write, notation, print_json, rules_text
from crisplogic.errors import TableError

if TYPE_CHECKING:
    from crisplogic.io import Layout
    from crisplogic.rules import RuleSet
    from crisplogic.rules.analysis.explanation import Explanation

AsciiOption = Annotated[
    bool, typer.Option("--ascii", help="~ and ^ instead of the paper's symbols.")
]


@app.command()
def rules(
    model: ModelArgument,
    ascii_: AsciiOption = False,
    numbered: Annotated[
        bool, typer.Option("--numbered", help="Numbers for names, as in the paper.")
    ] = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Print the rules of a model.

    \b
    Examples:
      crisplogic rules model/
      crisplogic rules rules.json --ascii
    """
    from crisplogic.cli.model import load_rules, rules_entry

    found = load_rules(model)
    if json:
        text = found.to_text()
        print_json({"literals": found.size, "text": text, "rules": rules_entry(found)})
    elif quiet:
        typer.echo(found.to_text(notation(ascii_), numbered))
    else:
        typer.echo(rules_text(found, ascii_, numbered))


@app.command()
@grouped
def explain(
    *,
    model: ModelArgument,
    table: TableArgument,
    row: Annotated[
        list[int] | None,
        typer.Option(min=1, help="A row, the first is 1; may be repeated [1]."),
    ] = None,
    text: TextOptions,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Say why rows of a table are predicted as they are, term by term.

    \b
    Examples:
      crisplogic explain model/ new.csv --row 7
      crisplogic explain model/ new.csv --row 7 --row 12 --json
    """
    from crisplogic.cli.model import load_rules

    explained = list(explanations(load_rules(model), table, text.layout, row or [1]))
    if json:
        print_json({"rows": [{"row": at, **told.to_dict()} for at, told in explained]})
        return
    blocks = [
        str(told) if quiet or len(explained) == 1 else f"row {at}\n{told}"
        for at, told in explained
    ]
    typer.echo("\n\n".join(blocks))


def explanations(
    rules: RuleSet, table: Path, layout: Layout, asked: list[int]
) -> Iterator[tuple[int, Explanation]]:
    """Some rows of a file explained, in their order, each with its number from 1 on."""
    from crisplogic.cli.predict import chunks_for

    wanted = np.unique(asked) - 1
    start = 0
    with chunks_for(rules, table, layout) as (chunks, _):
        for chunk in chunks:
            here = wanted[(wanted >= start) & (wanted < start + len(chunk))]
            told = rules.explain_each(chunk.take(here - start))
            yield from zip((here + 1).tolist(), told, strict=True)
            start += len(chunk)
            if wanted[-1] < start:
                return
    raise TableError(f"{table}: it has {start} rows, there is no row {wanted[-1] + 1}")


@app.command()
def frontier(
    model: ModelArgument,
    at: Annotated[
        int | None,
        typer.Option(min=0, metavar="LITERALS", help="The rules of at most so many literals."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where to write those rules (JSON); needs --at.")
    ] = None,
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
    """
    from crisplogic.cli.model import frontier_entries, load_frontier, rules_entry

    if out is not None and at is None:
        raise typer.BadParameter("it needs --at, which says how large the rules may be")
    found, chosen = load_frontier(model)
    if at is None:
        sizes = frontier_entries(found, with_rules=False)
        if json:
            print_json({"chosen": chosen, "sizes": sizes})
        else:
            typer.echo(found.to_text(mark=None if quiet else chosen))
        return
    rules = found.at(at).rules
    if out is not None:
        check_can_write(out, *([] if model.is_dir() else [model]))
        rules.save(out)
    if json:
        document = {"literals": rules.size, "text": rules.to_text()}
        print_json({**document, "rules": rules_entry(rules), "out": out and str(out)})
    elif out is None:
        typer.echo(rules.to_text(notation(ascii_)) if quiet else rules_text(rules, ascii_))
    elif not quiet:
        typer.echo(f"wrote rules of {rules.size} literals to {out}")
