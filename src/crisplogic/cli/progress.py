"""Progress and time left, drawn on standard error for whatever takes longer than a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

# What is done within so many seconds needs no progress bar.
PATIENCE = 1.0


@contextmanager
def watched_share(what: str, shown: bool) -> Iterator[Callable[[float], None]]:
    """Something to call with the share that is done, from 0 to 1; it draws if ``shown``.

    >>> with watched_share("reading", shown=False) as on_progress:
    ...     on_progress(0.5)
    """
    with ExitStack() as stack:
        bar = _Bar(what, stack)
        yield bar.show if shown else lambda _: None


class _Bar:
    """A bar that begins to be drawn after a second."""

    def __init__(self, what: str, stack: ExitStack) -> None:
        self._what = what
        self._stack = stack
        self._began = time.monotonic()
        self._drawn: tuple[Progress, TaskID] | None = None

    def show(self, share: float) -> None:
        if self._drawn is None and time.monotonic() - self._began > PATIENCE:
            self._drawn = self._draw()
        if self._drawn is not None:
            progress, task = self._drawn
            progress.update(task, completed=share)

    def _draw(self) -> tuple[Progress, TaskID]:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("time left"),
            TimeRemainingColumn(),
        )
        progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._stack.enter_context(progress)
        return progress, progress.add_task(escape(self._what), total=1.0)
