"""Validate targets: classes or numbers, beyond what scikit-learn's own validation does.

Each function raises an error that says what was needed, what came and what to try.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.multiclass import check_classification_targets

from crisplogic.errors import TableError, TargetWarning
from crisplogic.rules.decision import (
    choose_positive,
    find_label,
    read_threshold,
    require_two,
)
from crisplogic.rules.outliers import asks_for_logarithm, count_outliers, describe_tail
from crisplogic.rules.rule import Label
from crisplogic.rules.transforms import TRANSFORMS
from crisplogic.search import CLASSIFICATION, Classification, Regression, Task
from crisplogic.tables.kinds import is_missing
from crisplogic.weights import rows_that_count, weights_of_rows

Floats = NDArray[np.float64]

# Squares of greater numbers would be infinite.
MAX_NUMBER = 1e100
# So many different whole numbers with fewer rows each than this are rather counts than classes.
MANY_NUMBERS, FEW_ROWS = 16, 50


class Targets(NamedTuple):
    """Validated targets. Shape: ``y`` and ``weights`` (rows,).

    ``y`` are numbers of ``labels``, or numbers to predict, whose name is the one label. The
    ``task`` says what is done with them.
    """

    y: NDArray[Any]
    labels: Sequence[Label]
    weights: Floats | None
    task: Task


def refuse_missing(y: Any) -> None:
    """Refuse missing targets; scikit-learn finds NaN among numbers, but not None in text."""
    if y is None or issparse(y):  # scikit-learn refuses these itself
        return
    missing = _missing(y)
    if missing.any():
        rows = np.flatnonzero(missing)
        raise TableError(
            f"the target is missing in {len(rows)} row(s), the first is row {rows[0]} "
            "(counted from 0); leave these rows out, for example X[y.notna()] and "
            "y[y.notna()]: y contains NaN or None"
        )


def _missing(y: Any) -> NDArray[np.bool_]:
    if hasattr(y, "isna"):
        return np.asarray(y.isna())
    # Objects, unless it is an array already: among texts, numpy makes NaN the text "nan".
    values = y if isinstance(y, np.ndarray) else np.asarray(y, dtype=object)
    if values.dtype != object:
        return np.asarray(values != values)
    return np.array([is_missing(value) for value in values.ravel()], dtype=bool)


def read_classes(
    y: NDArray[Any], sample_weight: Any, class_weight: object, decision: Decision, who: str
) -> tuple[Targets, NDArray[Any]]:
    """Classes as numbers, and the classes that occur in rows of a weight above 0."""
    try:
        check_classification_targets(y)
    except ValueError as reason:
        raise TableError(f"{reason} To predict numbers use LogicRegressor.") from reason
    weights = weights_of_rows(sample_weight, class_weight, y)
    classes = np.unique(y[rows_that_count(weights)])
    if len(classes) < 2:
        where = "" if weights is None else " among the rows with a weight above 0"
        raise TableError(
            f"{who} needs at least 2 classes, got 1 class{where}: {classes.tolist()[0]!r}"
        )
    positions, labels = np.searchsorted(classes, y), classes.tolist()
    rows = rows_that_count(weights)
    # Weights of classes do not make a class more frequent.
    own = weights_of_rows(sample_weight, None, y)
    counts = np.bincount(positions[rows], None if own is None else own[rows])
    task = decision.task(labels, counts.astype(np.float64))
    if y.dtype.kind in "iu":
        _warn_of_counts(len(classes), len(y), who)
    return Targets(positions, labels, weights, task), classes


def _warn_of_counts(classes: int, rows: int, who: str) -> None:
    if classes >= MANY_NUMBERS and rows < FEW_ROWS * classes:
        warnings.warn(
            f"y has {classes} different whole numbers in {rows} rows, and each is learned as a "
            f"class of its own; {who} knows no order of classes. To predict a number use "
            "LogicRegressor, or else turn y into text",
            TargetWarning,
            stacklevel=2,
        )


class Decision(NamedTuple):
    """What a user says about two classes: which is positive, and when it is predicted."""

    positive: Any
    threshold: Any

    def task(self, labels: Sequence[Label], counts: Floats) -> Task:
        """The task for these classes, given how frequent they are."""
        if len(labels) != 2:
            if self.positive is not None or self.threshold is not None:
                given = "positive" if self.positive is not None else "decision_threshold"
                require_two(labels, given)
            return CLASSIFICATION
        place = choose_positive(labels, counts.tolist())
        if self.positive is not None:
            place = find_label(self.positive, labels, "positive")
        if isinstance(self.threshold, str):  # the one word that it may be
            return Classification(place, by_prevalence=True)
        if self.threshold is None:
            return Classification(place)
        return Classification(place, read_threshold(self.threshold, labels, place))


def to_one_type(labels: NDArray[Any]) -> NDArray[Any]:
    """Turn numbers that were kept as objects into numbers; leave text as it is."""
    if labels.dtype.kind in ("m", "M"):
        raise TableError("the classes must be text or numbers, got dates; use y.astype(str)")
    if labels.dtype != object:
        return labels
    types = sorted({type(label).__name__ for label in labels.ravel()})
    if len(types) > 1:
        raise TableError(
            f"the classes must be all text or all numbers, got {' and '.join(types)}; "
            "turn them into text with y.astype(str)"
        )
    return labels if types == ["str"] else np.array(labels.tolist())


def read_numbers(
    y: NDArray[Any], sample_weight: Any, name: str, loss: str, transform: str | None
) -> Targets:
    """Numbers to predict, transformed, and whether their loss has to be a robust one."""
    try:
        numbers = y.astype(np.float64)
    except (TypeError, ValueError) as reason:
        raise TableError(
            f"the target must hold numbers, got {reason}; to predict classes use "
            "LogicClassifier"
        ) from reason
    wrong = np.flatnonzero(~(np.abs(numbers) < MAX_NUMBER))
    if len(wrong):
        raise TableError(
            f"the target must hold finite numbers below {MAX_NUMBER:g} in size, got "
            f"{numbers[wrong[0]]} in row {wrong[0]} (counted from 0): y contains NaN, infinity "
            "or a value too large"
        )
    weights = weights_of_rows(sample_weight, None, numbers)
    if transform is not None:
        numbers = TRANSFORMS[transform].forward(numbers, f"target_transform={transform!r}")
    robust = loss == "huber"
    if loss == "auto":
        rows = rows_that_count(weights)
        robust = _find_tail(numbers[rows], None if weights is None else weights[rows])
    return Targets(numbers, [name], weights, Regression(robust, transform))


def _find_tail(numbers: Floats, weights: Floats | None) -> bool:
    """Whether numbers need a robust loss; warn if so, or if a logarithm would help."""
    outliers = count_outliers(numbers, weights)
    if hint := describe_tail(numbers, weights):
        warnings.warn(
            f"{hint}; "
            + ("loss='huber' is used, so that they do not decide alone; " if outliers else "")
            + (
                "target_transform='log' or 'log1p' may suit y better"
                if asks_for_logarithm(numbers, weights)
                else "loss='squared_error' lets them count in full"
            ),
            TargetWarning,
            stacklevel=2,
        )
    return outliers > 0


def name_of(y: Any) -> str:
    """The name of the column that a number comes from, or y.

    >>> name_of([1.5, 2.5])
    'y'
    """
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else "y"
