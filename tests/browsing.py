"""Pages in a real browser: what they say and ask for, and whether everyone can use them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from shutil import which
from typing import Any

import pytest

BROWSER = os.environ.get("CHROMIUM") or which("chromium") or which("google-chrome")
# Standards of accessibility that a page has to meet.
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests of a file: while it is open, no other event loop can run."""
    sync_api: Any = pytest.importorskip("playwright.sync_api")
    if BROWSER is None:
        pytest.skip("needs chromium")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def tab(browser: Any) -> Iterator[Opened]:
    """One page for all tests of a file, one after the other: a new one takes a second."""
    opened = Opened(browser)
    yield opened
    opened.page.close()


class Opened:
    """A page, and what it said and asked for."""

    def __init__(self, browser: Any) -> None:
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.page = browser.new_page(reduced_motion="reduce")
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("dialog", lambda dialog: self.problems.append("a dialog opened"))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def visit(self, address: str, width: int = 1400, dark: bool = False) -> Opened:
        """Go to an address, with a window of some width, and forget what was before."""
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(color_scheme="dark" if dark else "light", media="screen")
        self.page.goto("about:blank")
        self.problems.clear()
        self.requests.clear()
        self.page.goto(address)
        return self

    def check(self, inside: str = "file:") -> None:
        """Nothing went wrong, and no request left for elsewhere; of a file there is one."""
        assert self.problems == []
        assert all(url.startswith(inside) for url in self.requests)
        assert inside != "file:" or len(self.requests) == 1


@cache
def axe() -> str:
    """The program that checks accessibility: $AXE, or what npm installed for all users."""
    if given := os.environ.get("AXE"):
        return Path(given).read_text(encoding="utf-8")
    npm = which("npm")
    if npm is None:
        pytest.skip("needs npm's axe-core")
    done = subprocess.run([npm, "root", "--global"], capture_output=True, text=True, check=True)
    path = Path(done.stdout.strip()) / "axe-core" / "axe.min.js"
    if not path.exists():
        pytest.skip("axe-core is not installed (npm install --global axe-core)")
    return path.read_text(encoding="utf-8")


def check_accessible(page: Any, rules: list[str] | None = None) -> None:
    """No standard is violated, by what a program can find, or none of some rules."""
    # Evaluated, not added as a script: the policy of the page would forbid that.
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(axe())
    found = page.evaluate("(some) => axe.run(document, { runOnly: some })", rules or STANDARDS)
    problems = [
        f"{each['id']}: {node['html']}"
        for each in found["violations"]
        for node in each["nodes"]
    ]
    assert not problems, "\n".join(problems)
    assert len(found["passes"]) > (0 if rules else 10)
