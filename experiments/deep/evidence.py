"""How often the rows of Monk's third problem tell its truth from other rules of its size."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.deep.monks import ATTRIBUTES
from experiments.deep.problems import NOISE, PROBLEMS, draw

Bools = NDArray[np.bool_]


class Evidence(NamedTuple):
    """Of so many seeds, those whose rows the truth alone fits best, and those that do not tell
    it from its first two literals.
    """

    seeds: int
    clear: int
    none: int


@lru_cache
def evidence_for_monk_3(seeds: int) -> Evidence:
    """Compare the truth with two literals, and with all that two more make of them.

    The first two are *not blue* and *not octagonal*. The truth errs on the rows with noise;
    it can be told from other rules only if these err on more rows.

    >>> evidence_for_monk_3(5)
    Evidence(seeds=5, clear=4, none=1)
    """
    clear = none = 0
    for seed in range(seeds):
        drawn, labels = draw(PROBLEMS["monk-3"], NOISE, seed)
        right = (_rules(drawn.known) == drawn.known_truth).all(axis=1)
        errors = (_rules(drawn.X) != labels).sum(axis=1)
        least = errors[right].min()
        clear += bool(errors[~right].min() > least)
        none += bool(errors[0] <= least)
    return Evidence(seeds, clear, none)


def _rules(robots: pd.DataFrame) -> Bools:
    """Where each rule holds, the one of two literals first. Shape: (rules, rows)."""
    values = {
        (name, value): (robots[name] == value).to_numpy(bool)
        for name, all_values in ATTRIBUTES.items()
        for value in all_values
    }
    color, shape = ~values["jacket_color", "blue"], ~values["body_shape", "octagon"]
    literals = [*values.values(), *(~each for each in values.values())]
    rules = [color & shape]
    for one, two in combinations(literals, 2):
        both, any_ = one & two, one | two
        rules += [
            rules[0] | both,
            rules[0] & any_,
            color & (shape | both),
            shape & (color | both),
        ]
    return np.array(rules)
