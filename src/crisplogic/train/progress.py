"""A progress bar that shows the loss and the time left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from crisplogic.train.loop import Epoch, OnEpoch


@contextmanager
def progress_bar(epochs: int, shown: bool) -> Iterator[OnEpoch]:
    """Something to call after every epoch; it draws on standard error if ``shown``.

    >>> with progress_bar(1, shown=False) as on_epoch:
    ...     on_epoch(Epoch("soft", 1, 0.5, None))
    """
    if not shown:
        yield lambda epoch: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("training, {task.description}"),
        BarColumn(),
        TextColumn("epoch {task.completed}/{task.total}  loss {task.fields[loss]}"),
        TextColumn("time left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("soft", total=epochs, loss="-")

        def on_epoch(epoch: Epoch) -> None:
            bar.update(task, advance=1, description=epoch.phase, loss=f"{epoch.monitored:.4f}")

        yield on_epoch
