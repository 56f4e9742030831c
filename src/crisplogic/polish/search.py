"""From snapped rules to a frontier: paths from several starts, judged on rows held out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from crisplogic.polish.draft import Draft, Sample, as_rules, drafted
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
class Judged:
    """Where a path starts that never saw the rows ``held_out``."""

    start: RuleSet
    held_out: NDArray[np.intp]


def search(
    starts: Sequence[RuleSet],
    judged: Sequence[Judged],
    sample: Sample,
    pure: bool = False,
    on_path: Callable[[], None] = lambda: None,
) -> Frontier:
    """The frontier of all that is found on the ways down from ``starts``.

    What rules of some size are worth on new rows is told by the paths in ``judged``, each
    on the rows that it never saw. ``pure`` rules have neither intercepts nor a scale.
    ``on_path`` is called after every path.
    """
    found = []
    for start in starts:
        found += path(start, sample, pure)
        on_path()
    best = pareto(found)
    held_out = HeldOut.of(len(best), len(sample))
    for each in judged:
        seen = np.setdiff1d(np.arange(len(sample)), each.held_out)
        steps = path(each.start, sample.rows(seen), pure)
        held_out.note(each.held_out, _fitting(steps, best), sample.rows(each.held_out))
        on_path()
    points = [Point(each.rules, _error(each.rules, sample)) for each in best]
    return Frontier(tuple(held_out.added_to(points) if judged else points))


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


@dataclass(frozen=True)
class HeldOut:
    """What rules of each size did on rows they were not made from: each (sizes, rows)."""

    wrong: Floats
    surprise: Floats

    @classmethod
    def of(cls, sizes: int, rows: int) -> HeldOut:
        """Nothing noted yet: NaN, and so it stays for rows that nobody was kept from."""
        return cls(np.full((sizes, rows), np.nan), np.full((sizes, rows), np.nan))

    def note(self, rows: NDArray[np.intp], drafts: Sequence[Draft], sample: Sample) -> None:
        """One draft a size on some of the rows."""
        judged = {id(draft): _judge(draft, sample) for draft in drafts}
        for size, draft in enumerate(drafts):
            self.wrong[size, rows], self.surprise[size, rows] = judged[id(draft)]

    def added_to(self, points: Sequence[Point]) -> list[Point]:
        """The points with what was noted, and how sure differences to the best are."""
        rows = ~np.isnan(self.wrong[0])
        wrong, surprise = self.wrong[:, rows], self.surprise[:, rows]
        loss = surprise.mean(axis=1)
        difference = surprise - surprise[loss.argmin()]
        doubt = difference.std(axis=1) / np.sqrt(rows.sum())
        noted = zip(points, wrong.mean(axis=1), loss, doubt, strict=True)
        return [Point(p.rules, p.error, *map(float, numbers)) for p, *numbers in noted]


def _error(rules: RuleSet, sample: Sample) -> float:
    predicted = rules.scores(sample.columns.T).argmax(axis=1)
    return float(np.mean(predicted != sample.targets))


def _judge(draft: Draft, sample: Sample) -> tuple[Floats, Floats]:
    """Whether each row is predicted wrongly, and the surprise at its class: (rows,) each."""
    logits = draft.logits(draft.values(sample))
    logs = log_softmax(logits, axis=0)[sample.targets, np.arange(len(sample))]
    return (logits.argmax(axis=0) != sample.targets).astype(float), -logs


def _fitting(steps: Sequence[Found], sizes: Sequence[Found]) -> list[Draft]:
    """For each size the largest step that is no larger, or else the smallest of all."""
    ordered = sorted(steps, key=lambda step: step.size)
    found = np.searchsorted([s.size for s in ordered], [s.size for s in sizes], "right") - 1
    return [ordered[max(position, 0)].draft for position in found]
