"""Terms of classes with points: all that reads rules knows how often a term counts."""

from __future__ import annotations

import numpy as np
import pytest

from crisplogic import refit
from crisplogic.expr import parse
from crisplogic.plot.graph import build_graph
from crisplogic.rules import ClassificationRules, Ramp, Rule
from crisplogic.search.convert import split_terms

FEATURES = ("a", "b", "c")
ILL = "3 × (a>0±1) + 2 × ¬(b>0±1 & c>0±1) + b>0±1 - 0.5"
ROWS = np.random.default_rng(0).choice([-1.0, 1.0], (60, 3))


def pointed(text: str = "3 × (0) + 2 × ~(1 & 2) + 1") -> ClassificationRules:
    return ClassificationRules(
        FEATURES,
        tuple(Ramp(number, -1.0, 1.0) for number in range(3)),
        (Rule("well", parse("unknown")), Rule("ill", parse(text))),
        scale=1.5,
        intercepts=(0.0, -0.5),
    )


RULES = pointed()
Y = RULES.predict(ROWS)


def test_they_are_printed_once_with_their_points() -> None:
    assert RULES.to_text().splitlines()[1] == f"ill  = {ILL}"
    assert RULES.size == pointed("0 + ~(1 & 2) + 1").size == 4


def test_what_is_printed_is_read_as_a_rule_written_by_hand() -> None:
    assert pointed("0").with_rule("ill", ILL) == RULES
    assert pointed("0").with_rule("ill", ILL.replace("×", "*")) == RULES
    assert pointed("0").with_term("ill", "2 × (b>0±1)").expressions[1] == parse("0 + 1 + 1")


def test_a_term_is_dropped_with_all_its_points() -> None:
    less = RULES.without_term("a>0")
    assert less.to_text().splitlines()[1] == "ill  = 2 × ¬(b>0±1 & c>0±1) + b>0±1 - 0.5"
    with pytest.raises(ValueError, match=r"ill has a>0±1, ¬\(b>0±1 & c>0±1\), b>0±1;"):
        RULES.without_term("c>0")


def test_simplification_keeps_them_together() -> None:
    for crisp in (False, True):
        simple = RULES.simplified(crisp)
        assert simple.size == RULES.size
        np.testing.assert_allclose(simple.scores(ROWS), RULES.scores(ROWS))


def test_an_explanation_says_how_often_a_term_counts() -> None:
    explained = RULES.explain([1.0, -1.0, 1.0])
    ill = explained.verdicts[1]
    assert ill.counts == (3, 2, 1)
    added = [count * term.value for count, term in zip(ill.counts, ill.terms, strict=True)]
    assert sum(added) + ill.intercept == ill.score == 3.5
    assert "+1.00  true     3 × (a>0±1)" in explained.to_text()
    assert "3 × (a&gt;0±1)" in explained._repr_html_()
    counts = [term["count"] for term in explained.to_dict()["classes"][1]["terms"]]
    assert counts == [3, 2, 1]


def test_evidence_and_reasons_weigh_a_term_by_its_points() -> None:
    records = RULES.evidence(ROWS, Y)
    assert [each.weight for each in records if each.kind == "term"] == [3, 2, 1]
    rule, *terms = (each for each in records if each.label == "ill")
    assert rule.contribution == pytest.approx(sum(each.contribution for each in terms))
    first, second, *_ = RULES.reasons([[1.0, -1.0, 1.0]])[0]
    assert (first.text, first.amount, second.amount) == ("a>0±1", 3.0, 2.0)


def test_importance_and_conflicts_are_those_of_the_scores() -> None:
    assert next(iter(RULES.importance(ROWS, Y))).name == "a"
    assert len(RULES.conflicts(ROWS).several) == 0


def test_a_diagram_has_one_link_with_a_weight() -> None:
    assert sorted(link.weight for link in build_graph(RULES).links if link.weight > 1) == [2, 3]


def test_refitting_keeps_the_points() -> None:
    rows = np.random.default_rng(1).normal(size=(80, 3))
    shifted = RULES.predict(rows - 0.3)
    fitted = refit(RULES, rows, shifted)
    assert fitted != RULES
    assert fitted.expressions == RULES.expressions
    votes, _ = split_terms(fitted.expressions)
    assert sorted(abs(each[1]) for each in votes.values()) == [1.0, 2.0, 3.0]


def test_a_decision_threshold_moves_the_intercept_alone() -> None:
    moved = RULES.with_decision_threshold(0.25)
    assert moved.expressions == RULES.expressions
    ill = moved.predict_proba(ROWS)[:, 1] >= 0.25
    assert (moved.predict(ROWS) == np.where(ill, "ill", "well")).all()
