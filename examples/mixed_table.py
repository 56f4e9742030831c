"""A table of categories, truth values, numbers and gaps becomes rules in plain words.

Nothing is encoded, scaled or imputed. What is missing, and what was never seen before, is
unknown; where it matters *that* a value is missing, rules can say so.

Run it with: python examples/mixed_table.py
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from crisplogic import LogicClassifier
from crisplogic.datasets import make_titanic


def applicants(rows: int, seed: int) -> tuple[pd.DataFrame, pd.Series]:
    """People who ask for a loan; who has reasons to does not say what he or she earns."""
    rng = np.random.default_rng(seed)
    income = rng.lognormal(7.8, 0.5, rows).round(-1)
    silent = rng.random(rows) < 0.25
    risk = np.where(silent, 0.7, np.where(income < 2000, 0.3, 0.05))
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "work": rng.choice(["employed", "own business", "retired"], rows),
            "income": np.where(silent, np.nan, income),
        }
    )
    paid = rng.random(rows) >= risk
    return table, pd.Series(np.where(paid, "yes", "no"), name="paid back")


# Passengers that never were. Their names are all different, so no rule could use them.
passengers = pd.DataFrame(make_titanic(rows=3000)).drop(columns="name")
passengers["alone"] = passengers["alone"] == "true"
passengers["port"] = passengers["port"].astype("category")
X, y = passengers.drop(columns="survived"), passengers["survived"]
X, X_new, y, y_new = X[:600], X[600:], y[:600], y[600:]
print(X.head(5).to_string(index=False))

print(f"\nLearned from {len(X)} passengers:")
clf = LogicClassifier(max_literals=6, random_state=0).fit(X, y)
print(clf.rules_)
print(clf.rules_.legend())
print(f"Right on {clf.score(X_new, y_new):.1%} of {len(X_new)} others.")

print("\nA stewardess: her class was never seen, so what rules say of it is unknown.")
stewardess = X_new.iloc[0].copy()
stewardess[["class", "sex"]] = "crew", "female"
print(clf.rules_.explain(stewardess))

X, y = applicants(rows=400, seed=0)
X_new, y_new = applicants(rows=4000, seed=1)
silent = X["income"].isna()
print(
    f"\nOf {len(X)} loans, {(y[silent] == 'yes').mean():.0%} were paid back where nobody knows "
    f"the income, and {(y[~silent] == 'yes').mean():.0%} elsewhere.\n"
    "Rules that have no word for a gap say so in a roundabout way:"
)
for missing_literals in (False, True):
    clf = LogicClassifier(missing_literals=missing_literals, max_literals=6, random_state=0)
    clf.fit(X, y)
    print(f"\nmissing_literals={missing_literals}, {clf.score(X_new, y_new):.1%} right")
    print(clf.rules_)
print("\n", clf.rules_.explain({"age": 50, "work": "retired", "income": None}), sep="")
