"""Every Python block of a page runs, one after the other, and prints what the page shows."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from functools import wraps
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.utils import _safe_indexing

from crisplogic import LogicClassifier, LogicRegressor
from tests.docs.blocks import ROOT, Block, blocks_of, pages_with, shape, trimmed

# Pages show the defaults. These settings learn worse rules in much less time.
QUICK = {"epochs": 2, "restarts": 1, "folds": 2, "literal_penalty": 0.1}
# Of more rows, about so many are learned from.
FEW = 200


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for estimator in (LogicClassifier, LogicRegressor):
        monkeypatch.setattr(estimator, "fit", with_few_rows(estimator.fit))
        defaults = estimator.__init__.__kwdefaults__
        assert defaults is not None
        for name, value in QUICK.items():
            monkeypatch.setitem(defaults, name, value)


def with_few_rows(fit: Any) -> Any:
    """A fit that learns from some rows of a large table."""

    @wraps(fit)
    def fit_some(self: Any, X: Any, y: Any, sample_weight: Any = None, **options: Any) -> Any:
        if len(y) >= 2 * FEW and hasattr(X, "shape"):
            rows = np.arange(0, len(y), len(y) // FEW)
            X, y = _safe_indexing(X, rows), _safe_indexing(y, rows)
            sample_weight = None if sample_weight is None else sample_weight[rows]
        return fit(self, X, y, sample_weight, **options)

    return fit_some


def run(blocks: list[Block], page: str) -> list[str]:
    """What each block of a page prints."""
    names: dict[str, Any] = {"__name__": page}
    printed = []
    for block in blocks:
        out = io.StringIO()
        if block.language == "python":
            with redirect_stdout(out):
                exec(compile(block.code, page, "exec"), names)
        printed.append(out.getvalue())
    return printed


def check_samples(blocks: list[Block], printed: list[str]) -> None:
    everything = shape("".join(printed))
    for block in blocks:
        if block.learned:
            assert shape(block.code) <= everything
    for (before, out), (after, _) in pairwise(zip(blocks, printed, strict=True)):
        if (before.language, after.language) == ("python", "text") and not after.learned:
            assert trimmed(out) == trimmed(after.code)


def test_there_is_code_to_run() -> None:
    assert len(pages_with("python")) > 10


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("page", pages_with("python"))
def test_the_code_of_a_page_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = blocks_of(ROOT / page)
    check_samples(blocks, run(blocks, page))
