"""``crisplogic serve``: predictions and explanations of a model, over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from crisplogic.cli.app import app
from crisplogic.cli.options import ModelArgument, QuietOption
from crisplogic.serve import Limits

# Where only programs of this machine can ask.
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@app.command()
def serve(
    model: ModelArgument,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address to listen at.")
    ] = LOOPBACK[0],
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="The port; 0 is any free one.")
    ] = 8000,
    max_body: Annotated[
        int, typer.Option(min=1, metavar="BYTES", help="The largest body of a request.")
    ] = Limits.body,
    max_rows: Annotated[
        int, typer.Option(min=1, metavar="N", help="The most rows of a batch.")
    ] = Limits.rows,
    timeout: Annotated[
        float,
        typer.Option(
            min=0.001,
            max=3600,
            metavar="SECONDS",
            help="How long a request may take to arrive, and to be answered.",
        ),
    ] = Limits.seconds,
    max_connections: Annotated[
        int, typer.Option(min=1, metavar="N", help="The most connections at a time.")
    ] = Limits.connections,
    quiet: QuietOption = False,
) -> None:
    """Answer requests over HTTP with predictions and explanations.

    The page at the address shows the rules, the columns of a row, and how to ask. Ctrl-C and
    SIGTERM stop it; requests that have begun are answered before. It needs the extra 'serve'.

    \b
    Examples:
      crisplogic serve model/
      crisplogic serve rules.json --port 8080 --max-rows 100
    """
    from crisplogic.cli.model import load_rules

    rules = load_rules(model)
    try:
        from crisplogic.serve.server import address_of, listen
        from crisplogic.serve.server import serve as run
    except ModuleNotFoundError as error:
        raise typer.BadParameter(
            f"serve needs {error.name}: pip install 'crisplogic[serve]'"
        ) from error
    if host not in LOOPBACK and not quiet:
        typer.echo(
            f"{host} can be reached from other machines, and requests are not encrypted: "
            "put a proxy in front of it",
            err=True,
        )
    limits = Limits(max_body, max_rows, timeout, max_connections)
    with listen(host, port) as listener:
        if not quiet:
            typer.echo(f"serving {model} at {address_of(listener)}")
        run(rules, listener, limits)
