"""Evidence: what every rule and every term is worth on some rows, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from crisplogic.rules.rule import Label

Kind = Literal["term", "rule"]


@dataclass(frozen=True)
class Evidence:
    """What a term, or a rule as a whole, says of some rows.

    A term counts as *true* where it is more true than false: where its value is above 0.

    - ``label``: the class, or the name of the number,
    - ``kind``: "term" or "rule",
    - ``text``: the term as it is written out, or the rule as it is printed,
    - ``literals``: how many there are in it,
    - ``weight``: how often it stands in the sum,
    - ``rows``: the rows where it is true,
    - ``support``: their share of all rows.

    Both kinds of evidence also have ``unknown``, the share of rows where the value is 0 and a
    value that it asks for is missing. A share of nothing is NaN, and so is what needs ``y``
    where there is none. Where rows have weights, a row of weight 2 is two rows.
    """

    label: Label
    kind: Kind
    text: str
    literals: int
    weight: int
    rows: float
    support: float


@dataclass(frozen=True)
class ClassEvidence(Evidence):
    """What a term or a rule says of the class of some rows.

    A rule is true where its score, including the intercept, is above 0. A class with a constant
    alone, as in ``benign = 0.44``, is the default: the other rules are true where they are
    above the constant, and the default where no other rule is.

    - ``coverage``: the share of the rows of its class where it is true,
    - ``precision``: the share of the rows where it is true that are of its class,
    - ``contribution``: what it adds to the score of its class, on average over all rows; that
      of a rule is the sum of those of its terms,
    - ``effect``: by how many percentage points the error would be greater without it (below 0:
      smaller), all else being the same: without the term, or without all terms of the rule.

    A term that counts for several classes has a record, and an effect, for each of them.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, Rule
    >>> ill, well = Rule("ill", parse("0")), Rule("well", parse("~0"))
    >>> rules = ClassificationRules(("glucose",), (Ramp(0, 107.0, 147.0),), (ill, well))
    >>> rows, y = [[90], [150], [160], [None]], ["well", "well", "ill", "ill"]
    >>> for each in rules.evidence(rows, y):
    ...     print(each.kind, each.text, each.rows, each.precision, each.effect, each.unknown)
    rule glucose>127±20 2 0.5 0.0 0.25
    term glucose>127±20 2 0.5 0.0 0.25
    rule glucose<127±20 1 1.0 0.0 0.25
    term glucose<127±20 1 1.0 0.0 0.25
    """

    coverage: float
    precision: float
    contribution: float
    effect: float
    unknown: float


@dataclass(frozen=True)
class NumberEvidence(Evidence):
    """What a term or the rule says of the number of some rows, in the units of the number.

    The rule is true where its value is above 0: there it adds to the number.

    - ``mean``: the mean number of the rows where it is true, ``mean_elsewhere`` of all others,
    - ``contribution``: what it adds to the number, on average over all rows; that of the rule
      is the sum of those of its terms,
    - ``effect``: by how much the root mean squared error would be greater without it (below 0:
      smaller), all else being the same: without the term, or without all terms.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Ramp, RegressionRules, Rule
    >>> price = Rule("price", parse("0"))
    >>> rules = RegressionRules(("rooms",), (Ramp(0, 5.0, 8.0),), (price,), 4.0, (22.0,))
    >>> for each in rules.evidence([[5], [8], [9]], [17.0, 26.0, 28.0]):
    ...     print(each.kind, each.text, each.rows, each.mean, each.mean_elsewhere)
    rule 22 + 4 × (rooms>6.5±1.5) 2 27.0 17.0
    term rooms>6.5±1.5 2 27.0 17.0
    """

    mean: float
    mean_elsewhere: float
    contribution: float
    effect: float
    unknown: float
