"""``crisplogic fit`` in several processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crisplogic.cli import workers
from crisplogic.distributed.launch import LOST
from crisplogic.errors import LostProcessError
from tests.cli.running import Run, assert_refused, run_apart, write_rows

FIT = ("--target", "age", "--epochs", "1", "--max-literals", "2", "--quiet")


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], int]]:
    """What would have been started, and in how many processes."""
    seen: list[tuple[list[str], int]] = []

    def launch(command: list[str], number: int) -> int:
        seen.append((command, number))
        return 3

    monkeypatch.setattr("crisplogic.distributed.launch.launch", launch)
    return seen


def test_workers_run_the_same_command_with_a_checkpoint(
    run: Run, tmp_path: Path, launched: list[tuple[list[str], int]]
) -> None:
    ran = run("fit", write_rows(tmp_path / "a.csv"), *FIT, "--workers", 2)
    assert ran.code == 3
    [(command, number)] = launched
    assert number == 2
    assert command[1:3] == ["-m", "crisplogic"]
    assert command[-2] == "--checkpoint"
    assert not Path(command[-1]).parent.exists()  # nothing is left behind


def test_a_checkpoint_of_the_user_is_kept_to(
    run: Run, tmp_path: Path, launched: list[tuple[list[str], int]]
) -> None:
    path = tmp_path / "fit.npz"
    run("fit", write_rows(tmp_path / "a.csv"), *FIT, "--workers", 2, "--checkpoint", path)
    assert launched[0][0].count("--checkpoint") <= 1


def test_standard_input_has_one_reader(run: Run) -> None:
    assert_refused(run("fit", "-", *FIT, "--workers", 2), "--workers needs files")


def test_a_worker_that_lost_another_one_leaves_it_to_the_launcher_to_say_so(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose() -> None:
        raise LostProcessError("process 1 is gone")

    monkeypatch.setattr(workers, "own_group", lose)
    path = write_rows(tmp_path / "a.csv")
    ran = run("fit", path, *FIT)
    assert ran.code == LOST
    assert ran.err == "error: process 1 is gone\n"
    monkeypatch.setenv("CRISPLOGIC_MEETING", "file:///nowhere")
    ran = run("fit", path, *FIT)
    assert (ran.code, ran.err) == (LOST, "")


@pytest.mark.slow
def test_two_workers_write_what_one_process_writes(tmp_path: Path) -> None:
    for number in range(3):
        write_rows(tmp_path / f"part-{number}.csv", rows=100)
    found: list[bytes] = []
    for options in ((), ("--workers", "2")):
        out = tmp_path / f"rules{len(found)}.json"
        ran = run_apart(
            "fit",
            tmp_path,
            "--target",
            "age",
            "--epochs",
            "1",
            "--sample-rows",
            "150",
            "--out",
            out,
            "--json",
            *options,
        )
        assert ran.returncode == 0, ran.stderr
        found.append(out.read_bytes())
        assert json.loads(ran.stdout)["rows"] == json.loads(ran.stdout)["all_rows"]["rows"]
        out.rename(tmp_path / f"{out.name}.kept")
    assert found[0] == found[1]


@pytest.mark.slow
def test_workers_end_with_one_message(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.csv")
    ran = run_apart("fit", path, "--target", "nothing", "--workers", "2")
    assert ran.returncode == 2
    assert ran.stderr.decode().count("there is no column 'nothing'") == 1
