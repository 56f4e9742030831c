"""The command line: what it prints, writes and refuses, in one process and as a real one."""

from __future__ import annotations

import csv
import json
import os
import random
import re
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from typer.testing import CliRunner

from crisplogic.cli import app, main
from crisplogic.data import read_table
from crisplogic.estimators import LogicClassifier
from crisplogic.expr import parse
from crisplogic.rules import Membership, Rule, RuleSet

NAMES = ("größe", '"; DROP TABLE', "a + (b", "age")
EXPRESSIONS = {"ja": "(0 ^ 1) + ~(2 | 3) + (0 & 2) + 1", "nein ⊕": "~(0 ^ 1) + ~3"}

TABLE = "age,bmi,ill\n50,31.5,yes\n41,,no\n30,22,no\n66,29,yes\n"


class Ran(NamedTuple):
    """What a run of the command line left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


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


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "crisplogic", *map(str, arguments)]


def run_apart(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The command line in a process of its own; the variables are added to our own."""
    ours = {name: value for name, value in os.environ.items() if name != "PYTHONIOENCODING"}
    return subprocess.run(
        command(*arguments), capture_output=True, check=False, env={**ours, **environment}
    )


def assert_refused(ran: Ran, *said: str) -> None:
    """One line on standard error that says what is wrong, nothing else, exit code 2."""
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1
    for words in said:
        assert words in ran.err


def rule_set() -> RuleSet:
    return RuleSet(
        features=NAMES,
        memberships=tuple(Membership(number, 0.0, 10.0) for number in range(len(NAMES))),
        rules=tuple(Rule(label, parse(text)) for label, text in EXPRESSIONS.items()),
        scale=2.0,
    )


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "rules.json"
    rule_set().save(path)
    return path


def write_rows(path: Path, names: tuple[str, ...] = NAMES, rows: int = 30) -> Path:
    """A table whose cells depend on the column's name and the row, not on the order."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for row in range(rows):
            writer.writerow(
                "" if row % 7 == 3 else random.Random(f"{name} {row}").randrange(11)
                for name in names
            )
    return path


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "new.csv")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    return path


# --- finding the way --------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [[], ["--help"]], ids=["nothing", "help"])
def test_help_names_every_command_and_where_to_start(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    for words in ("demo", "fit", "predict", "rules", "Start with: crisplogic demo"):
        assert words in result.stdout


@pytest.mark.parametrize("name", ["demo", "fit", "predict", "rules"])
def test_every_command_has_help_with_an_example_in_plain_ascii(name: str) -> None:
    result = CliRunner().invoke(app, [name, "--help"])
    assert result.exit_code == 0
    assert f"    crisplogic {name}" in result.stdout
    assert result.stdout.isascii()


def test_the_version_is_that_of_the_package() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (
        0,
        f"crisplogic {metadata.version('crisplogic')}\n",
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nosuch"], "'nosuch'"),
        (["--nope"], "--nope"),
        (["fit"], "Missing argument"),
        (["fit", "people.csv"], "'--target'"),
        (["fit", "people.csv", "--target", "ill", "more"], "more"),
        (["fit", "people.csv", "--target", "ill", "--depth", "0"], "'--depth'"),
        (["fit", "people.csv", "--target", "ill", "--width", "9" * 20], "'--width'"),
        (["fit", "people.csv", "--target", "ill", "--epochs", "many"], "'--epochs'"),
        (["fit", "people.csv", "--target", "ill", "--epochs", "1.5"], "'--epochs'"),
        (["fit", "people.csv", "--target", "ill", "--term-price", "-1"], "'--term-price'"),
        (["fit", "people.csv", "--target", "ill", "--seed", "-1"], "'--seed'"),
        (["fit", "people.csv", "--target", "ill", "--seed", str(2**32)], "'--seed'"),
        (["predict", "rules.json"], "Missing argument"),
        (["rules", "rules.json", "--asci"], "--ascii"),
    ],
    ids=str,
)
def test_wrong_usage_is_one_error_that_says_where_help_is(
    run: Run, arguments: list[str], said: str
) -> None:
    group = (
        "crisplogic" if arguments[0] in ("nosuch", "--nope") else f"crisplogic {arguments[0]}"
    )
    assert_refused(run(*arguments), said, f"try '{group} --help'")


# --- demo -------------------------------------------------------------------------------------


def test_demo_shows_rules_their_accuracy_and_what_to_try_next(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = partial(LogicClassifier, epochs=3)
    monkeypatch.setattr("crisplogic.estimators.LogicClassifier", quick)
    ran = run("demo")
    assert (ran.code, ran.err) == (0, "")
    for words in ("learned from 489 rows", "accuracy of the rules", "benign ", "Try next"):
        assert words in ran.out


# --- fit --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """A table, the rules that the command line learned from it, and what it printed."""
    folder = tmp_path_factory.mktemp("learned")
    table, out = folder / "table.csv", folder / "rules.json"
    generator = np.random.default_rng(0)
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["id", "größe", '"; DROP TABLE', "note", "class"])
        for number, (x, y) in enumerate(generator.uniform(-1, 1, (120, 2))):
            cells = ["?" if number % 11 == 5 else f"{x:.3e}", f"{y:.4f}"]
            writer.writerow([number, *cells, "text", "same" if x * y > 0 else "different"])
    arguments = [
        *("fit", str(table), "--target", "class", "--drop", "id", "--drop", "note"),
        *("--epochs", "25", "--seed", "3", "--out", str(out)),
    ]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert result.stderr == ""
    return table, out, result.stdout


def test_fit_prints_the_rules_what_snapping_did_and_where_they_are(
    learned: tuple[Path, Path, str],
) -> None:
    _, out, printed = learned
    rules = RuleSet.load(out)
    assert rules.size > 0
    for line in str(rules).splitlines():
        assert f"  {line}\n" in printed
    assert "error on the 120 training rows" in printed
    assert printed.endswith(f"\nwrote the rules to {out}\n")


def test_predictions_of_learned_rules_are_those_of_the_library(
    learned: tuple[Path, Path, str], tmp_path: Path
) -> None:
    table, model, _ = learned
    out = tmp_path / "predictions.csv"
    result = CliRunner().invoke(app, ["predict", str(model), str(table), "--out", str(out)])
    assert result.stdout == f"wrote 120 predictions to {out}\n"

    data = read_table(table, "class", drop=["id", "note"])
    clf = LogicClassifier(epochs=25, random_state=3).fit(data.X, data.y)
    with out.open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    assert header == ["prediction", "P(different)", "P(same)"]
    assert [line[0] for line in lines] == clf.predict(data.X).tolist()
    probabilities = np.array([line[1:] for line in lines], dtype=float)
    np.testing.assert_allclose(probabilities, clf.predict_proba(data.X), rtol=1e-5)


def test_the_same_seed_writes_the_same_rules(
    run: Run, learned: tuple[Path, Path, str], tmp_path: Path
) -> None:
    table, first, _ = learned
    again = tmp_path / "again.json"
    dropped = ("--drop", "id", "--drop", "note")
    options = ("--target", "class", *dropped, "--epochs", "25", "--seed", "3")
    assert run("fit", table, *options, "--out", again).code == 0
    assert again.read_bytes() == first.read_bytes()


def test_fit_without_out_writes_nothing(run: Run, table: Path) -> None:
    ran = run("fit", table, "--target", "ill", "--epochs", "1")
    assert ran.code == 0
    assert "wrote" not in ran.out
    assert list(table.parent.iterdir()) == [table]


def test_an_existing_file_is_replaced_as_a_whole(run: Run, table: Path) -> None:
    out = table.with_name("rules.json")
    out.write_text("x" * 100_000)
    assert run("fit", table, "--target", "ill", "--epochs", "1", "--out", out).code == 0
    assert RuleSet.load(out).labels == ("no", "yes")
    assert sorted(table.parent.iterdir()) == [table, out]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ["it is empty"]),
        ("age,bmi,ill\n", ["no rows"]),
        ("age,bmi,ill\n1,2,yes\n", ["at least 2 classes", "'yes'"]),
        ("age,bmi,ill\n1,2,yes\n3,4,yes\n", ["at least 2 classes", "'yes'"]),
        ("age,bmi,ill\n1,tall,yes\n", ["line 2", "'bmi'", "'tall'", "--drop 'bmi'"]),
        ("age,bmi,ill\n1,2\n", ["line 2", "3 cells"]),
        ("age,bmi,ill\n1,2,\n", ["line 2", "'ill'", "missing"]),
        ("age,bmi\n1,2\n", ["no column 'ill'", "'age', 'bmi'"]),
        ("ill\nyes\nno\n", ["no column is left"]),
        (
            "age,ill\n" + "".join(f"{number},{number * 1.37}\n" for number in range(500)),
            ["500 different values"],
        ),
    ],
    ids=[
        *("empty", "no rows", "one row", "one class", "text", "short row", "no class"),
        *("no target", "only target", "numbers for classes"),
    ],
)
def test_a_table_that_cannot_be_learned_from_is_refused(
    run: Run, tmp_path: Path, text: str, said: list[str]
) -> None:
    table, out = tmp_path / "bad.csv", tmp_path / "rules.json"
    table.write_text(text)
    assert_refused(run("fit", table, "--target", "ill", "--out", out), *said)
    assert not out.exists()


def test_a_binary_file_a_folder_and_no_file_are_refused_by_name(
    run: Run, tmp_path: Path
) -> None:
    binary = tmp_path / "binary.csv"
    binary.write_bytes(bytes(range(256)))
    for path in (binary, tmp_path, tmp_path / "nosuch.csv"):
        assert_refused(run("fit", path, "--target", "ill"), str(path))


def test_a_column_to_drop_must_exist(run: Run, table: Path) -> None:
    assert_refused(run("fit", table, "--target", "ill", "--drop", "bmj"), "'bmj'", "'bmi'")


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
@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_found_out_before_training(run: Run, table: Path) -> None:
    folder = table.parent / "locked"
    folder.mkdir(mode=0o555)
    out = folder / "rules.json"
    assert_refused(run("fit", table, "--target", "ill", "--out", out), "cannot be written to")


@pytest.mark.usefixtures("never_trains")
def test_fit_never_overwrites_its_own_table(run: Run, table: Path) -> None:
    link = table.with_name("link.csv")
    link.symlink_to(table)
    for out in (table, link):
        assert_refused(run("fit", table, "--target", "ill", "--out", out), "overwrite")
    assert table.read_text() == TABLE


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


# --- predict ----------------------------------------------------------------------------------


def test_predictions_are_one_line_a_row_with_a_probability_a_class(
    run: Run, model: Path, rows: Path
) -> None:
    header, *lines = csv.reader(run("predict", model, rows).out.splitlines())
    assert header == ["prediction", "P(ja)", "P(nein ⊕)"]
    data = read_table(rows)
    assert [line[0] for line in lines] == rule_set().predict(data.X).tolist()
    probabilities = np.array([line[1:] for line in lines], dtype=float)
    np.testing.assert_allclose(probabilities, rule_set().predict_proba(data.X), rtol=1e-5)


def test_columns_may_stand_in_any_order_and_others_among_them(
    run: Run, model: Path, rows: Path, tmp_path: Path
) -> None:
    shuffled = ("age", "other", *reversed(NAMES[:-1]), "text")
    other = write_rows(tmp_path / "shuffled.csv", shuffled)
    assert run("predict", model, other) == run("predict", model, rows)


def test_text_in_a_column_that_no_rule_needs_does_not_matter(
    run: Run, model: Path, tmp_path: Path
) -> None:
    table = tmp_path / "new.csv"
    table.write_text(
        'größe;"""; DROP TABLE";a + (b;age;note\n1;2;3;4;hello\n', encoding="utf-8"
    )
    assert run("predict", model, table).code == 0


def test_a_missing_column_is_named(run: Run, model: Path, tmp_path: Path) -> None:
    table = write_rows(tmp_path / "short.csv", NAMES[1:])
    assert_refused(run("predict", model, table), "no column 'größe'")


def test_a_file_gets_the_same_bytes_as_standard_output(
    model: Path, rows: Path, tmp_path: Path
) -> None:
    out = tmp_path / "predictions.csv"
    assert run_apart("predict", model, rows, "--out", out).returncode == 0
    for encoding in ("utf-8", "latin-1", "ascii"):
        ran = run_apart("predict", model, rows, PYTHONIOENCODING=encoding)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, out.read_bytes(), b"")


# --- rules ------------------------------------------------------------------------------------


def test_rules_are_printed_with_what_high_means(run: Run, model: Path) -> None:
    ran = run("rules", model)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Rules: ")
    assert "¬" in ran.out
    assert "⊕ " in ran.out
    for line in rule_set().legend().splitlines():
        assert f"  {line}\n" in ran.out


def test_ascii_uses_no_symbol_of_the_paper(run: Run, model: Path) -> None:
    printed = run("rules", model, "--ascii").out.replace('"nein ⊕"', "")
    assert "~" in printed
    assert "^" in printed
    assert not {"¬", "⊕"} & set(printed)


def test_numbered_rules_say_below_what_the_numbers_stand_for(run: Run, model: Path) -> None:
    _, body, legend = run("rules", model, "--numbered").out.split("\n\n")
    assert "  c_0 = " in body
    assert "  c_1 = " in body
    assert '"nein ⊕"' not in body
    assert '"nein ⊕"' in legend
    assert len(re.findall(r"^  \d+ = .* is high", legend, re.MULTILINE)) > 0


@pytest.mark.parametrize("columns", ["20", "40", "80", "200"])
def test_breaking_long_rules_changes_nothing_but_white_space(
    run: Run, model: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    _, body, _ = run("rules", model).out.split("\n\n")
    unbroken = body.replace("\n    ", " ")
    assert [" ".join(line.split()) for line in unbroken.splitlines()] == [
        " ".join(line.split()) for line in str(rule_set()).splitlines()
    ]
    for line in body.splitlines():
        assert line.count('"') % 2 == line.count('\\"') % 2  # no name is torn apart


def test_rules_that_say_nothing_can_be_printed(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    rule = Rule("a", parse("unknown"))
    RuleSet(("x",), (Membership(0, 0.0, 1.0),), (rule,)).save(path)
    assert run("rules", path).out.endswith("\n\n  a = unknown\n")


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
    assert "epoch 4/4  loss 0." in ran.err
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
            assert process.stdout.readline().startswith(b"prediction,")
        process.stdout.close()
        assert process.stderr.read() == b""
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
    assert ran.stderr == b"error: No space left on device\n"


def test_rules_are_saved_even_if_nobody_reads_what_is_printed(table: Path) -> None:
    out = table.with_name("rules.json")
    options = ("--target", "ill", "--epochs", "1", "--out", out)
    with subprocess.Popen(
        command("fit", table, *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert RuleSet.load(out).labels == ("no", "yes")


LOADED = """
import sys
from crisplogic.cli import main
try:
    main()
finally:
    heavy = {"torch", "sklearn", "pandas"} & set(sys.modules)
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
    assert ran.stderr == b"loaded:\n"


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
        while b"loss 0." not in seen:  # training, and the bar shows it
            seen += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=30)
    rest = os.read(ours, 65536)
    os.close(ours)
    assert process.returncode == 130
    assert printed == b""
    assert b"interrupted" in rest
    assert list(table.parent.iterdir()) == [table]
