"""The origin of figures: command, machine and versions."""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import crisplogic

PACKAGES = ("numpy", "scipy", "scikit-learn", "torch", "interpret-core", "crisplogic")


@dataclass(frozen=True)
class Origin:
    """What was run, on what, and with which versions."""

    command: str
    processor: str
    cores: int
    versions: Mapping[str, str]


def current_origin(module: str, arguments: Sequence[str]) -> Origin:
    """The origin of what ``python -m module`` is about to measure."""
    return Origin(
        command=shlex.join(["python", "-m", module, *arguments]),
        processor=_processor(),
        cores=os.cpu_count() or 1,
        versions=_versions(),
    )


def origin_from(document: Mapping[str, Any]) -> Origin:
    """The origin that a document holds."""
    return Origin(
        document["command"], document["processor"], document["cores"], document["versions"]
    )


def now() -> str:
    """The date and the time, to the second, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # only some experiments need interpret-core
            continue
    # Between releases the number stays while the code changes, and results with it.
    found["crisplogic source"] = _digest(Path(str(crisplogic.__file__)).parent)
    return found


def _digest(package: Path) -> str:
    """A short number for all source files together."""
    total = hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        total.update(file.relative_to(package).as_posix().encode())
        total.update(file.read_bytes())
    return total.hexdigest()[:12]


def _processor() -> str:
    """The processor's name; on Linux, platform does not know it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"
