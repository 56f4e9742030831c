"""Evidence and NumberEvidence: what every term of some rules is worth on rows, as data."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules.analysis.accumulator import ClassTally, Kind, NumberTally, share
from crisplogic.rules.formatting import Wording
from crisplogic.rules.rule import Label
from crisplogic.rules.targets import Answers, NumberAnswers

if TYPE_CHECKING:
    import pandas

    from crisplogic.rules.ruleset import RuleSet

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    """What a term says of some rows, or a rule as a whole.

    A term is *true* where its value is above 0, a rule where its score is: intercept included.

    - ``label``: the class; ``kind``: "term" or "rule"; ``text``: the term as it is written
      out, or the rule as it is printed,
    - ``literals``: how many there are in it; ``weight``: how often it stands in the sum,
    - ``rows``: the rows where it is true; ``support``: their share of all rows,
    - ``coverage``: the share of the rows of its class where it is true,
    - ``precision``: the share of the rows where it is true that are of its class,
    - ``contribution``: what it adds to the score of its class, on average over all rows; that
      of a rule is the sum of those of its terms,
    - ``effect``: by how many percentage points the error would be greater without it (below 0:
      smaller), all else being the same: without the term, or without all terms of the rule,
    - ``unknown``: the share of rows where its value is 0 and a value that it asks for is
      missing.

    A term that counts for several classes has a record, and an effect, for each of them.
    Where there is nothing to be a share of, or no ``y``, it is NaN. Where rows have weights,
    a row of weight 2 is two rows in all of these.
    """

    label: Label
    kind: Kind
    text: str
    literals: int
    weight: int
    rows: float
    support: float
    coverage: float
    precision: float
    contribution: float
    effect: float
    unknown: float


@dataclass(frozen=True)
class NumberEvidence:
    """What a term says of some rows whose numbers are known, or the rule as a whole.

    It is *true* where its value is above 0: there it adds to the number.

    - ``label``: the name of the number; ``kind``, ``text``, ``literals``, ``weight``, ``rows``,
      ``support`` and ``unknown`` as in :class:`Evidence`,
    - ``mean``: the mean number of the rows where it is true, ``mean_elsewhere`` of all others,
    - ``contribution``: what it adds to the number, on average over all rows; that of the rule
      is the sum of those of its terms,
    - ``effect``: by how much the root mean squared error would be greater without it (below 0:
      smaller), all else being the same: without the term, or without all terms.

    Numbers are in the units of that which is predicted. Where there is nothing to be a mean or
    a share of, or no ``y``, it is NaN. Where rows have weights, a row of weight 2 is two rows
    in all of these.
    """

    label: Label
    kind: Kind
    text: str
    literals: int
    weight: int
    rows: float
    support: float
    mean: float
    mean_elsewhere: float
    contribution: float
    effect: float
    unknown: float


# Any: which of both records it is, rules know, but not their type; whoever asks knows as well.
def evidence_of(
    rules: RuleSet, table: Any, y: Any = None, sample_weight: Any = None
) -> list[Any]:
    """What every rule and every term of it is worth on these rows, one record each.

    Rules stand in the order of the classes, each before its terms; see :class:`Evidence` for
    what is known of them. Without ``y`` only what needs no answers is. Rules that predict a
    number have records of their own, see :class:`NumberEvidence`, and ``y`` holds numbers.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, RegressionRules, Rule
    >>> ill, well = Rule("ill", parse("0")), Rule("well", parse("~0"))
    >>> rules = ClassificationRules(("glucose",), (Ramp(0, 107.0, 147.0),), (ill, well))
    >>> rows, y = [[90], [150], [160], [None]], ["well", "well", "ill", "ill"]
    >>> for each in rules.evidence(rows, y):
    ...     print(each.kind, each.text, each.rows, each.precision, each.effect, each.unknown)
    rule glucose>127 2 0.5 0.0 0.25
    term glucose>127 2 0.5 0.0 0.25
    rule glucose<127 1 1.0 0.0 0.25
    term glucose<127 1 1.0 0.0 0.25

    >>> rules = RegressionRules(
    ...     ("rooms",), (Ramp(0, 5.0, 8.0),), (Rule("price", parse("0")),), 4.0, (22.0,),
    ... )
    >>> for each in rules.evidence([[5], [8], [9]], [17.0, 26.0, 28.0]):
    ...     print(each.kind, each.text, each.rows, each.mean, each.mean_elsewhere)
    rule 22 + 4 × (rooms>6.5) 2 27.0 17.0
    term rooms>6.5 2 27.0 17.0
    """
    matrix = rules.matrix(table)
    if rules.predicts == "number":
        return _of_number(rules, matrix, NumberAnswers.of(len(matrix), y, sample_weight))
    return _of_classes(rules, matrix, Answers.of(len(matrix), rules.labels, y, sample_weight))


def frame_of(
    rules: RuleSet, table: Any, y: Any = None, sample_weight: Any = None
) -> pandas.DataFrame:
    """What :meth:`evidence` says, as a pandas data frame.

    The first column has the labels and is called ``class``, or ``number``.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, Rule
    >>> old = Rule("old", parse("0"))
    >>> rules = ClassificationRules(("age",), (Ramp(0, 30.0, 50.0),), (old,))
    >>> rules.to_frame([[20], [60], [70]])[["class", "kind", "text", "rows"]].values.tolist()
    [['old', 'rule', 'age>40', 2], ['old', 'term', 'age>40', 2]]
    """
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            "to_frame needs pandas: pip install 'crisplogic[pandas]'; "
            "without it use evidence(...), a list of records"
        ) from error
    records = [asdict(each) for each in evidence_of(rules, table, y, sample_weight)]
    return pandas.DataFrame(records).rename(columns={"label": rules.predicts})


def _of_classes(rules: RuleSet, matrix: Floats, answers: Answers) -> list[Evidence]:
    tally = ClassTally(rules, answers).counted(matrix)
    wording, every = Wording(rules), answers.sum_of_weights
    return [
        Evidence(
            **tally.described(wording, number),
            coverage=share(tally.right[number], tally.of_class[item.position], tally.judged),
            precision=share(tally.right[number], tally.true[number], tally.judged),
            contribution=share(item.weight * tally.sums[number], every),
            effect=100 * share(tally.wrong_without[number] - tally.wrong, every, tally.judged),
        )
        for number, item in enumerate(tally.items)
    ]


def _of_number(rules: RuleSet, matrix: Floats, answers: NumberAnswers) -> list[NumberEvidence]:
    tally = NumberTally(rules, answers).counted(matrix)
    wording, every = Wording(rules), answers.sum_of_weights

    def mean(total: float, rows: float) -> float:
        return tally.unit * share(total, rows, tally.judged)

    def error(squares: float) -> float:
        return tally.unit * math.sqrt(share(squares, every, tally.judged))

    return [
        NumberEvidence(
            **tally.described(wording, number),
            mean=mean(tally.where_true[number], tally.true[number]),
            mean_elsewhere=mean(tally.elsewhere[number], tally.other[number]),
            contribution=rules.scale * share(item.weight * tally.sums[number], every),
            effect=error(tally.squares_without[number]) - error(tally.squares),
        )
        for number, item in enumerate(tally.items)
    ]
