"""Settings for all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from hypothesis import settings

from tests.browsing import browser, tab
from tests.short_paths import SEARCH, shorten_paths

__all__ = ["browser", "tab"]  # one for all tests of a process

# Without it scikit-learn skips one of its own checks. Read when scipy is first imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# One thread a process: small tables gain nothing from more, and tests run side by side.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Figures are drawn without a screen.
os.environ.setdefault("MPLBACKEND", "agg")

# A busy machine is no failure. There are many properties, so each has few examples a run.
settings.register_profile("crisplogic", deadline=None, max_examples=50)
settings.load_profile("crisplogic")


# What else the rules of a search depend on, however few literals they have.
THOROUGH = (
    f"{SEARCH}.smoothing.FAMILIES",
    f"{SEARCH}.smoothing.RIDGES",
    f"{SEARCH}.smoothing.DEEP_DEGREES",
    f"{SEARCH}.smoothing.CLEARLY",
    f"{SEARCH}.search.MUCH",
    f"{SEARCH}.path.N_WAYS",
)


@pytest.fixture(autouse=True, scope="session")
def short_paths() -> Iterator[Any]:
    """Searches are soon done; what was there before, by its name."""
    thorough = {name: _constant(name) for name in THOROUGH}
    with pytest.MonkeyPatch.context() as patch:
        shorten_paths(patch)
        yield thorough


@pytest.fixture
def search_as_workers_do(short_paths: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Smooth and screen as worker processes do, where nothing is patched: in all ways."""
    for name, value in short_paths.items():
        monkeypatch.setattr(name, value)


def _constant(name: str) -> Any:
    module, _, own = name.rpartition(".")
    return getattr(import_module(module), own)
