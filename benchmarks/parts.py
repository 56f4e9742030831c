"""All parts of the benchmark by name: how each is measured, told and drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from benchmarks import copies, fit, growth, layer, prediction_table, start, training
from benchmarks.pictures import copies_pictures, growth_pictures
from benchmarks.tables import Row, Table, Verdict
from benchmarks.turns import IMPATIENT, Patience

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Measure = Callable[[], list[Row]]
Draw = Callable[[Sequence[Row]], "dict[str, Figure]"]


class Told(Protocol):
    """What a module says about its figures."""

    TITLE: str
    ABOUT: str

    def table(self, rows: Sequence[Row]) -> Table:
        """The figures as text."""

    def verdicts(self, rows: Sequence[Row]) -> list[Verdict]:
        """What they are worth."""


@dataclass(frozen=True)
class Part:
    """One part: measured in full, or quickly to see that it works."""

    told: Told
    full: Measure
    quick: Measure
    draw: Draw = lambda rows: {}

    def measure(self, quick: bool) -> list[Row]:
        """The figures, as they are stored."""
        return self.quick() if quick else self.full()


PARTS: dict[str, Part] = {
    "layer": Part(
        layer,
        full=lambda: layer.measure(layer.SHAPES, Patience(least=2)),
        quick=lambda: layer.measure(layer.QUICK_SHAPES, IMPATIENT),
    ),
    "training": Part(
        training,
        full=lambda: training.measure(list(training.TABLES), 4, Patience(4.0, least=5)),
        quick=lambda: training.measure(["diabetes"], 1, IMPATIENT),
    ),
    "fit": Part(
        fit,
        full=lambda: fit.measure(fit.available(), repeats=3),
        quick=fit.quick,
    ),
    "copies": Part(
        copies,
        full=lambda: copies.measure(copies.COUNTS, Patience(6.0)),
        quick=lambda: copies.measure(copies.COUNTS[:2], IMPATIENT),
        draw=copies_pictures,
    ),
    "growth": Part(
        growth,
        full=lambda: growth.measure(growth.AXES, Patience(0.5)),
        quick=lambda: growth.measure(growth.QUICK_AXES, IMPATIENT),
        draw=growth_pictures,
    ),
    "prediction": Part(
        prediction_table,
        full=lambda: prediction_table.measure(rows=1_000_000, repeats=5),
        quick=prediction_table.quick,
    ),
    "start": Part(
        start,
        full=lambda: start.measure(processes=7),
        quick=lambda: start.measure(processes=1),
    ),
}
