"""
Learn from a mixed table
========================

A table with categories, truth values, numbers and gaps. Nothing is encoded, scaled or
imputed. A value that is missing, or that was never seen before, is unknown.
"""

# %%
# The data
# --------
#
# Generated passengers of a ship like the Titanic. Their names are all different, so that no
# rule could use them.

import pandas as pd

from crisplogic.datasets import make_titanic

passengers = pd.DataFrame(make_titanic(rows=3000)).drop(columns="name")
passengers["alone"] = passengers["alone"] == "true"
passengers["port"] = passengers["port"].astype("category")
X, y = passengers.drop(columns="survived"), passengers["survived"]
X, X_new, y, y_new = X[:600], X[600:], y[:600], y[600:]
print(X.head(5).to_string(index=False))

# %%
# The rules
# ---------
#
# Rules use the values of the table: ``sex is female``, ``age<12``, ``alone``.

from crisplogic import LogicClassifier

settings = {"restarts": 1, "folds": 2, "max_literals": 6, "random_state": 0}
clf = LogicClassifier(**settings).fit(X, y)
print(clf.rules_)
print(f"{clf.score(X_new, y_new):.1%} right on {len(X_new)} other passengers")

# %%
import matplotlib.pyplot as plt

from crisplogic.plot import plot_rules

figure, ax = plt.subplots(figsize=(6.4, 2), layout="constrained")
plot_rules(clf.rules_, ax=ax)
plt.show()

# %%
# A value that was never seen
# ---------------------------
#
# A stewardess travels in the class "crew", which is not in the training rows. What the rules
# say about her class is unknown.

stewardess = X_new.iloc[0].copy()
stewardess[["class", "sex"]] = "crew", "female"
print(clf.rules_.explain(stewardess))

# %%
# A gap that means something
# --------------------------
#
# Sometimes it matters *that* a value is missing. Here people who cannot pay a loan back often
# do not state their income.

import numpy as np


def make_applicants(rows: int, seed: int) -> tuple[pd.DataFrame, pd.Series]:
    """People who apply for a loan, and whether they paid it back."""
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


X, y = make_applicants(rows=400, seed=0)
X_new, y_new = make_applicants(rows=4000, seed=1)

# %%
# With ``missing_literals=True`` rules may say that a value is missing.

for missing_literals in (False, True):
    clf = LogicClassifier(missing_literals=missing_literals, **settings).fit(X, y)
    print(f"missing_literals={missing_literals}, {clf.score(X_new, y_new):.1%} right")
    print(clf.rules_.to_text(), end="\n\n")

# %%
print(clf.rules_.explain({"age": 50, "work": "retired", "income": None}))
