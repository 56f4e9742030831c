"""Evidence: what terms and rules are worth on rows, as records and as a data frame."""

from __future__ import annotations

import math
import sys
import tracemalloc
from dataclasses import FrozenInstanceError, asdict, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.expr import evaluate, parse, total
from crisplogic.expr.program import CHUNK_ROWS
from crisplogic.rules import (
    ClassEvidence,
    ClassificationRules,
    Missing,
    NumberEvidence,
    Ramp,
    RegressionRules,
    Rule,
    RuleSet,
)
from crisplogic.rules.formatting import terms_of
from crisplogic.rules.metrics import root_mean_squared_error
from tests.rules.rule_sets import (
    NAN,
    PATIENTS,
    PRICE,
    as_number,
    coded_tables,
    intercepts,
    rule_sets,
    rules_of,
)
from tests.strategies import HOSTILE_NAMES, INPUTS

RULES = ClassificationRules(
    ("glucose", "age"),
    (Ramp(0, 107.0, 147.0), Ramp(1, 30.0, 50.0)),
    (Rule("ill", parse("(0 & ~1) + 0")), Rule("well", parse("unknown"))),
    intercepts=(0.0, 0.5),
)
# Values of glucose>127 and of glucose>127 & age<40, and what the rules make of them:
ROWS = [[147, 30], [147, 50], [107, 30], [NAN, 30], [147, NAN], [137, 35]]
#        1, 1       1, -1      -1, -1     0, 0       1, 0        0.5, 0.125
TRUTH = ["ill", "ill", "well", "well", "well", "ill"]
#        ill     well   well    well    ill     ill

# The same for a number.
HOUSES = [[7.5, 0, 0], [5.5, 20, 9], [6.5, 20, 9], [NAN, 20, 9], [7.0, 20, NAN]]
# rooms>6.5:  1          -1            0             0               0.5
# the other:  1          -1           -1            -1               0
PRICES = [30.0, 15.0, 20.0, 19.0, 26.0]


def by_text(found: list[ClassEvidence]) -> dict[tuple[str, str], ClassEvidence]:
    return {(each.kind, each.text): each for each in found}


def test_every_rule_and_every_term_has_a_record() -> None:
    found = RULES.evidence(ROWS, TRUTH)
    assert [(each.label, each.kind, each.text, each.literals) for each in found] == [
        ("ill", "rule", "(glucose>127±20 & age<40±10) + glucose>127±20", 3),
        ("ill", "term", "glucose>127±20 & age<40±10", 2),
        ("ill", "term", "glucose>127±20", 1),
        ("well", "rule", "0.5", 0),
    ]


def test_support_coverage_and_precision_are_shares_of_rows() -> None:
    found = by_text(RULES.evidence(ROWS, TRUTH))
    both, one = found["term", "glucose>127±20 & age<40±10"], found["term", "glucose>127±20"]
    assert (both.rows, both.support) == (2, 2 / 6)
    assert (both.coverage, both.precision) == (2 / 3, 1.0)
    assert (one.rows, one.support) == (4, 4 / 6)
    assert (one.coverage, one.precision) == (1.0, 3 / 4)


def test_a_rule_is_true_where_it_is_above_the_constant_and_the_default_elsewhere() -> None:
    ill, _, _, well = RULES.with_intercept("well", 0.75).evidence(ROWS, TRUTH)
    assert (ill.rows, ill.precision, ill.coverage) == (2, 1 / 2, 1 / 3)
    assert (well.rows, well.precision, well.coverage) == (4, 2 / 4, 2 / 3)


def test_without_a_constant_a_rule_is_true_where_its_score_is_above_zero() -> None:
    found = rules_of("0 + 1", "0").evidence([[1, -0.5, 0, 0, 0], [-1, 0.5, 0, 0, 0]])
    assert [each.rows for each in found if each.kind == "rule"] == [1, 1]


def test_contribution_is_what_is_added_to_the_score_on_average() -> None:
    ill, both, one, _ = RULES.evidence(ROWS)
    assert both.contribution == pytest.approx((1 - 1 - 1 + 0 + 0 + 0.125) / 6)
    assert one.contribution == pytest.approx((1 + 1 - 1 + 0 + 1 + 0.5) / 6)
    assert ill.contribution == pytest.approx(both.contribution + one.contribution)


def test_effect_is_by_how_many_points_the_error_grows_without_it() -> None:
    ill, both, one, well = RULES.evidence(ROWS, TRUTH)
    assert (RULES.predict(ROWS) != TRUTH).mean() == pytest.approx(2 / 6)
    for each in (both, one):
        without = (RULES.without_term(each.text).predict(ROWS) != TRUTH).mean()
        assert each.effect == pytest.approx(100 * (without - 2 / 6))
    assert ill.effect == pytest.approx(100 * (3 / 6 - 2 / 6))  # all are predicted well
    assert well.effect == 0


def test_unknown_is_where_a_value_is_missing_and_nothing_follows() -> None:
    _, both, one, _ = RULES.evidence([*ROWS, [127, 40]], None)
    assert (both.unknown, one.unknown) == (2 / 7, 1 / 7)  # on the threshold is not unknown


def test_a_gap_is_known_where_it_is_spoken_of() -> None:
    rules = ClassificationRules(("x",), (Missing(0),), (Rule("a", parse("0")),))
    assert rules.evidence([[NAN], [1.0]])[1].unknown == 0


def test_values_of_a_category_that_were_never_seen_are_unknown() -> None:
    rows = [[150.0, True, "red"], [150.0, True, "new"], [150.0, True, None]]
    found = by_text(PATIENTS.evidence(rows))
    assert found["term", '"eye colour" is not other'].unknown == pytest.approx(2 / 3)
    assert found["term", '"eye colour" is not missing'].unknown == 0


def test_without_answers_what_needs_them_is_nan() -> None:
    for each in RULES.evidence(ROWS):
        assert all(map(math.isnan, (each.coverage, each.precision, each.effect)))
        assert not math.isnan(each.support)
    for number in PRICE.evidence(HOUSES):
        assert all(map(math.isnan, (number.mean, number.mean_elsewhere, number.effect)))
        assert not math.isnan(number.contribution)


def test_a_term_that_stands_twice_counts_twice() -> None:
    whole, twice, _ = rules_of("0 + 1 + 0", labels=("a",)).evidence(np.ones((1, INPUTS)))
    assert (twice.text, twice.weight, twice.contribution) == ("x0", 2, 2.0)
    assert whole.contribution == 3.0


@pytest.mark.parametrize(
    ("rules", "table", "y"),
    [(RULES, ROWS, TRUTH), (PRICE, HOUSES, PRICES)],
    ids=["classes", "number"],
)
def test_a_row_of_weight_two_counts_as_two_rows(rules: RuleSet, table: Any, y: Any) -> None:
    weights = [2, 1, 0, 3, 1, 1][: len(y)]
    rows = np.repeat(np.arange(len(y)), weights)
    weighted = rules.evidence(table, y, weights)
    repeated = rules.evidence([table[row] for row in rows], [y[row] for row in rows])
    for one, other in zip(weighted, repeated, strict=True):
        for name, value in asdict(one).items():
            assert value == pytest.approx(asdict(other)[name], nan_ok=True)


@given(rule_sets(), st.data())
@settings(max_examples=40)
def test_effects_are_those_of_dropping_the_terms(
    rules: ClassificationRules, data: st.DataObject
) -> None:
    table = data.draw(coded_tables(rules, rows=6))
    targets = data.draw(st.lists(st.integers(0, len(rules.rules) - 1), min_size=6, max_size=6))
    found = iter(rules.evidence(table, [rules.labels[target] for target in targets]))
    wrong = (rules.scores(table).argmax(axis=1) != targets).sum()
    for position, rule in enumerate(rules.rules):
        terms = terms_of(rule.expression)
        for gone in [terms, *dict.fromkeys((term,) for term in terms)]:
            rest = total(term for term in terms if term not in gone)
            rules_left = list(rules.rules)
            rules_left[position] = Rule(rule.label, rest)
            less = replace(rules, rules=tuple(rules_left))
            without = (less.scores(table).argmax(axis=1) != targets).sum()
            assert next(found).effect == pytest.approx(100 * (without - wrong) / 6)
    assert next(found, None) is None


def many_rows(rows: int) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    rng = np.random.default_rng(0)
    table = rng.uniform([60, 20], [200, 80], (rows, 2))
    table[rng.random(table.shape) < 0.05] = NAN
    return table, rng.choice(["ill", "well"], rows)


def test_many_rows_are_counted_as_all_at_once() -> None:
    table, y = many_rows(2 * CHUNK_ROWS + 17)
    degrees, (_, both, *_) = RULES.degrees(table), RULES.evidence(table, y)
    values = evaluate(parse("0 & ~1"), degrees)
    assert both.rows == (values > 0).sum()
    assert both.precision == pytest.approx((y[values > 0] == "ill").mean())
    assert both.contribution == pytest.approx(values.mean())
    assert both.unknown == pytest.approx(((values == 0) & np.isnan(table).any(axis=1)).mean())


def test_memory_does_not_grow_with_the_rows() -> None:
    table, _ = many_rows(400_000)
    y = np.arange(len(table)) % 2
    rules = replace(
        RULES, rules=tuple(Rule(n, each) for n, each in enumerate(RULES.expressions))
    )
    tracemalloc.start()
    rules.evidence(table, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 * 2**20  # the classes as numbers, and a few chunks


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_hostile_names_are_written_as_in_print(name: str) -> None:
    rules = rules_of("0 & ~1", labels=(name,), features=(name, "b"))
    found = rules.evidence([[1.0, 1.0]], [name])
    assert found[0].label == name
    assert found[0].text == rules.to_text().split(" = ", 1)[1]


def test_no_rows_are_no_trouble() -> None:
    for each in RULES.evidence(np.empty((0, 2)), []):
        assert each.rows == 0
        assert math.isnan(each.support)


def test_targets_that_do_not_fit_are_refused() -> None:
    with pytest.raises(TableError, match="classes of the rules"):
        RULES.evidence(ROWS, ["sick"] * 6)
    with pytest.raises(TableError, match="one number a row, 5 in all, got 4"):
        PRICE.evidence(HOUSES, PRICES[:4])


# --- data frames ------------------------------------------------------------------------------


def test_the_frame_has_a_row_for_each_record() -> None:
    frame = RULES.to_frame(pd.DataFrame(ROWS, columns=["glucose", "age"]), TRUTH)
    records = RULES.evidence(ROWS, TRUTH)
    assert list(frame["class"]) == [each.label for each in records]
    assert list(frame["text"]) == [each.text for each in records]
    assert list(frame["effect"]) == [each.effect for each in records]
    assert list(frame.columns) == [
        "class", "kind", "text", "literals", "weight", "rows", "support", "coverage",
        "precision", "contribution", "effect", "unknown",
    ]  # fmt: skip


def test_without_pandas_the_frame_says_what_to_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"crisplogic\[pandas\]"):
        RULES.to_frame(ROWS, TRUTH)
    assert len(RULES.evidence(ROWS, TRUTH)) == 4


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        RULES.evidence(ROWS)[0].rows = 3  # type: ignore[misc]


# --- numbers ----------------------------------------------------------------------------------


def error(rules: RegressionRules, rows: Any = HOUSES, truth: Any = PRICES) -> float:
    return root_mean_squared_error(np.array(truth), rules.predict(rows))


def test_the_rule_and_every_term_have_a_record() -> None:
    found = PRICE.evidence(HOUSES, PRICES)
    assert all(isinstance(each, NumberEvidence) for each in found)
    assert [
        (each.label, each.kind, each.text, each.literals, each.weight) for each in found
    ] == [
        ("price", "rule", "22.5 + 4.125 × (rooms>6.5±1 + ¬(poverty>9.7±2 & crime>3±1))", 3, 1),
        ("price", "term", "rooms>6.5±1", 1, 1),
        ("price", "term", "¬(poverty>9.7±2 & crime>3±1)", 2, 1),
    ]


def test_means_are_those_of_the_rows_where_it_is_true_and_of_the_others() -> None:
    rule, rooms, other = PRICE.evidence(HOUSES, PRICES)
    assert (rooms.rows, rooms.support) == (2, 0.4)
    assert (rooms.mean, rooms.mean_elsewhere) == (28.0, 18.0)
    assert (other.rows, other.mean, other.mean_elsewhere) == (1, 30.0, 20.0)
    assert (rule.rows, rule.mean) == (2, 28.0)  # where the terms add to the base
    assert rooms.unknown == 0.2


def test_contribution_is_what_is_added_to_the_number_on_average() -> None:
    rule, rooms, other = PRICE.evidence(HOUSES)
    assert rooms.contribution == pytest.approx(4.125 * 0.5 / 5)
    assert other.contribution == pytest.approx(4.125 * -2 / 5)
    assert rule.contribution == pytest.approx(rooms.contribution + other.contribution)
    assert rule.contribution + 22.5 == pytest.approx(PRICE.predict(HOUSES).mean())


def test_effect_is_by_how_much_the_error_grows_without_it() -> None:
    rule, *terms = PRICE.evidence(HOUSES, PRICES)
    for each in terms:
        assert each.effect == pytest.approx(error(PRICE.without_term(each.text)) - error(PRICE))
    assert rule.effect == pytest.approx(error(PRICE.with_rule("price", "22.5")) - error(PRICE))


def test_without_rows_everything_is_nan() -> None:
    for each in PRICE.evidence(np.empty((0, 3)), []):
        shares = each.support, each.mean, each.contribution, each.effect, each.unknown
        assert all(map(math.isnan, shares))
        assert each.rows == 0


def test_one_row_is_enough() -> None:
    rule, rooms, _ = PRICE.evidence([[9, 0, 0]], [31.0])
    assert (rooms.mean, rule.support) == (31.0, 1.0)
    assert math.isnan(rooms.mean_elsewhere)
    assert rooms.effect == pytest.approx(4.375 - 0.25)


def test_a_term_that_stands_twice_adds_twice() -> None:
    rules = PRICE.with_rule("price", "10 + 2 × (rooms>6.5 + crime>3 + rooms>6.5)")
    _, twice, _ = rules.evidence([[9, 0, 9]], [16.0])
    assert (twice.text, twice.weight, twice.contribution) == ("rooms>6.5±1", 2, 4.0)
    assert twice.effect == pytest.approx(4.0)


def test_rules_without_terms_have_one_record() -> None:
    [rule] = PRICE.with_rule("price", "20").evidence(HOUSES, PRICES)
    assert (rule.text, rule.rows, rule.contribution, rule.effect) == ("20", 0, 0.0, 0.0)
    assert math.isnan(rule.mean)
    assert rule.mean_elsewhere == pytest.approx(np.mean(PRICES))


@pytest.mark.parametrize("factor", [1e-90, 1e90])
def test_huge_and_tiny_numbers_are_summed_up(factor: float) -> None:
    rules = PRICE.with_scale(PRICE.scale * factor).with_intercept("price", 22.5 * factor)
    found = rules.evidence(HOUSES, np.array(PRICES) * factor)
    for one, other in zip(found, PRICE.evidence(HOUSES, PRICES), strict=True):
        for name in ("mean", "mean_elsewhere", "contribution", "effect"):
            assert getattr(one, name) == pytest.approx(getattr(other, name) * factor, rel=1e-9)


def test_categories_and_gaps_are_told_of() -> None:
    rules = as_number(PATIENTS)
    rows = [[150.0, True, "red"], [None, False, "new"], [100.0, None, None]]
    found = {each.text: each for each in rules.evidence(rows, [1, 2, 3])}
    assert (
        found['"eye colour" is red | "eye colour" is "light blue"'].rows == 3
    )  # of two unknowns
    assert found["glucose is not missing"].rows == 2
    assert found["glucose is not missing"].mean == 2.0


@given(
    st.builds(as_number, rule_sets(), st.just("y"), intercepts, st.floats(1e-6, 1e6)),
    hnp.arrays(np.float64, (4, INPUTS), elements=st.floats()),
)
@settings(max_examples=60)
def test_all_of_it_follows_from_the_rows(
    rules: RegressionRules, table: NDArray[np.float64]
) -> None:
    truth = np.array([1.0, -2.0, 3.0, 100.0])
    rule, *terms = rules.evidence(table, truth)
    predicted = rules.predict(table)
    size = abs(rules.intercepts[0]) + rules.scale * 5
    assert rule.contribution + rules.intercepts[0] == pytest.approx(
        predicted.mean(), abs=1e-9 * size
    )
    base = root_mean_squared_error(truth, np.full(4, rules.intercepts[0]))
    assert rule.effect == pytest.approx(
        base - root_mean_squared_error(truth, predicted), abs=1e-9 * (size + 100)
    )
    added = sum(each.contribution for each in terms)
    assert added == pytest.approx(rule.contribution, abs=1e-9 * size)


def test_many_rows_are_told_of_as_all_at_once_in_bounded_memory() -> None:
    rows = np.random.default_rng(0).uniform([4, 0, 0], [9, 20, 9], (4 * CHUNK_ROWS + 5, 3))
    truth = PRICE.predict(rows) + np.random.default_rng(1).normal(size=len(rows))
    tracemalloc.start()
    _, rooms, _ = PRICE.evidence(rows, truth)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * rows.nbytes
    assert rooms.mean == pytest.approx(truth[rows[:, 0] > 6.5].mean())
    without = error(PRICE.without_term("rooms>6.5"), rows, truth)
    assert rooms.effect == pytest.approx(without - error(PRICE, rows, truth))


def test_a_frame_has_the_same_and_calls_the_label_number() -> None:
    frame = PRICE.to_frame(HOUSES, PRICES)
    records = PRICE.evidence(HOUSES, PRICES)
    assert list(frame.columns) == ["number", *list(asdict(records[0]))[1:]]
    assert frame["number"].tolist() == ["price"] * 3
    assert frame["mean"].tolist() == [each.mean for each in records]
