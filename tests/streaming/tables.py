"""Small tables in files, of every kind of column."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as arrow
from pyarrow import feather, parquet

from crisplogic.streaming import Examples, StreamedTable

# Names that need care: quotes, SQL, a comma, blanks, a letter that is not ASCII.
NAMES = ("größe", '"; DROP TABLE', "a, b", "age", "flag", "two", "colour")


def make_table(rows: int = 300, seed: int = 0) -> Any:
    """A table of Arrow: numbers, gaps, a truth value, two numbers, a category, classes."""
    generator = np.random.default_rng(seed)
    size, other = generator.normal(size=(2, rows)).round(3)
    age = np.where(generator.random(rows) < 0.1, np.nan, generator.integers(18, 90, rows))
    flag = generator.random(rows) < 0.4
    colour = generator.choice(["red", "blue", " teal", "rare"], rows, p=[0.5, 0.3, 0.19, 0.01])
    score = 1.0 * (size > 0.2) + (age > 50) + flag + 0.2 * generator.normal(size=rows)
    columns = (
        arrow.array(size),
        arrow.array(other.astype(np.float32)),
        arrow.array(generator.integers(0, 9, rows).astype(np.int16)),
        arrow.array(age, from_pandas=True),
        arrow.array(flag),
        arrow.array(np.where(size > 0, 2, 1)),
        arrow.array(colour.tolist()),
        arrow.array(generator.uniform(0.5, 2.0, rows).round(3)),
        arrow.array(score),
        arrow.array(np.where(score > 1.2, "yes", "no").tolist()),
    )
    return arrow.table(dict(zip((*NAMES, "w", "score", "ill"), columns, strict=True)))


def write_files(folder: Path, table: Any, parts: int, ending: str = ".parquet") -> Path:
    """The rows of a table, divided among several files in a folder, in their order."""
    folder.mkdir(parents=True, exist_ok=True)
    ends = np.linspace(0, len(table), parts + 1).astype(int).tolist()
    for number, (start, stop) in enumerate(pairwise(ends)):
        write_file(folder / f"part-{number:03d}{ending}", table.slice(start, stop - start))
    return folder


def write_file(path: Path, table: Any, group_rows: int = 50) -> Path:
    """A table in the format of the name of the file."""
    if path.suffix == ".parquet":
        parquet.write_table(table, path, row_group_size=group_rows)
    elif path.suffix == ".feather":
        feather.write_feather(table, path, chunksize=group_rows)
    else:
        # With repr, so that no digit is lost.
        columns = [[_cell(value) for value in c.to_pylist()] for c in table.columns]
        names = [name.replace('"', '""') for name in table.column_names]
        head = ",".join(f'"{name}"' for name in names)
        lines = [",".join(row) for row in zip(*columns, strict=True)]
        path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return path


def _cell(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def examples(table: StreamedTable, weight: str | None = None) -> list[Examples]:
    """All rows, in batches."""
    return list(table.examples(NAMES, "ill", weight))
