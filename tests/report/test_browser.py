"""The page in a browser: controls move, the answer is that of the rules, nothing leaves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crisplogic.export.running.rows import decode_matrix
from crisplogic.expr import parse
from crisplogic.report import render, summarize, write_report
from crisplogic.rules import Point, RegressionRules, Rule
from tests.browsing import Opened, check_accessible
from tests.report.models import KINDS, model_of
from tests.report.test_page import MARKUP
from tests.report.test_summary import NAMES, STEPS, checklist, frontier, patients

# Sets a control as a person would: a value, and the event that follows it.
SET = """([id, value]) => {
  const field = document.getElementById(id);
  if (field.type === "checkbox") field.checked = value; else field.value = value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.dispatchEvent(new Event("change", { bubbles: true }));
}"""
# All settings one after the other, in the page: a call for each would take minutes.
SET_ALL = f"""(settings) => {{
  const set = {SET};
  return settings.map((one) => {{
    one.forEach(set);
    return document.getElementById("result").textContent;
  }});
}}"""


def settings(summary: Any, rows: list[dict[str, Any]]) -> list[list[list[Any]]]:
    """What to do with the controls, for each row."""
    found = []
    for row in rows:
        one: list[list[Any]] = []
        for at, column in enumerate(summary.columns):
            value = row[column.name]
            missing = value is None or value != value
            if column.values:
                known = [each for each, _ in column.values]
                place = -1 if missing else known.index(value) if value in known else -2
                one.append([f"c{at}", str(place)])
            else:
                one.append([f"u{at}", missing])
                one += [] if missing else [[f"c{at}", repr(float(value))]]
        found.append(one)
    return found


@pytest.mark.parametrize(("task", "crisp"), KINDS)
def test_200_settings_of_the_controls_give_what_the_rules_predict(
    tab: Opened, tmp_path: Path, task: str, crisp: bool
) -> None:
    rules, matrix, y = model_of(task, crisp)
    summary = summarize(rules, matrix, y, coded=True)
    path = tmp_path / "report.html"
    write_report(summary, path)
    opened = tab.visit(path.as_uri())
    rows = list(decode_matrix(rules, matrix).records())
    shown = opened.page.evaluate(SET_ALL, settings(summary, rows))
    expected = rules.predict(matrix, coded=True)
    assert len(shown) == 200
    # The settings are of all kinds: answers differ, values are missing, there are categories.
    assert len(set(shown)) > 1
    assert np.isnan(matrix).any()
    assert any(column.values for column in summary.columns)
    if task == "number":
        numbers = [float(text.rpartition(": ")[2]) for text in shown]
        np.testing.assert_allclose(numbers, expected, rtol=1e-5)
    else:
        words = dict(zip(rules.labels, summary.labels, strict=True))
        assert shown == [f"Predicted: {words[label]}" for label in expected.tolist()]
    opened.check()


def test_statements_tick_and_the_offered_change_flips_the_class(
    tab: Opened, tmp_path: Path
) -> None:
    known, (X, y) = frontier(), patients()
    path = tmp_path / "report.html"
    write_report(summarize(known[1].rules, X, y, frontier=known), path)
    opened = tab.visit(path.as_uri())
    page = opened.page
    page.evaluate(SET_ALL, [[["c0", "50"], ["c1", "100"]]])
    states = "#rules .size:not([hidden]) .state"
    assert page.locator(states).all_inner_texts() == ["✓\nholds:", "✓\nholds:"]
    assert page.inner_text("#result") == "Predicted: ill"
    page.evaluate(SET_ALL, [[["u0", True]]])
    assert page.locator(states).all_inner_texts() == ["?\nunknown:", "✓\nholds:"]
    assert page.inner_text("#why").startswith("1.5 of 2")
    page.evaluate(SET_ALL, [[["u0", False], ["c0", "50"]]])
    before = page.inner_text("#result")
    page.click("#try-change")
    assert page.inner_text("#result") != before
    # Another size: other statements, with the same row.
    page.check("input[name=choose][value='2']")
    assert len(page.locator(states).all_inner_texts()) == 3
    assert page.input_value("#size") == "2"
    # The keyboard moves a slider.
    page.focus("#r0")
    value = page.input_value("#c0")
    page.keyboard.press("ArrowRight")
    assert float(page.input_value("#c0")) == float(value) + 1
    opened.check()


def test_a_row_of_the_table_can_be_tried(tab: Opened, tmp_path: Path) -> None:
    known, (X, y) = frontier(), patients()
    summary = summarize(known[1].rules, X, y, frontier=known)
    path = tmp_path / "report.html"
    write_report(summary, path)
    opened = tab.visit(path.as_uri())
    for at, example in enumerate(summary.sizes[1].examples):
        opened.page.click(f"#examples .size:not([hidden]) [data-example='{at}']")
        said = opened.page.inner_text("#result").removeprefix("Predicted: ")
        assert example.predicted.startswith(said)
    opened.check()


def test_hostile_names_do_nothing_and_no_page_is_wider_than_its_window(
    tab: Opened, tmp_path: Path
) -> None:
    from tests.export.hostile import hostile_rules

    path = tmp_path / "report.html"
    for at in range(0, len(MARKUP), 4):
        names = [*MARKUP[at : at + 3], MARKUP[at + 3] + "x" * 300]
        rules = hostile_rules("several", True, names)
        table = np.array([[7.0, 3.0, 0.0, np.nan], [1.0, 1.0, 3.0, 1.0]])
        truth = rules.predict(table, coded=True)
        write_report(summarize(rules, table, truth, coded=True, title=names[3]), path)
        opened = tab.visit(path.as_uri(), 1400)
        for width in (1400, 390):
            opened.page.set_viewport_size({"width": width, "height": 900})
            assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
        assert opened.page.locator("img").count() == 0
        opened.check()


def test_a_click_on_a_statement_shows_its_rows(tab: Opened, tmp_path: Path) -> None:
    known, (X, y) = frontier(), patients()
    rules = known[1].rules
    summary = summarize(rules, X, y, frontier=known)
    path = tmp_path / "report.html"
    write_report(summary, path)
    opened = tab.visit(path.as_uri())
    page = opened.page
    page.click("#rules .size:not([hidden]) [data-statement='1']")
    place = page.locator("#rows-1-1")
    rows = np.array(summary.sample.rows) - 1
    holds = X[rows, 1] <= 127  # the statement: glucose is at most 127
    assert f"It holds in {holds.sum()} of the 200 rows" in place.inner_text()
    place.get_by_text("More rows").click()
    lines = place.locator("tbody tr").all_inner_texts()
    cells = [line.split("\t") for line in lines]
    first = rows[holds][: len(cells)]
    assert len(cells) == 30
    assert [int(each[0].removesuffix("Try")) - 1 for each in cells] == first.tolist()
    assert [each[1] for each in cells] == rules.predict(X[first]).tolist()
    assert [each[2].removesuffix(" ✗") for each in cells] == y[first].tolist()
    place.get_by_label(f"Try row {first[1] + 1}", exact=True).click()
    assert float(page.input_value("#c1")) == X[first[1], 1]
    page.click("#rules .size:not([hidden]) [data-statement='1']")
    assert place.is_hidden()
    opened.check()


def test_the_smallest_change_of_a_number_reaches_what_is_asked_for(
    tab: Opened, tmp_path: Path
) -> None:
    rule = Rule("price", parse("0 + 1 + 2"))
    rules = RegressionRules(NAMES, STEPS, (rule,), 5.0, (20.0,), crisp=True)
    path = tmp_path / "report.html"
    write_report(summarize(rules, patients()[0]), path)
    opened = tab.visit(path.as_uri())
    page = opened.page
    page.evaluate(SET_ALL, [[["c0", "30"], ["c1", "100"], ["c2", "20"], ["goal", "25"]]])
    page.select_option("#side", "least")
    page.get_by_text("The nearest change: if").wait_for()
    assert "price⁩ would be 25" in page.inner_text("#nearest")
    page.click("#try-change")
    assert page.inner_text("#result") == "Predicted price: 25"
    # Only one column can change: that is not enough.
    page.evaluate(SET_ALL, [[["c0", "30"], ["c1", "100"], ["c2", "20"], ["m0", False]]])
    page.evaluate(SET_ALL, [[["m1", False]]])
    page.get_by_text("No change of one or two").wait_for()
    opened.check()


def test_everyone_can_use_the_page_on_a_phone_in_the_dark_and_on_paper(
    tab: Opened, tmp_path: Path
) -> None:
    known, (X, y) = frontier(), patients()
    path = tmp_path / "report.html"
    write_report(summarize(known[1].rules, X, y, frontier=known), path)
    opened = tab.visit(path.as_uri(), 390)
    page = opened.page
    page.click("#rules .size:not([hidden]) [data-statement='0']")
    page.click("#try summary")
    check_accessible(page)
    page.set_viewport_size({"width": 1400, "height": 900})
    page.emulate_media(color_scheme="dark")
    check_accessible(page, ["color-contrast", "target-size"])
    # On paper nothing is cut off, and boxes are empty: they are to be ticked.
    page.set_viewport_size({"width": 390, "height": 900})
    page.emulate_media(media="print")
    cut = "all => all.filter((e) => e.scrollWidth > e.clientWidth + 1).length"
    assert page.locator(".wide:visible").count() >= 3
    assert page.locator(".wide:visible").evaluate_all(cut) == 0
    boxes = page.locator("#rules .size:not([hidden]) .statements .box")
    colours = boxes.evaluate_all("all => all.map((e) => getComputedStyle(e).color)")
    assert set(colours) == {"rgba(0, 0, 0, 0)"}
    by_hand = page.locator("#rules .size:not([hidden]) .by-hand pre")
    assert not by_hand.is_visible()
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert by_hand.is_visible()
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert not by_hand.is_visible()
    opened.check()


def test_a_dot_of_the_picture_chooses_its_size_and_everything_follows(
    tab: Opened, tmp_path: Path
) -> None:
    known, (X, y) = frontier(), patients()
    nothing = Point(checklist("unknown", 1), 0.5, 0.5, 0.5)
    known = replace(known, points=(nothing, *known.points), held_out=None)
    path = tmp_path / "report.html"
    write_report(summarize(known[2].rules, X, y, frontier=known), path)
    opened = tab.visit(path.as_uri())
    page = opened.page
    lines = "#columns .card:not([hidden]) .cut:not([hidden]) line"
    for at, columns in ((3, 3), (1, 1), (2, 2)):
        page.click(f"circle[data-dot='{at}']")
        assert page.locator(f"input[name=choose][value='{at}']").is_checked()
        assert page.input_value("#size") == str(at)
        assert page.locator(".statements:visible > li").count() == at
        assert page.locator("fieldset:visible").count() == columns
        assert page.locator(lines).count() == columns
        error = 100 * (known[at].rules.predict(X) != y).mean()
        assert f"{error:.2f}" in page.inner_text("#quality .size:not([hidden]) .figures")
    # Rules without a statement have nothing to try, and say so.
    page.select_option("#size", "0")
    assert page.inner_text("#why") == "It is the same for every row."
    assert page.locator("#try").is_hidden()
    assert page.locator("#no-columns").is_visible()
    opened.check()


def test_whoever_goes_by_keyboard_sees_what_has_the_focus(tab: Opened, tmp_path: Path) -> None:
    known, (X, y) = frontier(), patients()
    path = tmp_path / "report.html"
    write_report(summarize(known[2].rules, X, y, frontier=known), path)
    page = tab.visit(path.as_uri(), 390).page
    page.focus("#try summary")
    place = """() => {
      const one = document.activeElement, box = one.getBoundingClientRect();
      const top = document.getElementById("answer").getBoundingClientRect().bottom;
      const below = window.innerHeight - box.bottom;
      return [one.id || one.tagName, Math.round(box.top - top), below];
    }"""
    seen = []
    for _ in range(14):
        page.keyboard.press("Shift+Tab")
        seen.append(page.evaluate(place))
    assert {"reset", "u0", "c0", "r0", "u2"} <= {name for name, _, _ in seen}
    inside = [each for each in seen if each[0] not in ("size", "A")]
    assert all(above >= 0 and below >= 0 for _, above, below in inside), inside
    tab.check()


def test_names_that_turn_the_direction_of_text_turn_no_sentence(
    tab: Opened, tmp_path: Path
) -> None:
    known, (X, y) = frontier(), patients()
    turned = "\u202eevil"
    rules = known[1].rules.rename({"age": turned, "glucose": "\u202eworse"})
    path = tmp_path / "report.html"
    write_report(summarize(rules, X, y), path)
    opened = tab.visit(path.as_uri())
    opened.page.get_by_text("The nearest change").wait_for()
    told = opened.page.inner_text("#nearest")
    assert told.count("\u2068") == told.count("\u2069") >= 4
    assert "\u202e" in told
    assert told.count("\u202e") == told.count("\u2068\u202e")
    opened.check()


def test_a_notebook_shows_the_page_in_a_frame_where_it_works(
    tab: Opened, tmp_path: Path
) -> None:
    known, (X, y) = frontier(), patients()
    report = render(summarize(known[1].rules, X, y, frontier=known))
    style = "<style>h1 { color: red }</style><h1 id='result'>A notebook</h1>"
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html>{style}{report._repr_html_()}", encoding="utf-8")
    opened = tab.visit(path.as_uri())
    opened.page.wait_for_load_state("networkidle")
    frame = opened.page.frames[1]
    frame.wait_for_selector("#result")
    chosen = [[["c0", age], ["c1", "150"]] for age in ("20", "35", "50", "65", "80")]
    chosen += [[["c0", "50"], ["c1", glucose]] for glucose in ("80", "120", "200")]
    shown = frame.evaluate(SET_ALL, chosen)
    assert len(set(shown)) == 2, shown
    assert opened.page.inner_text("#result") == "A notebook"
    colours = [
        each.eval_on_selector("h1", "h => getComputedStyle(h).color")
        for each in opened.page.frames
    ]
    assert colours[0] != colours[1]
    assert opened.problems == []


@pytest.mark.parametrize("task", ["several", "number"])
def test_everyone_can_use_a_score_card_and_a_sum(
    tab: Opened, tmp_path: Path, task: str
) -> None:
    rules, matrix, y = model_of(task, True)
    path = tmp_path / "report.html"
    write_report(summarize(rules, matrix, y, coded=True), path)
    opened = tab.visit(path.as_uri(), 390, dark=True)
    check_accessible(opened.page)
    opened.check()
