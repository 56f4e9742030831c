"""``crisplogic export`` and ``check-export``: rules as other programs, and their answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
from crisplogic.cli.output import check_can_write, print_json
from crisplogic.errors import ExportError, RuleFileError, TableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crisplogic.export import About
    from crisplogic.export.check import Agreement
    from crisplogic.rules import RuleSet


def _print_targets(requested: bool) -> None:
    if not requested:
        return
    from crisplogic.export import OPTIONS, TARGETS

    for target in TARGETS.values():
        typer.echo(f"{target.name:<12}{target.summary}")
        for name, default in target.options.items():
            option = "--no-missing" if name == "missing" else f"--{name}"
            usual = f" [{default}]" if isinstance(default, str) else ""
            meaning = _NO_MISSING if name == "missing" else OPTIONS[name]
            typer.echo(f"  {option:<12}  {meaning}{usual}")
    raise typer.Exit


_NO_MISSING = "No value is ever missing, or one that was never seen: shorter programs."


@app.command()
def export(
    model: ModelArgument,
    to: Annotated[
        str, typer.Option(metavar="TARGET", help="What to write; see --list-targets.")
    ],
    dialect: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The dialect of SQL: duckdb, postgres, sqlite, spark, bigquery, snowflake, "
            "mysql or tsql [duckdb].",
        ),
    ] = None,
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="The table to select from [data].")
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="Select this column of the table, too. Repeatable [all]."
        ),
    ] = None,
    proba: Annotated[
        bool,
        typer.Option("--proba", help="SQL, PMML, DMN: add the probability of every class."),
    ] = False,
    view: Annotated[
        str | None, typer.Option(metavar="NAME", help="SQL: create a view of this name.")
    ] = None,
    dbt: Annotated[
        bool, typer.Option("--dbt", help="SQL: write a dbt model that refers to the table.")
    ] = False,
    quote: Annotated[
        bool, typer.Option("--quote", help="SQL: write all names in quotes.")
    ] = False,
    truth: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="SQL: how truth values are stored: number, boolean or text [number].",
        ),
    ] = None,
    nan: Annotated[
        bool, typer.Option("--nan", help="SQL: NaN is a missing value, too, beside NULL.")
    ] = False,
    no_missing: Annotated[bool, typer.Option("--no-missing", help=_NO_MISSING)] = False,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="C: what names begin with. Java: the class."),
    ] = None,
    document: Annotated[
        bool, typer.Option("--document", help="LaTeX: write a whole document.")
    ] = False,
    network: Annotated[
        bool,
        typer.Option(
            "--network",
            help="ONNX: write the soft network instead of the rules. MODEL is then a file that "
            "an estimator wrote with save.",
        ),
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to this file [standard output].")
    ] = None,
    force: ForceOption = False,
    list_targets: Annotated[
        bool,
        typer.Option(
            "--list-targets",
            callback=_print_targets,
            is_eager=True,
            help="List all targets and their options.",
        ),
    ] = False,
) -> None:
    """Write the rules of a model for another program, or for people.

    Every target predicts what crisplogic predicts; see 'crisplogic check-export'.

    \b
    Examples:
      crisplogic export model/ --to sql --dialect postgres --table patients
      crisplogic export model/ --to c --out rules.h
      crisplogic export rules.json --to onnx --out rules.onnx
      crisplogic export model.npz --to onnx --network --out network.onnx
      crisplogic export rules.json --to latex
    """
    from crisplogic.cli.model import is_estimator, load_rules, model_files
    from crisplogic.export import export as write

    given = {
        "dialect": dialect,
        "table": table,
        "keep": keep or None,
        "proba": proba or None,
        "view": view,
        "dbt": dbt or None,
        "quote": quote or None,
        "truth": truth,
        "nan": nan or None,
        "missing": False if no_missing else None,
        "name": name,
        "document": document or None,
    }
    options = {option: value for option, value in given.items() if value is not None}
    out = None if out == Path("-") else out
    if network or is_estimator(model):
        written = _write_fitted(model, to, network, options)
    else:
        rules = load_rules(model)
        written = write(rules, to, about=_about(model, rules), **options)
    if out is not None:
        _write(out, written, *model_files(model), force=force)
    elif isinstance(written, bytes):
        raise typer.BadParameter(f"{to} is no text: write it to a file with --out")
    else:
        typer.echo(written, nl=False)


def _write_fitted(model: Path, to: str, network: bool, options: dict[str, Any]) -> str | bytes:
    """The rules of an estimator file, or its network."""
    from crisplogic.estimators import load_estimator
    from crisplogic.export import About

    if model.is_dir():
        raise typer.BadParameter(
            f"{model} is a folder with rules; --network needs a file that an estimator wrote "
            "with save"
        )
    estimator = load_estimator(model)
    rows, error = estimator.frontier_.rows, estimator.expected_error_
    about = About(model.resolve().name, _date(model), rows, error)
    return estimator.export(to, network=network, about=about, **options)


def _date(path: Path) -> str:
    """The day on which a file was written."""
    from datetime import UTC, datetime

    return f"{datetime.fromtimestamp(path.stat().st_mtime, tz=UTC):%Y-%m-%d}"


def _about(model: Path, rules: RuleSet) -> About:
    """What a model tells of itself: its name, its date, its rows, and the error of its size."""
    from crisplogic.cli.model import load_frontier, model_files
    from crisplogic.export import About

    rows, error = None, None
    if model.is_dir():
        try:
            frontier, selected = load_frontier(model)
        except (RuleFileError, OSError):  # an export needs the rules alone
            frontier, selected = None, -1
        if frontier is not None and selected == rules.size:
            rows, error = frontier.rows, frontier.at(selected).held_out_error
    return About(model.resolve().name, _date(model_files(model)[0]), rows, error)


def _write(out: Path, written: str | bytes, *inputs: Path, force: bool) -> None:
    from crisplogic.files import atomic_binary_writer

    check_can_write(out, *inputs)
    if out.is_file() and out.stat().st_size and not force:
        raise typer.BadParameter(f"{out} exists; overwrite it with --force")
    raw = written.encode("utf-8", "surrogateescape") if isinstance(written, str) else written
    with atomic_binary_writer(out) as file:
        file.write(raw)


@app.command("check-export")
@expand_groups
def check_export(
    *,
    model: ModelArgument,
    table: TableArgument,
    text: TextOptions,
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Run this target alone, such as c, sql or 'sql (duckdb)'. Repeatable [all].",
        ),
    ] = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Run every target that this machine can run, and compare it with crisplogic.

    Targets whose program is not installed are skipped. Databases run in folders of their own,
    which are removed. The exit code is 2 if a target disagrees.

    \b
    Examples:
      crisplogic check-export model/ patients.csv
      crisplogic check-export model/ patients.csv --target c --target 'sql (postgres)'
      crisplogic check-export rules.json patients.csv --json
    """
    from crisplogic.cli.model import load_rules

    found = []
    for each in _check(load_rules(model), table, text, target):
        found.append(each)
        if not json and (each.skipped is None or not quiet):
            typer.echo(_line(each))
    if json:
        print_json({"targets": [each.to_dict() for each in found]})
    wrong = [each.target for each in found if each.disagreements]
    if wrong:
        raise ExportError(f"these targets do not agree with crisplogic: {', '.join(wrong)}")


def _check(
    rules: RuleSet, path: Path, text: TextOptions, targets: list[str] | None
) -> Iterator[Agreement]:
    """The agreement of every target on all rows of a file, which are in memory at once."""
    import numpy as np

    from crisplogic.cli.tables import open_for_rules
    from crisplogic.export.check import check_exports
    from crisplogic.export.running.rows import join_rows, read_rows

    with open_for_rules(path, rules, text.layout) as (chunks, _):
        parts = [read_rows(rules, chunk) for chunk in chunks]
    if not parts:
        raise TableError(f"{path}: it has no rows to compare")
    matrix = np.concatenate([coded for _, coded in parts])
    return check_exports(rules, join_rows([raw for raw, _ in parts]), matrix, targets)


def _line(found: Agreement) -> str:
    if found.skipped is not None:
        return f"{found.target:<16}skipped: {found.skipped.splitlines()[0]}"
    rows = f"{found.rows} row{'s' if found.rows != 1 else ''}"
    if not found.disagreements:
        return f"{found.target:<16}agrees on {rows}"
    return f"{found.target:<16}differs on {found.disagreements} of {rows}"
