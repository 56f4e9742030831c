"""A made-up table of the diabetes table's shape."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from crisplogic.datasets import Dataset

DIABETES_FEATURES = (
    "pregnancies",
    "glucose",
    "blood_pressure",
    "skin_thickness",
    "insulin",
    "bmi",
    "pedigree",
    "age",
)


def made_up_rows(
    negative: str = "negative", positive: str = "positive", rows: int = 768
) -> list[str]:
    """Rows of the diabetes table's shape, with numbers that tell row and column apart."""
    return [
        f"{i},{i + 1000},{i + 2000},{i + 3000},{i + 4000},{i}.5,0.{i + 1000},{i + 7000},"
        f"{positive if i % 3 == 0 else negative}"
        for i in range(rows)
    ]


def write_lines(path: Path, lines: Sequence[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def assert_is_made_up(table: Dataset) -> None:
    i = np.arange(768)
    fraction = np.array([float(f"0.{k + 1000}") for k in i])
    columns = [i, i + 1000, i + 2000, i + 3000, i + 4000, i + 0.5, fraction, i + 7000]
    np.testing.assert_array_equal(table.X, np.column_stack(columns))
    assert table.X.dtype == np.float64
    np.testing.assert_array_equal(table.y, np.where(i % 3 == 0, "positive", "negative"))
    assert table.y.dtype.kind == "U"
    assert table.feature_names == DIABETES_FEATURES
    assert table.target_name == "class"
