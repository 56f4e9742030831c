"""Deep statements in words: in a line with brackets, or as a list of their parts."""

from __future__ import annotations

import itertools

import pytest

from crisplogic.expr import parse
from crisplogic.rules import (
    ClassificationRules,
    Flag,
    RegressionRules,
    Rule,
    RuleSet,
    Step,
)
from crisplogic.rules.describe import describe
from crisplogic.rules.markup import Table
from crisplogic.rules.words import MOST_IN_A_LINE
from crisplogic.tables import TRUTH
from tests.printed_words import OUTLINES, PrintedWords

NAMES = ("age", "glucose", "body mass", "smoker", "pressure", "pulse", "income", "diabetic")
INPUTS = (
    Step(0, 60.0),
    Step(1, 127.0),
    Step(2, 30.5),
    Flag(3),
    Step(4, 140.0),
    Step(5, 90.0),
    Step(6, 2000.0),
    Flag(7),
)
LEVELS = tuple(TRUTH if isinstance(each, Flag) else None for each in INPUTS)
# For each input a value above its threshold, one below it, and none.
VALUES = [
    (True, False, None) if isinstance(each, Flag) else (each.threshold + 1, 0.0, None)
    for each in INPUTS
]
DEEP = (
    "(0 | 1) & (2 ^ 3)",
    "0&1&2 | 3&4",
    "(0 & 1) | (~0 & 2)",
    "0 ^ 1 ^ 2",
    "~(0 ^ 1 ^ 4)",
    "(0|1)&(2|3)&(4|5)&(6|7)",
    "0 & (1 | 2 & (3 | 4))",
    "((0&1)|(2&3)) & ((4&5)|(6&7))",
    "(0 & 1) ^ (2 | 3)",
    "~((0&1) ^ (2|4)) | 3 & 4",
    "0 & 1 & 2 & 3 & 4 & 5 & 6 & 7",
    "(0 + 1 + 2 + 3 + 4 + 5 + 3 * (true)) & (~0 + ~1 + ~2 + ~3 + ~4 + ~5 + false)",
    "tanh(0 + 1 + 2)",
    "tanh((0 & 1) + 2 + ~3) | 4",
    "(0 | 1 | 2) & (~0 + ~1 + ~2)",
    "(0 + 1 + (2 & 3 | 4)) ^ 5",
)


def checklist(*texts: str, needed: int = 1) -> ClassificationRules:
    terms = " + ".join(f"({text})" for text in texts)
    both = Rule("ill", parse(terms)), Rule("well", parse("unknown"))
    shift = len(texts) - 2 * needed + 0.5
    return ClassificationRules(
        NAMES, INPUTS, both, 1.0, (shift, 0.0), levels=LEVELS, crisp=True
    )


def card(*texts: str) -> ClassificationRules:
    rules = tuple(Rule(f"c{at}", parse(text)) for at, text in enumerate(texts))
    zeros = (0.0,) * len(rules)
    return ClassificationRules(NAMES, INPUTS, rules, 1.0, zeros, levels=LEVELS, crisp=True)


def number(text: str) -> RegressionRules:
    rule = (Rule("price", parse(text)),)
    return RegressionRules(NAMES, INPUTS, rule, 2.5, (10.0,), levels=LEVELS, crisp=True)


def assert_computable(rules: RuleSet) -> None:
    """A reader of the words alone predicts what the rules predict, whatever is missing."""
    rows = list(itertools.islice(itertools.product(*VALUES), 0, None, 17))
    printed = PrintedWords(str(rules))
    computed = [printed.predict(dict(zip(NAMES, row, strict=True))) for row in rows]
    assert computed == rules.predict([list(row) for row in rows]).tolist()


@pytest.mark.parametrize("text", DEEP)
def test_a_reader_of_one_deep_statement_predicts_what_the_rules_predict(text: str) -> None:
    assert_computable(checklist(text))


@pytest.mark.parametrize(
    "rules",
    [
        checklist(*DEEP[:6], needed=3),
        checklist(DEEP[0], DEEP[0], DEEP[1], needed=2),  # two points for the first
        card(DEEP[0], f"({DEEP[1]}) + 5", DEEP[7]),
        number(f"({DEEP[0]}) + ({DEEP[6]}) + 4"),
    ],
    ids=["checklist", "points", "card", "number"],
)
def test_a_reader_of_deep_rules_predicts_what_the_rules_predict(rules: RuleSet) -> None:
    assert any(line.endswith(tuple(OUTLINES)) for line in str(rules).splitlines())
    assert_computable(rules)


def test_a_count_is_a_list_of_what_is_counted() -> None:
    assert describe(checklist(DEEP[-5])).to_text(notes=False).split("\n")[:2] == [
        "ill, if exactly 2 of these 6 hold:",
        "  - age is above 60",
    ]
    words = describe(checklist("3 & (0 + 1 + ~7)")).to_text(notes=False)
    assert words.startswith("ill, if both of these hold:")
    assert "at least 2 of these 3 hold:" in words


def test_a_long_statement_is_a_list_of_its_parts() -> None:
    rules = checklist("0 & (1 | 2 & (3 | 4))", "0&1&2 | 3&4", "5", needed=2)
    assert describe(rules).to_text(notes=False).split("\n") == [
        "ill, if at least 2 of these 3 statements hold:",
        "  - both of these hold:",
        "      - age is above 60",
        "      - any of these holds:",
        "          - glucose is above 127",
        "          - body mass is above 30.5, and (smoker is yes or pressure is above 140)",
        "  - any of these holds:",
        "      - age is above 60, and glucose is above 127, and body mass is above 30.5",
        "      - smoker is yes, and pressure is above 140",
        "  - pulse is above 90",
        "otherwise well",
    ]


def test_one_long_statement_needs_no_list_around_it() -> None:
    rules = checklist("(0 & 1) | (~0 & 2)")
    assert describe(rules).to_text(notes=False).split("\n") == [
        "ill, if any of these holds:",
        "  - age is above 60, and glucose is above 127",
        "  - age is at most 60, and body mass is above 30.5",
        "otherwise well",
    ]


@pytest.mark.parametrize("text", DEEP)
def test_no_line_is_long(text: str) -> None:
    lines = describe(checklist(text, "5", needed=2)).to_text(notes=False).split("\n")
    assert max(map(len, lines)) <= MOST_IN_A_LINE + 10  # and what stands before it


def test_two_literals_stand_in_a_line_however_long_they_are() -> None:
    long = "w" * MOST_IN_A_LINE
    both = Rule("ill", parse("0 & 1")), Rule("well", parse("unknown"))
    rules = ClassificationRules(
        (long, "age"), (Step(0, 1.0), Step(1, 2.0)), both, intercepts=(-0.5, 0.0), crisp=True
    )
    assert str(rules).startswith(f"ill, if {long} is above 1, and age is above 2\n")


def test_lists_in_lists_are_html_and_markdown_and_latex() -> None:
    rules = checklist("0 & (1 | 2 & (3 | 4))", "5", needed=2)
    html = describe(rules).to_html()
    inner = "<li>any of these holds:<ul><li>glucose is above 127</li>"
    assert f"<li>both of these hold:<ul><li>age is above 60</li>{inner}" in html
    assert html.count("<ul>") == html.count("</ul>") == 3
    lines = describe(rules).to_markdown().split("\n")
    assert "- both of these hold:" in lines
    assert "    - any of these holds:" in lines
    assert "        - glucose is above 127" in lines
    latex = str(rules.export("latex"))
    assert latex.count(r"\begin{itemize}") == latex.count(r"\end{itemize}") == 3


def test_a_score_card_has_parts_below_their_statement() -> None:
    rules = card("0 & (1 | 2 & (3 | 4))", "5", "~5")
    lines = str(rules).split("\n\n")[0].split("\n")
    place = lines[1].index("if")
    [first] = [at for at, line in enumerate(lines) if line.endswith("both of these hold:")]
    assert lines[first][place:] == "both of these hold:"
    assert lines[first + 1] == " " * place + "  - age is above 60"
    body = describe(rules).body
    assert isinstance(body, Table)
    cells = [row[-1] for row in body.rows]
    long = [cell for cell in cells if cell.parts is not None]
    assert [cell.text for cell in long] == [
        "age is above 60, and (glucose is above 127 or "
        "(body mass is above 30.5 and (smoker is yes or pressure is above 140)))"
    ]
    assert "| age is above 60, and (glucose is above 127 or" in rules.to_markdown()


def test_an_explanation_says_which_parts_hold() -> None:
    rules = checklist("0 & (1 | 2 & (3 | 4))", "5", needed=2)
    row = [65, 100, 31, None, 150, 80, None, None]
    text = rules.explain(row).to_text()
    lines = [line.split(maxsplit=1)[0] for line in text.split("\n")[1:]]
    assert lines == ["holds", "holds", "holds", "fails", "holds", "fails"]
    insets = [len(line) - len(line.lstrip()) for line in text.split("\n")[1:]]
    assert insets == [2, 4, 4, 6, 6, 2]
    assert "glucose is above 127" in text.split("\n")[4]
    assert text.split("\n")[4].endswith("glucose = 100")
    assert text.startswith("well (")
    assert "because only 1 of 2 holds" in text


def test_shared_parts_are_written_out_so_that_an_edit_can_quote_them() -> None:
    rules = checklist("(0 & 1) | (~0 & 2)", "((0 & 1) | (2 & 3)) & 4", "5", needed=2)
    assert "h1" not in rules.to_text()
    texts = [each.text for each in rules.evidence([[0.0] * 8], ["well"])]
    shared = [text for text in texts if text.startswith("(age>60 & glucose>127) |")]
    assert rules.without_term(shared[0]).size < rules.size


def test_what_is_long_and_shared_keeps_its_name() -> None:
    long = "(0 | 1) & (2 | 3) & (4 ^ 5)"
    rules = checklist(f"({long}) | 6", f"({long}) & 7", needed=2)
    assert rules.to_text().startswith("h1 ")
    assert rules.with_rule("ill", rules.to_text().split("ill  = ")[1].split("\n")[0]) == rules


@pytest.mark.parametrize("text", DEEP)
def test_a_deep_rule_is_parsed_back_from_its_text(text: str) -> None:
    rules = checklist(text, "5", needed=2)
    body = rules.to_text().split("\n")[0].partition("= ")[2]
    assert rules.with_rule("ill", body) == rules
