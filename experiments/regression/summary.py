"""Figures by table and learner, and differences with their standard errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

import numpy as np

from crisplogic.estimators.cross_validation import corrected_standard_error
from experiments.harness.evaluation import corrected_p_value
from experiments.harness.store import Document
from experiments.regression.tables import SPLITS

# Test rows for each training row in one fold.
TEST_SHARE = 1 / (SPLITS - 1)
# A difference is significant if its p-value is below this.
LEVEL = 0.05

Verdict = Literal["better", "worse", "alike"]
ByLearner = dict[str, list[float]]


@dataclass(frozen=True)
class TableFigures:
    """The figures of one table: one value per fold, in the order of folds.

    ``times`` are times of fits, as multiples of gradient boosting's on the same fold.
    """

    r2: ByLearner = field(default_factory=dict)
    rmse: ByLearner = field(default_factory=dict)
    times: ByLearner = field(default_factory=dict)
    literals: list[int] = field(default_factory=list)
    small_literals: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Mean:
    """A mean over folds and its corrected standard error; a single fold has none."""

    mean: float
    error: float | None


@dataclass(frozen=True)
class Difference:
    """R² of one learner minus that of another, and whether the difference is significant."""

    by: Mean
    verdict: Verdict


def collect(documents: Iterable[Document]) -> dict[str, TableFigures]:
    """Figures by table, from documents of all kinds of tasks."""
    found: dict[str, TableFigures] = {}
    for document in sorted(documents, key=lambda each: int(each["fold"])):
        figures = found.setdefault(document["table"], TableFigures())
        _add(document["figures"], figures)
    return found


def mean(values: Sequence[float]) -> Mean:
    """Mean and corrected standard error.

    >>> mean([0.5])
    Mean(mean=0.5, error=None)
    """
    if len(values) < 2:
        return Mean(fmean(values), None)
    return Mean(fmean(values), corrected_standard_error(np.array(values), TEST_SHARE))


def difference(ours: Sequence[float], others: Sequence[float]) -> Difference:
    """Compare fold by fold: a hard fold is hard for both.

    >>> difference([0.5, 0.6, 0.5], [0.2, 0.3, 0.21]).verdict
    'better'
    """
    by = mean([one - other for one, other in zip(ours, others, strict=True)])
    if corrected_p_value(ours, others, TEST_SHARE) >= LEVEL:
        return Difference(by, "alike")
    return Difference(by, "better" if by.mean > 0 else "worse")


def learner_names(tables: Mapping[str, TableFigures]) -> set[str]:
    """The names of all learners that were measured."""
    return {name for figures in tables.values() for name in figures.r2}


def _add(figures: Document, to: TableFigures) -> None:
    for name, score in figures["scores"].items():
        to.r2.setdefault(name, []).append(score["r2"])
        to.rmse.setdefault(name, []).append(score["rmse"])
    seconds = figures["seconds"]
    for name in figures["scores"].keys() & seconds.keys():
        to.times.setdefault(name, []).append(seconds[name] / seconds["boosting"])
    if "literals" in figures:
        to.literals.append(figures["literals"])
        to.small_literals.append(figures["small_literals"])
