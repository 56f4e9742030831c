"""``crisplogic predict``: a class or a number for every row of a table, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crisplogic.cli.app import app
from crisplogic.cli.options import (
    Command,
    DecisionOptions,
    JsonOption,
    ModelArgument,
    QuietOption,
    TablesArgument,
    TextOptions,
    expand_groups,
)
from crisplogic.cli.output import check_can_write, print_json, progress_bar
from crisplogic.errors import TableError

if TYPE_CHECKING:
    from crisplogic.cli.predictions import Content, Writer
    from crisplogic.io import Layout, Remark
    from crisplogic.rules import RuleSet
    from crisplogic.tables import UnseenValues


@app.command(cls=Command)
@expand_groups
def predict(
    *,
    model: ModelArgument,
    table: TablesArgument,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write to this file: .csv, .tsv, .txt or .json, also with .gz, or .parquet "
            "[-, standard output].",
        ),
    ] = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the probability of every class.")
    ] = False,
    id_: Annotated[
        list[str] | None,
        typer.Option(
            "--id", metavar="COLUMN", help="Write this column of the table, too. Repeatable."
        ),
    ] = None,
    append: Annotated[
        bool, typer.Option("--append", help="Write all columns of the table, too.")
    ] = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Add the statements that decided, the strongest first."),
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Refuse values that training never saw, and write nothing then."
        ),
    ] = False,
    decision: DecisionOptions,
    text: TextOptions,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Predict a class or a number for every row of a table.

    Writes one line per row, in the order of the table. Files are read in chunks and may be
    larger than memory; those of a folder are read one after the other. Columns that no rule
    uses may be missing.

    \b
    Examples:
      crisplogic predict model/ new.csv --out predictions.csv --proba
      crisplogic predict model/ new.csv --id patient --explain
      crisplogic predict rules.json new.csv.gz | head
      crisplogic predict model/ new.csv --decision-threshold 0.2 --positive ill
      crisplogic predict rules.json new.parquet --append --out predictions.parquet
      crisplogic predict model/ 'sales/*.parquet' --out predictions.parquet
    """
    from crisplogic.cli.decision import decide_otherwise
    from crisplogic.cli.model import load_rules, model_files
    from crisplogic.cli.prediction_files import check_format, open_output, open_writer
    from crisplogic.cli.predictions import Content
    from crisplogic.cli.tables import table_files
    from crisplogic.io import KeptColumns
    from crisplogic.rules import RegressionRules

    out = None if out == Path("-") else out
    if out is not None:
        check_format(out)
    rules = decide_otherwise(load_rules(model), decision)
    if proba and isinstance(rules, RegressionRules):
        raise typer.BadParameter(
            f"--proba needs classes, but these rules predict a number, {rules.labels[0]!r}"
        )
    tables = table_files(table)
    content = Content(KeptColumns(None if append else id_ or ()), proba, explain)
    if out is None:
        with open_output(rules, content, json, at_once=strict) as writer:
            found = _predict(rules, tables, text.layout, writer, content, strict, quiet=True)
        if not (quiet or json):
            found.print()
        return
    check_can_write(out, *tables, *model_files(model))
    with open_writer(out, rules, content) as writer:
        found = _predict(rules, tables, text.layout, writer, content, strict, quiet or json)
    if json:
        print_json({**writer.summary.to_dict(), "out": str(out), **found.to_dict()})
    elif not quiet:
        found.print()
        typer.echo(f"wrote {writer.summary.rows} predictions to {out}")


@dataclass
class _Findings:
    """What a user should know about a table: how it was read, and values never seen."""

    unseen: UnseenValues
    remarks: list[Remark] = field(default_factory=list)

    def print(self) -> None:
        """Print remarks and notable values never seen on standard error."""
        from crisplogic.cli.tables import print_remarks

        notable = self.unseen.notable
        warning = [f"warning: values that training never saw: {notable}"] if notable else []
        print_remarks(self.remarks, *warning)

    def to_dict(self) -> dict[str, Any]:
        """The findings for JSON."""
        remarks = [each.to_dict() for each in self.remarks]
        return {"remarks": remarks, "unseen": self.unseen.to_dict()}


def _predict(
    rules: RuleSet,
    tables: Sequence[Path],
    layout: Layout,
    writer: Writer,
    content: Content,
    strict: bool,
    quiet: bool,
) -> _Findings:
    """Predict chunk by chunk, file by file."""
    from crisplogic.io import Remark
    from crisplogic.tables import UnseenValues

    found = _Findings(UnseenValues(0))
    for table in tables:
        with progress_bar(f"predicting {table.name}", quiet) as on_progress:
            _predict_file(rules, table, layout, writer, content, strict, found, on_progress)
    if strict and found.unseen:
        raise TableError(
            f"{tables[0]}: --strict refuses values never seen in training: {found.unseen}"
        )
    if writer.renamed is not None:
        message = f"the table has a column 'prediction'; predictions are in {writer.renamed!r}"
        found.remarks.append(Remark("renamed", message, (writer.renamed,)))
    writer.footer = found.to_dict()
    return found


def _predict_file(
    rules: RuleSet,
    table: Path,
    layout: Layout,
    writer: Writer,
    content: Content,
    strict: bool,
    found: _Findings,
    on_progress: Callable[[float], None],
) -> None:
    from crisplogic.cli.tables import open_for_rules

    before = list(content.kept.names)
    opened = open_for_rules(table, rules, layout, found.remarks.extend, content.kept)
    with opened as (chunks, fraction_read):
        if before and content.kept.names != before:
            raise TableError(
                f"{table}: its columns are not those of the files before, and are written, too"
            )
        for chunk in chunks:
            matrix = rules.matrix(chunk)
            found.unseen += rules.unseen_values(chunk, matrix)
            if not (strict and found.unseen):  # all of them are counted before it is refused
                reasons = rules.reasons(matrix, coded=True) if content.reasons else None
                writer.write(rules.scores(matrix, coded=True), reasons)
            on_progress(fraction_read())
