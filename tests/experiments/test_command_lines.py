"""What holds for the command lines of all experiments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

import tests.experiments.ablation.samples
import tests.experiments.deep.samples
import tests.experiments.other_tables.samples
import tests.experiments.peers.samples
import tests.experiments.regression.samples
import tests.experiments.rules_table.samples
import tests.experiments.stability.samples
from experiments.ablation import __main__ as ablation_main
from experiments.ablation.tasks import tasks_for as ablation_tasks
from experiments.deep import __main__ as deep_main
from experiments.harness.store import Document, Store
from experiments.other_tables import __main__ as other_tables_main
from experiments.peers import __main__ as peers_main
from experiments.regression import __main__ as regression_main
from experiments.reproduction import __main__ as reproduction_main
from experiments.rules_table import __main__ as rules_main
from experiments.stability import __main__ as stability_main


@dataclass(frozen=True)
class Experiment:
    """A command line, arguments for a small part of it, and all documents of that part."""

    module: ModuleType
    arguments: Sequence[str]
    documents: dict[str, Document]
    page: str
    needs_interpret: str | None = None


ONE_FOLD = ("--tables", "vehicle", "--folds", "1")
EXPERIMENTS = {
    "rules_table": Experiment(
        rules_main,
        ONE_FOLD,
        {
            f"{each['settings']['literals']}/vehicle/00": each
            for each in tests.experiments.rules_table.samples.pair()
        },
        "rules-table.md",
        "--timing",
    ),
    "regression": Experiment(
        regression_main,
        ONE_FOLD,
        {"folds/vehicle/0": tests.experiments.regression.samples.documents(folds=1)[0]},
        "regression.md",
        "--ebm",
    ),
    "ablation": Experiment(
        ablation_main,
        ("--folds", "1"),
        {
            task.name: tests.experiments.ablation.samples.document(task)
            for task in ablation_tasks(folds=1)
        },
        "ablation.md",
    ),
    "other_tables": Experiment(
        other_tables_main,
        ("--tables", "penguins", "--folds", "1"),
        {"penguins/0": tests.experiments.other_tables.samples.document()},
        "other-tables.md",
    ),
    "peers": Experiment(
        peers_main,
        ONE_FOLD,
        {"vehicle/0": tests.experiments.peers.samples.documents()[0]},
        "peers.md",
    ),
    "stability": Experiment(
        stability_main,
        ("--tables", "vehicle"),
        {
            f"{each['kind']}/vehicle/{each['number']}": each
            for each in tests.experiments.stability.samples.documents()
        },
        "stability.md",
    ),
    "deep": Experiment(
        deep_main,
        ("--seeds", "1", "--folds", "1", "--tables", "vehicle"),
        tests.experiments.deep.samples.stored(seeds=1, folds=1, tables=["vehicle"]),
        "deep.md",
    ),
}


@pytest.fixture(params=EXPERIMENTS)
def experiment(request: pytest.FixtureRequest) -> Experiment:
    return EXPERIMENTS[request.param]


@pytest.fixture
def store(experiment: Experiment, tmp_path: Path) -> Store:
    """A store in which a small part of the experiment is measured already."""
    store = Store(tmp_path)
    store._write(experiment.documents)
    return store


def run(experiment: Experiment, store: Store, *more: str) -> int:
    arguments = [*experiment.arguments, *more, "--workers", "1", "--output", str(store.folder)]
    code: int = experiment.module.main(arguments)
    return code


def test_a_run_with_nothing_left_to_measure_writes_the_page(
    experiment: Experiment, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    before = store.path.read_bytes()
    assert run(experiment, store) == 0
    page = (store.folder / experiment.page).read_text(encoding="utf-8")
    assert capsys.readouterr().out == f"{page}\n"
    assert "Abacus, 2 cores" in page
    assert store.path.read_bytes() == before


@pytest.mark.parametrize("experiment", ["peers", "stability"], indirect=True)
def test_a_table_that_is_named_twice_is_measured_once(
    experiment: Experiment, store: Store
) -> None:
    assert run(experiment, store, "--tables", "vehicle", "vehicle") == 0
    assert store.load().keys() == experiment.documents.keys()
    page = (store.folder / experiment.page).read_text(encoding="utf-8")
    assert f"{len(experiment.documents)} of {len(experiment.documents)} " in page


def test_other_settings_are_one_message_and_exit_code_2(
    experiment: Experiment, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    text = store.path.read_text(encoding="utf-8")
    store.path.write_text(text.replace('"restarts": 3', '"restarts": 4'), encoding="utf-8")
    assert run(experiment, store) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert "restarts was 4 and is 3" in captured.err
    assert "--again" in captured.err


def test_again_forgets_what_is_stored_before_it_begins(
    experiment: Experiment,
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupt(*_: object) -> None:
        assert store.load() == {}
        raise KeyboardInterrupt

    monkeypatch.setattr("experiments.harness.runs.run_tasks", interrupt)
    assert run(experiment, store, "--again") == 130
    assert "continues from here" in capsys.readouterr().err


@pytest.mark.parametrize("experiment", ["rules_table", "regression"], indirect=True)
def test_nothing_is_forgotten_if_the_run_cannot_begin(
    experiment: Experiment,
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert experiment.needs_interpret is not None
    before = store.path.read_bytes()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert run(experiment, store, "--again", experiment.needs_interpret) == 2
    error = capsys.readouterr().err
    assert f"{experiment.needs_interpret} needs interpret-core" in error
    assert "'.[experiments]'" in error
    assert store.path.read_bytes() == before


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        (rules_main, ["--folds", "0"]),
        (rules_main, ["--folds", "31"]),
        (rules_main, ["--tables", "iris"]),
        (rules_main, ["--workers", "0"]),
        (regression_main, ["--folds", "11"]),
        (regression_main, ["--tables", "iris"]),
        (ablation_main, ["--folds", "6"]),
        (ablation_main, ["--part", "3/2"]),
        (other_tables_main, ["--tables", "iris"]),
        (peers_main, ["--folds", "6"]),
        (stability_main, ["--part", "half"]),
        (deep_main, ["--seeds", "101"]),
        (deep_main, ["--only", "depth"]),
        (ablation_main, ["--workers", "none"]),
        (reproduction_main, ["--only", "everything"]),
        (reproduction_main, ["--tables", "iris"]),
    ],
)
def test_arguments_that_make_no_sense_are_refused(
    module: ModuleType, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        module.main(arguments)
    assert exit_.value.code == 2
    assert arguments[0] in capsys.readouterr().err
