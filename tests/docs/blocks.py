"""Pages, their blocks of code, and the output that they show."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent.parent
BUILT = ("api", "gallery")  # folders that the build of the site writes
BLOCK = re.compile(
    r"(?P<learned><!-- learned -->\n\n)?^```(?P<language>\w+)\n(?P<code>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


class Block(NamedTuple):
    """A fenced block, and whether it shows something that was learned."""

    language: str
    code: str
    learned: bool


def pages() -> list[Path]:
    """The README and all pages that are written by hand."""
    docs = ROOT / "docs"
    written = sorted(docs.rglob("*.md"))
    return [
        ROOT / "README.md",
        *(page for page in written if page.relative_to(docs).parts[0] not in BUILT),
    ]


def blocks_of(page: Path) -> list[Block]:
    found = BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [Block(each["language"], each["code"], bool(each["learned"])) for each in found]


def pages_with(language: str, text: str = "") -> list[str]:
    """The pages that have such a block, by their paths from the root."""
    return [
        page.relative_to(ROOT).as_posix()
        for page in pages()
        if any(block.language == language and text in block.code for block in blocks_of(page))
    ]


def trimmed(text: str) -> list[str]:
    """Lines without blanks at their ends and without empty lines around them."""
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def shape(text: str) -> set[str]:
    """What learned output has in common on all machines.

    A rule is its label, a number is 0, and lines that are then alike are one.
    """
    lines = (re.sub(r" +<- chosen$", "", line) for line in trimmed(text))
    lines = (re.sub(r" = .*", " =", line) for line in lines)
    lines = (re.sub(r"\d+(\.\d+)?", "0", line) for line in lines)
    return {" ".join(line.split()) for line in lines}
