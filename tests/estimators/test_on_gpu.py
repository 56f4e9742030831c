"""What is learned on a GPU: as good as elsewhere, within limits, and resumed after a kill."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from crisplogic import LogicClassifier, LogicRegressor
from crisplogic.training import checkpoint as checkpoint_module
from tests.estimators.samples import digest_of, some_labels, some_table

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")

X, NEW = some_table(400), some_table(400, seed=1)
Y, TRUTH = some_labels(X), some_labels(NEW)
NUMBERS, TRUE_NUMBERS = (np.sin(table[:, 0]) + table[:, 1] for table in (X, NEW))


def brief(**changes: Any) -> dict[str, Any]:
    return {"epochs": 6, "restarts": 2, "folds": 2, "random_state": 0, **changes}


def test_numbers_are_learned_as_well_as_on_a_cpu() -> None:
    on_gpu, on_cpu = (
        LogicRegressor(device=device, random_state=0).fit(X, NUMBERS).score(NEW, TRUE_NUMBERS)
        for device in ("cuda", "cpu")
    )
    assert on_gpu > on_cpu - 0.05
    assert on_gpu > 0.8


@pytest.mark.parametrize("way", ["up", "down"])
@pytest.mark.parametrize("levels", [{}, {"depth": 3, "literals": "graded"}], ids=str)
def test_networks_and_rules_keep_to_limits(way: str, levels: dict[str, Any]) -> None:
    """Steps are recorded once and replayed: what keeps them within limits must be, too."""
    asked = {"monotone": {0: way}, "forbidden_pairs": [(0, 1)]}
    clf = LogicClassifier(**brief(device="cuda", **asked, **levels)).fit(X, Y)
    higher = NEW + np.array([3.0, 0.0, 0.0])
    sign = 1 if way == "up" else -1
    for by in ("rules", "network"):
        clf.set_params(predict_with=by)
        change = clf.predict_proba(higher)[:, 1] - clf.predict_proba(NEW)[:, 1]
        assert (sign * change > -1e-5).all()


class Killed(Exception):  # noqa: N818, it stands in for what ends a fit
    pass


@pytest.mark.parametrize("after", [1, 5, 8])
@pytest.mark.parametrize("kind", [LogicClassifier, LogicRegressor])
def test_a_fit_goes_on_bit_for_bit(
    kind: type[LogicClassifier] | type[LogicRegressor],
    after: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    targets = Y if kind is LogicClassifier else NUMBERS
    estimator = kind(**brief(device="cuda", literals="graded"))  # two phases of training
    undisturbed = digest_of(estimator.fit(X, targets))
    monkeypatch.setattr(checkpoint_module, "SECONDS_BETWEEN", 0.0)
    write, writes = checkpoint_module._write, []

    def killed(path: Path, kept: Any) -> None:
        write(path, kept)
        writes.append(path)
        if len(writes) == after:
            raise Killed

    monkeypatch.setattr(checkpoint_module, "_write", killed)
    with pytest.raises(Killed):
        estimator.fit(X, targets, checkpoint=tmp_path / "fit.npz")
    resumed = estimator.fit(X, targets, checkpoint=tmp_path / "fit.npz")
    assert digest_of(resumed) == undisturbed
