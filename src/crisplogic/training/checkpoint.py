"""Checkpoints: training saved in a file, to resume it after an interruption.

A checkpoint is a zip archive of numpy arrays and one JSON text; reading it executes nothing.
A new one replaces the old one atomically, so there is always a complete one, or none. It also
holds a fingerprint: digests of the data, and all parameters.
"""

from __future__ import annotations

import errno
import hashlib
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crisplogic.archive import read_archive, write_archive
from crisplogic.errors import CheckpointError
from crisplogic.files import remove_with_leftovers
from crisplogic.group import ALONE, Group, on_first
from crisplogic.nn import LogicNetwork
from crisplogic.training.loop import Epoch, StateCallback, TrainingState

# Seconds from one checkpoint to the next: few enough checkpoints to cost nothing.
SECONDS_BETWEEN = 10.0
FORMAT = "crisplogic checkpoint 2"
PHASES = ("screening", "soft", "snapped")

Fingerprint = Mapping[str, str | float | None]


@dataclass(frozen=True)
class _Content:
    """What a checkpoint holds."""

    fingerprint: dict[str, Any]
    seed: int
    phase: str
    history: list[Epoch]
    tensors: dict[str, Tensor]


class Checkpoint:
    """A file that saves training. If it exists, training resumes from it.

    Only a fit with the same ``fingerprint`` can resume. ``seed`` is for a new run; the
    attribute ``seed`` is that of the saved run, if there is one. Without a ``path`` nothing is
    saved. Of several processes the first one reads and writes the file; all resume from it.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "fit.npz")
    >>> checkpoint = Checkpoint(path, {"epochs": 30}, seed=5)
    >>> network = LogicNetwork(2, 2, depth=1)
    >>> save = checkpoint.callback("soft", network, [])
    >>> history = [Epoch("soft", 1, 0.5, None)]
    >>> save(TrainingState(history, {"network/x": torch.ones(1)}), True)
    >>> again = Checkpoint(path, {"epochs": 30}, seed=6)
    >>> again.seed, again.resume_state("soft").history
    (5, [Epoch(phase='soft', number=1, loss=0.5, validation_loss=None)])
    >>> again.remove()
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        fingerprint: Fingerprint = MappingProxyType({}),
        seed: int = 0,
        group: Group = ALONE,
    ) -> None:
        self.path = None if path is None else Path(path)
        self.fingerprint = dict(fingerprint)
        self._group = group
        self._saved = on_first(group, self._read)
        self.seed = seed if self._saved is None else self._saved.seed
        self._last = time.monotonic()

    def _read(self) -> _Content | None:
        if self.path is None:
            return None
        saved = _read(self.path)
        if saved is not None:
            _check_same(self.path, saved.fingerprint, self.fingerprint)
        return saved

    def restore(self, network: LogicNetwork) -> list[Epoch]:
        """Restore the soft network. Return the history before the phase to resume."""
        saved = self._saved
        if saved is None:
            return []
        state = TrainingState(saved.history, saved.tensors)
        network.load_state_dict(state.group("soft") or state.group("network"))
        network.eval()
        return [epoch for epoch in saved.history if epoch.phase != saved.phase]

    def is_done(self, phase: str) -> bool:
        """Whether a phase had ended before the interruption."""
        if self._saved is None:
            return False
        return PHASES.index(phase) < PHASES.index(self._saved.phase)

    def resume_state(self, phase: str) -> TrainingState | None:
        """The state to resume a phase from, if it is the one that was interrupted."""
        saved = self._saved
        if saved is None or saved.phase != phase:
            return None
        history = [epoch for epoch in saved.history if epoch.phase == phase]
        return TrainingState(history, saved.tensors)

    def callback(
        self, phase: str, soft: LogicNetwork, earlier: list[Epoch]
    ) -> StateCallback | None:
        """A function that saves the states of a phase; None if there is nothing to save to.

        ``soft`` is the soft network and ``earlier`` the history before the phase.
        """
        path = self.path
        if path is None or self._group.rank > 0:
            return None
        # In the other phases the soft network is the one that trains.
        soft_state = soft.state_dict() if phase == "snapped" else {}

        def save(state: TrainingState, is_last: bool) -> None:
            if is_last or time.monotonic() - self._last >= SECONDS_BETWEEN:
                tensors = {f"soft/{name}": tensor for name, tensor in soft_state.items()}
                tensors |= state.tensors
                history = [*earlier, *state.history]
                content = _Content(self.fingerprint, self.seed, phase, history, tensors)
                _write(path, content)
                self._last = time.monotonic()

        return save

    def remove(self) -> None:
        """Remove the file."""
        if self.path is not None and self._group.rank == 0:
            remove_with_leftovers(self.path)


def fingerprint(
    config: Any, random_state: int | None, arrays: Mapping[str, NDArray[Any] | None]
) -> Fingerprint:
    """Identify a fit by its parameters and by digests of its arrays.

    ``config`` is a dataclass. With a ``random_state`` of None any seed may resume.

    >>> from crisplogic.training.config import PhaseConfig
    >>> arrays = {"table": np.zeros((2, 1)), "weights": None}
    >>> found = fingerprint(PhaseConfig(epochs=3), 0, arrays)
    >>> len(found["table"]), found["weights"], found["random_state"], found["epochs"]
    (64, None, 0, 3)
    """
    digests = {
        name: None if array is None else _digest(array) for name, array in arrays.items()
    }
    version = {"version of crisplogic": metadata.version("crisplogic")}
    return {**digests, **version, "random_state": random_state, **_flatten(asdict(config))}


def _digest(array: NDArray[Any]) -> str:
    kind = f"{array.dtype.str} {array.shape} ".encode()
    return hashlib.sha256(kind + np.ascontiguousarray(array).tobytes()).hexdigest()


def _flatten(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Join nested names by a space. Convert numpy's numbers to Python's."""
    flat: dict[str, Any] = {}
    for name, value in tree.items():
        if isinstance(value, Mapping):
            flat |= _flatten(value, f"{prefix}{name} ")
        else:
            flat[prefix + name] = value.item() if isinstance(value, np.generic) else value
    return flat


def _check_same(path: Path, saved: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Raise an error if the fit that was saved is not the one that is given."""
    names = [name for name in {**given, **saved} if saved.get(name) != given.get(name)]
    if not names:
        return
    data = [
        name for name in names if _is_digest(saved.get(name)) or _is_digest(given.get(name))
    ]
    values = [
        f"{name} ({saved.get(name)!r} there, {given.get(name)!r} here)"
        for name in names
        if name not in data
    ]
    raise CheckpointError(
        f"{path} is the checkpoint of another fit: it differs in {', '.join(data + values)}; "
        "fit the same table with the same settings to resume, or remove the file to start anew"
    )


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and len(value) == 64


def _write(path: Path, content: _Content) -> None:
    about = {
        "format": FORMAT,
        "fingerprint": content.fingerprint,
        "seed": content.seed,
        "phase": content.phase,
        "history": [astuple(epoch) for epoch in content.history],
        "tensors": list(content.tensors),
    }
    tensors = content.tensors.items()
    write_archive(path, about, {name: each.detach().cpu().numpy() for name, each in tensors})


def _read(path: Path) -> _Content | None:
    """Read a checkpoint; None if there is no file."""
    if not path.exists():
        _check_folder(path)
        return None
    try:
        return _decode(*read_archive(path))
    except CheckpointError as error:
        raise CheckpointError(f"{path} {error}") from error
    except (LookupError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"{path} is no checkpoint, or a damaged one ({error}); "
            "remove it to start anew, or name another file"
        ) from error


def _decode(about: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> _Content:
    if about["format"] != FORMAT:
        raise CheckpointError(
            "was saved by another version of crisplogic "
            f"(needed {FORMAT!r}, got {about['format']!r}); "
            "remove it to start anew, or name another file"
        )
    if about["phase"] not in PHASES:
        raise ValueError(f"there is no phase {about['phase']!r}")
    if about["tensors"] != list(arrays):  # a zip archive can lose a file and still be one
        raise ValueError(f"needed {len(about['tensors'])} tensors, got others")
    return _Content(
        about["fingerprint"],
        int(about["seed"]),
        about["phase"],
        [Epoch(*values) for values in about["history"]],
        {name: torch.from_numpy(array) for name, array in arrays.items()},
    )


def _check_folder(path: Path) -> None:
    """Check before a long training that it can be saved."""
    folder = path.resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, "the folder of the checkpoint does not exist", str(path.parent)
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(
            errno.EACCES, "the folder of the checkpoint cannot be written to", str(path.parent)
        )
