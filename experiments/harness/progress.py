"""How far a long run is: a bar with the time left, or lines where there is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

# Steps take from seconds to minutes: only all of them together tell the speed.
SPEED_PERIOD_SECONDS = 1e6

OnStep = Callable[[str], None]


@contextmanager
def progress(what: str, total: int) -> Iterator[OnStep]:
    """Something to call after each of ``total`` steps with a line about it."""
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
