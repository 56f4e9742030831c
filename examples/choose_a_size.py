"""
Choose a size
=============

A fit finds rules of many sizes. Held-out rows say how good each size is, and the estimator
picks one. You can pick another.
"""

# %%
# Learn rules
# -----------
#
# The frontier lists the best rules found at each size, with their errors on the training rows
# and on held-out rows. The arrow marks the size that was chosen.

from sklearn.model_selection import train_test_split

from crisplogic import LogicClassifier
from crisplogic.datasets import load_breast_cancer_wisconsin

data = load_breast_cancer_wisconsin()
X, X_new, y, y_new = train_test_split(
    data.to_frame(), data.y, test_size=0.3, stratify=data.y, random_state=0
)
clf = LogicClassifier(restarts=2, folds=3, random_state=0).fit(X, y)
print(clf.frontier_.to_text(mark=clf.rules_.size))

# %%
print(clf.rules_)
print(f"{clf.score(X_new, y_new):.1%} right on {len(y_new)} new rows")

# %%
# Error against size, as a picture:

import matplotlib.pyplot as plt

from crisplogic.plot import plot_frontier

figure, ax = plt.subplots(layout="constrained")
plot_frontier(clf.frontier_, chosen=clf.rules_.size, ax=ax)
plt.show()

# %%
# Take another size
# -----------------
#
# ``rules_at(size)`` returns the best rules with at most so many literals. Nothing is learned
# again.

for size in (2, 12):
    rules = clf.rules_at(size)
    right = (rules.predict(X_new) == y_new).mean()
    print(f"At most {size} literals, {right:.1%} right on the new rows:")
    print(rules, end="\n\n")

# %%
# Try several penalties at once
# -----------------------------
#
# The penalty on literals decides how large the largest rules are. ``cross_validate`` trains
# all folds of all penalties side by side. With ``folds=0`` nothing smaller is chosen
# afterwards.

from crisplogic import cross_validate

penalties = {"literal_penalty": [3e-4, 3e-3]}
largest = LogicClassifier(folds=0, restarts=1, random_state=0)
scores = cross_validate(largest, X, y, cv=3, penalties=penalties)
for penalty in penalties["literal_penalty"]:
    folds = [point["literal_penalty"] == penalty for point in scores["params"]]
    right, literals = scores["test_score"][folds].mean(), scores["literals"][folds].tolist()
    print(f"literal_penalty={penalty:<6}  {right:.1%} right, literals {literals}")

# %%
# Use the rules without torch
# ---------------------------
#
# Saved rules need numpy alone. Here they predict in a new process.

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

ALONE = """
import sys
import numpy as np
from crisplogic import RuleSet
rules = RuleSet.load("rules.json")
print(rules.predict(np.loadtxt("new.csv", delimiter=","))[:4])
print("loaded:", [name for name in ("numpy", "sklearn", "torch") if name in sys.modules])
"""
print(clf.predict(X_new)[:4])
with TemporaryDirectory() as folder:
    clf.rules_.save(Path(folder, "rules.json"))
    np.savetxt(Path(folder, "new.csv"), X_new, delimiter=",")
    command = [sys.executable, "-c", ALONE]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
print(done.stdout)
