"""The widget: Python knows the row that is tried on the page, and can set another."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crisplogic.export.running.rows import decode_matrix
from crisplogic.report import ReportError, render, summarize
from crisplogic.report.page import template_text
from crisplogic.rules.words import labels_in_words
from tests.browsing import Opened
from tests.report.models import KINDS, model_of
from tests.report.test_browser import SET_ALL
from tests.report.test_summary import frontier, patients

pytest.importorskip("anywidget")
# A notebook around the widget: a model with the traits of the Python one, which notes changes.
NOTEBOOK = """async ([code, traits]) => {
  const { default: { render } } = await import(`data:text/javascript;base64,${code}`);
  const listeners = {};
  window.model = {
    get: (name) => traits[name],
    set: (name, value) => {
      traits[name] = value;
      (listeners[`change:${name}`] || []).forEach((each) => each());
    },
    on: (event, each) => { (listeners[event] = listeners[event] || []).push(each); },
    save_changes: () => { window.saved = (window.saved || 0) + 1; },
  };
  document.body.replaceChildren();
  window.remove = render({ model: window.model, el: document.body });
}"""
STATE = "['row', 'literals', 'prediction'].map((name) => window.model.get(name))"


def opened_widget(tab: Opened, path: Path, widget: Any) -> Opened:
    path.write_text("<!doctype html><title>a notebook</title><body></body>", encoding="utf-8")
    opened = tab.visit(path.as_uri())
    code = base64.b64encode(template_text("widget.js").encode()).decode()
    traits = {name: getattr(widget, name) for name in ("page", "height", "row", "literals")}
    opened.page.evaluate(NOTEBOOK, [code, traits])
    opened.page.wait_for_function("() => window.saved > 0")
    return opened


def test_the_row_and_the_size_are_the_same_on_the_page_and_in_python(
    tab: Opened, tmp_path: Path
) -> None:
    known, (X, y) = frontier(), patients()
    rules = known[1].rules
    widget = render(summarize(rules, X, y, frontier=known)).widget()
    assert widget.literals == rules.size
    opened = opened_widget(tab, tmp_path / "notebook.html", widget)
    page, frame = opened.page, opened.page.frames[1]
    row, literals, prediction = page.evaluate(STATE)
    assert (literals, [prediction]) == (rules.size, rules.predict([row]).tolist())
    # A control is moved.
    frame.evaluate(SET_ALL, [[["c0", "61"], ["u1", True]]])
    page.wait_for_function("() => window.model.get('row').age === 61")
    row, _, prediction = page.evaluate(STATE)
    assert row["glucose"] is None
    assert [prediction] == rules.predict([row]).tolist()
    # Python sets a row and a size; what it leaves out stays.
    page.evaluate("window.model.set('row', { age: 22, glucose: 90, nonsense: 'x' })")
    page.evaluate(f"window.model.set('literals', {known[2].rules.size})")
    page.wait_for_function(
        "size => window.model.get('row').nonsense === undefined"
        " && window.model.get('literals') === size",
        arg=known[2].rules.size,
    )
    row, literals, prediction = page.evaluate(STATE)
    assert (row["age"], row["glucose"], literals) == (22, 90, known[2].rules.size)
    assert [prediction] == known[2].rules.predict([row]).tolist()
    assert frame.inner_text("#result") == f"Predicted: {prediction}"
    # Nothing is heard once the widget is gone.
    page.evaluate("() => { window.saved = 0; window.remove(); }")
    frame.evaluate(SET_ALL, [[["c0", "30"]]])
    assert page.evaluate("new Promise((done) => setTimeout(() => done(window.saved), 50))") == 0
    assert opened.problems == []


@pytest.mark.parametrize(("task", "crisp"), [KINDS[1], KINDS[5]])
def test_rows_of_any_column_can_be_set_whatever_they_are_called(
    tab: Opened, tmp_path: Path, task: str, crisp: bool
) -> None:
    rules, matrix, y = model_of(task, crisp, hostile=True)
    widget = render(summarize(rules, matrix, y, coded=True)).widget()
    opened = opened_widget(tab, tmp_path / "notebook.html", widget)
    page = opened.page
    records = list(decode_matrix(rules, matrix[:20]).records())
    expected = rules.predict(matrix[:20], coded=True).tolist()
    words = dict(zip(rules.labels, labels_in_words(rules.labels), strict=True))
    for record, wanted in zip(records, expected, strict=True):
        plain = {name: None if v != v else v for name, v in record.items()}
        page.evaluate("(row) => { window.saved = 0; window.model.set('row', row); }", plain)
        page.wait_for_function("() => window.saved > 0")
        found = page.evaluate(STATE)[2]
        if task == "number":
            np.testing.assert_allclose(found, wanted, rtol=1e-9)
        else:
            assert found == words[wanted]
    assert opened.problems == []


def test_a_page_in_a_file_tells_nothing_and_without_the_extra_the_error_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known, (X, y) = frontier(), patients()
    page = render(summarize(known[1].rules, X, y))
    assert "postMessage" not in page
    assert "postMessage" in page.widget().page
    monkeypatch.setattr("crisplogic.report.page.find_spec", lambda _: None)
    with pytest.raises(ReportError, match=r"crisplogic\[widget\]"):
        page.widget()
