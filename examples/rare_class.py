"""
Find a rare class
=================

One payment in a hundred is a fraud. Without weights, rules make the fewest errors when they
hardly ever predict a fraud. Weights of classes let both classes count the same. Weights of
rows say what each error costs.
"""

# %%
# The data
# --------
#
# Generated payments by card. Frauds are more frequent among large payments, at night and from
# abroad.

import numpy as np
import pandas as pd

FALSE_ALARM = 20.0  # what a false alarm costs


def make_payments(rows: int, seed: int) -> tuple[pd.DataFrame, pd.Series]:
    """Payments, and whether each was fine or a fraud."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "amount": rng.lognormal(4, 1, rows).round(2),
            "hour": rng.integers(0, 24, rows),
            "abroad": rng.random(rows) < 0.15,
            "age": rng.integers(18, 90, rows),
        }
    )
    signs = np.stack([table["amount"] > 150, table["hour"] < 6, table["abroad"]]).sum(axis=0)
    chance = np.array([0.001, 0.005, 0.08, 0.3])[signs]
    return table, pd.Series(np.where(rng.random(rows) < chance, "fraud", "fine"))


X, y = make_payments(rows=4000, seed=0)
X_new, y_new = make_payments(rows=50_000, seed=1)
is_fraud = y_new == "fraud"
print(f"{(y == 'fraud').sum()} of the {len(y)} payments to learn from are frauds")

# %%
# A report
# --------
#
# What the rules find among payments that they were not learned from, and what their errors
# cost. First for a model that never predicts a fraud.

costs: dict[str, float] = {}


def report(name: str, alarms: pd.Series) -> None:
    """Print recall, precision, errors and costs."""
    found, false = (alarms & is_fraud).sum(), (alarms & ~is_fraud).sum()
    costs[name] = X_new["amount"][is_fraud & ~alarms].sum() + FALSE_ALARM * false
    precision = f"{found / alarms.sum():.0%}" if alarms.any() else "-"
    print(f"frauds found   {found} of {is_fraud.sum()}, recall {found / is_fraud.sum():.0%}")
    print(f"alarms         {alarms.sum()}, precision {precision}")
    print(f"wrong          {(alarms != is_fraud).mean():.1%} of {len(is_fraud)} payments")
    print(f"money lost     {costs[name]:,.0f}")


report("no rules", pd.Series(False, index=y_new.index))

# %%
# Every payment counts the same
# -----------------------------

from crisplogic import LogicClassifier

settings = {"epochs": 20, "restarts": 1, "folds": 3, "max_literals": 8, "random_state": 0}
clf = LogicClassifier(**settings).fit(X, y)
report("no weights", pd.Series(clf.predict(X_new) == "fraud"))
print(clf.rules_.to_text())

# %%
# Both classes count the same
# ---------------------------

clf = LogicClassifier(class_weight="balanced", **settings).fit(X, y)
report("class_weight", pd.Series(clf.predict(X_new) == "fraud"))
print(clf.rules_.to_text())

# %%
# Every payment counts what an error costs
# ----------------------------------------

cost_of_error = np.where(y == "fraud", X["amount"], FALSE_ALARM)
clf = LogicClassifier(**settings).fit(X, y, sample_weight=cost_of_error)
report("sample_weight", pd.Series(clf.predict(X_new) == "fraud"))
print(clf.rules_.to_text())

# %%
# What it costs, side by side:

import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(6.4, 3), layout="constrained")
ax.barh(list(costs), list(costs.values()))
ax.invert_yaxis()
ax.set_xlabel("money lost")
plt.show()
