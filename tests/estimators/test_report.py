"""``clf.report``: what was learned as one page."""

from __future__ import annotations

from pathlib import Path

import pytest
from sklearn.exceptions import NotFittedError

from crisplogic.estimators import LogicClassifier
from tests.estimators.samples import X, Y


def test_a_report_is_returned_or_written(fitted: LogicClassifier, tmp_path: Path) -> None:
    text = fitted.report(X, Y)
    assert text is not None
    assert text.startswith("<!DOCTYPE html>")
    assert "LogicClassifier(" in text
    for size in {point.size for point in fitted.frontier_}:
        assert f">{size} comparison" in text
    path = tmp_path / "report.html"
    assert fitted.report(X, Y, path) is None
    assert path.read_text(encoding="utf-8") == text


def test_a_report_needs_a_fit() -> None:
    with pytest.raises(NotFittedError):
        LogicClassifier().report(X, Y)
