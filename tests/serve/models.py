"""Rule sets to serve, and rows for them as clients send them."""

from __future__ import annotations

import random
from typing import Any

from crisplogic.expr import parse
from crisplogic.rules import (
    ClassificationRules,
    Flag,
    Level,
    Missing,
    Ramp,
    RegressionRules,
    Rule,
    RuleSet,
    Step,
)
from crisplogic.tables import TRUTH, Levels

NAMES = ("age", 'bmi "kg/m²"', "smoker", "port", "deck", "not mentioned")
LEVELS = (None, None, TRUTH, Levels(("S", "C"), ("Q",)), Levels(("1", "2"), values="numbers"))
RANGES = ((17.0, 90.0), (15.5, 60.0), None, None, None, (0.0, 1.0))
LITERALS = (Flag(2), Level(3, 0, "S"), Level(3, 2, None), Level(4, 1, "2"), Missing(0))
STEPS = (Step(0, 40.0), Step(1, 30.5), *LITERALS)
RAMPS = (Ramp(0, 30.0, 50.0), Ramp(1, 25.5, 35.5), *LITERALS)

CHECKLIST = ClassificationRules(
    NAMES,
    STEPS,
    (Rule("ill", parse("(0 & 1) + 2 + (3 | 5) + ~4 + 6")), Rule("well", parse("unknown"))),
    0.8,
    (-0.5, 0.0),
    (*LEVELS, None),
    RANGES,
    crisp=True,
)
SCORE_CARD = ClassificationRules(
    NAMES,
    RAMPS,
    (
        Rule(3, parse("(0 & 1) + 2")),
        Rule(1, parse("~3 + 5")),
        Rule(-2, parse("6 + 4")),
    ),
    1.5,
    (0.0, 0.25, -0.5),
    (*LEVELS, None),
)
NUMBER = RegressionRules(
    NAMES,
    STEPS,
    (Rule("fare", parse("0 + 2 × (1 | 3) + ~2")),),
    0.25,
    (3.5,),
    (*LEVELS, None),
    RANGES,
    crisp=True,
    transform="log1p",
)
MODELS: dict[str, RuleSet] = {"checklist": CHECKLIST, "scores": SCORE_CARD, "number": NUMBER}

CELLS: dict[str, list[Any]] = {
    "age": [None, 40, 40.5, 17, -1e300, 45.25, 1e6],
    'bmi "kg/m²"': [None, 30.5, 30.500001, 12, 33.0],
    "smoker": [None, True, False],
    "port": [None, "S", "C", "Q", " S ", "unknown", ""],
    "deck": [None, 1, 2, 2.0, 3],
}


def some_rows(count: int, seed: int = 0) -> list[dict[str, Any]]:
    """Rows with gaps, values at thresholds, and values that training never saw."""
    rng = random.Random(seed)
    return [{name: rng.choice(cells) for name, cells in CELLS.items()} for _ in range(count)]


def as_table(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same rows with all columns of the model, as the library reads them."""
    return [{"not mentioned": None, **row} for row in rows]
