"""One page: nothing breaks out, nothing leaves it, and its script predicts as rules do."""

from __future__ import annotations

import base64
import hashlib
import html.parser
import json
import re
import subprocess
from pathlib import Path
from shutil import which

import numpy as np
import pytest

from crisplogic.export.names import words
from crisplogic.export.running.rows import decode_matrix
from crisplogic.expr import parse
from crisplogic.report import ReportError, render, summarize, write_report
from crisplogic.report.changes import with_known_values
from crisplogic.rules import ClassificationRules, Frontier, Goal, Point, Rule, RuleSet, Step
from crisplogic.rules.analysis.counterfactual import CounterfactualFinder
from crisplogic.rules.analysis.histograms import shared_levels
from tests.export.generated import HOSTILE
from tests.export.hostile import hostile_rules
from tests.plot.test_card import checklist
from tests.report.models import KINDS, model_of

VOID = {"meta", "input", "br", "link", "img"}


class Page(html.parser.HTMLParser):
    """The tags and attributes of a page, and what its scripts and styles hold."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": []}
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag in self.texts:
            self.texts[tag].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.texts:
            self.texts[self.open[-1]][-1] += data

    @property
    def policy(self) -> str:
        [policy] = [
            str(attrs["content"])
            for tag, attrs in self.tags
            if attrs.get("http-equiv") == "Content-Security-Policy"
        ]
        return policy


def page_of(task: str, crisp: bool, hostile: bool = False) -> tuple[RuleSet, np.ndarray, str]:
    rules, matrix, y = model_of(task, crisp, hostile)
    return rules, matrix, render(summarize(rules, matrix, y, coded=True))


ALLOWED = words(
    "html head meta title style body a header h1 h2 h3 p dl div dt dd small nav main section "
    "form fieldset legend label select option input button ol ul li span b details summary pre "
    "table caption thead tbody tr th td svg g line text rect circle polyline script"
)
ATTRIBUTES = words(
    "lang charset http-equiv content name class href id role hidden autocomplete for value "
    "selected type min max step checked scope viewbox preserveaspectratio x y width height x1 "
    "x2 y1 y2 cx cy r points text-anchor tabindex"
)
# Names that would become tags or attributes if they were not escaped.
MARKUP = (
    "<img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "</script><script>alert(1)</script>",
    "</title></style></svg><b>",
    "-->]]>&lt;&#x3c;",
    "{{ 7 * 7 }}",
    "<!--<script>",
)


@pytest.mark.parametrize(("task", "crisp"), KINDS)
def test_hostile_names_make_no_tag_and_no_attribute(task: str, crisp: bool) -> None:
    check_tags(Page(page_of(task, crisp, hostile=True)[2]))


def check_tags(page: Page) -> None:
    assert page.open == []
    assert {tag for tag, _ in page.tags} <= ALLOWED
    names = {name for tag, attrs in page.tags for name in attrs}
    assert {name for name in names if not name.startswith(("data-", "aria-"))} <= ATTRIBUTES
    for _, attrs in page.tags:
        assert str(attrs.get("href", "#")).startswith("#")


@pytest.mark.parametrize("at", range(0, len(HOSTILE + MARKUP) - 3, 4))
def test_every_hostile_name_is_inert_as_column_value_class_and_title(at: int) -> None:
    names = (MARKUP + HOSTILE)[at : at + 4]
    rules = hostile_rules("several", True, names)
    table = np.array([[7.0, 3.0, 0.0, np.nan], [1.0, 1.0, 3.0, 1.0]])
    made = [(names[0], names[1])]
    text = render(summarize(rules, table, coded=True, title=names[2], made=made))
    page = Page(text)
    check_tags(page)
    assert len(page.texts["script"]) == 2
    assert json.loads(page.texts["script"][0])["labels"]
    assert not {"<", ">", "&"} & set(page.texts["script"][0])


def test_halves_of_characters_do_not_stop_a_page(tmp_path: Path) -> None:
    rules = hostile_rules("two", True, ("a\udc80", "b\ud800", "c", "d"))
    path = tmp_path / "report.html"
    write_report(summarize(rules, np.array([[7.0, 3.0, 0.0, 1.0]]), coded=True), path)
    page = Page(path.read_text(encoding="utf-8"))
    check_policy(page)


def check_policy(page: Page) -> None:
    rules = dict(part.strip().split(" ", 1) for part in page.policy.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for name, text in (
        ("script-src", page.texts["script"][1]),
        ("style-src", page.texts["style"][0]),
    ):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[name] == f"'sha256-{digest}'"


def test_only_the_one_script_and_style_are_allowed_and_nothing_is_asked_for() -> None:
    page = Page(page_of("several", True, hostile=True)[2])
    check_policy(page)
    types = [attrs.get("type") for tag, attrs in page.tags if tag == "script"]
    assert types == ["application/json", None]
    assert not re.search(r"https?:|url\(|@import|fetch\(|XMLHttp", page.texts["script"][1])
    assert not re.search(r"https?:|url\(|@import", page.texts["style"][0])


def test_every_input_has_a_label_and_every_picture_a_text() -> None:
    page = Page(page_of("two", True)[2])
    labelled = {attrs["for"] for tag, attrs in page.tags if tag == "label" and "for" in attrs}
    inside = {"checkbox", "radio"}  # these stand in their labels
    for tag, attrs in page.tags:
        if tag in ("input", "select") and attrs.get("type") not in inside:
            assert attrs["id"] in labelled
        if tag == "svg":
            assert "aria-label" in attrs or attrs.get("aria-hidden") == "true"
    assert ("html", {"lang": "en"}) in page.tags


def big_model() -> tuple[RuleSet, Frontier, np.ndarray, np.ndarray]:
    """Rules of up to 60 literals in 30 statements about 20 columns, and 5,000 rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 20)).round(3)
    steps = tuple(Step(at % 20, float(X[at, at % 20])) for at in range(60))
    names = tuple(f"measurement number {at}" for at in range(20))
    points = []
    for size in range(1, 31):
        terms = " + ".join(f"({2 * at} | {2 * at + 1})" for at in range(size))
        both = Rule("ill", parse(terms)), Rule("well", parse("unknown"))
        intercepts = (0.5 - size // 2, 0.0)
        found = ClassificationRules(names, steps, both, 1.0, intercepts, crisp=True)
        points.append(Point(found, 0.1, 0.2, 0.2))
    y = np.where(X[:, 0] > 0, "ill", "well")
    return points[-1].rules, Frontier(tuple(points)), X, y


def test_a_page_of_5000_rows_and_60_literals_is_under_a_megabyte() -> None:
    rules, frontier, X, y = big_model()
    assert rules.size == 60
    text = render(summarize(rules, X, y, frontier=frontier))
    assert len(text.encode()) < 1_000_000


def test_without_the_extra_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules, matrix, _ = model_of("two", True)
    summary = summarize(rules, matrix, coded=True)  # needs no template engine
    monkeypatch.setattr("crisplogic.report.page.find_spec", lambda _: None)
    with pytest.raises(ReportError, match=r"crisplogic\[report\]"):
        render(summary)


NODE = which("node")
DRIVE = """
const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
const found = rows.map((row) => models[0].predict(row));
const statements = rows.map((row) => models[0].statements(row));
console.log(JSON.stringify({ found, statements }));
"""


@pytest.mark.skipif(NODE is None, reason="needs node")
@pytest.mark.parametrize("hostile", [False, True])
@pytest.mark.parametrize(("task", "crisp"), KINDS)
def test_the_script_of_the_page_predicts_as_the_rules_do(
    task: str, crisp: bool, hostile: bool, tmp_path: Path
) -> None:
    rules, matrix, text = page_of(task, crisp, hostile)
    script = tmp_path / "page.cjs"
    script.write_text(Page(text).texts["script"][1] + DRIVE, encoding="utf-8")
    records = list(decode_matrix(rules, matrix).records())
    plain = [{k: None if v != v else v for k, v in record.items()} for record in records]
    done = subprocess.run(
        [str(NODE), str(script)],
        input=json.dumps(plain),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    answers = json.loads(done.stdout)
    expected = rules.predict(matrix, coded=True).tolist()
    assert len(expected) == 200
    if task == "number":
        np.testing.assert_allclose(answers["found"], expected, rtol=1e-12)
    else:
        assert answers["found"] == expected
    if crisp:
        assert {value for row in answers["statements"] for value in row} <= {0, 0.5, 1}


NEAREST = """
const { rows, trials, limit } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const found = rows.map((row) => {
  const before = models[0].predict(row);
  const met = limit === null ? (other) => models[0].predict(other) !== before
    : (other) => models[0].predict(other) >= limit - 1e-9 * Math.max(1, Math.abs(limit));
  if (met(row)) return null;
  const search = nearestChange(trials, row, met);
  let step = search.next();
  while (!step.done) step = search.next();
  return step.value;
});
console.log(JSON.stringify(found));
"""


@pytest.mark.skipif(NODE is None, reason="needs node")
@pytest.mark.parametrize(("task", "crisp"), KINDS)
def test_the_page_finds_the_smallest_changes_that_the_library_finds(
    task: str, crisp: bool, tmp_path: Path
) -> None:
    rules, matrix, y = model_of(task, crisp)
    summary = summarize(rules, matrix, y, coded=True)
    known = with_known_values(rules, shared_levels([rules]), matrix)
    said = np.unique(rules.predict(matrix, coded=True))
    limit = float(said[2 * len(said) // 3]) if task == "number" else None
    finder = CounterfactualFinder(known, goal=None if limit is None else Goal(at_least=limit))
    columns = zip(summary.columns, summary.sizes[0].trials, strict=True)
    trials = [
        {"name": column.name, "values": list(each.values), "width": each.width}
        for column, each in columns
    ]
    script = tmp_path / "page.cjs"
    script.write_text(Page(render(summary)).texts["script"][1] + NEAREST, encoding="utf-8")
    rows = matrix[:60]
    records = list(decode_matrix(rules, rows).records())
    plain = [{k: None if v != v else v for k, v in record.items()} for record in records]
    done = subprocess.run(
        [str(NODE), str(script)],
        input=json.dumps({"rows": plain, "trials": trials, "limit": limit}),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    answers = json.loads(done.stdout)
    told = [finder.find(row) for row in rows]
    assert sum(map(bool, told)) >= 3
    for answer, wanted in zip(answers, told, strict=True):
        if not wanted:
            assert answer is None
            continue
        changes = [[each.column, each.after] for each in wanted.changes]
        assert answer == {"far": wanted.distance, "changes": changes}


def test_a_long_statement_is_shown_with_its_parts_below_it() -> None:
    rules = checklist("(0 & (1 | 2 & 3)) + (0 & 1 & 2 | ~0 & 3) + 3")
    X = [[65.0, 100.0, 31.0, 1.0], [20.0, 200.0, 20.0, 0.0]]
    summary = summarize(rules, X)
    first, _, last = summary.sizes[0].statements
    assert first.lines == (
        (0, "both of these hold:"),
        (1, "age is above 60"),
        (1, "glucose is above 127, or (body mass is above 30.5 and smoker is yes)"),
    )
    assert last.lines == ()
    page = render(summary)
    for depth, text in first.lines:
        assert f'<span class="part depth-{depth}">{text}</span>' in page


def test_one_long_statement_has_a_heading_of_its_own() -> None:
    rules = checklist("0 & 1 & 2 | ~0 & 3")
    size = summarize(rules, [[65.0, 100.0, 31.0, 1.0]]).sizes[0]
    assert size.heading == "ill, if this statement holds:"
    assert size.statements[0].lines[0] == (0, "any of these holds:")
