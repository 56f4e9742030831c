"""The smallest change: it does what it says, nothing smaller does, and it stays in bounds."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from crisplogic.errors import RuleError, UnseenValuesWarning
from crisplogic.expr import parse
from crisplogic.rules import (
    ClassificationRules,
    Goal,
    Level,
    RegressionRules,
    Rule,
    RuleSet,
    Step,
)
from crisplogic.rules.analysis.candidates import find_candidates
from crisplogic.rules.analysis.counterfactual import CounterfactualFinder
from crisplogic.tables import Levels
from tests.serve.models import CHECKLIST, MODELS, NUMBER, SCORE_CARD, as_table, some_rows

# The library warns of values that training never saw.
pytestmark = pytest.mark.filterwarnings(
    f"ignore::{UnseenValuesWarning.__module__}.{UnseenValuesWarning.__name__}"
)

NAMES = ("glucose", "age", "bmi")
RANGES = ((56.0, 198.0), (21.0, 81.0), (18.2, 67.1))
STEPS = Step(0, 127.0), Step.at_least(1, 40.0), Step(2, 31.25)


def checklist(needed: int) -> ClassificationRules:
    both = Rule("ill", parse("0 + 1 + 2")), Rule("well", parse("unknown"))
    intercepts = (3 - 2 * needed + 0.5, 0.0)
    return ClassificationRules(NAMES, STEPS, both, 1.0, intercepts, ranges=RANGES, crisp=True)


def goal_of(rules: RuleSet) -> Goal | None:
    return Goal(by=2.0) if rules.predicts == "number" else None


@pytest.mark.parametrize("name", MODELS)
def test_a_changed_row_is_predicted_as_the_counterfactual_says(name: str) -> None:
    rules = MODELS[name]
    found = 0
    for row in as_table(some_rows(60, seed=3)):
        before = rules.predict([row])[0]
        told = rules.explain(row, changeable="all", goal=goal_of(rules)).counterfactual
        assert told is not None
        changed = row | {change.column: change.after for change in told.changes}
        assert rules.predict([changed])[0] == told.predicted
        assert bool(told) == told.reached
        assert len(told.changes) <= 2
        if told:
            found += 1
            assert all(row[change.column] != change.after for change in told.changes)
            far = told.predicted - before if name == "number" else None
            assert far >= 2 - 1e-6 if far is not None else told.predicted != before
    assert found > 10


def brute_force(rules: RuleSet, row: list[float], grid: dict[int, list[float]]) -> Any:
    """The fewest columns, and the smallest change of so many, among all values of a grid."""
    before = rules.predict([row])[0]
    for count in (1, 2):
        far = [
            sum(
                abs(value - row[at]) / (RANGES[at][1] - RANGES[at][0])
                for at, value in zip(places, values, strict=True)
            )
            for places in combinations(grid, count)
            for values in product(*(grid[at] for at in places))
            if rules.predict([_with(row, places, values)])[0] != before
        ]
        if far:
            return count, min(far)
    return None


def _with(row: list[float], places: Any, values: Any) -> list[float]:
    changed = list(row)
    for at, value in zip(places, values, strict=True):
        changed[at] = value
    return changed


@pytest.mark.parametrize("needed", [1, 2, 3])
def test_no_change_of_values_seen_is_smaller(needed: int) -> None:
    rules = checklist(needed)
    # Every value near a threshold, in the units of its column, and some far from it.
    grid = {
        0: [56.0, 126.0, 127.0, 128.0, 198.0],
        1: [21.0, 39.0, 40.0, 41.0, 81.0],
        2: [18.2, 31.2, 31.25, 31.26, 31.3, 67.1],
    }
    for row in ([120.0, 35.0, 30.0], [180.0, 50.0, 40.0], [120.0, 60.0, 25.0]):
        told = rules.explain(row, changeable="all").counterfactual
        wanted = brute_force(rules, row, grid)
        assert told is not None
        if wanted is None:
            assert not told
        else:
            assert (len(told.changes), told.distance) == pytest.approx(wanted)


def test_only_columns_that_may_change_do() -> None:
    rules = checklist(2)
    told = rules.explain([120, 45, 30], changeable=["bmi"]).counterfactual
    assert told is not None
    assert told.to_dict() == {
        "changes": [{"column": "bmi", "from": 30.0, "to": 31.26}],
        "predicted": "ill",
        "probability": pytest.approx(told.probability),
        "distance": pytest.approx(1.26 / 48.9),
        "reached": True,
    }
    none = rules.explain([120, 35, 30], changeable=["bmi"]).counterfactual
    assert none is not None
    assert (bool(none), none.reached, none.predicted) == (False, False, "well")
    assert str(none) == "no change of one or two of these columns would do"


def test_values_stay_within_the_range_that_training_saw() -> None:
    both = Rule("ill", parse("0")), Rule("well", parse("unknown"))
    rules = ClassificationRules(
        ("age",), (Step(0, 90.0),), both, ranges=((21.0, 81.0),), crisp=True
    )
    told = rules.explain([30], changeable="all").counterfactual
    assert told is not None
    assert not told
    [ages] = find_candidates(rules)
    assert ages.values.tolist() == [81.0]


def test_unknown_values_and_new_ones_can_be_changed() -> None:
    for row in ({"age": None, "smoker": None}, {"port": "Paris"}):
        filled = {"age": 30, 'bmi "kg/m²"': 20, "smoker": False, "port": "Q", "deck": 1} | row
        why = CHECKLIST.explain({"not mentioned": None, **filled}, changeable="all")
        assert why.counterfactual
        texts = str(why.counterfactual)
        assert "nan" not in texts
    rules = ClassificationRules(
        ("colour",),
        (Level(0, 0, "red"),),
        (Rule("hot", parse("0")), Rule("cold", parse("unknown"))),
        1.0,
        (-0.5, 0.0),
        levels=(Levels(("red", "blue")),),
        crisp=True,
    )
    assert "were red instead of missing" in str(rules.explain([None], "all").counterfactual)
    assert "were red instead of pink" in str(rules.explain(["pink"], "all").counterfactual)


def test_a_class_can_be_asked_for() -> None:
    row = as_table(some_rows(1, seed=5))[0]
    for label in SCORE_CARD.labels:
        told = SCORE_CARD.explain(row, changeable="all", goal=Goal(to=label)).counterfactual
        assert told is not None
        assert told.reached == (told.predicted == label)
    already = SCORE_CARD.explain(row).predicted
    told = SCORE_CARD.explain(row, changeable="all", goal=Goal(to=already)).counterfactual
    assert told is not None
    assert (told.reached, told.changes) == (True, ())


def test_a_number_moves_past_a_value_or_by_an_amount() -> None:
    rule = Rule("price", parse("0 + 1 + 2"))
    rules = RegressionRules(NAMES, STEPS, (rule,), 5.0, (20.0,), ranges=RANGES, crisp=True)
    row = [120.0, 35.0, 30.0]  # 5: no statement holds
    for goal, wanted, columns in (
        (Goal(at_least=15), 15.0, 1),
        (Goal(at_least=15.001), 25.0, 2),
        (Goal(by=10), 15.0, 1),
        (Goal(at_least=12, at_most=16), 15.0, 1),
        (Goal(at_most=5), 5.0, 0),
    ):
        told = rules.explain(row, changeable="all", goal=goal).counterfactual
        assert told is not None
        assert (told.predicted, len(told.changes)) == (wanted, columns)
    impossible = rules.explain(row, changeable="all", goal=Goal(at_least=30)).counterfactual
    assert impossible is not None
    assert not impossible.reached


@pytest.mark.parametrize(
    ("changeable", "goal", "message"),
    [
        (["glucos"], None, "there is no column 'glucos'.*did you mean glucose"),
        ("glucose", None, "a list of columns or 'all'"),
        ("all", Goal(to="sick"), "no class 'sick'"),
        ("all", Goal(by=1), "by is for numbers"),
        (None, Goal(to="ill"), "needs changeable columns"),
    ],
)
def test_what_cannot_be_asked_for_is_told(changeable: Any, goal: Any, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        checklist(2).explain([1, 2, 3], changeable=changeable, goal=goal)


@pytest.mark.parametrize("goal", [Goal(), Goal(to="fare"), Goal(by=0), Goal(by=1, at_most=2)])
def test_numbers_need_a_goal_that_makes_sense(goal: Goal) -> None:
    with pytest.raises(RuleError):
        CounterfactualFinder(NUMBER, goal=goal)


def test_an_explanation_tells_the_change_as_text_json_and_picture() -> None:
    rules = checklist(3).rename({"glucose": "<b>glucose & co</b>"})
    why = rules.explain([120, 45, 30], changeable="all")
    sentence = (
        'it would be ill (62%) if "<b>glucose & co</b>" were 128 instead of 120 '
        "and bmi were 31.26 instead of 30"
    )
    assert why.to_text().endswith(f"\n\n{sentence}")
    assert json.loads(json.dumps(why.to_dict()))["counterfactual"]["predicted"] == "ill"
    assert "counterfactual" not in rules.explain([120, 45, 30]).to_dict()
    assert why.counterfactual is not None
    picture = ElementTree.fromstring(why.counterfactual.to_svg())
    texts = [each.text for each in picture.iter() if each.tag.endswith("text")]
    assert {"<b>glucose & co</b>", "120", "128", "bmi", "30", "31.26"} == set(texts)
    circles = [float(e.get("cx", "nan")) for e in picture.iter() if e.tag.endswith("circle")]
    assert circles[0] < circles[1]
    assert circles[2] < circles[3]
    assert why.counterfactual.to_svg() in why._repr_html_()
    assert "<b>" not in why._repr_html_()
    assert "31.26 instead of 30" in why.to_markdown()


def test_candidates_are_round_and_lie_on_both_sides_of_every_threshold() -> None:
    for rules in (CHECKLIST, checklist(1), NUMBER):
        for each in find_candidates(rules):
            cuts = [
                step.threshold
                for step in rules.memberships
                if isinstance(step, Step) and step.feature == each.feature
            ]
            for cut in cuts:
                assert (each.values <= cut).any()
                assert (each.values > cut).any()
    close = (Step(0, 31.5), Step(0, 31.52), Step(0, 31.5200001))
    rule = (Rule("y", parse("0 + 1 + 2")),)
    [found] = find_candidates(RegressionRules(("x",), close, rule, crisp=True))
    sides = np.searchsorted([31.5, 31.52, 31.5200001], found.values, side="left")
    assert set(sides.tolist()) == {0, 1, 2, 3}
