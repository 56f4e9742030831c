"""How rules of every size do on held-out rows, and how much choosing a size flatters them.

The size that is best on held-out rows owes that partly to chance: the least of many figures is
too good. Resampled rows tell by how much. A size is chosen on the rows that are drawn, and
tested on those that are not (bootstrap bias corrected cross-validation: I. Tsamardinos,
E. Greasidou and G. Borboudakis, Machine Learning 107, 2018).

Resampling takes rows for independent. But the rules of different folds were made from mostly
the same rows, so their figures go up and down together: the variance of a mean over k folds is
larger by a factor of 1 + k / (k - 1) (C. Nadeau and Y. Bengio, Inference for the
Generalization Error, Machine Learning 52, 2003). Luck and standard errors are larger by the
root of that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.weights import weighted_mean

Floats = NDArray[np.float64]

RESAMPLES = 100
# How many standard errors worse than the least a size may be that errs no more often.
READER_TOLERANCE = 1.0
# A loss above the least one by this share of the greatest is as good.
NEGLIGIBLE = 1e-4


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Mean losses and errors of every size, on held-out rows and on resamples of them.

    A size is chosen by its loss. An error is what is shown of a row: 1 if a class is wrong, or
    the squared error of a number, in units of ``unit``. Rows were held out in so many
    ``folds``; 0 if no rules were made from them. If sizes only ``rank`` rows, as where a class
    is so rare that it is never predicted, errors do not tell them apart: losses do alone.

    Shape: ``losses`` and ``errors`` (sizes,); ``covariance`` (sizes, sizes), that of the mean
    losses; ``drawn_losses``, ``drawn_errors`` and ``left_out_errors`` (resamples, sizes), those
    of the rows that a resample draws, and of the others.
    """

    losses: Floats
    errors: Floats
    covariance: Floats
    drawn_losses: Floats
    drawn_errors: Floats
    left_out_errors: Floats
    unit: float = 1.0
    folds: int = 0
    rank: bool = False

    @classmethod
    def measure(
        cls,
        losses: Floats,
        errors: Floats,
        weights: Floats | None = None,
        unit: float = 1.0,
        folds: int = 0,
        resamples: int = RESAMPLES,
    ) -> HeldOut:
        """Measure from the losses and errors of every row; a row of weight 2 is two rows.

        Shape: ``losses`` and ``errors`` (sizes, rows), ``weights`` (rows,).

        >>> losses = np.array([[1.0, 3.0, 1.0, 3.0], [2.0, 2.0, 2.0, 2.0]])
        >>> held_out = HeldOut.measure(losses, losses)
        >>> held_out.losses.tolist(), held_out.standard_errors(1, 2).tolist()
        ([2.0, 2.0], [0.5, 0.0])
        """
        means, mean_errors = weighted_mean(losses, weights), weighted_mean(errors, weights)
        drawn = np.empty((3, resamples, len(losses)))
        draws = _resamples(losses.shape[1], weights, resamples)
        for number, (inside, outside) in enumerate(draws):
            drawn[:, number] = losses @ inside, errors @ inside, errors @ outside
        covariance = _covariance_of_means(losses - means[:, None], weights)
        return cls(means, mean_errors, covariance, drawn[0], drawn[1], drawn[2], unit, folds)

    def standard_errors(self, best: int, sizes: int) -> Floats:
        """Standard errors of the differences between the losses of the first sizes and one."""
        variances = self.covariance.diagonal()
        differences = variances + variances[best] - 2 * self.covariance[best]
        return np.asarray(self._inflation * np.sqrt(np.maximum(differences[:sizes], 0.0)))

    def error_bounds(self) -> Floats:
        """Each error less and plus its standard error, over the resamples.

        Shape: (2, sizes).
        """
        spread = self._inflation * self.drawn_errors.std(axis=0)
        return np.stack([np.maximum(self.errors - spread, 0.0), self.errors + spread])

    def choose(self, sizes: int, tolerance: float) -> int:
        """The place of the chosen size, among the first sizes."""
        return self._choose(self.losses, self.errors, sizes, tolerance)

    def optimism(self, sizes: int, tolerance: float) -> float:
        """How much too small the error of the chosen size is, because it was chosen.

        On noise a size is chosen that has been lucky:

        >>> rows = np.random.default_rng(0).integers(0, 2, size=(20, 100)).astype(float)
        >>> held_out = HeldOut.measure(rows, rows)
        >>> bool(held_out.errors[held_out.choose(20, 0.0)] < 0.45)
        True
        >>> bool(held_out.optimism(20, 0.0) > 0.05)
        True
        """
        pairs = zip(self.drawn_losses, self.drawn_errors, strict=True)
        places = [self._choose(*figures, sizes, tolerance) for figures in pairs]
        unseen = self.left_out_errors[np.arange(len(places)), places].mean()
        chosen = self.errors[self.choose(sizes, tolerance)]
        return max(0.0, float(unseen - chosen)) * self._inflation

    @property
    def _inflation(self) -> float:
        """By which factor figures vary more than those of independent rows."""
        return math.sqrt(1 + (self.folds / (self.folds - 1) if self.folds > 1 else 0.0))

    def _choose(self, losses: Floats, errors: Floats, sizes: int, tolerance: float) -> int:
        losses, errors = losses[:sizes], errors[:sizes]
        best = int(losses.argmin())
        standard_errors = self.standard_errors(best, sizes)
        errors = np.arange(sizes, 0, -1.0)[: len(errors)] if self.rank else errors
        return choose_size(losses, errors, standard_errors, tolerance)


def _resamples(
    rows: int, weights: Floats | None, resamples: int
) -> Iterator[tuple[Floats, Floats]]:
    """The share of every row among those drawn, and among the others, time after time.

    Shape: (rows,) each.
    """
    generator = np.random.default_rng(0)
    own = np.ones(rows) if weights is None else weights
    for _ in range(resamples):
        times = np.bincount(generator.integers(rows, size=rows), minlength=rows)
        left_out = times == 0 if not times.all() else times > 0  # tiny tables may have none
        inside, outside = own * times, own * left_out
        yield inside / inside.sum(), outside / outside.sum()


def _covariance_of_means(centred: Floats, weights: Floats | None) -> Floats:
    """Shape: (sizes, rows) to (sizes, sizes)."""
    if weights is None:
        return np.asarray(centred @ centred.T / centred.shape[1] ** 2)
    return np.asarray((centred * weights) @ centred.T / weights.sum() ** 2)


def choose_size(
    losses: Floats, errors: Floats, standard_errors: Floats, tolerance: float
) -> int:
    """The place of the smallest size that is nearly as good as the best.

    Its loss is above the least one by at most ``tolerance`` standard errors. An even smaller
    size is chosen if it errs no more often: nobody would take larger rules that err more.

    Shape: (sizes,) each, the smallest size first.

    >>> choose_size(np.array([0.3, 0.2, 0.1]), np.array([0.5, 0.3, 0.3]), np.full(3, 0.1), 0.5)
    1
    """
    above = losses - losses.min() - NEGLIGIBLE * float(np.abs(losses).max())
    first = int(np.flatnonzero(above <= tolerance * standard_errors)[0])
    as_good = (above <= READER_TOLERANCE * standard_errors) & (errors <= errors[first])
    as_good[first] = True
    return int(np.flatnonzero(as_good)[0])
