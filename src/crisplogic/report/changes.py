"""Values to try if a prediction is to change: those that the library tries itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crisplogic.report.columns import ColumnSummary, Value
from crisplogic.rules import RuleSet
from crisplogic.rules.analysis.candidates import find_candidates
from crisplogic.rules.memberships import compares_numbers
from crisplogic.rules.rule import AnyRules
from crisplogic.tables import Levels, Range

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Trials:
    """Values of a column to try, and the width of its range, None for a category.

    See :class:`~crisplogic.rules.analysis.candidates.Candidates`, of which this is the JSON.
    """

    values: tuple[Value, ...] = ()
    width: float | None = None


def find_trials(rules: RuleSet, columns: Sequence[ColumnSummary]) -> tuple[Trials, ...]:
    """The values to try in every column of a report; none where rules do not mention it."""
    found = {rules.features[each.feature]: each for each in find_candidates(rules)}
    trials = []
    for column in columns:
        its = found.get(column.name)
        if its is None:
            trials.append(Trials())
            continue
        values = (its.decode(value) for value in its.values.tolist())
        # To the page, a truth value is 0 or 1.
        plain = tuple(float(v) if isinstance(v, bool) else v for v in values if v is not None)
        trials.append(Trials(plain, None if its.levels is not None else its.width))
    return tuple(trials)


def with_known_values(
    rules: AnyRules, levels: Sequence[Levels | None], matrix: Floats
) -> AnyRules:
    """The rules with levels that others know, and ranges of the rows where they know none.

    Shape: ``matrix`` (rows, features).
    """
    used = [rules.memberships[index] for index in rules.used]
    mentioned = {each.feature for each in used}
    compared = {each.feature for each in used if compares_numbers(each)}
    own = rules.levels or (None,) * len(rules.features)
    known = tuple(own[at] if at in compared else its for at, its in enumerate(levels))
    ranges = rules.ranges or (None,) * len(rules.features)
    return replace(
        rules,
        levels=known,
        ranges=tuple(
            _range(matrix[:, at])
            if ends is None and known[at] is None and at in mentioned
            else ends
            for at, ends in enumerate(ranges)
        ),
    )


def _range(column: Floats) -> Range | None:
    known = column[np.isfinite(column)]
    return (float(known.min()), float(known.max())) if len(known) else None
