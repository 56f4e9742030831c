"""From snapped rules to a frontier: paths from several starts, evaluated on held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from crisplogic.rules import Frontier, Point, RuleSet
from crisplogic.search.draft import Draft
from crisplogic.search.fit import fit_draft
from crisplogic.search.path import Candidate, follow_path
from crisplogic.search.tasks import HeldOutRows
from crisplogic.search.training_set import TrainingSet

Floats = NDArray[np.float64]

# More rows than this add little to what a few dozen literals can learn.
MAX_ROWS = 20_000


class Sized(Protocol):
    """Rules of a size, and their loss on the rows that they are fitted to."""

    @property
    def size(self) -> int:
        """The literals in all rules together."""

    @property
    def loss(self) -> float:
        """The loss."""


AnyCandidate = TypeVar("AnyCandidate", bound=Sized)


@dataclass(frozen=True)
class HeldOutFold:
    """Rules of a network that learned from ``train`` alone, and can be tested on ``test``."""

    start: RuleSet
    train: TrainingSet
    test: TrainingSet


def search(
    starts: Sequence[RuleSet],
    folds: Sequence[HeldOutFold],
    data: TrainingSet,
    pure: bool = False,
    on_path: Callable[[], None] = lambda: None,
    n_jobs: int | None = None,
    seed: int = 0,
) -> Frontier:
    """The frontier of all rules found on the paths from ``starts``.

    The paths from ``folds``, each tested on the rows that it never saw, tell how good rules of
    each size are on new rows. ``pure`` rules have neither intercepts nor a scale.
    ``on_path`` is called after every path. ``n_jobs`` processes follow paths in parallel;
    the result does not depend on it. Of large tables, ``seed`` draws some rows. A fold that
    learns from ``data`` itself tests the rules that were found there.
    """
    rows = data.subsample(MAX_ROWS, seed)
    paths = [(start, rows, pure) for start in starts]
    learned = [fold for fold in folds if fold.train is not data]
    paths += [(fold.start, fold.train.subsample(MAX_ROWS, seed), pure) for fold in learned]
    followed = []
    with threadpool_limits(1):  # matrices here are small: threads would wait for each other
        for candidates in _follow_paths(paths, n_jobs):
            followed.append(candidates)
            on_path()
    best = pareto([each for candidates in followed[: len(starts)] for each in candidates])
    points = [Point(each.rules, data.task.error(each.rules, data)) for each in best]
    baseline = data.task.baseline(data)
    if not folds:
        return Frontier(tuple(points), baseline)
    tests = [fold.test.subsample(MAX_ROWS, seed) for fold in folds]
    of_folds = zip(followed[len(starts) :], paths[len(starts) :], strict=True)
    drafts = []
    for fold in folds:
        candidates, trained_on = best, rows
        if fold.train is not data:
            candidates, (_, trained_on, _) = next(of_folds)
        drafts.append(_drafts_by_size(candidates, best, trained_on))
    logits = [_logits_by_size(own, test) for own, test in zip(drafts, tests, strict=True)]
    evaluated, held_out = data.task.evaluate(points, join_folds(logits, tests), pure)
    name = "log loss" if held_out.rank else data.task.loss_name
    return Frontier(tuple(evaluated), baseline, held_out, name)


def join_folds(logits: Sequence[Floats], tests: Sequence[TrainingSet]) -> HeldOutRows:
    """What the rules of every fold predict of the rows that it never saw, as one.

    Shape: ``logits`` (sizes, outputs, rows), one array a fold.
    """
    weights = [test.weights for test in tests if test.weights is not None]
    return HeldOutRows(
        np.concatenate(logits, axis=-1),
        np.concatenate([test.y for test in tests]),
        np.repeat(np.arange(len(tests)), [len(test) for test in tests]),
        np.concatenate(weights) if weights else None,
    )


def _follow_paths(
    paths: Sequence[tuple[RuleSet, TrainingSet, bool]], n_jobs: int | None
) -> Iterator[list[Candidate]]:
    """The candidates on each path, in the order of the paths, as soon as they are found."""
    if n_jobs in (None, 1):
        return (follow_path(*each) for each in paths)
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=n_jobs, return_as="generator")
    found: Iterator[list[Candidate]] = parallel(delayed(follow_path)(*each) for each in paths)
    return found


def pareto(candidates: Sequence[AnyCandidate]) -> list[AnyCandidate]:
    """By size, only those that fit better than all smaller ones."""
    best: list[AnyCandidate] = []
    for each in sorted(candidates, key=lambda candidate: (candidate.size, candidate.loss)):
        if not best or each.loss < best[-1].loss:
            best.append(each)
    return best


def _drafts_by_size(
    candidates: Sequence[Candidate], sizes: Sequence[Candidate], data: TrainingSet
) -> list[Draft]:
    """For each size the largest candidate that is no larger, or else a draft without terms."""
    ordered = sorted(candidates, key=lambda candidate: candidate.size)
    found = np.searchsorted([c.size for c in ordered], [c.size for c in sizes], "right") - 1
    none = np.zeros(len(ordered[0].draft.terms), dtype=bool)
    constant = fit_draft(ordered[0].draft.keep(none), data)
    return [constant if place < 0 else ordered[place].draft for place in found]


def _logits_by_size(drafts: Sequence[Draft], data: TrainingSet) -> Floats:
    """The logits of one draft a size. Shape: (sizes, outputs, rows)."""
    logits = {id(draft): draft.logits(draft.values(data)) for draft in drafts}
    return np.stack([logits[id(draft)] for draft in drafts])
