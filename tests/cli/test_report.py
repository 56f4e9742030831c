"""``crisplogic report``: a model and a table as one page, or its figures as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from crisplogic.expr import parse
from crisplogic.rules import ClassificationRules, RegressionRules, Rule, RuleSet, Step
from tests.cli.running import Run, assert_refused

TABLE = "age,mass,who,ill\n50,31.5,a,yes\n41,,b,no\n30,22,c,no\n66,29,d,yes\n45,20,e,\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    return path


def checklist(path: Path) -> Path:
    both = Rule("no", parse("unknown")), Rule("yes", parse("0 + 1"))
    steps = Step(0, 40.0), Step(1, 25.0)
    rules = ClassificationRules(("age", "mass"), steps, both, 1.0, (0.0, -1.5), crisp=True)
    rules.save(path)
    return path


def test_a_report_is_one_page_and_finds_the_true_classes(
    run: Run, data: Path, tmp_path: Path
) -> None:
    rules, out = checklist(tmp_path / "rules.json"), tmp_path / "report.html"
    ran = run("report", rules, "--data", data, "--out", out, "--title", "<Who> is ill?")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"wrote a report of 4 rows to {out}\n"
    page = out.read_text(encoding="utf-8")
    assert "<title>&lt;Who&gt; is ill?</title>" in page
    assert "age is above 40" in page
    assert "column ill" in page


def test_figures_are_those_of_the_rows_whose_class_is_known(
    run: Run, data: Path, tmp_path: Path
) -> None:
    rules = checklist(tmp_path / "rules.json")
    document = json.loads(run("report", rules, "--data", data, "--json").out)
    predicted = RuleSet.load(rules).predict([[50, 31.5], [41, None], [30, 22], [66, 29]])
    error = float(np.mean(predicted != ["yes", "no", "no", "yes"]))
    [size] = document["sizes"]
    assert size["quality"]["error"] == error
    assert document["rows"] == 4
    assert not (tmp_path / "report.html").exists()


def test_all_sizes_of_a_model_are_in_its_report(
    run: Run, folder: Path, rows: Path, tmp_path: Path
) -> None:
    document = json.loads(run("report", folder, "--data", rows, "--json").out)
    assert [size["literals"] for size in document["sizes"]] == sorted(
        size["literals"] for size in document["sizes"]
    )
    assert len(document["sizes"]) == 2
    assert document["chosen"] == 1
    assert document["sizes"][1]["quality"]["held_out"]["error"] == 0.2
    out = tmp_path / "report.html"
    ran = run("report", folder, "--data", rows, "--out", out)
    assert ran.code == 0
    assert "see --target" in ran.err
    assert out.stat().st_size > 10_000


def test_what_to_expect_is_told_of_the_rules_that_a_fit_chose_alone(
    run: Run, folder: Path, rows: Path, tmp_path: Path
) -> None:
    path = folder / "frontier.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**document, "expected_error": 0.33}), encoding="utf-8")
    told = json.loads(run("report", folder, "--data", rows, "--json").out)
    assert told["expected_error"] == 0.33
    smaller = tmp_path / "smaller"
    ran = run("frontier", folder, "--at", "1", "--out", f"{smaller}/")
    assert ran.code == 0, ran.err
    told = json.loads(run("report", smaller, "--data", rows, "--json").out)
    assert told["chosen"] == 0
    assert told["expected_error"] is None


def test_the_number_has_the_name_of_its_column(run: Run, tmp_path: Path) -> None:
    path, table = tmp_path / "rules.json", tmp_path / "houses.csv"
    rule = Rule("price", parse("0"))
    RegressionRules(("rooms",), (Step(0, 3.0),), (rule,), 10.0, (50.0,), crisp=True).save(path)
    table.write_text("rooms,price\n2,40\n5,64\n")
    [size] = json.loads(run("report", path, "--data", table, "--json").out)["sizes"]
    assert size["quality"]["error"] == pytest.approx(np.sqrt(8.0))


def test_what_cannot_be_written_is_refused_before_anything_is_read(
    run: Run, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, out = checklist(tmp_path / "rules.json"), tmp_path / "report.html"
    out.write_text("mine")
    assert_refused(run("report", rules, "--data", data, "--out", out), "exists", "--force")
    assert out.read_text() == "mine"
    assert_refused(run("report", rules, "--data", data, "--out", data), "people.csv")
    assert_refused(run("report", rules, "--data", data, "--out", out, "--force",
                       "--target", "who"), "know no class")  # fmt: skip
    assert out.read_text() == "mine"
    assert run("report", rules, "--data", data, "--out", out, "--force", "--quiet").out == ""
    assert "age is above 40" in out.read_text(encoding="utf-8")
    monkeypatch.setattr("crisplogic.report.page.find_spec", lambda _: None)
    assert_refused(run("report", rules, "--data", data, "--out", out), "crisplogic[report]")
