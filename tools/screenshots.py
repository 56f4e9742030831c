"""Draw the pictures of the report and of the workbench that stand in the docs.

    python tools/screenshots.py docs/_static

Learns rules of the bundled table of tumours, writes their report, serves their workbench, and
looks at both in Chromium: wide and as a phone does, light and dark. Needs Playwright, Chromium
and Pillow.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import which
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from crisplogic.datasets import load_breast_cancer_wisconsin

BROWSER = os.environ.get("CHROMIUM") or which("chromium")
WIDE, PHONE = (1400, 1000), (390, 844)
# Few colours make small files.
COLOURS = 96
MOST_WIDE = 1100


def run(*arguments: str, cwd: Path) -> None:
    """The command line."""
    subprocess.run([sys.executable, "-m", "crisplogic", *arguments], cwd=cwd, check=True)


def write_table(path: Path) -> None:
    """The bundled table as a file."""
    data = load_breast_cancer_wisconsin()
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*data.feature_names, "diagnosis"])
        for row, label in zip(data.X.tolist(), data.y.tolist(), strict=True):
            writer.writerow(["" if value != value else int(value) for value in row] + [label])


def edit(page: Page) -> None:
    """Some changes, so that there is something to see."""
    threshold = page.locator("form[data-edit=threshold] input").nth(1)
    threshold.fill("6")
    threshold.press("Enter")
    _wait(page, 2)
    page.fill("#add-text", "mitoses>2 & clump_thickness>4")
    page.get_by_role("button", name="Add").click()
    _wait(page, 3)


def _wait(page: Page, versions: int) -> None:
    page.wait_for_function(
        "(count) => document.readyState === 'complete'"
        " && document.querySelectorAll('#version option').length === count",
        arg=versions,
    )


def shoot(browser: Browser, address: str, path: Path, anchor: str) -> None:
    """A wide picture, light and dark, and one of two phones beside each other."""
    phones = []
    for scheme in ("light", "dark"):
        for size in (WIDE, PHONE):
            name = path.with_name(f"{path.name}-{scheme}-{size[0]}.png")
            _shoot(browser, address, name, anchor, size, scheme)
            if size == PHONE:
                phones.append(Image.open(name).convert("RGB"))
                name.unlink()
            else:
                _shrink(Image.open(name).convert("RGB"), name)
    both = Image.new("RGB", (2 * PHONE[0] + 20, PHONE[1]), "#808890")
    for at, phone in enumerate(phones):
        both.paste(phone, (at * (PHONE[0] + 20), 0))
    _shrink(both, path.with_name(f"{path.name}-{PHONE[0]}.png"))


def _shoot(
    browser: Browser, address: str, path: Path, anchor: str, size: Any, scheme: Any
) -> None:
    page = browser.new_page(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,
        reduced_motion="reduce",
    )
    page.goto(address)
    page.get_by_text("The nearest change").wait_for()
    if page.locator("#try-change").is_visible() and not page.locator("#workbench").count():
        page.click("#try-change")
        page.get_by_text("The nearest change").wait_for()
    if page.locator("#changed-rows").count():
        page.click("#workbench summary >> nth=0")
    page.locator(anchor).evaluate("(part) => part.scrollIntoView()")
    page.screenshot(path=path)
    page.close()


def _shrink(image: Image.Image, path: Path) -> None:
    if image.width > MOST_WIDE:
        height = round(image.height * MOST_WIDE / image.width)
        image = image.resize((MOST_WIDE, height), Image.Resampling.LANCZOS)
    image.quantize(COLOURS).save(path, optimize=True)


def main() -> None:
    """Draw all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    out: Path = parser.parse_args().out.resolve()
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        write_table(folder / "tumours.csv")
        run("fit", "tumours.csv", "--target", "diagnosis", "--out", "model/", cwd=folder)
        run("report", "model/", "--data", "tumours.csv", "--target", "diagnosis", cwd=folder)
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        shoot(browser, (folder / "report.html").as_uri(), out / "report", "html")
        arguments = ["edit", "model/", "--data", "tumours.csv", "--author", "Ada"]
        program = [sys.executable, "-m", "crisplogic", *arguments]
        with subprocess.Popen(program, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            try:
                page = browser.new_page()
                page.goto(address)
                edit(page)
                page.close()
                shoot(browser, address, out / "workbench", "#workbench")
            finally:
                server.terminate()
        browser.close()


if __name__ == "__main__":
    main()
