"""Targets that are numbers: learned, predicted to the last bit, and explained."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from crisplogic.cli import app
from crisplogic.cli.model import load_frontier, load_rules
from crisplogic.expr import parse
from crisplogic.io import read_table
from crisplogic.rules import Ramp, RegressionRules, Rule
from tests.cli.running import HOUSES, REMARK, Run, assert_refused, learn_quickly

pytestmark = pytest.mark.usefixtures("quick")


FIT = ("--target", "price", "--epochs", "4", "--max-literals", "4")
ONE_EPOCH = ("--epochs", "1", "--max-literals", "3")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A rule for the houses, as a file."""
    rules = RegressionRules(
        features=(HOUSES[0], HOUSES[1], HOUSES[3]),
        memberships=(Ramp(0, 4.0, 5.0), Ramp(1, 60.0, 130.0), Ramp(2, 0.1, 0.7)),
        rules=(Rule("price", parse("0 + (1 & ~2) + ~2")),),
        scale=17.3,
        intercepts=(131.7,),
    )
    path = tmp_path / "price.json"
    rules.save(path)
    return path


def numbers_of(model: Path, table: Path) -> NDArray[np.float64]:
    """What the library predicts."""
    rules = load_rules(model)
    data = read_table(table, columns=[name for name in HOUSES if name in rules.features])
    return rules.predict(data.columns)


@pytest.fixture(scope="module")
def learned(houses: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with all that fit can write, and what it printed."""
    folder = tmp_path_factory.mktemp("learned")
    paths = ("--out", folder / "model", "--plot", folder / "sizes.png")
    arguments = ("fit", houses, *FIT, *paths, "--checkpoint", folder / "c.npz")
    with pytest.MonkeyPatch.context() as patch:
        learn_quickly(patch)
        result = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
    assert (result.exit_code, result.stderr) == (0, REMARK)
    return folder, result.stdout


def test_a_price_is_learned_and_all_commands_take_what_was(
    run: Run, houses: Path, learned: tuple[Path, str]
) -> None:
    folder, printed = learned
    assert sorted(path.name for path in folder.iterdir()) == ["model", "sizes.png"]
    rules = load_rules(folder / "model")
    assert isinstance(rules, RegressionRules)
    assert rules.labels == ("price",)
    for words in (
        rules.describe(notes=False).partition("\n")[0],
        "root mean squared error  ",
        "<- chosen",
        "On the 120 training rows",
        ", always the mean ",
    ):
        assert words in printed
    assert "greatest score" not in printed

    frontier, chosen = load_frontier(folder / "model")
    assert chosen == rules.size
    assert {type(point.rules) for point in frontier} == {RegressionRules}
    assert {point.rules.labels for point in frontier} == {("price",)}
    assert frontier.at(chosen).rules == rules
    words = rules.describe(notes=False)
    assert run("rules", folder / "model", "--quiet").out == f"{words}\n"
    assert "root mean squared error" in run("frontier", folder / "model").out
    assert np.std(numbers_of(folder / "model", houses)) > 1  # that of prices is 30


def test_quiet_and_json_make_no_remark_and_learn_the_same(run: Run, houses: Path) -> None:
    ran, quiet = run("fit", houses, *FIT, "--json"), run("fit", houses, *FIT, "--quiet")
    document = json.loads(ran.out)
    assert (ran.err, quiet.err) == ("", "")
    assert document["description"].startswith(quiet.out.rstrip("\n"))
    assert document["rules"]["predicts"] == "number"
    assert all(size["error"] > 1 for size in document["sizes"])  # in the unit of prices


@pytest.mark.parametrize("kind", ["parquet", "tsv.gz"])
def test_files_of_all_kinds_teach_the_same(
    run: Run, houses: Path, learned: tuple[Path, str], tmp_path: Path, kind: str
) -> None:
    other = tmp_path / f"houses.{kind}"
    with houses.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    if kind == "parquet":
        data = read_table(houses, "price")
        columns = dict(
            zip(data.names, (each.values for each in data.columns.columns), strict=True)
        )
        columns["garden"] = columns["garden"] == 1
        prices = np.array([row[-1] for row in rows[1:]], dtype=float)
        pyarrow.parquet.write_table(pa.table({**columns, "price": prices}), other)
    else:
        with gzip.open(other, "wt", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter="\t").writerows(rows)
    rules = load_rules(learned[0] / "model")
    assert run("fit", other, *FIT, "--quiet").out == f"{rules.describe(notes=False)}\n"


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("cheap", "must hold numbers, got 'cheap'"),
        ("1,5,0", "must hold numbers, got '1,5,0'"),
        ("inf", "must hold finite numbers, got 'inf'"),
        ("none", "is missing ('none'); if this is the name of a class, choose another"),
    ],
)
@pytest.mark.parametrize("command", ["fit", "evaluate"])
def test_a_price_that_is_no_number_is_refused_with_its_line(
    run: Run, tmp_path: Path, command: str, cell: str, expected: str
) -> None:
    path = tmp_path / "prices.csv"
    prices = [*map(str, range(100, 160)), cell, cell]
    path.write_text("rooms;price\n" + "".join(f"{i};{each}\n" for i, each in enumerate(prices)))
    ran = run(command, path, "--target", "price", "--task", "regression")
    assert_refused(ran, f"{path}, line 62: the target 'price' {expected}")


def test_many_numbers_are_no_classes_and_it_says_what_they_are(run: Run, houses: Path) -> None:
    ran = run("fit", houses, *FIT, "--task", "classification")
    assert_refused(ran, "120 different values in 120 rows", "--task regression")


@pytest.mark.parametrize(
    ("task", "predicts"),
    [(None, "class"), ("classification", "class"), ("regression", "number")],
)
def test_few_whole_numbers_are_classes_unless_said_otherwise(
    run: Run, houses: Path, task: str | None, predicts: str
) -> None:
    options = () if task is None else ("--task", task)
    ran = run("fit", houses, "--target", "rooms", *ONE_EPOCH, "--json", *options)
    document = json.loads(ran.out)
    assert document["rules"].get("predicts", "class") == predicts


@pytest.mark.parametrize("rows", ["1,2.5\n", "1,5\n2,5\n3,5\n4,5\n"], ids=["one", "constant"])
def test_a_single_row_and_a_constant_say_what_they_are(
    run: Run, tmp_path: Path, rows: str
) -> None:
    path = tmp_path / "few.csv"
    path.write_text(f"a,y\n{rows}")
    options = ("--target", "y", "--task", "regression", "--epochs", "1")
    ran = run("fit", path, *options, "--quiet")
    text = f"y = {rows.split()[0][2:]}, for every row\n"
    assert (ran.code, ran.out) == (0, text)
    assert text in run("fit", path, *options).out


# --- predicting -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["out.csv", "out.tsv.gz", "out.json", "out.parquet"])
def test_predicted_numbers_are_those_of_the_library_to_the_last_bit(
    run: Run, model: Path, houses: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("crisplogic.io.text.CHUNK_ROWS", 50)
    out = model.with_name(name)
    ran = run("predict", model, houses, "--out", out)
    assert (ran.code, ran.out) == (0, f"wrote 120 predictions to {out}\n")
    found: list[float]
    if name.endswith("parquet"):
        column = pyarrow.parquet.read_table(out).column("prediction")
        assert column.type == pa.float64()
        found = column.to_pylist()
    elif name.endswith("json"):
        document = json.loads(out.read_text())
        assert document["number"] == "price"
        found = [row["predicted"] for row in document["predictions"]]
    else:
        content = out.read_bytes()
        text = gzip.decompress(content) if name.endswith("gz") else content
        header, *lines = text.decode().splitlines()
        assert header == "prediction"
        found = [float(line) for line in lines]
    assert found == numbers_of(model, houses).tolist()


def test_standard_output_gets_what_a_file_does(run: Run, model: Path, houses: Path) -> None:
    for name, option in (("out.csv", ()), ("out.json", ("--json",))):
        out = model.with_name(name)
        assert run("predict", model, houses, "--out", out).code == 0
        assert run("predict", model, houses, *option).out == out.read_text()


def test_json_beside_a_file_says_how_large_the_numbers_are(
    run: Run, model: Path, houses: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crisplogic.io.text.CHUNK_ROWS", 50)
    out = model.with_name("out.csv")
    document = json.loads(run("predict", model, houses, "--out", out, "--json").out)
    numbers = numbers_of(model, houses)
    assert (document["rows"], document["out"]) == (120, str(out))
    assert (document["min"], document["max"]) == (numbers.min(), numbers.max())
    assert document["mean"] == pytest.approx(numbers.mean())


def test_a_table_without_rows_has_no_predictions(run: Run, model: Path) -> None:
    table, out = model.with_name("none.csv"), model.with_name("out.csv")
    table.write_text('rooms;area, m2;"""; DROP TABLE"\n')
    assert run("predict", model, table).out == "prediction\n"
    document = {
        "number": "price",
        "predictions": [],
        "remarks": [],
        "unseen": {},
    }
    assert json.loads(run("predict", model, table, "--json").out) == document
    summary = json.loads(run("predict", model, table, "--json", "--out", out).out)
    assert (summary["rows"], summary["min"], summary["mean"]) == (0, None, None)


def test_a_number_has_no_probability(run: Run, model: Path, houses: Path) -> None:
    out = model.with_name("out.csv")
    for where in ((), ("--out", out)):
        ran = run("predict", model, houses, "--proba", *where)
        assert_refused(ran, "--proba needs classes", "predict a number, 'price'")
    assert not out.exists()


# --- looking at it ----------------------------------------------------------------------------


def test_a_row_is_explained_in_the_units_of_the_number(
    run: Run, model: Path, houses: Path
) -> None:
    told = run("explain", model, houses, "--row", "3").out
    assert told.startswith("predicted: price = ")
    assert "+131.70" in told
    (row,) = json.loads(run("explain", model, houses, "--row", "3", "--json").out)["rows"]
    assert row["predicted"] == numbers_of(model, houses)[2]


def test_smaller_rules_of_a_number_can_be_taken(
    run: Run, houses: Path, learned: tuple[Path, str], tmp_path: Path
) -> None:
    folder, small = learned[0] / "model", tmp_path / "small.json"
    assert run("frontier", folder, "--at", "1", "--out", small).code == 0
    assert (load_rules(small).size, load_rules(small).labels) == (1, ("price",))
    assert run("predict", small, houses).code == 0
    sizes = json.loads(run("frontier", folder, "--json").out)["sizes"]
    assert [size["literals"] for size in sizes] == [
        point.size for point in load_frontier(folder)[0]
    ]
