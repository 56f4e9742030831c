"""The documentation site builds without a warning: no broken link, no bad reference."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the extra docs is not installed")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
NOT_COPIED = shutil.ignore_patterns(".*", "api", "gallery", "build", "dist", "__pycache__")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly from a copy. Examples are run by tests of their own."""
    root = tmp_path_factory.mktemp("site") / "repository"
    shutil.copytree(ROOT, root, ignore=NOT_COPIED)
    strictly = ["--fail-on-warning", "--keep-going", "--nitpicky", "-D", "plot_gallery=0"]
    program = [sys.executable, "-m", "sphinx", "--quiet", *strictly, "docs", "built"]
    done = subprocess.run(program, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return root / "built"


def test_every_page_and_example_is_there(site: Path) -> None:
    pages = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    pages = [page for page in pages if not page.parts[0].startswith("_")]
    assert len(pages) > 20
    for page in pages:
        assert (site / page.with_suffix(".html")).exists(), page
    for example in (ROOT / "examples").glob("*.py"):
        assert (site / "gallery" / f"{example.stem}.html").exists(), example


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    loads = re.compile(
        r"""<(?:script|img|iframe)[^>]+src=["']?https?:|<link[^>]+stylesheet[^>]+https?:"""
    )
    pages = list(site.rglob("*.html"))
    assert pages
    assert not [page for page in pages if loads.search(page.read_text(encoding="utf-8"))]
