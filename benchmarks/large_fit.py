"""The time of a whole fit of up to a million rows beside that of boosting."""

from __future__ import annotations

from benchmarks.fit import ABOUT, measure, table, verdicts

__all__ = ["ABOUT", "TITLE", "measure", "table", "verdicts"]

TITLE = "A whole fit of many rows"
