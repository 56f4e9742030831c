"""The app that commands belong to, and :func:`main`, which turns errors into messages."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from crisplogic.cli.options import speak_of_options, with_options
from crisplogic.distributed.environment import MEETING
from crisplogic.distributed.launch import LOST
from crisplogic.errors import CrisplogicError, DivergedError, LostProcessError, TableError

EXIT_CODES = """\b
Exit codes: 0 success; 1 unexpected error, or the reader of the output left
early; 2 unusable input, option or file, with a message; 75 another process was
lost; 130 interrupted."""
FAILED, INTERRUPTED = 2, 130

app = typer.Typer(
    name="crisplogic",
    help="Learn small logic rules from tables, and use them.",
    epilog=f"Start with: crisplogic demo\n\n{EXIT_CODES}",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

# Typer has no public name for the base class of its errors about arguments.
_UsageError: Any = typer.BadParameter.__bases__[0]

# Errors of writing: no space, too large a file, a device that fails.
_FULL = {errno.ENOSPC, errno.EFBIG, errno.EIO}


def _print_version(requested: bool) -> None:
    if requested:
        from crisplogic import __version__

        typer.echo(f"crisplogic {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _print_help(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """Run the command line. Every error is one message and an exit code."""
    if isinstance(sys.stdout, TextIOWrapper):
        # A name that standard output cannot show is no reason to fail.
        sys.stdout.reconfigure(errors="backslashreplace")
    warnings.showwarning = _print_warning
    try:
        # Typer itself handles broken pipes (exit code 1) and returns 130 for Ctrl-C.
        code = app(prog_name=app.info.name, standalone_mode=False)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except _UsageError as error:
        command = error.ctx.command_path if error.ctx else app.info.name
        code = _fail(f"{error.format_message().rstrip('.')}; try '{command} --help'")
    except LostProcessError as error:
        code = _lost(error)
    except (CrisplogicError, OSError, ValueError, ArithmeticError, MemoryError) as error:
        code = _fail(speak_of_options(_message(error)))
    except RuntimeError as error:  # torch adds the frames of its C++ code
        code = _fail(str(error).partition("\n")[0])
    if code == INTERRUPTED:
        print("interrupted", file=sys.stderr)
    sys.exit(code)


def _print_warning(message: Warning | str, *_: object, **__: object) -> None:
    print(f"warning: {speak_of_options(str(message))}", file=sys.stderr)


def _fail(problem: str) -> int:
    print(f"error: {problem}", file=sys.stderr)
    return FAILED


def _lost(error: LostProcessError) -> int:
    """What a process says that lost another one; who started both knows better."""
    if MEETING not in os.environ:
        _fail(str(error))
    return LOST


def _message(error: BaseException) -> str:
    if isinstance(error, TableError):
        return _with_options(error)
    if isinstance(error, OSError):
        return _with_file(error)
    if isinstance(error, DivergedError):  # whose advice is about parameters without options
        found = str(error).partition(" with learning_rate")[0]
        return f"{found}; try another --seed, or leave out columns of extreme values (--drop)"
    if isinstance(error, MemoryError):
        what = f" ({error})" if str(error) else ""
        return (
            f"there is not enough memory{what}; try fewer columns (--drop), --depth or --width"
        )
    return str(error) or type(error).__name__


def _with_file(error: OSError) -> str:
    """What the system says, and of which file."""
    # Whoever opens a file names it in errors; only standard output was opened by nobody.
    name = error.filename or ("standard output" if error.errno in _FULL else None)
    problem = error.strerror or str(error)
    return problem if name is None else f"{os.fsdecode(name)}: {problem}"


def _with_options(error: TableError) -> str:
    """The message and, for each of its problems, the options that would help."""
    if not error.problems:
        return with_options(str(error), error.remedies)
    head = str(error).partition("\n")[0]
    return "\n  ".join([head, *map(_with_options, error.problems)])
