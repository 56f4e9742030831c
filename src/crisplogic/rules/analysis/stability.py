"""Stability: how often the statements of crisp rules come back in rules of other rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import And, Expr, Or, Squash, Sum, Var, Xor, split_sign
from crisplogic.rules.checklist import ScoreCard, normal_form
from crisplogic.rules.latex import to_latex
from crisplogic.rules.markup import Cell, Listing, Table, to_html
from crisplogic.rules.memberships import Level, Step
from crisplogic.rules.ruleset import RuleSet
from crisplogic.rules.words import Words
from crisplogic.tables import Levels

Floats = NDArray[np.float64]

# Two thresholds of a column are the same if at most this share of its rows lies between them.
NEAR = 0.05


@dataclass(frozen=True)
class Stability:
    """How often each statement of some rules came back in the rules of resampled rows.

    A statement is the same if it has the same columns, operators and direction, and if at most
    one row in twenty lies between thresholds. ``counts`` are the resamples that each of the
    ``statements`` came back in, of all ``resamples``. ``dice`` is the mean Dice index of the
    rules of two resamples: the share of their statements that they have in common. NaN if
    there are not two. So many resamples were ``wanted``; there may not have been time for all.

    >>> print(Stability(("age is above 40", "smoker is yes"), (20, 7), 20, 0.71, 20))
    In the rules of 20 resamples, each of 90% of the rows, these statements came back:
      20 of 20  age is above 40
       7 of 20  smoker is yes
    Two of these rule sets have 71% of their statements in common (Dice index).
    """

    statements: tuple[str, ...]
    counts: tuple[int, ...]
    resamples: int
    dice: float
    wanted: int

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of the resamples that each statement came back in."""
        return tuple(count / self.resamples for count in self.counts)

    def to_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        pairs = zip(self.statements, self.counts, strict=True)
        return {
            "resamples": self.resamples,
            "wanted": self.wanted,
            "dice": self.dice if math.isfinite(self.dice) else None,
            "statements": [{"statement": each, "came_back": count} for each, count in pairs],
        }

    def to_text(self) -> str:
        """A line a statement, and how alike the rules of all resamples are."""
        if not self.statements:
            return f"{self._head()}: there are no statements that could come back."
        width = len(str(self.resamples))
        lines = [
            f"  {count:>{width}} of {self.resamples}  {statement}"
            for statement, count in zip(self.statements, self.counts, strict=True)
        ]
        head = f"{self._head()}, these statements came back:"
        return "\n".join(filter(None, [head, *lines, self._alike()]))

    def _repr_html_(self) -> str:
        """The same as a table that notebooks show."""
        return to_html(self._blocks())

    def _repr_latex_(self) -> str:
        """The same in LaTeX, for notebooks that become papers."""
        return to_latex(self._blocks())

    def _blocks(self) -> list[Table | Listing]:
        rows = [
            [Cell(f"{count} of {self.resamples}", number=True), Cell(statement)]
            for statement, count in zip(self.statements, self.counts, strict=True)
        ]
        if not rows:
            return [Listing(self.to_text(), ())]
        title = f"{self._head()}, these statements came back:"
        return [Table(title, ["resamples", "statement"], rows), Listing(self._alike(), ())]

    def _head(self) -> str:
        short = self.resamples < self.wanted
        time = f" (there was no time for all {self.wanted})" if short else ""
        plural = f"{self.resamples} resamples, each" if self.resamples > 1 else "1 resample,"
        return f"In the rules of {plural} of 90% of the rows{time}"

    def _alike(self) -> str:
        if not math.isfinite(self.dice):
            return ""
        return (
            f"Two of these rule sets have {self.dice:.0%} of their statements in common "
            "(Dice index)."
        )

    def __str__(self) -> str:
        return self.to_text()


def measure_stability(
    rules: RuleSet,
    resampled: Sequence[RuleSet],
    table: Floats,
    weights: Floats | None = None,
    wanted: int | None = None,
) -> Stability:
    """Compare crisp rules with the rules of resampled rows.

    Shape: ``table`` (rows, features), with codes for levels; ``weights`` (rows,).
    """
    ranks = _Ranks(table, weights)
    own = _forms(rules, ranks)
    others = [_forms(each, ranks) for each in resampled]
    counts = np.array([_find(own, each) for each in others], dtype=np.intp).sum(axis=0)
    dice = [_dice(first, second) for first, second in combinations(others, 2)]
    words = Words(rules)
    return Stability(
        statements=tuple(words.statement(item.expression) for item in normal_form(rules).items),
        counts=tuple(map(int, counts)),
        resamples=len(resampled),
        dice=float(np.mean(dice)) if dice else math.nan,
        wanted=len(resampled) if wanted is None else wanted,
    )


# Statements in a form in which they can be compared


@dataclass(frozen=True, eq=False)
class _Form:
    """A statement: its columns and operators, its thresholds, and what it counts for.

    Thresholds are ranks: the share of the rows that are not above them. A negation counts for
    the contrary, so that a statement and its negation have the same key.
    """

    key: tuple[Any, ...]
    ranks: tuple[float, ...]
    direction: Floats

    def is_same(self, other: _Form) -> bool:
        return (
            self.key == other.key
            and all(abs(a - b) <= NEAR for a, b in zip(self.ranks, other.ranks, strict=True))
            and float(self.direction @ other.direction) > 0
        )


class _Ranks:
    """Finds the ranks of thresholds among the known values of their columns."""

    def __init__(self, table: Floats, weights: Floats | None) -> None:
        self._table = table
        self._weights = np.ones(len(table)) if weights is None else weights
        self._sorted: dict[int, tuple[Floats, Floats]] = {}

    def of(self, step: Step) -> float:
        if step.feature not in self._sorted:
            column = self._table[:, step.feature]
            order = np.argsort(column)[: np.count_nonzero(~np.isnan(column))]
            upto = np.concatenate([[0.0], self._weights[order].cumsum()])
            self._sorted[step.feature] = column[order], upto / max(upto[-1], 1e-300)
        values, upto = self._sorted[step.feature]
        return float(upto[np.searchsorted(values, step.threshold, side="right")])


def _forms(rules: RuleSet, ranks: _Ranks) -> list[_Form]:
    form = normal_form(rules)
    found = []
    for item in form.items:
        points = np.array(item.points, dtype=np.float64)
        if isinstance(form, ScoreCard):  # the same points for all classes count for none
            points -= points.mean()
        part = _read(item.expression, rules, ranks)
        found.append(_Form(part.key, part.ranks, part.sign * points))
    return found


class _Part(NamedTuple):
    """What an expression is but for its sign, and the ranks of its thresholds."""

    sign: int
    key: tuple[Any, ...]
    ranks: tuple[float, ...]


def _read(expr: Expr, rules: RuleSet, ranks: _Ranks) -> _Part:
    """An expression whose parts are in a fixed order.

    *a or b* is *not (not a and not b)*. Negations in an exclusive or stand before it.
    """
    bare, own = split_sign(expr)
    sign = int(own)
    if isinstance(bare, Var):
        membership = rules.memberships[bare.index]
        if isinstance(membership, Step):
            return _Part(sign, ("above", membership.feature), (ranks.of(membership),))
        if isinstance(membership, Level):
            return _read_level(sign, membership, rules.levels[membership.feature])
        return _Part(sign, (membership,), ())
    if isinstance(bare, Squash) and isinstance(bare.operand, Sum):
        parts = [_read(each, rules, ranks) for each in bare.operand.terms]
        return _joined("vote", sign, parts)
    if not isinstance(bare, And | Or | Xor):
        return _Part(sign, (bare,), ())
    parts = [_read(each, rules, ranks) for each in bare.operands]
    if isinstance(bare, Xor):
        name, sign = "xor", sign * math.prod(part.sign for part in parts)
        parts = [part._replace(sign=1) for part in parts]
    else:
        flip = -1 if isinstance(bare, Or) else 1
        name, sign = "and", sign * flip
        parts = [part._replace(sign=flip * part.sign) for part in parts]
    return _joined(name, sign, parts)


def _joined(name: str, sign: int, parts: list[_Part]) -> _Part:
    """Parts in a fixed order."""
    parts.sort(key=repr)
    key = (name, *(part[:2] for part in parts))
    return _Part(sign, key, tuple(rank for part in parts for rank in part.ranks))


def _read_level(sign: int, level: Level, levels: Levels | None) -> _Part:
    """A value of a category by itself: its code depends on the rows that were read.

    Of two values each is the negation of the other, and the first by name stands for both.
    """
    value = level.value
    if levels is not None and len(levels) == 2 and not levels.others:
        first, second = sorted(levels.names)
        if value == second:
            sign, value = -sign, first
    return _Part(sign, ("is", level.feature, value), ())


def _find(own: Sequence[_Form], others: Sequence[_Form]) -> list[bool]:
    """Which statements are among others; each of these is found once."""
    left = list(others)
    found = []
    for each in own:
        same = next((other for other in left if each.is_same(other)), None)
        if same is not None:
            left.remove(same)
        found.append(same is not None)
    return found


def _dice(first: Sequence[_Form], second: Sequence[_Form]) -> float:
    """The Dice index of two sets: twice what they share over all that they have."""
    total = len(first) + len(second)
    return 2 * sum(_find(first, second)) / total if total else 1.0
