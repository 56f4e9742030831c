"""What the tests of the command line start from."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from crisplogic.cli import main
from tests.cli.running import (
    TABLE,
    Ran,
    Run,
    rule_set,
    write_rows,
)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Call :func:`main` in this process, errors and exit codes included."""

    def call(*arguments: str | Path) -> Ran:
        monkeypatch.setattr(sys, "argv", ["crisplogic", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            main()
        captured = capsys.readouterr()
        code = exit_.value.code or 0
        assert isinstance(code, int)
        return Ran(code, captured.out, captured.err)

    return call


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "rules.json"
    rule_set().save(path)
    return path


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "new.csv")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    return path
