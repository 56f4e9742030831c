"""``crisplogic evaluate``: repeated cross-validation with honest intervals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from crisplogic.cli.evaluation import estimate
from crisplogic.io import read_table
from crisplogic.rules import RuleSet
from crisplogic.tables import Columns, UnseenColumn, UnseenValues
from tests.cli.running import REMARK, Run, assert_refused

# --- classes ----------------------------------------------------------------------------------

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture
def shapes(tmp_path: Path) -> Path:
    """A table of numbers, texts and truth that is easily learned."""
    path = tmp_path / "shapes.csv"
    rows = [
        f"{'red' if i % 3 else 'blue'},{i % 7},{'true' if i % 5 else 'false'},"
        f"{'yes' if i % 3 and i % 7 > 2 else 'no'}\n"
        for i in range(60)
    ]
    path.write_text("colour,size,old,good\n" + "".join(rows))
    return path


QUICK = ("--target", "good", "--folds", "2", "--epochs", "2", "--max-literals", "3")


def test_errors_have_intervals_and_classes_their_recall(run: Run, shapes: Path) -> None:
    ran = run("evaluate", shapes, *QUICK, "--repeats", "2", "--json")
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    assert (found["rows"], found["folds"], found["repeats"]) == (60, 2, 2)
    for name in ("error", "network_error"):
        each = found[name]
        assert 0 <= each["low"] <= each["mean"] <= each["high"] <= 1
    assert found["error_of_guessing"] == pytest.approx(23 / 60, abs=0.02)
    classes = found["classes"]
    assert [entry["class"] for entry in classes] == ["no", "yes"]
    assert sum(entry["rows"] for entry in classes) == 60
    wrong = sum(entry["rows"] * (1 - entry["recall"]) for entry in classes)
    assert wrong / 60 == pytest.approx(found["error"]["mean"])  # folds are of one size
    confusion = np.array(found["confusion"])  # every row counts once
    assert confusion.sum() == pytest.approx(60)
    assert np.trace(confusion) == pytest.approx(60 - wrong)
    for name in ("auc", "network_auc"):
        each = found[name]
        assert 0 <= each["low"] <= each["mean"] <= each["high"] <= 1


def test_a_person_reads_it_as_text(run: Run, shapes: Path) -> None:
    ran = run("evaluate", shapes, *QUICK, "--repeats", "1", "--drop", "old")
    assert ran.code == 0
    for words in (
        "60 rows, 2 folds, 1 repeat; on held-out rows:",
        "error of the rules ",
        "with 95% confidence",
        "always the most frequent class: ",
        "AUC of the rules ",
        "predicted\n",
        "  recall\n",
    ):
        assert words in ran.out


@pytest.mark.parametrize(
    ("classes", "expected"),
    [(["no"] * 5 + ["yes"], "'yes' has 1"), (["no", "yes"] * 3, "as many as --folds (10)")],
)
def test_too_few_rows_of_a_class_are_refused(
    run: Run, tmp_path: Path, classes: list[str], expected: str
) -> None:
    path = tmp_path / "few.csv"
    path.write_text("x,y\n" + "".join(f"{i},{each}\n" for i, each in enumerate(classes)))
    assert_refused(run("evaluate", path, "--target", "y"), expected, "fewer --folds")


# --- numbers ----------------------------------------------------------------------------------


EVALUATE = ("--target", "price", "--folds", "3", "--epochs", "2", "--max-literals", "3")


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
    assert lines[0] == "120 rows, 3 folds, 1 repeat; on held-out rows:"
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
    assert_refused(ran, "every fold needs at least 2 rows", "3 rows for 2 folds", "--folds")


# --- intervals --------------------------------------------------------------------------------


def test_the_interval_is_that_of_nadeau_and_bengio() -> None:
    errors = np.array([0.1, 0.3, 0.2, 0.2, 0.1, 0.3])
    found = estimate(errors, folds=3, lower=0.0, upper=1.0)
    t = 2.5705818366147395  # of 5 degrees of freedom, two-sided 95 %
    reach = t * np.sqrt((1 / 6 + 1 / 2) * errors.var(ddof=1))
    assert found.mean == pytest.approx(0.2)
    assert found.low == pytest.approx(max(0.0, 0.2 - reach))
    assert found.high == pytest.approx(0.2 + reach)


def test_more_repeats_do_not_make_an_interval_vanish() -> None:
    # Ten times the same folds tell hardly more than once: the naive interval would be a third.
    errors = np.array([0.1, 0.3, 0.2, 0.2, 0.1])
    once, often = estimate(errors, 5), estimate(np.tile(errors, 10), 5)
    assert often.high - often.low > 0.5 * (once.high - once.low)


def test_folds_that_agree_leave_no_doubt() -> None:
    found = estimate(np.array([0.5, 0.5]), folds=2)
    assert (found.low, found.mean, found.high) == (0.5, 0.5, 0.5)


# --- values that folds never saw --------------------------------------------------------------


def test_values_that_a_fold_never_saw_are_told_once_with_their_count(
    run: Run, shapes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(self: RuleSet, table: Columns, matrix: object = None) -> UnseenValues:
        if not isinstance(table, Columns):  # the search has no texts
            return UnseenValues(len(table))
        colour = UnseenColumn("colour", 3, {"RED": 3}, ("blue", "red"))
        return UnseenValues(len(table), {"colour": colour})

    monkeypatch.setattr(RuleSet, "unseen_values", found)
    ran = run("evaluate", shapes, *QUICK, "--repeats", "1")
    assert ran.err.count("warning: ") == 1
    assert "never saw in training: 6 of 60 rows in 'colour'" in ran.err
    ran = run("evaluate", shapes, *QUICK, "--repeats", "1", "--json")
    assert ran.err == ""
    assert json.loads(ran.out)["unseen"]["colour"]["rows"] == 6
