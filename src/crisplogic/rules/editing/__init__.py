"""Rules changed by hand: every function takes a rule set and returns another.

They are the methods of the same names of :class:`~crisplogic.rules.RuleSet`.
"""

from crisplogic.rules.editing.crisp import as_crisp
from crisplogic.rules.editing.rules import rename, with_intercept, with_rule, with_scale
from crisplogic.rules.editing.terms import with_term, without_term
from crisplogic.rules.editing.thresholds import with_threshold

__all__ = [
    "as_crisp",
    "rename",
    "with_intercept",
    "with_rule",
    "with_scale",
    "with_term",
    "with_threshold",
    "without_term",
]
