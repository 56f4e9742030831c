"""How good rules are: repeated cross-validation with honest intervals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from crisplogic.cli.evaluation import estimate
from tests.cli.running import Run, assert_refused


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


QUICK = ("--target", "good", "--folds", "2", "--epochs", "3")


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
    wrong = sum(entry["rows"] * (1 - entry["recall"]) for entry in classes)
    assert wrong / 60 == pytest.approx(found["error"]["mean"])  # folds are of one size


def test_a_person_reads_it_as_text(run: Run, shapes: Path) -> None:
    ran = run("evaluate", shapes, *QUICK, "--repeats", "1", "--drop", "old")
    assert ran.code == 0
    for words in (
        "60 rows, 2 folds, once; on rows not learned from:",
        "error of the rules ",
        "with 95% confidence",
        "always the most frequent class: ",
    ):
        assert words in ran.out


@pytest.mark.parametrize(
    ("classes", "said"),
    [(["a"] * 5 + ["b"], "'b' has 1"), (["a", "b"] * 3, "as many as there are folds (10)")],
)
def test_too_few_rows_of_a_class_are_refused(
    run: Run, tmp_path: Path, classes: list[str], said: str
) -> None:
    path = tmp_path / "few.csv"
    path.write_text("x,y\n" + "".join(f"{i},{each}\n" for i, each in enumerate(classes)))
    assert_refused(run("evaluate", path, "--target", "y"), said, "fewer --folds")


def test_the_interval_is_that_of_nadeau_and_bengio() -> None:
    errors = np.array([0.1, 0.3, 0.2, 0.2, 0.1, 0.3])
    found = estimate(errors, folds=3, least=0.0, most=1.0)
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
