"""A table like that of the Titanic's passengers, generated: columns of every kind."""

from __future__ import annotations

import csv
import os

import numpy as np

from crisplogic.datasets._waveform import need_whole

Cell = str | int | float | None


def make_titanic(rows: int = 900, seed: int = 0) -> dict[str, list[Cell]]:
    """Passengers that never were, by column: who they are, what they paid, who survived.

    Nobody in it is real, but the table has all that real ones have: categories with a rare
    level (``port``), truth values (``alone``), numbers with gaps (``age``) and with a long
    tail (``fare``), a column that is mostly empty (``cabin``, the deck), one that is nearly
    all different (``name``), and classes of unequal size. As then, women and children of the
    upper classes survive, others mostly do not; a tenth of the answers is drawn by lot.

    >>> table = make_titanic(rows=3)
    >>> list(table)
    ['name', 'class', 'sex', 'age', 'alone', 'fare', 'port', 'cabin', 'survived']
    >>> table["sex"]
    ['female', 'male', 'male']
    """
    need_whole("rows", rows, least=1)
    need_whole("seed", seed, least=0)
    rng = np.random.default_rng(seed)
    # The order of the draws is part of the definition: it fixes the table.
    grade = rng.choice(3, rows, p=[0.24, 0.21, 0.55])
    female = rng.random(rows) < np.array([0.45, 0.4, 0.3])[grade]
    age = np.clip(rng.normal(38 - 6 * grade, 13), 0.5, 80).round(1)
    fare = (np.array([60.0, 18.0, 10.0])[grade] * rng.lognormal(0, 0.6, rows)).round(2)
    port = rng.choice(["Southampton", "Cherbourg", "Queenstown"], rows, p=[0.73, 0.2, 0.07])
    alone = rng.random(rows) < 0.6
    deck = np.array(["A", "B", "C", "D", "E"])[rng.integers(0, 5, rows)]
    unknown_age, known_deck = rng.random(rows) < 0.2, rng.random(rows) < 0.6 - 0.25 * grade
    saved = np.where(female, grade < 2, (age < 13) & (grade < 2))
    drawn = rng.random(rows) < 0.1
    survived = np.where(drawn, rng.random(rows) < 0.4, saved)
    port[rng.random(rows) < 0.005] = "Belfast"
    return {
        "name": [f"Passenger {number}" for number in range(1, rows + 1)],
        "class": [f"class {number}" for number in (grade + 1).tolist()],
        "sex": np.where(female, "female", "male").tolist(),
        "age": _with_gaps(age, unknown_age),
        "alone": ["true" if each else "false" for each in alone.tolist()],
        "fare": fare.tolist(),
        "port": port.tolist(),
        "cabin": _with_gaps(deck, ~known_deck),
        "survived": np.where(survived, "yes", "no").tolist(),
    }


def save_titanic(path: str | os.PathLike[str], rows: int = 900, seed: int = 0) -> None:
    """Write the same table to a CSV file."""
    table = make_titanic(rows, seed)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))


def _with_gaps(
    values: np.ndarray[tuple[int], np.dtype[np.generic]],
    gaps: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> list[Cell]:
    pairs = zip(values.tolist(), gaps.tolist(), strict=True)
    return [None if gap else value for value, gap in pairs]
