"""No name breaks out of its place, in any target."""

from __future__ import annotations

import html.parser
import json
import subprocess
from pathlib import Path
from shutil import which

import numpy as np
import pytest

from crisplogic.export import TARGETS, export
from crisplogic.export.names import comment, identifiers, json_text
from crisplogic.rules import RuleSet
from tests.export.agreement import answers_of, assert_same
from tests.export.generated import HOSTILE, rows_of
from tests.export.hostile import hostile_rules

# Each name stands in every place once: as a column, a value and a class.
GROUPS = [HOSTILE[at : at + 4] for at in range(0, len(HOSTILE) - 3, 4)]
QUICK = ["python", "numpy", "sql (duckdb)", "sql (sqlite)", "onnx"]
# A process for each rule set takes long: these get every third one by default.
STARTED = ["c", "javascript"]
PAIRS = [(target, group) for target in QUICK for group in range(len(GROUPS))]
PAIRS += [(target, group) for target in STARTED for group in (1, 2, 6)]


@pytest.mark.parametrize(("target", "group"), PAIRS)
def test_programs_with_hostile_names_still_agree(target: str, group: int) -> None:
    assert_group_agrees(target, group)


@pytest.mark.slow
@pytest.mark.parametrize("group", range(len(GROUPS)))
@pytest.mark.parametrize("target", [*STARTED, "java"])
def test_programs_with_any_hostile_names_still_agree(target: str, group: int) -> None:
    assert_group_agrees(target, group)


def assert_group_agrees(target: str, group: int) -> None:
    task, crisp = ("two", "several", "number")[group % 3], group % 2 == 0
    rules = hostile_rules(task, crisp, GROUPS[group])
    matrix = rows_of(rules, 200)
    assert_same(rules, matrix, answers_of(target, rules, matrix))


def test_all_hostile_names_together_agree_in_java() -> None:
    rules = hostile_rules("several", True, ("*/ #error", "\\u0022 + x", "??/", "ends with \\"))
    matrix = rows_of(rules, 200)
    assert_same(rules, matrix, answers_of("java", rules, matrix))


def everything() -> list[RuleSet]:
    return [hostile_rules(*kind, group) for kind in KINDS for group in GROUPS]


KINDS = [("two", True), ("several", True), ("number", True), ("several", False)]


class _Tags(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_holds_no_tag_of_a_name() -> None:
    for rules in everything():
        parser = _Tags()
        parser.feed(str(export(rules, "html", about={"name": "</p><script>"})))
        parser.close()
        assert "script" not in parser.tags
        assert parser.open == []


@pytest.mark.parametrize("target", ["javascript", "html"])
def test_no_target_ends_a_script_of_the_page_that_it_stands_in(target: str) -> None:
    for rules in everything():
        assert "</script" not in str(export(rules, target)).lower()


def test_no_line_of_a_program_is_made_of_a_name() -> None:
    """A name with a line break in it stays on its line: every line has a known beginning."""
    rules = hostile_rules("several", True, ("two\nlines", "a\rb", "c\u2028d", "e\x0bf"))
    # SQL has texts of several lines; readers of text and of XML know what a line break is.
    for target in set(TARGETS) - {
        "onnx",
        "text",
        "markdown",
        "html",
        "json",
        "sql",
        "pmml",
        "dmn",
    }:
        for line in str(export(rules, target)).splitlines():
            assert not line.startswith(("lines", "b", 'd"', 'f"')), (target, line)


def test_latex_of_hostile_names_compiles(tmp_path: Path) -> None:
    compiler = which("pdflatex")
    if compiler is None:
        pytest.skip("pdflatex is not installed")
    groups = [*GROUPS, ("αβγ ≠ ∞", "ħ", "€ 5 – „Größe“", "имя 🙂")]
    parts = [str(export(hostile_rules(*kind, g), "latex")) for kind in KINDS for g in groups]
    document = str(export(hostile_rules("two", True, groups[0]), "latex", document=True))
    whole = document.replace(r"\end{document}", "\n\n".join([*parts, r"\end{document}"]))
    (tmp_path / "rules.tex").write_text(whole, encoding="utf-8")
    done = subprocess.run(
        [compiler, "-interaction=nonstopmode", "-halt-on-error", "rules.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "rules.pdf").stat().st_size > 10_000


def test_identifiers_differ_and_are_identifiers() -> None:
    found = identifiers([*HOSTILE, "a_b", "A B", "if"], {"class", "if", "s1"})
    assert len({each.casefold() for each in found}) == len(found)
    assert all(each.isidentifier() and each.isascii() for each in found)
    assert not {"class", "if", "s1"} & set(found)
    assert max(map(len, found)) < 50


def test_a_comment_is_one_line_that_nothing_ends() -> None:
    for name in HOSTILE:
        text = comment(name)
        assert text.splitlines() == ([text] if text else [])
        assert not text.endswith("\\")
        assert not any(ending in text for ending in ("*/", "/*", "-->", "</", "??/"))


def test_a_text_of_json_is_read_back() -> None:
    for name in (*HOSTILE, "\x7f", "\ud800"):
        assert json.loads(json_text(name)) == name
        assert json_text(name).isascii()


def test_missing_text_in_onnx_is_the_empty_one() -> None:
    rules = hostile_rules("two", True, GROUPS[0])
    matrix = np.full((1, 4), np.nan)
    assert_same(rules, matrix, answers_of("onnx", rules, matrix))
