"""Settings for all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

# Without it scikit-learn skips one of its own checks. Read when scipy is first imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# One thread a process: small tables gain nothing from more, and tests run side by side.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Figures are drawn without a screen.
os.environ.setdefault("MPLBACKEND", "agg")

# A busy machine is no failure. There are many properties, so each has few examples a run.
settings.register_profile("crisplogic", deadline=None, max_examples=50)
settings.load_profile("crisplogic")


@pytest.fixture(autouse=True, scope="session")
def short_paths() -> Iterator[None]:
    """Crisp rules of a few literals are enough for most tests; longer paths take minutes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("crisplogic.search.crisp.search.ROWS_PER_LITERAL", 1_000_000)
        patch.setattr("crisplogic.search.crisp.path.N_WAYS", 1)
        yield
