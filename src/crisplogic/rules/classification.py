"""ClassificationRules: rules that predict a class."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import RuleError
from crisplogic.expr.walk import inputs_in
from crisplogic.rules.analysis.accumulator import ClassAccumulator
from crisplogic.rules.analysis.conflicts import find_conflicts
from crisplogic.rules.analysis.counterfactual import Goal, make_finder
from crisplogic.rules.analysis.directions import class_directions
from crisplogic.rules.analysis.evidence import ClassEvidence
from crisplogic.rules.analysis.explain import ClassExplainer
from crisplogic.rules.analysis.explanation import ClassExplanation
from crisplogic.rules.decision import (
    EVEN,
    PROBABILITY,
    choose_positive,
    find_label,
    log_odds,
    move_count,
    read_threshold,
    require_two,
    shift_intercept,
)
from crisplogic.rules.formatting import format_class_rule
from crisplogic.rules.formulas import format_class_prediction
from crisplogic.rules.rule import Label, as_plain
from crisplogic.rules.ruleset import RuleSet
from crisplogic.rules.scoring import as_array, softmax
from crisplogic.rules.statements import count_votes
from crisplogic.rules.targets import Targets, class_targets

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ClassificationRules(RuleSet):
    """Rules that predict a class, one rule a class.

    The score of a class is the value of its expression plus its intercept. The class with the
    greatest score is predicted, the first of them in a tie. ``scale`` times the scores are the
    logits of the probabilities.

    Of two classes one may be called ``positive``. It is predicted where its probability is at
    least ``decision_threshold``. The intercepts say so already: the greatest score is still
    predicted. Where both scores are equal, the probability of the positive class is the
    threshold; see :meth:`with_decision_threshold`. Crisp rules count, and their scores are
    never equal: ``tie_probability`` is what the probability would be, if it is not the
    threshold.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Membership, Rule
    >>> rules = ClassificationRules(
    ...     features=("glucose", "age"),
    ...     memberships=(Membership(0, 0.0, 200.0), Membership(1, 20.0, 80.0)),
    ...     rules=(Rule("ill", parse("0 & 1")), Rule("well", parse("~0"))),
    ... )
    >>> print(rules)
    ill  = glucose & age
    well = ¬glucose
    <BLANKLINE>
    glucose  is high: false at 0, unknown at 100, true at 200
    age      is high: false at 20, unknown at 50, true at 80
    <BLANKLINE>
    False is -1, true is 1, and in between a literal rises evenly. A missing value is 0.
    ¬a = -a
    a & b = (1 + a) × (1 + b) / 2 - 1
    The class with the greatest score is predicted, in a tie the first.
    Its probability is e^(1 × score), divided by the sum of this over all classes.
    >>> rules.predict([[190.0, 70.0], [80.0, 30.0]]).tolist()
    ['ill', 'well']
    >>> rules.size
    3
    """

    positive: Label | None = None
    decision_threshold: float = EVEN
    tie_probability: float | None = None

    predicts = "class"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.positive is not None:
            require_two(self.labels, "a positive class")
            find_label(self.positive, self.labels, "positive")
        elif self.decision_threshold != EVEN or self.tie_probability is not None:
            raise RuleError("a decision threshold needs a positive class")
        for name in ("decision_threshold", "tie_probability"):
            value = getattr(self, name)
            if value is not None and not PROBABILITY.holds(value):
                raise RuleError(f"{name} must be {PROBABILITY}, got {value!r}")
        if self.tie_probability is not None and not self.crisp:
            raise RuleError("only crisp rules have a tie_probability of their own")

    def predict(self, table: Any, coded: bool = False) -> NDArray[Any]:
        """The class of every row. Shape: (rows, features) to (rows,)."""
        return self.predict_among(as_array(self.labels), table, coded)

    def predict_among(
        self, classes: NDArray[Any], table: Any, coded: bool = False
    ) -> NDArray[Any]:
        """The same, by names for the classes in place of the labels. Shape: (classes,)."""
        matrix = self._matrix(table, coded)
        predicted = np.empty(len(matrix), dtype=classes.dtype)

        def write(chunk: slice, winners: NDArray[np.integer]) -> None:
            classes.take(winners, out=predicted[chunk], mode="clip")  # checks nothing

        self._for_chunks(self._scorer.winners, write, table, matrix, coded)
        return predicted

    def predict_proba(self, table: Any, coded: bool = False) -> Floats:
        """The probability of every class. Shape: (rows, features) to (rows, classes)."""
        matrix = self._matrix(table, coded)
        values = np.empty((len(matrix), len(self.rules)))

        def write(chunk: slice, scores: Floats) -> None:
            values[chunk] = scores.T
            values[chunk] = self.probabilities(values[chunk])

        self._for_chunks(self._scorer.scores, write, table, matrix, coded)
        return values

    def probabilities(self, scores: Floats) -> Floats:
        """The probabilities that scores mean. Shape: (rows, classes) to (rows, classes)."""
        return softmax(self.logits(scores))

    def logits(self, scores: Floats) -> Floats:
        """The logits that scores mean. Shape: (rows, classes) to (rows, classes)."""
        logits: Floats = self.scale * scores
        if self.positive is not None and self.probability_of_a_tie != EVEN:
            logits[:, self.labels.index(self.positive)] += log_odds(self.probability_of_a_tie)
        return logits

    @property
    def probability_of_a_tie(self) -> float:
        """The probability of the positive class where both scores are equal."""
        known = self.tie_probability
        return self.decision_threshold if known is None else known

    def with_decision_threshold(
        self, threshold: float | Mapping[Any, float], positive: Label | None = None
    ) -> Self:
        """The rules that predict the positive class from another probability on.

        ``threshold`` is that probability, or a dictionary of what it costs to miss a row of
        each class (1 for a class that is not named). ``positive`` is the class in question; by
        default the one that the rules have, or the one that its name suggests. Only the
        intercept of the positive class changes. No probability does.

        Crisp rules count, so few probabilities are possible. The positive class then wins from
        the least count on whose probability is the threshold or more, without ties.

        >>> from crisplogic.expr import parse
        >>> from crisplogic.rules import Ramp, Rule
        >>> both = Rule("ill", parse("0")), Rule("well", parse("unknown"))
        >>> rules = ClassificationRules(("age",), (Ramp(0, 30.0, 50.0),), both, scale=2.0)
        >>> print(rules.with_decision_threshold(0.2).to_text())
        ill  = age>40±10 + 0.693147181
        well = 0
        >>> careful = rules.with_decision_threshold({"ill": 4})
        >>> careful.decision_threshold, careful.predict([[38], [33]]).tolist()
        (0.2, ['ill', 'well'])
        >>> [round(float(p), 6) for p in careful.predict_proba([[38], [33]])[:, 0]]
        [0.401312, 0.197816]
        """
        require_two(self.labels, "a decision threshold")
        chosen = self.positive if positive is None else positive
        if chosen is None:
            place = choose_positive(self.labels, (1.0, 1.0))
        else:
            place = find_label(chosen, self.labels, "positive")
        label, intercepts = self.labels[place], list(self.intercepts)
        before, tie = self.decision_threshold, self.probability_of_a_tie
        if label != self.positive:
            before, tie = 1 - before, 1 - tie
        after = read_threshold(threshold, self.labels, place)
        if not self.crisp:
            tie = after
            intercepts[place] = shift_intercept(intercepts[place], before, after, self.scale)
        elif before != after:
            votes = sum(abs(own[place] - own[1 - place]) for own in count_votes(self).values())
            other = intercepts[1 - place]
            difference = intercepts[place] - other
            difference, tie = move_count(votes, difference, tie, after, self.scale)
            intercepts[place] = other + difference
        return replace(
            self,
            intercepts=tuple(intercepts),
            positive=label,
            decision_threshold=after,
            tie_probability=None if tie == after else tie,
        )

    def outputs(self, scores: Floats) -> Floats:
        """The probabilities. Shape: (rows, classes) to (rows, classes)."""
        return self.probabilities(scores)

    @property
    def factors(self) -> tuple[float, ...]:
        """1 for every class: the scale only changes the probabilities."""
        return (1.0,) * len(self.rules)

    def renamed_labels(self, labels: Mapping[Label, Label]) -> dict[str, Any]:
        """The positive class by its new name."""
        if self.positive is None:
            return {}
        return {"positive": labels.get(self.positive, self.positive)}

    def own_parts(self) -> dict[str, Any]:
        """The positive class, the threshold unless it is one half, and that of a tie."""
        if self.positive is None:
            return {}
        parts = {"positive": as_plain(self.positive)}
        if self.decision_threshold != EVEN:
            parts["decision_threshold"] = float(self.decision_threshold)
        if self.tie_probability is not None:
            parts["tie_probability"] = float(self.tie_probability)
        return parts

    def read_targets(self, rows: int, y: Any, sample_weight: Any) -> Targets[np.intp]:
        """The positions of the classes ``y``, and weights."""
        return class_targets(rows, self.labels, y, sample_weight)

    @cached_property
    def constant(self) -> NDArray[np.bool_]:
        """Which rules say nothing of any row, as ``benign = 0.44``. Shape: (classes,)."""
        return np.array([not inputs_in([expr]) for expr in self.expressions])

    format_rule = staticmethod(format_class_rule)
    format_prediction = format_class_prediction

    directions = class_directions
    conflicts = find_conflicts

    def evidence(
        self, table: Any, y: Any = None, sample_weight: Any = None
    ) -> list[ClassEvidence]:
        """What every rule and every term is worth, see :class:`ClassEvidence`."""
        found = ClassAccumulator(self, judged=y is not None)
        return found.add(table, y, sample_weight).records()

    def explain(
        self,
        row: Any,
        changeable: Collection[str] | str | None = None,
        goal: Goal | None = None,
    ) -> ClassExplanation:
        """Why one row is predicted as it is.

        The terms of a class, each as often as it counts, and its intercept, added in their
        order, are its score to the last bit.

        >>> from crisplogic.expr import parse
        >>> from crisplogic.rules import Ramp, Rule
        >>> ramps = Ramp(0, 107.0, 147.0), Ramp(1, 30.0, 50.0)
        >>> both = Rule("ill", parse("(0 & ~1) + 0")), Rule("well", parse("~0"))
        >>> rules = ClassificationRules(("glucose", "age"), ramps, both, 1.0, (0.0, 0.5))
        >>> print(rules.explain({"glucose": 150, "age": 35}))
        predicted: ill (88%); next: well (12%)
        <BLANKLINE>
        ill = 1.5
          +0.50           glucose>127±20 & age<40±10
                 +1.00  true     glucose>127±20       glucose = 150
                 +0.50           age<40±10            age = 35
          +1.00  true     glucose>127±20              glucose = 150
        <BLANKLINE>
        well = -0.5
          -1.00  false    glucose<127±20              glucose = 150
          +0.50           anyway

        With ``changeable`` columns, a list or ``"all"``, the explanation has the smallest
        change of one or two of them that makes it another class, or the class of the ``goal``;
        see :class:`Counterfactual`.

        >>> why = rules.explain({"glucose": 150, "age": 35}, changeable=["glucose"])
        >>> print(why.counterfactual)
        it would be well (55%) if glucose were 131 instead of 150
        """
        return ClassExplainer(self).explain(row, make_finder(self, changeable, goal))

    def explain_each(
        self,
        table: Any,
        changeable: Collection[str] | str | None = None,
        goal: Goal | None = None,
    ) -> Iterator[ClassExplanation]:
        """An explanation of each row of a table, one after the other."""
        finder = make_finder(self, changeable, goal)
        return ClassExplainer(self).explain_each(table, finder)
