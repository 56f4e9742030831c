"""Every command line of a page runs, on small tables and with few epochs."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from crisplogic.cli import main
from crisplogic.datasets import load_breast_cancer_wisconsin, save_titanic
from tests.cli.running import learn_quickly
from tests.docs.blocks import ROOT, blocks_of, pages_with

QUICK = {"fit": ["--epochs", "1"], "evaluate": ["--epochs", "1", "--folds", "2"]}
ALL_COMMANDS = {
    "fit",
    "evaluate",
    "predict",
    "explain",
    "rules",
    "frontier",
    "report",
    "importance",
    "export",
    "check-export",
    "shape",
}


def commands(page: str) -> list[list[str]]:
    """The arguments of the commands, in order; options that are given twice hold the last."""
    lines = [
        line
        for block in blocks_of(ROOT / page)
        if block.language == "sh"
        for line in block.code.splitlines()
    ]
    return [
        shlex.split(line, comments=True)[1:] for line in lines if line.startswith("crisplogic ")
    ]


def prepare(folder: Path) -> None:
    """Write the tables that pages speak of."""
    save_titanic(folder / "titanic.csv", 150)
    data = load_breast_cancer_wisconsin()
    frame = data.to_frame().assign(**{data.target_name: data.y})
    for name in ("patients.csv", "new.csv"):
        frame.iloc[:120].to_csv(folder / name, index=False)
    (folder / "patients").mkdir()
    for year, rows in ((2023, slice(60)), (2024, slice(60, 120))):
        frame.iloc[rows].to_parquet(folder / "patients" / f"{year}.parquet", index=False)


@pytest.mark.parametrize("page", pages_with("sh", "crisplogic "))
def test_the_commands_of_a_page_run(
    page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    prepare(tmp_path)
    learn_quickly(monkeypatch)
    monkeypatch.chdir(tmp_path)
    for name, *arguments in commands(page):
        monkeypatch.setattr(sys, "argv", ["crisplogic", name, *arguments, *QUICK.get(name, [])])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code, capsys.readouterr().err
        if "--out" in arguments:
            assert Path(arguments[arguments.index("--out") + 1]).exists()


def test_the_page_of_the_command_line_uses_every_command() -> None:
    assert {name for name, *_ in commands("docs/command_line.md")} == ALL_COMMANDS


def test_the_table_of_the_command_line_is_made_as_written() -> None:
    text = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
    assert "from crisplogic.datasets import save_titanic; save_titanic('titanic.csv', " in text


@pytest.mark.parametrize("page", pages_with("sh", "make "))
def test_make_targets_exist(page: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    code = "\n".join(block.code for block in blocks_of(ROOT / page) if block.language == "sh")
    for target in re.findall(r"^make (\S+)", code, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
