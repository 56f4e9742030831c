"""HTML and Markdown show what text shows, and names in them mean nothing but themselves."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Protocol

import numpy as np
import pytest
from markdown_it import MarkdownIt

from crisplogic.rules import Frontier, Point, RuleSet
from crisplogic.rules.markup import Cell, Table, fenced, to_html, to_markdown
from tests.rules.rule_sets import LEARNED, PATIENTS, PRICE, rules_of
from tests.strategies import HOSTILE_NAMES

HOSTILE = (
    *HOSTILE_NAMES,
    "<script>alert(1)</script>",
    "a | b",
    "`code`",
    "**bold** _it_ [x](y)",
    "&lt;b&gt;",
    "a\\|b",
    '" onclick="x',
)
VOID = {"br", "hr", "meta"}


class Shown(Protocol):
    def to_markdown(self) -> str: ...
    def _repr_html_(self) -> str: ...


class Reader(HTMLParser):
    """Collects text and tags; fails where tags are not balanced."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if {"td", "th"} & set(self.open):
            self.cells[-1] += data


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    assert reader.tags <= {
        *("div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "code"),
        *("details", "summary", "pre"),
    }
    assert reader.attributes <= {"style"}
    return reader


def rendered(markdown: str) -> Reader:
    """What a reader of Markdown sees, in tables as GitHub has them."""
    text = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    reader = Reader()
    reader.feed(text)
    assert "script" not in reader.tags
    assert "a" not in reader.tags
    return reader


@pytest.mark.parametrize("name", HOSTILE)
def test_a_cell_means_itself_in_html_and_in_markdown(name: str) -> None:
    shown = " ".join(name.split())  # Markdown has no line breaks in a cell
    for code in (False, True):
        table = Table("", ["name", "number"], [[Cell(shown, code), Cell("1", number=True)]])
        assert read(to_html([table])).cells[2] == shown
        cells = rendered(to_markdown([table])).cells
        assert len(cells) == 4
        # Inside code, GitHub alone reads an escaped backslash before a bar as one.
        if not (code and "\\|" in name):
            assert cells[2].strip() == shown


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_and_classes_are_shown_as_they_are_written(name: str) -> None:
    rules = rules_of("0 & ~1", "0 | 1", labels=(name, "b"), features=(name, "other"))
    everything = read(rules._repr_html_())
    written = str(rules).splitlines()[1].split(" = ", 1)[1]
    assert written in everything.cells
    explained = read(rules.explain([0.5, -1.0])._repr_html_())
    assert written in explained.cells
    importance = rules.importance([[1.0, 0.0], [-1.0, 1.0]])
    assert importance.statements[0].name in read(importance._repr_html_()).cells
    for each in (rules, rules.explain([0.5, -1.0]), importance):
        rendered(each.to_markdown())


@pytest.mark.parametrize("rules", [LEARNED, PATIENTS, PRICE], ids=["learned", "mixed", "price"])
def test_rules_are_shown_with_their_legend_and_formulas(rules: RuleSet) -> None:
    page = "".join(read(rules._repr_html_()).texts)
    text = "".join(rendered(rules.to_markdown()).texts)
    assert rules.to_text() in text
    for shown in (rules.legend(), rules.formulas()):
        assert shown in page
        assert shown in text


def test_shared_parts_are_shown_before_the_rules() -> None:
    rules = rules_of("(0 & 1) + 2", "~(0 & 1) + 3", labels=("a", "b"))
    cells = read(rules._repr_html_()).cells
    assert cells[2:] == ["h1", "x0 & x1", "a", "h1 + x2", "b", "¬h1 + x3"]


def test_an_explanation_shows_degrees_and_the_cells_of_the_row() -> None:
    explained = PATIENTS.explain({"glucose": 150.0, "smoker": True, "eye colour": "red"})
    cells = read(explained._repr_html_()).cells
    assert "glucose = 150" in cells
    assert "+0.62" in cells
    assert "anyway" in cells
    markdown = rendered(explained.to_markdown()).cells
    assert [cell.strip() for cell in markdown] == [cell.strip() for cell in cells]
    house = read(PRICE.explain([8.0, 5.0, 1.0])._repr_html_()).cells
    assert house[:2] == ["amount", "degree"]
    assert "+4.125" in house


def test_a_frontier_is_a_table_with_one_line_a_size() -> None:
    points = Point(rules_of("0", "unknown"), 0.25), Point(LEARNED, 0.125, 0.2, 0.1, 0.01)
    frontier = Frontier(points)
    cells = read(frontier._repr_html_()).cells
    assert "12.5%" in cells
    assert "20.0%" in cells
    assert "-" in cells  # not known
    assert "chosen" in rendered(frontier.to_markdown(mark=3)).cells
    assert "chosen" not in rendered(frontier.to_markdown()).cells


def test_a_block_of_code_ends_where_it_should() -> None:
    text = "a = ```\n````\nb"
    assert rendered(fenced(text)).texts[0] == f"{text}\n"


@pytest.mark.parametrize(
    "shown",
    [rules_of("unknown", "true"), rules_of("unknown").explain(np.zeros((1, 5)))],
    ids=["rules", "explanation"],
)
def test_rules_without_statements_are_shown(shown: Shown) -> None:
    read(shown._repr_html_())
    rendered(shown.to_markdown())
