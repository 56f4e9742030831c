"""Marks for tests of what not every system has."""

from __future__ import annotations

import os
import sys

import pytest

posix = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has other modes, links, pipes and signals"
)
linux = pytest.mark.skipif(
    sys.platform != "linux", reason="a process that has loaded torch is only forked on Linux"
)
not_root = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="root may read and write anywhere"
)
