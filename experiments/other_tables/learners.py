"""The other learners, for classes and for a number, and how their tables are encoded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

SMALL, LARGE = 8, 32  # leaves
RIDGE_PENALTIES = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)

# From a seed to a learner that is not fitted yet.
Maker = Callable[[int], Any]


def _encoded(learner: Any) -> Any:
    """Categories as columns of 0 and 1; trees know what to do with gaps."""
    return make_pipeline(_encoder("passthrough"), learner)


def _filled(learner: Any) -> Any:
    """Gaps filled with medians and marked, columns scaled."""
    numbers = make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True), StandardScaler()
    )
    return make_pipeline(_encoder(numbers), learner)


def _encoder(numbers: Any) -> Any:
    words = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer(
        (words, make_column_selector(dtype_exclude="number")), remainder=numbers
    )


CLASS_PEERS: dict[str, Maker] = {
    "small tree": lambda seed: _encoded(
        DecisionTreeClassifier(max_leaf_nodes=SMALL, random_state=seed)
    ),
    "large tree": lambda seed: _encoded(
        DecisionTreeClassifier(max_leaf_nodes=LARGE, random_state=seed)
    ),
    "linear": lambda seed: _filled(LogisticRegression(max_iter=5000)),
    "boosting": lambda seed: _encoded(HistGradientBoostingClassifier(random_state=seed)),
}
NUMBER_PEERS: dict[str, Maker] = {
    "small tree": lambda seed: _encoded(
        DecisionTreeRegressor(max_leaf_nodes=SMALL, random_state=seed)
    ),
    "large tree": lambda seed: _encoded(
        DecisionTreeRegressor(max_leaf_nodes=LARGE, random_state=seed)
    ),
    "linear": lambda seed: _filled(RidgeCV(alphas=RIDGE_PENALTIES)),
    "boosting": lambda seed: _encoded(HistGradientBoostingRegressor(random_state=seed)),
}


def describe(learner: Any) -> str:
    """A learner and its settings on one line, without how its table is encoded.

    >>> describe(CLASS_PEERS["boosting"](3))
    'HistGradientBoostingClassifier(random_state=3)'
    """
    return " ".join(repr(learner[-1]).split())


def size_of(learner: Any) -> int | None:
    """The questions of a fitted tree; other learners have no size that people count."""
    last = learner[-1]
    return int(last.get_n_leaves()) - 1 if hasattr(last, "get_n_leaves") else None
