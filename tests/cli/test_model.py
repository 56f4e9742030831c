"""Models on disk: complete or not there, and refused if they are no models."""

from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from pathlib import Path

import pytest

from crisplogic.cli import model as models
from crisplogic.cli.model import Origin, check_can_save, load_frontier, load_rules, save
from crisplogic.rules import RuleSet
from tests.cli.running import TABLE, Run, assert_refused, fit_result, rule_set, small_rules


def test_a_folder_holds_rules_rules_of_all_sizes_and_a_report(folder: Path) -> None:
    assert sorted(os.listdir(folder)) == ["frontier.json", "report.txt", "rules.json"]
    assert os.listdir(folder.parent) == ["model"]  # nothing temporary is left
    assert load_rules(folder) == rule_set()
    frontier, chosen = load_frontier(folder)
    assert [point.rules for point in frontier] == [small_rules(), rule_set()]
    assert frontier[1] == fit_result().frontier[1]
    assert chosen == rule_set().size
    for line in rule_set().to_text().splitlines():
        assert line.split(" + ")[0] in (folder / "report.txt").read_text(encoding="utf-8")


def origin(rules: RuleSet) -> Origin:
    return Origin.of(rules.predicts, rules.labels, rules.features)


def test_a_model_keeps_its_baseline_and_an_older_one_has_none(run: Run, folder: Path) -> None:
    result = fit_result()
    save(str(folder), replace(result, frontier=replace(result.frontier, baseline=0.375)))
    assert load_frontier(folder)[0].baseline == 0.375
    assert "always the most frequent class: 37.5%" in run("frontier", folder).out
    assert json.loads(run("frontier", folder, "--json").out)["baseline"] == 0.375
    file = folder / "frontier.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    del document["baseline"]
    file.write_text(json.dumps(document), encoding="utf-8")
    assert math.isnan(load_frontier(folder)[0].baseline)
    assert json.loads(run("frontier", folder, "--json").out)["baseline"] is None


def test_a_model_is_replaced_as_a_whole(folder: Path) -> None:
    (folder / "report.txt").unlink()
    check_can_save(str(folder), origin=origin(rule_set()), force=False)
    save(str(folder), fit_result())
    assert len(os.listdir(folder)) == 3
    assert os.listdir(folder.parent) == ["model"]


@pytest.mark.parametrize("at", ["result_text", "frontier_json"])
def test_a_model_that_cannot_be_written_leaves_the_old_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def fails(*_: object, **__: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(f"{models.__name__}.{at}", fails)
    with pytest.raises(OSError, match="no space left"):
        save(str(folder), fit_result())
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert os.listdir(folder.parent) == ["model"]


def test_a_model_whose_replacement_was_killed_is_found_again(run: Run, folder: Path) -> None:
    # The state between the two steps of a system that cannot swap folders in one.
    aside = folder.with_name(".model.ab12cd34")
    aside.mkdir()
    folder.rename(aside / "old")
    assert run("rules", folder).code == 0
    assert run("frontier", folder).code == 0
    assert os.listdir(folder.parent) == ["model"]


# --- models of other tables -------------------------------------------------------------------


@pytest.mark.usefixtures("never_trains")
@pytest.mark.parametrize("to_file", [False, True], ids=["folder", "file"])
def test_fit_overwrites_no_model_of_another_target(
    run: Run, table: Path, folder: Path, to_file: bool
) -> None:
    out = folder.with_name("other.json") if to_file else folder
    if to_file:
        rule_set().save(out)
    ran = run("fit", table, "--target", "ill", "--out", out)
    assert_refused(ran, str(out), "predict class 'ja', 'nein ⊕', not class 'no'", "--force")
    assert load_rules(out) == rule_set()


@pytest.mark.usefixtures("never_trains")
def test_fit_overwrites_no_model_of_another_table_and_no_other_file(
    run: Run, table: Path
) -> None:
    rules = small_rules().rename(labels={"ja": "yes", "nein ⊕": "no"})
    out, note = table.with_name("rules.json"), table.with_name("note.json")
    rules.save(out)
    note.write_text("years of work")
    ran = run("fit", table, "--target", "ill", "--out", out)
    assert_refused(ran, str(out), "another table", "'größe'", "--force")
    assert_refused(run("fit", table, "--target", "ill", "--out", note), "no rule file")
    assert note.read_text() == "years of work"


@pytest.mark.usefixtures("quick")
def test_a_model_is_learned_again_with_more_or_fewer_columns_or_by_force(
    run: Run, table: Path
) -> None:
    out, options = table.with_name("model"), ("--target", "ill", "--epochs", "1")
    for more in ((), (), ("--drop", "bmi"), ()):
        assert run("fit", table, *options, *more, "--out", out).code == 0
    again = ("--target", "bmi", "--task", "regression", "--epochs", "1", "--out", out)
    table.write_text(table.read_text().replace("41,,", "41,25,"))
    assert_refused(run("fit", table, *again), "--force")
    assert run("fit", table, *again, "--force").code == 0
    assert load_rules(out).labels == ("bmi",)


# --- rules of another size --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["model/", "model", "model/rules.json"])
def test_another_size_of_a_model_is_written_with_its_report(
    run: Run, folder: Path, name: str
) -> None:
    out = f"{folder.parent}{os.sep}{name}"
    assert run("frontier", folder, "--at", "1", "--out", out).code == 0
    assert load_rules(folder) == small_rules()
    frontier, chosen = load_frontier(folder)
    assert (len(frontier), chosen) == (2, small_rules().size)
    report = (folder / "report.txt").read_text(encoding="utf-8")
    assert small_rules().to_text().splitlines()[0] in report
    assert "Rules: 1 literal," in report


def test_rules_of_another_size_overwrite_nothing_else(run: Run, folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for name in ("frontier.json", "report.txt"):
        ran = run("frontier", folder, "--at", "1", "--out", folder / name)
        assert_refused(ran, name, "overwrite")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_predict_overwrites_no_file_of_its_model(run: Run, folder: Path, rows: Path) -> None:
    for name in ("rules.json", "frontier.json"):
        assert_refused(run("predict", folder, rows, "--out", folder / name), "overwrite")
    assert load_rules(folder) == rule_set()


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
