"""Pages and pictures: pieces of Markdown, colours and sizes, and how both are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from crisplogic.files import atomic_binary_writer, atomic_writer
from experiments.harness.origin import Origin, origin_from

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's colours, which colour-blind readers can tell apart; give every line a marker
# or a dash of its own as well.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "0.45"
PAGE_WIDTH = 7.0  # inches


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is text, the others are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def plus_minus(values: Sequence[float], digits: int = 2) -> str:
    """Mean and sample standard deviation; a single value has no deviation.

    >>> plus_minus([1.0, 3.0]), plus_minus([2.0], digits=1)
    ('2.00 ± 1.41', '2.0')
    """
    mean = f"{fmean(values):.{digits}f}"
    return f"{mean} ± {stdev(values):.{digits}f}" if len(values) > 1 else mean


def origins_list(documents: Iterable[Mapping[str, Any]], what: str) -> str:
    """Every origin once with its dates: a run that was continued may have more than one."""
    dates: dict[str, list[str]] = {}
    for document in documents:
        dates.setdefault(_origin_text(origin_from(document)), []).append(document["date"])
    total = sum(map(len, dates.values()))
    warning = ["**Not all was measured under the same circumstances:**", ""]
    lines = warning if len(dates) > 1 else []
    lines += [
        f"- {len(known)} of {total} {what}, {min(known)} to {max(known)}: {origin}"
        for origin, known in dates.items()
    ]
    return "\n".join(lines)


def write_page(page: str, path: Path) -> None:
    """Write a page and print it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_writer(path) as file:
        file.write(page)
    print(page)


def page_figure(height: float) -> Figure:
    """An empty figure as wide as a page; ``height`` in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(PAGE_WIDTH, height), layout="constrained")


def save_picture(figure: Figure, path: Path) -> None:
    """Write a figure as PNG, completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_binary_writer(path) as file:
        # Without the version that matplotlib adds, the same figures are the same file.
        figure.savefig(file, format="png", dpi=150, metadata={"Software": None})


def _origin_text(origin: Origin) -> str:
    """Command, machine and versions."""
    versions = ", ".join(f"{name} {number}" for name, number in origin.versions.items())
    return f"`{origin.command}`; {origin.processor}, {origin.cores} cores; {versions}"
