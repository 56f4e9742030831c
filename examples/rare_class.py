"""One payment in a hundred is a fraud: what rules do about a class that is so rare.

Left alone, rules are wrong least often if they hardly ever call anything a fraud. Weights of
classes let both count the same, weights of rows say what each single mistake costs.

Run it with: python examples/rare_class.py
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from crisplogic import LogicClassifier

TROUBLE = 20.0  # what a false alarm costs


def payments(rows: int, seed: int) -> tuple[pd.DataFrame, pd.Series]:
    """Payments by card: large ones, at night, from abroad are more often frauds."""
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


def report(title: str, alarms: pd.Series) -> None:
    """What is found among payments that nobody learned from, and what it costs."""
    found, false = (alarms & frauds).sum(), (alarms & ~frauds).sum()
    lost = X_new["amount"][frauds & ~alarms].sum() + TROUBLE * false
    precision = f"{found / alarms.sum():.0%}" if alarms.any() else "-"
    print(f"\n{title}")
    print(f"  frauds found   {found} of {frauds.sum()}, recall {found / frauds.sum():.0%}")
    print(f"  alarms         {alarms.sum()}, precision {precision}")
    print(f"  wrong          {(alarms != frauds).mean():.1%} of {len(frauds)} payments")
    print(f"  money lost     {lost:,.0f}")


X, y = payments(rows=4000, seed=0)
X_new, y_new = payments(rows=50_000, seed=1)
frauds = y_new == "fraud"
print(f"{(y == 'fraud').sum()} of the {len(y)} payments to learn from are frauds.")
report("Nothing is ever called a fraud:", pd.Series(False, index=y_new.index))

costs = np.where(y == "fraud", X["amount"], TROUBLE)
for title, class_weight, sample_weight in (
    ("Every payment counts the same:", None, None),
    ('Both classes count the same, class_weight="balanced":', "balanced", None),
    ("Every payment counts what a mistake costs, sample_weight=costs:", None, costs),
):
    clf = LogicClassifier(class_weight=class_weight, max_literals=8, random_state=0)
    clf.fit(X, y, sample_weight=sample_weight)
    report(title, pd.Series(clf.predict(X_new) == "fraud"))
    print(clf.rules_)
