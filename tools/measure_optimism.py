"""Measure how far held-out figures can be trusted, on tables of pure noise.

Nothing can be learned from noise: whatever rules say, half of new rows of two classes are
predicted wrongly. A held-out error below one half is too good.

    python tools/measure_optimism.py --tables 40 --rows 200 --columns 10
"""

from __future__ import annotations

import argparse

import numpy as np

from crisplogic import LogicClassifier

NEW_ROWS = 4000


def measure(seed: int, rows: int, columns: int) -> tuple[float, float, float, float]:
    """Held-out error, expected error, error on new rows, and log loss on new rows."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(rows, columns)), rng.integers(0, 2, rows)
    new_X, new_y = rng.normal(size=(NEW_ROWS, columns)), rng.integers(0, 2, NEW_ROWS)
    clf = LogicClassifier(random_state=seed).fit(X, y)
    chosen = clf.frontier_.choose(clf.max_literals, clf.tolerance)
    right = clf.predict_proba(new_X)[np.arange(NEW_ROWS), new_y]
    return (
        chosen.held_out_error,
        clf.expected_error_,
        1 - float(clf.score(new_X, new_y)),
        float(-np.log(right).mean()),
    )


def main() -> None:
    """Print means over tables and their standard errors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("tables", 40), ("rows", 200), ("columns", 10)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    found = np.array([measure(n, given.rows, given.columns) for n in range(given.tables)])
    print(f"{given.tables} tables of noise, {given.rows} rows, {given.columns} columns")
    print("                        mean   standard error")
    names = "held-out error", "expected error", "error on new rows"
    for name, values in zip(names, found.T, strict=False):
        doubt = values.std(ddof=1) / np.sqrt(len(values))
        print(f"{name:<20} {values.mean():>7.2%}          {doubt:>7.2%}")
    print(f"log loss on new rows {found[:, 3].mean():>7.4f}   (guessing {np.log(2):.4f})")


if __name__ == "__main__":
    main()
