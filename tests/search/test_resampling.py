"""Rules of parts of a table: found as those of the whole, as long as there is time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from crisplogic.search import CLASSIFICATION, TrainingSet, find_rules_of_parts
from crisplogic.search.crisp.search import find_crisp

NAMES = ("a", "b", "c", "d")


def some_rows(seed: int, rows: int = 120) -> TrainingSet:
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(rows, 4)).round(1)
    y = ((X[:, 0] > 0.5) | (X[:, 1] > 0.3) & (X[:, 2] < 0)) ^ (draw.random(rows) < 0.15)
    return TrainingSet(X, y.astype(np.intp), ("no", "yes"), CLASSIFICATION)


def test_a_shorter_path_finds_the_rules_of_a_size_that_the_whole_path_finds() -> None:
    data = some_rows(0)
    (found,) = find_rules_of_parts([data], NAMES, 3, most=60)
    whole = [each.rules for each in find_crisp(data, NAMES, 60) if each.size <= 3]
    assert found == whole[-1]


@pytest.mark.usefixtures("search_as_workers_do")
def test_several_processes_find_the_same() -> None:
    parts = [some_rows(seed, rows=60) for seed in range(2)]
    alone = list(find_rules_of_parts(parts, NAMES, 2, most=2))
    assert list(find_rules_of_parts(parts, NAMES, 2, most=2, n_jobs=2)) == alone


@pytest.mark.parametrize(("seconds", "expected"), [(0.0, 1), (25.0, 3), (None, 6)])
def test_no_part_is_begun_after_time_is_up_but_the_first(
    monkeypatch: pytest.MonkeyPatch, seconds: float | None, expected: int
) -> None:
    now = iter(range(0, 1000, 10))  # every look at the clock takes ten seconds
    clock = "crisplogic.search.crisp.resampling.monotonic"
    monkeypatch.setattr(clock, lambda: float(next(now)))
    taken: list[int] = []

    def parts() -> Iterator[TrainingSet]:
        for seed in range(6):
            taken.append(seed)
            yield some_rows(seed, rows=40)

    found = list(find_rules_of_parts(parts(), NAMES, 1, most=1, max_seconds=seconds))
    assert len(found) == expected
    assert len(taken) <= expected + 1
