"""The page of tables larger than memory: its targets, its cost model, and its tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import big, big_table
from benchmarks.big import Line, replaced, to_markdown, verdicts
from benchmarks.tables import Row


def row(rows: int, **changes: object) -> Row:
    seconds = 10 + 2e-6 * rows
    figures = {
        **{"rows": rows, "how": "streamed", "processes": 1, "bytes": 73 * rows},
        **{"seconds": seconds, "processor": seconds, "peak": 2**30, "peak_before": 2**28},
        **{"reading_processor": 5e-7 * rows, "learning_processor": 10.0},
        **{"measuring_processor": 1.5e-6 * rows},
        **{"error": 0.2, "expected_error": 0.21, "literals": 3, "rules": "always no"},
    }
    return {**figures, **changes}


ROWS = [row(10**power) for power in (6, 7, 8)]


def test_a_line_through_measurements_goes_through_them() -> None:
    line = Line.through([1e6, 1e7, 1e8], [12.0, 30.0, 210.0])
    assert (line.start, line.per_row) == pytest.approx((10.0, 2e-6))


def test_targets_are_judged_by_the_figures() -> None:
    assert [each.outcome for each in verdicts(ROWS)] == ["reached"] * 2
    bent = [*ROWS[:2], row(10**8, processor=500.0, peak=3 * 2**30)]
    assert [each.missing > 0 for each in verdicts(bent)] == [True, True]
    worse = [*ROWS, row(10**6, how="memory", error=0.1)]
    assert verdicts(worse)[-1].missing > 0


def test_a_new_measurement_replaces_that_of_the_same_table() -> None:
    again = replaced(ROWS, row(10**7, error=0.5))
    assert [each["error"] for each in again] == [0.2, 0.5, 0.2]
    assert len(replaced(ROWS, row(10**7, processes=2))) == 4


def test_the_page_says_what_a_billion_rows_would_cost() -> None:
    origin = {"command": "c", "date": "d", "processor": "p", "cores": 2, "versions": {"a": "1"}}
    page = to_markdown({**origin, "seconds": 1.0, "rows": ROWS})
    assert "25.0 ns a cell, 2.0 million rows a second of a core" in page
    assert "take 83 minutes of a core for the first pass and 25 for the last" in page


def test_parts_are_the_same_every_time_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(big_table, "FOLDER", tmp_path)
    first, again = big_table.part_of(3, 50), big_table.part_of(3, 50)
    assert all(np.array_equal(first[name], again[name]) for name in first)
    [path] = big_table.table_files(50)
    written = path.stat().st_mtime_ns
    assert [path] == big_table.table_files(50)
    assert path.stat().st_mtime_ns == written


def test_a_fit_that_fails_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(rows: int) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(big_table, "table_files", fail)
    assert big.main(["--rows", "5", "--output", str(tmp_path)]) == 2
    assert "error: the disk is full" in capsys.readouterr().err
