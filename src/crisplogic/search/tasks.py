"""Tasks: what the search does otherwise for classes than for a number."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules import ClassificationRules, Point, RegressionRules, RuleSet
from crisplogic.rules.decision import DIGITS, EVEN, log_odds, probability_of
from crisplogic.rules.frontier import ROBUST, TOLERANCE
from crisplogic.rules.held_out import HeldOut
from crisplogic.rules.metrics import (
    best_scale,
    brier,
    log_losses,
    root_mean_squared_error,
    unit_of,
)
from crisplogic.rules.outliers import is_far
from crisplogic.rules.rule import AnyRules
from crisplogic.rules.transforms import TRANSFORMS
from crisplogic.search.draft import Draft
from crisplogic.search.fit import fit_draft
from crisplogic.search.losses import GaussianLoss, HuberLoss, LogLoss, Loss
from crisplogic.search.moves import improve_votes
from crisplogic.search.points import improve_points
from crisplogic.search.rounding import (
    drop_idle_votes,
    round_class_bias,
    round_draft,
    round_number_bias,
    round_scale,
)
from crisplogic.search.training_set import TrainingSet
from crisplogic.weights import weighted_mean

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HeldOutRows:
    """Predictions for rows that were held out, each by rules that were made without it.

    They may also be those of networks: one "size".

    Shape: ``logits`` (sizes, outputs, rows); ``y``, ``folds`` and ``weights`` (rows,).
    """

    logits: Floats
    y: NDArray[Any]
    folds: NDArray[np.intp]
    weights: Floats | None = None

    @property
    def n_folds(self) -> int:
        """In how many folds rows were held out."""
        return int(self.folds.max()) + 1


# A threshold by prevalence is not nearer to 0 or 1 than this: a part may have one class only.
LEAST_SHARE = 1e-6


class Task(ABC):
    """What is to be predicted, and everything that depends on it."""

    rule_type: ClassVar[type[RuleSet]]
    # The class that rules for two classes speak of.
    positive: int = 1
    # Whether a few outliers among the numbers should not decide alone.
    robust: bool = False

    @property
    def loss_name(self) -> str | None:
        """The loss on held-out rows, if it is not the usual one."""
        return None

    def decision_offsets(self, outputs: int) -> Floats:
        """By how much a logit has to be greater to be the greatest. Shape: (outputs,)."""
        return np.zeros(outputs)

    def learn_from(self, data: TrainingSet) -> Task:
        """The same task with what it has to know of the rows to learn from."""
        return self

    def finish(self, rules: RuleSet) -> RuleSet:
        """Rules of the search, as they are handed to the user."""
        return rules

    @abstractmethod
    def loss(self, data: TrainingSet) -> Loss:
        """The loss on these rows."""

    @abstractmethod
    def improve_votes(self, draft: Draft, data: TrainingSet, steps: int) -> Draft:
        """A draft with votes of a lower loss; ``steps`` to fit it, if that has to be done."""

    @abstractmethod
    def tidy(self, draft: Draft, data: TrainingSet) -> Draft:
        """Round a draft and drop what changes no prediction."""

    @abstractmethod
    def round_bias(self, bias: Floats, scale: float, rounded_scale: float) -> Floats:
        """Round the bias to what is printed. Shape: (outputs,) to (outputs,)."""

    @abstractmethod
    def bias(self, intercepts: Floats, scale: float) -> Floats:
        """The bias of the logits, from the intercepts of rules. Shape: (outputs,)."""

    @abstractmethod
    def intercepts(self, bias: Floats, scale: float) -> Floats:
        """The intercepts of rules, from the bias of the logits. Shape: (outputs,)."""

    @abstractmethod
    def fit_scale(self, rules: RuleSet, data: TrainingSet, pure: bool) -> RuleSet:
        """Rules of a network with a scale that fits the rows."""

    @abstractmethod
    def error(self, rules: RuleSet, data: TrainingSet) -> float:
        """The error of rules on some rows."""

    @abstractmethod
    def held_out_error(self, test: HeldOutRows) -> float:
        """The error of the predictions of one size as they are, for held-out rows."""

    @abstractmethod
    def baseline(self, data: TrainingSet) -> float:
        """The error of the best prediction that is the same for every row."""

    @abstractmethod
    def evaluate(
        self, points: Sequence[Point], test: HeldOutRows, pure: bool = False
    ) -> tuple[list[Point], HeldOut]:
        """The points with how good rules of their sizes were on held-out rows."""


@dataclass(frozen=True)
class Classification(Task):
    """The class with the greatest sum is predicted. Votes are points from -9 to 9, most 1.

    Of two classes, rules speak of the ``positive`` one. It is predicted where its probability
    is at least ``threshold``, or ``by_prevalence``: at least its share of the training rows.
    """

    positive: int = 1
    threshold: float = EVEN
    by_prevalence: bool = False

    rule_type = ClassificationRules

    def decision_offsets(self, outputs: int) -> Floats:
        """The log odds of the threshold, for the positive class. Shape: (classes,)."""
        offsets = np.zeros(outputs)
        if self.threshold != EVEN:
            offsets[self.positive] = log_odds(self.threshold)
        return offsets

    def learn_from(self, data: TrainingSet) -> Classification:
        """The threshold by prevalence in these rows."""
        if not self.by_prevalence:
            return self
        share = float(data.mean(data.y == self.positive))
        return replace(self, threshold=min(max(share, LEAST_SHARE), 1 - LEAST_SHARE))

    def finish(self, rules: RuleSet) -> RuleSet:
        """The rules with their positive class and threshold."""
        if not isinstance(rules, ClassificationRules) or len(rules.labels) != 2:
            return rules
        label = rules.labels[self.positive]
        return rules.with_decision_threshold(self.threshold, label)

    def loss(self, data: TrainingSet) -> LogLoss:
        """The log loss."""
        return LogLoss(data.y, data.weights, data.n_outputs)

    def improve_votes(self, draft: Draft, data: TrainingSet, steps: int) -> Draft:
        """Change single votes and their points."""
        return improve_votes(draft, data)

    def tidy(self, draft: Draft, data: TrainingSet) -> Draft:
        """Round a draft, and drop votes that change no predicted class."""
        return drop_idle_votes(round_draft(draft, data), data)

    def round_bias(self, bias: Floats, scale: float, rounded_scale: float) -> Floats:
        """Round the bias to what is printed. Shape: (classes,) to (classes,)."""
        return round_class_bias(bias, scale, rounded_scale)

    def bias(self, intercepts: Floats, scale: float) -> Floats:
        """Logits are scores times the scale."""
        return intercepts * scale

    def intercepts(self, bias: Floats, scale: float) -> Floats:
        """Scores are logits over the scale."""
        return bias / scale

    def fit_scale(self, rules: RuleSet, data: TrainingSet, pure: bool) -> RuleSet:
        """Rules of a network with the scale of the least log loss, or 1."""
        scores = rules.scores(data.X)
        scale = 1.0 if pure else best_scale(scores, data.y, data.weights)
        return replace(rules, scale=scale)

    def error(self, rules: RuleSet, data: TrainingSet) -> float:
        """The share of wrong classes."""
        scores = self.finish(rules).scores(data.X)
        return float(data.mean(scores.argmax(axis=1) != data.y))

    def held_out_error(self, test: HeldOutRows) -> float:
        """The share of wrong classes.

        >>> logits, y = np.array([[[0.0, 0.0, 0.0], [1.0, -1.0, 3.0]]]), np.array([1, 1, 1])
        >>> test = HeldOutRows(logits, y, np.zeros(3, dtype=int), np.array([1.0, 1.0, 2.0]))
        >>> CLASSIFICATION.held_out_error(test), Classification(1, 0.9).held_out_error(test)
        (0.25, 0.5)
        """
        (errors,) = self._errors(test, np.ones(1))
        return float(weighted_mean(errors, test.weights))

    def baseline(self, data: TrainingSet) -> float:
        """The share of rows outside the most frequent class."""
        counts = np.bincount(data.y, data.weights)
        return float(1 - counts.max() / counts.sum())

    def evaluate(
        self, points: Sequence[Point], test: HeldOutRows, pure: bool = False
    ) -> tuple[list[Point], HeldOut]:
        """By Brier score, under a scale that is fitted to the held-out rows.

        Rules are too sure of rows that they were not made from. So each size gets the scale
        that fits its held-out rows, and its rules keep it, unless they are ``pure``. The
        scale of the size that is best on these rows would still be too sure, because it was
        chosen: all scales are made smaller by what a fold finds that had no part in the choice.
        """
        logits, y, weights = test.logits, test.y, test.weights
        factors = np.array([best_scale(each.T, y, weights) for each in logits])
        losses = np.stack([brier(f * each, y) for f, each in zip(factors, logits, strict=True)])
        errors = self._errors(test, factors)
        held_out = HeldOut.measure(losses, errors, weights, folds=test.n_folds)
        if points[held_out.choose(len(points), TOLERANCE)].size == 0:
            losses, held_out = _rank_instead(test, factors, losses, errors, held_out)
        fitted = factors * _scale_of_choice(test, held_out, losses, errors, factors)
        if self.threshold != EVEN:  # it means other rows under another scale
            errors = self._errors(test, fitted)
            other = HeldOut.measure(losses, errors, weights, folds=test.n_folds)
            held_out = replace(other, rank=held_out.rank)
        rules = [
            point.rules if pure else _rescale(point.rules, factor)
            for point, factor in zip(points, fitted, strict=True)
        ]
        return _evaluated(points, rules, held_out, held_out.errors), held_out

    def _errors(self, test: HeldOutRows, factors: Floats) -> Floats:
        """Where a class is wrong, under these scales. Shape: (sizes,) to (sizes, rows)."""
        offsets = self.decision_offsets(test.logits.shape[1])[:, None]
        predicted = (factors[:, None, None] * test.logits - offsets).argmax(axis=1)
        return np.asarray(predicted != test.y, dtype=np.float64)


@dataclass(frozen=True)
class Regression(Task):
    """The one sum is the number predicted. Votes are points from -9 to 9.

    If it is ``robust``, large errors count less, and root mean squared errors leave out rows
    whose number is far from all others. With a ``transform``, ``y`` is the transformed number;
    errors are in the units of the number itself.
    """

    robust: bool = False
    transform: str | None = None

    rule_type = RegressionRules

    @property
    def loss_name(self) -> str | None:
        """The robust loss, or that of a logarithm."""
        if not self.robust and self.transform is None:
            return None
        name = ROBUST if self.robust else "mean squared error"
        return name if self.transform is None else f"{name} of the logarithm"

    def finish(self, rules: RuleSet) -> RuleSet:
        """The rules with their transform."""
        assert isinstance(rules, RegressionRules)
        return replace(rules, transform=self.transform)

    def loss(self, data: TrainingSet) -> GaussianLoss:
        """The Gaussian negative log-likelihood, or a robust one."""
        return self._loss(data.y, data.weights)

    def _loss(self, y: Floats, weights: Floats | None) -> GaussianLoss:
        return (HuberLoss if self.robust else GaussianLoss)(y, weights)

    def improve_votes(self, draft: Draft, data: TrainingSet, steps: int) -> Draft:
        """Change the points of all terms, and fit the ramps to them."""
        better = improve_points(draft, data)
        unchanged = (better.votes == draft.votes).all()
        return draft if unchanged else fit_draft(better, data, steps)

    def tidy(self, draft: Draft, data: TrainingSet) -> Draft:
        """Round a draft."""
        return round_draft(draft, data)

    def round_bias(self, bias: Floats, scale: float, rounded_scale: float) -> Floats:
        """Round the bias to what is printed. Shape: (1,) to (1,)."""
        return round_number_bias(bias, rounded_scale)

    def bias(self, intercepts: Floats, scale: float) -> Floats:
        """The number is the score."""
        return intercepts

    def intercepts(self, bias: Floats, scale: float) -> Floats:
        """The number is the score."""
        return bias

    def fit_scale(self, rules: RuleSet, data: TrainingSet, pure: bool) -> RuleSet:
        """The same rules: their scale was trained."""
        return rules

    def error(self, rules: RuleSet, data: TrainingSet) -> float:
        """The root mean squared error."""
        return self._rmse(data.y, rules.scores(data.X)[:, 0], data.weights)

    def held_out_error(self, test: HeldOutRows) -> float:
        """The root mean squared error."""
        return self._rmse(test.y, test.logits[0, 0], test.weights)

    def _rmse(self, y: Floats, predicted: Floats, weights: Floats | None) -> float:
        """In the units of the number, without rows that are left out. Shape: (rows,) each."""
        kept = self.rows_that_count(y, weights)
        own = None if weights is None else weights[kept]
        return root_mean_squared_error(
            self.numbers(y[kept]), self.numbers(predicted[kept]), own
        )

    def rows_that_count(self, y: Floats, weights: Floats | None) -> NDArray[np.bool_]:
        """Rows that errors are taken of. Shape: (rows,) to (rows,)."""
        return ~is_far(y, weights) if self.robust else np.ones(len(y), dtype=bool)

    def numbers(self, transformed: Floats) -> Floats:
        """The numbers themselves. Shape: (rows,) to (rows,)."""
        if self.transform is None:
            return transformed
        return TRANSFORMS[self.transform].inverse(transformed)

    def baseline(self, data: TrainingSet) -> float:
        """The root mean squared error of the mean."""
        kept = self.rows_that_count(data.y, data.weights)
        numbers = self.numbers(data.y[kept])
        weights = None if data.weights is None else data.weights[kept]
        mean = np.full(len(numbers), weighted_mean(numbers, weights))
        return root_mean_squared_error(numbers, mean, weights)

    def evaluate(
        self, points: Sequence[Point], test: HeldOutRows, pure: bool = False
    ) -> tuple[list[Point], HeldOut]:
        """By mean squared error, or by the robust loss."""
        predicted, y, weights = test.logits[:, 0], test.y, test.weights
        kept = self.rows_that_count(y, weights)
        errors = (self.numbers(predicted) - self.numbers(y)) * kept
        unit = unit_of(errors)  # squares of squares may be too large for a float
        squares = np.square(errors / unit) / weighted_mean(kept, weights)
        losses = squares
        if self.robust or self.transform is not None:
            loss = self._loss(y, weights)
            losses = loss.row_losses(predicted) * (loss.spread / unit) ** 2
        held_out = HeldOut.measure(losses, squares, weights, unit, test.n_folds)
        rules = [point.rules for point in points]
        return _evaluated(points, rules, held_out, unit * np.sqrt(held_out.errors)), held_out


CLASSIFICATION, REGRESSION = Classification(), Regression()


def task_of(rules: RuleSet) -> Task:
    """The task that rules were made for."""
    return REGRESSION if isinstance(rules, RegressionRules) else CLASSIFICATION


def _rescale(rules: AnyRules, factor: float) -> AnyRules:
    """All logits times a factor, that of a tie included."""
    scaled = replace(rules, scale=round_scale(rules.scale * factor))
    if isinstance(scaled, ClassificationRules) and scaled.tie_probability is not None:
        tie = probability_of(factor * log_odds(scaled.tie_probability))
        return replace(scaled, tie_probability=float(f"{tie:.{DIGITS}g}"))
    return scaled


def _evaluated(
    points: Sequence[Point], rules: Sequence[RuleSet], held_out: HeldOut, errors: Floats
) -> list[Point]:
    """Points with their figures on held-out rows."""
    losses, unit = held_out.losses, held_out.unit**2
    standard_errors = held_out.standard_errors(int(losses.argmin()), len(losses))
    return [
        Point(
            own_rules,
            point.error,
            held_out_error=float(error),
            held_out_loss=unit * float(loss),
            standard_error=unit * float(standard_error),
        )
        for point, own_rules, error, loss, standard_error in zip(
            points, rules, errors, losses, standard_errors, strict=True
        )
    ]


def _rank_instead(
    test: HeldOutRows, factors: Floats, losses: Floats, errors: Floats, held_out: HeldOut
) -> tuple[Floats, HeldOut]:
    """Log losses, if these clearly tell some size from a constant; else what was there.

    Where a class is rare, the best prediction may be the other class for every row, and the
    Brier score hardly tells who is more likely to be of the rare class. The log loss does.
    Shape: ``losses``, ``errors`` (sizes, rows).
    """
    pairs = zip(factors, test.logits, strict=True)
    logs = np.stack([log_losses(f * each, test.y) for f, each in pairs])
    ranked = HeldOut.measure(logs, errors, test.weights, folds=test.n_folds)
    best = int(ranked.losses.argmin())
    gained = ranked.losses[0] - ranked.losses[best]
    if gained <= ranked.standard_errors(best, 1)[0]:
        return losses, held_out
    return logs, replace(ranked, rank=True)


def _scale_of_choice(
    test: HeldOutRows, held_out: HeldOut, losses: Floats, errors: Floats, factors: Floats
) -> float:
    """How much too sure the chosen size is, because it was chosen: a factor of at most 1.

    The other folds choose a size for each fold. One scale for all these choices is compared
    with the scale of the size that all folds choose.
    """
    if test.n_folds < 2:
        return 1.0
    n = len(losses)
    chosen = held_out.choose(n, TOLERANCE)
    joined = test.logits[chosen].copy()
    for fold in range(test.n_folds):
        inside = test.folds == fold
        weights = None if test.weights is None else test.weights[~inside]
        others = HeldOut.measure(losses[:, ~inside], errors[:, ~inside], weights, resamples=0)
        joined[:, inside] = test.logits[others.choose(n, TOLERANCE)][:, inside]
    scale = best_scale(joined.T, test.y, test.weights)
    return min(1.0, scale / float(factors[chosen]))
