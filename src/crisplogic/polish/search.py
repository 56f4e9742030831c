"""From snapped rules to a frontier: paths from several starts, judged on rows held out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.polish.draft import Draft, Sample, as_rules, drafted
from crisplogic.polish.judge import judged, logits_by_size
from crisplogic.polish.loss import losses
from crisplogic.polish.path import shrinking
from crisplogic.polish.tidy import tidied
from crisplogic.rules import Frontier, Point, RuleSet

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
) -> Frontier:
    """The frontier of all that is found on the ways down from ``starts``.

    What rules of some size are worth on new rows is told by the paths in ``judges``, each
    on the rows that it never saw. ``pure`` rules have neither intercepts nor a scale.
    ``on_path`` is called after every path.
    """
    found = []
    for start in starts:
        found += path(start, sample, pure)
        on_path()
    best = pareto(found)
    points = [Point(each.rules, _error(each.rules, sample)) for each in best]
    if not judges:
        return Frontier(tuple(points))
    logits, targets = [], []
    for each in judges:
        seen = np.setdiff1d(np.arange(len(sample)), each.held_out)
        steps = path(each.start, sample.rows(seen), pure)
        held_out = sample.rows(each.held_out).at_most(MOST_ROWS)
        logits.append(logits_by_size(_fitting(steps, best), held_out))
        targets.append(held_out.targets)
        on_path()
    held_out_logits = np.concatenate(logits, axis=-1)
    return Frontier(tuple(judged(points, held_out_logits, np.concatenate(targets), pure)))


def path(start: RuleSet, sample: Sample, pure: bool = False) -> list[Found]:
    """All tidied drafts on the way from a snapped network's rules to a single term."""
    few = sample.at_most(MOST_ROWS)
    found = []
    for draft in shrinking(drafted(start, pure), few):
        tidy = tidied(draft, few)
        rules = as_rules(tidy, start.features, start.labels)
        loss = float(losses(tidy.logits(tidy.values(few)), few))
        found.append(Found(tidy, rules, loss))
    return found


def pareto(found: Sequence[Found]) -> list[Found]:
    """By size, only what fits better than everything smaller."""
    best: list[Found] = []
    for each in sorted(found, key=lambda found: (found.size, found.loss)):
        if not best or each.loss < best[-1].loss:
            best.append(each)
    return best


def _error(rules: RuleSet, sample: Sample) -> float:
    predicted = rules.scores(sample.columns.T).argmax(axis=1)
    return float(np.mean(predicted != sample.targets))


def _fitting(steps: Sequence[Found], sizes: Sequence[Found]) -> list[Draft]:
    """For each size the largest step that is no larger, or else the smallest of all."""
    ordered = sorted(steps, key=lambda step: step.size)
    found = np.searchsorted([s.size for s in ordered], [s.size for s in sizes], "right") - 1
    return [ordered[max(position, 0)].draft for position in found]
