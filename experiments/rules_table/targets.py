"""Targets for the default classifier, and errors of other learners on the same folds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Targets:
    """Upper bounds for means over folds. Errors are percentages.

    ``small_limit`` is how many literals the small rules may have.
    """

    small_limit: int
    rules_error: float
    rules_literals: float
    small_error: float
    network_error: float


@dataclass(frozen=True)
class Peers:
    """Errors of other learners on the same folds, in percent, for orientation."""

    best: float
    best_rules: float
    majority: float


TARGETS = {
    "breast-cancer-wisconsin": Targets(12, 3.4, 20, 3.8, 3.4),
    "diabetes": Targets(12, 23.5, 20, 24.0, 23.5),
    "vehicle": Targets(12, 21, 60, 31, 16),
    "waveform": Targets(12, 15.0, 50, 19, 14.5),
    "yeast": Targets(30, 41, 80, 44, 40),
}

PEERS = {
    "breast-cancer-wisconsin": Peers(3.19, 4.0, 34.48),
    "diabetes": Peers(22.44, 24.5, 34.89),
    "vehicle": Peers(14.97, 28.2, 74.23),
    "waveform": Peers(13.67, 19.6, 66.50),
    "yeast": Peers(37.31, 40.4, 68.80),
}
