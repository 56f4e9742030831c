"""SnapReport: what snapping did to a network, in numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LevelMoves:
    """How far each parameter of one logic level moved: its snapped value less its value before.

    Shape: ``alpha`` (pairs,), ``weight`` (outputs, pairs).
    """

    alpha: Floats
    weight: Floats


@dataclass(frozen=True, eq=False)
class SnapReport:
    """Network and rules compared on ``rows`` rows.

    Errors are shares of wrong predictions; ``agreement`` is the share of rows on which
    network and rules predict the same class. Where rows have weights, each has as large a
    part in these shares as it counts. ``classes_predicted`` counts the classes that the rules
    predict at all (1 means that the rules say nothing).
    """

    levels: tuple[LevelMoves, ...]
    rows: int
    network_error: float
    rules_error: float
    agreement: float
    classes_predicted: int

    @classmethod
    def comparing(
        cls,
        levels: tuple[LevelMoves, ...],
        by_network: NDArray[np.intp],
        by_rules: NDArray[np.intp],
        targets: NDArray[np.intp],
        weights: Floats | None = None,
    ) -> SnapReport:
        """From what network and rules predict. Shape: (rows,) each.

        >>> network, rules, truth = np.array([[0, 1, 1], [0, 0, 1], [0, 1, 0]])
        >>> SnapReport.comparing((), network, rules, truth, np.array([1.0, 2.0, 1.0])).agreement
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

    def to_text(self) -> str:
        """A few lines for a person to read."""
        lines = [
            f"error on the {self.rows} training rows: network {self.network_error:.2%}, "
            f"rules {self.rules_error:.2%}",
            f"network and rules agree on {self.agreement:.2%} of them",
        ]
        for number, level in enumerate(self.levels, 1):
            lines.append(
                f"level {number}: {_moved('alpha', level.alpha)}; "
                f"{_moved('weight', level.weight)}"
            )
        if self.classes_predicted == 1:
            lines.append(f"the rules predict one class only: {self._blamed()}")
        return "\n".join(lines)

    def _blamed(self) -> str:
        if self.rules_error > self.network_error:
            return "snapping lost what was learned"
        return "the network learned no more; try less depth or more epochs"

    def __str__(self) -> str:
        return self.to_text()


def _moved(name: str, moves: Floats) -> str:
    sizes = np.abs(moves)
    mean, most = sizes.mean(), sizes.max()
    return f"{moves.size} {name}s moved by {mean:.3f} on average, {most:.3f} at most"
