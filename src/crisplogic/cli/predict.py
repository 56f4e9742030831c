"""``crisplogic predict``: a class or a number for every row of a table, in bounded memory."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crisplogic.cli.app import (
    JsonOption,
    ModelArgument,
    QuietOption,
    TableArgument,
    app,
    shows_progress,
)
from crisplogic.cli.options import TextOptions, grouped
from crisplogic.cli.output import check_can_write, print_json
from crisplogic.cli.predictions import Tally, Writer, tally_for, writer_for, writer_to_output
from crisplogic.cli.progress import watched_share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crisplogic.io import Layout
    from crisplogic.io.chunks import FractionRead
    from crisplogic.rules import RuleSet
    from crisplogic.tables import Columns


@app.command()
@grouped
def predict(
    *,
    model: ModelArgument,
    table: TableArgument,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Where to write (.csv, .tsv, .json or .parquet, the first three also with "
            ".gz); standard output if left out."
        ),
    ] = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="The probability of every class as well.")
    ] = False,
    text: TextOptions,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Predict the class, or the number, of every row of a table.

    Writes a line a row, in the order of the table. Large files are read in parts and never
    are in memory as a whole. Columns that no rule mentions need not be in the table.

    \b
    Examples:
      crisplogic predict model/ new.csv --out predictions.csv --proba
      crisplogic predict rules.json new.csv.gz | head
      crisplogic predict rules.json new.parquet --out predictions.parquet --json
    """
    from crisplogic.cli.model import load_rules

    rules = load_rules(model)
    if proba and rules.predicts == "number":
        raise typer.BadParameter(
            f"these rules predict a number, {rules.labels[0]!r}, of which there is no --proba"
        )
    if out is None:
        with writer_to_output(rules, proba, json) as writer:
            score(rules, table, text.layout, writer, quiet=True)
        return
    check_can_write(out, *([] if model.is_dir() else [model]), table)
    with writer_for(out, rules, proba) as writer:
        tally = score(rules, table, text.layout, writer, quiet or json)
    if json:
        print_json({**tally.to_dict(), "out": str(out)})
    elif not quiet:
        typer.echo(f"wrote {tally.rows} predictions to {out}")


def score(rules: RuleSet, table: Path, layout: Layout, writer: Writer, quiet: bool) -> Tally:
    """Predict chunk by chunk; returns what was predicted, counted."""
    from crisplogic.rules import ClassificationRules

    tally = tally_for(rules)
    with (
        chunks_for(rules, table, layout) as (chunks, share),
        watched_share(f"predicting {table.name}", shows_progress(quiet)) as on_progress,
    ):
        for chunk in chunks:
            scores = rules.scores(chunk)
            predicted, proba = scores[:, 0], None
            if isinstance(rules, ClassificationRules):
                predicted = scores.argmax(axis=1)
                proba = rules.probabilities(scores) if writer.proba else None
            writer.write(predicted, proba)
            tally.add(predicted)
            on_progress(share())
    return tally


@contextmanager
def chunks_for(
    rules: RuleSet, table: Path, layout: Layout
) -> Iterator[tuple[Iterator[Columns], FractionRead]]:
    """The columns that rules need, from a file, read as they were when they were learned."""
    from crisplogic.io import column_kinds, open_chunks
    from crisplogic.rules.memberships import Flag

    used = [rules.memberships[index] for index in rules.used]
    flags = [each.feature for each in used if isinstance(each, Flag)]
    kinds = column_kinds(rules.features, rules.levels, flags)
    mentioned = {rules.features[each.feature] for each in used}
    unused = [name for name in rules.features if name not in mentioned]
    with open_chunks(table, kinds, unused, layout) as opened:
        yield opened
