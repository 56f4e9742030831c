"""RegressionRules: one rule that predicts a number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import RuleError
from crisplogic.messages import list_some
from crisplogic.rules.analysis.accumulator import NumberAccumulator
from crisplogic.rules.analysis.directions import number_directions
from crisplogic.rules.analysis.evidence import NumberEvidence
from crisplogic.rules.analysis.explain import NumberExplainer
from crisplogic.rules.analysis.explanation import NumberExplanation
from crisplogic.rules.formatting import format_number_rule
from crisplogic.rules.formulas import format_number_prediction
from crisplogic.rules.ruleset import RuleSet
from crisplogic.rules.targets import Targets, number_targets

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RegressionRules(RuleSet):
    """One rule that predicts a number. Its label is the name of the number.

    The score is the number itself: the intercept plus ``scale`` times the value of the
    expression. So a true term adds ``scale``, and a false one subtracts it.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Membership, Rule
    >>> price = RegressionRules(
    ...     features=("rooms", "age"),
    ...     memberships=(Membership(0, 4.0, 8.0), Membership(1, 0.0, 100.0)),
    ...     rules=(Rule("price", parse("0 + ~(0 & 1)")),),
    ...     scale=4.5,
    ...     intercepts=(22.5,),
    ... )
    >>> print(price.to_text())
    price = 22.5 + 4.5 × (rooms + ¬(rooms & age))
    >>> price.predict([[8, 0], [8, 100], [4, 50]]).tolist()
    [31.5, 22.5, 22.5]
    """

    predicts = "number"
    counted = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.rules) != 1:
            raise RuleError(
                f"rules that predict a number have one rule, that of the number; "
                f"got {list_some(self.labels)}"
            )

    def predict(self, table: Any, coded: bool = False) -> Floats:
        """The number of every row. Shape: (rows, features) to (rows,)."""
        return self.scores(table, coded)[:, 0]

    @property
    def factors(self) -> tuple[float, ...]:
        """The scale: it is part of the number."""
        return (self.scale,)

    def read_targets(self, rows: int, y: Any, sample_weight: Any) -> Targets[np.float64]:
        """The numbers ``y``, and weights."""
        return number_targets(rows, y, sample_weight)

    format_rule = staticmethod(format_number_rule)
    format_prediction = format_number_prediction

    directions = number_directions

    def evidence(
        self, table: Any, y: Any = None, sample_weight: Any = None
    ) -> list[NumberEvidence]:
        """What the rule and every term is worth, see :class:`NumberEvidence`."""
        return NumberAccumulator(self, table, y, sample_weight).records()

    def explain(self, row: Any) -> NumberExplanation:
        """Why a number is predicted for one row, see :class:`NumberExplanation`.

        >>> from crisplogic.expr import parse
        >>> from crisplogic.rules import Ramp, Rule
        >>> ramps = Ramp(0, 107.0, 147.0), Ramp(1, 30.0, 50.0)
        >>> price = Rule("price", parse("(0 & ~1) + 0"))
        >>> rules = RegressionRules(("rooms", "age"), ramps, (price,), 4.0, (22.5,))
        >>> print(rules.explain({"rooms": 150, "age": 35}))
        predicted: price = 28.5
        <BLANKLINE>
          +22.500                  anyway
           +2.000  +0.50  true     rooms>127 & age<40
                          +1.00  true     rooms>127    rooms = 150
                          +0.50  true     age<40       age = 35
           +4.000  +1.00  true     rooms>127           rooms = 150
        """
        return NumberExplainer(self).explain(row)

    def explain_each(self, table: Any) -> Iterator[NumberExplanation]:
        """An explanation of each row of a table, one after the other."""
        return NumberExplainer(self).explain_each(table)
