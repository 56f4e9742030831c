"""``crisplogic export`` and ``check-export``."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from crisplogic.export import check
from crisplogic.export.running.rows import Answers
from crisplogic.rules import Frontier, Point
from crisplogic.rules.serialize_frontier import frontier_json
from tests.cli.running import Run, assert_refused
from tests.estimators.samples import X, Y, quick
from tests.rules.crisp_rules import CLINIC

pytest.importorskip("sqlglot", reason="the extra export is not installed")

TABLE = """glucose,age,smoker,eye colour
130,39,yes,red
120,41,no,mauve
,39,,
128,39.5,NO,never seen
140,,true,light blue
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A rule file, which was written on a day that is known."""
    path = tmp_path / "clinic.json"
    CLINIC.save(path)
    os.utime(path, (1.6e9, 1.6e9))
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "patients.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_sql_is_printed_with_its_origin(run: Run, model: Path) -> None:
    arguments = "--to", "sql", "--dialect", "postgres", "--table", "patients", "--keep", "id"
    ran = run("export", model, *arguments)
    assert (ran.code, ran.err) == (0, "")
    wanted = CLINIC.export(
        "sql",
        dialect="postgres",
        table="patients",
        keep=["id"],
        about={"name": "clinic.json", "date": "2020-09-13"},
    )
    assert ran.out == wanted


def test_a_network_is_written_from_an_estimator_file(
    run: Run, model: Path, tmp_path: Path
) -> None:
    pytest.importorskip("onnx", reason="the extra export is not installed")
    clf, path = quick(folds=0, epochs=1).fit(X, Y), tmp_path / "fitted.npz"
    clf.save(path)
    os.utime(path, (1.6e9, 1.6e9))
    out = tmp_path / "network.onnx"
    ran = run("export", path, "--to", "onnx", "--network", "--out", out)
    assert (ran.code, ran.err) == (0, "")
    about = {"name": "fitted.npz", "date": "2020-09-13", "rows": len(X)}
    assert out.read_bytes() == clf.export("onnx", network=True, about=about)
    assert clf.rules_.export("python", about=about) == run("export", path, "--to", "python").out
    assert_refused(run("export", path, "--to", "c", "--network"), "exported to 'onnx'")
    assert_refused(run("export", model, "--to", "onnx", "--network"), "clinic.json")
    assert_refused(run("export", tmp_path, "--to", "onnx", "--network"), "with save")


def test_options_reach_their_target(run: Run, model: Path) -> None:
    assert run("export", model, "--to", "c", "--name", "risk").out.count("risk_score(") == 3
    assert r"\documentclass" in run("export", model, "--to", "latex", "--document").out
    plain = run("export", model, "--to", "sql", "--no-missing").out
    assert "0.5" not in plain
    assert "probability_ill" in run("export", model, "--to", "sql", "--proba").out
    assert "CREATE VIEW v AS" in run("export", model, "--to", "sql", "--view", "v").out
    assert "ref('t')" in run("export", model, "--to", "sql", "--dbt", "--table", "t").out
    assert (
        '"smoker" = TRUE'
        in run("export", model, "--to", "sql", "--quote", "--truth", "boolean").out
    )
    assert "NaN" in run("export", model, "--to", "sql", "--nan").out


def test_a_folder_tells_its_rows_and_its_held_out_error(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    CLINIC.save(folder / "rules.json")
    frontier = Frontier((Point(CLINIC, 0.1, held_out_error=0.125),), rows=699)
    (folder / "frontier.json").write_text(
        frontier_json(frontier, CLINIC.size), encoding="utf-8"
    )
    origin = "learned from 699 rows, held-out error 0.125"
    assert origin in run("export", folder, "--to", "python").out


def test_a_file_is_written_once_and_again_only_by_force(
    run: Run, model: Path, tmp_path: Path
) -> None:
    out = tmp_path / "rules.h"
    assert run("export", model, "--to", "c", "--out", out).out == ""
    first = out.read_text(encoding="utf-8")
    assert first.startswith("// Predicts")
    assert_refused(run("export", model, "--to", "java", "--out", out), "--force")
    assert out.read_text(encoding="utf-8") == first
    assert run("export", model, "--to", "java", "--out", out, "--force").code == 0
    assert "public final class" in out.read_text(encoding="utf-8")
    assert_refused(run("export", model, "--to", "c", "--out", model), "overwrite an input")


def test_bytes_go_to_a_file(run: Run, model: Path, tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="the extra export is not installed")
    assert_refused(run("export", model, "--to", "onnx"), "--out")
    out = tmp_path / "rules.onnx"
    assert run("export", model, "--to", "onnx", "--out", out).code == 0
    assert len(out.read_bytes()) > 500


def test_a_wrong_target_or_option_is_refused(run: Run, model: Path) -> None:
    assert_refused(run("export", model, "--to", "sqll"), "did you mean 'sql'")
    assert_refused(run("export", model, "--to", "c", "--dialect", "duckdb"), "no option")
    assert_refused(
        run("export", model, "--to", "sql", "--dialect", "oracle"), "--dialect must be"
    )


def test_targets_are_listed_with_their_options(run: Run) -> None:
    ran = run("export", "--list-targets")
    assert ran.code == 0
    for word in ("sql", "onnx", "latex", "--dialect", "--no-missing", "--document"):
        assert word in ran.out


@pytest.mark.slow  # databases have to be started
@pytest.mark.filterwarnings("ignore")  # those of Spark
def test_check_export_compares_every_target(run: Run, model: Path, table: Path) -> None:
    ran = run("check-export", model, table)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert len(lines) == len(check.RUNNERS)
    assert all("agrees on 5 rows" in line or "not installed" in line for line in lines)


def test_check_export_compares_the_targets_that_are_asked_for(
    run: Run, model: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("python", "numpy", "onnx", "sql (sqlite)", "sql (duckdb)")
    monkeypatch.setattr(check, "RUNNERS", {name: check.RUNNERS[name] for name in names})
    ran = run("check-export", model, table, "--target", "sql", "--target", "python")
    assert ran.code == 0
    wanted = ["sql (sqlite)", "sql (duckdb)", "python"]
    for line, name in zip(ran.out.splitlines(), wanted, strict=True):
        assert line.startswith(name)
        assert line.endswith("agrees on 5 rows")
    assert_refused(run("check-export", model, table, "--target", "cobol"), "can be run")


def test_check_export_prints_json(
    run: Run, model: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "RUNNERS", {"python": check.RUNNERS["python"]})
    [found] = json.loads(run("check-export", model, table, "--json").out)["targets"]
    assert found.pop("difference") < 1e-12
    assert found == {"target": "python", "rows": 5, "disagreements": 0}


def test_check_export_fails_if_a_target_differs(
    run: Run, model: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(rules: object, rows: object) -> Answers:
        return Answers(["ill"] * 5, CLINIC.predict_proba([[1, 1, 1, "red"]] * 5))

    monkeypatch.setattr(check, "RUNNERS", {"python": wrong})
    ran = run("check-export", model, table)
    assert ran.code == 2
    assert "differs on" in ran.out
    assert "do not agree with crisplogic: python" in ran.err
