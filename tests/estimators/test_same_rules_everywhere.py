"""The same table gives the same crisp rules, whatever arithmetic a processor has.

Each setting is a process of its own: the libraries read these variables when they are loaded.
A library ignores what the processor does not know.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

SETTINGS = {
    "oldest": {
        "ATEN_CPU_CAPABILITY": "default",
        "OPENBLAS_CORETYPE": "Prescott",
        "OMP_NUM_THREADS": "1",
        "MKL_CBWR": "COMPATIBLE",
    },
    "avx2, Intel, two threads": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "OPENBLAS_CORETYPE": "Haswell",
        "OMP_NUM_THREADS": "2",
    },
    "avx2, AMD, another seed": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "OPENBLAS_CORETYPE": "Zen",
        "OMP_NUM_THREADS": "1",
    },
}
VARIABLES = {name for each in SETTINGS.values() for name in each}
SEEDS = dict(zip(SETTINGS, (0, 0, 1), strict=True))

# Prints the rules of all fits, and of all sizes, as JSON.
PROGRAM = """
import json
import sys
import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes
from crisplogic import LogicClassifier, LogicRegressor
from crisplogic.datasets import load_breast_cancer_wisconsin, load_vehicle, make_titanic

QUICK = {"epochs": 2, "restarts": 1, "folds": 2, "max_literals": 4}

def rules_of(estimator, X, y, seed):
    fitted = estimator(**QUICK, random_state=seed).fit(X, y)
    return {
        "rules": fitted.rules_.to_json(),
        "frontier": [point.rules.to_json() for point in fitted.frontier_],
    }

two = load_breast_cancer_wisconsin()
four = load_vehicle()
titanic = pd.DataFrame(make_titanic(200, seed=0)).replace("", np.nan)
titanic = titanic.dropna(subset=["survived"])
gaps = titanic.drop(columns=["survived", "name"]), titanic["survived"]
number = load_diabetes(return_X_y=True, scaled=False)
fits = {
    "two classes": (LogicClassifier, two.X[:200], two.y[:200]),
    "four classes": (LogicClassifier, four.X[:120], four.y[:120]),
    "categories and gaps": (LogicClassifier, *gaps),
    "a number": (LogicRegressor, *number),
}
seed = int(sys.argv[1])
print(json.dumps({name: rules_of(*fit, seed) for name, fit in fits.items()}))
"""
FITS = ("two classes", "four classes", "categories and gaps", "a number")


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """What each setting learned; all run at the same time."""
    running = {name: start(setting, SEEDS[name]) for name, setting in SETTINGS.items()}
    printed = {name: process.communicate()[0] for name, process in running.items()}
    assert [process.returncode for process in running.values()] == [0] * len(running)
    return {name: json.loads(text) for name, text in printed.items()}


def start(setting: dict[str, str], seed: int) -> subprocess.Popen[str]:
    plain = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, str(seed)],
        env={**plain, **setting},
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("fit", FITS)
def test_every_arithmetic_gives_the_same_rules(found: dict[str, Any], fit: str) -> None:
    first, second = (found[name][fit]["rules"] for name in SETTINGS if SEEDS[name] == 0)
    assert first == second


@pytest.mark.parametrize("fit", FITS)
def test_every_arithmetic_and_seed_gives_the_same_rules_of_every_size(
    found: dict[str, Any], fit: str
) -> None:
    # A seed draws the held-out rows, which choose the size: that alone may differ.
    first, *others = (learned[fit]["frontier"] for learned in found.values())
    assert all(other == first for other in others)


@pytest.mark.parametrize("fit", FITS)
def test_there_is_something_to_be_the_same(found: dict[str, Any], fit: str) -> None:
    for learned in found.values():
        assert len(learned[fit]["frontier"]) > 2
        assert json.loads(learned[fit]["rules"])["crisp"] is True
