"""``crisplogic predict``: a class for every row of a table, in bounded memory."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from crisplogic.cli.app import (
    DelimiterOption,
    EncodingOption,
    JsonOption,
    MissingOption,
    ModelArgument,
    NoHeaderOption,
    QuietOption,
    TableArgument,
    app,
    shows_progress,
)
from crisplogic.cli.output import check_can_write, print_json
from crisplogic.cli.predictions import Writer, writer_for, writer_to_output
from crisplogic.cli.progress import watched_share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crisplogic.data import Layout
    from crisplogic.data.chunks import Share
    from crisplogic.rules import RuleSet
    from crisplogic.tables import Columns


@app.command()
def predict(
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
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    no_header: NoHeaderOption = False,
    missing: MissingOption = None,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Predict the class of every row of a table.

    Writes a line a row, in the order of the table. Large files are read in parts and never
    are in memory as a whole. Columns that no rule mentions need not be in the table.

    \b
    Examples:
      crisplogic predict model/ new.csv --out predictions.csv --proba
      crisplogic predict rules.json new.csv.gz | head
      crisplogic predict rules.json new.parquet --out predictions.parquet --json
    """
    from crisplogic.cli.model import load_rules
    from crisplogic.data import Layout

    rules = load_rules(model)
    layout = Layout(delimiter, encoding, not no_header, tuple(missing or ()))
    if out is None:
        with writer_to_output(rules.labels, proba, json) as writer:
            score(rules, table, layout, writer, quiet=True)
        return
    check_can_write(out, *([] if model.is_dir() else [model]), table)
    with writer_for(out, rules.labels, proba) as writer:
        counts = score(rules, table, layout, writer, quiet or json)
    rows = int(counts.sum())
    if json:
        found = zip(rules.labels, counts.tolist(), strict=True)
        classes = [{"class": label, "rows": count} for label, count in found]
        print_json({"rows": rows, "classes": classes, "out": str(out)})
    elif not quiet:
        typer.echo(f"wrote {rows} predictions to {out}")


def score(
    rules: RuleSet, table: Path, layout: Layout, writer: Writer, quiet: bool
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Predict chunk by chunk; returns how often each class was. Shape: returns (classes,)."""
    counts = np.zeros(len(rules.labels), dtype=np.int64)
    with (
        chunks_for(rules, table, layout) as (chunks, share),
        watched_share(f"predicting {table.name}", shows_progress(quiet)) as on_share,
    ):
        for chunk in chunks:
            scores = rules.scores(chunk)
            winners = scores.argmax(axis=1)
            writer.write(winners, rules.probabilities(scores) if writer.proba else None)
            counts += np.bincount(winners, minlength=len(counts))
            on_share(share())
    return counts


@contextmanager
def chunks_for(
    rules: RuleSet, table: Path, layout: Layout
) -> Iterator[tuple[Iterator[Columns], Share]]:
    """The columns that rules need, from a file, read as they were when they were learned."""
    from crisplogic.data import kinds_for, opened_chunks
    from crisplogic.rules.indicators import Flag

    used = [rules.memberships[index] for index in rules.used]
    flags = [each.feature for each in used if isinstance(each, Flag)]
    kinds = kinds_for(rules.features, rules.levels, flags)
    mentioned = {rules.features[each.feature] for each in used}
    unused = [name for name in rules.features if name not in mentioned]
    with opened_chunks(table, kinds, unused, layout) as opened:
        yield opened
