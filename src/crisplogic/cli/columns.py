"""``crisplogic importance`` and ``shape``: what columns do in a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

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
from crisplogic.errors import TableError
from crisplogic.messages import list_some

if TYPE_CHECKING:
    from crisplogic.io import Layout
    from crisplogic.rules import RuleSet
    from crisplogic.rules.rule import Label

Floats = NDArray[np.float64]


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

    rules = load_rules(model)
    matrix = _read_matrix(table, rules, text.layout)
    y, known = None, np.arange(len(matrix))
    if target is not None:
        y, known = _read_target(table, rules, target, text.layout)
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

    if plot is not None and column is None:
        raise typer.BadParameter("--plot needs --column, the column to draw")
    rules = load_rules(model)
    if plot is not None:
        from crisplogic.plot import check_can_draw, save_shape

        check_can_write(plot, model, table)
        check_can_draw(plot)
    matrix = _read_matrix(table, rules, text.layout)
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


def _read_matrix(path: Path, rules: RuleSet, layout: Layout) -> Floats:
    """The columns of the rules, encoded. Shape: (rows, features)."""
    from crisplogic.cli.tables import open_for_rules

    with open_for_rules(path, rules, layout) as (chunks, _):
        parts = [rules.matrix(chunk) for chunk in chunks]
    if not parts:
        raise TableError(f"{path}: it has no rows")
    return np.concatenate(parts)


def _read_target(
    path: Path, rules: RuleSet, target: str, layout: Layout
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """What is known of the target, and in which rows. Shape: (rows that are known,) each."""
    from crisplogic.io import open_chunks

    kind: Any = "number" if rules.predicts == "number" else "category"
    with open_chunks(path, {target: kind}, (), layout) as (chunks, _):
        values = np.concatenate([chunk.columns[0].values for chunk in chunks])
    if rules.predicts == "class":
        values = _labels(values, rules.labels, target)
        known = np.flatnonzero([value is not None for value in values])
    else:
        known = np.flatnonzero(np.isfinite(values.astype(np.float64)))
    if not len(known):
        raise TableError(f"{path}: no row has a value in the target {target!r}")
    return values[known], known


def _labels(texts: NDArray[Any], labels: tuple[Label, ...], target: str) -> NDArray[np.object_]:
    """The classes of the rules that cells of a file mean; None for a missing one.

    >>> _labels(np.array(["1", None, "2.0"], dtype=object), (1, 2), "y").tolist()
    [1, None, 2]
    """
    known: dict[Any, Label | None] = {None: None}
    for text in {text for text in texts.tolist() if text is not None}:
        matching = [label for label in labels if _means(text, label)]
        if not matching:
            raise TableError(
                f"the rules know no class {text!r}, which column {target!r} holds; "
                f"they know {list_some(labels)}"
            )
        known[text] = matching[0]
    found = np.empty(len(texts), dtype=object)
    found[:] = [known[text] for text in texts.tolist()]
    return found


def _means(text: str, label: Label) -> bool:
    if text == str(label):
        return True
    if isinstance(label, bool):
        return text.lower() == str(label).lower()
    try:
        return not isinstance(label, str) and float(text) == label
    except ValueError:
        return False
