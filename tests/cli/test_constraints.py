"""What people know of a domain, said by options: directions, pairs, sizes, weights."""

from __future__ import annotations

import csv
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from crisplogic.cli.options import LearningOptions, Pair, parameters_for
from crisplogic.datasets import save_titanic
from crisplogic.estimators import LogicClassifier, LogicRegressor
from crisplogic.estimators.base import LogicEstimator
from crisplogic.rules import RuleSet
from tests.cli.running import Run, assert_refused, write_houses

FIT = ("--epochs", "3", "--json")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (LogicClassifier, LogicRegressor):
        fast = partial(kind, restarts=1, folds=2)
        monkeypatch.setattr(f"crisplogic.estimators.{kind.__name__}", fast)


@pytest.fixture(scope="module")
def houses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_houses(tmp_path_factory.mktemp("houses") / "houses.csv")


@pytest.fixture(scope="module")
def titanic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("titanic") / "titanic.csv"
    save_titanic(path, rows=150)
    return path


def learned(run: Run, table: Path, target: str, *options: str) -> RuleSet:
    ran = run("fit", table, "--target", target, *FIT, *options)
    assert (ran.code, ran.err) == (0, "")
    return RuleSet.from_json(json.dumps(json.loads(ran.out)["rules"]))


# --- kept to ----------------------------------------------------------------------------------


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


def test_options_come_to_parameters_of_the_estimators() -> None:
    asked = LearningOptions(
        epochs=7,
        max_literals=9,
        max_literals_of=[Pair("ill", "4"), Pair("well", "0")],
        up=["a,b"],
        down=["c:d"],
        of="ill",
        forbid_pair=[Pair("a,b", "c:d")],
        balanced=True,
        missing_literals=True,
        seed=3,
    )
    found = parameters_for(asked, ["a,b", "c:d"], ["ill", "well"])
    assert found == {
        "epochs": 7,
        "max_literals": 9,
        "max_literals_per_class": {"ill": 4, "well": 0},
        "monotone": {"a,b": {"ill": "up"}, "c:d": {"ill": "down"}},
        "forbidden_pairs": [("a,b", "c:d")],
        "allowed_pairs": None,
        "class_weight": "balanced",
        "missing_literals": True,
        "random_state": 3,
    }
    LogicClassifier(**found)._check_parameters()


def test_nothing_asked_for_is_what_estimators_do_anyway() -> None:
    asked = LearningOptions()
    for kind, classes in ((LogicClassifier, ["a", "b"]), (LogicRegressor, None)):
        usual = kind().get_params()
        for name, value in parameters_for(asked, [], classes).items():
            assert name == "random_state" or usual[name] == value


@pytest.mark.parametrize("command", ["fit", "evaluate"])
def test_commands_hand_on_pairs_of_columns_with_strange_names(
    run: Run, houses: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    seen: list[dict[str, Any]] = []

    def noted(estimator: LogicEstimator, *_: object, **__: object) -> None:
        seen.append(estimator.get_params())
        raise ValueError("seen enough")

    monkeypatch.setattr(LogicEstimator, "fit", noted)
    monkeypatch.setattr(LogicEstimator, "fit_parts", noted)
    pairs = [("area, m2", "town: name"), ('"; DROP TABLE', "rooms")]
    options = [word for pair in pairs for word in ("--forbid-pair", *pair)]
    ran = run(command, houses, "--target", "price", "--missing-literals", "--quiet", *options)
    assert_refused(ran, "seen enough")
    assert [tuple(pair) for pair in seen[0]["forbidden_pairs"]] == pairs
    assert seen[0]["missing_literals"] is True


# --- refused ----------------------------------------------------------------------------------


@pytest.fixture
def never_trains(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("train_networks", "train_networks_by_part"):
        monkeypatch.setattr(
            f"crisplogic.estimators.base.{name}", lambda *_: pytest.fail("it was trained")
        )


@pytest.mark.usefixtures("never_trains")
@pytest.mark.parametrize("command", ["fit", "evaluate"])
@pytest.mark.parametrize(
    ("target", "options", "said"),
    [
        ("price", ["--up", "Room"], "--up: there is no column 'Room'; did you mean 'rooms'?"),
        ("price", ["--down", "x"], "--down: there is no column 'x'. The columns to learn from"),
        ("price", ["--up", "price"], "there is no column 'price'"),
        ("price", ["--up", "rooms", "--down", "rooms"], "'rooms' cannot be --up and --down"),
        ("price", ["--up", "town: name"], "'town: name' holds texts"),
        ("price", ["--up", "rooms", "--of", "Oslo"], "--of is about classes"),
        ("price", ["--balanced"], "--balanced is about classes, but a number is learned"),
        ("price", ["--max-literals-of", "Oslo", "3"], "--max-literals-of is about classes"),
        ("price", ["--forbid-pair", "rooms", "rom"], "--forbid-pair: there is no column 'rom'"),
        ("price", ["--allow-pair", "rooms", "rooms"], "two different columns"),
        ("price", ["--allow-pair", "rooms"], "--allow-pair"),
        (
            "price",
            ["--allow-pair", "rooms", "garden", "--forbid-pair", "rooms", "garden"],
            "must not be given at once",
        ),
        ("garden", ["--of", "true"], "--of says what --up and --down are about"),
        ("garden", ["--up", "rooms", "--of", "True"], "no class 'True'; did you mean 'true'?"),
        ("rooms", ["--up", "price"], "need --of, which says what class they are about"),
        (
            "garden",
            ["--max-literals-of", "yes", "3"],
            "no class 'yes'. The classes are 'false'",
        ),
        ("garden", ["--max-literals-of", "true", "-1"], "a class and a whole number"),
        ("garden", ["--max-literals-of", "true", "1.5"], "a class and a whole number"),
        ("garden", ["--weight", "garden"], "the target and the weight as well"),
        ("garden", ["--weight", "town: name"], "line 7: the weight 'town: name' is missing"),
        ("garden", ["--weight", "area"], "no column 'area'; did you mean 'area, m2'?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_kept_to_is_refused_before_training(
    run: Run, houses: Path, command: str, target: str, options: list[str], said: str
) -> None:
    ran = run(command, houses, "--target", target, "--quiet", *options)
    assert_refused(ran, said)


@pytest.mark.usefixtures("never_trains")
def test_deep_rules_keep_to_nothing(run: Run, houses: Path) -> None:
    ran = run("fit", houses, "--target", "price", "--depth", "2", "--up", "rooms", "--quiet")
    assert_refused(ran, "depth must be 1")


# --- weights ----------------------------------------------------------------------------------


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


@pytest.mark.parametrize(("target", "error"), [("price", "rmse"), ("garden", "error")])
def test_weights_count_where_rules_are_tried(
    run: Run, houses: Path, tmp_path: Path, target: str, error: str
) -> None:
    options = ("--target", target, "--weight", "w", "--folds", "2", "--repeats", "1", *FIT)
    once, often, unequally = (
        json.loads(run("evaluate", weighed(houses, tmp_path / "w.csv", weights), *options).out)
        for weights in ("1", "7", "13")
    )
    assert once[error]["mean"] == pytest.approx(often[error]["mean"])
    assert once["literals"] == often["literals"]
    assert once[error]["mean"] != pytest.approx(unequally[error]["mean"])


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
    assert "a is missing" in str(rules) or "a is not missing" in str(rules)
    assert "missing" not in str(learned(run, path, "ill"))
