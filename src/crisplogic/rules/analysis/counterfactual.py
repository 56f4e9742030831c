"""Counterfactual: the smallest change of one or two columns that changes a prediction."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import RuleError
from crisplogic.messages import did_you_mean, list_some
from crisplogic.rules.analysis.candidates import Candidates, Value, find_candidates
from crisplogic.rules.analysis.picture import draw_changes
from crisplogic.rules.latex import to_latex
from crisplogic.rules.markup import to_html
from crisplogic.rules.number_format import six_digits
from crisplogic.rules.rule import Label
from crisplogic.rules.scoring import winners
from crisplogic.rules.words import labels_in_words, name_in_words, value_in_words
from crisplogic.tables import Range

if TYPE_CHECKING:
    from crisplogic.rules import RuleSet

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]
# All columns that rules mention may change.
ALL = "all"
# A number is reached if it misses the goal by no more than rounding errors.
NEAR = 1e-9


@dataclass(frozen=True)
class Goal:
    """What a change has to reach.

    For classes: the class ``to``, any other one than is predicted by default. For a number: a
    prediction ``at_least`` or ``at_most`` some value, or moved ``by`` an amount or more,
    upwards if it is above 0, downwards if it is below.

    >>> Goal(by=-5).limits(20.0)
    (-inf, 15.0)
    """

    to: Label | None = None
    at_least: float | None = None
    at_most: float | None = None
    by: float | None = None

    def check(self, rules: RuleSet) -> None:
        """Find out whether rules can have such a goal."""
        numbers = {"at_least": self.at_least, "at_most": self.at_most, "by": self.by}
        given = [name for name, number in numbers.items() if number is not None]
        for name in given:
            if not math.isfinite(numbers[name] or 0.0):
                raise RuleError(f"{name} must be a finite number, got {numbers[name]}")
        if rules.predicts == "class":
            if given:
                raise RuleError(f"{given[0]} is for numbers, but these rules predict a class")
            if self.to is not None and self.to not in rules.labels:
                hint = did_you_mean(self.to, map(str, rules.labels), show=str)
                known = list_some(rules.labels)
                raise RuleError(f"there is no class {self.to!r}; the classes are {known}{hint}")
        elif self.to is not None:
            raise RuleError("to is for classes, but these rules predict a number")
        elif not given:
            raise RuleError("a change of a number needs a goal: at_least, at_most or by")
        elif self.by is not None and (len(given) > 1 or not self.by):
            raise RuleError("by stands alone, and is above or below 0")

    def limits(self, predicted: float) -> tuple[float, float]:
        """The least and the greatest number that reaches the goal."""
        if self.by is not None:
            end = predicted + self.by
            return (end, math.inf) if self.by > 0 else (-math.inf, end)
        least = -math.inf if self.at_least is None else self.at_least
        return least, math.inf if self.at_most is None else self.at_most


@dataclass(frozen=True)
class Change:
    """Another value of a column, in the user's units; None is a missing value.

    ``ends`` are the range of a column of numbers, None for a category.
    """

    column: str
    before: Value
    after: Value
    ends: Range | None = None

    @property
    def words(self) -> tuple[str, str]:
        """Both values in words."""
        return _words(self.before), _words(self.after)

    def to_dict(self) -> dict[str, Any]:
        """The change as JSON."""
        return {"column": self.column, "from": _json(self.before), "to": _json(self.after)}

    def __str__(self) -> str:
        before, after = self.words
        return f"{name_in_words(self.column)} were {after} instead of {before}"


@dataclass(frozen=True)
class Counterfactual:
    """The smallest change of a row that changes its prediction, verified by predicting.

    Fewer columns are smaller. Then counts how far values move: a number by its share of the
    range that training saw, any other category and any value in place of a missing one by 1.
    In a tie the first columns win. ``changes`` is empty if no change of one or two columns
    helps, or if the goal is ``reached`` as it is. ``predicted`` and ``probability`` are those
    of the changed row; a number has no probability.
    """

    label: Label | None
    predicted: Label
    probability: float | None
    changes: tuple[Change, ...]
    distance: float
    reached: bool

    def __bool__(self) -> bool:
        return bool(self.changes)

    def to_dict(self) -> dict[str, Any]:
        """The change as JSON; it has no changes if there is none."""
        chance = {} if self.probability is None else {"probability": self.probability}
        return {
            "changes": [change.to_dict() for change in self.changes],
            "predicted": self.predicted,
            **chance,
            "distance": self.distance,
            "reached": self.reached,
        }

    def to_text(self) -> str:
        """One sentence.

        >>> changes = (Change("bmi", 33.5, 31.2), Change("smoker", True, False))
        >>> print(Counterfactual(None, "ill", 0.63, changes, 0.1, True))
        it would be ill (63%) if bmi were 31.2 instead of 33.5 and smoker were no instead of yes
        """
        result = self._result()
        if self.changes:
            subject = "it" if self.label is None else name_in_words(str(self.label))
            return f"{subject} would be {result} if {' and '.join(map(str, self.changes))}"
        if self.reached:
            return f"it is {result} as it is"
        return "no change of one or two of these columns would do"

    def to_svg(self) -> str:
        """A picture: for each column, where the row is and where it would be."""
        return draw_changes(self)

    def _repr_html_(self) -> str:
        """The sentence and the picture, as notebooks show them."""
        return f"{to_html([], self.to_text())}{self.to_svg()}"

    def _repr_latex_(self) -> str:
        """The sentence in LaTeX, for notebooks that become papers."""
        return to_latex([], self.to_text())

    def _result(self) -> str:
        if self.probability is None:
            return six_digits(float(self.predicted))
        return f"{labels_in_words([self.predicted])[0]} ({self.probability:.0%})"

    def __str__(self) -> str:
        return self.to_text()


# Of scores: which rows reach a goal. Shape: (rows, rules) to (rows,).
_Met: TypeAlias = Callable[[Floats], Truths]
# A column, other values than a row has there, and how far each is.
_Choice: TypeAlias = tuple[Candidates, Floats, Floats]


class _Best(NamedTuple):
    """The best change so far: columns and values."""

    distance: float
    changes: tuple[tuple[Candidates, float], ...]


class CounterfactualFinder:
    """Finds the smallest changes of rows, for one rule set and one goal.

    Candidates are few and all of them are tried: first one column at a time, then pairs.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Rule, Step
    >>> both = Rule("ill", parse("0 + 1")), Rule("well", parse("unknown"))
    >>> steps = Step(0, 127.0), Step(1, 40.0)
    >>> ranges = ((56.0, 198.0), (21.0, 81.0))
    >>> rules = ClassificationRules(
    ...     ("glucose", "age"), steps, both, 1.0, (-1.5, 0.0), ranges=ranges, crisp=True
    ... )
    >>> found = CounterfactualFinder(rules).find(np.array([120.0, 35.0]))
    >>> print(found)
    it would be ill (62%) if glucose were 128 instead of 120 and age were 41 instead of 35
    """

    def __init__(
        self, rules: RuleSet, changeable: Collection[str] | str = ALL, goal: Goal | None = None
    ) -> None:
        self.rules = rules
        self.goal = goal or Goal()
        self.goal.check(rules)
        allowed = _allowed(rules, changeable)
        self.candidates = [
            each for each in find_candidates(rules) if rules.features[each.feature] in allowed
        ]

    def find(self, row: Floats, cells: Mapping[int, str] | None = None) -> Counterfactual:
        """The smallest change of a row. Shape: ``row`` (features,), as a matrix holds it.

        ``cells`` are the texts that the row holds in categories, by the place of the column.
        """
        score = self._scores(row[None])
        met = self._goal_met(score)
        best = None if met(score)[0] else self._search(row, met)
        if best is None:
            return self._found(row, (), 0.0, bool(met(score)[0]))
        changed, changes = row.copy(), []
        for each, value in best.changes:
            text = (cells or {}).get(each.feature)
            name, before = self.rules.features[each.feature], each.decode(row[each.feature])
            new = each.levels is not None and row[each.feature] < 0
            before = text if new else before
            changes.append(Change(name, before, each.decode(value), each.ends))
            changed[each.feature] = value
        return self._found(changed, tuple(changes), best.distance, True)

    def _search(self, row: Floats, met: _Met) -> _Best | None:
        singles = [(each, *each.other_than(row[each.feature])) for each in self.candidates]
        return self._nearest(row, met, ((one,) for one in singles)) or self._nearest(
            row, met, combinations(singles, 2)
        )

    def _nearest(
        self, row: Floats, met: _Met, choices: Iterable[tuple[_Choice, ...]]
    ) -> _Best | None:
        """The nearest change of some columns at a time; the first of equally near ones."""
        best = None
        for choice in choices:
            far = choice[0][2] if len(choice) == 1 else np.add.outer(choice[0][2], choice[1][2])
            nearer = np.argwhere(far < (math.inf if best is None else best.distance))
            rows = np.repeat(row[None], len(nearer), axis=0)
            for (each, values, _), places in zip(choice, nearer.T, strict=True):
                rows[:, each.feature] = values[places]
            hits = nearer[met(self._scores(rows))] if len(rows) else nearer
            if len(hits):
                place = hits[np.argmin(far[tuple(hits.T)])]
                changes = zip(choice, place.tolist(), strict=True)
                found = tuple((each, float(values[at])) for (each, values, _), at in changes)
                best = _Best(float(far[tuple(place)]), found)
        return best

    def _scores(self, rows: Floats) -> Floats:
        return self.rules.scores(rows, coded=True)

    def _goal_met(self, score: Floats) -> _Met:
        """A function of scores: which rows reach the goal."""
        if self.rules.predicts == "class":
            before, labels = winners(score.T)[0], self.rules.labels
            if self.goal.to is None:
                return lambda scores: np.asarray(winners(scores.T) != before)
            wanted = labels.index(self.goal.to)
            return lambda scores: np.asarray(winners(scores.T) == wanted)
        low, high = self.goal.limits(float(self.rules.outputs(score)[0, 0]))
        low -= NEAR * max(1.0, abs(low)) if math.isfinite(low) else 0.0
        high += NEAR * max(1.0, abs(high)) if math.isfinite(high) else 0.0

        def reached(scores: Floats) -> Truths:
            numbers = self.rules.outputs(scores)[:, 0]
            return np.asarray((numbers >= low) & (numbers <= high))

        return reached

    def _found(
        self, row: Floats, changes: tuple[Change, ...], distance: float, reached: bool
    ) -> Counterfactual:
        scores = self._scores(row[None])
        output = self.rules.outputs(scores)[0]
        if self.rules.predicts == "number":
            name, number = self.rules.labels[0], float(output[0])
            return Counterfactual(name, number, None, changes, distance, reached)
        at = int(winners(scores.T)[0])
        label, chance = self.rules.labels[at], float(output[at])
        return Counterfactual(None, label, chance, changes, distance, reached)


def make_finder(
    rules: RuleSet, changeable: Collection[str] | str | None, goal: Goal | None
) -> CounterfactualFinder | None:
    """What finds the changes that someone asked for; None if nobody did."""
    if changeable is not None:
        return CounterfactualFinder(rules, changeable, goal)
    if goal is not None:
        raise RuleError(f"a goal needs changeable columns: a list of them, or {ALL!r}")
    return None


def _allowed(rules: RuleSet, changeable: Collection[str] | str) -> frozenset[str]:
    """The columns that may change."""
    if isinstance(changeable, str):
        if changeable != ALL:
            raise RuleError(
                f"changeable must be a list of columns or {ALL!r}, got the text {changeable!r}"
            )
        return frozenset(rules.features)
    for name in changeable:
        if name not in rules.features:
            hint = did_you_mean(name, rules.features, show=str)
            raise RuleError(f"there is no column {name!r}, so it cannot change{hint}")
    return frozenset(changeable)


def _words(value: Value) -> str:
    if value is None:
        return "missing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value_in_words(value) if isinstance(value, str) else f"{value:.12g}"


def _json(value: Value) -> Value:
    """A value as JSON, which has no infinities."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
