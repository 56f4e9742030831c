"""Settings for all tests."""

from __future__ import annotations

import os

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
