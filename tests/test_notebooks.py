"""What notebooks show: everything as HTML and LaTeX, and nothing of the data is executed."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
import sklearn

from crisplogic import LogicClassifier
from crisplogic.report import render, summarize
from crisplogic.rules import Frontier, Point, Stability
from crisplogic.rules.analysis.comparison import compare
from crisplogic.rules.latex import latex_text
from tests.plot.test_card import card, checklist
from tests.rules.rule_sets import LEARNED, PRICE

EVIL = '<script>alert("1")</script>'
CRISP = checklist("(0 & (1 | 2 & 3)) + (0 & 1 & 2 | ~0 & 3) + 3")
HOSTILE = CRISP.rename({"age": EVIL, "glucose": "$x_1$ % \\input{a}"}, {"ill": f"{EVIL} & #"})
ROWS = [[65, 100, 31, 1], [20, 200, 20, 0]]


def shown(rules: Any = HOSTILE) -> dict[str, Any]:
    """All that a notebook may be asked to show, of rules with hostile names."""
    truth = rules.predict(ROWS)
    other = rules.without_term("smoker")
    return {
        "rules": rules,
        "card": card("0", "1", "2", labels=(EVIL, "b", "c")),
        "graded": LEARNED.rename({"glucose": EVIL}),
        "number": PRICE.rename({"rooms": EVIL}),
        "frontier": Frontier((Point(rules, 0.2, 0.25, 0.25, 0.0),)),
        "explanation": rules.explain(ROWS[0]),
        "graded explanation": LEARNED.rename({"glucose": EVIL}).explain([100, 30]),
        "importance": rules.importance(ROWS, truth),
        "comparison": compare(rules, other, ROWS, truth),
        "stability": Stability((EVIL, "b"), (1, 2), 2, 0.5, 2),
    }


NAMES = list(shown())


class Tags(HTMLParser):
    """The tags of a text, each of which ends where it should."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", NAMES)
def test_html_is_sound_and_escaped(name: str) -> None:
    text = shown()[name]._repr_html_()
    assert Tags(text).tags <= {
        "div", "p", "strong", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "code",
        "details", "summary", "pre",
    }  # fmt: skip
    assert EVIL not in text


@pytest.mark.parametrize("name", NAMES)
def test_latex_is_sound_and_escaped(name: str) -> None:
    text = shown()[name]._repr_latex_()
    begun, ended = (re.findall(rf"\\{word}\{{(\w+)\}}", text) for word in ("begin", "end"))
    assert sorted(begun) == sorted(ended)
    assert begun
    assert r"\input" not in text
    bare = text.replace("\\\\", "").replace(r"\{", "").replace(r"\}", "")
    assert bare.count("{") == bare.count("}")
    assert not re.search(r"(?<!\\)[#%]", text)
    assert "<" not in text


def test_both_say_what_the_text_says() -> None:
    for rules in (CRISP, card("0 + 0", "1", "2")):
        html, latex = rules._repr_html_(), rules._repr_latex_()
        for word in ("age is above 60", "glucose", "body mass is above 30.5"):
            assert word in html
            assert word in latex


def test_a_comparison_shows_metrics_rows_and_the_diff() -> None:
    found = compare(CRISP, CRISP.without_term("smoker"), ROWS, ["ill", "well"])
    html = found._repr_html_()
    for line in found.before.lines():
        assert f">{line.name}<" in html
        assert f">{line.format(line.number)}<" in html
    assert "2 predictions changed" in html
    assert "-  - smoker is yes" in html
    assert found.to_markdown().startswith("|  | before | after | change |")


def test_an_explanation_says_what_would_change_the_answer() -> None:
    explained = CRISP.explain(ROWS[0], changeable="all")
    change = explained.counterfactual
    assert change is not None
    assert latex_text(change.to_text()) in explained._repr_latex_()
    assert change.to_svg() in change._repr_html_()
    assert change.to_text() in change._repr_html_()
    assert latex_text(change.to_text()) in change._repr_latex_()


def test_a_list_that_is_too_deep_for_latex_stands_in_a_line() -> None:
    deep = "0 & (1 | (2 & (3 | (0 & (1 | (2 & 3))))))"
    rules = checklist(f"({deep}) + 0 + 1").rename({n: n * 9 for n in CRISP.features})
    latex = rules._repr_latex_()
    depth, deepest = 0, 0
    for word in re.findall(r"\\(begin|end)\{itemize\}", latex):
        depth += 1 if word == "begin" else -1
        deepest = max(deepest, depth)
    assert deepest == 4
    assert "any of these holds: (" in latex


@pytest.fixture(scope="module")
def fitted() -> LogicClassifier:
    X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 5
    y = ["same", "different", "different", "same"] * 5
    return LogicClassifier(random_state=0, epochs=2, restarts=1, folds=0).fit(X, y)


def test_an_estimator_shows_its_rules_below_its_parameters(fitted: LogicClassifier) -> None:
    bundle = fitted._repr_mimebundle_()
    assert bundle["text/html"].endswith(fitted.rules_._repr_html_())
    assert "LogicClassifier" in bundle["text/html"]
    assert bundle["text/latex"] == fitted.rules_._repr_latex_()
    assert fitted._repr_html_() == bundle["text/html"] or fitted._repr_html_().endswith(
        fitted.rules_._repr_html_()
    )


def test_before_a_fit_or_as_text_there_is_what_scikit_learn_shows(
    fitted: LogicClassifier,
) -> None:
    bundle = LogicClassifier()._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    with sklearn.config_context(display="text"):
        bundle = fitted._repr_mimebundle_()
        assert "text/html" not in bundle
        assert not hasattr(fitted, "_repr_html_")


def test_a_report_is_text_that_notebooks_show_in_a_frame(fitted: LogicClassifier) -> None:
    page = fitted.report([[0, 1], [1, 1]], ["different", "same"])
    assert isinstance(page, str)
    assert page.startswith("<!doctype html>") or page.startswith("<!DOCTYPE html>")
    html = page._repr_html_()
    parser = FrameReader(html)
    assert parser.frames == [{"srcdoc": str(page), "sandbox": "allow-scripts"}]


class FrameReader(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.frames: list[dict[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag == "iframe"
        known = dict(attrs)
        self.frames.append({name: known[name] for name in ("srcdoc", "sandbox")})


def test_a_hostile_page_stays_in_its_frame() -> None:
    rules = HOSTILE.rename({EVIL: '"></iframe><script>alert(1)</script>'})
    page = render(summarize(rules, np.array(ROWS, dtype=float), rules.predict(ROWS)))
    [frame] = FrameReader(page._repr_html_()).frames
    assert frame["srcdoc"] == page
