"""All parts of the benchmark, and the page that they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from benchmarks import (
    copies,
    fit,
    folds,
    growth,
    large_fit,
    layer,
    phases,
    prediction,
    serving,
    start,
    training,
)
from benchmarks.measuring import IMPATIENT, Patience
from benchmarks.pictures import copies_pictures, growth_pictures, phases_pictures
from benchmarks.tables import Row, Table, Verdict, number
from experiments.harness.pages import markdown_table
from experiments.harness.store import Document

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEAD = (
    "# Benchmarks\n\n"
    "How fast crisplogic is; [docs/performance.md](../../docs/performance.md) says what is"
    " measured and how to run it. Figures are medians, with the least and the greatest in"
    " brackets."
)

Measure = Callable[[], list[Row]]
Draw = Callable[[Sequence[Row]], "dict[str, Figure]"]


class PartModule(Protocol):
    """A module that describes its figures."""

    TITLE: str
    ABOUT: str

    def table(self, rows: Sequence[Row]) -> Table:
        """The figures as text."""


@dataclass(frozen=True)
class Part:
    """One part: measured in full, or quickly as a trial; not all have targets or pictures."""

    module: PartModule
    full: Measure
    quick: Measure
    verdicts: Callable[[Sequence[Row]], list[Verdict]] = lambda rows: []
    draw: Draw = lambda rows: {}

    def measure(self, quick: bool) -> list[Row]:
        """The figures, as they are stored."""
        return self.quick() if quick else self.full()


PARTS: dict[str, Part] = {
    "layer": Part(
        layer,
        full=lambda: layer.measure(layer.SHAPES, Patience(least=2)),
        quick=lambda: layer.measure(layer.QUICK_SHAPES, IMPATIENT),
        verdicts=layer.verdicts,
    ),
    "training": Part(
        training,
        full=lambda: training.measure(list(training.TABLES), 4, Patience(4.0, least=5)),
        quick=lambda: training.measure(["diabetes"], 1, IMPATIENT),
        verdicts=training.verdicts,
    ),
    "fit": Part(
        fit,
        full=lambda: fit.measure(fit.contests()),
        quick=fit.quick,
        verdicts=fit.verdicts,
    ),
    "large_fit": Part(
        large_fit,
        full=lambda: fit.measure(fit.large_contests()),
        quick=fit.quick,
        verdicts=fit.verdicts,
    ),
    "phases": Part(
        phases,
        full=lambda: phases.measure(phases.SIZES),
        quick=lambda: phases.measure(phases.QUICK_SIZES, epochs=1, folds=0, max_literals=2),
        draw=phases_pictures,
    ),
    "folds": Part(
        folds,
        full=lambda: folds.measure(folds.TABLES, repeats=1),
        quick=lambda: folds.measure(
            folds.TABLES[:1], repeats=1, epochs=1, folds=0, max_literals=1, depth=1
        ),
        verdicts=folds.verdicts,
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
        prediction,
        full=lambda: prediction.measure(prediction.TABLES, 1_000_000, 5, prediction.SETTINGS),
        quick=lambda: prediction.measure(
            prediction.TABLES[:1], 1000, 1, prediction.QUICK_SETTINGS
        ),
        verdicts=prediction.verdicts,
    ),
    "serving": Part(
        serving,
        full=lambda: serving.measure(seconds=60.0),
        quick=lambda: serving.measure(seconds=2.5),
        verdicts=serving.verdicts,
    ),
    "start": Part(
        start,
        full=lambda: start.measure(processes=7),
        quick=lambda: start.measure(processes=1),
        verdicts=start.verdicts,
    ),
}


def to_markdown(documents: Mapping[str, Document]) -> str:
    """The whole page, from the documents of the parts that are measured."""
    sections = [HEAD]
    if any(document["quick"] for document in documents.values()):
        sections.append(
            "**Some parts were measured with `--quick`: those figures mean little.**"
        )
    found = [
        verdict
        for name, document in documents.items()
        for verdict in PARTS[name].verdicts(document["rows"])
    ]
    if found:
        sections += ["## Against the targets", summarise(found), targets_table(found)]
    sections += [part_section(name, document) for name, document in documents.items()]
    return "\n\n".join(sections) + "\n"


def part_section(name: str, document: Document) -> str:
    """One part: its table, its pictures and its origin."""
    module = PARTS[name].module
    table = module.table(document["rows"])
    pictures = [f"![{module.TITLE}]({picture}.png)" for picture in document["pictures"]]
    return "\n\n".join(
        [
            f"## {module.TITLE}",
            module.ABOUT,
            *pictures,
            markdown_table(table.head, table.lines),
            origin_line(document),
        ]
    )


def summarise(verdicts: Sequence[Verdict]) -> str:
    """How many targets are reached.

    >>> summarise([Verdict("a", 2.0, 1.0, "x"), Verdict("b", 2.0, 3.0, "x")])
    '1 of 2 targets are reached, 1 missed.'
    """
    missed = sum(verdict.missing > 0 for verdict in verdicts)
    reached = f"{len(verdicts) - missed} of {len(verdicts)} targets are reached"
    return f"{reached}, {missed} missed." if missed else f"{reached}."


def targets_table(verdicts: Sequence[Verdict]) -> str:
    """Every target, and whether it is reached."""
    lines = []
    for verdict in verdicts:
        sign = "≥" if verdict.at_least else "≤"
        outcome = f"**{verdict.outcome}**" if verdict.missing else verdict.outcome
        target = f"{sign} {verdict.target:g} {verdict.unit}"
        before = "-" if verdict.before is None else f"{number(verdict.before)} {verdict.unit}"
        now = f"{number(verdict.found)} {verdict.unit}"
        lines.append([verdict.what, target, before, now, outcome])
    return markdown_table(["what", "target", "before", "now", "outcome"], lines)


def origin_line(document: Document) -> str:
    """Command, date, machine and versions."""
    versions = ", ".join(f"{name} {given}" for name, given in document["versions"].items())
    return (
        f"`{document['command']}`, {document['date']}, {document['seconds']:.0f} s;"
        f" {document['processor']}, {document['cores']} cores; {versions}."
    )
