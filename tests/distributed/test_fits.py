"""Ranks that learn together from files: the same rules as one process, whatever happens."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crisplogic.errors import DisagreementError, TableError
from crisplogic.estimators import LogicClassifier, LogicRegressor
from crisplogic.group import ALONE, Group
from crisplogic.training import Epoch
from crisplogic.training.loop import _Run
from tests.distributed.ranks import run_ranks
from tests.groups import run_together

QUICK: dict[str, Any] = {"folds": 2, "max_literals": 3, "random_state": 0, "depth": 1}
ROWS, SAMPLE = 900, 300


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three files; only the last one has green things, and every second row counts twice."""
    folder = tmp_path_factory.mktemp("files")
    draw = np.random.default_rng(0)
    for number in range(3):
        lines = ["age,colour,ill,cost,weight"]
        for row in range(ROWS // 3):
            age, colour = draw.integers(20, 80), draw.choice(["red", "blue"])
            colour = "green" if number == 2 and row % 5 == 0 else colour
            ill = (age > 50 and colour == "red") != (draw.random() < 0.05)
            cost = 10 * ill + age / 10 + draw.normal()
            lines.append(f"{age},{colour},{'yes' if ill else 'no'},{cost:.3f},{1 + row % 2}")
        (folder / f"part-{number}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def learn(
    group: Group,
    folder: Path,
    target: str = "ill",
    checkpoint: Path | None = None,
    sample_rows: int = SAMPLE,
    **changes: Any,
) -> Any:
    kind: Any = LogicClassifier if target == "ill" else LogicRegressor
    options = {"target": target, "drop": [{"ill": "cost", "cost": "ill"}[target]]}
    estimator = kind(**{**QUICK, **changes})
    return estimator.fit_dataset(
        folder,
        **options,
        weight="weight",
        sample_rows=sample_rows,
        checkpoint=checkpoint,
        group=group,
    )


def assert_same(found: Any, expected: Any) -> None:
    assert not isinstance(found, BaseException), found
    assert found.rules_ == expected.rules_
    assert found.frontier_.points == expected.frontier_.points
    errors = found.held_out_errors_, expected.held_out_errors_
    networks = [each.network for each in errors]
    assert networks[0] == pytest.approx(networks[1], rel=0.05)  # equal but for rounding
    if hasattr(expected, "all_rows_"):
        assert found.all_rows_.error == pytest.approx(expected.all_rows_.error)
        assert found.all_rows_.rows == expected.all_rows_.rows


@pytest.mark.parametrize(
    ("size", "target", "sample_rows"),
    [
        (5, "ill", SAMPLE),
        (2, "cost", SAMPLE),
        pytest.param(2, "ill", 10 * ROWS, marks=pytest.mark.slow),
        pytest.param(2, "cost", 10 * ROWS, marks=pytest.mark.slow),
    ],
)
def test_ranks_learn_what_one_process_learns(
    folder: Path, target: str, size: int, sample_rows: int
) -> None:
    """Also where there are more ranks than files, and where the sample is the whole table."""
    expected = learn(ALONE, folder, target, sample_rows=sample_rows)
    found = run_together(
        size, lambda group: learn(group, folder, target, sample_rows=sample_rows)
    )
    for each in found:
        assert_same(each, expected)


def test_ranks_of_gloo_learn_what_one_process_learns(
    folder: Path, tmp_path: Path, search_as_workers_do: None
) -> None:
    expected = learn(ALONE, folder)
    for each in run_ranks(learn, tmp_path, folder):
        assert_same(each, expected)


def die_at(group: Group, folder: Path, checkpoint: Path, number: int, victim: int) -> Any:
    """Learn, but be killed in the middle of a window; checkpoints are kept after every one."""
    import crisplogic.training.checkpoint

    crisplogic.training.checkpoint.SECONDS_BETWEEN = 0.0
    passed = _Run.pass_over

    def pass_over(self: _Run, window: Any) -> float:
        if len(self.history) == number and group.rank == victim:
            os.kill(os.getpid(), signal.SIGKILL)
        return passed(self, window)

    _Run.pass_over = pass_over  # type: ignore[method-assign]
    try:
        return learn(group, folder, checkpoint=checkpoint)
    finally:
        _Run.pass_over = passed  # type: ignore[method-assign]


def check_resumed(folder: Path, tmp_path: Path, window: int, victim: int) -> None:
    checkpoint = tmp_path / f"fit-{window}-{victim}.npz"
    meetings = [tmp_path / f"{name}-{window}-{victim}" for name in ("first", "second")]
    for each in meetings:
        each.mkdir()
    killed = run_ranks(die_at, meetings[0], folder, checkpoint, window, victim)
    assert killed[victim] == -signal.SIGKILL
    assert isinstance(killed[1 - victim], ConnectionError)
    assert checkpoint.exists() == (window > 0)
    expected = learn(ALONE, folder)
    for each in run_ranks(learn, meetings[1], folder, "ill", checkpoint):
        assert_same(each, expected)
        assert [epoch.number for epoch in each.history_] == list(range(1, 31))
    assert not checkpoint.exists()


def test_ranks_resume_after_a_kill_to_the_same_rules(
    folder: Path, tmp_path: Path, search_as_workers_do: None
) -> None:
    check_resumed(folder, tmp_path, window=7, victim=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_ranks_resume_after_a_kill_at_any_moment(
    folder: Path, tmp_path: Path, seed: int, search_as_workers_do: None
) -> None:
    window, victim = np.random.default_rng(seed).integers([30, 2]).tolist()
    check_resumed(folder, tmp_path, window, victim)


def test_a_number_of_ranks_may_change_between_a_kill_and_the_next_start(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crisplogic.training.checkpoint.SECONDS_BETWEEN", 0.0)
    checkpoint, expected = tmp_path / "fit.npz", learn(ALONE, folder)
    passed = _Run.pass_over

    def fail(self: _Run, rows: Any) -> float:
        if len(self.history) == 5:
            raise KeyboardInterrupt
        return passed(self, rows)

    with monkeypatch.context() as patch:
        patch.setattr(_Run, "pass_over", fail)
        with pytest.raises(KeyboardInterrupt):
            learn(ALONE, folder, checkpoint=checkpoint)
    for each in run_together(3, lambda group: learn(group, folder, checkpoint=checkpoint)):
        assert_same(each, expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_literals": 5}, "parameter max_literals (3 in process 0, 5 in process 1)"),
        ({"sample_rows": 200}, "sample_rows (300 in process 0, 200 in process 1)"),
        ({"target": "cost"}, "estimator ('LogicClassifier' in process 0"),
    ],
)
def test_ranks_with_other_settings_are_refused(
    folder: Path, change: dict[str, Any], message: str
) -> None:
    def differ(group: Group) -> Any:
        return learn(group, folder, **(change if group.rank else {}))

    for error in run_together(2, differ):
        assert isinstance(error, DisagreementError)
        assert message in str(error)


def test_ranks_with_other_files_are_refused(folder: Path, tmp_path: Path) -> None:
    for path in sorted(folder.iterdir()):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    with (tmp_path / "part-1.csv").open("a") as file:
        file.write("41,red,no,1.5,1\n")
    copies = [folder, tmp_path]
    for error in run_together(2, lambda group: learn(group, copies[group.rank])):
        assert isinstance(error, DisagreementError)
        assert "part-1.csv" in str(error)


def test_a_file_that_one_rank_cannot_read_ends_all_with_its_name(
    folder: Path, tmp_path: Path
) -> None:
    for path in sorted(folder.iterdir()):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    text = (tmp_path / "part-2.csv").read_text().replace("\n41,", "\nforty,", 1)
    (tmp_path / "part-2.csv").write_text(text)
    for error in run_together(2, lambda group: learn(group, tmp_path)):
        assert isinstance(error, TableError)
        assert "part-2.csv" in str(error)


def test_seeds_are_drawn_once_for_all_ranks(folder: Path) -> None:
    found = run_together(2, lambda group: learn(group, folder, random_state=None))
    first, second = found
    assert not isinstance(first, Exception)
    assert not isinstance(second, Exception)
    assert_same(second, first)
    assert second.history_ == first.history_
    assert isinstance(first.history_[0], Epoch)
