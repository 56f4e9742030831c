"""Folders, patterns and several files on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crisplogic.rules import RuleSet
from tests.cli.running import Run
from tests.streaming.tables import make_table, write_file, write_files

ROWS = 240
QUICK = ("--epochs", "2", "--max-literals", "3", "--drop", "score", "--drop", "w")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("big"), make_table(ROWS), 3)


def test_a_folder_that_fits_into_the_sample_is_learned_as_one_file(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    alone = write_file(tmp_path / "all.parquet", make_table(ROWS))
    found = [
        run("fit", where, "--target", "ill", *QUICK, "--json")
        for where in (folder, f"{folder}/*.parquet", alone)
    ]
    assert all(each.code == 0 for each in found)
    documents = [json.loads(each.out) for each in found]
    assert documents[0] == documents[1] == documents[2]


def test_figures_are_of_all_rows(run: Run, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    ran = run(
        "fit", folder, "--target", "ill", *QUICK, "--sample-rows", "100", "--out", f"{out}/"
    )
    assert ran.code == 0
    assert "On all 240 rows, 60 of which the rules were made from:" in ran.out
    assert "(on 180 rows that were not learned from)" in ran.out
    assert sorted(path.name for path in out.iterdir()) == [
        "frontier.json",
        "report.txt",
        "rules.json",
    ]


def test_json_has_the_figures_of_all_rows(run: Run, folder: Path) -> None:
    files = sorted(folder.iterdir())
    ran = run("fit", *files, "--target", "score", *QUICK[:4], "--sample-rows", "100", "--json")
    found = json.loads(ran.out)
    assert (found["rows"], found["task"]) == (ROWS, "regression")
    assert found["all_rows"]["learned"] == 60
    assert found["all_rows"]["error"] == found["training_rows"]["rmse"]
    assert found["text"].startswith("score = ")


def test_predictions_of_a_folder_are_those_of_its_files(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.json"
    assert run("fit", folder, "--target", "ill", *QUICK, "--out", rules).code == 0
    out = tmp_path / "all.csv"
    assert run("predict", rules, folder, "--id", "age", "--out", out).code == 0
    alone = []
    for path in sorted(folder.iterdir()):
        part = tmp_path / "part.csv"
        assert run("predict", rules, path, "--id", "age", "--out", part).code == 0
        alone += part.read_text().splitlines()[1:]
    assert out.read_text().splitlines()[1:] == alone
    labels = {line.rsplit(",", 1)[1] for line in alone}
    assert labels == set(RuleSet.load(rules).labels)


def test_files_that_differ_cannot_be_written_beside_each_other(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.json"
    run("fit", folder, "--target", "ill", *QUICK, "--out", rules)
    (tmp_path / "in").mkdir()
    made = make_table(40)
    write_file(tmp_path / "in" / "a.parquet", made)
    write_file(tmp_path / "in" / "b.parquet", made.drop_columns(["score"]))
    out = tmp_path / "out.csv"
    ran = run("predict", rules, tmp_path / "in", "--append", "--out", out)
    assert ran.code == 2
    assert "b.parquet: its columns are not those of the files before" in ran.err
    assert not out.exists()


def test_an_evaluation_of_a_sample_says_so(run: Run, folder: Path) -> None:
    ran = run(
        *("evaluate", folder, "--target", "ill", *QUICK, "--sample-rows", "100"),
        *("--folds", "2", "--repeats", "1"),
    )
    assert ran.code == 0
    assert "evaluated on a sample of 100 of 240 rows" in ran.err
    assert ran.out.startswith("100 rows, 2 folds")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere"),
        (["*.nothing"], "no file has a name like this"),
        (["FOLDER", "--no-stream"], "--no-stream needs one file"),
        (["FOLDER", "--up", "nope"], "--up"),
    ],
)
def test_what_cannot_be_done_is_one_error(
    run: Run, folder: Path, arguments: list[str], message: str
) -> None:
    given = [str(folder) if each == "FOLDER" else each for each in arguments]
    ran = run("fit", *given, "--target", "ill", *QUICK)
    assert ran.code in (1, 2)
    assert message in ran.err
    assert ran.out == ""


def test_columns_that_never_vary_are_refused(run: Run, tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("x,ill\n1,yes\n1,no\n")
    ran = run("fit", tmp_path, "--target", "ill")
    assert ran.code == 2
    assert "a.csv and 1 more file: nothing can be learned from columns that hold" in ran.err


def test_a_large_file_is_read_in_batches_if_asked_for(run: Run, tmp_path: Path) -> None:
    path = write_file(tmp_path / "all.csv", make_table(ROWS))
    ran = run("fit", path, "--target", "ill", *QUICK, "--stream", "--sample-rows", "100")
    assert ran.code == 0
    assert "On all 240 rows, 60 of which" in ran.out
