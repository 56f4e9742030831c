"""Targets that are numbers: learned, kept, predicted to the last bit, and looked at."""

from __future__ import annotations

import csv
import gzip
import json
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from numpy.typing import NDArray

from crisplogic.cli.model import load_frontier, load_rules
from crisplogic.estimators import LogicRegressor
from crisplogic.expr import parse
from crisplogic.io import read_table
from crisplogic.rules import Membership, Ramp, RegressionRules, Rule
from tests.cli.running import HOUSES, Run, assert_refused, write_houses

QUICK = partial(LogicRegressor, restarts=1, folds=2)
REMARK = "'price' is learned as a number (--task classification: as classes)\n\n"
FIT = ("--target", "price", "--epochs", "4")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crisplogic.estimators.LogicRegressor", QUICK)


@pytest.fixture(scope="module")
def houses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_houses(tmp_path_factory.mktemp("houses") / "houses.csv")


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


# --- learning ---------------------------------------------------------------------------------


def test_a_price_is_learned_and_all_commands_take_what_was(
    run: Run, houses: Path, tmp_path: Path
) -> None:
    folder, picture = tmp_path / "model", tmp_path / "sizes.png"
    kept = ("--out", folder, "--plot", picture, "--checkpoint", tmp_path / "c.npz")
    ran = run("fit", houses, *FIT, *kept)
    assert (ran.code, ran.err) == (0, REMARK)
    rules = load_rules(folder)
    assert (rules.predicts, rules.labels) == ("number", ("price",))
    for words in (
        f"A term adds {rules.scale:.15g} to the number where it is true",
        "root mean squared error\n",
        "<- chosen",
        "root mean squared error on the 120 training rows: network ",
    ):
        assert words in ran.out
    assert "greatest score" not in ran.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "sizes.png"]

    frontier, chosen = load_frontier(folder)
    assert chosen == rules.size
    assert {point.rules.predicts for point in frontier} == {"number"}
    assert {point.rules.labels for point in frontier} == {("price",)}
    assert frontier.at(chosen).rules == rules
    assert run("rules", folder, "--quiet").out == f"{rules}\n"
    assert "root mean squared error" in run("frontier", folder).out
    assert np.std(numbers_of(folder, houses)) > 1  # prices have a standard deviation of 30


def test_quiet_and_json_make_no_remark_and_learn_the_same(run: Run, houses: Path) -> None:
    ran, quiet = run("fit", houses, *FIT, "--json"), run("fit", houses, *FIT, "--quiet")
    document = json.loads(ran.out)
    assert (ran.err, quiet.err) == ("", "")
    assert quiet.out == document["text"] + "\n"
    assert document["rules"]["predicts"] == "number"
    assert all(size["error"] > 1 for size in document["sizes"])  # in the unit of prices


@pytest.mark.parametrize("kind", ["parquet", "tsv.gz"])
def test_files_of_all_kinds_teach_the_same(
    run: Run, houses: Path, tmp_path: Path, kind: str
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
    assert run("fit", other, *FIT) == run("fit", houses, *FIT)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("cheap", "must hold numbers, got 'cheap'"),
        ("1,5", "must hold numbers, got '1,5'"),
        ("inf", "must hold finite numbers, got 'inf'"),
        ("NA", "is missing ('NA'); leave such rows out"),
    ],
)
@pytest.mark.parametrize("command", ["fit", "evaluate"])
def test_a_price_that_is_no_number_is_refused_with_its_line(
    run: Run, tmp_path: Path, command: str, cell: str, said: str
) -> None:
    path = tmp_path / "prices.csv"
    prices = [*map(str, range(100, 160)), cell, cell]
    path.write_text("rooms;price\n" + "".join(f"{i};{each}\n" for i, each in enumerate(prices)))
    ran = run(command, path, "--target", "price", "--task", "regression")
    assert_refused(ran, f"{path}, line 62: the target 'price' {said}")


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
    ran = run("fit", houses, "--target", "rooms", "--epochs", "1", "--json", *options)
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
    assert (ran.code, ran.out) == (0, f"y = {rows.split()[0][2:]}\n")
    assert (
        "The same number is predicted for every row.\n\n  y = "
        in run("fit", path, *options).out
    )


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
    document = {"number": "price", "predictions": []}
    assert json.loads(run("predict", model, table, "--json").out) == document
    summary = json.loads(run("predict", model, table, "--json", "--out", out).out)
    assert (summary["rows"], summary["min"], summary["mean"]) == (0, None, None)


def test_a_number_has_no_probability(run: Run, model: Path, houses: Path) -> None:
    out = model.with_name("out.csv")
    for where in ((), ("--out", out)):
        ran = run("predict", model, houses, "--proba", *where)
        assert_refused(ran, "predict a number, 'price'", "no --proba")
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


def test_smaller_rules_of_a_number_can_be_taken(run: Run, houses: Path, tmp_path: Path) -> None:
    folder, small = tmp_path / "model", tmp_path / "small.json"
    assert run("fit", houses, *FIT, "--out", folder).code == 0
    assert run("frontier", folder, "--at", "1", "--out", small).code == 0
    assert (load_rules(small).size, load_rules(small).predicts) == (1, "number")
    assert run("predict", small, houses).code == 0
    sizes = json.loads(run("frontier", folder, "--json").out)["sizes"]
    assert [size["literals"] for size in sizes] == [
        point.size for point in load_frontier(folder)[0]
    ]


@pytest.mark.parametrize("columns", ["20", "70", "200"])
def test_long_sums_are_broken_between_their_terms(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    names = tuple(f'column + ("{number}"' for number in range(9))
    terms = parse("(0 & (1 + 2)) + 3 + ~(4 | 5) + 6 + (7 ^ 8)")
    memberships = tuple(Membership(number, 0.0, 9.0) for number in range(9))
    rule = Rule("a price", terms)
    rules = RegressionRules(names, memberships, (rule,), 2.5, (1e6,))
    rules.save(tmp_path / "rules.json")
    _, body, _ = run("rules", tmp_path / "rules.json").out.split("\n\n")
    assert " ".join(body.split()) == " ".join(str(rules).split())
    first, *others = body.splitlines()
    assert len(others) > 0
    for line in others:
        assert line.startswith("            + ")  # a term, not a part of one
    for line in (first, *others):
        assert line.count('"') % 2 == line.count('\\"') % 2  # no name is torn apart


# --- how good they are ------------------------------------------------------------------------

EVALUATE = ("--target", "price", "--folds", "3", "--epochs", "3")


def test_errors_of_numbers_have_intervals(run: Run, houses: Path) -> None:
    ran = run("evaluate", houses, *EVALUATE, "--repeats", "2", "--json")
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    assert (found["rows"], found["folds"], found["repeats"]) == (120, 3, 2)
    for name in ("rmse", "mae", "r2", "network_rmse", "network_mae", "network_r2"):
        assert found[name]["low"] <= found[name]["mean"] <= found[name]["high"]
    assert found["rmse"]["mean"] > found["mae"]["mean"] > 1  # in the unit of prices
    assert found["rmse"]["mean"] < found["rmse_of_mean"]
    assert found["rmse_of_mean"] == pytest.approx(numbers_in(houses).std(), rel=0.1)


def numbers_in(houses: Path) -> NDArray[np.float64]:
    target = read_table(houses, "price").target
    assert target is not None
    return target.require_numbers()


def test_a_person_reads_errors_of_numbers_as_a_table(run: Run, houses: Path) -> None:
    ran = run("evaluate", houses, *EVALUATE, "--repeats", "1")
    assert (ran.code, ran.err) == (0, REMARK)
    lines = ran.out.splitlines()
    assert lines[0] == "120 rows, 3 folds, once; on rows not learned from:"
    assert lines[2].split() == ["rules", "network"]
    titles = ("root mean squared error", "mean absolute error", "R²")
    for line, title in zip(lines[3:6], titles, strict=True):
        assert line.startswith(title)
        assert line[lines[2].index("network") - 2 :].startswith("  ")
        assert line.count("(") == 2
    assert "always the mean: root mean squared error " in ran.out


def test_folds_need_rows(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("x,y\n1,1.5\n2,2.5\n3,1.5\n")
    ran = run("evaluate", path, "--target", "y", "--task", "regression", "--folds", "2")
    assert_refused(ran, "each of 2 folds needs 2 rows", "there are 3 in all", "fewer --folds")
