"""Crisp rules in words: an evaluator of the text agrees with the rules on every row."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisplogic.expr import Expr, parse, total
from crisplogic.rules import (
    ClassificationRules,
    Flag,
    Level,
    Membership,
    Missing,
    RegressionRules,
    Rule,
    RuleSet,
    Step,
)
from crisplogic.rules.rule import Label
from crisplogic.tables import Levels
from tests.printed_words import PrintedWords
from tests.rules.rule_sets import levels_of_a_column
from tests.rules.test_printed import LABELS, Row, some_columns
from tests.strategies import INPUTS, crisp_logic

# Rows hold values that no training row had.
pytestmark = pytest.mark.filterwarnings("ignore::crisplogic.errors.UnseenValuesWarning")

THRESHOLDS = (0.0, 5.0, 2.34, 1 / 3, -3.0, 1e12 + 0.5, 1e-9, 39.99999999999999)
# Words of the text itself, as names of columns and classes.
WORDS = ("either way", "x and y", "holds", "points", "other", "a, b", "yes", "to begin with", "if")
# Halves, as learned, and what a person may write.
SHIFTS = (0.0, 0.5, -0.5, -1.5, 2.5, 1.0, -2.0, 0.25, -0.875, 20.0, -20.0)

word_columns = st.lists(st.sampled_from(WORDS), max_size=2, unique=True)
features = st.tuples(some_columns, word_columns).map(lambda both: list(dict.fromkeys(sum(both, []))))
labels: st.SearchStrategy[list[Label]] = st.lists(
    st.sampled_from((*LABELS, *WORDS)), min_size=1, max_size=4, unique=True
)


@st.composite
def inputs_of(draw: st.DrawFn, feature: int, levels: Levels | None, flag: bool) -> Membership:
    """Anything that crisp rules can say of a column."""
    if flag:
        return draw(st.sampled_from([Flag(feature), Missing(feature)]))
    if levels is not None:
        every = [Level.of(feature, code, levels) for code in range(len(levels))]
        return draw(st.sampled_from([Missing(feature), *every]))
    threshold = draw(st.sampled_from(THRESHOLDS))
    steps = Step(feature, threshold), Step.at_least(feature, 40.0)
    return draw(st.sampled_from([*steps, steps[0], Missing(feature)]))


@st.composite
def crisp_models(draw: st.DrawFn) -> RuleSet:
    """Crisp rules with points, votes against, and numbers edited by hand."""
    names = draw(features)
    flags = [draw(st.integers(0, 3)) == 0 for _ in names]
    levels = [None if flag else draw(st.none() | levels_of_a_column) for flag in flags]
    inputs = [
        draw(inputs_of(feature, levels[feature], flags[feature]))
        for feature in draw(
            st.lists(st.integers(0, len(names) - 1), min_size=INPUTS, max_size=INPUTS)
        )
    ]
    shared = draw(crisp_logic)
    term = crisp_logic | st.sampled_from([shared, ~shared, parse("true"), parse("unknown")])
    repeated = st.tuples(term, st.integers(1, 3)).map(lambda pair: [pair[0]] * pair[1])
    exprs: st.SearchStrategy[Expr] = st.lists(repeated, max_size=4).map(
        lambda groups: total(each for group in groups for each in group)
    )
    scale, every = draw(st.sampled_from([1.0, 2.5, 0.1 + 0.2, 6.1])), tuple(levels)
    shifts = st.sampled_from(SHIFTS)
    if draw(st.integers(0, 2)) == 0:
        rule = Rule(draw(st.sampled_from(LABELS)), draw(exprs))
        base = draw(shifts | st.floats(-100, 100))
        transform = draw(st.sampled_from([None, None, "log", "log1p"]))
        fields: tuple[Any, ...] = tuple(names), tuple(inputs), (rule,), scale, (base,), every
        return RegressionRules(*fields, transform=transform, crisp=True)
    rules = tuple(Rule(label, draw(exprs)) for label in draw(labels))
    fields = tuple(names), tuple(inputs), rules, scale, tuple(draw(shifts) for _ in rules), every
    found = ClassificationRules(*fields, crisp=True)
    if len(rules) == 2 and draw(st.booleans()):
        positive = draw(st.sampled_from(found.labels))
        return found.with_decision_threshold(draw(st.sampled_from([0.5, 0.3, 0.8])), positive)
    return found


@st.composite
def rows_of(draw: st.DrawFn, rules: RuleSet) -> Row:
    """A row with missing and unseen values, and values on thresholds."""
    row: Row = {}
    for feature, name in enumerate(rules.features):
        own = [each for each in rules.memberships if each.feature == feature]
        levels = rules.levels[feature] if rules.levels else None
        if any(isinstance(each, Flag) for each in own):
            row[name] = draw(st.sampled_from([True, False, None, 1.0, "no"]))
        elif levels is not None:
            known = [*levels.names, *levels.others, "never seen", None]
            row[name] = draw(st.sampled_from(known))
        else:
            ends = [each.threshold for each in own if isinstance(each, Step)]
            near = [value for end in ends for value in (end, math.nextafter(end, 9e99), end - 1)]
            row[name] = draw(st.sampled_from([*near, None, 5.0, 0.0, 1e6]))
    return row


def assert_computable(rules: RuleSet, rows: list[Row], text: str | None = None) -> None:
    """A reader of the words predicts what the rules predict."""
    printed = PrintedWords(str(rules) if text is None else text)
    table = pd.DataFrame(rows, columns=rules.features, dtype=object)
    predicted = rules.predict(table).tolist()
    if isinstance(rules, RegressionRules):
        # What is left of a sum of large numbers is as exact as these are.
        size = abs(rules.intercepts[0]) + rules.scale * 20
        computed = list(map(printed.predict, rows))
        assert computed == pytest.approx(predicted, rel=1e-9, abs=1e-13 * size)
        return
    assert isinstance(rules, ClassificationRules)
    assert list(map(printed.predict, rows)) == list(map(str, predicted))
    for row, shares in zip(rows, rules.predict_proba(table).tolist(), strict=True):
        assert_probable(rules, printed, row, shares)


def assert_probable(
    rules: ClassificationRules, printed: PrintedWords, row: Row, shares: list[float]
) -> None:
    """Where the words say how likely something is, the rules say so, too."""
    if printed.lines[0] == "Points for each class:":
        assert printed.card_probabilities(row) == pytest.approx(shares, rel=1e-6, abs=1e-9)
    elif said := printed.probability_text(row):
        label, text = said
        chances = [
            share for each, share in zip(rules.labels, shares, strict=True) if str(each) == label
        ]
        assert any(agrees(text, share) for share in chances), (text, chances)


def agrees(percentage: str, share: float) -> bool:
    """Whether a percentage is that of a share, as far as its digits say."""
    said = float(percentage.strip("<>%")) / 100
    if percentage[0] in "<>":
        return share <= said + 1e-9 if percentage[0] == "<" else share >= said - 1e-9
    return abs(share - said) <= (0.005 if "." not in percentage else 0.0005) + 1e-9


@given(crisp_models(), st.data())
@settings(max_examples=100)
def test_a_reader_of_the_words_predicts_what_the_rules_predict(
    rules: RuleSet, data: st.DataObject
) -> None:
    assert_computable(rules, [data.draw(rows_of(rules)) for _ in range(4)])
