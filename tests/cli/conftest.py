"""What the tests of the command line start from."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from crisplogic.cli import main
from crisplogic.cli.model import save
from tests.cli.running import (
    TABLE,
    Ran,
    Run,
    fit_result,
    learn_quickly,
    rule_set,
    write_houses,
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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model with rules of two sizes."""
    path = tmp_path / "model"
    save(f"{path}{os.sep}", fit_result())
    return path


@pytest.fixture(scope="session")
def houses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_houses(tmp_path_factory.mktemp("houses") / "houses.csv")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    learn_quickly(monkeypatch)


@pytest.fixture
def never_trains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make sure that an error comes before the training, not after it."""
    for name in ("train_networks", "train_networks_by_part"):
        monkeypatch.setattr(
            f"crisplogic.estimators.base.{name}", lambda *_: pytest.fail("it was trained")
        )
