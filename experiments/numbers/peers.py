"""The other learners."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

RIDGE_PRICES = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)

# From a seed to a learner that is not fitted yet.
Maker = Callable[[int], Any]


def _ridge(seed: int) -> Any:
    return make_pipeline(StandardScaler(), RidgeCV(alphas=RIDGE_PRICES))  # nothing is drawn


def _tree(seed: int) -> Any:
    return DecisionTreeRegressor(random_state=seed)


def _forest(seed: int) -> Any:
    return RandomForestRegressor(random_state=seed)


def boosting(seed: int) -> Any:
    """The learner that times are compared with."""
    return HistGradientBoostingRegressor(random_state=seed)


ADDITIVE = {"interactions": 0, "n_jobs": 1}


def additive(seed: int) -> Any:
    """An explainable boosting machine; interpret is not there for everyone."""
    from interpret.glassbox import ExplainableBoostingRegressor

    return ExplainableBoostingRegressor(**ADDITIVE, random_state=seed)


def asked_of_additive(seed: int) -> str:
    """What :func:`asked` says of it, even where interpret is not.

    >>> asked_of_additive(3)
    'ExplainableBoostingRegressor(interactions=0, n_jobs=1, random_state=3)'
    """
    settings = {**ADDITIVE, "random_state": seed}
    written = ", ".join(f"{name}={value}" for name, value in settings.items())
    return f"ExplainableBoostingRegressor({written})"


PEERS: dict[str, Maker] = {
    "tree": _tree,
    "ridge": _ridge,
    "forest": _forest,
    "boosting": boosting,
}


def cut_to_size(peer: Any, literals: int) -> Any:
    """A tree with as many leaves as rules have literals: a tree of one leaf says nothing."""
    return peer.set_params(max_leaf_nodes=max(literals, 2))


def asked(peer: Any) -> str:
    """A learner and its settings on one line.

    >>> asked(boosting(3))
    'HistGradientBoostingRegressor(random_state=3)'
    """
    return " ".join(repr(peer).split())


def require_interpret() -> None:
    """Find out before minutes of folds that there is nothing to compare with."""
    if importlib.util.find_spec("interpret") is None:
        raise ModuleNotFoundError(
            "--ebm needs interpret-core: pip install '.[experiments]', or leave it out"
        )
