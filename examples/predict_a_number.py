"""Rules that predict a number: the price of a house, and why it is what it is.

A linear regression and a decision tree of the same size stand beside them. How prices were
made, with two bends and an *and*, suits rules better than lines; other tables suit lines.

Run it with: python examples/predict_a_number.py
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression
from sklearn.metrics import root_mean_squared_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

from crisplogic import LogicRegressor


def houses(rows: int, seed: int) -> tuple[pd.DataFrame, pd.Series]:
    """Houses and their prices, in thousands, give or take 20; some areas are not known."""
    rng = np.random.default_rng(seed)
    rooms = rng.integers(1, 9, rows)
    area = rng.normal(25 * rooms + 20, 15).clip(25).round()
    town = rng.choice(["Northam", "Eastwick", "Southby"], rows, p=[0.5, 0.3, 0.2])
    garden = rng.random(rows) < 0.4
    price = 100 + 1.2 * area.clip(60, 160) + 90 * (town == "Southby")
    price += 60 * (garden & (town != "Eastwick")) + rng.normal(0, 20, rows)
    table = pd.DataFrame(
        {
            "rooms": rooms,
            "area": np.where(rng.random(rows) < 0.1, np.nan, area),
            "town": town,
            "garden": garden,
        }
    )
    return table, pd.Series(price.round(1), name="price")


X, y = houses(rows=500, seed=0)
X_new, y_new = houses(rows=5000, seed=1)
reg = LogicRegressor(max_literals=10, random_state=0).fit(X, y)
rules = reg.rules_
print(f"Learned from {len(X)} houses:")
print(rules)
print(rules.legend())

print("\nThe best rules of every size, and what they are worth where they were not learned:")
print(reg.frontier_.to_text(mark=rules.size))

print("\nWhat each term is worth on houses that are new to it:")
frame = rules.to_frame(X_new, y_new).query("kind == 'term'")
columns = ["text", "support", "mean", "mean_elsewhere", "effect", "unknown"]
print(frame[columns].round(2).to_string(index=False))

house = X_new[X_new["area"].isna()].index[0]
print(
    f"\nWhy a house whose area is not known costs what it does; it was sold for {y_new[house]}:"
)
print(rules.explain(X_new.loc[house]))

print(f"\nRoot mean squared errors on {len(X_new)} houses, of which 20 cannot be avoided:")
print(f"  {root_mean_squared_error(y_new, rules.predict(X_new)):5.1f}  {rules.size} literals")
# Others need words turned into numbers, and gaps filled.
ready = make_column_transformer(
    (OneHotEncoder(), ["town"]), (SimpleImputer(), ["rooms", "area", "garden"])
)
tree = DecisionTreeRegressor(max_leaf_nodes=rules.size + 1, random_state=0)
others = {"a linear regression": LinearRegression(), f"a tree of {rules.size} questions": tree}
for name, other in others.items():
    predicted = make_pipeline(ready, other).fit(X, y).predict(X_new)
    print(f"  {root_mean_squared_error(y_new, predicted):5.1f}  {name}")
predicted = reg.set_params(predict_with="network").predict(X_new)
print(f"  {root_mean_squared_error(y_new, predicted):5.1f}  the soft network behind the rules")
