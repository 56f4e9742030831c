"""What is drawn on the terminal, and where commands can write."""

from __future__ import annotations

import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from crisplogic.expr import parse
from crisplogic.rules import Membership, RegressionRules, Rule
from tests.cli.running import TABLE, Ran, Run, assert_refused, rule_set
from tests.platforms import linux, not_root, posix

# --- where to write ---------------------------------------------------------------------------


@pytest.mark.usefixtures("never_trains")
def test_fit_finds_out_before_training_that_it_cannot_write(run: Run, table: Path) -> None:
    folder = table.parent
    for out, expected in (
        (folder, "this is a folder"),
        (folder / "nosuch" / "rules.json", "does not exist"),
        (table / "rules.json", "does not exist"),
    ):
        assert_refused(run("fit", table, "--target", "ill", "--out", out), expected)
    assert list(folder.iterdir()) == [table]


@pytest.mark.usefixtures("never_trains")
@not_root
def test_a_read_only_folder_is_found_out_before_training(run: Run, table: Path) -> None:
    folder = table.parent / "locked"
    folder.mkdir(mode=0o555)
    out = folder / "rules.json"
    assert_refused(run("fit", table, "--target", "ill", "--out", out), "cannot be written to")


@posix
@pytest.mark.usefixtures("never_trains")
def test_fit_never_overwrites_its_own_table(run: Run, table: Path) -> None:
    link = table.with_name("link.csv")
    link.symlink_to(table)
    for out in (table, link):
        assert_refused(run("fit", table, "--target", "ill", "--out", out), "overwrite")
    assert table.read_text(encoding="utf-8") == TABLE


def test_predict_never_overwrites_what_it_reads(run: Run, model: Path, rows: Path) -> None:
    for out in (model, rows):
        before = out.read_bytes()
        assert_refused(run("predict", model, rows, "--out", out), "overwrite", str(out))
        assert out.read_bytes() == before


def test_predict_names_the_place_it_cannot_write_to(
    run: Run, model: Path, rows: Path, tmp_path: Path
) -> None:
    for out in (tmp_path, tmp_path / "nosuch" / "predictions.csv"):
        ran = run("predict", model, rows, "--out", out)
        assert_refused(ran, f"error: {out if out.is_dir() else out.parent}: ")


@posix
def test_a_pipe_is_written_to_and_not_replaced(
    run: Run, model: Path, rows: Path, tmp_path: Path
) -> None:
    # The same holds for devices: replacing /dev/null by a file would break the machine.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    ran = run("predict", model, rows, "--out", pipe)
    reader.join(timeout=10)
    assert ran.code == 0
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert read == [run("predict", model, rows).out]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@pytest.mark.parametrize("option", ["--proba", "--json"])
def test_a_full_disk_is_named(run: Run, model: Path, rows: Path, option: str) -> None:
    ran = run("predict", model, rows, "--out", "/dev/full", option)
    assert_refused(ran, "error: /dev/full: No space left on device\n")


@linux
@pytest.mark.parametrize("unreadable", ["table", "model"])
def test_a_file_that_cannot_be_read_is_named(
    run: Run, model: Path, rows: Path, unreadable: str
) -> None:
    broken = "/proc/self/mem"  # opens, but nothing can be read
    inputs = (model, broken) if unreadable == "table" else (broken, rows)
    out = rows.with_name("predictions.csv")
    assert_refused(run("predict", *inputs, "--out", out), f"error: {broken}: Input/output")
    assert not out.exists()


# --- long rules -------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", ["20", "40", "80", "200"])
def test_breaking_long_rules_changes_nothing_but_white_space(
    run: Run, model: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    _, body, _, _ = run("rules", model).out.split("\n\n")
    unbroken = body.replace("\n    ", " ")
    assert [" ".join(line.split()) for line in unbroken.splitlines()] == [
        " ".join(line.split()) for line in rule_set().to_text().splitlines()
    ]
    for line in body.splitlines():
        assert line.count('"') % 2 == line.count('\\"') % 2  # no name is torn apart


@pytest.mark.parametrize("columns", ["20", "70", "200"])
def test_long_sums_are_broken_between_their_terms(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    names = tuple(f'column + ("{number}"' for number in range(9))
    terms = parse("(0 & (1 + 2)) + 3 + ~(4 | 5) + 6 + (7 ^ 8)")
    memberships = tuple(Membership(number, 0.0, 9.0) for number in range(9))
    rule = Rule("a price", terms)
    rules = RegressionRules(names, memberships, (rule,), 2.5, (1e6,))
    rules.save(tmp_path / "rules.json")
    _, body, _, _ = run("rules", tmp_path / "rules.json").out.split("\n\n")
    assert " ".join(body.split()) == " ".join(rules.to_text().split())
    first, *others = body.splitlines()
    assert len(others) > 0
    for line in others:
        assert line.startswith("            + ")  # a term, not a part of one
    for line in (first, *others):
        assert line.count('"') % 2 == line.count('\\"') % 2  # no name is torn apart


# --- progress ---------------------------------------------------------------------------------


def predict_slowly(
    run: Run, model: Path, rows: Path, monkeypatch: pytest.MonkeyPatch, *options: str
) -> Ran:
    """Predict as if it took more than a second, while standard error is a terminal."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("crisplogic.cli.output.DELAY", -1.0)
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
