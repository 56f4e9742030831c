"""Fits that are killed and started again go on, and end as if nothing had happened."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crisplogic import LogicClassifier
from crisplogic.errors import CheckpointError
from crisplogic.training import checkpoint as checkpoint_module
from tests.estimators.samples import X, Y, digest_of, quick, some_labels, some_table
from tests.platforms import linux

MOMENTS = [
    "soft",
    "end of soft",
    "snapped",
    "half written",
    "search",
    "before the end",
]


class InterruptedFitError(Exception):
    """Stands in for what ends a fit."""


class Writes:
    """Counts checkpoints; the fit is interrupted after one of them."""

    def __init__(self) -> None:
        self.number = 0
        self.last: int | None = None
        self.write = checkpoint_module._write

    def __call__(self, path: Path, kept: Any) -> None:
        self.write(path, kept)
        self.number += 1
        if self.number == self.last:
            raise InterruptedFitError


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> Writes:
    """Every epoch is kept."""
    monkeypatch.setattr(checkpoint_module, "SECONDS_BETWEEN", 0.0)
    counted = Writes()
    monkeypatch.setattr(checkpoint_module, "_write", counted)
    return counted


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "c.npz"


def interrupt(clf: LogicClassifier, writes: Writes, after: int, **given: Any) -> None:
    """Leave the checkpoint of a fit that was interrupted."""
    writes.number, writes.last = 0, after
    with pytest.raises(InterruptedFitError):
        clf.fit(**{"X": X, "y": Y, **given})
    writes.number, writes.last = 0, None


# --- killed -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What fits came to that were killed with SIGKILL and started again."""
    folder = tmp_path_factory.mktemp("killed")
    program = [sys.executable, "-m", "tests.estimators.killing", str(folder)]
    root = Path(__file__).parents[2]
    done = subprocess.run(program, cwd=root, capture_output=True, text=True, check=True)
    results: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return results


@linux
@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_at_any_moment_a_fit_ends_as_if_nothing_had_happened(
    killed: dict[str, dict[str, Any]], moment: str
) -> None:
    result = killed[moment]
    assert result["ends"] == [-signal.SIGKILL, 0]
    assert result["kept"]
    assert result["digest"] == killed["undisturbed"]["digest"]


@linux
def test_killed_again_and_again_at_random_it_ends_the_same(
    killed: dict[str, dict[str, Any]],
) -> None:
    *ends, last = killed["at random"]["ends"]
    assert set(ends) <= {-signal.SIGKILL, 0}
    assert last == 0
    assert killed["at random"]["digest"] == killed["undisturbed"]["digest"]


@linux
def test_success_leaves_nothing_behind(killed: dict[str, dict[str, Any]]) -> None:
    assert list(killed) == ["undisturbed", *MOMENTS, "at random"]
    assert all(result["left"] == ["out"] for result in list(killed.values())[1:])


# --- going on ---------------------------------------------------------------------------------

KINDS: dict[str, LogicClassifier] = {
    "deep": quick(depth=2, width=3, epochs=2, snapping="straight_through"),
    "validated": quick(epochs=3, validation_fraction=0.3, snapping="straight_through"),
    "impatient": quick(
        epochs=4, patience=1, validation_fraction=0.3, snapping="straight_through"
    ),
    "screened": quick(epochs=2, max_columns=2, snapping="straight_through"),
    "rounded": quick(epochs=2, snapping="nearest"),
    "folds": quick(epochs=1, folds=3),
    "limited": quick(
        epochs=2, monotone={0: "up"}, forbidden_pairs=[(1, 2)], snapping="straight_through"
    ),
    "paper": LogicClassifier.as_in_paper(epochs=2, random_state=0),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_training_goes_on_bit_for_bit(
    kind: str, writes: Writes, path: Path
) -> None:
    clf, weights = KINDS[kind], np.linspace(0.5, 2.0, len(X))
    given: dict[str, Any] = {"sample_weight": weights if kind == "folds" else None}
    whole = clf.fit(X, Y, **given, checkpoint=path)
    in_all, digest, history = writes.number, digest_of(whole), whole.history_
    assert in_all == len(history)
    for after in range(1, in_all + 1):
        interrupt(clf, writes, after, checkpoint=path, **given)
        clf.fit(X, Y, **given, checkpoint=path)
        assert writes.number == in_all - after  # it did go on, and did not start anew
        assert (digest_of(clf), clf.history_) == (digest, history)
    assert digest_of(clf.fit(X, Y, **given)) == digest


def test_the_impatient_stop_early() -> None:
    """Or their case above would show nothing."""
    assert len(KINDS["impatient"].fit(X, Y).history_) < 8


def test_without_a_random_state_the_seed_is_kept(writes: Writes, path: Path) -> None:
    clf = quick(epochs=2, snapping="straight_through", random_state=None)
    interrupt(clf, writes, 3, checkpoint=path)
    kept = path.read_bytes()
    first = digest_of(clf.fit(X, Y, checkpoint=path))
    path.write_bytes(kept)
    assert digest_of(clf.fit(X, Y, checkpoint=path)) == first
    assert digest_of(clf.fit(X, Y, checkpoint=path)) != first


def test_what_only_the_search_depends_on_may_be_changed(writes: Writes, path: Path) -> None:
    interrupt(quick(epochs=2), writes, 2, checkpoint=path)
    changes: dict[str, Any] = {"epochs": 2, "max_literals": 2, "n_jobs": 1, "verbose": True}
    resumed = quick(**changes).fit(X, Y, checkpoint=path)
    assert writes.number == 0
    assert digest_of(resumed) == digest_of(quick(**changes).fit(X, Y))


def test_seconds_pass_between_checkpoints_but_the_end_of_a_phase_is_kept(
    monkeypatch: pytest.MonkeyPatch, writes: Writes, path: Path
) -> None:
    monkeypatch.setattr(checkpoint_module, "SECONDS_BETWEEN", 1000.0)
    quick(epochs=5, snapping="straight_through").fit(X, Y, checkpoint=str(path))
    assert writes.number == 2


# --- refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "given", "said"),
    [
        ({"epochs": 3}, {}, r"soft epochs \(2 there, 3 here\)"),
        ({"random_state": 1}, {}, r"random_state \(0 there, 1 here\)"),
        ({"random_state": None}, {}, r"random_state \(0 there, None here\)"),
        ({"depth": 2}, {}, r"depth \(1 there, 2 here\)"),
        ({"snapping": "nearest"}, {}, "snapped epochs"),
        ({}, {"X": X + 1}, "differs in table;"),
        ({}, {"X": X[:, :2]}, "differs in table;"),
        ({}, {"y": Y[::-1]}, "differs in targets;"),
        ({}, {"sample_weight": np.linspace(1, 2, len(X))}, "differs in weights;"),
    ],
)
def test_another_table_and_other_settings_are_refused(
    writes: Writes, path: Path, changes: dict[str, Any], given: dict[str, Any], said: str
) -> None:
    settings: dict[str, Any] = {"epochs": 2, "snapping": "straight_through"}
    interrupt(quick(**settings), writes, 1, checkpoint=path)
    kept = path.read_bytes()
    with pytest.raises(
        CheckpointError, match=rf"c\.npz is the checkpoint of .*{said}"
    ) as error:
        quick(**settings | changes).fit(**{"X": X, "y": Y, "checkpoint": path, **given})
    assert "remove the file to start anew" in str(error.value)
    assert path.read_bytes() == kept


def test_a_damaged_file_is_refused_or_harmless(writes: Writes, path: Path) -> None:
    clf, random = quick(epochs=2, snapping="straight_through"), np.random.default_rng(0)
    interrupt(clf, writes, 3, checkpoint=path)
    whole, sound = path.read_bytes(), checkpoint_module._read(path)
    assert sound is not None
    damaged = [whole[: random.integers(len(whole))] for _ in range(20)]
    for place in [
        *random.integers(len(whole), size=100),
        *random.integers(len(whole) - 2000, len(whole), 200),
    ]:
        flipped = bytearray(whole)
        flipped[place] ^= 1 << int(random.integers(8))
        damaged.append(bytes(flipped))
    refused = 0
    for content in damaged:
        path.write_bytes(content)
        try:
            read = checkpoint_module._read(path)
        except CheckpointError:
            refused += 1
        else:  # dates and the like, which nothing depends on
            assert read is not None
            assert (read.fingerprint, read.history) == (sound.fingerprint, sound.history)
            assert read.tensors.keys() == sound.tensors.keys()
            assert all(read.tensors[name].equal(sound.tensors[name]) for name in read.tensors)
    assert refused > len(damaged) / 2


def _pickled(path: Path) -> None:
    with path.open("wb") as file:
        np.savez(file, about=np.array([{}], dtype=object))


def _array(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, np.arange(3))


def _numbers(path: Path) -> None:
    with path.open("wb") as file:
        np.savez(file, numbers=np.arange(3))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_text(""),
        lambda path: path.write_text("age,ill\n50,yes\n"),
        _array,
        _pickled,
        _numbers,
    ],
    ids=["nothing", "a table", "an array", "pickled", "other arrays"],
)
def test_other_files_are_refused_and_left_alone(path: Path, spoil: Any) -> None:
    spoil(path)
    before = path.read_bytes()
    with pytest.raises(CheckpointError, match=r"is no checkpoint.*; remove it to start anew"):
        quick(epochs=1).fit(X, Y, checkpoint=path)
    assert path.read_bytes() == before


def test_where_nothing_can_be_written_is_known_before_training(
    tmp_path: Path, writes: Writes
) -> None:
    with pytest.raises(FileNotFoundError, match="folder of the checkpoint does not exist"):
        quick().fit(X, Y, checkpoint=tmp_path / "none" / "c.npz")
    with pytest.raises(IsADirectoryError):
        quick().fit(X, Y, checkpoint=tmp_path)
    assert writes.number == 0


def test_a_fit_that_fails_keeps_its_checkpoint_and_the_classifier_as_it_was(
    writes: Writes, path: Path
) -> None:
    table = some_table(seed=3)
    clf = quick(epochs=2, snapping="straight_through").fit(table, some_labels(table))
    before = digest_of(clf)
    interrupt(clf, writes, 2, checkpoint=path)
    assert path.exists()
    assert digest_of(clf) == before
