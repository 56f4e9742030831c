"""The README is short, and names the two commands."""

from __future__ import annotations

import re

from tests.docs.blocks import ROOT, blocks_of

README = ROOT / "README.md"


def test_it_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").split()) <= 800


def test_it_names_the_two_commands() -> None:
    code = "\n".join(block.code for block in blocks_of(README) if block.language == "sh")
    assert re.findall(r"^make (\S+)", code, re.MULTILINE) == ["demo", "test"]


def test_its_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert links
    assert all((README.parent / link).exists() for link in links)
