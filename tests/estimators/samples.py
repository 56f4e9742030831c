"""Small tables, and classifiers that are soon fitted to them."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic import LogicClassifier
from crisplogic.nn import LogicNetwork

Floats = NDArray[np.float64]
Labels = NDArray[Any]


def quick(**changes: Any) -> LogicClassifier:
    """A classifier that is soon done; its crisp rules for easy tables are still good."""
    options = {"epochs": 3, "restarts": 1, "folds": 2, "max_literals": 4, "random_state": 0}
    return LogicClassifier(**{**options, **changes})


def some_table(rows: int = 60, columns: int = 3, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(20.0, 5.0, (rows, columns))


def some_labels(table: Floats, classes: int = 2) -> Labels:
    """Class names, in order of the first column."""
    bounds = np.quantile(table[:, 0], np.linspace(0, 1, classes + 1)[1:-1])
    return np.array(list("abcdefghij"))[np.digitize(table[:, 0], bounds)]


X, Y = some_table(), some_labels(some_table())
NEW = some_table(seed=1)


def state_of(network: LogicNetwork) -> dict[str, bytes]:
    return {name: tensor.numpy().tobytes() for name, tensor in network.state_dict().items()}


def digest_of(clf: LogicClassifier) -> str:
    """One number for all that was learned: the parameters to the bit, and the rules."""
    state = b"".join(state_of(clf.network_).values())
    return hashlib.sha256(state + clf.rules_.to_json().encode()).hexdigest()
