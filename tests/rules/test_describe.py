"""Crisp rules in words: an evaluator of the text agrees with the rules on every row."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisplogic import LogicClassifier, LogicRegressor
from crisplogic.expr import And, Expr, Not, Or, Var, parse, total
from crisplogic.expr.negations import push_negations
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
from crisplogic.rules.analysis.comparison import text_diff
from crisplogic.rules.rule import Label
from crisplogic.rules.words import Words
from crisplogic.tables import Levels
from tests.printed_words import PrintedWords
from tests.rules.rule_sets import levels_of_a_column
from tests.rules.test_printed import LABELS, Row, some_columns, table_of_every_kind
from tests.strategies import INPUTS, crisp_logic

# Rows hold values that no training row had.
pytestmark = pytest.mark.filterwarnings("ignore::crisplogic.errors.UnseenValuesWarning")

THRESHOLDS = (0.0, 5.0, 2.34, 1 / 3, -3.0, 1e12 + 0.5, 1e-9, 39.99999999999999)
# Words of the text itself, as names of columns and classes.
WORDS = (
    "either way",
    "x and y",
    "holds",
    "points",
    "other",
    "a, b",
    "yes",
    "to begin with",
    "if",
)
# Halves, as learned, and what a person may write.
SHIFTS = (0.0, 0.5, -0.5, -1.5, 2.5, 1.0, -2.0, 0.25, -0.875, 20.0, -20.0, 0.1, -0.9, 1 / 3)

word_columns = st.lists(st.sampled_from(WORDS), max_size=2, unique=True)
features = st.tuples(some_columns, word_columns).map(
    lambda both: list(dict.fromkeys([*both[0], *both[1]]))
)
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
    places = st.lists(st.integers(0, len(names) - 1), min_size=INPUTS, max_size=INPUTS)
    inputs = tuple(
        draw(inputs_of(feature, levels[feature], flags[feature])) for feature in draw(places)
    )
    columns = tuple(names)
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
        return RegressionRules(
            columns, inputs, (rule,), scale, (base,), every, crisp=True, transform=transform
        )
    rules = tuple(Rule(label, draw(exprs)) for label in draw(labels))
    intercepts = tuple(draw(shifts) for _ in rules)
    found = ClassificationRules(columns, inputs, rules, scale, intercepts, every, crisp=True)
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
            known = [*levels.names, *levels.others, "never seen"]
            # Blanks around a text are no part of it, so levels that have some are never met.
            row[name] = draw(st.sampled_from([*(k for k in known if k == k.strip()), None]))
        else:
            ends = [each.threshold for each in own if isinstance(each, Step)]
            near = [
                value for end in ends for value in (end, math.nextafter(end, 9e99), end - 1)
            ]
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
            share
            for each, share in zip(rules.labels, shares, strict=True)
            if str(each) == label
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


COLOURS = Levels(("red", "light blue"), ("teal", "mauve"))
NAMES = ("age", "body mass", "smoker", "colour")
INPUTS_OF_ALL = (
    Step(0, 40.0),
    Step(1, 6.5),
    Flag(2),
    Level.of(3, 0, COLOURS),
    Step.at_least(0, 9.0),
    Missing(1),
    Level.of(3, 2, COLOURS),
)


def two(text: str, shift: float, other: str = "unknown") -> ClassificationRules:
    both = Rule("well", parse(other)), Rule("ill", parse(text))
    levels = (None, None, None, COLOURS)
    return ClassificationRules(
        NAMES, INPUTS_OF_ALL, both, 0.8, (0.0, shift), levels, crisp=True
    )


@pytest.mark.parametrize(
    ("text", "shift", "head"),
    [
        ("0 + 1 + 2", 0.5, "ill, if at least 1.5 of these 3 statements hold:"),
        ("0 + 1 + 2", -0.5, "ill, if at least 2 of these 3 statements hold:"),
        ("0 + 1 + 2", -2.5, "ill, if all of these 3 statements hold:"),
        ("0 + 1", -1.5, "ill, if both of these statements hold:"),
        ("0 + 1 + 2", 1.5, "ill, if any of these 3 statements holds:"),
        ("0 + 0 + 1", -0.5, "ill, if these 2 statements give at least 2 of 3 points:"),
        ("0 + 0 + 1 + 1", -0.5, "ill, if at least 1.5 of these 2 statements hold:"),
        ("0", -0.5, "ill, if age is above 40"),
        ("0", 0.5, "ill, if this statement holds or is unknown:"),
        ("5", 0.5, "ill, if body mass is missing"),  # which is never unknown
        ("0", 1.5, "always ill; this statement says only how likely ill is:"),
        ("0 + 1", -2.5, "always well; these 2 statements say only how likely ill is:"),
        ("unknown", 1.0, "always ill"),
        ("0 + ~0", -1.0, "always well"),
        ("0 + true", 0.5, "always ill; this statement says only how likely ill is:"),
    ],
)
def test_the_first_line_says_what_is_needed(text: str, shift: float, head: str) -> None:
    assert two(text, shift).describe().split("\n")[0] == head


def test_a_vote_for_the_other_class_is_one_against_the_positive() -> None:
    rules = two("0", -0.5, "1 + ~2")
    assert rules.describe(notes=False).split("\n")[1:-1] == [
        "  - body mass is at most 6.5",
        "  - smoker is yes",
        "  - age is above 40",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("~(0 & ~1)", "age is at most 40, or body mass is above 6.5"),
        ("0 & (1 | 2)", "age is above 40, and (body mass is above 6.5 or smoker is yes)"),
        ("0 ^ 3", "either age is above 40 or colour is red, but not both"),
        ("~(0 ^ 2)", "both age is above 40 and smoker is yes, or neither"),
        ("4 | ~4", "age is at least 9, or age is below 9"),
        ("~3 & ~6", "colour is not red, and colour is not other"),
        ("~5", "body mass is not missing"),
        (
            "0 & (1 ^ 2)",
            "age is above 40, and "
            "(either body mass is above 6.5 or smoker is yes, but not both)",
        ),
        (
            "0 | (1 & (2 | 3))",
            "age is above 40, or (body mass is above 6.5 and (smoker is yes or colour is red))",
        ),
        (
            "0 ^ 1 ^ 2",
            "an odd number of these holds: "
            "age is above 40; body mass is above 6.5; smoker is yes",
        ),
    ],
)
def test_a_statement_reads_as_plain_english(text: str, words: str) -> None:
    assert Words(two("0", 0.5)).statement(push_negations(parse(text))) == words


def test_all_that_is_printed_of_a_checklist() -> None:
    assert str(two("(0 | 1) + ~2 + 3", -0.5)).split("\n") == [
        "ill, if at least 2 of these 3 statements hold:",
        "  - age is above 40, or body mass is above 6.5",
        "  - smoker is no",
        "  - colour is red",
        "otherwise well",
        "",
        "A statement is unknown where a value that it needs is missing, or not known.",
        'Even so, "a or b" holds if one of them holds.',
        "One that is unknown counts half.",
        "",
        "Known values; any other is unknown:",
        "  smoker: yes (1, true, yes, y, t), no (0, false, no, n, f)",
        "  colour: red, light blue; other: teal, mauve",
        "",
        "Probability of ill by the number of statements that hold: "
        "5.7% at 0, 23% at 1, 60% at 2, 88% at 3.",
    ]


def test_statements_that_are_always_known_need_no_note_on_unknown_ones() -> None:
    assert "unknown" not in str(two("5", -0.5))


def test_a_score_card_has_statements_as_rows_and_classes_as_columns() -> None:
    texts: dict[Label, str] = {"a": "0 + ~1", "light blue": "~0 + 2", 3: "~(0 & 2) + 2 + 2"}
    rules = ClassificationRules(
        NAMES,
        INPUTS_OF_ALL,
        tuple(Rule(label, parse(text)) for label, text in texts.items()),
        intercepts=(2.0, 2.0, 1.0),
        levels=(None, None, None, COLOURS),
        crisp=True,
    )
    assert rules.describe(notes=False).split("\n") == [
        "Points for each class:",
        "   a  light blue   3  if",
        "   .          +1  -1  to begin with",
        "  +1          -1   .  age is above 40",
        "  +1           .   .  body mass is at most 6.5",
        "   .          +1  +2  smoker is yes",
        "   .           .  +1  age is at most 40, or smoker is no",
    ]
    assert "| a | light blue | 3 | if |" in rules.to_markdown()
    assert "<td" in rules._repr_html_()


def test_a_number_has_a_base_and_amounts() -> None:
    price = Rule("price", parse("0 + 0 + ~(1 & 2)"))
    rules = RegressionRules(
        NAMES, INPUTS_OF_ALL, (price,), 6.1, (22.5,), (None, None, None, COLOURS), crisp=True
    )
    assert rules.describe(notes=False).split("\n") == [
        "price = 4.2, and",
        "  +24.4  if age is above 40",
        "  +12.2  if body mass is at most 6.5, or smoker is no",
    ]
    logarithm = replace(rules, scale=0.25, intercepts=(1.0,), transform="log")
    assert str(logarithm).endswith(
        "price = e^log(price). So +1 is price times 2.718, +0.5 is price times 1.649."
    )


def test_thousands_of_literals_are_written_in_the_notation_of_logic() -> None:
    inputs = tuple(Step(0, float(number)) for number in range(200))
    long = And(tuple(map(Var, range(200))))
    terms = total(Or((long, Not(Var(number)))) for number in range(60))
    rules = ClassificationRules(
        ("x",), inputs, (Rule("a", terms), Rule("b", parse("0"))), crisp=True
    )
    assert "h1" in str(rules)
    assert rules.explain([3.0]).account is None


def test_a_comparison_of_crisp_rules_is_one_of_their_words() -> None:
    before = two("0 + 1 + 2", -0.5)
    changes = text_diff(before, before.with_intercept("ill", -2.5)).split("\n")[2:]
    assert changes == [
        "-ill, if at least 2 of these 3 statements hold:",
        "+ill, if all of these 3 statements hold:",
        "   - age is above 40",
        "   - body mass is above 6.5",
        "   - smoker is yes",
        " otherwise well",
    ]


def test_reasons_of_crisp_rules_are_in_words() -> None:
    rules = two("(0 | 1) + ~2", -0.5)
    rows = [[50, 1, "no", "red"], [3, 1, "yes", "red"]]
    assert rules.reasons(rows).lines() == [
        "age is above 40, or body mass is above 6.5 (+1); smoker is no (+1)",
        "age is at most 40, and body mass is at most 6.5 (+1); smoker is yes (+1)",
    ]


def test_fitted_crisp_rules_can_be_computed_from_their_words() -> None:
    table, classes = table_of_every_kind(40)
    options: dict[str, Any] = {"epochs": 2, "folds": 2, "restarts": 1, "max_literals": 5}
    rows = [*table[:8], [None, None, "never seen"], [50.0, True, None]]
    several = [f"{each}{row[1]}" for each, row in zip(classes, table, strict=True)]
    number = [age or 50.0 for age, *_ in table]
    for estimator, y in ((LogicClassifier, several), (LogicRegressor, number)):
        fitted = estimator(literals="crisp", random_state=0, **options).fit(table, y)
        for point in list(fitted.frontier_)[::2]:
            named = [dict(zip(point.rules.features, row, strict=True)) for row in rows]
            assert_computable(point.rules, named)


@pytest.mark.parametrize("intercepts", [(0.1, -0.9), (-0.9, 0.1), (1.2, -1.8), (7 / 3, 1 / 3)])
def test_rounding_decides_no_tie(intercepts: tuple[float, float]) -> None:
    """0.1 is above -0.9 + 1 in floating point, but not on paper."""
    both = Rule("ill", parse("0 + 1 + 2")), Rule("well", parse("3 + ~4 + 4 + 4"))
    names = tuple("abcde")
    rules = ClassificationRules(
        names, tuple(map(Flag, range(5))), both, 1.0, intercepts, crisp=True
    )
    cells = itertools.product([True, False, None], repeat=5)
    assert_computable(rules, [dict(zip(names, row, strict=True)) for row in cells])
