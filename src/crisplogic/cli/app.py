"""The app that commands belong to, and the arguments and options that most of them take."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

EXIT_CODES = """\b
Exit codes: 0 all went well; 1 something unexpected, or whoever read the
output left early; 2 an input, an option or a file cannot be used, and a
message says why; 130 interrupted."""

app = typer.Typer(
    name="crisplogic",
    help="Learn small logic rules from tables, and use them.",
    epilog=f"Start with: crisplogic demo\n\n{EXIT_CODES}",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

_FILES = "A table: CSV, TSV or other text, Parquet, Feather; gzip or not."

TableArgument = Annotated[Path, typer.Argument(help=_FILES)]
ModelArgument = Annotated[
    Path, typer.Argument(help="What 'fit --out' wrote: a rule file or a folder.")
]
SeedOption = Annotated[
    int, typer.Option(min=0, max=2**32 - 1, help="The seed of every random draw.")
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", help="The result alone: no progress, no remarks.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="One JSON document on standard output, nothing else.")
]


def _version(asked: bool) -> None:
    if asked:
        from crisplogic import __version__

        typer.echo(f"crisplogic {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def shows_progress(quiet: bool) -> bool:
    """Whether someone is there to see progress."""
    return not quiet and sys.stderr.isatty()
