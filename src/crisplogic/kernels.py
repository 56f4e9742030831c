"""Compiled kernels, where they were built: the same results as numpy, sooner.

The package is built without them where there is no compiler. ``CRISPLOGIC_KERNELS=numpy`` does
without them, too.
"""

from __future__ import annotations

import os
from types import ModuleType


def _load() -> ModuleType | None:
    if os.environ.get("CRISPLOGIC_KERNELS") == "numpy":
        return None
    try:
        from crisplogic import _kernels
    except ImportError:
        return None
    return _kernels


# The module ``crisplogic._kernels``, or None. Tests replace it to compare both.
compiled = _load()
