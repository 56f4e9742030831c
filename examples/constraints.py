"""What people know of a domain, as constraints that rules keep to whatever they could gain.

A column that must not be used, columns that may only act one way, columns that must not stand
in one term, and a bound on the rule of a class; and what each of them costs.

Run it with: python examples/constraints.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from crisplogic import LogicClassifier


def loans(rows: int, seed: int) -> tuple[pd.DataFrame, pd.Series]:
    """Loans that were paid back in time, late or never."""
    rng = np.random.default_rng(seed)
    income = rng.lognormal(7.9, 0.4, rows).round(-1)
    debts = rng.lognormal(8.5, 1.0, rows).round(-2)
    age = rng.integers(18, 80, rows)
    woman = rng.random(rows) < 0.5
    worry = 1.2 * np.log(debts / income) + 0.6 * (age < 30) - 0.5 * woman
    worry += rng.normal(0, 0.8, rows)
    fate = np.array(["in time", "late", "never"])[np.digitize(worry, [0.8, 1.8])]
    table = pd.DataFrame({"income": income, "debts": debts, "age": age, "woman": woman})
    return table, pd.Series(fate, name="paid")


def against_reason(clf: LogicClassifier) -> int:
    """How many of 500 people are less to be trusted if they earned more, all else the same."""
    incomes = np.linspace(500, 12_000, 40)
    people = [X_new[:500].assign(income=income) for income in incomes]
    never = np.stack([clf.predict_proba(each)[:, 2] for each in people])
    return int((np.diff(never, axis=0) > 1e-12).any(axis=0).sum())


X, y = loans(rows=400, seed=0)
X_new, y_new = loans(rows=10_000, seed=1)
asked: dict[str, dict[str, Any]] = {
    "no constraints": {},
    "no word of sex": {"forbidden_columns": ["woman"]},
    "income and debts act one way": {
        "monotone": {"income": {"never": "down"}, "debts": {"never": "up"}}
    },
    "income and debts in no term together": {"forbidden_pairs": [("income", "debts")]},
    'at most 3 literals on "in time"': {"max_literals_per_class": {"in time": 3}},
}
guess = (y_new == y.mode()[0]).mean()
print(f"{len(X)} loans to learn from; guessing the most frequent class is {guess:.1%} right.")
quick = {"restarts": 2, "folds": 3, "max_literals": 12, "random_state": 0}
for name, constraints in asked.items():
    clf = LogicClassifier(**quick, **constraints).fit(X, y)
    print(f"\n{name}: {clf.score(X_new, y_new):.1%} right, {clf.rules_.size} literals")
    print(clf.rules_)
    print("as the income rises:", clf.rules_.directions().get("income", "nothing"))
    print(f"less to be trusted with a greater income: {against_reason(clf)} of 500 people")
