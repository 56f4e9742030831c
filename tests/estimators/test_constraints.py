"""Constraints from the domain: kept to by networks and rules, on every row that could be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic import LogicClassifier, LogicRegressor, RuleSet, cross_validate, refit
from crisplogic.errors import CheckpointError, CutWarning, RuleError, TableError
from crisplogic.estimators.base import LogicEstimator
from crisplogic.expr import Var, measure, parse
from crisplogic.expr.walk import unique_nodes
from crisplogic.rules import Ramp, RegressionRules, Rule, Step
from crisplogic.rules.formatting import terms_of
from tests.estimators.samples import digest_of

# Rows that no table has had show what rules do everywhere.
pytestmark = pytest.mark.filterwarnings("ignore::crisplogic.errors.UnseenValuesWarning")

Floats = NDArray[np.float64]
# Folds only choose among rules, which all keep to constraints.
BRIEF: dict[str, Any] = {
    "epochs": 3,
    "restarts": 1,
    "folds": 0,
    "max_literals": 8,
    "random_state": 0,
}
FOLDED: dict[str, Any] = {**BRIEF, "folds": 2}
NAMES = ["a", "b", "c", "d"]


def a_table(rows: int = 160, seed: int = 0) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(rows, 4)), columns=NAMES)


def unruly(table: pd.DataFrame, classes: int = 2, seed: int = 0) -> NDArray[np.str_]:
    """Classes that rise and fall with all columns, alone and in pairs."""
    rng = np.random.default_rng(seed)
    waves = np.sin(2 * table.a) + table.b * table.c - np.abs(table.d) + table.a * (table.b > 0)
    waves = waves + rng.normal(0, 0.3, len(table))
    bounds = np.quantile(waves, np.arange(1, classes) / classes)
    labels: NDArray[np.str_] = np.array(["p", "q", "r"])[np.searchsorted(bounds, waves)]
    return labels


TABLE = a_table()
TWO, THREE = unruly(TABLE), unruly(TABLE, 3)
NUMBERS = np.sin(2 * TABLE.a) + TABLE.b * TABLE.c - np.abs(TABLE.d)


def raised(column: str, rows: int = 400, seed: int = 7) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows, some values of which are missing, and the same with one column raised."""
    rng = np.random.default_rng(seed)
    low = a_table(rows, seed) * 1.5
    for other in set(NAMES) - {column}:
        low.loc[rng.random(rows) < 0.2, other] = np.nan
    # From nearly nothing to all the way across.
    return low, low.assign(**{column: low[column] + 10 ** rng.uniform(-3, 1, rows)})


def probabilities(clf: LogicClassifier, table: pd.DataFrame, by: Any) -> Floats:
    found: Floats = clf.set_params(predict_with=by).predict_proba(table)
    return found


def terms(rules: RuleSet) -> list[set[str]]:
    """The columns of every term."""
    return [
        {
            rules.features[rules.memberships[node.index].feature]
            for node in unique_nodes([term])
            if isinstance(node, Var)
        }
        for expr in rules.expressions
        for term in terms_of(expr)
    ]


def every_rule_set(fitted: LogicEstimator) -> list[RuleSet]:
    return [fitted.rules_, *(point.rules for point in fitted.frontier_)]


# --- monotone ---------------------------------------------------------------------------------

TIGHT = 1e-9  # of rules, in double precision
LOOSE = 1e-5  # of networks, in single precision


@pytest.mark.parametrize("snapping", ["search", "straight_through", "nearest"])
@pytest.mark.parametrize("way", ["up", "down"])
def test_a_column_of_two_classes_acts_one_way_only(way: str, snapping: Any) -> None:
    clf = LogicClassifier(**BRIEF, snapping=snapping, monotone={"a": way, "b": "up"})
    clf.fit(TABLE, TWO)
    for column, sign in (("a", 1 if way == "up" else -1), ("b", 1)):
        low, high = raised(column)
        for by, slack in (("rules", TIGHT), ("network", LOOSE)):
            change = probabilities(clf, high, by) - probabilities(clf, low, by)
            assert (sign * change[:, 1] > -slack).all()
            assert (sign * change[:, 0] < slack).all()
    for rules in every_rule_set(clf):
        assert rules.directions().get("b", {"q": "up"})["q"] in ("up", "none")


def test_without_it_the_column_does_not() -> None:
    """What the tests of this file find is there to be found."""
    clf = LogicClassifier(**BRIEF, literals="graded").fit(TABLE, TWO)
    changes = []
    for column in NAMES:
        low, high = raised(column)
        changes.append(clf.predict_proba(high)[:, 1] - clf.predict_proba(low)[:, 1])
    assert any(change.min() < -0.05 and change.max() > 0.05 for change in changes)


@pytest.mark.parametrize(
    "asked",
    [
        {"a": {"q": "up"}},
        {"a": {"p": "up", "r": "down"}, "b": {"r": "down"}},
        {"a": {"p": "up"}, "b": {"p": "down"}, "c": {"q": "up"}, "d": {"r": "up"}},
        {"c": {"p": "up", "q": "up"}},
    ],
)
def test_of_three_classes_each_keeps_to_what_was_said_of_it(
    asked: dict[str, dict[str, str]],
) -> None:
    clf = LogicClassifier(**BRIEF, monotone=asked).fit(TABLE, THREE)
    for column, said in asked.items():
        low, high = raised(column)
        for label, way in said.items():
            place, sign = clf.classes_.tolist().index(label), 1 if way == "up" else -1
            for by, slack in (("rules", TIGHT), ("network", LOOSE)):
                change = probabilities(clf, high, by) - probabilities(clf, low, by)
                assert (sign * change[:, place] > -slack).all()
            for rules in every_rule_set(clf):
                assert rules.directions().get(column, {label: way})[label] in (way, "none")


@pytest.mark.parametrize("way", ["up", "down"])
def test_a_number_rises_or_falls(way: str) -> None:
    reg = LogicRegressor(**BRIEF, monotone={"a": way}).fit(TABLE, NUMBERS)
    low, high = raised("a")
    sign = 1 if way == "up" else -1
    for by, slack in (("rules", TIGHT), ("network", LOOSE)):
        reg.set_params(predict_with=by)
        assert (sign * (reg.predict(high) - reg.predict(low)) > -slack).all()


@settings(max_examples=6, deadline=None)
@given(
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["up", "down"]), min_size=1),
    st.integers(0, 99),
    st.sampled_from([1, 2, "linear"]),
    st.booleans(),
)
def test_it_holds_for_any_columns_seeds_and_memberships(
    asked: dict[str, str], seed: int, memberships: Any, pure: bool
) -> None:
    literals = "graded" if pure else "crisp"
    options = {**BRIEF, "epochs": 3, "random_state": seed, "pure": pure, "literals": literals}
    clf = LogicClassifier(**options, monotone=asked, memberships=memberships)
    clf.fit(TABLE, unruly(TABLE, seed=seed))
    for column, way in asked.items():
        low, high = raised(column, seed=seed)
        change = clf.predict_proba(high)[:, 1] - clf.predict_proba(low)[:, 1]
        assert ((1 if way == "up" else -1) * change > -TIGHT).all()


def test_what_is_true_is_found_with_the_direction_known() -> None:
    """Of few rows with much noise, knowing the direction helps; it never spoils what is so."""
    rng = np.random.default_rng(0)
    table = a_table(600)
    y = np.where(((table.a > 0) & (table.b < 0.3)) ^ (rng.random(600) < 0.1), "q", "p")
    clf = LogicClassifier(**FOLDED, monotone={"a": "up", "b": "down"}).fit(table, y)
    new = a_table(1000, seed=1)
    truth = np.where((new.a > 0) & (new.b < 0.3), "q", "p")
    assert clf.score(new, truth) > 0.88  # guessing is right in 0.7


def test_truth_values_can_be_true_upwards_and_categories_not() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"smokes": rng.random(200) < 0.5, "town": rng.choice(["bern", "rome"], 200)}
    )
    y = np.where(table.smokes ^ (rng.random(200) < 0.3), "ill", "well")
    clf = LogicClassifier(**BRIEF, monotone={"smokes": {"ill": "up"}}).fit(table, y)
    yes, no = table.assign(smokes=True), table.assign(smokes=False)
    assert (clf.predict_proba(yes)[:, 0] >= clf.predict_proba(no)[:, 0] - TIGHT).all()
    against = LogicClassifier(**BRIEF, monotone={"smokes": {"ill": "down"}}).fit(table, y)
    assert (against.predict_proba(yes)[:, 0] <= against.predict_proba(no)[:, 0] + TIGHT).all()
    with pytest.raises(TableError, match="'town' holds texts"):
        LogicClassifier(monotone={"town": "up"}).fit(table, y)


def test_wide_tables_keep_to_it() -> None:
    clf = LogicClassifier(**FOLDED, max_columns=3, monotone={"a": "up", "d": "down"})
    clf.fit(TABLE, TWO)
    for column, sign in (("a", 1), ("d", -1)):
        low, high = raised(column)
        change = clf.predict_proba(high)[:, 1] - clf.predict_proba(low)[:, 1]
        assert (sign * change > -TIGHT).all()


def test_all_folds_keep_to_it() -> None:
    clf = LogicClassifier(**FOLDED, monotone={"a": "up"}, forbidden_columns=["d"])
    found = cross_validate(clf, TABLE, TWO, cv=2, return_estimator=True)
    for one in found["estimator"]:
        assert one.rules_.directions().get("a", {"q": "up"})["q"] in ("up", "none")
        assert not any("d" in columns for columns in terms(one.rules_))


# --- columns that must not be used ------------------------------------------------------------


@pytest.mark.parametrize("forbidden", [["a", "c"], [0, 2], ("c", 0)])
def test_no_rule_mentions_a_forbidden_column(forbidden: Any) -> None:
    clf = LogicClassifier(**BRIEF, forbidden_columns=forbidden).fit(TABLE, TWO)
    for rules in every_rule_set(clf):
        assert all(columns <= {"b", "d"} for columns in terms(rules))
    assert clf.n_features_in_ == 4
    spoiled = TABLE.assign(a=np.nan, c=1e9)
    for by in ("rules", "network"):
        np.testing.assert_array_equal(
            probabilities(clf, spoiled, by), probabilities(clf, TABLE, by)
        )


def test_names_of_people_may_be_there_if_they_are_forbidden_and_are_not_kept() -> None:
    table = TABLE.assign(name=[f"person {number}" for number in range(len(TABLE))])
    with pytest.raises(TableError, match="identifiers"):
        LogicClassifier(**BRIEF).fit(table, TWO)
    clf = LogicClassifier(**BRIEF, forbidden_columns=["name"]).fit(table, TWO)
    assert "person" not in clf.rules_.to_json()
    assert clf.predict(table.assign(name="someone else")).shape == (len(TABLE),)
    again = RuleSet.from_json(clf.rules_.to_json())
    np.testing.assert_array_equal(again.predict(table), clf.predict(table))


# --- pairs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("snapping", ["search", "straight_through"])
def test_forbidden_pairs_stand_in_no_term(snapping: Any) -> None:
    pairs = [("b", "c"), ("a", "b")]
    clf = LogicClassifier(**BRIEF, snapping=snapping, forbidden_pairs=pairs).fit(TABLE, TWO)
    for rules in every_rule_set(clf):
        assert not any(set(pair) <= columns for pair in pairs for columns in terms(rules))
    assert any(len(columns) > 1 for rules in every_rule_set(clf) for columns in terms(rules))


def test_only_allowed_pairs_do() -> None:
    reg = LogicRegressor(**BRIEF, allowed_pairs=[("c", "b")]).fit(TABLE, NUMBERS)
    for rules in every_rule_set(reg):
        assert all(len(columns) == 1 or columns == {"b", "c"} for columns in terms(rules))
    assert any({"b", "c"} in terms(rules) for rules in every_rule_set(reg))


def test_a_pair_of_a_category_is_one_of_all_its_values() -> None:
    rng = np.random.default_rng(0)
    table = a_table(200).assign(town=rng.choice(["bern", "rome", "oslo"], 200))
    y = np.where((table.town == "rome") & (table.a > 0), "q", "p")
    clf = LogicClassifier(**BRIEF, forbidden_pairs=[("town", "a")]).fit(table, y)
    assert not any({"town", "a"} <= columns for columns in terms(clf.rules_))


# --- budgets ----------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [0, 1, 3, {"r": 2}, {"p": 0, "q": 4}])
def test_no_rule_is_larger_than_its_budget(budget: Any) -> None:
    clf = LogicClassifier(**BRIEF, max_literals_per_class=budget).fit(TABLE, THREE)
    for rules in every_rule_set(clf):
        for rule in rules.rules:
            most = budget.get(rule.label, np.inf) if isinstance(budget, dict) else budget
            assert measure([rule.expression]).literals <= most


@pytest.mark.parametrize("label", ["p", "q"])
def test_of_two_classes_a_budget_for_either_is_one_for_the_sum(label: str) -> None:
    clf = LogicClassifier(**BRIEF, max_literals_per_class={label: 2}).fit(TABLE, TWO)
    assert all(rules.size <= 2 for rules in every_rule_set(clf))


def test_a_budget_takes_what_is_missed_least() -> None:
    options: dict[str, Any] = {**BRIEF, "epochs": 5}
    free = LogicClassifier(**options).fit(TABLE, THREE)
    tight = LogicClassifier(**options, max_literals_per_class=4).fit(TABLE, THREE)
    guessing = max(np.mean(label == THREE) for label in "pqr")
    assert guessing + 0.05 < tight.score(TABLE, THREE) <= free.score(TABLE, THREE) + 0.1


# --- all at once, and what is refused ---------------------------------------------------------


def test_everything_at_once() -> None:
    clf = LogicClassifier(
        **FOLDED,
        forbidden_columns=["d"],
        monotone={"a": {"q": "up"}, "b": {"p": "down"}},
        forbidden_pairs=[("a", "c")],
        max_literals_per_class=5,
    ).fit(TABLE, THREE)
    for rules in every_rule_set(clf):
        assert all(columns <= {"a", "b", "c"} for columns in terms(rules))
        assert not any({"a", "c"} <= columns for columns in terms(rules))
        assert rules.directions().get("a", {"q": "up"})["q"] in ("up", "none")
        assert max(measure([each]).literals for each in rules.expressions) <= 5


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize(
    "options",
    [
        {"literals": "graded"},
        {"literals": "graded", "memberships": "linear"},
        {"snapping": "straight_through"},
    ],
    ids=["graded", "paper", "crisp"],
)
def test_networks_of_several_levels_and_their_rules_keep_to_constraints(
    options: dict[str, Any], depth: int
) -> None:
    asked = {"a": {"q": "up"}, "b": {"p": "down"}}
    settings = {**BRIEF, **options, "depth": depth, "width": 4}
    if "snapping" in options:
        settings["max_literals"] = None
    clf = LogicClassifier(**settings, monotone=asked, forbidden_pairs=[("a", "c")])
    clf.fit(TABLE, THREE)
    for rules in every_rule_set(clf):
        assert not any({"a", "c"} <= columns for columns in terms(rules))
        assert rules.directions().get("a", {"q": "up"})["q"] in ("up", "none")
        assert rules.directions().get("b", {"p": "down"})["p"] in ("down", "none")


@pytest.mark.parametrize("depth", [2, 3])
def test_a_number_never_falls_with_a_column_through_several_levels(depth: int) -> None:
    reg = LogicRegressor(
        **BRIEF, depth=depth, width=4, literals="graded", monotone={"a": "up"}
    ).fit(TABLE, NUMBERS)
    low, high = raised("a")
    for by, slack in (("rules", TIGHT), ("network", LOOSE)):
        reg.set_params(predict_with=by)
        assert (reg.predict(high) - reg.predict(low) > -slack).all()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"monotone": {"e": "up"}}, "no column 'e'"),
        ({"monotone": {"a": "rise"}}, "up"),
        ({"monotone": "a"}, "mapping"),
        ({"monotone": {"a": {"z": "up"}}}, "no class 'z'"),
        ({"forbidden_columns": "a"}, "list of columns"),
        ({"forbidden_columns": NAMES}, "leave a column"),
        ({"forbidden_pairs": [("a", "a")]}, "two different columns"),
        ({"allowed_pairs": ["ab"]}, "pairs"),
        ({"allowed_pairs": [], "forbidden_pairs": []}, "at once"),
        ({"operators": [], "depth": 2, "literals": "graded"}, "depth must be 1"),
        ({"max_literals_per_class": -1}, "at least 0"),
        ({"max_literals_per_class": {"z": 3}}, "must name classes"),
        ({"max_literals_per_class": {"p": 2.5}}, "whole number"),
        ({"max_literals_per_class": 3, "snapping": "nearest"}, "'search'"),
    ],
)
def test_what_makes_no_sense_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LogicClassifier(**BRIEF, **asked).fit(TABLE, TWO)


def test_of_more_classes_than_two_one_has_to_be_named() -> None:
    with pytest.raises(ValueError, match="3 classes"):
        LogicClassifier(**BRIEF, monotone={"a": "up"}).fit(TABLE, THREE)


def test_columns_are_counted_where_they_have_no_names() -> None:
    clf = LogicClassifier(**BRIEF, monotone={0: "up"}, forbidden_columns=[3])
    rules = clf.fit(TABLE.to_numpy(), TWO).rules_
    assert rules.directions().get("x0", {"q": "up"})["q"] in ("up", "none")
    assert not any("x3" in columns for columns in terms(rules))


def test_limits_that_limit_nothing_change_nothing() -> None:
    free = LogicClassifier(**FOLDED).fit(TABLE, TWO)
    same = LogicClassifier(
        **FOLDED,
        monotone={},
        forbidden_pairs=[],
        forbidden_columns=[],
        max_literals_per_class=99,
    ).fit(TABLE, TWO)
    assert digest_of(free) == digest_of(same)


def test_a_checkpoint_of_other_limits_is_refused(tmp_path: Path) -> None:
    """Training would go on from what the limits do not allow."""
    path = tmp_path / "fit.npz"

    class Killed(BaseException):
        pass

    def fit(kill: bool, **asked: Any) -> LogicClassifier:
        clf = LogicClassifier(**BRIEF, **asked)
        with pytest.MonkeyPatch.context() as patch:
            if kill:

                def stop(*_: Any) -> None:
                    raise Killed

                patch.setattr("crisplogic.estimators.base.search_crisp_rules", stop)
            return clf.fit(TABLE, TWO, checkpoint=path)

    with pytest.raises(Killed):
        fit(kill=True, monotone={"a": "up"})
    with pytest.raises(CheckpointError):
        fit(kill=False, forbidden_pairs=[("a", "b")])
    resumed = fit(kill=False, monotone={"a": "up"})
    assert digest_of(resumed) == digest_of(
        LogicClassifier(**BRIEF, monotone={"a": "up"}).fit(TABLE, TWO)
    )


def test_a_forbidden_column_may_hold_anything_and_need_not_be_there_later() -> None:
    table = TABLE.assign(when=pd.Timestamp("2020-02-02"), parts=[[1, 2]] * len(TABLE))
    clf = LogicClassifier(**BRIEF, forbidden_columns=["when", "parts"]).fit(table, TWO)
    np.testing.assert_array_equal(clf.predict(table), clf.predict(TABLE))
    for by in ("rules", "network"):
        clf.set_params(predict_with=by)
        np.testing.assert_array_equal(clf.predict_proba(table), clf.predict_proba(TABLE))
    np.testing.assert_array_equal(clf.rules_.predict(table), clf.rules_.predict(TABLE))


def test_rules_need_no_more_than_the_columns_that_they_mention() -> None:
    clf = LogicClassifier(**BRIEF, forbidden_columns=["a", "b"]).fit(TABLE, TWO)
    mentioned = sorted(set().union(*terms(clf.rules_)))
    assert mentioned
    few = TABLE[mentioned]
    np.testing.assert_array_equal(clf.rules_.predict(few), clf.predict(TABLE))
    with pytest.raises(TableError, match="need the column"):
        clf.rules_.predict(TABLE[["a", "b"]])


# --- operators ------------

XOR_LIKE = np.random.default_rng(3).normal(size=(120, 3))


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("snapping", ["search", "straight_through"])
@pytest.mark.parametrize("operators", [["and", "or"], ["and"], ["or"], ["xor"]])
def test_no_other_operator_joins_columns(
    operators: list[str], snapping: Any, depth: int
) -> None:
    options: dict[str, Any] = {**BRIEF, "max_literals": 4 if snapping == "search" else None}
    clf = LogicClassifier(
        depth=depth, width=3, operators=operators, snapping=snapping, **options
    ).fit(XOR_LIKE, XOR_LIKE[:, 0] * XOR_LIKE[:, 1] > 0)
    found = [point.rules for point in clf.frontier_]
    assert all(rules.operators <= set(operators) for rules in [*found, clf.rules_])


@pytest.mark.parametrize("operators", [[], ["xor"], ["and", "or"]])
def test_a_column_may_always_stand_alone(operators: list[str]) -> None:
    clf = LogicClassifier(operators=operators, epochs=8, restarts=1, folds=0, random_state=0)
    clf.fit(XOR_LIKE, XOR_LIKE[:, 0] > 0.2)
    assert clf.score(XOR_LIKE, XOR_LIKE[:, 0] > 0.2) > 0.9
    assert clf.rules_.operators <= set(operators)


def test_numbers_keep_to_their_operators() -> None:
    y = XOR_LIKE[:, 0] * XOR_LIKE[:, 1]
    reg = LogicRegressor(operators=["and"], epochs=4, restarts=1, folds=0, random_state=0)
    assert reg.fit(XOR_LIKE, y).rules_.operators <= {"and"}


def test_rules_with_a_forbidden_operator_cannot_be_written_without_it() -> None:
    rule = Rule("y", parse("0 ^ 1"))
    rules = RegressionRules(("a", "b"), (Ramp(0, 0.0, 1.0), Ramp(1, 0.0, 1.0)), (rule,))
    assert rules.operators == {"xor"}
    with pytest.raises(RuleError, match="xor"):
        rules.with_operators({"and", "or"})


@pytest.mark.parametrize("operators", ["and", ["nand"], [1], 3])
def test_unknown_operators_are_refused(operators: Any) -> None:
    with pytest.raises(ValueError, match="operators must be"):
        LogicClassifier(**BRIEF, operators=operators).fit(TABLE, TWO)


# --- cuts ------------


def thresholds_of(rules: RuleSet, column: str) -> set[float]:
    return {
        round(each.threshold, 9)
        for index in rules.used
        if isinstance(each := rules.memberships[index], Ramp | Step)
        and rules.features[each.feature] == column
    }


@pytest.mark.parametrize("monotone", [None, {"a": "down"}])
def test_a_column_has_no_other_thresholds_than_its_cuts(monotone: Any) -> None:
    clf = LogicClassifier(**BRIEF, cuts={"a": [0.5, -0.25], 1: [0.0]}, monotone=monotone)
    clf.fit(TABLE, np.where(TABLE.a + TABLE.b > 0.4, "p", "q"))
    for rules in [clf.rules_, *(point.rules for point in clf.frontier_)]:
        assert thresholds_of(rules, "a") <= {0.5, -0.25}
        assert thresholds_of(rules, "b") <= {0.0}
    again = refit(clf.rules_, TABLE, TWO, cuts={"a": [0.5, -0.25]})
    assert thresholds_of(again, "a") <= {0.5, -0.25}


def test_the_best_of_the_cuts_is_found() -> None:
    cuts = [-1.5, -0.5, 0.0, 0.7, 1.5]
    clf = LogicClassifier(**BRIEF, cuts={"a": cuts}).fit(TABLE, TABLE.a > 0.7)
    assert thresholds_of(clf.rules_at(1), "a") == {0.7}


def test_numbers_keep_to_their_cuts() -> None:
    reg = LogicRegressor(**BRIEF, cuts={"a": [0.1]}).fit(TABLE, TABLE.a + TABLE.b)
    assert all(thresholds_of(point.rules, "a") <= {0.1} for point in reg.frontier_)


def test_cuts_outside_the_data_come_with_a_warning() -> None:
    with pytest.warns(CutWarning, match="'a' part no rows: 99"):
        LogicClassifier(**BRIEF, cuts={"a": [0.1, 99]}).fit(TABLE, TWO)


@pytest.mark.parametrize(
    ("cuts", "message"),
    [
        ({"z": [1]}, "there is no column 'z'"),
        ({"a": []}, "one or more finite numbers"),
        ({"a": ["x"]}, "one or more finite numbers"),
        ({"a": [np.nan]}, "one or more finite numbers"),
        ({"a": 3}, "one or more finite numbers"),
        ([1], "a mapping of columns"),
        ({"sex": [1]}, "must name columns of numbers"),
    ],
)
def test_cuts_that_make_no_sense_are_refused(cuts: Any, message: str) -> None:
    table = TABLE.assign(sex=np.where(TABLE.a > 0, "f", "m"))
    with pytest.raises(ValueError, match=message):
        LogicClassifier(**BRIEF, cuts=cuts).fit(table, TWO)
