"""RuleSet: predicting, reading, changing and keeping rules."""

from __future__ import annotations

import copy
import math
import os
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from crisplogic.errors import RuleError, TableError
from crisplogic.expr import ASCII, PAPER, Notation, Size, parse
from crisplogic.expr.program import CHUNK_ROWS
from crisplogic.rules import ClassificationRules, Membership, Ramp, Rule, RuleSet
from crisplogic.rules.rule import Label
from tests.rules.parsed_back import parsed_back
from tests.rules.rule_sets import HEALTH, INF, LEARNED, NAN, rule_sets, rules_of
from tests.strategies import HOSTILE_NAMES, INPUTS, tables

HOSTILE = (
    *HOSTILE_NAMES,
    "h1",
    "h2",
    "false",
    "unknown",
    "c_0",
    "a = b",
    "True",
    "1.5",
    "(",
    "\x9b31m",
    "\x1b[2J",
)
UNUSED = ClassificationRules(
    ("a",), (), (Rule("always", parse("true")), Rule("never", parse("false")))
)

# Three rows, their memberships of glucose and age, and their scores of "ill" and "well".
ROWS = [[200.0, 80.0], [150.0, 65.0], [50.0, NAN]]
SCORES = [[1.0, -1.0], [0.125, -0.5], [-0.75, 0.5]]


# --- predicting -------------------------------------------------------------------------------


def test_scores_are_those_of_the_expressions_over_memberships() -> None:
    assert HEALTH.degrees(ROWS).tolist() == [[1, 1], [0.5, 0.5], [-0.5, 0]]
    assert HEALTH.scores(ROWS).tolist() == SCORES


def test_the_class_of_the_greatest_score_is_predicted() -> None:
    assert HEALTH.predict(ROWS).tolist() == ["ill", "ill", "well"]


def test_probabilities_are_the_softmax_of_scale_times_scores() -> None:
    expected = [1 / (1 + math.exp(2.0 * (well - ill))) for ill, well in SCORES]
    assert HEALTH.predict_proba(ROWS)[:, 0] == pytest.approx(expected)


@pytest.mark.parametrize(
    "table",
    [
        np.array(ROWS),
        np.asfortranarray(ROWS),
        [tuple(row) for row in ROWS],
        pd.DataFrame(ROWS, columns=["glucose", "age"]),
        pd.DataFrame(ROWS, columns=["glucose", "age"])[["age", "glucose"]].assign(name="x"),
    ],
    ids=["array", "fortran", "rows", "frame", "frame in another order"],
)
def test_any_table_gives_the_same(table: Any) -> None:
    assert HEALTH.scores(table).tolist() == SCORES
    assert HEALTH.predict(table).tolist() == ["ill", "ill", "well"]
    assert HEALTH.predict_proba(table).tolist() == HEALTH.predict_proba(ROWS).tolist()


def test_what_cannot_be_read_as_the_columns_is_refused() -> None:
    frame = pd.DataFrame({"glucose": [1.0], "Age": [2.0]})
    for method in (HEALTH.predict, HEALTH.scores, HEALTH.predict_proba, HEALTH.degrees):
        with pytest.raises(TableError, match="need the column"):
            method(frame)
        with pytest.raises(TableError, match=r"got shape \(2,\)"):
            method([1.0, 2.0])
        with pytest.raises(TableError, match="must hold numbers"):
            method([["high", "low"]])


def test_missing_values_are_unknown_and_infinite_values_are_as_good_as_the_ends() -> None:
    table = [[NAN, NAN], [INF, INF], [-INF, INF]]
    assert HEALTH.degrees(table).tolist() == [[0, 0], [1, 1], [-1, 1]]
    assert HEALTH.scores(table).tolist() == [[-0.5, 0], [1, -1], [-1, 1]]


def test_no_rows_give_no_predictions() -> None:
    empty = np.empty((0, 2))
    assert HEALTH.scores(empty).shape == HEALTH.predict_proba(empty).shape == (0, 2)
    assert HEALTH.predict(empty).shape == (0,)
    assert HEALTH.predict(empty).dtype.kind == "U"


def test_many_rows_score_as_each_row_alone() -> None:
    table = np.random.default_rng(0).uniform(0, 200, (2 * CHUNK_ROWS + 2, 2))
    some = [0, CHUNK_ROWS - 1, CHUNK_ROWS, 2 * CHUNK_ROWS - 1, 2 * CHUNK_ROWS + 1]
    assert HEALTH.scores(table)[some].tolist() == HEALTH.scores(table[some]).tolist()


def test_in_a_tie_the_first_class_is_predicted() -> None:
    rules = rules_of("~0", "0", "0", labels=("zebra", "b", "a"))
    table = np.zeros((2, INPUTS))
    table[1, 0] = 1.0
    assert rules.predict(table).tolist() == ["zebra", "b"]


def test_rules_that_use_no_input_predict_one_class() -> None:
    assert UNUSED.predict([[1.0], [NAN]]).tolist() == ["always", "always"]
    assert UNUSED.scores([[1.0]]).tolist() == [[1, -1]]


def test_a_single_class_is_always_predicted_for_sure() -> None:
    rules = rules_of("0 + 1", labels=("only",))
    table = np.random.default_rng(0).uniform(-1, 1, (5, INPUTS))
    assert rules.predict(table).tolist() == ["only"] * 5
    assert rules.predict_proba(table).tolist() == [[1.0]] * 5


def test_several_memberships_may_be_about_one_column() -> None:
    cold, hot = Membership(0, 0.0, 10.0), Membership(0, 20.0, 30.0)
    rules = ClassificationRules(
        ("t",), (cold, hot), (Rule("mild", parse("0 & ~1")), Rule("not", parse("1")))
    )
    assert rules.predict([[15.0], [30.0]]).tolist() == ["mild", "not"]


@given(rule_sets(), hnp.arrays(np.float64, (4, INPUTS), elements=st.floats()))
@settings(max_examples=100)
def test_probabilities_sum_to_one_and_none_is_greater_than_that_of_the_prediction(
    rules: ClassificationRules, table: NDArray[np.float64]
) -> None:
    probabilities = rules.predict_proba(table)
    assert (probabilities >= 0).all()
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(4))
    winners = rules.scores(table).argmax(axis=1)
    assert rules.predict(table).tolist() == [rules.labels[winner] for winner in winners]
    assert (probabilities[np.arange(4), winners] == probabilities.max(axis=1)).all()


@pytest.mark.parametrize("scale", [1e-6, 0.001, 1.0, 1000.0, 1e99])
def test_the_prediction_is_the_class_of_the_greatest_probability(scale: float) -> None:
    rules = replace(rules_of("0 & 1", "~0 + 2", "1 ^ 3", "unknown"), scale=scale)
    table = np.random.default_rng(0).uniform(-1, 1, (1000, INPUTS))
    assert rules.predict(table).tolist() == rules.predict_proba(table).argmax(axis=1).tolist()


# --- intercepts -------------------------------------------------------------------------------


@given(rule_sets(), hnp.arrays(np.float64, (3, INPUTS), elements=st.floats()))
@settings(max_examples=60)
def test_intercepts_are_added_to_the_scores(
    rules: ClassificationRules, table: NDArray[np.float64]
) -> None:
    without = replace(rules, intercepts=(0.0,) * len(rules.rules))
    expected = without.scores(table) + np.array(rules.intercepts)
    assert rules.scores(table).tobytes() == expected.tobytes()


def test_without_intercepts_there_is_nothing_to_add() -> None:
    assert HEALTH.intercepts == (0.0, 0.0)
    assert replace(HEALTH, intercepts=(0.0, 0.0)) == HEALTH


def test_an_intercept_speaks_for_its_class() -> None:
    rules = replace(HEALTH, intercepts=(0.0, 0.75))
    assert rules.scores(ROWS).tolist() == [[1.0, -0.25], [0.125, 0.25], [-0.75, 1.25]]
    assert rules.predict(ROWS).tolist() == ["ill", "well", "well"]
    odds = rules.predict_proba(ROWS)
    assert np.log(odds[:, 1] / odds[:, 0]) == pytest.approx([-2.5, 0.25, 4.0])


def test_intercepts_may_be_a_list_and_are_kept_as_they_are() -> None:
    rules = ClassificationRules(
        HEALTH.features,
        HEALTH.memberships,
        HEALTH.rules,
        2.0,
        [0.5, -1.0],  # type: ignore[arg-type]
    )
    assert rules == replace(HEALTH, intercepts=(0.5, -1.0)) != HEALTH
    assert rules.simplified().intercepts == (0.5, -1.0)


@pytest.mark.parametrize(
    "intercepts", [(0.5,), (0.0, 0.5, 1.0), (0.0, NAN), (INF, 0.0), (0.0, -INF)]
)
def test_every_class_has_one_finite_intercept(intercepts: tuple[float, ...]) -> None:
    with pytest.raises(RuleError, match=r"one finite intercept, got .* for 2 rules") as error:
        replace(HEALTH, intercepts=intercepts)
    assert str(intercepts) in str(error.value)


# --- labels -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (("ill", "well"), "U"),
        ((3, -4), "i"),
        ((0.5, -0.0), "f"),
        ((False, True), "b"),
        ((1, "1"), "O"),
        ((True, "True"), "O"),
        ((1, 2.5), "O"),
        ((True, 0), "O"),
        (("a", "a\0"), "O"),
        ((2**63, -1), "O"),
        ((2**53 + 1, 0.5), "O"),
        ((10**30, 1), "O"),
        (("", "ä"), "U"),
    ],
)
def test_labels_are_predicted_as_they_are(labels: tuple[Label, ...], kind: str) -> None:
    rules = rules_of("0", "~0", labels=labels)
    predicted = rules.predict([[1.0] * INPUTS, [-1.0] * INPUTS])
    assert predicted.dtype.kind == kind
    assert predicted.tolist() == list(labels)
    assert list(map(type, predicted.tolist())) == list(map(type, labels))
    assert rules.labels == labels


@pytest.mark.parametrize("labels", [("a", "a"), (1, 1), (1, True), (0.0, False), (2, 2.0)])
def test_a_class_has_one_rule_only(labels: tuple[Label, ...]) -> None:
    with pytest.raises(RuleError, match="every class has one rule, got rules for"):
        rules_of("0", "1", labels=labels)


# --- what is refused --------------------------------------------------------------------------


def test_a_rule_set_without_rules_is_refused() -> None:
    with pytest.raises(RuleError, match="at least one rule"):
        replace(HEALTH, rules=())


def test_columns_of_the_same_name_are_refused() -> None:
    with pytest.raises(RuleError, match=r"must differ from each other, got \('a', 'a'\)"):
        replace(HEALTH, features=("a", "a"))


@pytest.mark.parametrize("feature", [-1, 2])
def test_a_membership_of_a_column_that_does_not_exist_is_refused(feature: int) -> None:
    with pytest.raises(RuleError, match=f"about column {feature}, but there are 2 columns"):
        replace(HEALTH, memberships=(Membership(0, 0, 1), Membership(feature, 0, 1)))


# --- size -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "size"),
    [
        # The text of each rule, and literals, operators and depth counted by hand.
        (["0"], Size(1, 0, 0)),
        (["true"], Size(0, 0, 0)),
        (["~0 & ~1"], Size(2, 3, 1)),
        (["0", "0"], Size(2, 0, 0)),
        (["(0 & 3) | 1", "(0 & 3) + 2", "~(0 & 3)"], Size(4, 4, 2)),
        (["(0 & 1) + 2", "(0 & 1) + 2"], Size(3, 2, 2)),
        (["0 & 1", "1 & 0"], Size(4, 2, 1)),
    ],
)
def test_the_size_counts_what_rules_share_once(texts: list[str], size: Size) -> None:
    rules = rules_of(*texts)
    assert rules.measure() == size
    assert rules.size == size.literals


# --- printing ---------------------------------------------------------------------------------


def test_it_prints_a_line_a_rule_with_the_equals_signs_below_each_other() -> None:
    assert HEALTH.to_text() == "ill  = glucose & age\nwell = ¬glucose"


def test_shared_parts_are_named_once_on_lines_before_the_rules() -> None:
    rules = rules_of("(0 & 1) | 2", "~(0 & 1)", "((0 & 1) | 2) + 3", labels=("a", "b", "long"))
    assert rules.to_text().splitlines() == [
        "h1   = x0 & x1",
        "h2   = h1 | x2",
        "a    = h2",
        "b    = ¬h1",
        "long = h2 + x3",
    ]


def test_numbered_printing_is_that_of_the_paper() -> None:
    rules = rules_of("(0 & 1) ^ 2", "~(0 & 1) + 3", labels=("ill", "well"))
    assert rules.to_text(numbered=True).splitlines() == [
        "h1  = 0 & 1",
        "c_0 = h1 ⊕ 2",
        "c_1 = ¬h1 + 3",
    ]


def test_ascii_printing_has_ascii_operators() -> None:
    rules = rules_of("~(0 | 1) ^ 2")
    assert rules.to_text() == "0 = ¬(x0 | x1) ⊕ x2"
    assert rules.to_text(ASCII) == "0 = ~(x0 | x1) ^ x2"
    assert rules.to_text(ASCII, numbered=True) == "c_0 = ~(0 | 1) ^ 2"


def test_labels_that_are_not_text_print_as_python_prints_them() -> None:
    rules = rules_of("0", "0", "0", "0", labels=(7, 2.5, True, "7"))
    heads = [line.split(" = ")[0].rstrip() for line in rules.to_text().splitlines()]
    assert heads == ["7", "2.5", "True", '"7"']


def test_names_for_shared_parts_stay_clear_of_columns_and_classes() -> None:
    shared = ("(0 & 1) | 2", "(0 & 1) ^ 2")
    by_column = rules_of(*shared, features=("h1", "x", "h3"))
    by_class = rules_of(*shared, labels=("h1", "h2"))
    assert by_column.to_text().splitlines()[0] == "h2 = h1 & x"
    assert by_class.to_text().splitlines()[0] == "h3   = x0 & x1"
    assert by_class.to_text(numbered=True).splitlines()[0] == "h1  = 0 & 1"


@pytest.mark.parametrize(
    ("text", "intercept", "printed"),
    [
        ("0 & 1", 0.0, "x0 & x1"),
        ("0 & 1", 0.25, "(x0 & x1) + 0.25"),
        ("0 + ~1", -1.5, "x0 + ¬x1 - 1.5"),
        ("0", 3.0, "x0 + 3"),
        ("0", 1e-7, "x0 + 1e-07"),
        ("0", 0.1, "x0 + 0.1"),
        ("unknown", 0.0, "0"),
        ("unknown", -0.25, "-0.25"),
        ("unknown", 2.0, "2"),
        ("true", 0.5, "true + 0.5"),
        ("false", 0.0, "false"),
    ],
)
def test_an_intercept_stands_at_the_end_of_its_rule(
    text: str, intercept: float, printed: str
) -> None:
    rules = replace(rules_of(text, "2"), intercepts=(intercept, 0.0))
    assert rules.to_text().splitlines() == [f"0 = {printed}", "1 = x2"]


def test_an_intercept_of_minus_zero_is_printed_as_zero() -> None:
    rules = replace(rules_of("unknown", "0"), intercepts=(-0.0, -0.0))
    assert rules.to_text().splitlines() == ["0 = 0", "1 = x0"]


def test_an_intercept_belongs_to_a_rule_and_not_to_what_it_shares() -> None:
    rules = replace(rules_of("0 & 1", "(0 & 1) + 2", "0 & 1"), intercepts=(0.5, -0.5, 0.0))
    assert rules.to_text().splitlines() == [
        "h1 = x0 & x1",
        "0  = h1 + 0.5",
        "1  = h1 + x2 - 0.5",
        "2  = h1",
    ]


def test_learned_thresholds_stand_in_the_rules_and_negations_are_their_contraries() -> None:
    assert LEARNED.names == ("glucose>127+/-37", "body mass>31.5+/-6")
    assert LEARNED.to_text().splitlines() == [
        'ill  = glucose>127±37 & "body mass"<31.5±6',
        "well = 0.25",
        "3    = glucose<127±37 - 1.5",
    ]
    assert LEARNED.to_text(numbered=True).splitlines()[0] == "c_0 = 0 & ¬1"


def test_the_legend_of_learned_thresholds_says_how_gradual_they_are() -> None:
    assert LEARNED.legend().splitlines() == [
        "glucose>127±37      false up to 90, true from 164",
        '"body mass">31.5±6  false up to 25.5, true from 37.5',
    ]


def test_numbered_printing_does_not_confuse_intercepts_with_inputs() -> None:
    nothing, first = rules_of("unknown"), rules_of("0")
    assert nothing.to_text(numbered=True) != first.to_text(numbered=True)
    one_more = replace(first, intercepts=(1.0,))
    assert one_more.to_text(numbered=True) != rules_of("0 + 1").to_text(numbered=True)


@given(rule_sets(), st.sampled_from([PAPER, ASCII]))
@settings(max_examples=150)
def test_printed_rules_can_be_read_back(rules: ClassificationRules, notation: Notation) -> None:
    assert parsed_back(rules, notation) == list(rules.expressions)


@pytest.mark.parametrize("name", [*HOSTILE, "a>5", "x>", ">5"])
def test_learned_thresholds_of_hostile_columns_print_and_read_back(name: str) -> None:
    rules = ClassificationRules(
        (name, "b"),
        (Ramp(0, -1.0, 1.5), Ramp(1, 0.0, 1e20), Ramp(0, -3.0, -2.0)),
        (Rule("x", parse("(0 & ~1) | 2")), Rule("y", parse("~(0 & ~1) + ~0"))),
        intercepts=(0.25, -2.0),
    )
    for notation in (PAPER, ASCII):
        assert all(line.isprintable() for line in rules.to_text(notation).splitlines())
        assert parsed_back(rules, notation) == list(rules.expressions)
    assert RuleSet.from_json(rules.to_json()) == rules


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_of_columns_and_classes_print_and_read_back(name: str) -> None:
    rules = rules_of(
        *("(0 & 1) | 2", "~(0 & 1) + 2", "tanh(0 + ~2) & 2"),
        labels=(name, "other", 3),
        features=(name, "b", "c"),
    )
    for notation in (PAPER, ASCII):
        lines = rules.to_text(notation).splitlines()
        assert len(lines) == 4
        assert all(line.isprintable() for line in lines)  # nothing that a terminal would obey
        assert parsed_back(rules, notation) == list(rules.expressions)
    assert len(rules.legend().splitlines()) == 3
    assert RuleSet.from_json(rules.to_json()) == rules
    table = pd.DataFrame([[0.5, -0.5, 1.0]], columns=[name, "b", "c"])
    assert rules.scores(table).tolist() == rules.scores(table.to_numpy()).tolist()


def test_the_legend_says_what_high_means_for_the_columns_that_rules_use() -> None:
    rules = ClassificationRules(
        ("glucose", "unused", "body mass"),
        (Membership(0, 0.0, 200.0), Membership(1, 0.0, 1.0), Membership(2, 7.0, 7.0)),
        (Rule("ill", parse("2 & 0")), Rule("well", parse("~0"))),
    )
    assert rules.legend().splitlines() == [
        "glucose      is high: false at 0, unknown at 100, true at 200",
        '"body mass"  never varied (always 7): unknown',
    ]


def test_a_numbered_legend_says_which_number_is_which_column_and_class() -> None:
    assert HEALTH.legend(numbered=True).splitlines() == [
        "0 = glucose  is high: false at 0, unknown at 100, true at 200",
        "1 = age      is high: false at 20, unknown at 50, true at 80",
        "c_0 = ill",
        "c_1 = well",
    ]


def test_rules_that_use_no_column_have_no_legend() -> None:
    assert UNUSED.legend() == ""


# --- changing ---------------------------------------------------------------------------------


@given(rule_sets(), tables())
@settings(max_examples=100)
def test_simplified_rules_keep_their_scores_and_all_but_their_expressions(
    rules: ClassificationRules, table: NDArray[np.float64]
) -> None:
    rules = replace(rules, memberships=rules_of("0").memberships)
    simpler = rules.simplified()
    assert simpler.scores(table) == pytest.approx(rules.scores(table), abs=1e-9)
    assert simpler.labels == rules.labels
    assert replace(simpler, rules=rules.rules) == rules
    assert simpler.simplified() == simpler


def test_crisp_laws_are_used_on_request_only() -> None:
    rules = rules_of("0 | (0 & 1)", "~~2")
    assert rules.simplified().to_text() == "0 = x0 | (x0 & x1)\n1 = x2"
    assert rules.simplified(crisp=True).to_text() == "0 = x0\n1 = x2"


def test_a_rule_set_cannot_be_changed() -> None:
    before = copy.deepcopy(HEALTH)
    for name in ("features", "memberships", "rules", "scale", "intercepts"):
        with pytest.raises(FrozenInstanceError):
            setattr(HEALTH, name, ())
    with pytest.raises(FrozenInstanceError):
        HEALTH.rules[0].label = "else"  # type: ignore[misc]
    HEALTH.simplified()
    HEALTH.predict(ROWS)
    assert before == HEALTH


def test_equal_rule_sets_are_one_in_a_set() -> None:
    same = ClassificationRules(HEALTH.features, HEALTH.memberships, HEALTH.rules, HEALTH.scale)
    others = replace(HEALTH, scale=1.0), replace(HEALTH, intercepts=(0.0, 1.0))
    assert len({HEALTH, same, *others}) == 3


@given(rule_sets())
@settings(max_examples=30)
def test_pickles_and_copies_are_equal_and_predict_the_same(rules: ClassificationRules) -> None:
    assert rules.size >= 0  # which is remembered, and travels or not
    table = np.random.default_rng(0).uniform(-1, 1, (3, INPUTS))
    for again in (pickle.loads(pickle.dumps(rules)), copy.deepcopy(rules), copy.copy(rules)):
        assert again == rules
        assert hash(again) == hash(rules)
        assert again.scores(table).tobytes() == rules.scores(table).tobytes()
        assert str(again) == str(rules)


# --- keeping ----------------------------------------------------------------------------------


@pytest.mark.parametrize("as_text", [True, False])
def test_what_is_saved_can_be_loaded(as_text: bool, tmp_path: Path) -> None:
    path = str(tmp_path / "ru les.json") if as_text else tmp_path / "ru les.json"
    HEALTH.save(path)
    assert RuleSet.load(path) == HEALTH
    assert Path(path).read_text(encoding="utf-8") == HEALTH.to_json()


def test_saving_replaces_what_was_saved_before(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    rules_of("0 & 1 & 2 & 3", labels=("a long label",)).save(path)
    HEALTH.save(path)
    assert RuleSet.load(path) == HEALTH
    assert list(tmp_path.iterdir()) == [path]


def test_a_save_that_fails_leaves_the_old_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("disk full")

    path = tmp_path / "rules.json"
    HEALTH.save(path)
    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        rules_of("0").save(path)
    assert RuleSet.load(path) == HEALTH
    assert list(tmp_path.iterdir()) == [path]


def test_loading_and_predicting_needs_numpy_alone(tmp_path: Path) -> None:
    HEALTH.save(tmp_path / "rules.json")
    code = f"""
import sys
from crisplogic.rules import RuleSet

rules = RuleSet.load({str(tmp_path / "rules.json")!r})
print(*rules.predict([[200.0, 80.0], [50.0, 30.0]]), *rules.predict_proba([[1.0, 2.0]]).shape)
print(rules, rules.legend(), rules.simplified().size)
print(sorted({{"torch", "sklearn", "pandas", "scipy", "typer"}} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code], capture_output=True, text=True, check=True
    )
    first, *_, last = done.stdout.splitlines()
    assert first == "ill well 1 2"
    assert last == "[]"
