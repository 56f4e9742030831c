"""Raw columns of a table, and when literals about them hold."""

from __future__ import annotations

from collections.abc import Sequence

from crisplogic.export.conditions import Column, Compare, Fixed, Gap, OneOf, Truth
from crisplogic.rules import Flag, Level, Missing, Step
from crisplogic.rules.memberships import Membership
from crisplogic.tables import TRUTH, Levels


class Literals:
    """Reads literals as conditions on raw columns.

    Without ``missing``, no value is ever missing, nor one that was never seen.

    >>> literals = Literals(("age", "eyes"), (None, Levels(("blue", "brown"))))
    >>> literals.truth(Level(1, 0, "blue")).fails.values
    ('brown',)
    """

    def __init__(
        self,
        features: Sequence[str],
        levels: Sequence[Levels | None],
        missing: bool = True,
    ) -> None:
        self._levels = levels or (None,) * len(features)
        self._missing = missing
        self.columns = tuple(
            _column(name, its) for name, its in zip(features, self._levels, strict=True)
        )

    def truth(self, membership: Membership) -> Truth:
        """When a literal holds, and when it fails."""
        column = self.columns[membership.feature]
        match membership:
            case Step():
                sign, number = membership.bound
                if sign == ">":
                    return Truth(Compare(column, ">", number), Compare(column, "<=", number))
                return Truth(Compare(column, ">=", number), Compare(column, "<", number))
            case Missing():
                if not self._missing:
                    return Truth(Fixed(False), Fixed(True))
                return Truth(Gap(column, True), Gap(column, False))
            case Flag():
                return self._membership(column, (1.0,))
            case Level(code=code):
                return self._membership(column, self._values(membership.feature, code))
        raise TypeError(f"a {type(membership).__name__} is neither true nor false")

    def _values(self, feature: int, code: int) -> tuple[str, ...] | tuple[float, ...]:
        levels, column = self._levels[feature], self.columns[feature]
        assert levels is not None  # a level belongs to some
        if code < 0:  # one that this table never had
            return ()
        if column.kind == "text":
            return levels.others if code == len(levels.names) else (levels.names[code],)
        return (float(column.values[code]),)

    def _membership(self, column: Column, values: tuple[str, ...] | tuple[float, ...]) -> Truth:
        rest = tuple(each for each in column.values if each not in values)
        holds = OneOf(column, values) if values else Fixed(False)
        if not self._missing and len(rest) > 1:
            return Truth(holds, OneOf(column, values, negated=True))
        return Truth(holds, OneOf(column, rest) if rest else Fixed(False))  # type: ignore[arg-type]


def _column(name: str, levels: Levels | None) -> Column:
    if levels is None:
        return Column(name, "number")
    if levels.values == "text":
        return Column(name, "text", (*levels.names, *levels.others))
    if levels == TRUTH:
        return Column(name, "truth", (0.0, 1.0))
    return Column(name, "number", tuple(map(float, levels.names)))
