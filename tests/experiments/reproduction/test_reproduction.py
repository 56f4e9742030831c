"""A small version of everything, from the command line to the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from experiments.reproduction.__main__ import main, stored_documents
from experiments.reproduction.page import PARTS
from experiments.reproduction.scale import Scale

TABLE = "breast-cancer-wisconsin"
LEFT_OUT = ("expressions", "choices")


pytestmark = pytest.mark.slow  # it measures all parts, briefly


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The quick version on one table, without the parts that take longest."""
    folder = tmp_path_factory.mktemp("results")
    parts = [name for name in PARTS if name not in LEFT_OUT]
    arguments = ["--quick", "--tables", TABLE, "--workers", "1", "--device", "cpu"]
    assert main([*arguments, "--only", *parts, "--output", str(folder)]) == 0
    return folder


@pytest.fixture
def page(results: Path) -> str:
    return (results / "reproduction" / "reproduction.md").read_text(encoding="utf-8")


def test_the_page_has_a_section_for_every_part_and_says_what_is_missing(page: str) -> None:
    heads = [line for line in page.splitlines() if line.startswith("## ")]
    assert len(heads) == len(PARTS) + 2
    assert "## expressions\n\nNot measured yet" in page
    assert "## choices\n\nNot measured yet" in page
    assert "A trial run" in page


def test_every_picture_of_the_page_is_there(results: Path, page: str) -> None:
    pictures = re.findall(r"\]\((figures/[^)]+)\)", page)
    assert len(pictures) >= 4
    for picture in pictures:
        file = results / "reproduction" / picture
        assert file.read_bytes().startswith(b"\x89PNG"), picture


def test_every_figure_has_its_command_seed_versions_and_date(results: Path) -> None:
    scale = Scale(quick=True, device="cpu", tables=(TABLE,))
    for name, part in PARTS.items():
        documents = stored_documents(part, scale, results)
        assert (documents is None) == (name in LEFT_OUT)
        for document in documents or []:
            assert {"command", "seed", "versions", "date", "figures"} <= set(document), name


def test_a_second_run_measures_nothing(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--quick", "--tables", TABLE, "--device", "cpu", "--only", "table-two"]
    assert main([*arguments, "--output", str(results)]) == 0
    assert "table-two 1 of" not in capsys.readouterr().err
