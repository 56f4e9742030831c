"""The README is executed: its Python in one go, its command lines one after the other."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from crisplogic.datasets import load_breast_cancer_wisconsin

README = Path(__file__).parent.parent / "README.md"


def blocks(language: str) -> list[str]:
    pattern = rf"^```{language}\n(.*?)^```"
    return re.findall(pattern, README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_the_python_blocks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(blocks("python")) == 9
    exec(compile("\n".join(blocks("python")), "README.md", "exec"), {"__name__": "readme"})
    assert (tmp_path / "rules.json").exists()


def test_the_command_lines_run(tmp_path: Path) -> None:
    data = load_breast_cancer_wisconsin()
    frame = data.to_frame().assign(**{data.target_name: data.y})
    for name in ("patients.csv", "new.csv"):
        frame.to_csv(tmp_path / name, index=False)
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    commands = [
        shlex.split(line, comments=True) for line in lines if line.startswith("crisplogic ")
    ]
    named = ["demo", "fit", "evaluate", "predict", "explain", "rules", "frontier"]
    assert [command[1] for command in commands] == named
    quick = {"evaluate": ["--folds", "2", "--repeats", "1", "--epochs", "1"]}
    for _, name, *arguments in commands:
        program = [sys.executable, "-m", "crisplogic", name, *arguments, *quick.get(name, [])]
        subprocess.run(program, cwd=tmp_path, check=True, capture_output=True)
    predictions = (tmp_path / "predictions.csv").read_text(encoding="utf-8").splitlines()
    assert len(predictions) == 1 + len(data.y)


def test_the_make_targets_it_names_exist() -> None:
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    named = re.findall(r"^make (\S+)", "\n".join(blocks("sh")), re.MULTILINE)
    assert named == ["demo", "test"]
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in named)
