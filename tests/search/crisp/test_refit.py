"""Refitting crisp rules: thresholds are searched for, and everything stays whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crisplogic import compare, refit
from crisplogic.expr import parse
from crisplogic.rules import ClassificationRules, Flag, RegressionRules, Rule, Step
from crisplogic.search.crisp.checklist import fit_logits

ROWS = np.random.default_rng(5).uniform(0, 100, (300, 3)).round(1)
ROWS[::17, 1] = np.nan


def two_classes() -> ClassificationRules:
    both = Rule("no", parse("unknown")), Rule("yes", parse("(0 & 1) + ~2"))
    steps = Step(0, 20.0), Step(1, 70.0), Step(2, 30.0)
    return ClassificationRules(("a", "b", "c"), steps, both, 1.0, (0.0, -1.5), crisp=True)


def test_thresholds_go_where_the_rows_say() -> None:
    rules = two_classes()
    truth = replace(rules, memberships=(Step(0, 55.0), Step(1, 40.0), Step(2, 62.0)))
    y = truth.predict(ROWS)
    after = refit(rules, ROWS, y)
    compared = compare(rules, after, ROWS, y)
    assert compared.after.log_loss < compared.before.log_loss
    # The rows are cut into 33 parts; within one of them a threshold may be anywhere.
    assert (after.predict(ROWS) == y).mean() > 0.9
    assert after.expressions == rules.expressions
    assert after.crisp


def test_scores_stay_halves_that_never_tie() -> None:
    y = np.where(np.nan_to_num(ROWS[:, 1]) > 35, "yes", "no")
    scores = refit(two_classes(), ROWS, y).scores(ROWS)
    difference = scores[:, 1] - scores[:, 0]
    assert np.array_equal(2 * difference, np.rint(2 * difference))
    assert (difference != 0).all()


def test_only_cuts_that_were_given_become_thresholds() -> None:
    y = np.where(ROWS[:, 0] > 48, "yes", "no")
    after = refit(two_classes(), ROWS, y, cuts={"a": [25.0, 50.0, 75.0]})
    threshold = after.memberships[0]
    assert isinstance(threshold, Step)
    assert threshold.threshold in (25.0, 50.0, 75.0)


@pytest.mark.parametrize("seed", range(3))
def test_no_loss_rises_on_noise(seed: int) -> None:
    y = np.random.default_rng(seed).choice(["no", "yes"], len(ROWS))
    rules = two_classes()
    compared = compare(rules, refit(rules, ROWS, y), ROWS, y)
    assert compared.after.log_loss <= compared.before.log_loss


def test_points_of_several_classes_move_by_whole_ones() -> None:
    three = (
        Rule("low", parse("~0")), Rule("middle", parse("0 & ~1")), Rule("high", parse("1"))
    )  # fmt: skip
    steps = Step(0, 10.0), Step(0, 90.0)
    rules = ClassificationRules(("a", "b", "c"), steps, three, 1.0, (1.0, 1.0, 1.0), crisp=True)
    y = np.array(["low", "middle", "high"])[np.digitize(ROWS[:, 0], [30.0, 60.0])]
    after = refit(rules, ROWS, y)
    assert (after.predict(ROWS) == y).mean() > 0.9
    moved = np.array(after.intercepts) - rules.intercepts
    assert np.array_equal(moved % 2, np.zeros(3))


def test_a_base_and_amounts_follow_the_numbers() -> None:
    price = Rule("price", parse("0 + 1"))
    inputs = Step(0, 20.0), Flag(1)
    rows = np.column_stack([ROWS[:, 0], ROWS[:, 2] > 50])
    rules = RegressionRules(("size", "new"), inputs, (price,), 1.0, (0.0,), crisp=True)
    y = 100.0 + 12 * (rows[:, 0] > 60) + 12 * rows[:, 1]
    after = refit(rules, rows, y)
    assert np.abs(after.predict(rows) - y).mean() < 1.0
    assert after.scale == pytest.approx(6.0, rel=0.1)


def test_few_counts_and_few_thresholds_are_fitted_in_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A line tells which count is best, and that most thresholds are no better."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 12)).round(2)
    y = np.where(X[:, :4].sum(axis=1) + rng.normal(size=300) > 0, "ill", "well")
    steps = tuple(Step(at, float(X[at, at])) for at in range(12))
    text = " + ".join(map(str, range(12)))
    both = Rule("ill", parse(text)), Rule("well", parse("unknown"))
    rules = ClassificationRules(
        tuple(f"x{at}" for at in range(12)), steps, both, 1.0, (-0.5, 0.0), crisp=True
    )
    fits: list[int] = []

    def counted(*arguments: Any) -> tuple[float, float]:
        fits.append(1)
        return fit_logits(*arguments)

    monkeypatch.setattr("crisplogic.search.crisp.refit.fit_logits", counted)
    fitted = refit(rules, X, y)
    assert (fitted.predict(X) == y).mean() > (rules.predict(X) == y).mean()
    # All counts of all thresholds would be 12 * 32 * 13 fits in each round.
    assert len(fits) < 1000
