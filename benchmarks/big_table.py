"""Large made tables in Parquet files, and one fit to such a table in a process of its own."""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.distributed import in_group, open_group
from crisplogic.distributed.launch import launch
from crisplogic.files import atomic_binary_writer
from crisplogic.group import ALONE, Group

HERE = Path(__file__).parent
# Kept between runs, and never part of the repository.
FOLDER = HERE.parent / "build" / "big"
COLUMNS, NUMBERS = 20, 18
PART_ROWS, GROUP_ROWS = 1_000_000, 250_000
COLOURS = ("red", "green", "blue", "teal", "grey")
LABELS = ("no", "yes")
TARGET = "y"
# A part that no table has: new rows to test rules on.
NEW_PART = 1_000_000


def part_of(number: int, rows: int = PART_ROWS) -> dict[str, Any]:
    """The columns of one part: 18 numbers, a category, a truth value, and the target.

    >>> made = part_of(0, rows=5)
    >>> len(made), made["c0"].dtype
    (21, dtype('float32'))
    """
    generator = np.random.default_rng(number)
    X = generator.standard_normal((NUMBERS, rows), dtype=np.float32)
    colour, flag = generator.integers(0, len(COLOURS), rows), generator.random(rows) < 0.3
    a, b, c, d, e, f = X[:6]
    score = (a > 0.3) + ((b > 0) & (c > -0.5)) + 1.0 * (d > 1) - (e + f > 0.5)
    score += 0.5 * (colour == 2) + 0.5 * flag + 0.5 * generator.standard_normal(rows)
    numbers = {f"c{at}": column for at, column in enumerate(X)}
    target: NDArray[np.intp] = (score > 0.7).astype(np.intp)
    return {**numbers, "colour": colour, "flag": flag, TARGET: target}


def part_file(number: int, rows: int = PART_ROWS) -> Path:
    """The Parquet file of a part, made if it is not there yet."""
    import pyarrow as arrow
    from pyarrow import parquet

    path = FOLDER / f"part-{number:07d}-{rows}.parquet"
    if path.exists():
        return path
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = part_of(number, rows)
    for name, words in (("colour", COLOURS), (TARGET, LABELS)):
        codes = arrow.array(made[name].astype(np.int8))
        made[name] = arrow.DictionaryArray.from_arrays(codes, arrow.array(words))
    with atomic_binary_writer(path) as file:
        texts = ["colour", TARGET]  # random numbers do not repeat
        table = arrow.table(made)
        parquet.write_table(table, file, GROUP_ROWS, compression="NONE", use_dictionary=texts)
    return path


def table_files(rows: int) -> list[Path]:
    """The files of a table of so many rows; larger tables begin with the smaller ones."""
    if rows <= PART_ROWS:
        return [part_file(0, rows)]
    return [part_file(number) for number in range(rows // PART_ROWS)]


def new_rows(rows: int = PART_ROWS) -> tuple[dict[str, Any], NDArray[np.str_]]:
    """Rows that no table has, as columns, and their classes."""
    made = part_of(NEW_PART, rows)
    y = np.array(LABELS)[made.pop(TARGET)]
    return {**made, "colour": np.array(COLOURS)[made["colour"]].tolist()}, y


def fit_one(
    rows: int, how: str, group: Group = ALONE, checkpoint: Path | None = None
) -> dict[str, Any]:
    """Fit a table, ``streamed`` or in ``memory``, and say what it took and what came out.

    The processes of a group do so together.
    """
    files = [str(path) for path in table_files(rows)]
    from crisplogic import LogicClassifier

    clf = LogicClassifier(random_state=0)
    before = peak()
    started, began = time.perf_counter(), processor_seconds()
    ends: dict[str, tuple[float, float]] = {}

    def now() -> tuple[float, float]:
        return time.perf_counter() - started, processor_seconds() - began

    def on_progress(what: str, share: float) -> None:
        if what not in ends and what == "measuring":
            ends["learning"] = now()
        ends[what] = now()

    if how == "streamed":
        clf.fit_dataset(
            files, TARGET, on_progress=on_progress, group=group, checkpoint=checkpoint
        )
    else:
        from pyarrow import dataset

        table = dataset.dataset(files).to_table()
        y = np.array(table.column(TARGET).to_pylist())
        clf.fit(table.drop_columns([TARGET]), y)
    seconds = now()[0]
    end_workers()
    processor = now()[1]
    X, y = new_rows(min(rows, PART_ROWS))
    wrong = float(np.mean(clf.predict(X) != y))
    reading = ends.get("reading", (0.0, 0.0))
    learned = ends.get("learning", (seconds, processor))
    return {
        "rows": rows,
        "how": how,
        "processes": group.size,
        "cores": len(os.sched_getaffinity(0)),
        "bytes": sum(Path(path).stat().st_size for path in files),
        "seconds": seconds,
        "reading": reading[0],
        "learning": learned[0] - reading[0],
        "measuring": seconds - learned[0],
        "processor": processor,
        "reading_processor": reading[1],
        "learning_processor": learned[1] - reading[1],
        "measuring_processor": processor - learned[1],
        "peak": max(group.gather(peak())),
        "peak_before": before,
        "error": wrong,
        "expected_error": float(clf.expected_error_),
        "literals": clf.rules_.size,
        "rules": clf.rules_.describe(notes=False),
    }


def end_workers() -> None:
    """End the processes of the search, so that their time is known."""
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True)


def processor_seconds() -> float:
    """What this process and those that it has ended have used."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def peak() -> int:
    """The most memory that this process has held, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def main(arguments: Sequence[str]) -> int:
    """Fit one table and print the figures as JSON, on the last line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.big_table")
    parser.add_argument("rows", type=int)
    parser.add_argument("how", choices=["streamed", "memory"])
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--checkpoint", type=Path)
    options = parser.parse_args(arguments)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.cores])
    if options.processes > 1 and not in_group():
        command = [sys.executable, "-m", "benchmarks.big_table", *arguments]
        return launch(command, options.processes)
    with open_group() as group:
        found = fit_one(options.rows, options.how, group, options.checkpoint)
    if group.rank == 0:
        print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
