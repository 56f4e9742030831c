"""Command lines of experiments and benchmarks: options, exit codes and progress."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from crisplogic.errors import CrisplogicError

INTERRUPTED = 130
# Steps take from seconds to minutes: only all of them together tell the speed.
SPEED_PERIOD_SECONDS = 1e6

OnStep = Callable[[str], None]


def exit_code(
    run: Callable[[], None],
    if_interrupted: str = "without --again the next run continues from here",
) -> int:
    """Run a command and return its exit code; an error that a user can fix is one message.

    >>> exit_code(lambda: None)
    0
    """
    try:
        run()
    except KeyboardInterrupt:
        print(f"interrupted; {if_interrupted}", file=sys.stderr)
        return INTERRUPTED
    except (CrisplogicError, OSError, ValueError, ImportError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def add_choice_option(
    parser: argparse.ArgumentParser, name: str, choices: Sequence[str], note: str = ""
) -> None:
    """Add an option that takes some of the choices; all of them are the default.

    A choice that is named twice is taken once.
    """
    parser.add_argument(
        name,
        action=_StoreOnce,
        nargs="+",
        choices=choices,
        default=list(choices),
        metavar="NAME",
        help=f"only these of {', '.join(choices)}{note}",
    )


class _StoreOnce(argparse.Action):
    """Store each of several values once, in the order in which they are given."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        setattr(namespace, self.dest, list(dict.fromkeys(values)))


def add_folds_option(parser: argparse.ArgumentParser, most: int, default: int) -> None:
    """Add ``--folds``."""
    parser.add_argument(
        "--folds",
        type=whole_number(most),
        default=default,
        metavar="COUNT",
        help=f"only the first so many of {most} (default: {default})",
    )


def add_run_options(parser: argparse.ArgumentParser, output: Path | None) -> None:
    """Add ``--workers``, ``--again`` and ``--output``."""
    parser.add_argument(
        "--workers",
        type=whole_number(),
        default=os.cpu_count() or 1,
        metavar="COUNT",
        help="worker processes (default: one per core)",
    )
    parser.add_argument(
        "--again", action="store_true", help="measure again what is stored already"
    )
    parser.add_argument(
        "--output", type=Path, default=output, metavar="FOLDER", help="folder for results"
    )


def whole_number(most: int | None = None) -> Callable[[str], int]:
    """An argument that is a whole number of at least 1, and at most ``most``.

    >>> whole_number(10)("3")
    3
    """

    def whole_number(text: str) -> int:  # argparse prints the name of this function
        number = int(text)
        if number < 1:
            raise argparse.ArgumentTypeError(f"must be at least 1, got {text}")
        if most is not None and number > most:
            raise argparse.ArgumentTypeError(f"must be at most {most}, got {text}")
        return number

    return whole_number


def require_interpret(option: str) -> None:
    """Fail before hours of folds if interpret, which an option needs, is not installed."""
    if importlib.util.find_spec("interpret") is None:
        raise ModuleNotFoundError(
            f"{option} needs interpret-core: pip install '.[experiments]', or leave it out"
        )


@contextmanager
def progress(what: str, total: int) -> Iterator[OnStep]:
    """Something to call after each of ``total`` steps with a line about it.

    A terminal shows a bar and the time left; anything else gets one line per step.
    """
    console = Console(stderr=True)
    if console.is_terminal and total > 0:
        with _bar(console) as bar:
            task = bar.add_task(what, total=total)

            def on_step(text: str) -> None:
                bar.console.print(text, highlight=False)
                bar.advance(task)

            yield on_step
    else:
        numbers = count(1)
        yield lambda text: print(
            f"{what} {next(numbers)} of {total}: {text}", file=sys.stderr, flush=True
        )


def _bar(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("time left"),
        TimeRemainingColumn(),
        console=console,
        speed_estimate_period=SPEED_PERIOD_SECONDS,
    )
