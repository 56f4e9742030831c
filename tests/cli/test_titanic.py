"""From a CSV file to readable rules with one command: columns of every kind."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from crisplogic.cli import app
from crisplogic.datasets import make_titanic, save_titanic
from crisplogic.rules import RuleSet
from tests.cli.running import Run, assert_refused, learn_quickly


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with the table and a model, and what was printed."""
    folder = tmp_path_factory.mktemp("titanic")
    save_titanic(folder / "titanic.csv", rows=400)
    arguments = ["fit", str(folder / "titanic.csv"), "--target", "survived"]
    options = ["--epochs", "5", "--max-literals", "5", "--out", str(folder / "model")]
    with pytest.MonkeyPatch.context() as patch:
        learn_quickly(patch)
        result = CliRunner().invoke(app, [*arguments, *options], catch_exceptions=False)
    assert result.exit_code == 0
    assert result.stderr == "left out, values nearly all distinct: 'name'\n\n"
    return folder, result.stdout


def test_the_rules_speak_of_who_was_saved(learned: tuple[Path, str]) -> None:
    folder, printed = learned
    assert "sex is female" in printed or "sex is male" in printed
    assert (folder / "model" / "report.txt").read_text(encoding="utf-8")[:200] in printed
    rules = RuleSet.load(folder / "model" / "rules.json")
    assert rules.features == ("class", "sex", "age", "alone", "fare", "port", "cabin")
    assert rules.size <= 8


def test_they_predict_well_from_the_same_file_or_a_stranger_one(
    run: Run, learned: tuple[Path, str], tmp_path: Path
) -> None:
    folder, _ = learned
    save_titanic(tmp_path / "new.csv", rows=500, seed=1)
    lines = run("predict", folder / "model", tmp_path / "new.csv").out.splitlines()[1:]
    truth = make_titanic(rows=500, seed=1)["survived"]
    wrong = sum(line != label for line, label in zip(lines, truth, strict=True))
    assert wrong / 500 < 0.18  # always "no" would err on a quarter; a tenth is drawn by lot


def test_parquet_gives_the_same_predictions(run: Run, learned: tuple[Path, str]) -> None:
    folder, _ = learned
    table = make_titanic(rows=400)
    table["alone"] = [cell == "true" for cell in table["alone"]]
    pyarrow.parquet.write_table(pa.table(table), folder / "titanic.parquet")
    files = (folder / "titanic.parquet", folder / "titanic.csv")
    first, second = (run("predict", folder / "model", file, "--proba") for file in files)
    assert first == second


def test_a_row_is_explained_in_words(run: Run, learned: tuple[Path, str]) -> None:
    folder, _ = learned
    told = run("explain", folder / "model", folder / "titanic.csv", "--row", "5").out
    assert "sex is " in told


def test_names_that_are_asked_for_are_refused_in_words(
    run: Run, learned: tuple[Path, str]
) -> None:
    ran = run("fit", learned[0] / "titanic.csv", "--target", "survived", "--category", "name")
    assert_refused(ran, "'name'", "400 different texts in 400 rows", "leave it out")


def test_json_and_quiet_say_the_same_in_fewer_words(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn_quickly(monkeypatch)
    table = tmp_path / "few.csv"
    save_titanic(table, rows=60)
    options = ("--target", "survived", "--epochs", "1")
    ran = run("fit", table, *options, "--json", "--out", tmp_path / "model")
    document = json.loads(ran.out)
    assert (ran.err, document["rows"], document["out"]) == ("", 60, str(tmp_path / "model"))
    rules = RuleSet.from_json(json.dumps(document["rules"]))
    assert rules == RuleSet.load(tmp_path / "model" / "rules.json")
    assert document["literals"] == rules.size
    assert document["left_out"] == ["name"]
    assert rules.size in [size["literals"] for size in document["sizes"]]
    words = rules.describe(notes=False)
    assert run("fit", table, *options, "--quiet").out == f"{words}\n"
