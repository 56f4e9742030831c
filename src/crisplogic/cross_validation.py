"""Cross-validation with all folds trained at once."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterGrid, check_cv

from crisplogic.estimators import LogicClassifier


def cross_validate(
    classifier: LogicClassifier,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    prices: Mapping[str, Sequence[float]] | None = None,
    return_estimator: bool = False,
) -> dict[str, Any]:
    """How good rules learned from one part of a table are on the rest of it, fold by fold.

    Like scikit-learn's function of this name, and much quicker: the networks of all folds
    learn side by side. ``cv`` is a number of stratified folds or any splitter of
    scikit-learn. ``classifier`` stays unfitted. ``prices`` is a grid of values of ``l1`` and
    ``literal_price`` to try, all of them side by side, too.

    Returns a dictionary of arrays, one value a fold: ``test_score`` and ``train_score``, the
    share of rows that the rules predict rightly; ``network_test_score``, the same of the soft
    network; ``literals`` in all rules together; ``fit_time``, the mean of all folds. With
    ``return_estimator=True`` also ``estimator``, a list. With ``prices`` there is such a
    value for every fold of the first point of the grid, then for those of the second, and
    so on, and ``params`` says which point.

    >>> from sklearn.datasets import load_iris
    >>> quick = LogicClassifier(epochs=5, restarts=1, folds=0, random_state=0)
    >>> scores = cross_validate(quick, *load_iris(return_X_y=True), cv=3)
    >>> scores["test_score"].shape
    (3,)
    """
    points = list(ParameterGrid(prices or {}))
    splits = list(check_cv(cv, y, classifier=True).split(X, y)) * len(points)
    params = [point for point in points for _ in range(len(splits) // len(points))]
    began = time.perf_counter()
    fitted = classifier.fit_parts(X, y, [train for train, _ in splits], params)
    fit_time = (time.perf_counter() - began) / len(splits)
    labels = np.asarray(y)
    scores: dict[str, list[Any]] = {
        "test_score": [],
        "train_score": [],
        "network_test_score": [],
        "literals": [],
    }
    for one, (_, test) in zip(fitted, splits, strict=True):
        rows = _rows(X, test)
        scores["test_score"].append(one.score(rows, labels[test]))
        scores["train_score"].append(1 - one.snap_report_.rules_error)
        scores["network_test_score"].append(_network_score(one, rows, labels[test]))
        scores["literals"].append(one.rules_.size)
    found: dict[str, Any] = {name: np.array(values) for name, values in scores.items()}
    found["fit_time"] = np.full(len(splits), fit_time)
    if prices is not None:
        found["params"] = params
    if return_estimator:
        found["estimator"] = fitted
    return found


def _rows(X: Any, numbers: Any) -> Any:
    return X.iloc[numbers] if hasattr(X, "iloc") else np.asarray(X)[numbers]


def _network_score(classifier: LogicClassifier, rows: Any, labels: Any) -> float:
    chosen = classifier.predict_with
    try:
        return float(classifier.set_params(predict_with="network").score(rows, labels))
    finally:
        classifier.set_params(predict_with=chosen)
