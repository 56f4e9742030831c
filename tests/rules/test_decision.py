"""Decisions between two classes: the positive class, and thresholds on its probability."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from crisplogic.errors import RuleError
from crisplogic.expr import parse
from crisplogic.rules import ClassificationRules, Ramp, Rule, RuleSet
from crisplogic.rules.analysis.evaluation import evaluate
from crisplogic.rules.decision import choose_positive
from crisplogic.search import refit

AGES = np.random.default_rng(0).uniform(20, 70, (200, 1)).round(1)


def some_rules(**changes: Any) -> ClassificationRules:
    both = Rule("ill", parse("0 + (0 & 1)")), Rule("well", parse("unknown"))
    ramps = Ramp(0, 30.0, 60.0), Ramp(0, 20.0, 70.0)
    given: dict[str, Any] = {"scale": 1.7, "intercepts": (0.25, 0.44), **changes}
    return ClassificationRules(("age",), ramps, both, **given)


@pytest.mark.parametrize(
    ("labels", "weights", "expected"),
    [
        (["heart disease", "no disease"], (50, 50), "heart disease"),
        (["healthy", "sick"], (1, 99), "sick"),
        (["abnormal", "normal"], (99, 1), "abnormal"),
        (["No", "Yes"], (1, 99), "Yes"),
        (["No recurrence", "recurrence"], (1, 99), "recurrence"),
        (["non-smoker", "smoker"], (1, 99), "smoker"),
        (["active", "inactive"], (99, 1), "active"),
        (["paid", "unpaid"], (99, 1), "paid"),
        (["NEGATIVE", "POSITIVE"], (1, 99), "POSITIVE"),
        (["benign", "malignant"], (1, 99), "malignant"),
        ([0, 1], (1, 99), 1),
        ([-1, 1], (1, 99), 1),
        ([0, 5], (1, 99), 5),
        ([False, True], (1, 99), True),
        ([1, 2], (99, 1), 2),
        ([1, 2], (1, 99), 1),
        (["ham", "spam"], (90, 10), "spam"),
        (["ham", "spam"], (10, 90), "ham"),
        (["Norway", "Sweden"], (10, 90), "Norway"),
        (["a", "b"], (50, 50), "b"),
    ],
)
def test_the_positive_class_is_the_one_that_a_reader_asks_about(
    labels: list[Any], weights: tuple[float, float], expected: Any
) -> None:
    assert labels[choose_positive(labels, weights)] == expected
    other_way = choose_positive(labels[::-1], weights[::-1])
    if weights != (50, 50) or expected == "heart disease":
        assert labels[::-1][other_way] == expected


@pytest.mark.parametrize("positive", ["ill", "well"])
@pytest.mark.parametrize("threshold", [0.001, 0.2, 0.4999, 0.8, 0.99])
def test_a_threshold_decides_by_probability_and_changes_none(
    positive: str, threshold: float
) -> None:
    rules = some_rules()
    changed = rules.with_decision_threshold(threshold, positive)
    before, after = rules.predict_proba(AGES), changed.predict_proba(AGES)
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-8)
    likely = before[:, rules.labels.index(positive)] >= threshold
    assert (changed.predict(AGES) == positive).tolist() == likely.tolist()
    assert changed.decision_threshold == threshold


def test_a_row_of_just_the_threshold_is_positive() -> None:
    rules = some_rules()
    shares = rules.predict_proba(AGES)[:, 1]
    for row in range(0, len(AGES), 7):
        changed = rules.with_decision_threshold(float(shares[row]), "well")
        assert changed.predict(AGES[[row]]).tolist() == ["well"]


def test_what_is_printed_is_what_is_predicted() -> None:
    changed = some_rules().with_decision_threshold(0.1, "ill")
    assert f"+ {changed.intercepts[0]:.15g}\n" in changed.to_text()
    assert float(f"{changed.intercepts[0]:.15g}") == changed.intercepts[0]
    scores = changed.scores(AGES)
    assert (changed.predict(AGES) == np.array(["ill", "well"])[scores.argmax(axis=1)]).all()
    explained = changed.explain(AGES[0])
    assert explained.predicted == changed.predict(AGES[:1])[0]


def test_a_threshold_can_be_set_again_and_taken_back() -> None:
    rules = some_rules()
    again = rules.with_decision_threshold(0.1).with_decision_threshold(0.9, "well")
    np.testing.assert_allclose(again.predict_proba(AGES), rules.predict_proba(AGES), atol=1e-8)
    back = rules.with_decision_threshold(0.1, "ill").with_decision_threshold(0.5)
    assert back.intercepts == rules.intercepts


def test_costs_are_those_of_missing_a_row() -> None:
    rules = some_rules()
    assert rules.with_decision_threshold({"ill": 9}, "ill").decision_threshold == 0.1
    costs = {"ill": 3.0, "well": 1.0}
    assert rules.with_decision_threshold(costs, "ill").decision_threshold == 0.25
    assert rules.with_decision_threshold(costs, "well").decision_threshold == 0.75


def test_a_file_keeps_the_threshold_and_old_files_have_none() -> None:
    changed = some_rules().with_decision_threshold(0.2, "well")
    assert RuleSet.from_json(changed.to_json()) == changed
    assert json.loads(changed.to_json())["version"] == 5
    old = json.loads(some_rules().to_json())
    assert old["version"] == 3
    assert "positive" not in old
    assert RuleSet.from_json(json.dumps(old)) == some_rules()


def test_a_renamed_class_stays_the_positive_one() -> None:
    changed = some_rules().with_decision_threshold(0.2, "ill").rename(labels={"ill": "krank"})
    assert changed.positive == "krank"
    assert changed.decision_threshold == 0.2


def test_the_log_loss_does_not_depend_on_the_threshold() -> None:
    rules = some_rules()
    y = np.where(AGES[:, 0] > 50, "ill", "well")
    changed = rules.with_decision_threshold(0.05, "ill")
    losses = [
        evaluate(each, AGES, each.read_targets(len(y), y, None)).metrics.loss
        for each in (rules, changed)
    ]
    assert losses[1] == pytest.approx(losses[0], abs=1e-7)


def test_refitting_keeps_the_threshold() -> None:
    y = np.where(AGES[:, 0] > 50, "ill", "well")
    even = refit(some_rules(), AGES, y)
    changed = refit(some_rules().with_decision_threshold(0.1, "ill"), AGES, y)
    assert changed.decision_threshold == 0.1
    np.testing.assert_allclose(
        changed.predict_proba(AGES), even.predict_proba(AGES), rtol=0, atol=1e-6
    )


@pytest.mark.parametrize("threshold", [0, 1, -0.1, 1.5, float("nan"), True, "half"])
def test_a_threshold_is_a_probability(threshold: Any) -> None:
    with pytest.raises(ValueError, match="decision_threshold must be a number above 0"):
        some_rules().with_decision_threshold(threshold)


def test_only_one_of_two_classes_can_be_positive() -> None:
    three = tuple(Rule(label, parse("0")) for label in "abc")
    rules = ClassificationRules(("age",), (Ramp(0, 30.0, 60.0),), three)
    with pytest.raises(RuleError, match="a decision threshold needs two classes, got 3"):
        rules.with_decision_threshold(0.2)
    with pytest.raises(RuleError, match="there is no class 'sick'"):
        some_rules().with_decision_threshold(0.2, "sick")
    with pytest.raises(
        ValueError, match=r"decision_threshold\['ill'\] must be a finite number"
    ):
        some_rules().with_decision_threshold({"ill": -1})
