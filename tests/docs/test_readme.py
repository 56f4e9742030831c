"""The README is short, and names the two commands."""

from __future__ import annotations

import re

import pytest

from crisplogic.datasets import load_breast_cancer_wisconsin
from tests.docs.blocks import ROOT, blocks_of
from tests.printed_words import PrintedWords

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


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_its_rules_are_as_good_as_it_says_on_every_machine(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    shown = next(block.code for block in blocks_of(ROOT / page) if "malignant" in block.code)
    rules = PrintedWords(shown.strip())
    data = load_breast_cancer_wisconsin()
    rows = (dict(zip(data.feature_names, row, strict=True)) for row in data.X.tolist())
    right = sum(rules.predict(row) == y for row, y in zip(rows, data.y, strict=True))
    assert f"right about {right} of {len(data.y)} tumours" in " ".join(text.split())
