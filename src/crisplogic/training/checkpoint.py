"""Checkpoints: training kept in a file, to go on from after whatever ended it.

A checkpoint is a zip archive of numpy arrays and one JSON text; nothing in it is ever
executed. It is written beside the old one, which it then replaces: at any moment there is a
complete one, or none. It also says which question was asked: one table and one plan.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import struct
import time
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from importlib import metadata
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crisplogic.errors import CheckpointError
from crisplogic.files import atomic_binary_writer, remove_with_leftovers
from crisplogic.nn import LogicNetwork
from crisplogic.training.loop import Epoch, Keep, State

# Seconds from one checkpoint to the next: seldom enough to cost nothing.
SECONDS_BETWEEN = 10.0
FORMAT = "crisplogic checkpoint 1"
PHASES = ("screening", "soft", "snapped")

Question = Mapping[str, str | float | None]


class NoCheckpoint:
    """Nothing is kept, and nothing was."""

    def earlier(self, network: LogicNetwork) -> list[Epoch]:
        """The history before the phase to go on with; the soft network is as it was."""
        return []

    def past(self, phase: str) -> bool:
        """Whether a phase is over for good."""
        return False

    def begun(self, phase: str) -> State | None:
        """Where a phase goes on, if it is the one that was interrupted."""
        return None

    def keeper(self, phase: str, soft: LogicNetwork, earlier: list[Epoch]) -> Keep | None:
        """What keeps the states of a phase, beside the soft network that it started from."""
        return None


@dataclass(frozen=True)
class _Kept:
    """What a checkpoint holds."""

    question: dict[str, Any]
    seed: int
    phase: str
    history: list[Epoch]
    tensors: dict[str, Tensor]


class Checkpoint(NoCheckpoint):
    """A file that training is kept in, and goes on from if it is there.

    ``question`` is what must be the same to go on, ``seed`` where a new run starts. The
    attribute ``seed`` is that of the run that goes on: the one that was kept, if there is one.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "fit.npz")
    >>> checkpoint = Checkpoint(path, {"epochs": 30}, seed=5)
    >>> network = LogicNetwork(2, 2, depth=1)
    >>> keep = checkpoint.keeper("soft", network, [])
    >>> keep(State([Epoch("soft", 1, 0.5, None)], {"network/x": torch.ones(1)}), True)
    >>> again = Checkpoint(path, {"epochs": 30}, seed=6)
    >>> again.seed, again.begun("soft").history
    (5, [Epoch(phase='soft', number=1, loss=0.5, validation_loss=None)])
    >>> again.remove()
    """

    def __init__(self, path: str | os.PathLike[str], question: Question, seed: int) -> None:
        self.path = Path(path)
        self.question = dict(question)
        self._kept = _read(self.path)
        if self._kept is not None:
            _check_same(self.path, self._kept.question, self.question)
        self.seed = seed if self._kept is None else self._kept.seed
        self._last = time.monotonic()

    def earlier(self, network: LogicNetwork) -> list[Epoch]:
        """The history before the phase to go on with; the soft network is as it was."""
        kept = self._kept
        if kept is None:
            return []
        state = State(kept.history, kept.tensors)
        network.load_state_dict(state.under("soft") or state.under("network"))
        network.eval()
        return [epoch for epoch in kept.history if epoch.phase != kept.phase]

    def past(self, phase: str) -> bool:
        """Whether a phase is over for good."""
        if self._kept is None:
            return False
        return PHASES.index(phase) < PHASES.index(self._kept.phase)

    def begun(self, phase: str) -> State | None:
        """Where a phase goes on, if it is the one that was interrupted."""
        kept = self._kept
        if kept is None or kept.phase != phase:
            return None
        return State([each for each in kept.history if each.phase == phase], kept.tensors)

    def keeper(self, phase: str, soft: LogicNetwork, earlier: list[Epoch]) -> Keep:
        """What keeps the states of a phase, beside the soft network that it started from."""
        # Until it is snapped, the soft network is the one that is trained.
        beside = soft.state_dict() if phase == "snapped" else {}

        def keep(state: State, at_end: bool) -> None:
            if at_end or time.monotonic() - self._last >= SECONDS_BETWEEN:
                tensors = {f"soft/{name}": tensor for name, tensor in beside.items()}
                history = [*earlier, *state.history]
                kept = _Kept(self.question, self.seed, phase, history, tensors | state.tensors)
                _write(self.path, kept)
                self._last = time.monotonic()

        return keep

    def remove(self) -> None:
        """Remove the file: what was learned is in other hands now."""
        remove_with_leftovers(self.path)


def fingerprint(
    plan: Any, random_state: int | None, arrays: Mapping[str, NDArray[Any] | None]
) -> Question:
    """What a plan and the arrays to learn from come to, so that others can be told apart.

    ``plan`` is a dataclass. Where ``random_state`` is None any seed answers the question.

    >>> from crisplogic.training.config import PhaseConfig
    >>> asked = fingerprint(PhaseConfig(epochs=3), 0, {"table": np.zeros((2, 1)), "weights":
    None})
    >>> len(asked["table"]), asked["weights"], asked["random_state"], asked["epochs"]
    (64, None, 0, 3)
    """
    digests = {
        name: None if array is None else _digest(array) for name, array in arrays.items()
    }
    version = {"version of crisplogic": metadata.version("crisplogic")}
    return {**digests, **version, "random_state": random_state, **_flat(asdict(plan))}


def _digest(array: NDArray[Any]) -> str:
    kind = f"{array.dtype.str} {array.shape} ".encode()
    return hashlib.sha256(kind + np.ascontiguousarray(array).tobytes()).hexdigest()


def _flat(tree: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Values inside other values under the names of both, numpy's numbers as Python's."""
    flat: dict[str, Any] = {}
    for name, value in tree.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{before}{name} ")
        else:
            flat[before + name] = value.item() if isinstance(value, np.generic) else value
    return flat


def _check_same(path: Path, kept: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """Refuse to go on with something else than was begun."""
    names = [name for name in {**asked, **kept} if kept.get(name) != asked.get(name)]
    if not names:
        return
    data = [name for name in names if _is_digest(kept.get(name)) or _is_digest(asked.get(name))]
    values = [
        f"{name} ({kept.get(name)!r} there, {asked.get(name)!r} here)"
        for name in names
        if name not in data
    ]
    raise CheckpointError(
        f"{path} is the checkpoint of another fit: it differs in {', '.join(data + values)}; "
        "fit the same table with the same settings to go on, or remove the file to start anew"
    )


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and len(value) == 64


def _write(path: Path, kept: _Kept) -> None:
    about = {
        "format": FORMAT,
        "question": kept.question,
        "seed": kept.seed,
        "phase": kept.phase,
        "history": [astuple(epoch) for epoch in kept.history],
        "tensors": list(kept.tensors),
    }
    text = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    arrays: dict[str, Any] = {
        name: each.detach().cpu().numpy() for name, each in kept.tensors.items()
    }
    with atomic_binary_writer(path) as file:
        np.savez(file, about=text, **arrays)


def _read(path: Path) -> _Kept | None:
    """What a file holds; None if there is none."""
    if not path.exists():
        _check_folder(path)
        return None
    content = path.read_bytes()  # at once: what the system says against it is clear already
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            _check_sums(archive)
        with np.load(BytesIO(content), allow_pickle=False) as arrays:
            return _understood({name: arrays[name] for name in arrays.files})
    except _DAMAGES as error:
        raise CheckpointError(
            f"{path} is no checkpoint, or a damaged one ({error}); "
            "remove it to start anew, or name another file"
        ) from error


# Whatever zipfile, numpy and json say of files that are not what they should be.
_DAMAGES = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    LookupError,
    TypeError,
    ValueError,
    RuntimeError,
    MemoryError,
    OverflowError,
)


def _check_sums(archive: zipfile.ZipFile) -> None:
    """All of it before any of it is made use of."""
    if (broken := archive.testzip()) is not None:
        raise ValueError(f"{broken} is broken")


def _understood(arrays: dict[str, NDArray[Any]]) -> _Kept:
    if "about" not in arrays:
        raise ValueError("it does not say what it is")
    about = json.loads(arrays.pop("about").tobytes())
    if about["format"] != FORMAT:
        raise ValueError(f"needed {FORMAT!r}, got {about['format']!r}")
    if about["phase"] not in PHASES:
        raise ValueError(f"there is no phase {about['phase']!r}")
    if about["tensors"] != list(arrays):  # a zip archive can lose a file and still be one
        raise ValueError(f"needed {len(about['tensors'])} tensors, got others")
    return _Kept(
        about["question"],
        int(about["seed"]),
        about["phase"],
        [Epoch(*values) for values in about["history"]],
        {name: torch.from_numpy(array) for name, array in arrays.items()},
    )


def _check_folder(path: Path) -> None:
    """Find out before a long training that it could not be kept."""
    folder = path.resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, "the folder of the checkpoint does not exist", str(path.parent)
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(
            errno.EACCES, "the folder of the checkpoint cannot be written to", str(path.parent)
        )
