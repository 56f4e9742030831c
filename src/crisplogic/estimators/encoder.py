"""FeatureEncoder: the columns of a table as the numbers that a learner sees."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.constraints.limits import Limits
from crisplogic.constraints.spec import Constraints
from crisplogic.expr import Expr, Not, Var, negate, split_sign, total
from crisplogic.expr.simplify import with_fewer_nots
from crisplogic.expr.walk import map_children, unique_nodes
from crisplogic.rules import (
    Flag,
    Indicator,
    Level,
    Membership,
    Missing,
    Ramp,
    Rule,
    RuleSet,
    Step,
    every_indicator,
)
from crisplogic.rules.formatting import terms_of
from crisplogic.tables import Levels, Range, Schema, UnseenValues, as_matrix, find_unseen

Floats = NDArray[np.float64]

# The code of a level that was never seen: no value has it.
NO_CODE = -2


@dataclass(frozen=True)
class FeatureEncoder:
    """Encodes the columns of a table for a learner, and decodes its rules.

    A learner sees numbers alone: first the columns ``numbers`` of the table, which are given
    thresholds; then one column for each of the ``indicators``, such as ``colour is red``: 1
    where it is true, 0 where not, NaN where it is unknown.

    Columns that a learner must not see are ``excluded``. Columns that are
    ``negated`` are encoded as -x for x and 0 for 1: a network can join two inputs by *and*, but
    not one with the negation of the other. :meth:`decode_rules` undoes it.

    >>> from crisplogic.tables import infer_schema, read_columns
    >>> table = [[41, "red"], [None, "blue"], [7, "red"], [3, "teal"]]
    >>> schema = infer_schema(read_columns(table))
    >>> encoder = FeatureEncoder.of(schema)
    >>> encoder.names
    ('x0', 'x1 is red', 'x1 is blue', 'x1 is teal')
    >>> encoder.transform(schema.matrix([[7, "blue"], [None, "new"]])).tolist()
    [[7.0, 0.0, 1.0, 0.0], [nan, nan, nan, nan]]
    """

    features: tuple[str, ...]
    numbers: tuple[int, ...]
    indicators: tuple[Indicator, ...] = ()
    levels: tuple[Levels | None, ...] = ()
    excluded: tuple[int, ...] = ()
    negated: tuple[int, ...] = ()
    ranges: tuple[Range | None, ...] = ()

    @classmethod
    def of(
        cls,
        schema: Schema,
        missing: bool = False,
        forbidden: Collection[int] = (),
        negated: Collection[int] = (),
    ) -> FeatureEncoder:
        """The encoder of a table; ``missing`` adds indicators of missing values.

        Columns that are ``forbidden``, by number, are not encoded; they stay columns of the
        table. Columns that are ``negated`` are.

        >>> from crisplogic.tables import infer_schema, read_columns
        >>> schema = infer_schema(read_columns([[41, 3, True], [7, 5, False]]))
        >>> encoder = FeatureEncoder.of(schema, forbidden=[1], negated=[0, 2])
        >>> encoder.transform(schema.matrix([[41, 3, True], [7, 5, None]])).tolist()
        [[-41.0, 0.0], [-7.0, nan]]
        """
        forbidden = set(forbidden)  # there may be very many
        numbers = [at for at, kind in enumerate(schema.kinds) if kind == "number"]
        indicators = every_indicator(schema, missing)
        return cls(
            schema.names,
            tuple(at for at in numbers if at not in forbidden),
            tuple(each for each in indicators if each.feature not in forbidden),
            schema.levels,
            tuple(sorted(forbidden)),
            tuple(sorted(negated)),
            schema.ranges,
        )

    @property
    def groups(self) -> tuple[tuple[frozenset[str], frozenset[str]] | None, ...]:
        """The levels in any order. Aligned encoders encode alike if these are the same."""
        return tuple(
            None if each is None else (frozenset(each.names), frozenset(each.others))
            for each in self.levels
        )

    @property
    def all_numbers(self) -> bool:
        """Whether every column that is needed is one of numbers, be it of two alone."""
        return all(
            each is None or each.are_ordered or at in self.excluded
            for at, each in enumerate(self.levels)
        )

    def matrix(self, table: Any) -> Floats:
        """Any table with these columns as numbers, categories as codes.

        Excluded columns need not be there. Shape: returns (rows, features).
        """
        return as_matrix(table, self.features, self.levels, self._needed)

    def unseen_values(self, table: Any, matrix: Floats) -> UnseenValues:
        """The values of a table that training never saw; ``matrix`` is that of the table."""
        return find_unseen(table, matrix, self.features, self.levels, self.ranges, self._needed)

    @property
    def _needed(self) -> set[int]:
        return set(range(len(self.features))).difference(self.excluded)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the encoded columns."""
        numbers = [self.features[at] for at in self.numbers]
        indicators = [each.name(self.features[each.feature]) for each in self.indicators]
        return (*numbers, *indicators)

    @property
    def crisp(self) -> NDArray[np.bool_]:
        """Which encoded columns need no threshold. Shape: (columns,)."""
        return np.arange(len(self.names)) >= len(self.numbers)

    def transform(self, matrix: Floats) -> Floats:
        """Encode a table. Shape: (rows, features) to (rows, columns)."""
        if self._is_identity:
            return matrix
        numbers = matrix[:, list(self.numbers)]
        numbers = np.where(np.isin(self.numbers, self.negated), -numbers, numbers)
        indicators = [self._indicate(each, matrix) for each in self.indicators]
        return np.column_stack([numbers, *indicators])

    def limits(self, constraints: Constraints) -> Limits | None:
        """The limits of the encoded columns; None if there are none.

        Indicators of texts and of missing values have no direction; they may stand beside
        other columns as their own column may.

        >>> encoder = FeatureEncoder(("age", "bmi"), numbers=(0, 1), negated=(0,))
        >>> kinds, monotone = ("number", "number"), {"age": "down"}
        >>> constraints = Constraints.read(encoder.features, kinds, None, monotone=monotone)
        >>> limits = encoder.limits(constraints)
        >>> limits.rises.tolist(), limits.falls.tolist()
        ([[True], [True]], [[False], [True]])
        """
        limits = constraints.limits
        if limits is None:
            return None
        encoded = [*(Membership(at, 0.0, 1.0) for at in self.numbers), *self.indicators]
        columns = [each.feature for each in encoded]
        free = ~np.array([self._has_direction(each) for each in encoded], dtype=bool)[:, None]
        negated = np.array([self.is_negated(each) for each in encoded], dtype=bool)[:, None]
        rises, falls, pairs = limits.rises[columns], limits.falls[columns], limits.pairs
        limits = Limits(
            np.where(negated, falls, rises) | free,
            np.where(negated, rises, falls) | free,
            None if pairs is None else pairs[np.ix_(columns, columns)],
            limits.max_literals,
            limits.operators,
            self._encode_cuts(limits.cuts),
        )
        return None if limits.is_free else limits

    def _encode_cuts(
        self, cuts: tuple[tuple[float, ...], ...] | None
    ) -> tuple[tuple[float, ...], ...] | None:
        """The cuts of the encoded columns; indicators have none."""
        if cuts is None:
            return None
        signs = [-1.0 if at in self.negated else 1.0 for at in self.numbers]
        own = [
            tuple(sign * cut + 0.0 for cut in cuts[at])
            for at, sign in zip(self.numbers, signs, strict=True)
        ]
        return (*own, *[()] * len(self.indicators)) if any(own) else None

    def fix_indicators(self, rules: RuleSet) -> RuleSet:
        """Rules of a network without the thresholds that it learned for indicators.

        An indicator is false at 0 and true at 1, however many memberships it was given. One
        that was the same in all rows that the network knew stays unknown to it. Crisp rules
        have a step in between.
        """
        if not self.indicators:
            return rules
        crisp = self.crisp
        memberships = tuple(
            (Step(each.feature, 0.5) if rules.crisp else Ramp(each.feature, 0.0, 1.0))
            if crisp[each.feature] and each.low < each.high
            else each
            for each in rules.memberships
        )
        return with_memberships(rules, memberships).simplified()

    def decode_rules(self, rules: RuleSet) -> RuleSet:
        """Rules about the encoded columns, as rules about the table.

        They are as large as they were: parts that rules share stay the same part.
        """
        if self._is_identity:
            return replace(rules, features=self.features, ranges=self.ranges)
        rules = self._without_constant_indicators(rules)
        memberships = tuple(map(self._decode, rules.memberships))
        rules = replace(
            rules,
            features=self.features,
            levels=self.levels,
            memberships=memberships,
            ranges=self.ranges,
        )
        negated = [self.is_negated(each) for each in memberships]
        return _with_positive_levels(with_memberships(rules, memberships, negated))

    def _without_constant_indicators(self, rules: RuleSet) -> RuleSet:
        """The same rules, unknown in place of indicators that never varied.

        A fold may know one level of a category alone, or none: its rules cannot name others.
        """
        crisp = self.crisp
        constant = {
            Var(index)
            for index in rules.used
            if crisp[rules.memberships[index].feature]
            and rules.memberships[index].low == rules.memberships[index].high
        }
        if not constant:
            return rules
        made: dict[Expr, Expr] = {}
        for node in unique_nodes(rules.expressions):
            made[node] = total([]) if node in constant else map_children(node, made.__getitem__)
        changed = (Rule(each.label, made[each.expression]) for each in rules.rules)
        return replace(rules, rules=tuple(changed)).simplified()

    @property
    def _is_identity(self) -> bool:
        """Whether the encoded table is the table itself."""
        plain = len(self.numbers) == len(self.features) and not self.indicators
        return plain and not self.negated

    def is_negated(self, membership: Membership) -> bool:
        """Whether a membership of the table is about a negated column."""
        return membership.feature in self.negated and self._has_direction(membership)

    def _has_direction(self, membership: Membership) -> bool:
        """Whether it is about a number or a truth value, which can rise."""
        if isinstance(membership, Level):
            levels = self.levels[membership.feature]
            return levels is not None and levels.are_ordered
        return isinstance(membership, Flag | Step) or not isinstance(membership, Indicator)

    def _indicate(self, indicator: Indicator, matrix: Floats) -> Floats:
        values = indicator.indicated(matrix[:, indicator.feature])
        return 1 - values if self.is_negated(indicator) else values

    def _decode(self, membership: Membership) -> Membership:
        place = membership.feature - len(self.numbers)
        if place >= 0:
            indicator = self.indicators[place]
            known = not isinstance(indicator, Level) or indicator.code != NO_CODE
            varied = known and membership.low < membership.high
            # What never varied is not used: see decode_rules. Missing fits every column.
            return indicator if varied else Missing(indicator.feature)
        decoded = replace(membership, feature=self.numbers[membership.feature])
        if not self.is_negated(decoded):
            return decoded
        if isinstance(decoded, Step):  # -x > 5 is x < -5, the negation of x >= -5
            return Step.at_least(decoded.feature, -decoded.threshold)
        # "-x is high" is "x is not high", with the ends of the ramp exchanged.
        # Adding zero turns -0.0 into 0.0.
        return replace(decoded, low=-decoded.high + 0.0, high=-decoded.low + 0.0)


def align_encoders(encoders: Sequence[FeatureEncoder]) -> list[FeatureEncoder]:
    """The same encoders with the same columns, those that any of them has.

    A level that an encoder does not know has a column that is never 1.

    >>> from crisplogic.tables import infer_schema, read_columns
    >>> tables = [["red"], ["blue"], ["teal"]], [["red"], ["blue"], ["grey"]]
    >>> schemas = [infer_schema(read_columns(table)) for table in tables]
    >>> first, second = align_encoders([FeatureEncoder.of(schema) for schema in schemas])
    >>> first.names == second.names
    True
    >>> second.transform(schemas[1].matrix([["grey"], ["teal"]])).tolist()
    [[0.0, 0.0, 0.0, 1.0], [nan, nan, nan, nan]]
    """
    every: dict[Indicator, Indicator] = {}
    for encoder in encoders:
        for each in encoder.indicators:
            every.setdefault(_without_code(each), _never_true(each))
    ordered = dict(sorted(every.items(), key=lambda item: item[0].feature))
    aligned = []
    for encoder in encoders:
        own = {_without_code(each): each for each in encoder.indicators}
        aligned.append(
            replace(encoder, indicators=tuple((ordered | own)[key] for key in ordered))
        )
    return aligned


def _without_code(indicator: Indicator) -> Indicator:
    """What an indicator says, whatever the code of its level is."""
    return replace(indicator, code=0) if isinstance(indicator, Level) else indicator


def _never_true(indicator: Indicator) -> Indicator:
    """The same indicator for someone who never saw its level."""
    return replace(indicator, code=NO_CODE) if isinstance(indicator, Level) else indicator


def with_memberships(
    rules: RuleSet, memberships: tuple[Membership, ...], negated: Sequence[bool] = ()
) -> RuleSet:
    """Rules over other memberships in place of theirs; equal ones become one.

    Those that are ``negated`` are the opposites of the former.
    """
    first = {each: at for at, each in reversed(list(enumerate(memberships)))}
    inputs: list[Expr] = [Var(first[each]) for each in memberships]
    if any(negated):
        pairs = zip(inputs, negated, strict=True)
        inputs = [Not(each) if turned else each for each, turned in pairs]
        exprs = _substitute_negated(rules.expressions, inputs)
    else:
        exprs = [_substitute(each, inputs) for each in rules.expressions]
    changed = (Rule(label, expr) for label, expr in zip(rules.labels, exprs, strict=True))
    return replace(rules, memberships=memberships, rules=tuple(changed))


def _with_positive_levels(rules: RuleSet) -> RuleSet:
    """The same rules with ``sex is male`` in place of the negation of ``sex is female``.

    This can be said where a column has two values, each with a name. No score changes.
    """
    memberships = list(rules.memberships)
    opposite: dict[Expr, Expr] = {}
    for index in rules.used:
        membership = memberships[index]
        levels = rules.levels[membership.feature] if rules.levels else None
        if not isinstance(membership, Level) or levels is None:
            continue
        if len(levels.names) == len(levels) == 2 and membership.code in (0, 1):
            opposite[Not(Var(index))] = Var(len(memberships))
            memberships.append(Level.of(membership.feature, 1 - membership.code, levels))
    if not opposite:
        return rules
    made: dict[Expr, Expr] = {}
    for node in unique_nodes(rules.expressions):  # each shared part once
        made[node] = opposite.get(node) or map_children(node, made.__getitem__)
    changed = (Rule(each.label, made[each.expression]) for each in rules.rules)
    return replace(rules, memberships=tuple(memberships), rules=tuple(changed))


def _substitute_negated(exprs: Sequence[Expr], inputs: Sequence[Expr]) -> list[Expr]:
    """The same rules over inputs some of which are negations, with few negations.

    Terms stay in their order, so that no score changes by a single bit. A part that one rule
    adds and another subtracts stays one part: its negations are placed for both at once.
    """
    signed = [[split_sign(term) for term in terms_of(expr)] for expr in exprs]
    parts = {part for terms in signed for part, _ in terms}
    added = {part for terms in signed for part, sign in terms if sign > 0}
    plain = {part: with_fewer_nots(_substitute(part, inputs)) for part in parts}

    def substitute(part: Expr, sign: int) -> Expr:
        if sign > 0:
            return plain[part]
        if part not in added:
            return with_fewer_nots(Not(plain[part]))
        return negate(plain[part])

    return [total(substitute(*term) for term in terms) for terms in signed]


def _substitute(expr: Expr, inputs: Sequence[Expr]) -> Expr:
    if isinstance(expr, Var):
        return inputs[expr.index]
    return map_children(expr, lambda part: _substitute(part, inputs))
