"""RegressionRules: one rule that predicts a number."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import RuleError
from crisplogic.messages import list_some
from crisplogic.rules.analysis.accumulator import NumberAccumulator
from crisplogic.rules.analysis.counterfactual import Goal, make_finder
from crisplogic.rules.analysis.directions import number_directions
from crisplogic.rules.analysis.evidence import NumberEvidence
from crisplogic.rules.analysis.explain import NumberExplainer
from crisplogic.rules.analysis.explanation import NumberExplanation
from crisplogic.rules.formatting import distinct_labels, format_number_rule
from crisplogic.rules.formulas import format_number_prediction
from crisplogic.rules.ruleset import RuleSet
from crisplogic.rules.targets import Targets, number_targets
from crisplogic.rules.transforms import TRANSFORMS

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RegressionRules(RuleSet):
    """One rule that predicts a number. Its label is the name of the number.

    The score is the number itself: the intercept plus ``scale`` times the value of the
    expression. So a true term adds ``scale``, and a false one subtracts it.

    With a ``transform``, the score is the logarithm of the number ("log"), or of the number
    plus 1 ("log1p"), and is printed so. A true term then multiplies the number.

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
    >>> import math
    >>> from dataclasses import replace
    >>> doubled = replace(price, scale=math.log(2), intercepts=(3.0,), transform="log")
    >>> print(replace(doubled, scale=0.69).to_text())
    log(price) = 3 + 0.69 × (rooms + ¬(rooms & age))
    >>> (doubled.predict([[8, 0]]) / doubled.predict([[8, 100]])).round(9).tolist()
    [4.0]
    """

    transform: str | None = None

    predicts = "number"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.transform is not None and self.transform not in TRANSFORMS:
            raise RuleError(
                f"a transform is one of {list_some(TRANSFORMS)} or None, got {self.transform!r}"
            )
        if len(self.rules) != 1:
            raise RuleError(
                f"rules that predict a number have one rule, that of the number; "
                f"got {list_some(self.labels)}"
            )

    def predict(self, table: Any, coded: bool = False) -> Floats:
        """The number of every row. Shape: (rows, features) to (rows,)."""
        return self.numbers(self.scores(table, coded)[:, 0])

    def numbers(self, scores: Floats) -> Floats:
        """The numbers that scores mean. Shape: any, to the same."""
        return scores if self.transform is None else TRANSFORMS[self.transform].inverse(scores)

    def transformed(self, y: Floats) -> Floats:
        """The scores that would predict these numbers. Shape: (rows,) to (rows,)."""
        if self.transform is None:
            return y
        return TRANSFORMS[self.transform].forward(y, f"the logarithm of {self.labels[0]!r}")

    def own_parts(self) -> dict[str, Any]:
        """The transform."""
        return {} if self.transform is None else {"transform": self.transform}

    def heads(self) -> list[str]:
        """What the rule is called in print: the number, or its transform."""
        [name] = distinct_labels(self.labels)
        return [name if self.transform is None else TRANSFORMS[self.transform].written(name)]

    def outputs(self, scores: Floats) -> Floats:
        """The numbers. Shape: (rows, 1) to (rows, 1)."""
        return self.numbers(scores)

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
        found = NumberAccumulator(self, judged=y is not None)
        return found.add(table, y, sample_weight).records()

    def explain(
        self,
        row: Any,
        changeable: Collection[str] | str | None = None,
        goal: Goal | None = None,
    ) -> NumberExplanation:
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
           +2.000  +0.50           rooms>127±20 & age<40±10
                          +1.00  true     rooms>127±20       rooms = 150
                          +0.50           age<40±10          age = 35
           +4.000  +1.00  true     rooms>127±20              rooms = 150

        With ``changeable`` columns, a list or ``"all"``, and a ``goal``, the explanation has
        the smallest change of one or two of them that reaches it; see :class:`Counterfactual`.

        >>> goal = Goal(by=1)
        >>> print(rules.explain([150, 35], changeable="all", goal=goal).counterfactual)
        price would be 29.7 if age were 32 instead of 35
        """
        return NumberExplainer(self).explain(row, make_finder(self, changeable, goal))

    def explain_each(
        self,
        table: Any,
        changeable: Collection[str] | str | None = None,
        goal: Goal | None = None,
    ) -> Iterator[NumberExplanation]:
        """An explanation of each row of a table, one after the other."""
        finder = make_finder(self, changeable, goal)
        return NumberExplainer(self).explain_each(table, finder)
