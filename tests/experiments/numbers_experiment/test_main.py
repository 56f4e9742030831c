from __future__ import annotations

from pathlib import Path

import pytest

from experiments.harness.store import Store
from experiments.numbers import __main__ as command_line
from experiments.numbers.__main__ import main, tasks_for
from experiments.numbers.tables import NAMES
from experiments.numbers.tasks import rules_task
from tests.experiments.numbers_experiment.samples import documents

FIRST_FOLD = ["--tables", "vehicle", "--folds", "1"]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A folder in which the first fold of vehicle is measured already."""
    Store(tmp_path).write(rules_task("vehicle", 0).name, documents(folds=1)[0])
    return tmp_path


def test_a_run_with_nothing_left_to_measure_writes_the_page(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*FIRST_FOLD, "--output", str(results)]) == 0
    page = (results / "numbers.md").read_text(encoding="utf-8")
    assert "| **rules** | 0.500 |" in page
    assert capsys.readouterr().out == f"{page}\n"


def test_other_settings_are_one_message_and_exit_code_2(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = results / "folds/vehicle/0.json"
    file.write_text(file.read_text().replace('"epochs": 30', '"epochs": 31'))
    assert main([*FIRST_FOLD, "--output", str(results)]) == 2
    assert "epochs was 31 and is 30" in capsys.readouterr().err


def test_again_forgets_what_is_stored_before_it_begins(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        assert not (results / "folds/vehicle/0.json").exists()
        raise KeyboardInterrupt

    monkeypatch.setattr(command_line, "answered", interrupted)
    assert main([*FIRST_FOLD, "--again", "--output", str(results)]) == 130
    assert "goes on from here" in capsys.readouterr().err


def test_nothing_is_forgotten_if_the_run_cannot_begin(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main([*FIRST_FOLD, "--again", "--ebm", "--output", str(results)]) == 2
    assert "interpret-core" in capsys.readouterr().err
    assert (results / "folds/vehicle/0.json").exists()


@pytest.mark.parametrize(
    "arguments", [["--folds", "0"], ["--folds", "11"], ["--workers", "0"], ["--tables", "iris"]]
)
def test_arguments_that_make_no_sense_are_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2
    assert arguments[0] in capsys.readouterr().err


def test_the_default_is_every_fold_of_every_table() -> None:
    options = command_line._parser().parse_args([])
    tasks = tasks_for(options.tables, options.folds, options.ebm)
    assert len({task.name for task in tasks}) == len(tasks) == 60


def test_an_ebm_is_tried_on_the_same_folds() -> None:
    names = [task.name for task in tasks_for(NAMES, 10, ebm=True)]
    assert names[60:] == [name.replace("folds/", "ebm/") for name in names[:60]]
