"""The other learners, and how all are scored and timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from crisplogic import LogicRegressor
from experiments.regression.tables import Floats, Fold

RIDGE_PENALTIES = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
EBM_SETTINGS = {"interactions": 0, "n_jobs": 1}

# From a seed to a learner that is not fitted yet.
Maker = Callable[[int], Any]


def make_rules(seed: int, **changes: Any) -> LogicRegressor:
    """Our rules with the default settings, except for the loss: no target has outliers."""
    return LogicRegressor(loss="squared_error", random_state=seed, **changes)


def make_boosting(seed: int) -> Any:
    """Gradient boosting, whose time all others are compared with."""
    return HistGradientBoostingRegressor(random_state=seed)


def make_ebm(seed: int) -> Any:
    """An explainable boosting machine; interpret may not be installed."""
    from interpret.glassbox import ExplainableBoostingRegressor

    return ExplainableBoostingRegressor(**EBM_SETTINGS, random_state=seed)


PEERS: dict[str, Maker] = {
    "graded": lambda seed: make_rules(seed, literals="graded"),
    "tree": lambda seed: DecisionTreeRegressor(random_state=seed),
    "ridge": lambda seed: make_pipeline(StandardScaler(), RidgeCV(alphas=RIDGE_PENALTIES)),
    "forest": lambda seed: RandomForestRegressor(random_state=seed),
    "boosting": make_boosting,
}


def describe(learner: Any) -> str:
    """A learner and its settings on one line.

    >>> describe(make_boosting(3))
    'HistGradientBoostingRegressor(random_state=3)'
    """
    return " ".join(repr(learner).split())


def describe_ebm(seed: int) -> str:
    """What :func:`describe` says of an EBM, even where interpret is not installed.

    >>> describe_ebm(3)
    'ExplainableBoostingRegressor(interactions=0, n_jobs=1, random_state=3)'
    """
    settings = {**EBM_SETTINGS, "random_state": seed}
    written = ", ".join(f"{name}={value}" for name, value in settings.items())
    return f"ExplainableBoostingRegressor({written})"


def limit_leaves(tree: Any, literals: int) -> Any:
    """Give a tree as many leaves as rules have literals; with one leaf it predicts nothing."""
    return tree.set_params(max_leaf_nodes=max(literals, 2))


@dataclass(frozen=True)
class Score:
    """R² and the root mean squared error, in the units of the target."""

    r2: float
    rmse: float


def score(predicted: Floats, actual: Floats) -> Score:
    """Shape: (rows,) both.

    >>> score(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]))
    Score(r2=1.0, rmse=0.0)
    >>> score(np.array([2.0, 2.0]), np.array([1.0, 3.0]))
    Score(r2=0.0, rmse=1.0)
    """
    squared = float(np.mean((predicted - actual) ** 2))
    return Score(1.0 - squared / float(actual.var()), squared**0.5)


def fit_seconds(learner: Any, fold: Fold) -> float:
    """Fit a learner to the training rows and return the seconds that it took."""
    started = time.perf_counter()
    learner.fit(fold.train.X, fold.train.y)
    return time.perf_counter() - started


def score_on_test(learner: Any, fold: Fold) -> Score:
    """The score of a fitted learner on the test rows."""
    return score(learner.predict(fold.test.X), fold.test.y)
