"""Rows to learn from: a table and its targets, validated, and how much each row counts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from crisplogic.constraints import Demands
from crisplogic.errors import TableError
from crisplogic.estimators.encoder import FeatureEncoder
from crisplogic.estimators.reading import constraints_of, encoder_for, read_to_learn
from crisplogic.estimators.target_scaler import TargetScaler
from crisplogic.estimators.validation import (
    as_numbers,
    budgets_of,
    name_of,
    of_one_type,
    refuse_missing_targets,
    require_classes,
)
from crisplogic.rules.rule import Label
from crisplogic.search import Sample
from crisplogic.search.sample import centre_and_spread
from crisplogic.training import Targets
from crisplogic.weights import comparable, weights_of_rows

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Rows to learn from, without those that count for nothing.

    ``numbers`` are the places that they have in the table that was given. ``given`` are their
    weights as they came, None if there are none.

    ``table`` is what a learner sees of it, in the words of ``vocabulary``.

    Shape: ``table`` (rows, columns), ``targets``, ``numbers`` and ``given`` (rows,).
    """

    table: Floats
    targets: NDArray[Any]
    numbers: Numbers
    given: Floats | None
    vocabulary: FeatureEncoder
    demands: Demands

    def places_of(self, part: Numbers) -> Numbers:
        """Where rows of the table that was given stand here, in order; some may be left out."""
        part = np.sort(part)
        return np.searchsorted(self.numbers, part[np.isin(part, self.numbers)])

    def sample(self, part: Numbers | slice = slice(None)) -> Sample:
        """A part of the rows, to polish on."""
        columns = np.ascontiguousarray(self.table[part].T)
        crisp = self.vocabulary.crisp if self.vocabulary.indicators else None
        weights = self.weights(part)
        outputs = len(self.labels)
        return Sample(columns, self.targets[part], outputs, weights, crisp, self.demands)

    def weights(self, part: Numbers | slice = slice(None)) -> Floats | None:
        """How much each row of a part counts in it, 1 on average; None if all do the same."""
        given = None if self.given is None else self.given[part]
        return comparable(given, self.targets[part], self.class_weight)

    @property
    def class_weight(self) -> object:
        """What rows count by their class."""
        return None

    @property
    @abstractmethod
    def labels(self) -> Sequence[Label]:
        """What each rule is called that is to be learned."""

    @abstractmethod
    def lesson(self, parts: Sequence[Numbers]) -> Targets:
        """What networks learn, each from one of these parts.

        Shape: returns (rows,), or (parts, rows) where each part has its own.
        """

    def _counted(self) -> Self:
        """Without the rows that count for nothing."""
        if self.given is None or self.given.all():
            return self
        kept = np.flatnonzero(self.given)
        return replace(
            self,
            table=self.table[kept],
            targets=self.targets[kept],
            numbers=self.numbers[kept],
            given=self.given[kept],
        )


@dataclass(frozen=True, eq=False)
class ClassRows(TrainingRows):
    """Rows of classes; ``targets`` are their numbers in ``classes``."""

    classes: NDArray[Any]
    by_class: object

    @classmethod
    def of(cls, estimator: Any, X: Any, y: Any, sample_weight: Any) -> ClassRows:
        """What a classifier is given, validated; it notes the columns."""
        if y is not None and not issparse(y):  # what scikit-learn refuses itself
            refuse_missing_targets(y)
            y = of_one_type(np.asarray(y))
        table, labels, schema = read_to_learn(estimator, X, y, sample_weight)
        require_classes(labels)
        weights = weights_of_rows(sample_weight, estimator.class_weight, labels)
        counts = slice(None) if weights is None else np.flatnonzero(weights)
        classes = np.unique(labels[counts])
        if len(classes) < 2:
            where = "" if weights is None else " among the rows with a weight above 0"
            raise TableError(
                f"{type(estimator).__name__} needs at least 2 classes, "
                f"got 1 class{where}: {classes.tolist()[0]!r}"
            )
        asked = constraints_of(estimator, schema, classes.tolist())
        words = encoder_for(estimator, schema, asked)
        budgets = budgets_of(estimator.max_literals_per_class, classes.tolist())
        return cls(
            table=words.shown(table),
            targets=np.searchsorted(classes, labels),
            numbers=np.arange(len(labels)),
            given=weights,
            vocabulary=words,
            demands=Demands(words.limits(asked), budgets),
            classes=classes,
            by_class=estimator.class_weight,
        )._counted()

    @property
    def class_weight(self) -> object:
        """What rows count by their class."""
        return self.by_class

    @property
    def labels(self) -> list[Label]:
        """The classes."""
        labels: list[Label] = self.classes.tolist()
        return labels

    def lesson(self, parts: Sequence[Numbers]) -> Targets:
        """The numbers of the classes, whatever the part. Shape: (rows,)."""
        return self.targets


@dataclass(frozen=True, eq=False)
class NumberRows(TrainingRows):
    """Rows of numbers, which are called ``name``."""

    name: str

    @classmethod
    def of(cls, estimator: Any, X: Any, y: Any, sample_weight: Any) -> NumberRows:
        """What a regressor is given, validated; it notes the columns."""
        name = name_of(y)
        if y is not None and not issparse(y):
            refuse_missing_targets(y)
        table, targets, schema = read_to_learn(estimator, X, y, sample_weight)
        numbers = as_numbers(targets)
        weights = weights_of_rows(sample_weight, None, numbers)
        asked = constraints_of(estimator, schema, None)
        words = encoder_for(estimator, schema, asked)
        return cls(
            table=words.shown(table),
            targets=numbers,
            numbers=np.arange(len(numbers)),
            given=weights,
            vocabulary=words,
            demands=Demands(words.limits(asked)),
            name=name,
        )._counted()

    @property
    def labels(self) -> list[Label]:
        """The one that there is."""
        return [self.name]

    def unit(self, part: Numbers | slice = slice(None)) -> TargetScaler:
        """The unit of the numbers in a part of the rows."""
        return TargetScaler(*centre_and_spread(self.targets[part], self.weights(part)))

    def lesson(self, parts: Sequence[Numbers]) -> Targets:
        """The numbers in the unit of each part. Shape: (parts, rows)."""
        return np.stack([self.unit(part).counted(self.targets) for part in parts])
