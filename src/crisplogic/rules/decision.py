"""Decisions between two classes: which one is positive, and from which probability on."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from crisplogic.errors import RuleError
from crisplogic.messages import did_you_mean, list_some
from crisplogic.parameters import POSITIVE, Constraint, is_amount

if TYPE_CHECKING:
    from crisplogic.rules.rule import Label

# The probability from which on a class is predicted, unless someone asks for another.
EVEN = 0.5

# An intercept has so many digits after its threshold was set; less than SLACK of the last one
# is noise.
DIGITS, SLACK = 9, 1e-4

PROBABILITY = Constraint(
    "a number above 0 and below 1",
    lambda value: not isinstance(value, bool) and is_amount(value) and 0 < float(value) < 1,
)

# The probability of a tie of crisp rules is no closer to 0 or 1.
LEAST_PROBABILITY = 1e-9

# Labels that say yes, and beginnings of labels that say no, in small letters.
_YES = frozenset({"true", "yes", "y", "t", "positive", "pos", "present", "+"})
_NO = re.compile(
    r"(no|not|non|none|nil|never|without|normal|healthy|negative|neg|absent|absence|false|"
    r"benign|control|controls|ok|well)\b|-$"
)
_OPPOSITES = ("non", "un", "in", "dis")  # unpaid is the opposite of paid


def choose_positive(labels: Sequence[Label], weights: Sequence[float]) -> int:
    """The position of the class, of two, that rules should speak of.

    It is the one called 1, true, yes or the like; or the one beside *no disease* or *normal*;
    or the rarer one; or the second. ``weights`` say how frequent the two classes are.

    >>> choose_positive(["heart disease", "no disease"], [10, 10])
    0
    >>> choose_positive([0, 1], [5, 90]), choose_positive(["ham", "spam"], [5, 90])
    (1, 0)
    """
    named = positive_by_name(labels)
    return (0 if weights[0] < weights[1] else 1) if named is None else named


def positive_by_name(labels: Sequence[Label]) -> int | None:
    """The position of the class, of two, whose name says that it is the positive one.

    >>> positive_by_name(["normal", "odd"]), positive_by_name(["ham", "spam"])
    (1, None)
    """
    for says in (_says_yes, _is_not_no):
        found = [says(labels[at], labels[1 - at]) for at in (0, 1)]
        if found[0] != found[1]:
            return found.index(True)
    return None


def _says_yes(label: Label, other: Label) -> bool:
    """Whether a label says yes. Of 0 and 1 it is 1, but 1 and 2 may be coded either way."""
    if _word(label) in ("1", "1.0"):
        return _word(other) in ("0", "0.0", "-1", "-1.0")
    return _word(label) in _YES


def _is_not_no(label: Label, other: Label) -> bool:
    word, contrary = _word(label), _word(other)
    if _NO.match(word) or word in ("0", "0.0"):
        return False
    opposites = (f"{prefix}[- ]?{re.escape(contrary)}" for prefix in _OPPOSITES)
    return not any(re.fullmatch(opposite, word) for opposite in opposites)


def _word(label: Label) -> str:
    return str(label).strip().lower().replace("_", " ")


def find_label(label: object, labels: Sequence[Label], parameter: str) -> int:
    """The position of a class that someone named.

    >>> find_label("ill", ["ill", "well"], "positive")
    0
    """
    if label in labels:
        return labels.index(label)
    raise RuleError(
        f"{parameter} must name a class, but there is no class {label!r}; the classes are "
        f"{list_some(labels)}{did_you_mean(label, labels)}"
    )


def read_threshold(
    asked: float | Mapping[Any, float], labels: Sequence[Label], positive: int
) -> float:
    """The probability from which on the positive class is predicted.

    ``asked`` is this probability, or a dictionary of what it costs to miss a row of each class.

    >>> read_threshold({"ill": 4, "well": 1}, ["ill", "well"], positive=0)
    0.2
    """
    require_two(labels, "a decision threshold")
    if not isinstance(asked, Mapping):
        PROBABILITY.check("decision_threshold", asked)
        return float(asked)
    for label, cost in asked.items():
        find_label(label, labels, "decision_threshold")
        POSITIVE.check(f"decision_threshold[{label!r}]", cost)
    hit, other = (float(asked.get(labels[at], 1.0)) for at in (positive, 1 - positive))
    return other / (hit + other)


def require_two(labels: Sequence[Label], what: str) -> None:
    """Refuse what makes sense for two classes alone."""
    if len(labels) != 2:
        raise RuleError(f"{what} needs two classes, got {len(labels)}: {list_some(labels)}")


def log_odds(probability: float) -> float:
    """The logarithm of the odds of a probability; exactly 0 for one half.

    >>> log_odds(0.5), round(log_odds(0.8), 4)
    (0.0, 1.3863)
    """
    return math.log(probability / (1 - probability))


def probability_of(logit: float) -> float:
    """The probability whose log odds these are, neither 0 nor 1.

    >>> probability_of(0.0), round(probability_of(log_odds(0.8)), 9)
    (0.5, 0.8)
    """
    surest = math.log(LEAST_PROBABILITY)
    odds = math.exp(min(max(logit, surest), -surest))
    return odds / (1 + odds)


def move_count(
    votes: int, difference: float, tie: float, threshold: float, scale: float
) -> tuple[float, float]:
    """The difference of the intercepts of crisp rules for a threshold, without ties.

    The statements of crisp rules have so many ``votes``, each of which counts 0, 1/2 or 1 for
    the positive class. It wins from the least count on whose probability is the threshold or
    more. Halfway to the next smaller count, both scores would be equal. The probability of
    this ``tie`` is returned as well, such that no probability changes.

    >>> difference, tie = move_count(5, -0.5, tie=0.5, threshold=0.2, scale=1.0)
    >>> difference, tie
    (0.5, 0.268941421)
    >>> move_count(5, difference, tie, threshold=0.5, scale=1.0)
    (-0.5, 0.5)
    """
    # Twice the count from which on the probability is high enough; noise is not counted.
    least = votes - difference + (log_odds(threshold) - log_odds(tie)) / scale
    halves = min(max(math.ceil(least - SLACK), 0), 2 * votes + 1)
    moved = votes - halves + 0.5
    odds = log_odds(tie) - scale * (moved - difference)
    if abs(odds) < SLACK * scale:
        return moved, EVEN
    return moved, float(f"{probability_of(odds):.{DIGITS}g}")


def shift_intercept(intercept: float, before: float, after: float, scale: float) -> float:
    """The intercept of the positive class for another threshold, printed in full.

    ``before`` and ``after`` are thresholds. The intercept is rounded up, so that a row whose
    probability is just the threshold is predicted positive, whatever the last bits of sums
    are. Back at one half it is what it was.

    >>> shift_intercept(0.25, before=0.5, after=0.2, scale=3.0)
    0.712098121
    >>> shift_intercept(0.712098121, before=0.2, after=0.5, scale=3.0)
    0.25
    """
    if before == after:
        return intercept
    change = (log_odds(before) - log_odds(after)) / scale
    step = 10.0 ** (math.floor(math.log10(max(abs(intercept), abs(change)))) - DIGITS + 1)
    steps = (intercept + change) / step
    # Each shift upwards is by at most a step and a bit; ten of them are less than a hundred.
    whole = round(steps, -2) if after == EVEN else math.floor(steps + SLACK) + 1
    return float(f"{whole * step:.12g}") + 0.0
