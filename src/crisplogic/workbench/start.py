"""Rules to begin with: those of a model, or none yet, of the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import parse
from crisplogic.rules import ClassificationRules, RegressionRules, Rule
from crisplogic.rules.decision import positive_by_name
from crisplogic.rules.memberships import compares_numbers
from crisplogic.rules.rule import AnyRules, Label
from crisplogic.tables import TRUTH, Schema

# One statement is needed for the positive of two classes, once there are some.
ONE_NEEDED = -1.5


def new_rules(schema: Schema, labels: Sequence[Label]) -> ClassificationRules:
    """Crisp rules without a statement for classes, over the columns of a table.

    Of two classes, one statement will be enough for the positive one.

    >>> from crisplogic.tables import infer_schema, read_columns
    >>> schema = infer_schema(read_columns([[41, "red"], [7, "blue"], [8, "red"]]))
    >>> rules = new_rules(schema, ["no", "yes"]).with_rule("yes", "x0>20 + x1 is red + 0.5")
    >>> rules.predict([[7, "red"], [7, "blue"]]).tolist()
    ['yes', 'no']
    """
    rules = tuple(Rule(label, parse("unknown")) for label in labels)
    intercepts = [0.0] * len(labels)
    if len(labels) == 2:
        positive = positive_by_name(labels)
        intercepts[1 if positive is None else positive] = ONE_NEEDED
    return ClassificationRules(
        schema.names,
        (),
        rules,
        1.0,
        tuple(intercepts),
        schema.levels,
        schema.ranges,
        crisp=True,
    )


def new_number_rules(schema: Schema, name: str, y: NDArray[np.float64]) -> RegressionRules:
    """Crisp rules without a statement for a number: its mean. Shape: ``y`` (rows,).

    A statement is worth as much as the numbers vary, until a fit says otherwise.
    """
    mean, spread = float(f"{y.mean():.3g}"), float(f"{y.std() / 2:.2g}")
    rule = Rule(name, parse("unknown"))
    return RegressionRules(
        schema.names,
        (),
        (rule,),
        spread or 1.0,
        (mean,),
        schema.levels,
        schema.ranges,
        crisp=True,
    )


def with_truth_columns(rules: AnyRules) -> AnyRules:
    """The rules of a model, which know what columns that they do not mention hold.

    A column of numbers has a range and one of categories has levels. So one that has neither
    holds truth values.
    """
    if not rules.ranges:
        return rules
    levels = rules.levels or (None,) * len(rules.features)
    compared = {each.feature for each in rules.memberships if compares_numbers(each)}
    return replace(
        rules,
        levels=tuple(
            TRUTH if its is None and ends is None and at not in compared else its
            for at, (its, ends) in enumerate(zip(levels, rules.ranges, strict=True))
        ),
    )
