from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crisplogic.datasets import Dataset
from experiments.harness.store import Store
from experiments.rules_table import timing as timing_module
from experiments.rules_table.timing import (
    alternating,
    require_interpret,
    stored_timings,
    timed,
    timing_name,
    to_document,
)
from tests.experiments.rules_table.samples import ORIGIN, timing, tiny_table


class Fitted:
    """A classifier that only notes that it was fitted, and to what."""

    def __init__(self, name: str, seed: int, notes: list[tuple[str, int, int]]) -> None:
        self.name, self.seed, self.notes = name, seed, notes

    def fit(self, X: Any, y: Any) -> None:
        self.notes.append((self.name, self.seed, len(X)))


def test_fits_alternate_on_the_whole_table_with_a_seed_each() -> None:
    notes: list[tuple[str, int, int]] = []
    makers = {
        "ours": lambda seed: Fitted("ours", seed, notes),
        "theirs": lambda seed: Fitted("theirs", seed, notes),
    }
    seconds = alternating(tiny_table(), makers, on_step=lambda text: None)
    assert notes == [(name, seed, 60) for seed in range(3) for name in ("ours", "theirs")]
    assert [len(values) for values in seconds.values()] == [3, 3]
    assert all(value > 0 for values in seconds.values() for value in values)


def test_the_ratio_is_that_of_medians() -> None:
    assert timing(logic=3.0, boosting=2.0).ratio == 1.5


def test_a_stored_timing_is_not_measured_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str) -> Dataset:
        pytest.fail(f"{name} was measured anew")

    monkeypatch.setattr(timing_module, "load", refuse)
    store = Store(tmp_path)
    store.write(timing_name("vehicle"), to_document(timing()))
    assert stored_timings(["vehicle", "yeast"], store) == {"vehicle": timing()}
    assert timed(["vehicle"], store, ORIGIN) == [timing()]


def test_without_interpret_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"\.\[experiments\]"):
        require_interpret()
