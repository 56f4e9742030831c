"""SnapReport: what snapping did to a network, in numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules.metrics import r_squared, root_mean_squared_error
from crisplogic.rules.number_format import four_digits

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LevelMoves:
    """How far each parameter of one logic level moved: its snapped value less its value before.

    Shape: ``alpha`` (pairs,), ``weight`` (outputs, pairs).
    """

    alpha: Floats
    weight: Floats

    def to_text(self) -> str:
        """How many parameters moved, and how far."""
        return f"{_describe('alpha', self.alpha)}; {_describe('weight', self.weight)}"


@dataclass(frozen=True, eq=False)
class SnappedLevel:
    """The parameters of one logic level before and after snapping.

    Shape: alphas (pairs,), weights (outputs, pairs).
    """

    alpha_before: Floats
    alpha_after: Floats
    weight_before: Floats
    weight_after: Floats


@dataclass(frozen=True, eq=False)
class SnapReport(ABC):
    """Network and rules compared on ``rows`` rows. Where rows have weights, these count."""

    levels: tuple[LevelMoves, ...]
    rows: int
    network_error: float
    rules_error: float

    @property
    def left_out(self) -> int:
        """How many training rows the figures leave out."""
        return 0

    @abstractmethod
    def _errors(self) -> list[str]:
        """Lines about the errors of network and rules."""

    @abstractmethod
    def _constant(self) -> str | None:
        """What the rules predict, if that is the same for every row."""

    @property
    def remark(self) -> str | None:
        """What a user must know: that the rules predict the same for every row, and why."""
        constant = self._constant()
        return f"the rules predict {constant} only: {self._reason()}" if constant else None

    def to_text(self) -> str:
        """A few lines for a person to read."""
        moves = (f"level {n}: {level.to_text()}" for n, level in enumerate(self.levels, 1))
        lines = [*self._errors(), *moves]
        if self.remark:
            lines.append(self.remark)
        return "\n".join(lines)

    def _reason(self) -> str:
        """Why the rules may predict the same for every row."""
        if self.rules_error > self.network_error:
            return "snapping lost what was learned"
        depth = "less depth, " if len(self.levels) > 1 else ""
        return (
            f"the network learned no more; try {depth}more epochs, or columns that tell more "
            "about the target"
        )

    def __str__(self) -> str:
        return self.to_text()


@dataclass(frozen=True, eq=False)
class ClassSnapReport(SnapReport):
    """Network and rules that predict classes.

    Errors are shares of wrong predictions. ``agreement`` is the share of rows on which network
    and rules predict the same class. ``classes_predicted`` counts the classes that the rules
    predict at all. If it is 1, the rules say nothing.
    """

    agreement: float
    classes_predicted: int

    @classmethod
    def compare(
        cls,
        levels: tuple[LevelMoves, ...],
        by_network: NDArray[np.intp],
        by_rules: NDArray[np.intp],
        targets: NDArray[np.intp],
        weights: Floats | None = None,
    ) -> ClassSnapReport:
        """From the predictions of network and rules. Shape: (rows,) each.

        >>> network, rules, truth = np.array([[0, 1, 1], [0, 0, 1], [0, 1, 0]])
        >>> weights = np.array([1.0, 2.0, 1.0])
        >>> ClassSnapReport.compare((), network, rules, truth, weights).agreement
        0.5
        """

        def share(holds: NDArray[np.bool_]) -> float:
            return float(np.average(holds, weights=weights))

        return cls(
            levels=levels,
            rows=len(targets),
            network_error=share(by_network != targets),
            rules_error=share(by_rules != targets),
            agreement=share(by_rules == by_network),
            classes_predicted=len(np.unique(by_rules)),
        )

    def _errors(self) -> list[str]:
        return [
            f"error on the {self.rows} training rows: network {self.network_error:.2%}, "
            f"rules {self.rules_error:.2%}",
            f"network and rules agree on {self.agreement:.2%} of them",
        ]

    def _constant(self) -> str | None:
        return "one class" if self.classes_predicted == 1 else None


@dataclass(frozen=True, eq=False)
class NumberSnapReport(SnapReport):
    """Network and rules that predict a number.

    Errors are root mean squared errors in the units of the number, and so is ``difference``,
    between network and rules. Each has an R², the share of the variance that it explains.
    ``numbers_predicted`` counts the distinct numbers that the rules predict. If it is 1, the
    rules say nothing. ``far`` counts the training rows whose number is far from all others;
    where the loss is robust, these are ``left_out`` of all figures.
    """

    difference: float
    network_r2: float
    rules_r2: float
    numbers_predicted: int
    far: int = 0
    left_out: int = 0

    @classmethod
    def compare(
        cls,
        levels: tuple[LevelMoves, ...],
        by_network: Floats,
        by_rules: Floats,
        targets: Floats,
        weights: Floats | None = None,
        far: int = 0,
        left_out: int = 0,
    ) -> NumberSnapReport:
        """From the predictions of network and rules. Shape: (rows,) each.

        >>> network, rules, truth = np.array([[1.0, 2, 3], [2, 2, 2], [1, 2, 4]])
        >>> print(NumberSnapReport.compare((), network, rules, truth))
        root mean squared error on the 3 training rows: network 0.5774, rules 1.291
        network and rules differ by 0.8165, in root mean square
        R²: network 0.7857, rules -0.07143
        the rules predict one number only: snapping lost what was learned
        """
        return cls(
            levels=levels,
            rows=len(targets),
            network_error=root_mean_squared_error(targets, by_network, weights),
            rules_error=root_mean_squared_error(targets, by_rules, weights),
            difference=root_mean_squared_error(by_network, by_rules, weights),
            network_r2=r_squared(targets, by_network, weights),
            rules_r2=r_squared(targets, by_rules, weights),
            numbers_predicted=len(np.unique(by_rules)),
            far=far,
            left_out=left_out,
        )

    def _errors(self) -> list[str]:
        without = f" (without {self.left_out} far from all others)" if self.left_out else ""
        return [
            f"root mean squared error on the {self.rows} training rows{without}: "
            f"network {four_digits(self.network_error)}, rules {four_digits(self.rules_error)}",
            f"network and rules differ by {four_digits(self.difference)}, in root mean square",
            f"R²: network {four_digits(self.network_r2)}, rules {four_digits(self.rules_r2)}",
        ]

    def _constant(self) -> str | None:
        return "one number" if self.numbers_predicted == 1 else None

    def _reason(self) -> str:
        if not self.far:
            return super()._reason()
        return (
            "a few training rows have numbers far from all others, which hide the rest; try a "
            "robust loss or a logarithm"
        )


def _describe(name: str, moves: Floats) -> str:
    sizes = np.abs(moves)
    mean, most = sizes.mean(), sizes.max()
    return f"{moves.size} {name}s moved by {mean:.3f} on average, {most:.3f} at most"
