"""
Edit rules by hand
==================

Rules are text. You can change a threshold, add or remove a term, see what the change costs,
and fit the numbers again while the logic stays.
"""

# %%
# Rules to start from
# -------------------
#
# Your own rules come from ``RuleSet.load("rules.json")`` or from a fitted estimator. These
# ones are written by hand. A threshold that does not exist yet is created; ``width`` says how
# gradual it is.

from crisplogic.datasets import load_breast_cancer_wisconsin
from crisplogic.expr import parse
from crisplogic.rules import ClassificationRules, Rule

data = load_breast_cancer_wisconsin()
empty = ClassificationRules(
    features=data.feature_names,
    memberships=(),
    rules=(Rule("benign", parse("unknown")), Rule("malignant", parse("unknown"))),
)
rules = (
    empty.with_rule(
        "malignant", "(normal_nucleoli>6 | cell_shape_uniformity>4) + bare_nuclei>1.2", width=3
    )
    .with_intercept("benign", 0.44)
    .with_scale(2.5)
)
print(rules)
print(rules.legend())

# %%
# Change them
# -----------
#
# Every edit returns new rules. ``compare`` says what changes on a table: errors, losses, the
# rows that are predicted differently, and a diff.

from crisplogic import compare

edited = rules.with_threshold("bare_nuclei>1.2", 3, width=2)
edited = edited.with_term("malignant", "clump_thickness>6 & cell_size_uniformity>3", width=2)
print(compare(rules, edited, data.X, data.y))

# %%
# Fit the numbers again
# ---------------------
#
# ``refit`` changes thresholds, widths, intercepts and scale. It leaves the logic alone.

from crisplogic import refit

fitted = refit(edited, data.X, data.y)
print(compare(edited, fitted, data.X, data.y))

# %%
# Typing errors
# -------------
#
# An error quotes the text, points at the place and says what is possible.

try:
    fitted.with_rule("malignant", "bare_nucleus>3 + clump_thickness>6")
except ValueError as error:
    print(error)

# %%
# Save them
# ---------
#
# Edited rules predict, print, save and draw like learned ones.

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt

from crisplogic import RuleSet
from crisplogic.plot import plot_rules

with TemporaryDirectory() as folder:
    fitted.save(Path(folder, "rules.json"))
    assert RuleSet.load(Path(folder, "rules.json")) == fitted

figure, ax = plt.subplots(figsize=(7, 2.4), layout="constrained")
plot_rules(fitted, ax=ax)
plt.show()
