"""Rules as data: what each term is worth, where rules disagree, why a row is what it is.

Run it with: python examples/explain_rows.py
"""

from __future__ import annotations

from crisplogic import ClassificationRules
from crisplogic.datasets import load_breast_cancer_wisconsin
from crisplogic.expr import parse
from crisplogic.rules import Ramp, Rule

data = load_breast_cancer_wisconsin()
rules = ClassificationRules(
    features=data.feature_names,
    memberships=(Ramp(7, 4.5, 15.38), Ramp(2, 0.5, 7.96), Ramp(5, -1.0, 3.42)),
    rules=(Rule("benign", parse("unknown")), Rule("malignant", parse("(0 | 1) + 2"))),
    scale=2.5,
    intercepts=(0.44, 0.0),
)
print(rules)

print("\nWhat each part is worth on all rows (rules.to_frame gives it as a data frame):")
for each in rules.evidence(data.X, data.y):
    print(
        f"  {each.kind} of {each.label}: {each.text}\n"
        f"    true in {each.support:.0%} of the rows and in {each.coverage:.0%} of those that "
        f"are {each.label};\n"
        f"    {each.precision:.0%} of the rows where it is true are {each.label}; "
        f"without it {each.effect:+.1f} points of error"
    )

print("\nWhere rules disagree or say nothing (benign is a mere bar, which always says yes):")
print(rules.conflicts(data.X))

print("\nWhy row 5 is what it is:")
print(rules.explain(data.X[5]))

print("\nAnd row 23, where a value is missing:")
print(rules.explain(data.X[23]))
