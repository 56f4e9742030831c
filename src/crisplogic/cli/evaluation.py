"""How good rules are on rows they were not learned from: repeated cross-validation."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student
from sklearn.model_selection import RepeatedStratifiedKFold

from crisplogic.cross_validation import corrected_standard_error, cross_validate
from crisplogic.errors import TableError
from crisplogic.estimators import LogicClassifier
from crisplogic.tables import Columns

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


def estimate(values: Floats, folds: int) -> Estimate:
    """The mean of errors and its 95 % interval, by the corrected t-test of Nadeau and Bengio.

    >>> found = estimate(np.array([0.1, 0.2, 0.1, 0.2]), folds=4)
    >>> [round(value, 3) for value in (found.low, found.mean, found.high)]
    [0.01, 0.15, 0.29]
    """
    error = corrected_standard_error(values, test_share=1 / (folds - 1))
    reach = float(student.ppf((1 + CONFIDENCE) / 2, len(values) - 1)) * error
    mean = float(values.mean())
    return Estimate(mean, max(0.0, mean - reach), min(1.0, mean + reach))


@dataclass(frozen=True)
class Evaluation:
    """What repeated cross-validation found; ``recalls`` are by class, with its rows."""

    rows: int
    folds: int
    repeats: int
    error: Estimate
    network_error: Estimate
    guessing: float
    literals: tuple[float, int, int]
    recalls: tuple[tuple[str, int, float], ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it."""
        mean, least, most = self.literals
        return {
            "rows": self.rows,
            "folds": self.folds,
            "repeats": self.repeats,
            "confidence": CONFIDENCE,
            "error": self.error.to_dict(),
            "network_error": self.network_error.to_dict(),
            "error_of_guessing": self.guessing,
            "literals": {"mean": mean, "least": least, "most": most},
            "classes": [
                {"class": label, "rows": rows, "recall": recall}
                for label, rows, recall in self.recalls
            ],
        }

    def to_text(self) -> str:
        """As a person reads it."""
        mean, least, most = self.literals
        times = "once" if self.repeats == 1 else f"{self.repeats} times"
        lines = [
            f"{self.rows} rows, {self.folds} folds, {times}; on rows not learned from:",
            "",
            f"error of the rules    {_shown(self.error)}",
            f"error of the network  {_shown(self.network_error)}",
            f"always the most frequent class: {self.guessing:.1%}",
            f"literals  {mean:.1f} on average, {least} to {most}",
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
    classifier: LogicClassifier,
    table: Columns,
    labels: NDArray[np.str_],
    folds: int,
    repeats: int,
    seed: int,
) -> Evaluation:
    """Cross-validate, all folds of all repeats trained at once."""
    classes, counts = np.unique(labels, return_counts=True)
    _check_folds(classes, counts, folds)
    splitter = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=seed)
    with warnings.catch_warnings():  # a class of fewer rows than folds is tried in some alone
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        splits = list(splitter.split(np.empty(len(labels)), labels))
    scores = cross_validate(classifier, table, labels, cv=splits, return_estimator=True)
    sizes = scores["literals"]
    return Evaluation(
        rows=len(labels),
        folds=folds,
        repeats=repeats,
        error=estimate(1 - scores["test_score"], folds),
        network_error=estimate(1 - scores["network_test_score"], folds),
        guessing=float(1 - counts.max() / counts.sum()),
        literals=(float(sizes.mean()), int(sizes.min()), int(sizes.max())),
        recalls=_recalls(scores["estimator"], table, labels, [test for _, test in splits]),
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
    fitted: list[LogicClassifier],
    table: Columns,
    labels: NDArray[np.str_],
    tests: list[NDArray[np.intp]],
) -> tuple[tuple[str, int, float], ...]:
    classes, targets, counts = np.unique(labels, return_inverse=True, return_counts=True)
    found = np.zeros(len(classes))
    tried = np.zeros(len(classes))
    for one, test in zip(fitted, tests, strict=True):
        right = one.rules_.predict(table.taken(test)) == labels[test]
        found += np.bincount(targets[test], weights=right, minlength=len(classes))
        tried += np.bincount(targets[test], minlength=len(classes))
    shares = (found / tried).tolist()
    return tuple(zip(classes.tolist(), counts.tolist(), shares, strict=True))
