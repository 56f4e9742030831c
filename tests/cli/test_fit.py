"""``crisplogic fit``: what it prints, writes and refuses."""

from __future__ import annotations

import csv
import inspect
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from crisplogic.cli import app
from crisplogic.cli.fit import fit
from crisplogic.cli.output import result_text
from crisplogic.estimators import LogicClassifier
from crisplogic.expr import parse
from crisplogic.io import read_table
from crisplogic.rules import Rule, RuleSet
from tests.cli.running import Run, assert_refused, fit_result, learn_quickly

ONE_EPOCH = ("--target", "ill", "--epochs", "1")


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
        *("--epochs", "3", "--seed", "3", "--out", str(out), "--positive", "same"),
    ]
    with pytest.MonkeyPatch.context() as patch:
        learn_quickly(patch)
        result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert result.stderr == ""
    return table, out, result.stdout


def test_fit_prints_the_rules_how_good_they_are_and_where_they_are(
    learned: tuple[Path, Path, str],
) -> None:
    table, out, printed = learned
    rules = RuleSet.load(out)
    assert rules.size > 0
    for line in rules.describe(notes=False).splitlines():
        assert f"  {line}\n" in printed
    for words in (
        "On the 120 training rows",
        f"always {majority_in(table)} ",
        "AUC  ",
        "predicted\n",
        "  recall\n",
    ):
        assert words in printed
    assert printed.endswith(f"\nwrote the rules to {out}\n")


def majority_in(table: Path) -> str:
    target = read_table(table, "class", drop=["id", "note"]).target
    assert target is not None
    return max(("same", "different"), key=target.texts.tolist().count)


def test_what_only_an_author_wants_is_printed_if_verbose(
    run: Run, table: Path, learned: tuple[Path, Path, str]
) -> None:
    assert "alphas moved" not in learned[2]
    assert "alphas moved" in run("fit", table, *ONE_EPOCH, "--verbose").out


def test_rules_that_say_nothing_are_told_of_without_verbose() -> None:
    result = fit_result()
    assert "predict one class only" not in result_text(result)
    constant = replace(result.report, classes_predicted=1)  # type: ignore[call-arg]
    ranks = result_text(replace(result, report=constant))
    assert "predict one class only" in ranks
    assert "try --decision-threshold prevalence or --cost" in " ".join(ranks.split())
    nothing = replace(result.rules, rules=tuple(Rule(each, parse("true")) for each in "ab"))
    says_nothing = result_text(replace(result, rules=nothing, report=constant))
    assert "predict one class only: " in says_nothing
    assert "--decision-threshold" not in says_nothing


def test_fit_gives_figures_on_training_rows_and_a_baseline_as_json(
    run: Run, table: Path
) -> None:
    found = json.loads(run("fit", table, *ONE_EPOCH, "--json").out)["training_rows"]
    assert found["error_of_guessing"] == 0.5
    assert np.sum(found["confusion"]["counts"]) == 4
    assert found["confusion"]["classes"] == ["no", "yes"]
    assert {"error", "auc"} <= set(found)


def test_fit_tells_what_to_expect_of_new_rows_beside_a_baseline(
    run: Run, learned: tuple[Path, Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "On new rows, expect these errors, as measured on held-out rows:" in learned[2]
    assert re.search(r"  crisp rules   \d+\.\d%  \(corrected for ", learned[2])
    assert re.search(r"  network       \d+\.\d%\n", learned[2])
    assert "  graded rules  not known; try --compare-literals or --literals " in learned[2]
    assert re.search(r"always the most frequent class: \d+\.\d%", learned[2])
    learn_quickly(monkeypatch)
    dropped = ("--drop", "id", "--drop", "note")
    ran = run("fit", learned[0], "--target", "class", *dropped, "--epochs", "1", "--json")
    found = json.loads(ran.out)
    assert 0 < found["baseline"] <= 0.5
    assert 0 <= found["expected_error"] <= 1
    errors = found["held_out_errors"]
    assert errors["crisp"] == found["expected_error"]
    assert 0 <= errors["network"] <= 1
    assert errors["graded"] is None


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
    clf = LogicClassifier(epochs=3, restarts=1, folds=2, random_state=3).fit(data.X, data.y)
    with out.open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    assert header == ["prediction", "P(different)", "P(same)"]
    assert [line[0] for line in lines] == clf.predict(data.X).tolist()
    probabilities = np.array([line[1:] for line in lines], dtype=float)
    np.testing.assert_allclose(probabilities, clf.predict_proba(data.X), rtol=1e-5)


def test_the_same_seed_writes_the_same_rules(
    run: Run,
    learned: tuple[Path, Path, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learn_quickly(monkeypatch)
    table, first, _ = learned
    again = tmp_path / "again.json"
    dropped = ("--drop", "id", "--drop", "note")
    options = ("--target", "class", *dropped, "--epochs", "3", "--seed", "3")
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
    assert run("fit", table, *ONE_EPOCH, "--out", out, "--force").code == 0
    assert RuleSet.load(out).labels == ("no", "yes")
    assert sorted(table.parent.iterdir()) == [table, out]


@pytest.mark.parametrize(
    ("text", "expected"),
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
        ("age,bmi,ill\n1,2,\n", ["'ill'", "missing in all 1 rows"]),
        ("age,bmi\n1,2\n", ["no column 'ill'", "'age', 'bmi'"]),
        ("ill\nyes\nno\n", ["no column is left"]),
    ],
    ids=[
        *("empty", "no rows", "one row", "one class", "text", "short row", "no class"),
        *("no target", "only target"),
    ],
)
def test_a_table_that_cannot_be_learned_from_is_refused(
    run: Run, tmp_path: Path, text: str, expected: list[str]
) -> None:
    table, out = tmp_path / "bad.csv", tmp_path / "rules.json"
    table.write_text(text)
    assert_refused(run("fit", table, "--target", "ill", "--out", out), *expected)
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
    other = "verbose"  # the estimator's is about progress
    shared = [n for n in LogicClassifier().get_params() if n in options and n != other]
    assert set(shared) == {
        *("depth", "epochs", "max_literals", "missing_literals", "width"),
        *("positive", "decision_threshold", "operators", "tolerance"),
        *("literals", "compare_literals"),
    }
    for name in shared:
        assert options[name].default == getattr(LogicClassifier(), name)


def test_graded_rules_are_learned_if_asked_for_and_compared(
    run: Run, learned: tuple[Path, Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    learn_quickly(monkeypatch)
    options = ("--target", "class", "--drop", "id", "--drop", "note", "--epochs", "2")
    graded = json.loads(run("fit", learned[0], *options, "--literals", "graded", "--json").out)
    assert graded["held_out_errors"]["graded"] == graded["expected_error"]
    assert graded["held_out_errors"]["crisp"] is None
    both = json.loads(run("fit", learned[0], *options, "--compare-literals", "--json").out)
    assert both["held_out_errors"]["graded"] == graded["expected_error"]
    assert both["held_out_errors"]["crisp"] == both["expected_error"]
    crisp = (RuleSet.from_json(json.dumps(found["rules"])).crisp for found in (both, graded))
    assert list(crisp) == [True, False]


def test_the_stability_of_statements_is_in_the_report_and_the_document(
    run: Run,
    learned: tuple[Path, Path, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learn_quickly(monkeypatch)
    options = ("--target", "class", "--drop", "id", "--drop", "note", "--epochs", "1")
    few = ("--max-literals", "2", "--stability", "3")
    ran = run("fit", learned[0], *options, *few, "--out", tmp_path / "model")
    head = "In the rules of 3 resamples, each of 90% of the rows"
    report = (tmp_path / "model" / "report.txt").read_text()
    for text in (ran.out, report):
        assert head in " ".join(text.split())
    found = json.loads(run("fit", learned[0], *options, *few, "--json").out)["stability"]
    assert (found["resamples"], found["wanted"]) == (3, 3)
    for each in found["statements"]:
        line = f"{each['came_back']} of 3  {each['statement']}"
        assert " ".join(line.split()) in " ".join(ran.out.split())


@pytest.mark.usefixtures("never_trains")
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--stability", "5", "--literals", "graded"), "--stability needs --literals crisp"),
        (("--stability-seconds", "5"), "--stability-seconds needs --stability"),
        (("--stability", "0"), "--stability"),
        (("--literals", "fuzzy"), "--literals"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_training(
    run: Run, table: Path, options: tuple[str, ...], expected: str
) -> None:
    assert_refused(run("fit", table, "--target", "ill", *options), expected)
