"""Settings for tests of pictures."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    """Many figures are open in one test, none afterwards."""
    with mpl.rc_context({"figure.max_open_warning": 0}):
        yield
    plt.close("all")
