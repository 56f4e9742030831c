"""Settings for all tests."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# Without it scikit-learn skips one of its own checks. Read when scipy is first imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# One thread a process: small tables gain nothing from more, and tests run side by side.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Figures are drawn without a screen.
os.environ.setdefault("MPLBACKEND", "agg")

# A busy machine is no failure. There are many properties, so each has few examples a run.
settings.register_profile(
    "crisplogic",
    deadline=None,
    max_examples=50,
    # The one fixture for all tests changes nothing between examples.
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.load_profile("crisplogic")


@pytest.fixture(autouse=True)
def short_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    """Crisp rules of a few literals are enough for most tests; longer paths take minutes."""
    monkeypatch.setattr("crisplogic.search.crisp.search.ROWS_PER_LITERAL", 1_000_000)
    monkeypatch.setattr("crisplogic.search.crisp.path.N_WAYS", 1)
