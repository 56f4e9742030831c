"""Targets for the default classifier, and errors of other learners on the same folds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Targets:
    """Upper bounds for means over folds. Errors are percentages.

    ``small_limit`` is how many literals the small crisp rules may have.
    """

    small_limit: int
    crisp_error: float
    crisp_literals: float
    small_error: float
    graded_error: float
    network_error: float


@dataclass(frozen=True)
class Peers:
    """Errors of other learners on the same folds, in percent, for orientation."""

    best: float
    best_rules: float
    majority: float


TARGETS = {
    "breast-cancer-wisconsin": Targets(6, 3.6, 12, 3.9, 3.6, 3.3),
    "diabetes": Targets(6, 23.8, 12, 24.5, 23.2, 22.9),
    "vehicle": Targets(12, 25.0, 50, 31.0, 19.5, 16.5),
    "waveform": Targets(12, 16.0, 40, 19.0, 13.8, 13.6),
    "yeast": Targets(20, 41.0, 50, 42.0, 39.5, 39.0),
}
# Crisp rules of two classes should err at most so many points more than the network.
MARGIN = 1.0

PEERS = {
    "breast-cancer-wisconsin": Peers(3.19, 4.0, 34.48),
    "diabetes": Peers(22.44, 24.5, 34.89),
    "vehicle": Peers(14.97, 28.2, 74.23),
    "waveform": Peers(13.67, 19.6, 66.50),
    "yeast": Peers(37.31, 40.4, 68.80),
}
