"""``crisplogic demo``: rules, their accuracy, and what to try next."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from crisplogic.estimators import LogicClassifier
from tests.cli.running import Run


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    fast = partial(LogicClassifier, epochs=1, restarts=1, folds=0)
    monkeypatch.setattr("crisplogic.estimators.LogicClassifier", fast)


def test_demo_shows_rules_their_accuracy_and_what_to_try_next(run: Run) -> None:
    ran = run("demo")
    assert (ran.code, ran.err) == (0, "")
    checklist = "malignant, if ", "\n    - ", "\n  otherwise benign\n"
    for words in ("learned from 489 rows", "accuracy of the rules", *checklist, "Try next"):
        assert words in ran.out
    assert "always the most frequent " in ran.out
    assert "alphas" not in ran.out


def test_demo_is_a_document_for_scripts(run: Run) -> None:
    document = json.loads(run("demo", "--json").out)
    assert document["accuracy"] > 0.8
    assert document["description"] in run("demo", "--quiet").out


def test_demo_writes_a_page_and_says_where(run: Run, tmp_path: Path) -> None:
    ran = run("demo")
    [page] = tmp_path.rglob("*.html")
    assert f"\n  {page}\n" in ran.out
    assert "Is a breast tumour malignant?" in page.read_text(encoding="utf-8")
    named = tmp_path / "named.html"
    assert str(named) in run("demo", "--report", named).out
    assert "cell" in named.read_text(encoding="utf-8")


def test_demo_without_the_extra_writes_no_page(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert "browser" not in run("demo").out
    assert list(tmp_path.iterdir()) == []
