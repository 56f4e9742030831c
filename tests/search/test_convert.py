"""From rules to a draft and back: the same log-odds and predictions."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic.expr import And, Expr, Or, Var, Xor, parse, split_sign, total
from crisplogic.expr.walk import unique_nodes
from crisplogic.rules import ClassificationRules, Membership, Ramp, Rule, RuleSet
from crisplogic.search.convert import draft_from_rules, rules_from_draft, split_terms
from crisplogic.search.draft import Draft
from crisplogic.search.tasks import CLASSIFICATION
from tests.rules.rule_sets import rules_of
from tests.search.drafts import a_sample, some_rules, training_set
from tests.strategies import INPUTS, logic_values

Floats = NDArray[np.float64]

TABLE = np.random.default_rng(0).uniform(-1.2, 1.2, (50, INPUTS))
TABLE[::7, 1] = np.nan
SAMPLE = training_set(TABLE.T.copy(), np.zeros(len(TABLE), dtype=np.intp), classes=3)


def joins_a_column_with_itself(expr: Expr) -> bool:
    """Whether a draft of the term says less than the term: see the last tests of this file."""
    return any(
        isinstance(node, And | Or | Xor)
        and len(node.operands) == 2
        and node.operands[0] == node.operands[1]
        and isinstance(node.operands[0], Var)
        for node in unique_nodes([expr])
    )


def each_votes_once(terms: list[Expr]) -> bool:
    """Whether no two terms say the same, in whatever words: a draft counts them once."""
    votes, _ = split_terms([total(terms)])
    return all(abs(vote) <= 1 for (vote,) in votes.values())


voters = st.lists(
    logic_values.filter(lambda term: not joins_a_column_with_itself(term)),
    min_size=1,
    max_size=6,
    unique_by=lambda term: split_sign(term)[0],
).filter(each_votes_once)


def rule_set(rules: list[Expr], scale: float, intercepts: list[float]) -> RuleSet:
    memberships = rules_of("0").memberships
    labelled = tuple(Rule(label, expr) for label, expr in enumerate(rules))
    return ClassificationRules(
        rules_of("0").features, memberships, labelled, scale, tuple(intercepts)
    )


def assert_same_odds(rules: RuleSet, draft: Draft) -> None:
    """Log-odds of all classes, from the rules, the draft and the rules made of the draft."""
    logits = rules.scale * rules.scores(TABLE)
    again = rules_from_draft(draft, rules.features, rules.labels, CLASSIFICATION)
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
    draft = draft_from_rules(rules)
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
    draft = draft_from_rules(rules)
    assert not draft.votes[:, 0].any()
    assert_same_odds(rules, draft)


def test_what_speaks_for_one_of_two_classes_speaks_against_the_other_once() -> None:
    draft = draft_from_rules(rules_of("0 + (1 & 2)", "~0 + (1 & 2) + ~3"))
    assert [draft.feature[term.index] for term in draft.terms if isinstance(term, Var)] == [
        0,
        3,
    ]
    assert draft.votes.tolist() == [[0, -1], [0, -1]]  # what speaks for both says nothing


def test_votes_are_whole_and_none_counts_twice() -> None:
    draft = draft_from_rules(rules_of("0 + 0 + 1", "~0 + 1 + ~1", "2 + ~(0 & 1)"))
    assert draft.votes.tolist() == [[1, -1, 0], [1, 0, 0], [0, 0, 1], [0, 0, -1]]


def test_constants_and_intercepts_make_the_bias() -> None:
    rules = rule_set(
        [parse("true + 0"), parse("false + ~true"), parse("unknown")], 4.0, [0, 1, 2]
    )
    draft = draft_from_rules(rules)
    assert draft.bias.tolist() == [4, -4, 8]
    assert draft.terms == (Var(0),)
    assert_same_odds(rules, draft)


def test_a_pure_draft_has_no_bias() -> None:
    rules = rule_set([parse("true + 0"), parse("1"), parse("~2")], 4.0, [0, 1, 2])
    draft = draft_from_rules(rules, pure=True)
    assert draft.pure
    assert draft.bias.tolist() == [0, 0, 0]
    assert rules_from_draft(draft, rules.features, rules.labels, CLASSIFICATION).intercepts == (
        0.0,
        0.0,
        0.0,
    )


def test_rules_that_say_nothing_make_a_draft_without_terms() -> None:
    for rules in (
        rules_of("unknown", "true"),
        ClassificationRules((), (), rules_of("true", "false").rules),
    ):
        draft = draft_from_rules(rules)
        assert draft.terms == ()
        assert draft.size() == 0
        again = rules_from_draft(draft, rules.features, rules.labels, CLASSIFICATION)
        table = np.zeros((2, len(rules.features)))
        assert again.predict(table).tolist() == rules.predict(table).tolist()


def test_a_term_about_a_column_that_never_varied_goes() -> None:
    rules = ClassificationRules(
        ("a", "b"),
        (Membership(0, 5.0, 5.0), Membership(1, 0.0, 2.0)),
        (Rule("x", parse("0 & 1")), Rule("y", parse("1")), Rule("z", parse("~0 + 1"))),
    )
    draft = draft_from_rules(rules)
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
    draft = draft_from_rules(rules)
    again = rules_from_draft(draft, rules.features, rules.labels, CLASSIFICATION)
    assert again.to_text().splitlines() == [
        "x = a>1±1",
        "y = a>1±1 + (a>2±1 & b>4±4)",
        "z = b<4±4",
    ]


def test_a_term_of_an_input_with_itself_goes() -> None:
    """It would be true wherever the input is known, and so say what is missing."""
    data = a_sample()
    draft = draft_from_rules(some_rules(data, "~(0 ^ 0)", "(0 ^ 1) + (2 ^ 2)"))
    assert draft.terms == (parse("0 ^ 1"),)
