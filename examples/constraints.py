"""
Use domain knowledge
====================

Constraints state what you know: a column that must not be used, columns that may act in one
direction only, columns that must not share a term, a bound on the rule of one class. The
rules obey them, whatever they could gain by not doing so.
"""

# %%
# The data
# --------
#
# Generated loans, paid back in time, late or never. Risk falls with the income and rises with
# the debts.

import numpy as np
import pandas as pd


def make_loans(rows: int, seed: int) -> tuple[pd.DataFrame, pd.Series]:
    """Loans that were paid back in time, late or never."""
    rng = np.random.default_rng(seed)
    income = rng.lognormal(7.9, 0.4, rows).round(-1)
    debts = rng.lognormal(8.5, 1.0, rows).round(-2)
    age = rng.integers(18, 80, rows)
    woman = rng.random(rows) < 0.5
    risk = 1.2 * np.log(debts / income) + 0.6 * (age < 30) - 0.5 * woman
    risk += rng.normal(0, 0.8, rows)
    paid = np.array(["in time", "late", "never"])[np.digitize(risk, [0.8, 1.8])]
    table = pd.DataFrame({"income": income, "debts": debts, "age": age, "woman": woman})
    return table, pd.Series(paid, name="paid")


X, y = make_loans(rows=400, seed=0)
X_new, y_new = make_loans(rows=10_000, seed=1)

# %%
# Check what the rules do
# -----------------------
#
# This function raises the income of 500 people step by step and keeps everything else. It
# counts the people whose probability of never paying rises on the way.

from crisplogic import LogicClassifier


def count_violations(clf: LogicClassifier) -> int:
    """How many of 500 people become a higher risk when they earn more."""
    incomes = np.linspace(500, 12_000, 40)
    people = [X_new[:500].assign(income=income) for income in incomes]
    never = np.stack([clf.predict_proba(each)[:, 2] for each in people])
    return int((np.diff(never, axis=0) > 1e-12).any(axis=0).sum())


def learn(**constraints: object) -> LogicClassifier:
    """Learn with a small setting and print what comes out."""
    clf = LogicClassifier(
        epochs=20, restarts=1, folds=2, max_literals=20, random_state=0, **constraints
    ).fit(X, y)
    print(clf.rules_.to_text())
    print(f"{clf.score(X_new, y_new):.1%} right, {clf.rules_.size} literals")
    print("as the income rises:", clf.rules_.directions().get("income", "no change"))
    print(f"a higher risk with more income: {count_violations(clf)} of 500 people")
    return clf


# %%
# No constraints
# --------------
#
# Where a direction is "both", nothing is guaranteed. Whether the rules ever go the wrong way
# depends on the rows.

free = learn()

# %%
# A forbidden column
# ------------------
#
# No rule mentions the column, and the network never sees it.

learn(forbidden_columns=["woman"])

# %%
# Columns that act in one direction
# ---------------------------------
#
# With more income the probability of *never* must not rise, with more debts it must not fall.
# The structure of the rules guarantees this for every row there could be, so the count must
# be 0.

monotone = learn(monotone={"income": {"never": "down"}, "debts": {"never": "up"}})

# %%
# Columns that must not share a term
# ----------------------------------

learn(forbidden_pairs=[("income", "debts")])

# %%
# A bound on one class
# --------------------

learn(max_literals_per_class={"in time": 3})

# %%
# Compare
# -------
#
# The probability of never paying for one person, as the income rises.

import matplotlib.pyplot as plt

incomes = np.linspace(500, 8_000, 200)
person = pd.concat([X_new.iloc[[3]]] * len(incomes)).assign(income=incomes)
figure, ax = plt.subplots(layout="constrained")
for name, clf in {"no constraints": free, "income only down": monotone}.items():
    ax.plot(incomes, clf.predict_proba(person)[:, 2], label=name)
ax.set(xlabel="income", ylabel="probability of never paying")
ax.legend()
plt.show()
