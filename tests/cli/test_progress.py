"""Progress and time left, for whatever takes longer than a second."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.running import Ran, Run


def predict_slowly(
    run: Run, model: Path, rows: Path, monkeypatch: pytest.MonkeyPatch, *options: str
) -> Ran:
    """Predict as if it took more than a second, while standard error is a terminal."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("crisplogic.cli.progress.PATIENCE", -1.0)
    monkeypatch.setattr("crisplogic.io.text.CHUNK_ROWS", 10)
    return run("predict", model, rows, "--out", rows.with_name("out.csv"), *options)


def test_long_predictions_show_how_far_they_are(
    run: Run, model: Path, rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = predict_slowly(run, model, rows, monkeypatch)
    for words in ("predicting new.csv", "100%", "time left"):
        assert words in ran.err
    assert ran.out == f"wrote 30 predictions to {rows.with_name('out.csv')}\n"


@pytest.mark.parametrize("option", ["--quiet", "--json"])
def test_for_scripts_there_is_no_progress(
    run: Run, model: Path, rows: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    assert predict_slowly(run, model, rows, monkeypatch, option).err == ""


def test_what_is_done_within_a_second_shows_none(
    run: Run, model: Path, rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run("predict", model, rows, "--out", rows.with_name("out.csv")).err == ""


def test_names_of_files_are_no_markup(
    run: Run, model: Path, rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strange = rows.rename(rows.with_name("[red]new.csv"))
    assert "[red]new.csv" in predict_slowly(run, model, strange, monkeypatch).err
