"""Extract rules from trained networks: by search, or just by rounding."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import count

from crisplogic.errors import RuleSizeWarning
from crisplogic.nn import LogicNetwork
from crisplogic.rules import Frontier, Point, RuleSet
from crisplogic.search import HeldOutFold, TrainingSet, search
from crisplogic.training import Epoch, OnEpoch, TrainedNetworks

Snap = Callable[[LogicNetwork], RuleSet]


def search_rules(
    trained: TrainedNetworks,
    data: TrainingSet,
    snap: Snap,
    pure: bool,
    n_jobs: int | None,
    on_epoch: OnEpoch,
) -> Frontier:
    """The best rules of each size on the paths from all restarts, evaluated by the folds."""
    starts = [snap(pair.snapped) for pair in trained.restarts]
    folds = [HeldOutFold(snap(fold.snapped), fold.held_out) for fold in trained.folds]
    numbers, loss = count(1), trained.history[-1].loss

    def on_path() -> None:
        on_epoch(Epoch("search", next(numbers), loss, None))

    return search(starts, folds, data, pure, on_path, n_jobs)


def round_rules(
    trained: TrainedNetworks, data: TrainingSet, snap: Snap, pure: bool
) -> Frontier:
    """The rules that the best network rounds to, as in the paper."""
    rules = snap(trained.restarts[0].snapped)
    scaled = data.task.fit_scale(rules, data, pure)
    return Frontier((Point(scaled, data.task.error(rules, data)),))


def choose_rules(found: Frontier, max_literals: int | None, tolerance: float) -> RuleSet:
    """The rules of the size that is chosen; the smallest, with a warning, if all are larger.

    Rules without any literal come with a warning, too.
    """
    smallest = found[0]
    if max_literals is not None and smallest.size > max_literals:
        _warn(
            f"no rules of at most {max_literals} literals were found, so these have "
            f"{smallest.size}; try less depth, another seed or more restarts, and let the "
            "rules be searched for, not just rounded"
        )
        return smallest.rules
    chosen = found.choose(max_literals, tolerance)
    if chosen.size == 0:
        larger = f"; there are also rules of {found[1].size} literals" if len(found) > 1 else ""
        _warn(
            "the rules have no literals and predict the same for every row: on rows that they "
            f"had not seen, others were not clearly better{larger}; more rows, more epochs or "
            "a tolerance of 0 may help"
        )
    return chosen.rules


def _warn(message: str) -> None:
    warnings.warn(message, RuleSizeWarning, stacklevel=2)
