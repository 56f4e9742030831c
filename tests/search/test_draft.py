"""Drafts: a rule set taken apart and put together again says what it said before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic.expr import And, Expr, Or, Var, Xor, parse, split_sign, total
from crisplogic.expr.walk import unique_nodes
from crisplogic.rules import ClassificationRules, Membership, Ramp, Rule, RuleSet
from crisplogic.search.convert import as_rules, drafted
from crisplogic.search.draft import Draft, renumbered
from crisplogic.search.sample import Sample
from tests.rules.rule_sets import rules_of
from tests.search.drafts import FEATURES, a_draft, a_sample, cases, some_rules
from tests.strategies import INPUTS, logic_values

Floats = NDArray[np.float64]
INF, NAN = np.inf, np.nan

TABLE = np.random.default_rng(0).uniform(-1.2, 1.2, (50, INPUTS))
TABLE[::7, 1] = NAN
SAMPLE = Sample(TABLE.T.copy(), np.zeros(len(TABLE), dtype=np.intp), classes=3)


# --- samples ----------------------------------------------------------------------------------


def test_some_rows_of_a_sample_keep_their_columns_and_targets() -> None:
    sample = Sample(np.arange(12.0).reshape(2, 6), np.arange(6), classes=6)
    some = sample.rows(np.array([4, 1]))
    assert some.columns.tolist() == [[4, 1], [10, 7]]
    assert some.targets.tolist() == [4, 1]
    assert (len(some), some.classes) == (2, 6)


@pytest.mark.parametrize(("rows", "kept"), [(7, 7), (8, 7), (3, 3), (1, 1)])
def test_at_most_so_many_rows_are_kept_and_none_twice(rows: int, kept: int) -> None:
    sample = Sample(np.arange(7.0)[None], np.arange(7), classes=7).at_most(rows)
    assert len(sample) == len(set(sample.targets)) == kept
    assert sample.columns[0].tolist() == sample.targets.tolist()


def test_rows_that_are_left_out_lie_all_over_the_table() -> None:
    kept = Sample(np.zeros((1, 1000)), np.arange(1000), classes=1000).at_most(10).targets
    assert kept[0] == 0
    assert kept[-1] == 999
    assert np.diff(kept).max() <= 112


def test_ranges_are_those_of_the_known_values() -> None:
    columns = np.array([[1.0, NAN, -2.0], [INF, 5.0, -INF], [NAN, NAN, NAN], [7.0, 7.0, 7.0]])
    low, high = Sample(columns, np.zeros(3, dtype=np.intp), classes=1).ranges()
    assert low.tolist() == [-2, 5, 0, 7]
    assert high.tolist() == [1, 5, 0, 7]


# --- from rules and back ----------------------------------------------------------------------


def joins_a_column_with_itself(expr: Expr) -> bool:
    """Whether a draft of the term says less than the term: see the last tests of this file."""
    return any(
        isinstance(node, And | Or | Xor)
        and len(node.operands) == 2
        and node.operands[0] == node.operands[1]
        and isinstance(node.operands[0], Var)
        for node in unique_nodes([expr])
    )


def bare(term: Expr) -> Expr:
    return split_sign(term)[0]


voters = st.lists(
    logic_values.filter(lambda term: not joins_a_column_with_itself(term)),
    min_size=1,
    max_size=6,
    unique_by=bare,
)


def rule_set(rules: list[Expr], scale: float, intercepts: list[float]) -> RuleSet:
    memberships = rules_of("0").memberships
    labelled = tuple(Rule(label, expr) for label, expr in enumerate(rules))
    return ClassificationRules(
        rules_of("0").features, memberships, labelled, scale, tuple(intercepts)
    )


def assert_same_odds(rules: RuleSet, draft: Draft) -> None:
    """Log-odds of all classes, from the rules, the draft and the rules made of the draft."""
    logits = rules.scale * rules.scores(TABLE)
    again = as_rules(draft, rules.features, rules.labels)
    for other in (
        draft.logits(draft.values(SAMPLE)).T,
        again.scale * again.scores(TABLE),
    ):
        np.testing.assert_allclose(other - other[:, :1], logits - logits[:, :1], atol=1e-8)
    first, second = -np.sort(-logits, axis=1)[:, :2].T
    decided = first - second > 1e-6  # what is a tie may turn with the last bit
    predicted = rules.predict(TABLE)
    assert (again.predict(TABLE) == predicted)[decided].all()


@given(st.lists(voters, min_size=3, max_size=4), st.floats(0.01, 20), st.data())
@settings(max_examples=40)
def test_rules_for_several_classes_keep_their_log_odds_and_predictions(
    terms: list[list[Expr]], scale: float, data: st.DataObject
) -> None:
    intercepts = [data.draw(st.floats(-9, 9)) for _ in terms]
    rules = rule_set([total(each) for each in terms], scale, intercepts)
    draft = drafted(rules)
    assert set(np.unique(draft.votes)) <= {-1.0, 0.0, 1.0}
    assert_same_odds(rules, draft)


@given(voters, st.floats(0.01, 20), st.data())
@settings(max_examples=40)
def test_rules_for_two_classes_keep_them_too_where_no_vote_is_clipped(
    terms: list[Expr], scale: float, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(terms)))
    intercepts = [data.draw(st.floats(-9, 9)) for _ in range(2)]
    rules = rule_set([total(terms[:cut]), total(terms[cut:])], scale, intercepts)
    draft = drafted(rules)
    assert not draft.votes[:, 0].any()
    assert_same_odds(rules, draft)


def test_what_speaks_for_one_of_two_classes_speaks_against_the_other_once() -> None:
    draft = drafted(rules_of("0 + (1 & 2)", "~0 + (1 & 2) + ~3"))
    assert [draft.feature[term.index] for term in draft.terms if isinstance(term, Var)] == [
        0,
        3,
    ]
    assert draft.votes.tolist() == [[0, -1], [0, -1]]  # what speaks for both says nothing


def test_votes_are_whole_and_none_counts_twice() -> None:
    draft = drafted(rules_of("0 + 0 + 1", "~0 + 1 + ~1", "2 + ~(0 & 1)"))
    assert draft.votes.tolist() == [[1, -1, 0], [1, 0, 0], [0, 0, 1], [0, 0, -1]]


def test_constants_and_intercepts_make_the_bias() -> None:
    rules = rule_set(
        [parse("true + 0"), parse("false + ~true"), parse("unknown")], 4.0, [0, 1, 2]
    )
    draft = drafted(rules)
    assert draft.bias.tolist() == [4, -4, 8]
    assert draft.terms == (Var(0),)
    assert_same_odds(rules, draft)


def test_a_pure_draft_has_no_bias() -> None:
    rules = rule_set([parse("true + 0"), parse("1"), parse("~2")], 4.0, [0, 1, 2])
    draft = drafted(rules, pure=True)
    assert draft.pure
    assert draft.bias.tolist() == [0, 0, 0]
    assert as_rules(draft, rules.features, rules.labels).intercepts == (0.0, 0.0, 0.0)


def test_rules_that_say_nothing_make_a_draft_without_terms() -> None:
    for rules in (
        rules_of("unknown", "true"),
        ClassificationRules((), (), rules_of("true", "false").rules),
    ):
        draft = drafted(rules)
        assert draft.terms == ()
        assert draft.size() == 0
        again = as_rules(draft, rules.features, rules.labels)
        table = np.zeros((2, len(rules.features)))
        assert again.predict(table).tolist() == rules.predict(table).tolist()


def test_a_term_about_a_column_that_never_varied_goes() -> None:
    rules = ClassificationRules(
        ("a", "b"),
        (Membership(0, 5.0, 5.0), Membership(1, 0.0, 2.0)),
        (Rule("x", parse("0 & 1")), Rule("y", parse("1")), Rule("z", parse("~0 + 1"))),
    )
    draft = drafted(rules)
    assert draft.terms == (Var(0),)
    assert draft.feature.tolist() == [1]
    assert draft.votes.tolist() == [[0, 1, 1]]


def test_of_two_ramps_of_one_column_that_are_joined_the_first_stays() -> None:
    rules = ClassificationRules(
        ("a", "b"),
        (Ramp(0, 0.0, 2.0), Ramp(0, 1.0, 3.0), Ramp(1, 0.0, 8.0)),
        (
            Rule("x", parse("0 & 1")),
            Rule("y", parse("(0 | 1) + (1 & 2)")),
            Rule("z", parse("~2")),
        ),
    )
    draft = drafted(rules)
    again = as_rules(draft, rules.features, rules.labels)
    assert str(again).splitlines() == ["x = a>1", "y = a>1 + (a>2 & b>4)", "z = b<4"]


# --- parts ------------------------------------------------------------------------------------


@given(cases(min_terms=0))
@settings(max_examples=60)
def test_the_size_of_a_draft_is_that_of_its_rules(case: tuple[Draft, Sample]) -> None:
    draft, sample = case
    size = as_rules(draft, FEATURES, range(sample.classes)).size
    assert draft.size() == draft.costs().sum() >= size
    if len(np.unique(draft.votes, axis=1).T) == sample.classes:  # or rules share whole sums
        assert draft.size() == size


@given(cases(min_terms=2), st.data())
@settings(max_examples=35)
def test_terms_that_are_kept_say_what_they_said(
    case: tuple[Draft, Sample], data: st.DataObject
) -> None:
    draft, sample = case
    kept = np.array([data.draw(st.booleans()) for _ in draft.terms], dtype=bool)
    less = draft.keeping(kept)
    assert less.values(sample).tobytes() == draft.values(sample)[kept].tobytes()
    assert less.votes.tolist() == draft.votes[kept].tolist()
    mentioned = {node.index for node in unique_nodes(less.terms) if isinstance(node, Var)}
    assert mentioned == set(range(len(less.feature)))
    assert len(less.feature) == len(less.centre) == len(less.width)


def test_a_term_that_loses_its_last_vote_goes() -> None:
    sample = a_sample(classes=3)
    draft = a_draft(sample, [Var(1), And((Var(0), Var(2)))], [[1, 0, -1], [0, 1, 0]])
    votes = draft.votes.copy()
    votes[0] = 0.0
    less = draft.voting(votes)
    assert less.votes.tolist() == [[0, 1, 0]]
    assert less.size() == 2
    assert draft.size() == 4


def test_renumbering_keeps_all_but_the_numbers() -> None:
    expr = parse("tanh(0 + ~(3 & 1)) | (1 ^ 0 ^ true)")
    assert renumbered(expr, {0: 7, 1: 0, 3: 2}) == parse("tanh(7 + ~(2 & 0)) | (0 ^ 7 ^ true)")


@given(cases())
@settings(max_examples=35)
def test_degrees_are_those_of_the_ramps_in_the_rules(case: tuple[Draft, Sample]) -> None:
    draft, sample = case
    rules = as_rules(draft, FEATURES, range(sample.classes))
    np.testing.assert_allclose(
        draft.degrees(sample), rules.degrees(sample.columns.T).T, rtol=0, atol=1e-7
    )
    np.testing.assert_allclose(
        draft.logits(draft.values(sample)),
        (rules.scale * rules.scores(sample.columns.T)).T,
        atol=1e-6,
    )


def test_missing_values_are_unknown_and_infinite_ones_are_the_ends() -> None:
    sample = Sample(np.array([[NAN, INF, -INF, 2.0, 2.5]]), np.zeros(5, dtype=np.intp), 2)
    one = np.ones(1)
    draft = Draft(
        np.zeros(1, dtype=np.intp), 2 * one, one, (Var(0),), np.eye(2)[1:], 0 * one, 1.0
    )
    assert draft.degrees(sample).tolist() == [[0, 1, -1, 0, 0.5]]


def test_a_term_of_an_input_with_itself_goes() -> None:
    """It would be true wherever the input is known, and so say what is missing."""
    sample = a_sample()
    draft = drafted(some_rules(sample, "~(0 ^ 0)", "(0 ^ 1) + (2 ^ 2)"))
    assert draft.terms == (parse("0 ^ 1"),)
