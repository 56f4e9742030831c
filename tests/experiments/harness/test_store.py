from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import experiments
from experiments.harness.store import SettingsChangedError, Store

# Ends, as if killed, when all is written but the file is not renamed yet.
KILLED_WHILE_WRITING = """
import os, sys
from pathlib import Path
from experiments.harness.store import Store
os.replace = lambda *_: os._exit(9)
Store(Path(sys.argv[1])).add("vehicle/01", {"fold": 1})
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results")


def test_an_empty_store_has_no_documents(store: Store) -> None:
    assert store.load() == store.find({"vehicle/00": {}}) == {}


def test_documents_come_back_as_they_were_added(store: Store) -> None:
    first, second = {"fold": 0, "text": "a\u2028b\nü", "loss": 0.1 + 0.2}, {"fold": 1}
    store.add("vehicle/00", first)
    store.add("vehicle/01", second)
    assert store.load() == {"vehicle/00": first, "vehicle/01": second}
    assert store.find({"vehicle/01": {"fold": 1}, "vehicle/02": {}}) == {"vehicle/01": second}


def test_lines_are_sorted_by_name_whatever_came_first(store: Store) -> None:
    for name in ("b/1", "a/2", "a/1"):
        store.add(name, {})
    lines = store.path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["name"] for line in lines] == ["a/1", "a/2", "b/1"]


def test_a_document_replaces_another_of_its_name(store: Store) -> None:
    store.add("some", {"fold": 0})
    store.add("some", {"fold": 1})
    assert store.load() == {"some": {"fold": 1}}


def test_other_settings_are_an_error_that_names_them_and_the_way_out(store: Store) -> None:
    store.add("some", {"settings": {"epochs": 30, "width": 8}})
    with pytest.raises(SettingsChangedError, match="--again") as caught:
        store.find({"some": {"settings": {"epochs": 7, "width": 8}}})
    assert "epochs was 30 and is 7" in str(caught.value)
    assert "width" not in str(caught.value)


def test_an_added_or_removed_setting_is_a_difference(store: Store) -> None:
    store.add("some", {"settings": {"old": 1}})
    with pytest.raises(SettingsChangedError, match="new is new; settings: old was 1"):
        store.find({"some": {"settings": {"new": 1}}})


def test_a_new_setting_that_is_not_used_is_no_difference(store: Store) -> None:
    store.add("some", {"settings": {"old": 1}})
    assert store.find({"some": {"settings": {"old": 1, "new": None, "other": False}}})


def test_a_forgotten_document_is_gone_and_an_unknown_name_is_no_error(store: Store) -> None:
    store.forget(["unknown"])
    store.add("some", {})
    store.add("other", {})
    store.forget(["some", "unknown"])
    assert store.load() == {"other": {}}


def test_a_killed_run_leaves_the_file_as_it_was(store: Store) -> None:
    store.add("vehicle/00", {"fold": 0})
    before = store.path.read_bytes()
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_WHILE_WRITING, str(store.folder)],
        cwd=Path(str(experiments.__file__)).parents[1],
        check=False,
    )
    assert killed.returncode == 9
    assert store.path.read_bytes() == before


def test_a_number_that_json_does_not_know_is_refused_and_changes_nothing(store: Store) -> None:
    store.add("some", {"loss": 0.5})
    with pytest.raises(ValueError, match="not JSON compliant"):
        store.add("some", {"loss": float("nan")})
    assert store.load() == {"some": {"loss": 0.5}}
    assert list(store.folder.iterdir()) == [store.path]


@pytest.mark.parametrize("line", ['{"name": "other", "fold": ', "[]", "", "1", '{"fold": 1}'])
def test_a_damaged_line_is_named(store: Store, line: str) -> None:
    store.add("some", {})
    with store.path.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    with pytest.raises(ValueError, match=r"line 2 of .*measurements\.jsonl .*remove it"):
        store.load()


def test_two_lines_of_one_name_are_refused(store: Store) -> None:
    store.add("some", {})
    store.path.write_text(store.path.read_text() * 2)
    with pytest.raises(ValueError, match="two lines named some"):
        store.load()
