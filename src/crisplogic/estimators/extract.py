"""Extract rules from trained networks: by search, or just by rounding."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

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
