from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import experiments
from experiments.harness.store import SettingsChangedError, Store

# Ends, as if killed, when all is written but the file has not got its name yet.
KILLED_WHILE_WRITING = """
import os, sys
from pathlib import Path
from experiments.harness.store import Store
os.replace = lambda *_: os._exit(9)
Store(Path(sys.argv[1])).write("folds/vehicle/00", {"fold": 0})
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results")


def test_what_is_not_there_is_nothing(store: Store) -> None:
    assert store.read("folds/vehicle/00", {}) is None


def test_other_settings_are_an_error_that_names_them_and_the_way_out(store: Store) -> None:
    store.write("some", {"settings": {"epochs": 30, "width": 8}})
    with pytest.raises(SettingsChangedError, match="--again") as caught:
        store.read("some", {"settings": {"epochs": 7, "width": 8}})
    assert "epochs was 30 and is 7" in str(caught.value)
    assert "width" not in str(caught.value)


def test_a_setting_that_came_or_went_is_a_difference(store: Store) -> None:
    store.write("some", {"settings": {"old": 1}})
    with pytest.raises(SettingsChangedError, match="new is new; settings: old was 1"):
        store.read("some", {"settings": {"new": 1}})


def test_a_new_setting_that_is_not_used_is_no_difference(store: Store) -> None:
    store.write("some", {"settings": {"old": 1}})
    assert store.read("some", {"settings": {"old": 1, "new": None, "other": False}}) is not None


def test_a_forgotten_fold_is_gone_and_one_that_never_was_is_no_error(store: Store) -> None:
    store.write("some", {})
    store.forget(["some", "other"])
    assert store.read("some", {}) is None


def test_a_killed_run_leaves_no_half_file(store: Store) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_WHILE_WRITING, str(store.folder)],
        cwd=Path(str(experiments.__file__)).parents[1],
        check=False,
    )
    assert killed.returncode == 9
    assert list(store.folder.rglob("[!.]*.json")) == []
    assert store.read("folds/vehicle/00", {}) is None


def test_a_number_that_json_does_not_know_is_refused_and_leaves_nothing(store: Store) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        store.write("some", {"loss": float("nan")})
    assert list(store.folder.rglob("*.json")) == []


@pytest.mark.parametrize("text", ['{"fold": ', "[]", ""])
def test_a_damaged_file_is_named(store: Store, text: str) -> None:
    store.write("some", {})
    (store.folder / "some.json").write_text(text)
    with pytest.raises(ValueError, match=r"some\.json .*remove it"):
        store.read("some", {})


def test_documents_are_text_that_any_reader_of_json_takes(store: Store) -> None:
    store.write("some", {"error": 0.25, "text": "ü"})

    def refuse(constant: str) -> None:
        pytest.fail(f"{constant} is no JSON")

    json.loads((store.folder / "some.json").read_text(), parse_constant=refuse)
