"""Inputs: which input of the rules a name in a text stands for, or a new one for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crisplogic.errors import ExpressionError
from crisplogic.expr import Expr, Not, Var
from crisplogic.expr.notation import MISSING, OTHER, Statement, opposite, written_name
from crisplogic.rules.editing.hints import did_you_mean, listed, no_column, pointing
from crisplogic.rules.editing.lexer import Word
from crisplogic.rules.editing.thresholds import ramp_at, shown, width_of
from crisplogic.rules.formatting import Wording
from crisplogic.rules.memberships import Level, Membership, Missing, Ramp
from crisplogic.tables import Levels

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet


class Inputs:
    """The inputs of a rule set and those that a text adds, found by what the text calls them.

    Where ``new`` inputs are allowed, thresholds and statements that do not exist yet become
    some: a ramp of this ``width``, or of that of the nearest threshold of the same column,
    or a step if it has none.
    """

    def __init__(
        self, rules: RuleSet, text: str, new: bool = True, width: float | None = None
    ) -> None:
        self.rules = rules
        self.text = text
        self.new = new
        self.width = width
        self.memberships = list(rules.memberships)
        self.names = list(rules.names)
        self._used = set(rules.used)
        self._parts = {name: part for part, name in Wording(rules).shared.items()}

    def meant_by(self, word: Word) -> Expr:
        """What a name, with what is said of it, stands for."""
        if word.comparison is not None:
            return self._compared(word, str(word.name), word.comparison)
        if word.value is not None:
            return Var(self._stated(word, str(word.name), word.value))
        return self._named(word, str(word.name))

    def _compared(self, word: Word, column: str, comparison: str) -> Expr:
        threshold, high = float(comparison[1:]), comparison[0] == ">"
        same = [
            number
            for number, each in enumerate(self.memberships)
            if isinstance(each, Ramp)
            and shown(each) == threshold
            and self._column(each) == column
        ]
        name = column + comparison  # which may as well be a column, or the contrary of one
        if not same and name in self.names:
            return Var(self._only([self.names.index(name)], word))
        if not same and opposite(name) in self.names:
            return Not(Var(self._only([self.names.index(str(opposite(name)))], word)))
        number = self._only(same, word) if same else self._new_ramp(word, column, threshold)
        return Var(number) if high else Not(Var(number))

    def _stated(self, word: Word, column: str, value: str) -> int:
        statement = _statement(column, value, quoted=word.quoted[1])
        same = [
            number
            for number, name in enumerate(self.names)
            if isinstance(name, Statement)
            and (name.column, name.ending) == (column, statement.ending)
        ]
        return self._only(same, word) if same else self._new_indicator(word, statement, value)

    def _named(self, word: Word, name: str) -> Expr:
        if name in self._parts and not word.quoted[0]:
            return self._parts[name]
        same = [
            number
            for number, known in enumerate(self.names)
            if known == name and not isinstance(known, Statement)
        ]
        # "a>5" in quotes is rather the column of this name than the threshold of another.
        own = [number for number in same if self._column(self.memberships[number]) == name]
        if same:
            return Var(self._only(own or same, word))
        if name in self.rules.features:
            raise self._impossible(word, name, "alone is not true or false")
        raise pointing(self._unknown(name), self.text, word.start)

    def _only(self, numbers: list[int], word: Word) -> int:
        """The one input that is meant: one that rules use, if there is any such."""
        used = [number for number in numbers if number in self._used] or numbers
        different = {self.memberships[number] for number in used}
        if self.new and len(different) > 1:
            readings = listed(sorted(each.reading() for each in different))
            raise pointing(
                f"{word.text} is printed for inputs that differ ({readings}); make them one "
                "by with_threshold(..., width=...) first",
                self.text,
                word.start,
            )
        return used[0]

    # New inputs

    def _new_ramp(self, word: Word, column: str, threshold: float) -> int:
        feature = self._feature(word, column)
        if self._levels(feature) is not None:
            raise self._impossible(word, column, "is a category, without thresholds")
        width = self._width(feature, threshold) if self.width is None else self.width
        return self._added(word, ramp_at(feature, threshold, width))

    def _width(self, feature: int, threshold: float) -> float:
        ramps = [
            each
            for each in self.memberships
            if isinstance(each, Ramp) and each.feature == feature and each.low < each.high
        ]
        nearest = min(ramps, key=lambda ramp: abs(ramp.threshold - threshold), default=None)
        return 0.0 if nearest is None else width_of(nearest)

    def _new_indicator(self, word: Word, statement: Statement, value: str) -> int:
        feature = self._feature(word, statement.column)
        if statement == Statement.missing(statement.column):
            return self._added(word, Missing(feature))
        levels = self._levels(feature)
        if levels is None:
            raise self._impossible(word, statement.column, "is no category")
        group = None if statement == Statement.other(statement.column) else value
        if group not in levels.groups:
            hint = did_you_mean(value, levels.names)
            raise self._impossible(word, statement.column, f"is never {value!r}", hint)
        return self._added(word, Level.of(feature, levels.groups.index(group), levels))

    def _feature(self, word: Word, column: str) -> int:
        if column not in self.rules.features:
            raise pointing(self._unknown(column), self.text, word.start)
        return self.rules.features.index(column)

    def _added(self, word: Word, membership: Membership) -> int:
        name = membership.name(self._column(membership))
        if not self.new:
            problem = f"is not in these rules as {word.text}"
            raise self._impossible(word, self._column(membership), problem)
        self.memberships.append(membership)
        self.names.append(name)
        return len(self.names) - 1

    # What is possible

    def _impossible(
        self, word: Word, column: str, what: str, hint: str = ""
    ) -> ExpressionError:
        problem = f"{written_name(column)} {what}{self._possible(column)}{hint}"
        return pointing(problem, self.text, word.start)

    def _unknown(self, name: str) -> str:
        if self._parts and name.startswith("h") and name[1:].isdigit():
            return f"no part is called {name}; the shared parts are {listed(self._parts)}"
        return no_column(name, self.rules.features)

    def _possible(self, column: str) -> str:
        """What can be said of a column."""
        feature = self.rules.features.index(column)
        known = [
            written_name(self.names[number])
            for number, each in enumerate(self.memberships)
            if each.feature == feature
        ]
        levels = self._levels(feature)
        if levels is not None and self.new:
            known = [
                Level.of(feature, code, levels).name(column) for code in range(len(levels))
            ]
        elif self.new:
            known.append(f"{written_name(column)}>NUMBER")
        return f"; possible are {listed(dict.fromkeys(known))}" if known else ""

    def _levels(self, feature: int) -> Levels | None:
        return self.rules.levels[feature] if self.rules.levels else None

    def _column(self, membership: Membership) -> str:
        return self.rules.features[membership.feature]


def _statement(column: str, value: str, quoted: bool) -> Statement:
    """What is said of a column by ``column is value``; in quotes, any text is a value."""
    if not quoted and value == MISSING:
        return Statement.missing(column)
    if not quoted and value == OTHER:
        return Statement.other(column)
    return Statement.of_value(column, value)
