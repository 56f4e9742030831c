"""Options become parameters of estimators, or are refused by their name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crisplogic.cli.options import LearningOptions, LiteralsOption, Pair
from crisplogic.cli.training import estimator_parameters
from crisplogic.estimators import LogicClassifier, LogicRegressor
from crisplogic.estimators.base import LogicEstimator
from tests.cli.running import Run, assert_refused

pytestmark = pytest.mark.usefixtures("quick")


def test_options_come_to_parameters_of_the_estimators() -> None:
    options = LearningOptions(
        literals=LiteralsOption.GRADED,
        epochs=7,
        max_literals=9,
        max_literals_of=[Pair("ill", "4"), Pair("well", "0")],
        up=["a,b"],
        down=["c:d"],
        of="ill",
        forbid_pair=[Pair("a,b", "c:d")],
        balanced=True,
        positive="well",
        cost=[Pair("ill", "3")],
        missing_literals=True,
        seed=3,
    )
    found = estimator_parameters(options, ["a,b", "c:d"], ["ill", "well"])
    assert found == {
        "literals": "graded",
        "epochs": 7,
        "max_literals": 9,
        "max_literals_per_class": {"ill": 4, "well": 0},
        "monotone": {"a,b": {"ill": "up"}, "c:d": {"ill": "down"}},
        "forbidden_pairs": [("a,b", "c:d")],
        "allowed_pairs": None,
        "operators": None,
        "cuts": None,
        "tolerance": 0.25,
        "class_weight": "balanced",
        "decision_threshold": {"ill": 3.0},
        "positive": "well",
        "missing_literals": True,
        "random_state": 3,
    }
    LogicClassifier(**found)._check_parameters()


def test_nothing_asked_for_is_what_estimators_do_anyway() -> None:
    options = LearningOptions()
    for kind, classes in ((LogicClassifier, ["a", "b"]), (LogicRegressor, [])):
        usual = kind().get_params()
        for name, value in estimator_parameters(options, [], classes).items():
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
    monkeypatch.setattr(LogicEstimator, "_fit_parts", noted)
    pairs = [("area, m2", "town: name"), ('"; DROP TABLE', "rooms")]
    options = [word for pair in pairs for word in ("--forbid-pair", *pair)]
    ran = run(command, houses, "--target", "price", "--missing-literals", "--quiet", *options)
    assert_refused(ran, "seen enough")
    assert [tuple(pair) for pair in seen[0]["forbidden_pairs"]] == pairs
    assert seen[0]["missing_literals"] is True


@pytest.mark.usefixtures("never_trains")
@pytest.mark.parametrize("command", ["fit", "evaluate"])
@pytest.mark.parametrize(
    ("target", "options", "expected"),
    [
        ("price", ["--up", "Room"], "--up: there is no column 'Room'; did you mean 'rooms'?"),
        ("price", ["--down", "x"], "--down: there is no column 'x'. The columns to learn from"),
        ("price", ["--up", "price"], "there is no column 'price'"),
        (
            "price",
            ["--up", "rooms", "--down", "rooms"],
            "cannot be both --up and --down",
        ),
        ("price", ["--up", "town: name"], "'town: name' holds texts"),
        ("price", ["--up", "rooms", "--of", "Oslo"], "--of needs classes"),
        ("price", ["--balanced"], "--balanced needs classes, but the target is a number"),
        ("price", ["--max-literals-of", "Oslo", "3"], "--max-literals-of needs classes"),
        ("price", ["--forbid-pair", "rooms", "rom"], "--forbid-pair: there is no column 'rom'"),
        ("price", ["--allow-pair", "rooms", "rooms"], "two different columns"),
        ("price", ["--allow-pair", "rooms"], "--allow-pair"),
        (
            "price",
            ["--allow-pair", "rooms", "garden", "--forbid-pair", "rooms", "garden"],
            "must not be given at once",
        ),
        ("price", ["--operators", "and,nand"], "some of and,or,xor, or none, got 'nand'"),
        ("price", ["--cut", "rom=3"], "--cut: there is no column 'rom'"),
        ("price", ["--cut", "rooms"], "a column and its thresholds, as age=40,65"),
        ("price", ["--cut", "town: name=3"], "cuts must name columns of numbers"),
        ("garden", ["--of", "true"], "--of needs --up or --down"),
        ("garden", ["--up", "rooms", "--of", "True"], "no class 'True'; did you mean 'true'?"),
        ("rooms", ["--up", "price"], "need --of, the class they are about"),
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
    run: Run, houses: Path, command: str, target: str, options: list[str], expected: str
) -> None:
    ran = run(command, houses, "--target", target, "--quiet", *options)
    assert_refused(ran, expected)
