from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from experiments.harness.origin import Origin, current_origin
from experiments.harness.processes import worker_processes
from experiments.harness.store import Document, SettingsChangedError, Store
from experiments.harness.tasks import TaskError, run_tasks

ORIGIN = Origin("python -m experiments.some", "Abacus", 2, {"python": "3.11"})
PERFORMED: list[int] = []


@dataclass(frozen=True)
class Square:
    """A task that notes which of its kind were performed."""

    number: int
    settings: dict[str, int] = field(default_factory=dict)
    fails: bool = False

    @property
    def name(self) -> str:
        return f"squares/{self.number}"

    def question(self) -> Document:
        return {"number": self.number, "settings": self.settings}

    def perform(self) -> Document:
        if self.fails:
            raise ZeroDivisionError("by nothing")
        PERFORMED.append(self.number)
        return {"square": self.number**2}

    def line(self, figures: Document) -> str:
        return f"{self.number} gives {figures['square']}"


@pytest.fixture(autouse=True)
def _nothing_performed() -> None:
    PERFORMED.clear()


@pytest.fixture
def executor() -> Iterator[Executor]:
    """A single thread: tasks are done in order."""
    with ThreadPoolExecutor(1) as executor:
        yield executor


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def squares(*numbers: int, **settings: int) -> list[Square]:
    return [Square(number, settings) for number in numbers]


def test_every_task_has_an_answer_in_the_order_of_the_tasks(
    store: Store, executor: Executor
) -> None:
    found = run_tasks(squares(2, 0, 1), store, ORIGIN, executor, "square")
    assert [document["figures"]["square"] for document in found] == [4, 0, 1]


def test_an_answer_says_how_to_have_it_again(store: Store, executor: Executor) -> None:
    (document,) = run_tasks(squares(3, base=10), store, ORIGIN, executor, "square")
    assert document["settings"] == {"base": 10}
    assert document["command"] == ORIGIN.command
    assert document["versions"] == {"python": "3.11"}
    assert document["date"]
    assert store.load() == {"squares/3": document}


def test_a_second_run_computes_nothing_anew(store: Store, executor: Executor) -> None:
    first = run_tasks(squares(0, 1, 2), store, ORIGIN, executor, "square")
    PERFORMED.clear()
    assert run_tasks(squares(0, 1, 2), store, ORIGIN, executor, "square") == first
    assert PERFORMED == []


def test_a_run_that_failed_goes_on_where_it_stopped(store: Store, executor: Executor) -> None:
    broken = [Square(0), Square(1), Square(2, fails=True), Square(3)]
    with pytest.raises(TaskError, match="squares/2: by nothing"):
        run_tasks(broken, store, ORIGIN, executor, "square")
    PERFORMED.clear()
    assert len(run_tasks(squares(0, 1, 2, 3), store, ORIGIN, executor, "square")) == 4
    assert 2 in PERFORMED
    assert not {0, 1} & set(PERFORMED)


def test_answers_to_other_settings_stop_a_run_before_anything_is_done(
    store: Store, executor: Executor
) -> None:
    run_tasks(squares(1, base=10), store, ORIGIN, executor, "square")
    PERFORMED.clear()
    with pytest.raises(SettingsChangedError, match=r"base was 10 and is 2.*--again"):
        run_tasks(squares(0, 1, 2, base=2), store, ORIGIN, executor, "square")
    assert PERFORMED == []


def test_without_a_terminal_every_task_is_a_line(
    store: Store, executor: Executor, capsys: pytest.CaptureFixture[str]
) -> None:
    run_tasks(squares(2, 3), store, ORIGIN, executor, "square")
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["square 1 of 2: 2 gives 4", "square 2 of 2: 3 gives 9"]


def test_a_worker_process_gives_the_same_answers(store: Store) -> None:
    with worker_processes(1) as executor:
        (document,) = run_tasks(squares(5), store, ORIGIN, executor, "square")
    assert document["figures"] == Square(5).perform()


def test_the_origin_names_the_command_the_machine_and_all_versions() -> None:
    origin = current_origin("experiments.some", ["--folds", "2"])
    assert origin.command == "python -m experiments.some --folds 2"
    assert origin.processor
    assert origin.cores >= 1
    needed = {"python", "numpy", "scipy", "scikit-learn", "torch", "crisplogic"}
    assert needed <= set(origin.versions)
