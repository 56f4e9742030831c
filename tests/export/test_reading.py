"""Targets for people say what the rules print of themselves."""

from __future__ import annotations

from crisplogic.export import export
from crisplogic.rules.latex import latex_text
from tests.rules.crisp_rules import CLINIC
from tests.rules.rule_sets import LEARNED, PRICE


def test_text_and_markdown_are_what_rules_print() -> None:
    for rules in (CLINIC, LEARNED, PRICE):
        assert str(export(rules, "text")).startswith(rules.describe())
        assert str(export(rules, "markdown")).startswith(rules.to_markdown())


def test_the_end_says_where_rules_come_from() -> None:
    for target in ("text", "markdown", "html"):
        last = str(export(CLINIC, target, about={"name": "a", "rows": 5})).splitlines()[-1]
        assert "a, learned from 5 rows, crisplogic" in last


def test_latex_lists_every_statement() -> None:
    text = str(export(CLINIC, "latex"))
    assert text.count(r"\item") == 4
    assert r"\item {}2 points: glucose is above 127, and age is below 40" in text
    assert text.count(r"\begin{") == text.count(r"\end{") == 1
    assert r"\begin{document}" in str(export(CLINIC, "latex", document=True))


def test_latex_has_a_table_for_several_classes() -> None:
    rules = CLINIC.with_rule("well", "glucose<=127")
    three = type(rules)(
        rules.features,
        rules.memberships,
        (*rules.rules, type(rules.rules[0])("dead", rules.expressions[1])),
        levels=rules.levels,
        crisp=True,
    )
    text = str(export(three, "latex"))
    assert r"\begin{tabular}{rrrl}" in text


def test_latex_writes_every_character_of_ascii() -> None:
    text = "".join(map(chr, range(32, 127)))
    written = latex_text(text.strip())
    plain = written.replace(r"\\", "")
    for special in "$#%&_{}":
        assert f"\\{special}" in plain
    assert "~" not in written
    assert "^" not in written.replace(r"\textasciicircum", "")
