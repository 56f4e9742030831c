"""Crisp rules: every score is that of a naive judge, whatever was done to the rules before."""

from __future__ import annotations

import itertools
import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic.errors import RuleError
from crisplogic.expr import ASCII, PAPER, Notation, Or, Sum, Xor, parse
from crisplogic.rules import (
    ClassificationRules,
    Flag,
    Membership,
    Ramp,
    RegressionRules,
    Rule,
    RuleSet,
    Step,
)
from crisplogic.rules.analysis import importance
from crisplogic.rules.checklist import Checklist, normal_form
from crisplogic.rules.formatting import Wording
from crisplogic.rules.statements import count_votes
from crisplogic.tables import Levels
from tests.rules.crisp_rules import CLINIC, crisp_rule_sets, naive_scores, says, tables_of
from tests.rules.rule_sets import LEARNED, NAN, rules_of

Floats = NDArray[np.float64]

ROWS: list[list[Any]] = [
    [130, 39, "yes", "red"],
    [127, 40, "no", "light blue"],
    [None, 39.5, None, "mauve"],
    [200, None, "yes", None],
]


def test_a_row_is_computed_by_hand() -> None:
    # (glucose above 127 and age below 40) twice, smoker or blue, xor, glucose is there
    assert CLINIC.scores(ROWS)[:, 0].tolist() == [
        2 + 1 - 1 + 1 - 0.5,
        -2 + 1 - 1 + 1 - 0.5,
        0 + 0 + 0 - 1 - 0.5,
        0 + 1 - 1 + 1 - 0.5,
    ]


@given(st.data())
def test_scores_are_those_of_a_naive_judge(data: st.DataObject) -> None:
    rules = data.draw(crisp_rule_sets())
    table = data.draw(tables_of(rules))
    assert rules.scores(table, coded=True).tolist() == naive_scores(rules, table)
    degrees = rules.degrees(table, coded=True)
    truths = {None: 0.0, True: 1.0, False: -1.0}
    for row, found in zip(table, degrees, strict=True):
        said = [says(each, row[each.feature]) for each in rules.memberships]
        assert found.tolist() == [truths[each] for each in said]


@given(st.data())
@settings(max_examples=50)
def test_simplified_rules_have_the_same_scores_and_are_no_larger(data: st.DataObject) -> None:
    rules = data.draw(crisp_rule_sets())
    table = data.draw(tables_of(rules))
    simple = rules.simplified()
    assert simple.crisp
    assert simple.scores(table, coded=True).tolist() == naive_scores(rules, table)
    assert simple.size <= rules.size


def test_simplified_rules_say_nothing_twice() -> None:
    simple = flags("(0 & (0 | 1)) + (2 & 2)", "(0 & 1) | (0 & 3)").simplified()
    assert simple == flags("0 + 2", "0 & (1 | 3)")
    assert flags("0 & ~0", "1 ^ 1").simplified() == flags("0 & ~0", "1 ^ 1")


def test_the_legend_has_the_signs_of_its_notation() -> None:
    assert "\nage≥40 " in CLINIC.legend()
    assert "\nage>=40 " in CLINIC.legend(notation=ASCII)


@given(crisp_rule_sets())
def test_a_file_and_a_pickle_hold_them_unchanged(rules: RuleSet) -> None:
    assert RuleSet.from_json(rules.to_json()) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules


@pytest.mark.parametrize("notation", [PAPER, ASCII])
@given(data=st.data())
@settings(max_examples=60)
def test_what_is_printed_is_read_back_as_the_same_rule(
    notation: Notation, data: st.DataObject
) -> None:
    rules = data.draw(crisp_rule_sets())
    table = data.draw(tables_of(rules))
    again = rules
    for label, text in zip(rules.labels, Wording(rules, notation).bodies, strict=True):
        again = again.with_rule(label, text)
    assert again.memberships[: len(rules.memberships)] == rules.memberships
    assert again.scores(table, coded=True).tolist() == naive_scores(rules, table)


@given(st.data())
@settings(max_examples=40)
def test_an_explanation_adds_up_to_the_score(data: st.DataObject) -> None:
    rules = data.draw(crisp_rule_sets().filter(lambda rules: rules.predicts == "class"))
    assert isinstance(rules, ClassificationRules)
    rows = rows_of(rules, data.draw(tables_of(rules, rows=2)))
    expected = naive_scores(rules, rules.matrix(rows))
    for found, scores in zip(rules.explain_each(rows), expected, strict=True):
        assert [each.score for each in found.verdicts] == scores
        for each in found.verdicts:
            pairs = zip(each.terms, each.counts, strict=True)
            assert each.score == each.intercept + sum(t.value * n for t, n in pairs)


def rows_of(rules: RuleSet, table: Floats) -> list[list[Any]]:
    """Coded rows as a person would write them; what is not known is missing."""
    levels = rules.levels or (None,) * len(rules.features)

    def written(cell: float, its: Levels | None) -> Any:
        if its is None:
            return cell
        if not cell >= 0:
            return None
        group = its.groups[int(cell)]
        return its.others[0] if group is None else group

    return [list(map(written, row, levels)) for row in table.tolist()]


# What may not be crisp


@pytest.mark.parametrize("membership", [Ramp(0, 1.0, 2.0), Membership(0, 1.0, 2.0)])
def test_a_graded_membership_is_refused(membership: Membership) -> None:
    with pytest.raises(RuleError, match=r"Step, Flag, Level or Missing, got a .*as_crisp"):
        RegressionRules(("x",), (membership,), (Rule("y", parse("0")),), crisp=True)


LONG = " + ".join(["33 * (0)"] * 3 + ["1", "2"])


@pytest.mark.parametrize(
    "sum_", ["1 + 2", "tanh(1)", "1 + 2 + ~1", "1 + 2 + unknown", "1 + true + true", LONG]
)
def test_a_sum_inside_logic_is_a_vote_that_is_never_even(sum_: str) -> None:
    with pytest.raises(RuleError, match="odd number of terms"):
        replace(CLINIC, rules=(Rule("ill", parse(f"0 & ({sum_})")), CLINIC.rules[1]))


def test_graded_rules_have_no_steps() -> None:
    with pytest.raises(RuleError, match="graded rules have no Step"):
        RegressionRules(("x",), (Step(0, 1.0),), (Rule("y", parse("0")),))


def test_rules_are_graded_unless_they_are_called_crisp() -> None:
    assert not LEARNED.crisp
    assert not rules_of("0").crisp
    assert replace(CLINIC) != LEARNED


# Sizes


@pytest.mark.parametrize(
    ("texts", "size"),
    [
        (["0 + 1", "unknown"], 2),
        (["3 × (0 & 1) + ~1", "unknown"], 3),
        (["0 & 1", "~(0 & 1)"], 2),  # one row of a score card
        (["0 & ~1", "(1 | ~0) + 2"], 3),  # written in another way
        (["0 & 0 & 1", "1 & 0"], 3),
        (["0 + ~0", "1"], 1),  # counts for nothing
        (["(0 & 1) | 2", "(0 & 1) | 3"], 6),  # written in full
        (["true + 0", "unknown"], 1),
        (["unknown", "unknown"], 0),
    ],
)
def test_the_size_is_the_literals_of_all_statements_each_written_once(
    texts: list[str], size: int
) -> None:
    rules = flags(*texts)
    assert rules.size == rules.measure().literals == size


def flags(*texts: str) -> ClassificationRules:
    """Crisp rules over four columns of truth values."""
    rules = tuple(Rule(label, parse(text)) for label, text in enumerate(texts))
    return ClassificationRules(tuple("abcd"), tuple(map(Flag, range(4))), rules, crisp=True)


def test_shared_parts_are_counted_in_full_and_in_no_time() -> None:
    expr = parse("0 & 1")
    for _ in range(20):
        expr = Xor((Or((expr, parse("2"))), expr))
    deep = replace(flags("0", "1"), rules=(Rule("x", Sum((expr, expr))), Rule("y", ~expr)))
    assert deep.size == 2**21 + 2**20 - 1
    assert RuleSet.from_json(deep.to_json()) == deep
    assert len(str(deep)) < 10_000


@given(st.data())
@settings(max_examples=50)
def test_votes_and_statements_say_what_the_rules_say(data: st.DataObject) -> None:
    rules = data.draw(crisp_rule_sets())
    table = data.draw(tables_of(rules))
    votes = count_votes(rules)
    as_rules = [
        replace(rules, rules=tuple(Rule(r.label, expr) for r in rules.rules)) for expr in votes
    ]
    found = np.zeros((len(table), len(rules.rules))) + np.array(rules.intercepts)
    for own, counts in zip(as_rules, votes.values(), strict=True):
        alone = own.scores(table, coded=True) - np.array(rules.intercepts)
        found += alone * np.array(counts)
    assert found.tolist() == naive_scores(rules, table)


# Graded rules read as crisp ones


def test_ramps_are_read_as_they_are_printed() -> None:
    crisp = LEARNED.as_crisp()
    assert crisp.to_text(ASCII) == (
        'ill  = glucose>127 & "body mass"<=31.5\nwell = 0.25\n3    = glucose<=127 - 1.5'
    )
    assert crisp.scores([[127, 31.5], [128, 31.5], [NAN, 32]])[:, 0].tolist() == [-1, 1, -1]
    assert crisp.as_crisp() == crisp


def test_what_is_high_is_above_the_middle_and_what_never_varied_is_unknown() -> None:
    memberships = Membership(0, 0.0, 5.0), Ramp(1, 3.0, 3.0), Flag(2)
    rule = Rule("y", parse("0 + (1 | 2)"))
    crisp = RegressionRules(("a", "b", "c"), memberships, (rule,)).as_crisp()
    assert crisp.to_text() == "y = 1 × (a>2.5 + (unknown | c))"
    assert crisp.scores([[2.5, 9, 0], [2.6, 1, 1]])[:, 0].tolist() == [-1, 2]


def test_a_tanh_is_read_as_a_vote_if_it_cannot_be_even() -> None:
    with pytest.raises(RuleError, match="odd number of terms"):
        rules_of("0 & (1 + 2)").as_crisp()
    crisp = rules_of("0 & (1 + 2 + true)").as_crisp()
    assert crisp.expressions[0] == parse("0 & (1 + 2 + true)")


# Analysis


def test_evidence_and_explanations_know_true_false_and_unknown() -> None:
    term = next(each for each in CLINIC.evidence(ROWS) if each.text == "glucose>127 & age<40")
    assert (term.rows, term.weight, term.unknown) == (1, 2, 0.5)
    assert "unknown  glucose is above 127, and age is below 40" in str(CLINIC.explain(ROWS[2]))
    [ill, _] = CLINIC.explain(ROWS[3]).verdicts
    assert [term.value for term in ill.terms] == [0.0, 1.0, -1.0, 1.0]


def test_unknown_and_unknown_counts_half_of_what_holds() -> None:
    rule = Rule("price", parse("0 & 1"))
    rules = RegressionRules(("a", "b"), (Flag(0), Flag(1)), (rule,), crisp=True)
    _, term = rules.evidence([[None, None], [1, 1]])
    assert (term.rows, term.unknown) == (1, 0.5)
    assert rules.reasons([[None, None], [1, 1]]).amounts[:, 0].tolist() == [1.0, 2.0]


def test_importance_and_shapes_are_computed_in_kleenes_logic() -> None:
    unknown = [[None, None], [None, None], [0, 0], [1, 1]]
    rules = flags("0 & 1", "unknown")
    only = replace(rules, features=("a", "b"), memberships=rules.memberships[:2], levels=())
    shape = only.shape("a", unknown)
    expected = only.outputs(only.scores([[1, None], [1, None], [1, 0], [1, 1]])).mean(axis=0)
    assert shape.averages[1].tolist() == pytest.approx(expected.tolist())
    scores = importance._scores(only, only.degrees(unknown))
    assert scores.tolist() == only.scores(unknown).tolist()
    assert scores[0].tolist() == [0.0, 0.0]


def test_a_step_has_a_direction_and_a_jump_in_its_shape() -> None:
    rule = Rule("price", parse("0 + ~1"))
    steps = Step(0, 5.0), Step(1, 7.0)
    rules = RegressionRules(("rooms", "age"), steps, (rule,), crisp=True)
    assert rules.directions() == {"rooms": {"price": "up"}, "age": {"price": "down"}}
    shape = rules.shape("rooms", [[4, 1], [6, 1]], points=3)
    assert shape.at([5, math.nextafter(5, 9)])[:, 0].tolist() == [0.0, 2.0]


# Decisions


def at_half(value: float) -> float:
    """A truth value, one half where it is unknown."""
    return 0.5 if math.isnan(value) else value


@pytest.mark.parametrize("threshold", [0.001, 0.05, 0.2, 0.5, 0.61, 0.8, 0.99, 0.9999])
@pytest.mark.parametrize("intercepts", [(-0.5, 0.0), (0.3, 1.0), (2.5, 2.0)])
def test_a_decision_threshold_moves_the_count_and_no_probability(
    threshold: float, intercepts: tuple[float, float]
) -> None:
    rules = replace(flags("2 × (0) + 1", "~2"), intercepts=intercepts, scale=0.7)
    table = list(itertools.product([0, 1, NAN], repeat=3))
    rows = [[*row, 0] for row in table]
    before = rules.predict_proba(rows)
    moved = rules.with_decision_threshold(threshold, positive=0)
    np.testing.assert_allclose(moved.predict_proba(rows), before, atol=1e-8)
    assert moved.decision_threshold == threshold
    form = normal_form(moved)
    assert isinstance(form, Checklist)
    counts = [2 * at_half(a) + at_half(b) + at_half(c) for a, b, c in table]
    said = [form.probability(count) for count in counts]
    np.testing.assert_allclose(said, before[:, 0], atol=1e-8)
    if threshold != 0.5:
        scores = moved.scores(rows)
        differences = scores[:, 0] - scores[:, 1]
        np.testing.assert_array_equal((2 * differences) % 2, 1.0)  # never a tie
        positive = before[:, 0] >= threshold
        assert (moved.predict(rows) == 0).tolist() == positive.tolist()
    assert RuleSet.from_json(moved.to_json()) == moved


def test_a_decision_threshold_is_undone_by_one_half() -> None:
    for threshold in (0.01, 0.2, 0.45, 0.9, 0.999):
        moved = CLINIC.with_decision_threshold(threshold, "ill")
        assert moved.with_decision_threshold(0.5) == replace(CLINIC, positive="ill")


def test_the_other_class_may_be_made_the_positive_one() -> None:
    moved = CLINIC.with_decision_threshold(0.2, "ill")
    other = moved.with_decision_threshold(0.8, "well")
    assert other.predict(ROWS).tolist() == moved.predict(ROWS).tolist()
    np.testing.assert_allclose(other.predict_proba(ROWS), CLINIC.predict_proba(ROWS), atol=1e-8)
    assert other.with_decision_threshold(0.5, "ill") == replace(CLINIC, positive="ill")


@pytest.mark.parametrize("tie", [0.0, 1.0, NAN, True])
def test_the_probability_of_a_tie_is_one(tie: float) -> None:
    with pytest.raises(RuleError, match="tie_probability must be"):
        replace(CLINIC, positive="ill", tie_probability=tie)


def test_the_probability_of_a_tie_needs_a_positive_class() -> None:
    with pytest.raises(RuleError, match="needs a positive class"):
        replace(CLINIC, tie_probability=0.3)
    with pytest.raises(RuleError, match="only crisp rules have a tie_probability"):
        replace(
            LEARNED, rules=LEARNED.rules[:2], intercepts=(), positive="ill", tie_probability=0.3
        )


def test_a_scale_beyond_all_probabilities_still_has_a_threshold() -> None:
    sure = replace(CLINIC, scale=1e6)
    moved = sure.with_decision_threshold(0.9, "ill")
    assert moved.predict(ROWS).tolist() == sure.predict(ROWS).tolist()
    for intercept in (0.3, -0.3):  # a tie would be all but certain, or all but impossible
        edited = sure.with_intercept("ill", intercept)
        moved = edited.with_decision_threshold(0.9, "ill")
        assert moved.predict(ROWS).tolist() == edited.predict(ROWS).tolist()
