from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments.harness.origin import here
from experiments.harness.store import Store
from experiments.rules_table import __main__ as command_line
from experiments.rules_table.__main__ import main
from experiments.rules_table.records import to_document
from experiments.rules_table.run import tasks_for
from tests.experiments.rules_table.samples import record

FIRST_FOLD = ["--tables", "vehicle", "--folds", "1"]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A folder in which the first fold of vehicle is measured already."""
    fold = record()
    Store(tmp_path).write(fold.task.name, to_document(fold))
    return tmp_path


def test_a_run_with_nothing_left_to_measure_writes_the_report(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*FIRST_FOLD, "--output", str(results)]) == 0
    page = (results / "rules-table.md").read_text(encoding="utf-8")
    assert "| vehicle | 1 | 20.00 (target ≤ 21: reached) |" in page
    assert capsys.readouterr().out == f"{page}\n"
    document = json.loads((results / "rules-table.json").read_text(encoding="utf-8"))
    assert f"--folds 1 --output {results}" in document["command"]
    assert document["folds"][0]["figures"]["rules_error"] == 0.2


def test_other_settings_are_one_message_and_exit_code_2(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = results / "folds/vehicle/00.json"
    file.write_text(file.read_text().replace('"epochs": 30', '"epochs": 31'))
    assert main([*FIRST_FOLD, "--output", str(results)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert "epochs was 31 and is 30" in said.err
    assert "--again" in said.err


def test_again_forgets_what_is_stored_before_it_begins(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        assert not (results / "folds/vehicle/00.json").exists()
        raise KeyboardInterrupt

    monkeypatch.setattr(command_line, "measured", interrupted)
    assert main([*FIRST_FOLD, "--again", "--output", str(results)]) == 130
    assert "goes on from here" in capsys.readouterr().err


def test_nothing_is_forgotten_if_the_run_cannot_begin(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main([*FIRST_FOLD, "--again", "--timing", "--output", str(results)]) == 2
    assert "interpret-core" in capsys.readouterr().err
    assert (results / "folds/vehicle/00.json").exists()


@pytest.mark.parametrize(
    "arguments", [["--folds", "0"], ["--folds", "31"], ["--workers", "0"], ["--tables", "iris"]]
)
def test_arguments_that_make_no_sense_are_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2
    assert arguments[0] in capsys.readouterr().err


def test_the_origin_names_the_command_the_machine_and_all_versions() -> None:
    origin = here("experiments.rules_table", ["--folds", "2"])
    assert origin.command == "python -m experiments.rules_table --folds 2"
    assert origin.processor
    assert origin.cores >= 1
    needed = {"python", "numpy", "scipy", "scikit-learn", "torch", "crisplogic"}
    assert needed <= set(origin.versions)


def test_the_default_is_every_fold_of_every_table() -> None:
    options = command_line._parser().parse_args([])
    assert len(tasks_for(options.tables, options.folds)) == 150
