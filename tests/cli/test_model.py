"""Models on disk: complete or not there, and refused if they are no models."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from crisplogic.cli import model as models
from crisplogic.cli.model import check_can_save, load_frontier, load_rules, save
from tests.cli.running import TABLE, Run, assert_refused, fit_result, rule_set, small_rules


def test_a_folder_holds_rules_rules_of_all_sizes_and_a_report(folder: Path) -> None:
    assert sorted(os.listdir(folder)) == ["frontier.json", "report.txt", "rules.json"]
    assert os.listdir(folder.parent) == ["model"]  # nothing temporary is left
    assert load_rules(folder) == rule_set()
    frontier, chosen = load_frontier(folder)
    assert [point.rules for point in frontier] == [small_rules(), rule_set()]
    assert frontier[1] == fit_result().frontier[1]
    assert chosen == rule_set().size
    for line in str(rule_set()).splitlines():
        assert line.split(" + ")[0] in (folder / "report.txt").read_text(encoding="utf-8")


def test_a_model_is_replaced_as_a_whole(folder: Path) -> None:
    (folder / "report.txt").unlink()
    check_can_save(str(folder))
    save(str(folder), fit_result())
    assert len(os.listdir(folder)) == 3
    assert os.listdir(folder.parent) == ["model"]


@pytest.mark.parametrize("at", ["result_text", "frontier_json", "_replace", "os.rename"])
def test_a_model_that_cannot_be_written_leaves_the_old_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    calls = []
    rename = os.rename

    def fails(*paths: object, **_: object) -> None:
        calls.append(paths)
        if at == "os.rename" and len(calls) != 2:  # the old one is put aside, the new one fails
            return rename(*paths)  # type: ignore[arg-type]
        raise OSError("no space left")

    monkeypatch.setattr(f"{models.__name__}.{at}", fails)
    with pytest.raises(OSError, match="no space left"):
        save(str(folder), fit_result())
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert os.listdir(folder.parent) == ["model"]


def test_a_folder_with_other_files_is_never_replaced(run: Run, table: Path) -> None:
    folder = table.with_name("model")
    folder.mkdir()
    (folder / "thesis.doc").write_text("years of work")
    ran = run("fit", table, "--target", "ill", "--out", folder)
    assert_refused(ran, str(folder), "other files in it (thesis.doc)")
    assert os.listdir(folder) == ["thesis.doc"]


def test_a_file_where_a_folder_is_asked_for_is_refused(run: Run, table: Path) -> None:
    ran = run("fit", table, "--target", "ill", "--out", f"{table}{os.sep}")
    assert_refused(ran, "this is a file, not a folder")


@pytest.mark.parametrize("command", ["rules", "frontier"])
def test_a_folder_that_is_no_model_is_refused_by_name(
    run: Run, tmp_path: Path, command: str
) -> None:
    assert_refused(run(command, tmp_path), str(tmp_path), "so it is no model")


@pytest.mark.parametrize("value", [None, [], {}, "text", -1, 1e999, True, [{}], [{"rules": 1}]])
def test_no_value_in_a_frontier_file_gives_a_traceback(
    run: Run, folder: Path, value: object
) -> None:
    file = folder / "frontier.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    for changed in (
        *({**document, key: value} for key in document),
        {**document, "points": [{**document["points"][0], "error": value}]},
        value,
    ):
        file.write_text(json.dumps(changed), encoding="utf-8")
        ran = run("frontier", folder)
        assert ran.code in (0, 2)
        assert (ran.code == 2) == ran.err.startswith("error: ")


def test_a_rule_file_has_no_rules_of_other_sizes(run: Run, model: Path) -> None:
    assert_refused(
        run("frontier", model), "does not hold rules of several sizes", "fit --out model/"
    )


# --- rule files from strangers ----------------------------------------------------------------


@pytest.mark.parametrize("name", ["rules", "predict"])
def test_a_rule_file_cut_short_is_refused(run: Run, model: Path, rows: Path, name: str) -> None:
    text = model.read_text(encoding="utf-8")
    inputs = (model, rows) if name == "predict" else (model,)
    for length in range(0, len(text) - 2, 23):
        model.write_text(text[:length], encoding="utf-8")
        assert_refused(run(name, *inputs), str(model), "no crisplogic rule file")


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe\x00",
        b"[]",
        b"null",
        b"{}",
        b"[" * 100_000,
        b'{"format": "crisplogic.rules", "version": 99}',
        TABLE.encode(),
    ],
    ids=["binary", "list", "null", "empty", "deep", "newer", "table"],
)
def test_what_is_no_rule_file_is_refused(run: Run, model: Path, content: bytes) -> None:
    model.write_bytes(content)
    assert_refused(run("rules", model), str(model), "no crisplogic rule file")


def test_no_rule_file_and_a_folder_are_refused_by_name(
    run: Run, rows: Path, tmp_path: Path
) -> None:
    for path in (tmp_path / "nosuch.json", tmp_path):
        for arguments in (("rules", path), ("predict", path, rows)):
            assert_refused(run(*arguments), str(path))


@pytest.mark.parametrize("value", [None, [], {}, "text", -1, 1e999, True, 10**400])
def test_no_value_in_a_rule_file_gives_a_traceback(
    run: Run, model: Path, rows: Path, value: object
) -> None:
    document = json.loads(model.read_text(encoding="utf-8"))
    for key in document:
        model.write_text(json.dumps({**document, key: value}), encoding="utf-8")
        ran = run("predict", model, rows)
        assert ran.code in (0, 2)
        assert (ran.code == 2) == ran.err.startswith("error: ")
