"""The command line as a real process on a real terminal."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from crisplogic.rules import RuleSet
from tests.cli.running import Ran, Run, command, run_apart, write_rows
from tests.platforms import posix

# --- the terminal -----------------------------------------------------------------------------


def fit_on_a_terminal(
    run: Run, table: Path, monkeypatch: pytest.MonkeyPatch, *options: str
) -> Ran:
    """Fit while standard error passes for a terminal."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return run("fit", table, "--target", "ill", "--epochs", "2", *options)


def test_on_a_terminal_progress_shows_the_loss_and_the_time_left(
    run: Run, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = fit_on_a_terminal(run, table, monkeypatch)
    assert "step 3/3  loss 0." in ran.err  # two epochs, and one path
    assert "time left" in ran.err
    assert "epoch" not in ran.out


def test_no_color_leaves_color_out_of_the_progress_bar(
    run: Run, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[3" in fit_on_a_terminal(run, table, monkeypatch).err
    monkeypatch.setenv("NO_COLOR", "1")
    ran = fit_on_a_terminal(run, table, monkeypatch)
    assert "loss 0." in ran.err
    assert "\x1b[3" not in ran.err


def test_quiet_shows_no_progress(
    run: Run, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fit_on_a_terminal(run, table, monkeypatch, "--quiet").err == ""


def test_without_a_terminal_there_is_no_progress(run: Run, table: Path) -> None:
    assert run("fit", table, "--target", "ill", "--epochs", "2").err == ""


# --- real processes ---------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_where_the_symbols_cannot_be_shown_rules_are_in_ascii(
    model: Path, encoding: str
) -> None:
    ran = run_apart("rules", model, PYTHONIOENCODING=encoding)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b'e ^ "\\"; DROP TABLE"' in ran.stdout
    assert b"~(" in ran.stdout


def test_the_c_locale_prints_rules_too(model: Path) -> None:
    for utf8_mode in ("0", "1"):
        ran = run_apart(
            "rules", model, LC_ALL="C", PYTHONUTF8=utf8_mode, PYTHONCOERCECLOCALE="0"
        )
        assert (ran.returncode, ran.stderr) == (0, b"")


def test_errors_reach_standard_error_and_the_exit_code(tmp_path: Path) -> None:
    path = tmp_path / "größe.csv"
    ran = run_apart("fit", path, "--target", "x", PYTHONIOENCODING="ascii")
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.startswith(b"error: ")
    assert b"Traceback" not in ran.stderr


@posix
@pytest.mark.parametrize("name", ["predict", "rules"])
def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path, model: Path, name: str) -> None:
    table = write_rows(tmp_path / "many.csv", rows=20_000)
    arguments = (model, table) if name == "predict" else (model,)
    with subprocess.Popen(
        command(name, *arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        if name == "predict":
            assert process.stdout.readline().startswith(b"prediction")
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()
        assert process.wait() in (0, 1)  # 0 if all was written before the reader left


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@pytest.mark.parametrize("name", ["predict", "rules"])
def test_a_full_disk_behind_standard_output_is_an_error(
    model: Path, rows: Path, name: str
) -> None:
    arguments = (model, rows) if name == "predict" else (model,)
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            command(name, *arguments), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert ran.returncode == 2
    assert ran.stderr == b"error: standard output: No space left on device\n"


@posix
def test_rules_are_saved_even_if_nobody_reads_what_is_printed(table: Path) -> None:
    out = table.with_name("rules.json")
    options = ("--target", "ill", "--epochs", "1", "--out", out)
    with subprocess.Popen(
        command("fit", table, *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()
    assert RuleSet.load(out).labels == ("no", "yes")


LOADED = """
import sys
from crisplogic.cli import main
try:
    main()
finally:
    heavy = {"torch", "sklearn", "pandas", "pyarrow"} & set(sys.modules)
    print("loaded:", *sorted(heavy), file=sys.stderr)
"""


@pytest.mark.parametrize("name", ["predict", "rules", "--help"])
def test_no_torch_is_loaded_where_nothing_is_learned(
    model: Path, rows: Path, name: str
) -> None:
    arguments = {"predict": [model, rows], "rules": [model], "--help": []}[name]
    ran = subprocess.run(
        [sys.executable, "-c", LOADED, name, *map(str, arguments)],
        capture_output=True,
        check=True,
    )
    assert ran.stderr.split() == [b"loaded:"]


def _all_of(terminal: int) -> bytes:
    """What is left to read; a terminal whose other side is closed ends in an error."""
    seen = b""
    with suppress(OSError):
        while chunk := os.read(terminal, 65536):
            seen += chunk
    return seen


def test_control_c_while_training_writes_nothing_and_exits_with_130(table: Path) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    options = ("--target", "ill", "--epochs", "1000000", "--out", table.with_name("out.json"))
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        command("fit", table, *options), stdout=subprocess.PIPE, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        seen = b""
        while not re.search(rb"loss \d", seen):  # training, and the bar shows it
            seen += os.read(ours, 4096)  # fails at the end, should there be no bar
        process.send_signal(signal.SIGINT)
        try:
            printed, _ = process.communicate(timeout=30)
        finally:
            process.kill()  # where the tests run in the background the signal is ignored
    rest = _all_of(ours)
    os.close(ours)
    assert process.returncode == 130
    assert printed == b""
    assert b"interrupted" in rest
    assert list(table.parent.iterdir()) == [table]
