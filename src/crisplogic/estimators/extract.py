"""The harvest: from trained networks to rules, polished or as they are rounded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

from crisplogic.nn import LogicNetwork
from crisplogic.rules import Frontier, Point, RuleSet
from crisplogic.rules.metrics import best_scale
from crisplogic.search import Judge, Sample, error_of, search
from crisplogic.training import Epoch, OnEpoch, TrainedNetworks

Snap = Callable[[LogicNetwork], RuleSet]


def polished(
    learned: TrainedNetworks,
    sample: Sample,
    snap: Snap,
    pure: bool,
    n_jobs: int | None,
    on_epoch: OnEpoch,
) -> Frontier:
    """The best rules of each size on the ways down from all restarts, judged by the folds."""
    starts = [snap(pair.snapped) for pair in learned.restarts]
    judges = [Judge(snap(fold.snapped), fold.held_out) for fold in learned.folds]
    numbers, loss = count(1), learned.history[-1].loss

    def on_path() -> None:
        on_epoch(Epoch("polish", next(numbers), loss, None))

    return search(starts, judges, sample, pure, on_path, n_jobs)


def rounded(learned: TrainedNetworks, sample: Sample, snap: Snap, pure: bool) -> Frontier:
    """What the best network rounds to is what there is, as in the paper."""
    rules = snap(learned.restarts[0].snapped)
    if sample.of_numbers:
        return Frontier((Point(rules, error_of(rules, sample)),))
    scores = rules.scores(sample.columns.T)
    scale = 1.0 if pure else best_scale(scores, sample.targets, sample.weights)
    return Frontier((Point(replace(rules, scale=scale), error_of(rules, sample)),))
