"""Crisp rules of parts of a table: how much they depend on single rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from time import monotonic

from crisplogic.rules import RuleSet
from crisplogic.search.crisp.path import THOROUGH
from crisplogic.search.crisp.search import find_crisp
from crisplogic.search.crisp.workers import in_workers, workers_for
from crisplogic.search.training_set import TrainingSet

# Rules of at most so many literals are also tried without each of their statements, so that
# smaller ones depend on them.
SHRUNK = THOROUGH + 2


def find_rules_of_parts(
    parts: Iterable[TrainingSet],
    features: Sequence[str],
    size: int,
    most: int,
    depth: int | None = None,
    n_jobs: int | None = None,
    max_seconds: float | None = None,
) -> Iterator[RuleSet]:
    """The rules of at most ``size`` literals of every part, found like those of the whole.

    ``most`` bounds the path of the search, and ``depth`` the levels of a statement, as
    there. Where time is up, further parts are left out; the first never is.
    """
    most = min(most, max(size, SHRUNK)) if size else 0
    parts = _in_time(parts, max_seconds)
    tasks = ((part, features, size, most, depth) for part in parts)
    yield from in_workers(workers_for(n_jobs, cells=0) or 1, _find_rules, tasks)


def _in_time(parts: Iterable[TrainingSet], max_seconds: float | None) -> Iterator[TrainingSet]:
    """The parts that are reached before time is up, at least one."""
    start = monotonic()
    for number, part in enumerate(parts):
        if number and max_seconds is not None and monotonic() - start > max_seconds:
            return
        yield part


def _find_rules(
    data: TrainingSet, features: Sequence[str], size: int, most: int, depth: int | None
) -> RuleSet:
    found = find_crisp(data, features, most, depth)
    return [each for each in found if each.size <= size][-1].rules
