"""What the commands read and write, whoever made it and wherever it is."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path

import pytest

from crisplogic.estimators import LogicClassifier
from tests.cli.running import (
    TABLE,
    Run,
    assert_refused,
)
from tests.platforms import not_root, posix

# --- where to write ---------------------------------------------------------------------------


@pytest.fixture
def never_trains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make sure that an error comes before the training, not after it."""

    def fit(*_: object) -> None:
        pytest.fail("trained, although the result cannot be written")

    monkeypatch.setattr(LogicClassifier, "fit", fit)


@pytest.mark.usefixtures("never_trains")
def test_fit_finds_out_before_training_that_it_cannot_write(run: Run, table: Path) -> None:
    folder = table.parent
    for out, said in (
        (folder, "this is a folder"),
        (folder / "nosuch" / "rules.json", "does not exist"),
        (table / "rules.json", "does not exist"),
    ):
        assert_refused(run("fit", table, "--target", "ill", "--out", out), said)
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


# --- rule files from strangers ----------------------------------------------------------------


@pytest.mark.parametrize("name", ["rules", "predict"])
def test_a_rule_file_cut_short_is_refused(run: Run, model: Path, rows: Path, name: str) -> None:
    text = model.read_text(encoding="utf-8")
    inputs = (model, rows) if name == "predict" else (model,)
    for length in range(0, len(text) - 2, 23):
        model.write_text(text[:length], encoding="utf-8")
        assert_refused(run(name, *inputs), str(model), "no crisplogic rule file")


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe\x00",
        b"[]",
        b"null",
        b"{}",
        b"[" * 100_000,
        b'{"format": "crisplogic.rules", "version": 99}',
        TABLE.encode(),
    ],
    ids=["binary", "list", "null", "empty", "deep", "newer", "table"],
)
def test_what_is_no_rule_file_is_refused(run: Run, model: Path, content: bytes) -> None:
    model.write_bytes(content)
    assert_refused(run("rules", model), str(model), "no crisplogic rule file")


def test_no_rule_file_and_a_folder_are_refused_by_name(
    run: Run, rows: Path, tmp_path: Path
) -> None:
    for path in (tmp_path / "nosuch.json", tmp_path):
        for arguments in (("rules", path), ("predict", path, rows)):
            assert_refused(run(*arguments), str(path))


@pytest.mark.parametrize("value", [None, [], {}, "text", -1, 1e999, True, 10**400])
def test_no_value_in_a_rule_file_gives_a_traceback(
    run: Run, model: Path, rows: Path, value: object
) -> None:
    document = json.loads(model.read_text(encoding="utf-8"))
    for key in document:
        model.write_text(json.dumps({**document, key: value}), encoding="utf-8")
        ran = run("predict", model, rows)
        assert ran.code in (0, 2)
        assert (ran.code == 2) == ran.err.startswith("error: ")


def test_control_characters_in_names_do_not_reach_the_terminal(run: Run, model: Path) -> None:
    document = json.loads(model.read_text(encoding="utf-8"))
    document["features"][0] = "\x1b[31mred\r\n"
    model.write_text(json.dumps(document), encoding="utf-8")
    printed = run("rules", model).out
    assert "\\u001b[31mred" in printed
    assert not {"\x1b", "\r"} & set(printed)
