"""Rows to learn from: a table and its classes, validated, and how much each row counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.multiclass import check_classification_targets

from crisplogic.errors import TableError
from crisplogic.estimators.reading import read_to_learn
from crisplogic.estimators.validation import of_one_type, refuse_missing_targets
from crisplogic.polish import Sample
from crisplogic.vocabulary import Vocabulary
from crisplogic.weights import comparable, weights_of_rows

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Rows to learn from, without those that count for nothing.

    ``numbers`` are the places that they have in the table that was given. ``given`` are their
    weights as they came, None if there are none.

    ``table`` is what a learner sees of it, in the words of ``vocabulary``.

    Shape: ``table`` (rows, columns), ``targets``, ``numbers`` and ``given`` (rows,), with
    numbers of ``classes`` in ``targets``.
    """

    table: Floats
    classes: NDArray[Any]
    targets: Numbers
    numbers: Numbers
    given: Floats | None
    class_weight: object
    vocabulary: Vocabulary

    @classmethod
    def of(cls, estimator: Any, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """What an estimator is given, validated; it notes the columns."""
        table, labels = _validated_rows(estimator, X, y)
        weights = weights_of_rows(sample_weight, estimator.class_weight, labels)
        numbers = np.arange(len(labels))
        if weights is not None and not weights.all():
            numbers = np.flatnonzero(weights)
            table, labels, weights = table[numbers], labels[numbers], weights[numbers]
        classes, targets = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            where = "" if weights is None else " among the rows with a weight above 0"
            raise TableError(
                f"{type(estimator).__name__} needs at least 2 classes, "
                f"got 1 class{where}: {classes.tolist()[0]!r}"
            )
        vocabulary: Vocabulary = estimator.vocabulary_
        shown, class_weight = vocabulary.shown(table), estimator.class_weight
        return cls(shown, classes, targets, numbers, weights, class_weight, vocabulary)

    def places_of(self, part: Numbers) -> Numbers:
        """Where rows of the table that was given stand here, in order; some may be left out."""
        part = np.sort(part)
        return np.searchsorted(self.numbers, part[np.isin(part, self.numbers)])

    def weights(self, part: Numbers | slice = slice(None)) -> Floats | None:
        """How much each row of a part counts in it, 1 on average; None if all do the same."""
        given = None if self.given is None else self.given[part]
        return comparable(given, self.targets[part], self.class_weight)

    def sample(self, part: Numbers | slice = slice(None)) -> Sample:
        """A part of the rows, to polish on."""
        columns = np.ascontiguousarray(self.table[part].T)
        crisp = self.vocabulary.crisp if self.vocabulary.indicators else None
        weights = self.weights(part)
        return Sample(columns, self.targets[part], len(self.classes), weights, crisp)


def _validated_rows(estimator: Any, X: Any, y: Any) -> tuple[Floats, NDArray[Any]]:
    if y is not None and not issparse(y):  # what scikit-learn refuses itself
        refuse_missing_targets(y)
        y = of_one_type(np.asarray(y))
    table, labels = read_to_learn(estimator, X, y)
    check_classification_targets(labels)
    return table, labels
