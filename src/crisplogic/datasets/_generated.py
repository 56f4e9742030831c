"""Tables that are generated: waveform from its published definition, and made-up passengers."""

from __future__ import annotations

import csv
import os
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from crisplogic.datasets._dataset import Dataset
from crisplogic.parameters import COUNT, Constraint

Cell = str | int | float | None

SEED = Constraint(
    "a whole number of at least 0",
    lambda value: (
        isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0
    ),
)

_POSITIONS = np.arange(1, 22)
_BASE_WAVES = np.stack([np.maximum(6 - abs(_POSITIONS - peak), 0) for peak in (11, 15, 7)])
# wave0 mixes the first and the second base wave, wave1 first and third, wave2 second and third.
_LEFT = np.array([0, 0, 1])
_RIGHT = np.array([1, 2, 2])
_NOISE_FEATURES = 19


def load_waveform(rows: int = 5000, seed: int = 0) -> Dataset:
    """Waveform (Version 2): three mixtures of two triangular waves each, under noise.

    The base waves are ``h1(i) = max(6 - |i - 11|, 0)``, h2(i) = h1(i - 4), h3(i) = h1(i + 4)
    for i = 1..21. A row of wave0, wave1 or wave2 mixes (h1, h2), (h1, h3) or (h2, h3):
    x_i = u a(i) + (1 - u) b(i) + e_i, with one uniform u per row and standard normal e_i.
    ``x22`` to ``x40`` are standard normal noise that carries no information. All numbers are
    rounded to four significant digits.

    The rows differ from UCI's own 5000 rows; the distribution is the same. The Bayes error is
    13.25 %, and 13.38 % on the 5000 default rows. Another number of rows gives another table,
    not the beginning or the continuation of this one.

    Shape: (rows, 40).

    >>> load_waveform()
    Dataset('waveform': 5000 rows, 40 features, 3 classes)
    """
    COUNT.check("rows", rows)
    SEED.check("seed", seed)
    rng = np.random.default_rng(seed)
    # The order of the draws is part of the definition: it fixes the numbers.
    label = rng.integers(0, 3, rows)
    u = rng.random(rows)[:, np.newaxis]
    noise = rng.standard_normal((rows, len(_POSITIONS)))
    uninformative = rng.standard_normal((rows, _NOISE_FEATURES))
    waves = u * _BASE_WAVES[_LEFT[label]] + (1 - u) * _BASE_WAVES[_RIGHT[label]] + noise
    exact = np.hstack([waves, uninformative])
    return Dataset(
        name="waveform",
        # Through text: a cell is the number that a file with four digits would hold.
        X=np.array([[float(f"{cell:.4g}") for cell in row] for row in exact.tolist()]),
        y=np.array(["wave0", "wave1", "wave2"])[label],
        feature_names=tuple(f"x{i:02d}" for i in range(1, exact.shape[1] + 1)),
        target_name="class",
        citation=(
            "L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone, Classification and"
            " Regression Trees (1984), pp. 49-55 and 169. Generated anew from the definition of"
            " Waveform Database Generator (Version 2), UCI Machine Learning Repository,"
            " doi:10.24432/C56014."
        ),
        licence="generated from the definition; UCI states CC BY 4.0 for its own table",
    )


def make_titanic(rows: int = 900, seed: int = 0) -> dict[str, list[Cell]]:
    """A table of made-up passengers like those of the Titanic, by column.

    It has what real tables have: categories with a rare level (``port``), booleans
    (``alone``), numbers with missing values (``age``) and with a long tail (``fare``), a
    column that is mostly missing (``cabin``, the deck), one whose values are all distinct
    (``name``), and unbalanced classes. Women and children of the upper classes survive, others
    mostly do not; a tenth of the target is random.

    >>> table = make_titanic(rows=3)
    >>> list(table)
    ['name', 'class', 'sex', 'age', 'alone', 'fare', 'port', 'cabin', 'survived']
    >>> table["sex"]
    ['female', 'male', 'male']
    """
    COUNT.check("rows", rows)
    SEED.check("seed", seed)
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
    """Write the table of :func:`make_titanic` to a CSV file."""
    table = make_titanic(rows, seed)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))


def _with_gaps(values: NDArray[np.generic], gaps: NDArray[np.bool_]) -> list[Cell]:
    pairs = zip(values.tolist(), gaps.tolist(), strict=True)
    return [None if gap else value for value, gap in pairs]
