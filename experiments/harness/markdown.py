"""Pieces of Markdown that the pages of all experiments are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

from experiments.harness.origin import Origin, origin_from


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is text, the others are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def plus_minus(values: Sequence[float], digits: int = 2) -> str:
    """Mean and sample standard deviation; a single value deviates from nothing.

    >>> plus_minus([1.0, 3.0]), plus_minus([2.0], digits=1)
    ('2.00 ± 1.41', '2.0')
    """
    mean = f"{fmean(values):.{digits}f}"
    return f"{mean} ± {stdev(values):.{digits}f}" if len(values) > 1 else mean


def origin_text(origin: Origin) -> str:
    """Command, machine and versions."""
    versions = ", ".join(f"{name} {number}" for name, number in origin.versions.items())
    return f"`{origin.command}`; {origin.processor}, {origin.cores} cores; {versions}"


def origins_list(documents: Iterable[Mapping[str, Any]], what: str) -> str:
    """Every origin once with its dates: a run that was continued may have more than one."""
    dates: dict[str, list[str]] = {}
    for document in documents:
        dates.setdefault(origin_text(origin_from(document)), []).append(document["date"])
    total = sum(map(len, dates.values()))
    warning = ["**Not all was measured under the same circumstances:**", ""]
    lines = warning if len(dates) > 1 else []
    lines += [
        f"- {len(known)} of {total} {what}, {min(known)} to {max(known)}: {origin}"
        for origin, known in dates.items()
    ]
    return "\n".join(lines)
