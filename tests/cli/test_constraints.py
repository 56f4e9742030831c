"""Rules keep to constraints and weights that options name."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from crisplogic.datasets import save_titanic
from crisplogic.rules import RuleSet, Step
from tests.cli.running import Run, assert_refused

pytestmark = pytest.mark.usefixtures("quick")


FIT = ("--epochs", "3", "--max-literals", "4", "--json")


@pytest.fixture(scope="module")
def titanic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("titanic") / "titanic.csv"
    save_titanic(path, rows=150)
    return path


def learned(run: Run, table: Path, target: str, *options: str) -> RuleSet:
    ran = run("fit", table, "--target", target, *FIT, *options)
    assert (ran.code, ran.err) == (0, "")
    return RuleSet.from_json(json.dumps(json.loads(ran.out)["rules"]))


def test_a_number_keeps_to_directions(run: Run, houses: Path) -> None:
    """More rooms make houses dearer: what the rows say is the contrary of what is asked."""
    held = learned(run, houses, "price", "--down", "rooms", "--up", "garden").directions()
    assert held.get("rooms", {"price": "none"})["price"] in ("down", "none")
    assert held.get("garden", {"price": "none"})["price"] in ("up", "none")


@pytest.mark.parametrize(("options", "label"), [((), "yes"), (("--of", "no"), "no")])
def test_classes_keep_to_directions_the_second_by_default(
    run: Run, titanic: Path, options: tuple[str, ...], label: str
) -> None:
    fares = ("--up", "fare", "--up", "alone")
    held = learned(run, titanic, "survived", *fares, *options).directions()
    for column in ("fare", "alone"):
        assert held.get(column, {label: "none"})[label] in ("up", "none")


def test_one_of_many_classes_is_named(run: Run, titanic: Path) -> None:
    held = learned(run, titanic, "class", "--down", "fare", "--of", "class 3").directions()
    assert held.get("fare", {"class 3": "none"})["class 3"] in ("down", "none")


def test_pairs_are_apart_and_rules_small(run: Run, titanic: Path) -> None:
    alone = ("--allow-pair", "fare", "alone", "--max-literals-of", "yes", "2")
    rules = learned(run, titanic, "survived", *alone)
    assert rules.size <= 2


# --- weights ----------------------------------------------------------------------------------


def test_operators_and_thresholds_are_those_that_were_asked_for(run: Run, houses: Path) -> None:
    options = ["--operators", "and", "--cut", "rooms=3.5,5"]
    rules = learned(run, houses, "price", *options)
    rooms = rules.features.index("rooms")
    used = [rules.memberships[index] for index in rules.used]
    steps = [each for each in used if isinstance(each, Step) and each.feature == rooms]
    assert rules.operators <= {"and"}
    assert {each.threshold for each in steps} <= {3.5, 5.0}


def weighed(houses: Path, path: Path, weights: str) -> Path:
    """The houses and a column of weights, one digit after the other, again and again."""
    with houses.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    with path.open("w", encoding="utf-8", newline="") as file:
        cells = ([*row, weights[i % len(weights)]] for i, row in enumerate(rows))
        csv.writer(file).writerows([[*header, "w"], *cells])
    return path


@pytest.mark.parametrize("target", ["price", "garden"])
def test_rows_of_no_weight_are_as_if_they_were_not_there(
    run: Run, houses: Path, tmp_path: Path, target: str
) -> None:
    table, without = weighed(houses, tmp_path / "all.csv", "022"), tmp_path / "some.csv"
    lines = table.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.endswith(",0\n")]
    without.write_text("".join(kept), encoding="utf-8")
    assert len(kept) == 81
    numbers = ("--drop", "town: name")
    one = learned(run, table, target, "--weight", "w", *numbers)
    assert one == learned(run, without, target, "--drop", "w", *numbers)
    assert "w" not in one.features


@pytest.mark.parametrize(
    ("target", "error", "baseline"),
    [("price", "rmse", "rmse_of_mean"), ("garden", "error", "error_of_guessing")],
)
def test_weights_count_where_rules_are_tried(
    run: Run, houses: Path, tmp_path: Path, target: str, error: str, baseline: str
) -> None:
    options = ("--target", target, "--weight", "w", "--folds", "2", "--repeats", "1", *FIT)
    once, often, unequally = (
        json.loads(run("evaluate", weighed(houses, tmp_path / "w.csv", weights), *options).out)
        for weights in ("1", "7", "13")
    )
    assert once[error]["mean"] == pytest.approx(often[error]["mean"])
    assert once["literals"] == often["literals"]
    # Other rules may err as often, but the baseline depends on rows and weights alone.
    assert once[baseline] == pytest.approx(often[baseline])
    assert once[baseline] != pytest.approx(unequally[baseline])


def test_classes_of_no_weight_are_not_tried(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    rows = [f"{i},{'abc'[i % 3]},{i % 3}\n" for i in range(30)]
    path.write_text("x,y,w\n" + "".join(rows))
    options = ("--target", "y", "--weight", "w", "--folds", "2", "--repeats", "1", *FIT)
    found = json.loads(run("evaluate", path, *options).out)
    assert (found["rows"], [each["class"] for each in found["classes"]]) == (20, ["b", "c"])


@pytest.mark.parametrize("command", ["fit", "evaluate"])
def test_weights_of_nothing_but_0_are_refused(
    run: Run, houses: Path, tmp_path: Path, command: str
) -> None:
    table = weighed(houses, tmp_path / "table.csv", "0")
    ran = run(command, table, "--target", "price", "--weight", "w", "--quiet")
    assert_refused(ran, "weights must be above 0 for some of the rows")


def test_a_rare_class_is_found_if_all_count_the_same(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rare.csv"
    rows = [
        f"{i % 10},{i % 7},{'yes' if i % 10 == 9 and i % 4 else 'no'}\n" for i in range(140)
    ]
    path.write_text("a,b,ill\n" + "".join(rows))
    options = ("--target", "ill", "--folds", "2", "--repeats", "1", *FIT)
    plain, balanced = (
        json.loads(run("evaluate", path, *options, *more).out)["classes"][1]["recall"]
        for more in ((), ("--balanced",))
    )
    assert balanced >= plain
    assert balanced > 0.5  # one column tells it: nearly all that are ill, and few others, are 9


def test_rules_may_say_that_a_value_is_missing(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    rows = [f"{'' if i % 3 else i},{i % 5},{'no' if i % 3 else 'yes'}\n" for i in range(90)]
    path.write_text("a,b,ill\n" + "".join(rows))
    rules = learned(run, path, "ill", "--missing-literals")
    assert "a is missing" in rules.to_text() or "a is not missing" in str(rules)
    assert "missing" not in learned(run, path, "ill").to_text()
