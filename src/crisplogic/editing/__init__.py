"""Rules changed by hand: what a change costs, and numbers fitted anew for logic that stays.

The changes themselves are methods of :class:`~crisplogic.rules.RuleSet`: ``with_threshold``,
``with_rule``, ``with_term``, ``with_intercept``, ``with_scale``, ``without`` and ``renamed``.
"""

from crisplogic.editing.comparison import Comparison, NumberComparison, compare
from crisplogic.editing.figures import Figures, NumberFigures
from crisplogic.editing.fitting import refit

__all__ = [
    "Comparison",
    "Figures",
    "NumberComparison",
    "NumberFigures",
    "compare",
    "refit",
]
