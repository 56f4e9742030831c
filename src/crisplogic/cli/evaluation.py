"""Estimates: means over folds, with honest intervals."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student
from sklearn.model_selection import RepeatedStratifiedKFold

from crisplogic.cli.tables import Material
from crisplogic.errors import TableError
from crisplogic.estimators.base import LogicEstimator
from crisplogic.estimators.cross_validation import corrected_standard_error, cross_validate

Floats = NDArray[np.float64]
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean over folds, and between what the truth most likely is."""

    mean: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float]:
        """As JSON knows it."""
        return {"mean": self.mean, "low": self.low, "high": self.high}


def estimate(
    values: Floats, folds: int, least: float = -math.inf, most: float = math.inf
) -> Estimate:
    """The mean and its 95 % interval, by the corrected t-test of Nadeau and Bengio.

    No interval reaches below what is the ``least`` or above what is the ``most``.

    >>> found = estimate(np.array([0.1, 0.2, 0.1, 0.2]), folds=4)
    >>> [round(value, 3) for value in (found.low, found.mean, found.high)]
    [0.01, 0.15, 0.29]
    """
    error = corrected_standard_error(values, test_share=1 / (folds - 1))
    reach = float(student.ppf((1 + CONFIDENCE) / 2, len(values) - 1)) * error
    mean = float(values.mean())
    return Estimate(mean, max(least, mean - reach), min(most, mean + reach))


@dataclass(frozen=True)
class Trial:
    """What cross-validation is made of: so many rows in so many folds, some times over."""

    rows: int
    folds: int
    repeats: int

    def to_dict(self) -> dict[str, float]:
        """As JSON knows it."""
        return {
            "rows": self.rows,
            "folds": self.folds,
            "repeats": self.repeats,
            "confidence": CONFIDENCE,
        }

    def to_text(self) -> str:
        """A heading for what was found."""
        times = "once" if self.repeats == 1 else f"{self.repeats} times"
        return f"{self.rows} rows, {self.folds} folds, {times}; on rows not learned from:"


@dataclass(frozen=True)
class Sizes:
    """How many literals rules of different folds have."""

    mean: float
    least: int
    most: int

    @classmethod
    def of(cls, literals: NDArray[np.intp]) -> Sizes:
        """Those of some rules. Shape: (rules,)."""
        return cls(float(literals.mean()), int(literals.min()), int(literals.max()))

    def to_dict(self) -> dict[str, float]:
        """As JSON knows it."""
        return {"mean": self.mean, "least": self.least, "most": self.most}

    def to_text(self) -> str:
        """A line for a person to read."""
        return f"literals  {self.mean:.1f} on average, {self.least} to {self.most}"


@dataclass(frozen=True)
class Evaluation:
    """What repeated cross-validation found; ``recalls`` are by class, with its rows."""

    trial: Trial
    error: Estimate
    network_error: Estimate
    guessing: float
    literals: Sizes
    recalls: tuple[tuple[str, int, float], ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it."""
        return {
            **self.trial.to_dict(),
            "error": self.error.to_dict(),
            "network_error": self.network_error.to_dict(),
            "error_of_guessing": self.guessing,
            "literals": self.literals.to_dict(),
            "classes": [
                {"class": label, "rows": rows, "recall": recall}
                for label, rows, recall in self.recalls
            ],
        }

    def to_text(self) -> str:
        """As a person reads it."""
        lines = [
            self.trial.to_text(),
            "",
            f"error of the rules    {_shown(self.error)}",
            f"error of the network  {_shown(self.network_error)}",
            f"always the most frequent class: {self.guessing:.1%}",
            self.literals.to_text(),
            "",
            "class by class, the share of its rows that is found:",
        ]
        width = max(len(label) for label, _, _ in self.recalls)
        lines += [
            f"  {label:<{width}}  {recall:>6.1%} of {rows}"
            for label, rows, recall in self.recalls
        ]
        return "\n".join(lines)


def _shown(found: Estimate) -> str:
    return (
        f"{found.mean:.1%}  ({found.low:.1%} to {found.high:.1%} with {CONFIDENCE:.0%} "
        "confidence)"
    )


def evaluated(
    classifier: LogicEstimator, material: Material, folds: int, repeats: int, seed: int
) -> Evaluation:
    """Cross-validate, all folds of all repeats trained at once."""
    labels, weights = material.y, material.weights
    classes, places, counts = np.unique(labels, return_inverse=True, return_counts=True)
    _check_folds(classes, counts, folds)
    splitter = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=seed)
    with warnings.catch_warnings():  # a class of fewer rows than folds is tried in some alone
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        splits = list(splitter.split(np.empty(len(labels)), labels))
    scores = cross_validate(
        classifier,
        material.columns,
        labels,
        cv=splits,
        sample_weight=weights,
        return_estimator=True,
    )
    counted = np.bincount(places, weights)
    recalls = _recalls(scores["estimator"], material, [test for _, test in splits])
    return Evaluation(
        Trial(len(labels), folds, repeats),
        error=estimate(1 - scores["test_score"], folds, least=0.0, most=1.0),
        network_error=estimate(1 - scores["network_test_score"], folds, least=0.0, most=1.0),
        guessing=float(1 - counted.max() / counted.sum()),
        literals=Sizes.of(scores["literals"]),
        recalls=tuple(zip(classes.tolist(), counts.tolist(), recalls, strict=True)),
    )


def _check_folds(classes: NDArray[np.str_], counts: NDArray[np.intp], folds: int) -> None:
    rarest = int(counts.argmin())
    if counts[rarest] < 2 or folds > counts.max():
        raise TableError(
            f"to learn from some rows of a class and try on others, each needs 2 rows or more "
            f"and one as many as there are folds ({folds}); {str(classes[rarest])!r} has "
            f"{counts[rarest]}, {str(classes[int(counts.argmax())])!r} {counts.max()}; use "
            "fewer --folds, or leave rare classes out"
        )


def _recalls(
    fitted: list[LogicEstimator], material: Material, tests: list[NDArray[np.intp]]
) -> list[float]:
    """The share of the rows of each class that is found, a row as much as it counts."""
    labels = material.y
    weights = np.ones(len(labels)) if material.weights is None else material.weights
    classes, places = np.unique(labels, return_inverse=True)
    found, tried = np.zeros((2, len(classes)))
    for one, test in zip(fitted, tests, strict=True):
        right = one.rules_.predict(material.columns.take(test)) == labels[test]
        found += np.bincount(places[test], right * weights[test], len(classes))
        tried += np.bincount(places[test], weights[test], len(classes))
    shares: list[float] = (found / tried).tolist()
    return shares
