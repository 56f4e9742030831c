"""
Predict a number
================

:class:`~crisplogic.LogicRegressor` predicts a number: a base value, plus an amount for each
statement that holds. Here it is the price of a house.
"""

# %%
# The data
# --------
#
# Generated houses with prices in thousands. The noise has a standard deviation of 20, so that
# no model can have a smaller error. Some areas are missing.

import numpy as np
import pandas as pd


def make_houses(rows: int, seed: int) -> tuple[pd.DataFrame, pd.Series]:
    """Houses and their prices in thousands."""
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


X, y = make_houses(rows=500, seed=0)
X_new, y_new = make_houses(rows=5000, seed=1)

# %%
# The rules
# ---------

from crisplogic import LogicRegressor

reg = LogicRegressor(restarts=2, folds=3, max_literals=10, random_state=0).fit(X, y)
rules = reg.rules_
print(rules)

# %%
# The best rules of each size:

print(reg.frontier_.to_text(mark=rules.size))

# %%
import matplotlib.pyplot as plt

from crisplogic.plot import plot_frontier

figure, ax = plt.subplots(layout="constrained")
plot_frontier(reg.frontier_, chosen=rules.size, ax=ax)
plt.show()

# %%
# What each term contributes
# --------------------------
#
# On houses that were not learned from:

frame = rules.to_frame(X_new, y_new).query("kind == 'term'")
columns = ["text", "support", "mean", "mean_elsewhere", "effect", "unknown"]
print(frame[columns].round(2).to_string(index=False))

# %%
# Why a house costs what it does
# ------------------------------
#
# The area of this one is missing.

house = X_new[X_new["area"].isna()].index[0]
print(rules.explain(X_new.loc[house]))

# %%
# Other models
# ------------
#
# A linear regression, and a decision tree with as many questions as the rules have literals.
# Both need texts encoded and gaps filled. These prices have two bends and an *and*, which
# suits rules; other tables suit lines.

from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression
from sklearn.metrics import root_mean_squared_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

encode = make_column_transformer(
    (OneHotEncoder(), ["town"]), (SimpleImputer(), ["rooms", "area", "garden"])
)
tree = DecisionTreeRegressor(max_leaf_nodes=rules.size + 1, random_state=0)
predictions = {
    f"rules of {rules.size} literals": rules.predict(X_new),
    "linear regression": make_pipeline(encode, LinearRegression()).fit(X, y).predict(X_new),
    f"tree of {rules.size} questions": make_pipeline(encode, tree).fit(X, y).predict(X_new),
    "the network behind the rules": reg.set_params(predict_with="network").predict(X_new),
}
print(f"root mean squared errors on {len(X_new)} new houses:")
for name, predicted in predictions.items():
    print(f"  {root_mean_squared_error(y_new, predicted):5.1f}  {name}")
