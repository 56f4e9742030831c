"""``crisplogic importance`` and ``shape``: what columns do in a model."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from crisplogic.expr import parse
from crisplogic.rules import ClassificationRules, Membership, Rule
from tests.cli.running import Run, assert_refused
from tests.rules.rule_sets import PATIENTS, PRICE

PEOPLE = pd.DataFrame(
    {
        "eye colour": ["red", "light blue", None, "red", "teal"] * 4,
        "smoker": ["true", "false"] * 10,
        "glucose": [100.0, None, 170.0, 130.0] * 5,
        "health": ["ill", "well", "ill", "well", "well"] * 4,
    }
)


@pytest.fixture
def people(tmp_path: Path) -> tuple[Path, Path]:
    model, table = tmp_path / "patients.json", tmp_path / "people.csv"
    PATIENTS.save(model)
    PEOPLE.to_csv(table, index=False)
    return model, table


def frame() -> pd.DataFrame:
    return PEOPLE.assign(smoker=PEOPLE["smoker"] == "true")


def test_importance_is_that_of_the_library(run: Run, people: tuple[Path, Path]) -> None:
    ran = run("importance", *people)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"{PATIENTS.importance(frame())}\n"


def test_with_a_target_the_error_is_measured(run: Run, people: tuple[Path, Path]) -> None:
    found = json.loads(run("importance", *people, "--target", "health", "--json").out)
    expected = PATIENTS.importance(frame(), PEOPLE["health"])
    assert found["rows"] == 20
    assert found["columns"] == expected.to_dict()["columns"]
    assert all(entry["effect"] is not None for entry in found["statements"])


def test_rows_without_a_target_do_not_count(
    run: Run, people: tuple[Path, Path], tmp_path: Path
) -> None:
    model, _ = people
    gaps = tmp_path / "gaps.csv"
    PEOPLE.assign(health=[None, *PEOPLE["health"][1:]]).to_csv(gaps, index=False)
    assert json.loads(run("importance", model, gaps, "--target", "health", "--json").out)[
        "rows"
    ] == 19  # fmt: skip


def test_classes_may_be_numbers_and_a_class_that_is_not_known_is_refused(
    run: Run, tmp_path: Path
) -> None:
    model, table = tmp_path / "rules.json", tmp_path / "table.csv"
    rules = Rule(1, parse("0")), Rule(2, parse("unknown"))
    ClassificationRules(("x",), (Membership(0, 0.0, 1.0),), rules).save(model)
    table.write_text("x,y\n1,1\n0,2.0\n")
    assert run("importance", model, table, "--target", "y").code == 0
    table.write_text("x,y\n1,1\n0,3\n")
    ran = run("importance", model, table, "--target", "y")
    assert_refused(ran, "no class '3'", "'y'", "they know 1, 2")


def test_numbers_have_importance_and_shapes(run: Run, tmp_path: Path) -> None:
    model, table = tmp_path / "price.json", tmp_path / "houses.csv"
    PRICE.save(model)
    table.write_text("rooms,poverty,crime,price\n8,5,1,31\n5,20,9,14\n6,9,3,22\n")
    ran = run("importance", model, table, "--target", "price")
    assert ran.out.splitlines()[0].split() == ["column", "change", "rise", "of", "error"]
    assert run("shape", model, table, "--column", "rooms").out.startswith("rooms  price\n")


def test_a_shape_is_printed_and_drawn(run: Run, people: tuple[Path, Path]) -> None:
    model, table = people
    picture = table.with_name("shape.png")
    ran = run("shape", model, table, "--column", "eye colour", "--plot", picture)
    assert (ran.code, ran.err) == (0, "")
    text = str(PATIENTS.shape("eye colour", frame()))
    assert ran.out == f"{text}\n\ndrew the column in {picture}\n"
    assert picture.read_bytes().startswith(b"\x89PNG")
    found = json.loads(run("shape", model, table, "--column", "glucose", "--json").out)
    assert found["columns"][0]["values"][-1]["value"] is None  # a missing value


def test_without_a_column_all_that_rules_mention_are_shown(
    run: Run, people: tuple[Path, Path], tmp_path: Path
) -> None:
    ran = run("shape", *people)
    names = [block.split("  ")[0] for block in ran.out.split("\n\n")]
    assert names == ["glucose", "smoker", '"eye colour"']
    assert_refused(run("shape", *people, "--plot", tmp_path / "a.png"), "--plot needs --column")


def test_a_column_that_is_not_there_is_refused(run: Run, people: tuple[Path, Path]) -> None:
    model, table = people
    ran = run("shape", model, table, "--column", "glucos", "--plot", table.with_name("a.png"))
    assert_refused(ran, "no column 'glucos'", "'glucose'")
    assert not table.with_name("a.png").exists()
    assert_refused(run("importance", model, table, "--target", "nosuch"), "'nosuch'")
