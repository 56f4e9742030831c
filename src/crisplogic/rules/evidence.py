"""Evidence: what every term of some rules is worth on rows, as data."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from crisplogic.expr import measure
from crisplogic.rules.answers import Answers
from crisplogic.rules.rule import Label
from crisplogic.rules.tally import Kind, Tally
from crisplogic.rules.wording import Wording

if TYPE_CHECKING:
    import pandas

    from crisplogic.rules.ruleset import RuleSet


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


def evidence_of(
    rules: RuleSet, table: Any, y: Any = None, sample_weight: Any = None
) -> list[Evidence]:
    """What every rule and every term of it is worth on these rows, one record each.

    Rules stand in the order of the classes, each before its terms; see :class:`Evidence` for
    what is known of them. Without ``y`` only what needs no answers is.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Ramp, Rule, RuleSet
    >>> ill, well = Rule("ill", parse("0")), Rule("well", parse("~0"))
    >>> rules = RuleSet(("glucose",), (Ramp(0, 107.0, 147.0),), (ill, well))
    >>> rows, y = [[90], [150], [160], [None]], ["well", "well", "ill", "ill"]
    >>> for each in rules.evidence(rows, y):
    ...     print(each.kind, each.text, each.rows, each.precision, each.effect, each.unknown)
    rule glucose>127 2 0.5 0.0 0.25
    term glucose>127 2 0.5 0.0 0.25
    rule glucose<127 1 1.0 0.0 0.25
    term glucose<127 1 1.0 0.0 0.25
    """
    matrix = rules.matrix(table)
    answers = Answers.of(len(matrix), rules.labels, y, sample_weight)
    tally = Tally.of(rules, matrix, answers)
    wording = Wording(rules)
    return [_record(rules, wording, tally, number) for number in range(len(tally.items))]


def frame_of(
    rules: RuleSet, table: Any, y: Any = None, sample_weight: Any = None
) -> pandas.DataFrame:
    """What :meth:`evidence` says, as a pandas data frame; ``class`` is the label."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            "to_frame needs pandas: pip install 'crisplogic[pandas]'; "
            "without it use evidence(...), a list of records"
        ) from error
    records = [asdict(each) for each in evidence_of(rules, table, y, sample_weight)]
    return pandas.DataFrame(records).rename(columns={"label": "class"})


def _record(rules: RuleSet, wording: Wording, tally: Tally, number: int) -> Evidence:
    item, answers = tally.items[number], tally.answers
    known = answers.targets is not None
    every, true, right = answers.sum_of_weights, tally.true[number], tally.right[number]
    return Evidence(
        label=rules.labels[item.position],
        kind=item.kind,
        text=wording.rule(item.position) if item.kind == "rule" else wording.whole(item.expr),
        literals=measure([item.expr]).literals,
        weight=item.weight,
        rows=float(true) if answers.weights is not None else int(true),
        support=_share(true, every),
        coverage=_share(right, tally.of_class[item.position], known),
        precision=_share(right, true, known),
        contribution=_share(item.weight * tally.sums[number], every),
        effect=100 * _share(tally.wrong_without[number] - tally.wrong, every, known),
        unknown=_share(tally.unknown[number], every),
    )


def _share(part: float, whole: float, known: bool = True) -> float:
    return float(part / whole) if known and whole else math.nan
