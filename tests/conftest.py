"""Settings for all tests."""

from __future__ import annotations

import os

# Without it scikit-learn skips one of its own checks. Read when scipy is first imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# One thread a process: small tables gain nothing from more, and tests run side by side.
os.environ.setdefault("OMP_NUM_THREADS", "1")
