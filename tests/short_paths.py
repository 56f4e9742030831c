"""Searches that are soon done, for all tests and for the processes that they start."""

from __future__ import annotations

import pytest

SEARCH = "crisplogic.search.crisp"


def shorten_paths(patch: pytest.MonkeyPatch) -> None:
    """Crisp rules of a few literals are enough for most tests; longer paths take minutes.

    Targets are smoothed in one way: comparing all ways takes as long as a short path. No
    statements larger than pairs are screened, even where they could help: that takes three
    more paths, and tables of noise always ask for it. No processes are started, unless a test
    asks for them: nothing is patched there.
    """
    patch.setattr(f"{SEARCH}.search.ROWS_PER_LITERAL", 1_000_000)
    patch.setattr(f"{SEARCH}.search.FEW_LITERALS", 5)
    patch.setattr(f"{SEARCH}.search.MUCH", 1.0)
    patch.setattr(f"{SEARCH}.search.LONG", float("inf"))
    patch.setattr(f"{SEARCH}.workers.MANY_CELLS", float("inf"))
    patch.setattr(f"{SEARCH}.path.N_WAYS", 1)
    patch.setattr(f"{SEARCH}.smoothing.FAMILIES", ((True, 2),))
    patch.setattr(f"{SEARCH}.smoothing.RIDGES", (1.0,))
    patch.setattr(f"{SEARCH}.smoothing.DEEP_DEGREES", (3,))
    patch.setattr(f"{SEARCH}.smoothing.CLEARLY", 1e9)
