"""Rules to edit in tests, and what is printed of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import Notation, parse
from crisplogic.rules import ClassificationRules, Membership, Ramp, Rule, RuleSet
from crisplogic.rules.formatting import Wording

Floats = NDArray[np.float64]

# What the rules say is in the names; "age" has no threshold that is used, "weight" none at all.
DIABETES = ClassificationRules(
    features=("glucose", "body mass", "age", "pedigree", "weight"),
    memberships=(
        Ramp(0, 107.0, 147.0),
        Ramp(1, 25.0, 35.0),
        Ramp(0, 150.0, 170.0),
        Membership(3, 0.0, 2.0),
        Ramp(2, 30.0, 50.0),
    ),
    rules=(
        Rule("positive", parse("(0 & ~1) + 2 + 3")),
        Rule("negative", parse("~(0 & ~1) + (~0 | 1)")),
    ),
    scale=1.5,
    intercepts=(0.4, -0.25),
)


def some_rows(rows: int = 200, seed: int = 0) -> Floats:
    """Rows for these rules, one value in ten missing."""
    rng = np.random.default_rng(seed)
    table = rng.uniform([60, 18, 20, 0, 40], [200, 45, 80, 2, 120], (rows, 5)).round(2)
    table[rng.random(table.shape) < 0.1] = np.nan
    return table


def bodies(rules: RuleSet, notation: Notation) -> list[str]:
    """What stands right of the equals signs in the rules of the classes."""
    heads = [*Wording(rules).shared.values(), *rules.heads()]
    width = max(map(len, heads))
    lines = rules.to_text(notation).split("\n")
    return [line[width + 3 :] for line in lines[-len(rules.labels) :]]
