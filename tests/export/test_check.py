"""Checking exports finds a difference, skips what is not installed, and says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crisplogic.errors import ExportError
from crisplogic.export import check
from crisplogic.export.check import check_exports, compare
from crisplogic.export.running.rows import Answers, RawRows, decode_matrix, library_answers
from crisplogic.rules import RuleSet
from tests.export.generated import rows_of
from tests.rules.crisp_rules import CLINIC
from tests.rules.rule_sets import PRICE


def test_targets_that_agree_are_reported_so() -> None:
    matrix = rows_of(CLINIC, 50)
    rows = decode_matrix(CLINIC, matrix)
    [python, numpy] = check_exports(CLINIC, rows, matrix, ["python", "numpy"])
    assert python.agrees
    assert numpy.to_dict()["disagreements"] == 0
    assert (python.rows, numpy.rows) == (50, 50)


def test_a_wrong_answer_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = rows_of(CLINIC, 50)

    def wrong(rules: RuleSet, rows: RawRows) -> Answers:
        right = library_answers(rules, matrix)
        return Answers(["ill"] * len(rows), right.probabilities)

    monkeypatch.setitem(check.RUNNERS, "python", wrong)
    [found] = check_exports(CLINIC, decode_matrix(CLINIC, matrix), matrix, ["python"])
    expected = (CLINIC.predict(matrix, coded=True) != "ill").sum()
    assert found.disagreements == expected > 0
    assert not found.agrees


def test_wrong_probabilities_and_numbers_are_counted() -> None:
    right = Answers(["a", "b"], np.array([[0.6, 0.4], [0.1, 0.9]]))
    other = Answers(["a", "b"], np.array([[0.6, 0.4], [0.2, 0.8]]))
    assert compare("x", right, right).disagreements == 0
    assert compare("x", right, other).disagreements == 1
    assert compare("x", right, other).difference == pytest.approx(0.1)
    numbers = Answers([1.0, 2.0]), Answers([1.0, 2.5])
    assert compare("x", *numbers).disagreements == 1
    assert compare("x", Answers([1.0]), Answers([np.nan])).disagreements == 1


def test_what_is_not_installed_is_skipped_with_a_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def absent(*_: Any) -> Answers:
        raise ExportError("node is not installed")

    monkeypatch.setitem(check.RUNNERS, "javascript", absent)
    matrix = rows_of(PRICE, 5)
    [found] = check_exports(PRICE, decode_matrix(PRICE, matrix), matrix, ["javascript"])
    assert found.to_dict() == {"target": "javascript", "skipped": "node is not installed"}
    assert not found.agrees
