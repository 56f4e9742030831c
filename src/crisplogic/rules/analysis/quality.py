"""Quality: how good rules are on some rows and on held-out rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules import ClassificationRules, Frontier, RegressionRules, RuleSet
from crisplogic.rules.analysis.evaluation import evaluate
from crisplogic.rules.checklist import Checklist, normal_form
from crisplogic.rules.describe import has_words
from crisplogic.rules.metrics import majority_error, rmse_of_mean
from crisplogic.rules.targets import Targets

Floats = NDArray[np.float64]
# Two standard errors, about, are 95 % of a normal distribution.
STANDARD_ERRORS = 1.96
# Predictions are gathered in so many groups, unless there are fewer different ones.
MOST_GROUPS = 10


@dataclass(frozen=True)
class HeldOutError:
    """An error on rows that rules were not made from, and a 95 % interval; NaN if not known."""

    error: float = math.nan
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class ClassQuality:
    """A class: its rows, the share of them that is found, and of those said to be it."""

    rows: float
    recall: float
    precision: float


@dataclass(frozen=True)
class Group:
    """Rows of about the same prediction: what is predicted on average, and what is true.

    Of two classes this is the probability of the positive one, of several that of the class
    that is predicted, of a number the number.
    """

    predicted: float
    true: float
    rows: float


@dataclass(frozen=True)
class Quality:
    """Figures of rules on some rows: an error as metrics have it, beside a constant's.

    ``metrics`` are names and numbers as text. ``confusion`` counts true classes (first) that
    are predicted as classes. Without true classes or numbers all but the first two are empty.
    """

    rows: float
    held_out: HeldOutError
    error: float = math.nan
    baseline: float = math.nan
    metrics: tuple[tuple[str, str], ...] = ()
    classes: tuple[ClassQuality, ...] = ()
    confusion: tuple[tuple[float, ...], ...] = ()
    calibration: tuple[Group, ...] = ()


def held_out_error(frontier: Frontier | None, at: int) -> HeldOutError:
    """That of a size of a frontier, by its place there."""
    if frontier is None:
        return HeldOutError()
    error, bounds = frontier[at].held_out_error, frontier.error_bounds()
    if bounds is None:
        return HeldOutError(error)
    if frontier.predicts == "class":
        margin = STANDARD_ERRORS * float(bounds[1, at] - error)
        return HeldOutError(error, max(error - margin, 0.0), min(error + margin, 1.0))
    # The bounds are those of the mean square. A root varies less, by its derivative.
    spread = (bounds[1, at] ** 2 - error**2) / (2 * error) if error else math.nan
    margin = STANDARD_ERRORS * float(spread)
    return HeldOutError(error, max(error - margin, 0.0), error + margin)


def positive_class(rules: RuleSet) -> int | None:
    """The position of the class that two-class rules speak for; None for others."""
    if not isinstance(rules, ClassificationRules) or len(rules.labels) != 2:
        return None
    if has_words(rules):
        form = normal_form(rules)
        return rules.labels.index(form.positive) if isinstance(form, Checklist) else None
    return None if rules.positive is None else rules.labels.index(rules.positive)


def measure_quality(
    rules: RuleSet,
    positive: int | None,
    matrix: Floats,
    targets: Targets[np.float64],
    held_out: HeldOutError,
) -> Quality:
    """Measure rules on rows. ``positive`` is the class that a checklist speaks for, if any."""
    rows = targets.sum_of_weights
    truth, weights = targets.values, targets.weights
    if truth is None or not rows:
        return Quality(rows, held_out)
    found = evaluate(rules, matrix, targets)
    metrics = tuple(
        (line.name, line.format(line.number))
        for line in found.metrics.lines()
        if line.name != "literals"  # the size stands elsewhere
    )
    if isinstance(rules, RegressionRules):
        groups = _groups(found.predicted, truth, weights)
        baseline = rmse_of_mean(truth, weights)
        return Quality(
            rows, held_out, found.metrics.loss, baseline, metrics, calibration=groups
        )
    assert isinstance(rules, ClassificationRules)
    positions = truth.astype(np.intp)
    counts = np.zeros((len(rules.labels), len(rules.labels)))
    np.add.at(counts, (positions, found.predicted), 1.0 if weights is None else weights)
    chances = rules.predict_proba(matrix, coded=True)
    if positive is None:
        sure, hit = chances.max(axis=1), chances.argmax(axis=1) == positions
    else:
        sure, hit = chances[:, positive], positions == positive
    return Quality(
        rows=rows,
        held_out=held_out,
        error=float(np.average(found.off, weights=weights)),
        baseline=majority_error(positions, weights),
        metrics=metrics,
        classes=tuple(_class_quality(counts, at) for at in range(len(counts))),
        confusion=tuple(map(tuple, counts.tolist())),
        calibration=_groups(sure, hit.astype(np.float64), weights),
    )


def _class_quality(counts: Floats, at: int) -> ClassQuality:
    rows, said = float(counts[at].sum()), float(counts[:, at].sum())
    right = float(counts[at, at])
    return ClassQuality(rows, right / rows if rows else math.nan, _share(right, said))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def _groups(predicted: Floats, true: Floats, weights: Floats | None) -> tuple[Group, ...]:
    """Rows by what is predicted: one group a prediction, or groups of as many rows each."""
    weights = np.ones(len(true)) if weights is None else weights
    different, places = np.unique(predicted, return_inverse=True)
    if len(different) > MOST_GROUPS:
        ranks = np.cumsum(np.bincount(places, weights))
        part = np.minimum(ranks * MOST_GROUPS / ranks[-1], MOST_GROUPS) if ranks[-1] else ranks
        places = np.maximum(np.ceil(part).astype(np.intp) - 1, 0)[places]
    groups = []
    for place in np.unique(places):
        here = places == place
        if total := float(weights[here].sum()):
            mean, seen = (
                float(np.average(each[here], weights=weights[here]))
                for each in (predicted, true)
            )
            groups.append(Group(mean, seen, total))
    return tuple(groups)
