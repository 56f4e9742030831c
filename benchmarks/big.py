"""Tables larger than memory: ``python -m benchmarks.big``, or ``make bench-big``.

Each fit runs in a process of its own, so that its peak of memory is its own.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import big_table
from benchmarks.big_table import COLUMNS
from benchmarks.gpu import last_line
from benchmarks.page import origin_line
from benchmarks.tables import Row, Verdict, number
from experiments.harness.origin import current_origin, now
from experiments.harness.pages import (
    BLUE,
    GREY,
    markdown_table,
    page_figure,
    save_picture,
    write_page,
)
from experiments.harness.store import Document, Store

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HERE = Path(__file__).parent
RESULTS, QUICK_RESULTS = HERE / "results", HERE.parent / "build" / "benchmarks"
SIZES = (100_000, 1_000_000, 10_000_000)
# Larger tables need memory for themselves; these are fitted in memory, too.
IN_MEMORY = 1_000_000
MEMORY_TARGET, LINE_TARGET = 2 * 2**30, 0.2
# From here on, time should grow with the rows.
LINEAR_FROM = 1_000_000
# What a table of a billion rows and 200 columns is extrapolated to.
BILLION, WIDE = 1_000_000_000, 200
NUMBER_BYTES = 4
# Crisp rules of two classes are searched for on so many rows.
SEARCHED_ROWS = 10_000


def main(arguments: Sequence[str]) -> int:
    """Measure some sizes and write the page; sizes that were measured before stay on it."""
    options = _parser().parse_args(arguments)
    folder = options.output or (QUICK_RESULTS if options.quick else RESULTS)
    sizes = options.rows or ([20_000] if options.quick else list(SIZES))
    store = Store(folder)
    rows: list[Row] = [] if options.quick else list(_stored(store).get("rows", []))
    started = time.perf_counter()
    try:
        for size in sizes:
            for how in ("streamed", *(["memory"] if size <= IN_MEMORY else [])):
                print(f"fitting {size:,} rows, {how} ...", file=sys.stderr, flush=True)
                big_table.table_files(size)  # made beforehand, not while it is measured
                rows = replaced(rows, measured(size, how))
                _write(store, rows, arguments, time.perf_counter() - started)
    except (subprocess.CalledProcessError, ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def measured(rows: int, how: str) -> Row:
    """The figures of one fit."""
    command = [sys.executable, "-m", "benchmarks.big_table", str(rows), how]
    found: Row = json.loads(last_line(command))
    return {**found, "date": now()}


def replaced(rows: Sequence[Row], new: Row) -> list[Row]:
    """The rows with a new one in place of an earlier one of the same table."""

    def key(row: Row) -> tuple[Any, ...]:
        return row["processes"], row["how"] != "streamed", row["rows"]

    return sorted([*(row for row in rows if key(row) != key(new)), new], key=key)


@dataclass(frozen=True)
class Line:
    """Seconds of a phase as a line: so many at the start, and so many a row.

    >>> Line.through([1e6, 1e7], [2.0, 11.0]).at(2e7)
    21.0
    """

    start: float
    per_row: float

    @classmethod
    def through(cls, rows: Sequence[float], seconds: Sequence[float]) -> Line:
        """The line of the least relative errors."""
        sizes, known = np.array(rows, dtype=float), np.array(seconds, dtype=float)
        if len(sizes) == 1:
            return cls(0.0, float(known[0] / sizes[0]))
        weights = 1 / np.maximum(known, 1e-3)
        matrix = np.column_stack([np.ones(len(sizes)), sizes]) * weights[:, None]
        start, per_row = np.linalg.lstsq(matrix, known * weights, rcond=None)[0].tolist()
        return cls(round(start, 6), float(f"{per_row:.6g}"))

    def at(self, rows: float) -> float:
        """The seconds that so many rows take."""
        return round(self.start + self.per_row * rows, 6)


def cost_model(rows: Sequence[Row]) -> dict[str, Line]:
    """A line for each phase, and for all, through the streamed fits of one process."""
    own = large_fits(rows)
    sizes = [row["rows"] for row in own]
    phases = {name: f"{name}_processor" for name in ("reading", "learning", "measuring")}
    phases["all"] = "processor"
    return {
        name: Line.through(sizes, [row[key] for row in own]) for name, key in phases.items()
    }


def large_fits(rows: Sequence[Row]) -> list[Row]:
    """The streamed fits of one process to tables from a million rows on."""
    return [
        row
        for row in rows
        if row["how"] == "streamed" and row["processes"] == 1 and row["rows"] >= LINEAR_FROM
    ]


def verdicts(rows: Sequence[Row]) -> list[Verdict]:
    """The targets: memory, time in proportion, and the error of the fit in memory."""
    own, found = large_fits(rows), []
    if own:
        largest = max(own, key=lambda row: row["rows"])
        gib = largest["peak"] / 2**30
        what = f"peak memory, {largest['rows']:,} rows"
        found.append(Verdict(what, gib, MEMORY_TARGET / 2**30, "GiB", at_least=False))
    if len(own) > 2:
        line = cost_model(rows)["all"]
        off = max(abs(row["processor"] / line.at(row["rows"]) - 1) for row in own)
        what = "greatest distance of processor seconds from a straight line"
        found.append(Verdict(what, 100 * off, 100 * LINE_TARGET, "%", at_least=False))
    for row in own:
        pair = [e for e in rows if e["how"] == "memory" and e["rows"] == row["rows"]]
        for other in pair:
            error = other["error"]
            # Both were searched on their own draw of so many rows.
            spread = math.sqrt(2 * error * (1 - error) / SEARCHED_ROWS)
            above = (row["error"] - error) / spread
            what = f"error above that in memory, {row['rows']:,} rows, in standard errors"
            found.append(Verdict(what, above, 1.0, "", at_least=False))
    return found


def to_markdown(document: Document) -> str:
    """The page."""
    rows: Sequence[Row] = document["rows"]
    parts = [
        "# Tables larger than memory",
        "One fit a line, each in a process of its own, with default settings: "
        f"`LogicClassifier().fit_dataset(files)` on Parquet files of {COLUMNS} columns (18 "
        "numbers of 4 bytes, a category, a truth value) and two classes. *In memory* is `fit` "
        "on the whole table. The error is measured on rows that no table has. Of 256,000 rows "
        "and fewer the sample is the whole table, and there is one pass. *Processor* is the "
        "time of all cores; other programs ran on this machine, so it says more than seconds.",
        _table(rows),
        "![Processor seconds and memory against rows](big.png)",
        "## Targets",
        markdown_table(
            ["target", "bound", "found", ""],
            [
                [
                    each.what,
                    f"≤ {number(each.target)} {each.unit}".rstrip(),
                    f"{number(each.found)} {each.unit}".rstrip(),
                    each.outcome,
                ]
                for each in verdicts(rows)
            ],
        ),
    ]
    if large_fits(rows):
        parts += ["## What it costs", _model_text(cost_model(rows), rows)]
    largest = [row for row in rows if row["how"] == "streamed"]
    if largest:
        best = max(largest, key=lambda row: row["rows"])
        parts += [f"## Rules of {best['rows']:,} rows", f"```text\n{best['rules']}\n```"]
    return "\n\n".join([*parts, origin_line(document)]) + "\n"


def _table(rows: Sequence[Row]) -> str:
    head = ["fit", "rows", "processes", "GB", *COLUMN_NAMES, "peak, GiB", "error", "expected"]
    return markdown_table(head, map(_cells, rows))


# Columns of seconds, and what they are called in a row.
COLUMN_NAMES = {
    "seconds": "seconds",
    "processor": "processor",
    "reading": "reading_processor",
    "learning": "learning_processor",
    "measuring": "measuring_processor",
}


def _cells(row: Row) -> list[str]:
    seconds = (row.get(name) for name in COLUMN_NAMES.values())
    return [
        "streamed" if row["how"] == "streamed" else "in memory",
        f"{row['rows']:,}",
        str(row["processes"]),
        f"{row['bytes'] / 1e9:.2f}",
        *("-" if each is None else f"{each:.1f}" for each in seconds),
        f"{row['peak'] / 2**30:.2f}",
        f"{row['error']:.2%}",
        f"{row['expected_error']:.2%}",
    ]


def _model_text(model: Mapping[str, Line], rows: Sequence[Row]) -> str:
    """The cost model in words, and what it says of a very large table."""
    own = large_fits(rows)
    per_row = own[-1]["bytes"] / own[-1]["rows"]
    reading, measuring = model["reading"], model["measuring"]
    learning = float(np.mean([row["learning_processor"] for row in own]))
    cell = reading.per_row / COLUMNS
    first, last = cell * WIDE * BILLION, measuring.per_row * BILLION
    terabytes = BILLION * WIDE * NUMBER_BYTES / 1e12
    return (
        f"Two passes over the files, of {per_row:.0f} bytes a row here, and a line through the "
        "processor seconds of each, from a million rows on. The first pass reads all columns: "
        f"{1e9 * cell:.1f} ns a cell, {1e-6 / reading.per_row:.1f} million rows a second of a "
        f"core. Learning takes {learning:.0f} s, whatever the rows. The last pass reads the "
        f"columns that rules mention: {1e-6 / measuring.per_row:.1f} million rows a second of "
        "a core. Beyond ten million rows it grows more slowly, and all in all time does: rules "
        "of other sizes are compared on so many rows at most.\n\n"
        f"So a billion rows of {WIDE} columns, {terabytes:.1f} TB as numbers of 4 bytes, would "
        f"take {first / 60:.0f} minutes of a core for the first pass and {last / 60:.0f} for "
        "the last. One core then reads "
        f"{terabytes * 1e6 / first:.0f} MB a second: a slower disk decides alone. Memory stays "
        "what it is: the sample, of at most 256 MiB a copy whatever the columns, and some "
        "batches. Passes are divided among processes and machines by shards, and add up; "
        "learning from the sample is not. So time stops to fall where a pass takes as long as "
        f"learning: here at about {max(1.0, (first + last) / max(learning, 1.0)):.0f} cores "
        "for that table, if disks keep up."
    )


def picture(rows: Sequence[Row]) -> Figure:
    """Processor seconds and memory against rows."""
    figure = page_figure(height=3.4)
    left, right = figure.subplots(1, 2)
    groups = (
        ("streamed", 1, "streamed", BLUE, "o"),
        ("memory", 1, "in memory", GREY, "s"),
    )
    for how, processes, label, colour, marker in groups:
        own = [r for r in rows if r["how"] == how and r["processes"] == processes]
        if own:
            sizes = [row["rows"] for row in own]
            gib = [row["peak"] / 2**30 for row in own]
            left.plot(
                sizes,
                [row["processor"] for row in own],
                color=colour,
                marker=marker,
                label=label,
            )
            right.plot(sizes, gib, color=colour, marker=marker, label=label)
    for ax, name in ((left, "processor seconds"), (right, "peak memory, GiB")):
        ax.set_xscale("log")
        ax.set_xlabel("rows")
        ax.set_ylabel(name)
        ax.legend()
    left.set_yscale("log")
    right.axhline(MEMORY_TARGET / 2**30, color=GREY, linestyle=":")
    right.set_ylim(bottom=0)
    return figure


def _stored(store: Store) -> Document:
    found: Document = store.load().get("big", {})
    return found


def _write(store: Store, rows: list[Row], arguments: Sequence[str], seconds: float) -> None:
    origin = current_origin("benchmarks.big", arguments)
    document = {"date": now(), **asdict(origin), "seconds": seconds, "rows": rows}
    store.add("big", document)
    store.folder.mkdir(parents=True, exist_ok=True)
    save_picture(picture(rows), store.folder / "big.png")
    write_page(to_markdown(document), store.folder / "big.md")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.big",
        description="Measure fits of tables larger than memory, and write a page.",
    )
    parser.add_argument(
        "--rows", type=int, nargs="+", metavar="N", help="sizes (default: 1e5, 1e6 and 1e7)"
    )
    parser.add_argument("--quick", action="store_true", help="a trial that takes seconds")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="folder for results")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
