"""Links from pages to files of the repository that are no pages.

Pages are also read in the repository, where ``[the table](../experiments/...)`` is a link. On
the site a file that has a page is a link to that page, and any other file is its path. A file
that is not there fails the build.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

ROOT = Path(__file__).parent.parent.parent
LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]+)\]\((?P<path>\.\./[^)#\s]+)\)")
PAGES = {  # files outside docs/ that are shown on the site
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/results/README.md": "results/benchmarks.md",
    "benchmarks/results/gpu.md": "results/gpu.md",
    "examples": "gallery/index.rst",
    "experiments/README.md": "results/index.md",
    "experiments/results/ablation/ablation.md": "results/ablation.md",
    "experiments/results/deep/deep.md": "results/deep.md",
    "experiments/results/other-tables/other-tables.md": "results/other_tables.md",
    "experiments/results/peers/peers.md": "results/peers.md",
    "experiments/results/regression/regression.md": "results/regression.md",
    "experiments/results/rules-table/rules-table.md": "results/rules_table.md",
    "experiments/results/stability/stability.md": "results/stability.md",
}
log = logging.getLogger(__name__)


def rewrite(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace links that lead out of the folder of pages."""
    folder = Path(app.srcdir, page).parent

    def replaced(match: re.Match[str]) -> str:
        target = (folder / match["path"]).resolve()
        if target.is_relative_to(app.srcdir):
            return match[0]
        if not target.exists():
            log.warning("no such file: %s", match["path"], location=page)
        path = target.relative_to(ROOT).as_posix() if target.is_relative_to(ROOT) else "?"
        if page_of := PAGES.get(path) or example_page(path):
            return f"[{match['text']}](/{page_of})"
        text = match["text"].strip("`")
        return f"`{path}`" if text in path else f"{match['text']} (`{path}`)"

    source[0] = LINK.sub(replaced, source[0])


def example_page(path: str) -> str | None:
    """Return the page of the gallery that shows an example."""
    example = re.fullmatch(r"examples/(\w+)\.py", path)
    return f"gallery/{example[1]}.rst" if example else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("source-read", rewrite)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
