"""How large should rules be? What was found at each size, and what it is worth on new rows.

Then the rules go into a file, and predict in a process that has numpy alone.

Run it with: python examples/choose_a_size.py
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.model_selection import train_test_split

from crisplogic import LogicClassifier, cross_validate
from crisplogic.datasets import load_breast_cancer_wisconsin

data = load_breast_cancer_wisconsin()
X, X_new, y, y_new = train_test_split(
    data.to_frame(), data.y, test_size=0.3, stratify=data.y, random_state=0
)
clf = LogicClassifier(random_state=0).fit(X, y)
print("Rules of all sizes that were found, and the one that held-out rows chose:")
print(clf.frontier_.to_text(mark=clf.rules_.size))
print(f"{clf.score(X_new, y_new):.1%} right on {len(y_new)} new rows:")
print(clf.rules_)

for size in (2, 12):
    rules = clf.rules_at(size)
    right = np.mean(rules.predict(X_new) == y_new)
    print(f"\nAt most {size} literals, {right:.1%} right on the same rows:")
    print(rules)

print(
    "\nPrices decide how large the largest rules are; all folds of all penalties learn at once:"
)
penalties = {"literal_penalty": [3e-4, 1e-3, 3e-3]}
largest = LogicClassifier(folds=0, restarts=1, random_state=0)  # nobody chooses smaller ones
scores = cross_validate(largest, X, y, cv=3, penalties=penalties)
for price in penalties["literal_penalty"]:
    folds = [point["literal_penalty"] == price for point in scores["params"]]
    right, literals = scores["test_score"][folds].mean(), scores["literals"][folds].tolist()
    print(f"  literal_penalty={price:<6}  {right:.1%} right, literals {literals}")

ALONE = """
import sys
import numpy as np
from crisplogic import RuleSet
rules = RuleSet.load(sys.argv[1])
print(rules.predict(np.loadtxt(sys.argv[2], delimiter=","))[:4])
print("loaded:", [name for name in ("numpy", "sklearn", "torch") if name in sys.modules])
"""
print("\nThe chosen rules, here and in a process of their own:")
print(clf.predict(X_new)[:4])
with TemporaryDirectory() as folder:
    clf.rules_.save(Path(folder, "rules.json"))
    np.savetxt(Path(folder, "new.csv"), X_new, delimiter=",")
    command = [sys.executable, "-c", ALONE, "rules.json", "new.csv"]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    print(done.stdout, end="")
