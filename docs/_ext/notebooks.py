"""Notebooks as pages, with the outputs that are stored in them.

Nothing is executed: ``tools/run_notebooks.py`` does that, and tests run them, too. A notebook
becomes Markdown, which the parser of all other pages reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from docutils.nodes import document
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx


def to_markdown(text: str) -> str:
    """A notebook as Markdown."""
    return "\n\n".join(_parts(json.loads(text)))


def _parts(notebook: dict[str, Any]) -> Iterator[str]:
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            yield source
            continue
        yield _fenced("python", source)
        for output in cell["outputs"]:
            yield _shown(output)


def _shown(output: dict[str, Any]) -> str:
    """An output in the best form that a page can show."""
    if output["output_type"] == "stream":
        return _fenced("text", "".join(output["text"]))
    data = output["data"]
    if "image/png" in data:
        picture = "".join(data["image/png"]).replace("\n", "")
        image = f'<img alt="" style="max-width: 100%" src="data:image/png;base64,{picture}">'
        return _fenced("{raw} html", image)
    if "text/html" in data:
        inside = "".join(data["text/html"])
        return _fenced("{raw} html", f'<div class="notebook-output">{inside}</div>')
    return _fenced("text", "".join(data["text/plain"]))


def _fenced(language: str, text: str) -> str:
    """A block of code, whatever backticks it has."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


class NotebookParser(MystParser):
    """Reads notebooks."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: document) -> None:
        """Read a notebook as Markdown."""
        super().parse(to_markdown(inputstring), document)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
