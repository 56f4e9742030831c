"""Targets in files: numbers or classes, positive classes, thresholds, outliers, logarithms."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crisplogic.expr import Const
from crisplogic.rules import Checklist, ClassificationRules, RuleSet, normal_form
from tests.cli.running import Run, assert_refused

pytestmark = pytest.mark.usefixtures("quick")

Write = Callable[[Callable[[random.Random, int, float], Any]], Path]
EPOCHS = ("--epochs", "3", "--max-literals", "3")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A table whose target ``y`` is a function of a random number and two columns."""

    def write_target(target: Callable[[random.Random, int, float], Any]) -> Path:
        draw, path = random.Random(0), tmp_path / "table.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["age", "x", "y"])
            for _ in range(120):
                age, x = draw.randint(20, 80), draw.gauss(0, 1)
                writer.writerow([age, x, target(draw, age, x)])
        return path

    return write_target


def ill(draw: random.Random, age: int, x: float) -> str:
    return "heart disease" if age + 10 * x + draw.gauss(0, 5) > 60 else "no disease"


def fit_json(run: Run, path: Path, *options: str | Path) -> dict[str, Any]:
    ran = run("fit", path, "--target", "y", *EPOCHS, *options, "--json")
    assert (ran.code, ran.err) == (0, "")
    document: dict[str, Any] = json.loads(ran.out)
    document["remarks"] = [remark["message"] for remark in document["remarks"]]
    return document


# --- classes or numbers -----------------------------------------------------------------------


def test_sixteen_counts_are_a_number_and_it_is_said(run: Run, write: Write) -> None:
    path = write(lambda draw, age, x: draw.randint(0, 15))
    found = fit_json(run, path)
    assert found["task"] == "regression"
    assert found["rules"]["predicts"] == "number"
    [remark] = found["remarks"]
    assert "16 different values, 0 to 15, and is learned as a number" in remark
    assert "--task classification" in remark
    ran = run("fit", path, "--target", "y", *EPOCHS)
    assert ran.err == f"{remark}\n\n"


def test_few_whole_numbers_are_classes_in_the_order_of_numbers(run: Run, write: Write) -> None:
    path = write(lambda draw, age, x: draw.choice(["2", "2.0", "10", "1"]))
    found = fit_json(run, path, "--max-literals-of", "10.0", "4")
    assert found["task"] == "classification"
    assert [rule["label"] for rule in found["rules"]["rules"]] == [1, 2, 10]
    assert (
        "3 different whole numbers, 1 to 10, and is learned as classes" in found["remarks"][0]
    )
    assert "--task regression" in found["remarks"][0]
    sizes = run("evaluate", path, "--target", "y", *EPOCHS, "--folds", "2", "--json")
    assert [each["class"] for each in json.loads(sizes.out)["classes"]] == [1, 2, 10]


def test_a_task_that_is_asked_for_needs_no_remark(run: Run, write: Write) -> None:
    path = write(lambda draw, age, x: draw.randint(0, 15))
    assert fit_json(run, path, "--task", "regression")["remarks"] == []
    found = fit_json(run, path, "--task", "classification")
    assert found["remarks"] == []
    assert [rule["label"] for rule in found["rules"]["rules"]] == list(range(16))


def test_numbers_with_leading_zeros_stay_as_they_are_written(run: Run, write: Write) -> None:
    path = write(lambda draw, age, x: draw.choice(["01", "02", "10"]))
    labels = [rule["label"] for rule in fit_json(run, path)["rules"]["rules"]]
    assert labels == ["01", "02", "10"]


# --- the positive class, and thresholds -------------------------------------------------------


def test_rules_speak_of_the_positive_class(run: Run, write: Write, tmp_path: Path) -> None:
    path, out = write(ill), tmp_path / "rules.json"
    for options, expected in (
        ((), "heart disease"),
        (("--positive", "no disease"), "no disease"),
    ):
        fit_json(run, path, "--out", out, *options)
        rules = RuleSet.load(out)
        assert isinstance(rules, ClassificationRules)
        assert rules.positive == expected
        speaking = [rule.label for rule in rules.rules if rule.expression != Const(0.0)]
        assert speaking == [expected]


def test_a_threshold_is_set_by_fit_or_by_predict(
    run: Run, write: Write, tmp_path: Path
) -> None:
    path, out = write(ill), tmp_path / "rules.json"
    fit_json(run, path, "--out", out)
    rows = [line.split(",") for line in run("predict", out, path, "--proba").out.splitlines()]
    shares = np.array([float(row[1]) for row in rows[1:]])

    def positives(*options: str) -> list[bool]:
        lines = run("predict", out, path, *options).out.splitlines()[1:]
        return [line == "heart disease" for line in lines]

    assert positives("--decision-threshold", "0.1") == (shares >= 0.1).tolist()
    assert positives("--cost", "heart disease", "9") == (shares >= 0.1).tolist()
    other = ("--decision-threshold", "0.1", "--positive", "no disease")
    assert positives(*other) == (1 - shares < 0.1).tolist()
    assert positives() == (shares >= 0.5).tolist()
    found = fit_json(run, path, "--out", out, "--cost", "heart disease", "9")
    assert found["rules"]["decision_threshold"] == 0.1
    checklist = normal_form(RuleSet.load(out))
    assert isinstance(checklist, Checklist)
    needed = checklist.needed
    assert checklist.probability(needed) >= 0.1 > checklist.probability(needed - 0.5)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--decision-threshold", "1.5"), "above 0 and below 1"),
        (("--decision-threshold", "half"), "needs a finite number above 0, got 'half'"),
        (
            ("--decision-threshold", "0.2", "--cost", "no disease", "2"),
            "cannot be given at once",
        ),
        (("--cost", "disease", "2"), "there is no class 'disease'"),
        (("--positive", "disease"), "there is no class 'disease'"),
        (("--loss", "huber"), "--loss needs a number, but the target holds classes"),
        (("--target-transform", "log"), "--target-transform needs a number"),
    ],
)
@pytest.mark.usefixtures("never_trains")
def test_options_that_make_no_sense_are_refused(
    run: Run, write: Write, options: tuple[str, ...], expected: str
) -> None:
    assert_refused(run("fit", write(ill), "--target", "y", *options), expected)


def test_what_predict_cannot_decide_is_refused(run: Run, write: Write, model: Path) -> None:
    path = write(ill)
    assert_refused(run("predict", model, path, "--positive", "ja"), "--positive needs")
    options = ("--decision-threshold", "prevalence")
    assert_refused(run("predict", model, path, *options), "which a model does not hold")


# --- numbers ----------------------------------------------------------------------------------


def test_an_outlier_is_borne_and_named(run: Run, write: Write, tmp_path: Path) -> None:
    seen: list[int] = []

    def price(draw: random.Random, age: int, x: float) -> float:
        seen.append(age)
        return 1e9 if len(seen) == 7 else 100 + 50 * (age > 50) + draw.gauss(0, 3)

    path = write(price)
    found = fit_json(run, path, "--task", "regression")
    assert "1 of 120 numbers to predict is far from all others" in found["remarks"][0]
    assert "--loss huber is used" in found["remarks"][0]
    assert min(size["held_out_error"] for size in found["sizes"]) < 25
    full = fit_json(run, path, "--task", "regression", "--loss", "squared_error")
    assert full["remarks"] == []
    model = tmp_path / "model"
    run("fit", path, "--target", "y", *EPOCHS, "--out", model)
    assert "Huber loss" in run("frontier", model).out
    ran = run("evaluate", path, "--target", "y", *EPOCHS, "--folds", "2", "--json")
    evaluated = json.loads(ran.out)
    assert evaluated["left_out"] == 1
    assert evaluated["rmse"]["mean"] < 25
    assert evaluated["rmse_of_mean"] < 40


def test_predictions_of_a_logarithm_are_numbers(run: Run, write: Write, tmp_path: Path) -> None:
    path, out = (
        write(lambda draw, age, x: np.exp(age / 10 + draw.gauss(0, 0.1))),
        tmp_path / "r",
    )
    found = fit_json(run, path, "--out", out, "--target-transform", "log")
    assert found["text"].startswith("log(y) = ")
    lines = run("predict", out, path).out.splitlines()[1:]
    rules = RuleSet.load(out / "rules.json")
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    assert [float(line) for line in lines] == rules.predict(table[:, :2]).tolist()
    assert np.median(table[:, 2] / rules.predict(table[:, :2])) == pytest.approx(1, rel=0.5)
    assert "log(y)" in run("rules", out).out
