"""Edit rules by hand, see what it costs, fit the numbers anew, keep the result.

Run it with: python examples/edit_rules.py
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from crisplogic import ClassificationRules, RuleSet, compare, refit
from crisplogic.datasets import load_breast_cancer_wisconsin
from crisplogic.expr import parse
from crisplogic.rules import Ramp, Rule

data = load_breast_cancer_wisconsin()
# Rules as `crisplogic demo` learns them; your own come from RuleSet.load("rules.json").
learned = ClassificationRules(
    features=data.feature_names,
    memberships=(Ramp(7, 4.5, 15.38), Ramp(2, 0.5, 7.96), Ramp(5, -1.0, 3.42)),
    rules=(Rule("benign", parse("unknown")), Rule("malignant", parse("(0 | 1) + 2"))),
    scale=2.5,
    intercepts=(0.44, 0.0),
)
print("Learned:", learned, sep="\n")

print("\nA doctor would not call a grade of 1.21 conspicuous, and misses the clump thickness:")
edited = learned.with_threshold("bare_nuclei>1.21", 3, width=2)
edited = edited.with_term("malignant", "clump_thickness>6 & cell_size_uniformity>3", width=2)
print(compare(learned, edited, data.X, data.y))

print("\nThe logic stays, the numbers may follow the rows:")
fitted = refit(edited, data.X, data.y)
print(compare(edited, fitted, data.X, data.y))

print("\nA slip of the pen is answered by what there is:")
try:
    fitted.with_rule("malignant", "bare_nucleus>3 + clump_thickness>6")
except ValueError as error:
    print(error)

with TemporaryDirectory() as folder:
    fitted.save(Path(folder, "rules.json"))
    assert RuleSet.load(Path(folder, "rules.json")) == fitted
