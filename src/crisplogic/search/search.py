"""From snapped rules to a frontier: paths from several starts, judged on rows held out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from crisplogic.rules import Frontier, Point, RuleSet
from crisplogic.rules.metrics import root_mean_squared_error
from crisplogic.search.convert import as_rules, drafted
from crisplogic.search.draft import Draft
from crisplogic.search.fit import refitted
from crisplogic.search.losses import losses
from crisplogic.search.path import shrinking
from crisplogic.search.rounding import tidied
from crisplogic.search.sample import Sample
from crisplogic.search.selection import judged, judged_numbers, logits_by_size

Floats = NDArray[np.float64]

# More rows than this add little to what a few dozen literals can learn.
MOST_ROWS = 20_000


@dataclass(frozen=True)
class Found:
    """A tidied draft, the rules that it stands for, and its loss on the rows it is made for."""

    draft: Draft
    rules: RuleSet
    loss: float

    @property
    def size(self) -> int:
        """Literals, counted as in print: the draft does not see what two rules share whole."""
        return self.rules.size


@dataclass(frozen=True)
class Judge:
    """A start that never saw the rows ``held_out``, and so can judge on them."""

    start: RuleSet
    held_out: NDArray[np.intp]


def search(
    starts: Sequence[RuleSet],
    judges: Sequence[Judge],
    sample: Sample,
    pure: bool = False,
    on_path: Callable[[], None] = lambda: None,
    n_jobs: int | None = None,
) -> Frontier:
    """The frontier of all that is found on the ways down from ``starts``.

    What rules of some size are worth on new rows is told by the paths in ``judges``, each
    on the rows that it never saw. ``pure`` rules have neither intercepts nor a scale.
    ``on_path`` is called after every path. ``n_jobs`` processes follow paths side by side;
    what they find does not depend on it.
    """
    few = sample.at_most(MOST_ROWS)
    paths = [(start, few, pure) for start in starts]
    paths += [(judge.start, _seen(judge, sample), pure) for judge in judges]
    followed = []
    with threadpool_limits(1):  # matrices here are small: threads would wait for each other
        for steps in _followed(paths, n_jobs):
            followed.append(steps)
            on_path()
    best = pareto([found for steps in followed[: len(starts)] for found in steps])
    points = [Point(each.rules, error_of(each.rules, sample)) for each in best]
    if not judges:
        return Frontier(tuple(points))
    asked = [sample.rows(judge.held_out).at_most(MOST_ROWS) for judge in judges]
    answers = [
        logits_by_size(_fitting(steps, best, seen), rows)
        for steps, (_, seen, _), rows in zip(
            followed[len(starts) :], paths[len(starts) :], asked, strict=True
        )
    ]
    logits = np.concatenate(answers, axis=-1)
    targets = np.concatenate([rows.targets for rows in asked])
    weights = [rows.weights for rows in asked if rows.weights is not None]
    counts = np.concatenate(weights) if weights else None
    if sample.of_numbers:
        return Frontier(tuple(judged_numbers(points, logits[:, 0], targets, counts)))
    return Frontier(tuple(judged(points, logits, targets, pure, counts)))


def _seen(judge: Judge, sample: Sample) -> Sample:
    seen = np.setdiff1d(np.arange(len(sample)), judge.held_out)
    return sample.rows(seen).at_most(MOST_ROWS)


def _followed(
    paths: Sequence[tuple[RuleSet, Sample, bool]], n_jobs: int | None
) -> Iterator[list[Found]]:
    """What is found on each path, in their order, as soon as it is known."""
    if n_jobs in (None, 1):
        return (path(*each) for each in paths)
    from joblib import Parallel, delayed

    batch_shape = Parallel(n_jobs=n_jobs, return_as="generator")
    found: Iterator[list[Found]] = batch_shape(delayed(path)(*each) for each in paths)
    return found


def path(start: RuleSet, sample: Sample, pure: bool = False) -> list[Found]:
    """All tidied drafts on the way from a snapped network's rules to a single term."""
    found = []
    for draft in shrinking(drafted(start, pure), sample):
        tidy = tidied(draft, sample)
        rules = as_rules(tidy, start.features, start.labels, start.predicts)
        loss = float(losses(tidy.logits(tidy.values(sample)), sample))
        found.append(Found(tidy, rules, loss))
    return found


def pareto(found: Sequence[Found]) -> list[Found]:
    """By size, only what fits better than everything smaller."""
    best: list[Found] = []
    for each in sorted(found, key=lambda found: (found.size, found.loss)):
        if not best or each.loss < best[-1].loss:
            best.append(each)
    return best


def error_of(rules: RuleSet, sample: Sample) -> float:
    """The share of wrong classes, or the root mean squared error of numbers."""
    if sample.of_numbers:
        numbers = rules.predict(sample.columns.T)
        return root_mean_squared_error(sample.targets, numbers, sample.weights)
    predicted = rules.scores(sample.columns.T).argmax(axis=1)
    return float(sample.mean(predicted != sample.targets))


def _fitting(steps: Sequence[Found], sizes: Sequence[Found], seen: Sample) -> list[Draft]:
    """For each size the largest step that is no larger, or else a draft that says nothing."""
    ordered = sorted(steps, key=lambda step: step.size)
    found = np.searchsorted([s.size for s in ordered], [s.size for s in sizes], "right") - 1
    nobody = np.zeros(len(ordered[0].draft.terms), dtype=bool)
    nothing = refitted(ordered[0].draft.keeping(nobody), seen)
    return [nothing if place < 0 else ordered[place].draft for place in found]
