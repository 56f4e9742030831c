"""A table like the nursery table: applications ranked by a hierarchy of rules.

The attributes and their values are those of the nursery table. Its rules are not at hand, so
these are rules of our own with the same hierarchy.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

ROWS = 2000
SEED = 0
ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "parents": ("usual", "pretentious", "great_pret"),
    "has_nurs": ("proper", "less_proper", "improper", "critical", "very_crit"),
    "form": ("complete", "completed", "incomplete", "foster"),
    "children": ("1", "2", "3", "more"),
    "housing": ("convenient", "less_conv", "critical"),
    "finance": ("convenient", "inconv"),
    "social": ("nonprob", "slightly_prob", "problematic"),
    "health": ("recommended", "priority", "not_recom"),
}


def make_nursery(rows: int = ROWS) -> tuple[pd.DataFrame, NDArray[np.str_]]:
    """Some of the 12960 possible applications, in random order. Shape: (rows, 8), (rows,)."""
    every = pd.DataFrame(list(product(*ATTRIBUTES.values())), columns=list(ATTRIBUTES))
    chosen = np.random.default_rng(SEED).permutation(len(every))[:rows]
    found = every.iloc[chosen].reset_index(drop=True)
    return found, rank(found)


def rank(found: pd.DataFrame) -> NDArray[np.str_]:
    """How each application is ranked. Shape: (rows, 8) to (rows,)."""
    employment = (found.parents == "great_pret") | found.has_nurs.isin(
        ["critical", "very_crit"]
    )
    family = (found.form != "complete") & found.children.isin(["3", "more"])
    living = (found.housing == "critical") | (
        (found.housing == "less_conv") & (found.finance == "inconv")
    )
    hard = family | living | (found.social == "problematic")
    recommended = found.health == "recommended"
    return np.select(
        [
            found.health == "not_recom",
            employment & hard,
            recommended & ~employment & ~hard,
        ],
        ["not_recom", "spec_prior", "very_recom"],
        "priority",
    )
