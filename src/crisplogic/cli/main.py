"""The way in: run a command and turn whatever goes wrong into one message."""

from __future__ import annotations

import shlex
import sys
from io import TextIOWrapper
from typing import Any

import typer

from crisplogic.cli.commands import app
from crisplogic.errors import CrisplogicError, TableError

# What typer raises about arguments: a class without a name that all its versions share.
_UsageError: Any = typer.BadParameter.__bases__[0]

INTERRUPTED = 130


def main() -> None:
    """Run the command line: every error is one message and exit code 2."""
    if isinstance(sys.stdout, TextIOWrapper):
        # A name that standard output cannot show is no reason to fail.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        # Typer itself is quiet about broken pipes (exit code 1) and returns 130 for Ctrl-C.
        code = app(prog_name=app.info.name, standalone_mode=False)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except _UsageError as error:
        command = error.ctx.command_path if error.ctx else app.info.name
        code = _failed(f"{error.format_message().rstrip('.')}; try '{command} --help'")
    except (CrisplogicError, OSError, ValueError, ArithmeticError, MemoryError) as error:
        code = _failed(_message(error))
    except RuntimeError as error:  # torch's, which adds the frames of its C++ code
        code = _failed(str(error).partition("\n")[0])
    if code == INTERRUPTED:
        print("interrupted", file=sys.stderr)
    sys.exit(code)


def _failed(problem: str) -> int:
    print(f"error: {problem}", file=sys.stderr)
    return 2


# The options that are parameters of the functions which read tables.
_OPTIONS = {
    "categories": "--category",
    "drop": "--drop",
    "encoding": "--encoding",
    "header": "--no-header",
    "missing": "--missing",
    "task": "--task",
}


def _with_options(error: TableError) -> str:
    """The message of an error, and the options that would help."""
    options = [
        _OPTIONS[name] if name == "header" else f"{_OPTIONS[name]} {shlex.quote(value)}"
        for name, value in error.remedies.items()
    ]
    return f"{error} ({' or '.join(options)})" if options else str(error)


def _message(error: BaseException) -> str:
    if isinstance(error, TableError):
        return _with_options(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__
