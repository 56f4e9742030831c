"""A progress bar that shows the loss and the time left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING

from crisplogic.training.loop import Epoch, OnEpoch

if TYPE_CHECKING:
    from rich.console import Console


@contextmanager
def progress_bar(phases: Mapping[str, int], shown: bool) -> Iterator[OnEpoch]:
    """Yield a function to call after every epoch. If ``shown``, it draws a progress bar.

    ``phases`` maps the name of each phase to its number of epochs, in order. A phase that
    stops early counts as complete. The bar is drawn on standard error, if that is a terminal.

    >>> with progress_bar({"soft": 1}, shown=False) as on_epoch:
    ...     on_epoch(Epoch("soft", 1, 0.5, None))
    """
    console = _terminal() if shown else None
    if console is None:
        yield lambda epoch: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("learning, {task.description}"),
        BarColumn(),
        TextColumn("step {task.completed}/{task.total}  loss {task.fields[loss]}"),
        TextColumn("time left"),
        TimeRemainingColumn(),
    )
    starts = dict(zip(phases, accumulate(phases.values(), initial=0), strict=False))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(next(iter(phases)), total=sum(phases.values()), loss="-")

        def on_epoch(epoch: Epoch) -> None:
            done = starts[epoch.phase] + epoch.number
            loss = f"{epoch.monitored:.4f}"
            bar.update(task, completed=done, description=epoch.phase, loss=loss)

        yield on_epoch


def _terminal() -> Console | None:
    """Return standard error, if it is a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    return console if console.is_terminal or console.is_jupyter else None
