"""Rules written by hand: what is printed is read back, and errors point at the place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from crisplogic.errors import ExpressionError, RuleError
from crisplogic.expr import ASCII, PAPER, Notation, parse
from crisplogic.rules import (
    ClassificationRules,
    Membership,
    Ramp,
    Rule,
    RuleSet,
)
from tests.rules.editing.samples import DIABETES, bodies
from tests.rules.rule_sets import (
    PRICE,
    distinct,
    mixed_rule_sets,
    number_rule_sets,
    rule_sets,
)
from tests.strategies import HOSTILE_NAMES


def same_rules(one: RuleSet, other: RuleSet) -> bool:
    same = replace(one, scale=1.0, intercepts=()) == replace(other, scale=1.0, intercepts=())
    return (
        same
        and one.intercepts == pytest.approx(other.intercepts, rel=1e-14)
        and one.scale == pytest.approx(other.scale, rel=1e-14)
    )


# --- rules as they are printed ----------------------------------------------------------------


@given(rule_sets() | mixed_rule_sets() | number_rule_sets(), st.sampled_from([PAPER, ASCII]))
@settings(max_examples=200)
def test_a_rule_as_it_is_printed_is_the_rule_that_it_was(
    rules: RuleSet, notation: Notation
) -> None:
    assume(distinct(rules))
    for label, body in zip(rules.labels, bodies(rules, notation), strict=True):
        assert same_rules(rules.with_rule(label, body), rules)


@given(number_rule_sets(), st.sampled_from([PAPER, ASCII]))
@settings(max_examples=60)
def test_what_is_printed_is_the_same_from_any_other_numbers(
    rules: RuleSet, notation: Notation
) -> None:
    assume(distinct(rules))
    assume(rules.expressions[0] != parse("unknown"))
    other = replace(rules, scale=7.5, intercepts=(-30.0,))
    [body] = bodies(rules, notation)
    assert same_rules(other.with_rule(rules.labels[0], body), rules)


@pytest.mark.parametrize(
    "name", [*HOSTILE_NAMES, "a>5", "x>", ">5", "is", "x is red", "h1", "and"]
)
@pytest.mark.parametrize("kind", [Ramp, Membership])
def test_hostile_names_are_written_as_they_are_printed(
    name: str, kind: type[Membership]
) -> None:
    columns = kind(0, 0.0, 1.0), kind(1, 0.0, 1.0)
    rules = ClassificationRules(
        (name, "b"), columns, (Rule(name, parse("0 & ~1")), Rule("y", parse("~0")))
    )
    turned = rules
    for label, body in zip(rules.labels, reversed(bodies(rules, ASCII)), strict=True):
        turned = turned.with_rule(label, body)
    assert turned.expressions == rules.expressions[::-1]
    assert RuleSet.from_json(turned.to_json()) == turned


@pytest.mark.parametrize("name", [*HOSTILE_NAMES, "×", "*", "2 × a", "h1", "a>5"])
def test_hostile_names_in_the_rule_of_a_number_are_written_as_they_are_printed(
    name: str,
) -> None:
    rules = PRICE.rename({"rooms": name}, labels={"price": name})
    for notation in (PAPER, ASCII):
        [body] = bodies(rules, notation)
        assert rules.with_rule(name, body) == rules
    assert RuleSet.from_json(rules.to_json()) == rules


# --- the rule of a class ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expression", "intercept"),
    [
        ("pedigree", "3", 0.0),
        ("pedigree + 3", "3", 3.0),
        ("pedigree - 1e-07", "3", -1e-7),
        ("pedigree+.5", "3", 0.5),
        ("0.25", "unknown", 0.25),
        ("-0.25", "unknown", -0.25),
        (" - 2 ", "unknown", -2.0),
        ("0", "unknown", 0.0),
        ("unknown + 1", "unknown", 1.0),
        ("true - 1", "true", -1.0),
        ("glucose<127", "~0", 0.0),
        ("glucose>127 - 5e-3", "0", -0.005),
        ("h1 + ~h1", "(0 & ~1) + ~(0 & ~1)", 0.0),
        ("not pedigree and (glucose > 127 xor h1)", "~3 & (0 ^ (0 & ~1))", 0.0),
        ("(pedigree + glucose>127) & age>40", "tanh(3 + 0) & 4", 0.0),
        ("pedigree\n  + glucose>127\n  + 1", "3 + 0", 1.0),
    ],
)
def test_the_number_at_the_end_is_the_intercept(
    text: str, expression: str, intercept: float
) -> None:
    changed = DIABETES.with_rule("negative", text)
    assert changed.expressions[1] == parse(expression)
    assert changed.intercepts[1] == intercept


@pytest.mark.parametrize(
    ("text", "said", "place"),
    [
        ("pedigree & glucos>127", "no column 'glucos'.*did you mean glucose", 11),
        ("pedigree & Age>40", "no column 'Age'.*did you mean age", 11),
        (
            "pedigree & glucose",
            r"possible are glucose>127\+/-20, glucose>160\+/-10, glucose>NUMBER",
            11,
        ),
        ('"body mas">3', "no column 'body mas'.*did you mean body mass", 0),
        ("h1 + h2", "no part is called h2; the shared parts are h1", 5),
        ("glucose>=127", "a threshold of graded rules is written column>12.5", 0),
        ("pedigree & glucose≤127", "a threshold of graded rules is written column>12.5", 11),
        ("glucose = 127", "a threshold is written column>12.5", 8),
        ("pedigree - glucose>127", r"write \+ ~", 9),
        ("3 & pedigree", "a number stands at the end of a rule", 0),
        ("0.5 + pedigree", "a number stands at the end of a rule", 0),
        ("pedigree 0.5", "a number stands at the end of a rule", 9),
        ("pedigree & (glucose>127", r"expected '\)'", 23),
        ("pedigree &", "expected an input", 10),
        ("pedigree pedigree", "expected an operator or the end", 9),
        ("", "nothing to read", 0),
        ("  ", "nothing to read", 0),
        ("glucose is red", "is no category", 0),
        ("glucose is", "expected a value, .* after 'is', found the end", 10),
        ('"body mass', "has to end in one", 0),
        (r'"\q">3', "follows JSON's escapes", 0),
        ("pedigree + $", r"expected an input, .* found '\$'", 11),
        ("pedigree <", "a threshold is written", 9),
    ],
)
def test_an_error_in_the_rule_of_a_class_points_at_the_place(
    text: str, said: str, place: int
) -> None:
    with pytest.raises(ExpressionError, match=said) as raised:
        DIABETES.with_rule("positive", text)
    *_, shown, mark = str(raised.value).split("\n")
    assert mark == " " * (2 + place) + "^"
    assert shown.rstrip() == f"  {text}".rstrip()


# --- the rule of a number ---------------------------------------------------------------------


TERMS = "rooms>6.5 + ~(poverty>9.7 & crime>3)"


@pytest.mark.parametrize(
    ("text", "intercept", "scale"),
    [
        (TERMS, 22.5, 4.125),  # no numbers: the logic alone
        (f"20 + 3.5 × ({TERMS})", 20.0, 3.5),
        (f"20+3.5*({TERMS})", 20.0, 3.5),
        (f"3.5 × ({TERMS})", 0.0, 3.5),
        (f"3.5 × ({TERMS}) + 20", 20.0, 3.5),
        (f"3.5 × ({TERMS}) - 20", -20.0, 3.5),
        (f"-20 + 3.5e-3 × ({TERMS})", -20.0, 0.0035),
        (f"- 20 + .5 × ({TERMS})", -20.0, 0.5),
        (f"+20 + 3.5 × ({TERMS})", 20.0, 3.5),
        (f"20 + {TERMS}", 20.0, 1.0),
        (f"{TERMS} + 20", 20.0, 1.0),
        (f"20\n + 3.5\n × ({TERMS})", 20.0, 3.5),
        ("20 + 3.5 × (rooms>6.5 - (poverty>9.7 & crime>3))", 20.0, 3.5),
        ("20 - 3.5 × (rooms<6.5 + (poverty>9.7 & crime>3))", 20.0, 3.5),
        ("20 - 3.5 × ((poverty>9.7 & crime>3) - rooms>6.5)", 20.0, 3.5),
        ("rooms>6.5 - (poverty>9.7 & crime>3)", 22.5, 4.125),
        ("-(rooms<6.5 + (poverty>9.7 & crime>3))", 22.5, 4.125),
    ],
)
def test_a_number_is_written_in_many_ways(text: str, intercept: float, scale: float) -> None:
    changed = PRICE.with_rule("price", text)
    assert set(changed.expressions[0].parts) == set(PRICE.expressions[0].parts)
    assert changed.intercepts == (intercept,)
    assert changed.scale == scale
    assert changed.memberships == PRICE.memberships


@pytest.mark.parametrize("text", ["18", "+18", " 18.0 "])
def test_a_base_alone_leaves_no_terms(text: str) -> None:
    changed = PRICE.with_rule("price", text)
    assert changed.to_text() == "price = 18"
    assert changed.scale == PRICE.scale
    assert PRICE.with_rule("price", "-18").to_text() == "price = -18"


def test_one_term_is_multiplied_with_and_without_brackets() -> None:
    for text in ("2 × rooms>6.5", "2 × (rooms>6.5)", "2 * ~(rooms<6.5)"):
        changed = PRICE.with_rule("price", text)
        assert changed.predict([[9, 0, 0], [0, 0, 0]]).tolist() == [2.0, -2.0]
    logic = PRICE.with_rule("price", "2 × rooms>6.5 & crime>3")
    assert logic.to_text() == "price = 2 × (rooms>6.5±1 & crime>3±1)"


def test_a_minus_takes_all_of_a_term_away() -> None:
    text = "rooms>6.5 - poverty>9.7 & crime>3 - (rooms>6.5 - crime>3) - ~(rooms>6.5 | crime>3)"
    assert PRICE.with_rule("price", text).expressions[0] == parse(
        "0 + ~(1 & 2) + ~0 + 2 + (0 | 2)"
    )
    inside = PRICE.with_rule("price", "(rooms>6.5 - crime>3) & poverty>9.7")
    assert inside.expressions[0] == parse("(0 + ~2) & 1")


@pytest.mark.parametrize(
    ("text", "said", "place"),
    [
        ("20 + 3.5 × (rooms>6.5 & crim>3)", "no column 'crim'.*did you mean crime", 24),
        ("20 + 3.5 × rooms>6.5 + crime>3", r"one for all terms; write 20 \+ 3.5", 21),
        ("20 + 3.5 × rooms>6.5 - crime>3", "one for all terms", 21),
        ("20 + 3.5 × (rooms>6.5) + 2 × (crime>3)", "one for all terms", 23),
        ("20 + 3.5 × (2.5 × rooms>6.5)", "numbers stand before the terms", 12),
        ("20 + 3.5 × (100 × rooms>6.5)", "counts 1 to 99 times", 12),
        ("rooms>6.5 × 3.5", "what all terms are worth", 10),
        ("(rooms>6.5) * crime>3", "what all terms are worth", 12),
        ("20 + 3.5 ×", "expected an input, .* found the end", 10),
        ("20 + 3.5 × 2", "numbers stand before the terms", 11),
        ("20 + 5", "numbers stand before the terms", 5),
        ("20 + 3.5 × (rooms>6.5) + 5", "one for all terms", 23),
        ("20 rooms>6.5", "numbers stand before the terms", 0),
        ("3 & rooms>6.5", "numbers stand before the terms", 0),
        ("20 + 3.5 × (rooms>6.5", r"expected '\)'", 21),
        ("20 + 3.5 × rooms>6.5)", "expected an operator or the end", 20),
        ("20 +", "expected an input", 3),
        ("20 -", "expected an input", 4),
        ("rooms>6.5 -", "expected an input", 11),
        ("rooms>6.5 - - crime>3", "expected an input", 12),
        ("price = 20", "a threshold is written", 6),
        ("", "nothing to read", 0),
        ("20 + 3.5 × (rooms)", "possible are rooms>6.5", 12),
    ],
)
def test_an_error_in_the_rule_of_a_number_points_at_the_place(
    text: str, said: str, place: int
) -> None:
    with pytest.raises(ExpressionError, match=said) as raised:
        PRICE.with_rule("price", text)
    shown, mark = str(raised.value).splitlines()[-2:]
    assert text.startswith(shown[2:]) or shown[2:] == text
    assert mark.index("^") == place + 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("20 + 0 × (rooms>6.5)", "the scale must lie between 0"),
        ("20 + 1e999 × (rooms>6.5)", "the scale must lie between 0"),
        ("1e999 + 2 × (rooms>6.5)", "an intercept must be a finite number"),
    ],
)
def test_numbers_that_cannot_be_are_refused(text: str, said: str) -> None:
    with pytest.raises(RuleError, match=said):
        PRICE.with_rule("price", text)


words = st.sampled_from(
    [*"+-×*()&~", "20", "3.5", "1e3", "rooms>6.5", "crime<3", "poverty>9", "true", "tanh"]
)


@given(st.lists(words, max_size=12).map(" ".join))
@settings(max_examples=300)
def test_any_text_is_refused_or_printed_back(text: str) -> None:
    try:
        changed = PRICE.with_rule("price", text)
    except (ExpressionError, RuleError):
        return
    [body] = bodies(changed, PAPER)
    assert same_rules(changed.with_rule("price", body), changed)
