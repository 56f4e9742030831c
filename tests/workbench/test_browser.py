"""The workbench as a process, in a browser: edits are made, undone, saved and loaded."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from crisplogic.cli import edit
from crisplogic.io import Layout
from crisplogic.rules import RuleSet
from crisplogic.workbench import Bench, Session
from tests.browsing import Opened, check_accessible
from tests.platforms import posix
from tests.report.test_page import MARKUP
from tests.workbench.models import bench, classes

pytestmark = posix
RED, BLUE = MARKUP[0], MARKUP[1]


def write_table(path: Path, names: dict[str, str]) -> None:
    """The rows of the bench as a file, with some names replaced."""
    known = bench()
    words = [names.get(word, word) for word in ("red", "blue", "green")]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            [names.get(name, name) for name in (*known.rules.features, "diagnosis")]
        )
        for row, label in zip(known.rows.matrix.tolist(), known.rows.y.tolist(), strict=True):
            cells: list[Any] = ["" if value != value else value for value in row]
            cells[2] = "" if cells[2] == "" else words[int(cells[2])]
            cells[3] = "" if cells[3] == "" else ("no", "yes")[int(cells[3])]
            writer.writerow([*cells, label])


@contextmanager
def started(folder: Path, *options: str) -> Iterator[str]:
    """The address of a workbench that runs."""
    program = [sys.executable, "-m", "crisplogic", "edit", *options, "--author", "Ada"]
    with subprocess.Popen(
        program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline().strip()
            assert line.startswith("http://127.0.0.1:"), process.communicate()[1]
            yield line
        finally:
            process.terminate()
            assert process.wait(30) in (0, -15)


@contextmanager
def served(known: Bench) -> Iterator[str]:
    """The address of a workbench in this process, which is there sooner."""
    server = pytest.importorskip("crisplogic.workbench.server")
    listener = server.listen(0)
    workbench = server.make_workbench(known, Path(), "edited.json", "Ada")
    serving = server.make_server(workbench, listener)
    thread = Thread(target=serving.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield server.address_of(listener, workbench)
    finally:
        serving.should_exit = True
        thread.join(30)
        assert not thread.is_alive()


def wait_for_version(page: Any, count: int) -> None:
    page.wait_for_function(
        "(count) => document.readyState === 'complete'"
        " && document.querySelectorAll('#version option').length === count",
        arg=count,
    )


def test_edits_are_made_undone_saved_and_loaded(tab: Opened, tmp_path: Path) -> None:
    classes().save(tmp_path / "rules.json")
    write_table(tmp_path / "rows.csv", {})
    with started(tmp_path, "rules.json", "--data", "rows.csv") as address:
        opened = tab.visit(address, 390)
        page = opened.page
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.get_by_label("age>40", exact=True).fill("45")
        page.keyboard.press("Enter")
        wait_for_version(page, 2)
        assert page.get_by_label("age>45", exact=True).input_value() == "45"
        assert "predicted differently" in page.inner_text("#costs")
        assert page.inner_text("#changed").split()[0] != "0"
        # The rules below have changed as well, and still predict.
        assert "age is above 45" in page.inner_text("#rules")
        assert "needed for ill" in page.inner_text("#why")
        page.fill("#add-text", "smoker & glucos>90")
        page.get_by_role("button", name="Add").click()
        page.get_by_role("alert").wait_for()
        assert "did you mean" in page.inner_text("#problem")
        page.fill("#add-text", "smoker & glucose>90")
        page.get_by_role("button", name="Add").click()
        wait_for_version(page, 3)
        page.fill("#needed", "3")
        page.keyboard.press("Enter")
        wait_for_version(page, 4)
        page.click("#refit")
        wait_for_version(page, 5)
        page.click("#undo")
        page.wait_for_function("() => document.getElementById('version').value === '3'")
        check_accessible(page)
        page.fill("#save-why", "for a test")
        page.get_by_role("button", name="Save").click()
        page.get_by_role("status").get_by_text("Saved to").wait_for()
        inside = address.partition("?")[0]
        assert all(url.startswith(inside) for url in opened.requests)
        assert [each for each in opened.problems if "422" not in each] == []
    saved = RuleSet.load(tmp_path / "rules-edited.json")
    assert [note.what for note in saved.history] == [
        "moved age>40 to 45",
        "added smoker & glucose>90 to the rule of ill",
        "3 statements are needed",
        "for a test",
    ]
    assert {note.who for note in saved.history} == {"Ada"}
    wanted = classes().with_threshold("age", 45).with_term("ill", "smoker & glucose>90")
    assert saved == wanted.with_intercept("ill", -1.5)


def test_rules_are_written_from_nothing_whatever_columns_are_called(
    tab: Opened, tmp_path: Path
) -> None:
    names = {
        "age": RED,
        "colour": BLUE,
        "red": MARKUP[3],
        "glucose": "glucose",
        "blue": MARKUP[6],
    }
    write_table(tmp_path / "rows.csv", names)
    rules, rows = edit._begin(tmp_path / "rows.csv", "diagnosis", Layout(), 0.3)
    with served(Bench(Session.start(rules), rows)) as address:
        opened = tab.visit(address, 1400, dark=True)
        page = opened.page
        for count, text in enumerate(("glucose>140", f'"{RED}">45'), start=2):
            page.fill("#add-text", text)
            page.get_by_role("button", name="Add").click()
            wait_for_version(page, count)
        assert page.locator("#workbench img").count() == 0
        assert "any of these 2 statements holds" in page.inner_text("#rules")
        page.get_by_role("button", name="Drop glucose>140").click()
        wait_for_version(page, 4)
        check_accessible(page, ["color-contrast", "target-size"])
        # Another page knows the address, but not the token, and may not ask.
        other = page.context.browser.new_page()
        other.goto("data:text/html,elsewhere")
        asked = "(url) => fetch(url, { method: 'POST', body: '{}' }).then(() => 1, () => 0)"
        assert other.evaluate(asked, f"{address.partition('?')[0]}undo") == 0
        other.close()
        page.reload()
        assert page.locator("#version").input_value() == "3"
        opened.check(address.partition("?")[0])
