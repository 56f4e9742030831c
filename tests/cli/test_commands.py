"""The commands one by one: what they print, write and refuse."""

from __future__ import annotations

import csv
import inspect
import json
import re
from functools import partial
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from crisplogic.cli import app
from crisplogic.cli.commands import fit
from crisplogic.estimators import LogicClassifier
from crisplogic.expr import parse
from crisplogic.io import read_table
from crisplogic.rules import ClassificationRules, Membership, Rule, RuleSet
from tests.cli.running import (
    NAMES,
    Run,
    assert_refused,
    rule_set,
    run_apart,
    write_rows,
)

COMMANDS = ["demo", "fit", "predict", "evaluate", "rules", "explain", "frontier"]

# --- finding the way --------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [[], ["--help"]], ids=["nothing", "help"])
def test_help_names_every_command_and_where_to_start(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    for words in (
        *COMMANDS,
        "Start with: crisplogic demo",
        "Exit codes: 0 ",
        "130 interrupted",
    ):
        assert words in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
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
        (["fit", "people.csv", "--target", "ill", "--epochs", "many"], "'--epochs'"),
        (["fit", "people.csv", "--target", "ill", "--epochs", "1.5"], "'--epochs'"),
        (["fit", "people.csv", "--target", "ill", "--max-literals", "0"], "'--max-literals'"),
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


def test_demo_is_a_document_for_scripts(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = partial(LogicClassifier, epochs=1, restarts=1, folds=0)
    monkeypatch.setattr("crisplogic.estimators.LogicClassifier", quick)
    document = json.loads(run("demo", "--json").out)
    assert document["accuracy"] > 0.8
    assert document["text"] in run("demo", "--quiet").out


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
    result = CliRunner().invoke(
        app, ["predict", str(model), str(table), "--out", str(out), "--proba"]
    )
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


def test_fit_shows_the_sizes_there_are_and_which_was_chosen(
    learned: tuple[Path, Path, str],
) -> None:
    _, out, printed = learned
    marked = [line for line in printed.splitlines() if line.endswith("<- chosen")]
    assert [int(line.split()[0]) for line in marked] == [RuleSet.load(out).size]


def test_fit_draws_error_against_size(run: Run, table: Path) -> None:
    picture = table.with_name("sizes.png")
    ran = run("fit", table, "--target", "ill", "--epochs", "1", "--plot", picture)
    assert ran.out.endswith(f"\ndrew error against size in {picture}\n")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_picture_that_cannot_be_drawn_is_refused_before_training(
    run: Run, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LogicClassifier, "fit", lambda *_: pytest.fail("it was trained"))
    ran = run("fit", table, "--target", "ill", "--plot", table.with_name("sizes.doc"))
    assert_refused(ran, "ends in .png, .svg, .pdf, got 'sizes.doc'")


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
        (
            "age,bmi,ill\n1,2,yes\n2,tall,no\n",
            ["line 3", "'bmi'", "'tall'", "--drop bmi", "--category bmi"],
        ),
        ("age,bmi,ill\n1,2\n", ["line 2", "3 cells"]),
        ("age,bmi,ill\n1,2,\n", ["line 2", "'ill'", "missing"]),
        ("age,bmi\n1,2\n", ["no column 'ill'", "'age', 'bmi'"]),
        ("ill\nyes\nno\n", ["no column is left"]),
    ],
    ids=[
        *("empty", "no rows", "one row", "one class", "text", "short row", "no class"),
        *("no target", "only target"),
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


def test_the_options_have_the_defaults_of_the_classifier() -> None:
    options = inspect.signature(fit).parameters
    shared = [name for name in LogicClassifier().get_params() if name in options]
    assert shared == ["depth", "epochs", "max_literals", "missing_literals", "width"]
    for name in shared:
        assert options[name].default == getattr(LogicClassifier(), name)


# --- predict ----------------------------------------------------------------------------------


def test_predictions_are_one_line_a_row_with_a_probability_a_class(
    run: Run, model: Path, rows: Path
) -> None:
    header, *lines = csv.reader(run("predict", model, rows, "--proba").out.splitlines())
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
    ClassificationRules(("x",), (Membership(0, 0.0, 1.0),), (rule,)).save(path)
    assert run("rules", path).out.endswith("\n\n  a = 0\n")
