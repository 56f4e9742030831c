"""``crisplogic demo``: rules, their accuracy, and what to try next."""

from __future__ import annotations

import json
from functools import partial

import pytest

from crisplogic.estimators import LogicClassifier
from tests.cli.running import Run


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
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
