"""A progress bar that shows the loss and the time left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from itertools import accumulate
from typing import TYPE_CHECKING

from crisplogic.training.loop import Epoch, OnEpoch

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import ProgressColumn

SEARCH = "search"


class TimeLeft:
    """How far a fit is, and how long it will take yet.

    Epochs of all phases take about as long as each other. The steps of the search do not, so
    nothing is known of it before it has taken one.

    >>> times = iter([0.0, 2.0, 2.0])
    >>> left = TimeLeft({"soft": 3, "search": 2}, now=lambda: next(times))
    >>> left.update("soft", 1)
    >>> str(left)
    '0:00:04 and the search'
    """

    def __init__(
        self, phases: Mapping[str, int], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._phases = phases
        self._starts = dict(zip(phases, accumulate(phases.values(), initial=0), strict=False))
        self._now = now
        self._began = self._updated = now()
        self._done = self._first = 0
        self._pace: float | None = None  # seconds a step
        self.phase = next(iter(phases))

    @property
    def done(self) -> int:
        """The steps that are done, in all phases."""
        return self._starts[self.phase] + self._done

    def update(self, phase: str, number: int) -> None:
        """A step is done. The next phase begins with the end of one."""
        if phase != self.phase:  # the one before stopped early
            self._enter(phase)
        # The search counts anew for every part of a table, a resumed phase not from 1.
        self._first = self._first or number
        self._done = max(number, self._done + 1)
        self._updated = self._now()
        self._pace = (self._updated - self._began) / (self._done - self._first + 1)
        if self._done >= self._phases[phase] and phase != list(self._phases)[-1]:
            names = list(self._phases)
            self._enter(names[names.index(phase) + 1])

    def _enter(self, phase: str) -> None:
        self.phase = phase
        self._done = self._first = 0
        self._began = self._updated
        if phase == SEARCH:
            self._pace = None

    def seconds(self) -> float | None:
        """The seconds left of all epochs, or of the search; None if nothing is known yet."""
        if self._pace is None:
            return None
        counts = self._phases.items()
        steps = sum(count for name, count in counts if (name == SEARCH) == self._searches)
        before = self._starts[self.phase] if not self._searches else 0
        waited = self._now() - self._updated
        return max(0.0, max(self._pace, waited) * (steps - before - self._done) - waited)

    @property
    def _searches(self) -> bool:
        return self.phase == SEARCH

    def __str__(self) -> str:
        seconds = self.seconds()
        text = "-:--:--" if seconds is None else str(timedelta(seconds=round(seconds)))
        return (
            text if self._searches or SEARCH not in self._phases else f"{text} and the search"
        )


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
    from rich.progress import BarColumn, Progress, TextColumn

    left = TimeLeft(phases)
    columns = (
        TextColumn("learning, {task.description}"),
        BarColumn(),
        TextColumn("step {task.completed}/{task.total}  loss {task.fields[loss]}"),
        TextColumn("time left"),
        _column(left),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(left.phase, total=sum(phases.values()), loss="-")

        def on_epoch(epoch: Epoch) -> None:
            left.update(epoch.phase, epoch.number)
            loss = f"{epoch.monitored:.4f}"
            bar.update(task, completed=left.done, description=left.phase, loss=loss)

        yield on_epoch


def _column(left: TimeLeft) -> ProgressColumn:
    """A column that counts down between two steps, too."""
    from rich.progress import ProgressColumn, Task
    from rich.text import Text

    class Column(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(str(left), style="progress.remaining")

    return Column()


def _terminal() -> Console | None:
    """Return standard error, if it is a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    return console if console.is_terminal or console.is_jupyter else None
