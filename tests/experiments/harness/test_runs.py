from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from experiments.harness.command_line import add_run_options
from experiments.harness.runs import add_part_options, measure, part, prepare
from experiments.harness.store import Store
from tests.experiments.harness.test_tasks import ORIGIN, squares

TASKS = squares(0, 1, 2, 3, 4)


def options(folder: Path, *arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_run_options(parser, folder)
    add_part_options(parser)
    return parser.parse_args(["--workers", "1", *arguments])


def run(folder: Path, *arguments: str) -> list[int] | None:
    """The squares that a run reports."""
    chosen = options(folder, *arguments)
    found = measure(TASKS, prepare(chosen, TASKS), ORIGIN, chosen, "square")
    return None if found is None else [each["figures"]["square"] for each in found]


def test_parts_share_all_tasks_and_are_collected_into_one_report(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b")]
    for number, folder in enumerate(folders, 1):
        assert run(folder, "--part", f"{number}/2") is None
    known = [set(Store(folder).load()) for folder in folders]
    assert not known[0] & known[1]
    assert known[0] | known[1] == {task.name for task in TASKS}
    every = tmp_path / "all"
    assert run(every, "--collect", *map(str, folders)) == [0, 1, 4, 9, 16]
    assert [len(Store(folder).load()) for folder in folders] == [3, 2]  # as they were


def test_a_part_that_is_not_all_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, "--part", "1/2")
    assert "3 of 5 measurements are in" in (told := capsys.readouterr().err)
    assert "--collect" in told


def test_stored_measures_nothing(tmp_path: Path) -> None:
    run(tmp_path, "--part", "1/2")
    before = Store(tmp_path).load()
    found = run(tmp_path, "--stored")
    assert found is not None
    assert len(found) == len(before) < len(TASKS)
    assert Store(tmp_path).load() == before


def test_again_forgets_what_belongs_to_the_part_alone(tmp_path: Path) -> None:
    run(tmp_path)
    prepare(options(tmp_path, "--again", "--part", "2/2"), TASKS)
    assert set(Store(tmp_path).load()) == {"squares/0", "squares/2", "squares/4"}


def test_of_two_measurements_the_later_one_is_kept(tmp_path: Path) -> None:
    ours, theirs = Store(tmp_path / "ours"), Store(tmp_path / "theirs")
    for store, dates in ((ours, ("2026-01-01", "2026-01-03")), (theirs, ("2026-01-02",) * 2)):
        for name, date in zip("ab", dates, strict=True):
            store.add(name, {"date": date})
    ours.collect(theirs)
    assert {name: each["date"] for name, each in ours.load().items()} == {
        "a": "2026-01-02",
        "b": "2026-01-03",
    }


def test_collecting_from_a_folder_without_measurements_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no measurements in"):
        Store(tmp_path / "ours").collect(Store(tmp_path / "nothing"))
    assert not (tmp_path / "ours").exists()


@pytest.mark.parametrize("text", ["3/2", "0/2", "2", "a/b", "1/0", "-1/2"])
def test_a_part_that_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="like 2/4"):
        part(text)


def test_a_task_is_of_one_part_only() -> None:
    names = [task.name for each in (1, 2, 3) for task in part(f"{each}/3").select(TASKS)]
    assert sorted(names) == [task.name for task in TASKS]
