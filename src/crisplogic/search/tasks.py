"""Tasks: what the search does otherwise for classes than for a number."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules import ClassificationRules, Point, RegressionRules, RuleSet
from crisplogic.rules.decision import EVEN, log_odds
from crisplogic.rules.metrics import best_scale, brier, root_mean_squared_error
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


class Task(ABC):
    """What is to be predicted, and everything that depends on it."""

    rule_type: ClassVar[type[RuleSet]]
    # The class that rules for two classes speak of.
    positive: int = 1
    # Whether a few outliers among the numbers should not decide alone.
    robust: bool = False

    def decision_offsets(self, outputs: int) -> Floats:
        """By how much a logit has to be greater to be the greatest. Shape: (outputs,)."""
        return np.zeros(outputs)

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
    def evaluate(
        self,
        points: Sequence[Point],
        logits: Floats,
        y: NDArray[Any],
        weights: Floats | None = None,
        pure: bool = False,
    ) -> list[Point]:
        """The points with how good rules of their sizes were on held-out rows.

        Shape: ``logits`` (sizes, outputs, rows), ``y`` and ``weights`` (rows,).
        """


@dataclass(frozen=True)
class Classification(Task):
    """The class with the greatest sum is predicted. Votes are -1, 0 or 1.

    Of two classes, rules speak of the ``positive`` one. It is predicted where its probability
    is at least ``threshold``.
    """

    positive: int = 1
    threshold: float = EVEN

    rule_type = ClassificationRules

    def decision_offsets(self, outputs: int) -> Floats:
        """The log odds of the threshold, for the positive class. Shape: (classes,)."""
        offsets = np.zeros(outputs)
        if self.threshold != EVEN:
            offsets[self.positive] = log_odds(self.threshold)
        return offsets

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
        """Change single votes."""
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

    def evaluate(
        self,
        points: Sequence[Point],
        logits: Floats,
        y: NDArray[Any],
        weights: Floats | None = None,
        pure: bool = False,
    ) -> list[Point]:
        """By Brier score, under a scale that is fitted to the held-out rows.

        Rules are too sure of rows that they were not made from. So each size gets the scale
        that fits its held-out rows, and its rules keep it, unless they are ``pure``.
        """
        factors = [best_scale(each.T, y, weights) for each in logits]
        scaled = zip(factors, logits, strict=True)
        losses = np.stack([brier(factor * each, y) for factor, each in scaled])
        means, standard_errors = compare_losses(losses, weights)
        offsets = self.decision_offsets(logits.shape[1])[:, None]
        scaled = zip(factors, logits, strict=True)
        predicted = np.stack(
            [(factor * each - offsets).argmax(axis=0) for factor, each in scaled]
        )
        errors = weighted_mean(predicted != y, weights)
        return [
            Point(
                point.rules if pure else _rescale(point.rules, factor),
                point.error,
                held_out_error=float(error),
                held_out_loss=float(mean),
                standard_error=float(standard_error),
            )
            for point, factor, error, mean, standard_error in zip(
                points, factors, errors, means, standard_errors, strict=True
            )
        ]


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

    def evaluate(
        self,
        points: Sequence[Point],
        logits: Floats,
        y: NDArray[Any],
        weights: Floats | None = None,
        pure: bool = False,
    ) -> list[Point]:
        """By mean squared error, or by the robust loss."""
        loss = self._loss(y, weights)
        unit = loss.spread  # squares of squares may be too large for a float
        means, standard_errors = compare_losses(loss.row_losses(logits[:, 0]), weights)
        return [
            Point(
                point.rules,
                point.error,
                held_out_error=self._rmse(y, own[0], weights),
                held_out_loss=unit**2 * float(mean),
                standard_error=unit**2 * float(standard_error),
            )
            for point, own, mean, standard_error in zip(
                points, logits, means, standard_errors, strict=True
            )
        ]


CLASSIFICATION, REGRESSION = Classification(), Regression()


def task_of(rules: RuleSet) -> Task:
    """The task that rules were made for."""
    return REGRESSION if isinstance(rules, RegressionRules) else CLASSIFICATION


def _rescale(rules: AnyRules, factor: float) -> AnyRules:
    return replace(rules, scale=round_scale(rules.scale * factor))


def compare_losses(losses: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """Mean losses of several models, and standard errors of the differences to the best.

    Shape: ``losses`` (models, rows), ``weights`` (rows,); returns two of (models,).
    """
    means = weighted_mean(losses, weights)
    return means, standard_errors_of_means(losses - losses[means.argmin()], weights)


def standard_errors_of_means(values: Floats, weights: Floats | None) -> Floats:
    """Standard errors of the means over rows. Shape: (..., rows) to (...).

    >>> values = np.array([0.0, 0.0, 2.0, 2.0])
    >>> weighted = standard_errors_of_means(values, np.full(4, 4.0))
    >>> float(standard_errors_of_means(values, None)), float(weighted)
    (0.5, 0.25)
    """
    if weights is None:
        return np.asarray(values.std(axis=-1) / np.sqrt(values.shape[-1]))
    deviations = values - weighted_mean(values, weights)[..., None]
    return np.asarray(np.sqrt(weighted_mean(np.square(deviations), weights) / weights.sum()))
