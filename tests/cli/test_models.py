"""Models in folders: the rules of all sizes, and what is looked at in them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from crisplogic.cli import model as models
from crisplogic.cli.model import check_can_save, load_frontier, load_rules, save
from crisplogic.cli.tables import Lesson
from crisplogic.expr import parse
from crisplogic.rules import (
    ClassificationRules,
    ClassSnapReport,
    Frontier,
    Membership,
    Rule,
    RuleSet,
)
from crisplogic.rules.frontier import Point
from tests.cli.running import Run, assert_refused, rule_set, write_rows


def small() -> RuleSet:
    rules = Rule("ja", parse("0")), Rule("nein ⊕", parse("false"))
    return ClassificationRules(rule_set().features, (Membership(3, 0.0, 10.0),), rules)


def lesson() -> Lesson:
    points = Point(small(), 0.25), Point(rule_set(), 0.125, 0.2, 0.1, 0.01)
    report = ClassSnapReport.compare([], *([[0, 1]] * 3))  # type: ignore[arg-type]
    return Lesson(rule_set(), Frontier(points), report)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "model"
    save(f"{path}{os.sep}", lesson())
    return path


# --- writing and reading ----------------------------------------------------------------------


def test_a_folder_holds_rules_rules_of_all_sizes_and_a_report(folder: Path) -> None:
    assert sorted(os.listdir(folder)) == ["frontier.json", "report.txt", "rules.json"]
    assert os.listdir(folder.parent) == ["model"]  # nothing temporary is left
    assert load_rules(folder) == rule_set()
    frontier, chosen = load_frontier(folder)
    assert [point.rules for point in frontier] == [small(), rule_set()]
    assert frontier[1] == lesson().frontier[1]
    assert chosen == rule_set().size
    for line in str(rule_set()).splitlines():
        assert line.split(" + ")[0] in (folder / "report.txt").read_text(encoding="utf-8")


def test_a_model_is_replaced_as_a_whole(folder: Path) -> None:
    (folder / "report.txt").unlink()
    check_can_save(str(folder))
    save(str(folder), lesson())
    assert len(os.listdir(folder)) == 3
    assert os.listdir(folder.parent) == ["model"]


@pytest.mark.parametrize("at", ["lesson_text", "frontier_json", "_put", "os.rename"])
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
        save(str(folder), lesson())
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
        run("frontier", model), "holds no rules of several sizes", "fit --out model/"
    )


# --- looking at it ----------------------------------------------------------------------------


def test_rules_of_a_folder_are_printed_as_those_of_a_file(
    run: Run, folder: Path, model: Path
) -> None:
    assert run("rules", folder) == run("rules", model)
    assert run("rules", folder, "--quiet").out == f"{rule_set()}\n"
    document = json.loads(run("rules", folder, "--json").out)
    assert document["text"] == str(rule_set())
    assert RuleSet.from_json(json.dumps(document["rules"])) == rule_set()


def test_a_frontier_is_error_against_size(run: Run, folder: Path) -> None:
    printed = run("frontier", folder).out.splitlines()
    assert printed[0].startswith("literals  error")
    assert [line.split()[:2] for line in printed[1:]] == [
        ["1", "25.0%"],
        [str(rule_set().size), "12.5%"],
    ]
    assert printed[2].endswith("20.0%  <- chosen")
    document = json.loads(run("frontier", folder, "--json").out)
    assert document["chosen"] == rule_set().size
    assert [size["held_out_error"] for size in document["sizes"]] == [None, 0.2]


def test_smaller_rules_are_printed_and_written(run: Run, folder: Path) -> None:
    assert "ja       = age" in run("frontier", folder, "--at", "3").out
    assert run("frontier", folder, "--at", "3", "--quiet").out == f"{small()}\n"
    out = folder.with_name("small.json")
    ran = run("frontier", folder, "--at", "3", "--out", out)
    assert (ran.code, ran.out) == (0, f"wrote rules of 1 literals to {out}\n")
    assert RuleSet.load(out) == small()
    written = json.loads(run("frontier", folder, "--at", "3", "--out", out, "--json").out)
    assert written["out"] == str(out)


def test_sizes_that_there_are_not_and_files_without_a_size_are_refused(
    run: Run, folder: Path
) -> None:
    assert_refused(run("frontier", folder, "--at", "0"), "no rules of at most 0 literals")
    assert_refused(run("frontier", folder, "--out", "small.json"), "it needs --at")


# --- explaining -------------------------------------------------------------------------------


def test_rows_are_explained_as_the_library_does(run: Run, folder: Path, rows: Path) -> None:
    predicted = run("predict", folder, rows).out.splitlines()[1:]
    for row in (1, 4, 30):
        told = run("explain", folder, rows, "--row", str(row))
        assert told.code == 0
        label = predicted[row - 1].strip('"')
        assert told.out.startswith("predicted: ")
        assert label in told.out.splitlines()[0].partition(";")[0]
    assert run("explain", folder, rows).out == run("explain", folder, rows, "--row", "1").out


def test_several_rows_come_in_their_order(
    run: Run, folder: Path, rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crisplogic.io.text.CHUNK_ROWS", 7)
    ran = run("explain", folder, rows, "--row", "20", "--row", "3", "--row", "20")
    assert [line for line in ran.out.splitlines() if line[:4] == "row "] == ["row 3", "row 20"]
    one = run("explain", folder, rows, "--row", "20").out
    assert ran.out.endswith(one)
    document = json.loads(run("explain", folder, rows, "--row", "3", "--json").out)
    assert [row["row"] for row in document["rows"]] == [3]
    assert document["rows"][0]["predicted"] in rule_set().labels


def test_a_row_that_there_is_not_is_refused(run: Run, folder: Path, rows: Path) -> None:
    assert_refused(run("explain", folder, rows, "--row", "31"), "it has 30 rows", "no row 31")
    assert_refused(run("explain", folder, rows, "--row", "0"), "'--row'")


def test_columns_that_no_rule_mentions_need_not_be_there(run: Run, tmp_path: Path) -> None:
    path, table = tmp_path / "small.json", write_rows(tmp_path / "ages.csv", ("age",))
    small().save(path)
    assert run("predict", path, table).code == 0
    assert run("explain", path, table).code == 0
