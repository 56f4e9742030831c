"""
Explain rows
============

Rules are data. You can ask what each term contributes, where rules disagree, and why a row is
predicted as it is.
"""

# %%
# The rules
# ---------
#
# These are written by hand, so that they are the same on every machine. They predict whether
# a tumour is malignant.

from crisplogic.datasets import load_breast_cancer_wisconsin
from crisplogic.expr import parse
from crisplogic.rules import ClassificationRules, Ramp, Rule

data = load_breast_cancer_wisconsin()
rules = ClassificationRules(
    features=data.feature_names,
    memberships=(Ramp(7, 4.5, 15.38), Ramp(2, 0.5, 7.96), Ramp(5, -1.0, 3.42)),
    rules=(Rule("benign", parse("unknown")), Rule("malignant", parse("(0 | 1) + 2"))),
    scale=2.5,
    intercepts=(0.44, 0.0),
)
print(rules)

# %%
import matplotlib.pyplot as plt

from crisplogic.plot import plot_rules

figure, ax = plt.subplots(figsize=(6, 1.8), layout="constrained")
plot_rules(rules, ax=ax)
plt.show()

# %%
# What each term contributes
# --------------------------
#
# ``evidence`` returns one record for each rule and each term. ``to_frame`` returns the same
# as a data frame.

for each in rules.evidence(data.X, data.y):
    print(
        f"{each.kind} of {each.label}: {each.text}\n"
        f"  true in {each.support:.0%} of the rows and in {each.coverage:.0%} of those that "
        f"are {each.label}\n"
        f"  {each.precision:.0%} of the rows where it is true are {each.label}\n"
        f"  without it: {each.effect:+.1f} points of error"
    )

# %%
# Where rules disagree
# --------------------
#
# Several rules may say yes for one row, or none of them. Here *benign* is a constant, the
# default, which says yes where *malignant* does not. So these two never disagree.

print(rules.conflicts(data.X))

# %%
# Why a row is predicted as it is
# -------------------------------

print(rules.explain(data.X[5]))

# %%
# In row 23 a value is missing. It is unknown: halfway between false and true.

print(rules.explain(data.X[23]))
