"""The expressions of a program in SQL: conditions, statements, degrees, classes, chances.

sqlglot writes names, texts and types as each dialect wants them. The rest is the same in all
dialects: CASE WHEN, comparisons, AND and OR. A comparison with NULL is not true, so a statement
of which neither side is true is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crisplogic.errors import ExportError
from crisplogic.export.code import Code
from crisplogic.export.conditions import Column, Compare, OneOf
from crisplogic.export.names import plain_number
from crisplogic.export.program import (
    Amount,
    GradedStatement,
    Greatest,
    Program,
    RampDegree,
    Statement,
    Threshold,
    YesNoDegree,
    is_finite_sum,
)
from crisplogic.export.program import Sum as Total
from crisplogic.export.sql_dialects import Dialect, sql_number
from crisplogic.expr import Const, Expr, Var
from crisplogic.expr.walk import unique_nodes
from crisplogic.rules.rule import Label

# To these NaN is greater than every number. BigQuery compares it as programs do, and the
# others have none.
NAN_IS_GREAT = {"duckdb", "postgres", "spark", "snowflake"}
WITH_TANH = {"duckdb", "postgres", "spark", "bigquery", "snowflake"}
WITHOUT_BOOLEANS = {"sqlite", "tsql", "mysql"}
# e^709 is the greatest power that fits; some databases fail beside it.
MOST_POWER = 700.0
_NAN = "'NaN'"


class SqlCode(Code):
    """The expressions of one program.

    ``degree_names`` and ``term_names`` are what columns with degrees and terms of graded rules
    are called.
    """

    AND, OR, EQUAL, NOT_EQUAL = "AND", "OR", "=", "<>"
    TRUE, FALSE = "1 = 1", "1 = 0"

    def __init__(self, program: Program, dialect: Dialect, truth: str, nan: bool) -> None:
        super().__init__(program)
        self.dialect = dialect
        self.truth = truth
        self.nan = nan
        names = dialect.columns([column.name for column in program.columns])
        self.names = dict(zip(program.columns, names, strict=True))
        self.degree_names: dict[int, str] = {}
        self.term_names: list[str] = []

    # Conditions

    def string(self, text: str) -> str:
        """A constant text."""
        return self.dialect.text(text)

    def number(self, number: float) -> str:
        """A constant number."""
        return sql_number(number)

    def choose(self, condition: str, yes: str, no: str) -> str:
        """A CASE of one more condition."""
        if no.startswith("CASE "):
            return f"CASE WHEN {condition} THEN {yes} {no.removeprefix('CASE ')}"
        return f"CASE WHEN {condition} THEN {yes} ELSE {no} END"

    def negate(self, condition: str) -> str:
        """The opposite of a condition."""
        return f"NOT ({condition})"

    def gap(self, column: Column, missing: bool) -> str:
        """Whether a column is NULL, or NaN if that may be."""
        name = self.names[column]
        if not self._may_be_nan(column):
            return f"{name} IS {'' if missing else 'NOT '}NULL"
        is_nan = f"{name} = {self.dialect.double(_NAN)}"
        if self.dialect.name == "bigquery":
            is_nan = f"IS_NAN({name})"
        found = f"({name} IS NULL OR {is_nan})"
        return found if missing else f"NOT {found}"

    def _may_be_nan(self, column: Column) -> bool:
        known = {*NAN_IS_GREAT, "bigquery"}
        stored = column.kind == "number" or (column.kind == "truth" and self.truth == "number")
        return self.nan and stored and self.dialect.name in known

    def compare(self, test: Compare) -> str:
        """A comparison with a number. NaN is above all others, where there is one."""
        written = super().compare(test)
        great = self._may_be_nan(test.column) and self.dialect.name in NAN_IS_GREAT
        if great and test.sign in (">", ">="):
            name = self.names[test.column]
            return f"({written} AND {name} <> {self.dialect.double(_NAN)})"
        return written

    def one_of(self, test: OneOf, inside: str) -> str:
        """Whether a column holds one of some values."""
        name = self.names[test.column]
        if test.column.kind == "truth" and self.truth != "number":
            return self._truth(name, test.values[0] == 1)
        values = [
            self.string(each) if isinstance(each, str) else self.number(each)
            for each in test.values
        ]
        if len(values) == 1:
            return f"{name} {'<>' if test.negated else '='} {values[0]}"
        return f"{name} {'NOT ' if test.negated else ''}IN ({', '.join(values)})"

    def _truth(self, name: str, value: bool) -> str:
        if self.truth == "boolean":
            if self.dialect.name in WITHOUT_BOOLEANS:
                return f"{name} = {int(value)}"
            return f"{name} = {'TRUE' if value else 'FALSE'}"
        words = _words(value)
        return f"LOWER({name}) IN ({', '.join(map(self.string, words))})"

    # Statements and sums

    def points(self, statement: Statement, points: float) -> str:
        """The points that a yes/no statement gives."""
        half = float(plain_number(points)) / 2
        return self.three(statement, points, half, 0)

    def sum(self, total: Total) -> str:
        """A sum of statements, each of which is written out or has a name."""
        numbers = range(len(self.program.statements))
        values = self.term_names or [f"({self.statement(number)})" for number in numbers]
        written = self.total(total, values)
        graded = not self.program.crisp
        return self.dialect.double(written) if graded and not total.terms else written

    def base(self, number: float) -> str:
        """A base. To many databases 0.1 is a decimal: its sums are exact, and ties differ."""
        exact = isinstance(self.program.outcome, Amount) or (4 * number).is_integer()
        return self.number(number) if exact else self.dialect.double(self.number(number))

    def amount(self, total: Total, transform: str) -> str:
        """The number of which a sum is the logarithm."""
        if not is_finite_sum(total, MOST_POWER):
            raise ExportError("these rules predict numbers that are too large for SQL")
        written = self.sum(total)
        written = written if total.terms else self.dialect.double(written)
        return f"EXP({written})" if transform == "log" else f"EXP({written}) - 1"

    # Graded logic

    def degree(self, index: int) -> str:
        """The name of a degree; 0 for one that never varies."""
        return self.degree_names.get(index, self._exactly(0))

    def varying_degrees(self) -> Iterator[tuple[int, str]]:
        """The number of each degree that is used and varies, and how it is computed."""
        for index in sorted(self._used_degrees()):
            degree = self.program.degrees[index]
            if isinstance(degree, YesNoDegree):
                no, unknown, yes = map(self._exactly, (-1, 0, 1))
                last = no if degree.fails is None else self._choose(degree.fails, no, unknown)
                yield index, self._choose(degree.holds, yes, last)
            elif degree.half > 0:
                yield index, self.ramp(degree)

    def _used_degrees(self) -> set[int]:
        terms = [
            each.expression
            for each in self.program.statements
            if isinstance(each, GradedStatement)
        ]
        return {node.index for node in unique_nodes(terms) if isinstance(node, Var)}

    def ramp(self, degree: RampDegree) -> str:
        """The degree of a ramp."""
        name = self.names[degree.column]
        x = self.dialect.double(name)
        low, high = self.number(degree.low), self.number(degree.high)
        middle, half = self._exactly(degree.middle), self._exactly(degree.half)
        at_low, at_high = map(self._exactly, map(degree.end, (degree.low, degree.high)))
        inside = f"({x} - {middle}) / {half}".replace("- -", "+ ")
        unknown = ""
        if self._may_be_nan(degree.column):
            unknown = f"WHEN {self.gap(degree.column, True)} THEN {self._exactly(0)} "
        beyond = "".join(
            f"WHEN {inside} {sign} {self._exactly(end)} THEN {self._exactly(end)} "
            for sign, end in degree.overshoots()
        )
        return (
            f"CASE {unknown}WHEN {name} <= {low} THEN {at_low} WHEN {name} >= {high} "
            f"THEN {at_high} {beyond}WHEN {name} IS NOT NULL THEN {inside} "
            f"ELSE {self._exactly(0)} END"
        )

    def arithmetic(self, expr: Expr) -> str:
        """Graded logic; whole numbers would be divided as such."""
        if isinstance(expr, Const):
            return f"({self._exactly(expr.value)})"
        return super().arithmetic(expr)

    def tanh(self, value: str) -> str:
        """The hyperbolic tangent, which some databases lack."""
        if self.dialect.name in WITH_TANH:
            return f"TANH({value})"
        power = f"EXP(-2 * ({value}))"
        return f"((1 - {power}) / (1 + {power}))"

    def _exactly(self, number: float) -> str:
        """A number of double precision in every dialect: one with an exponent."""
        return sql_number(number, exponent=True)

    # Classes

    def predicted(self, outcome: Threshold | Greatest, scores: Sequence[str]) -> str:
        """The class, by the names of scores."""
        labels = self._labels(outcome.labels)
        if isinstance(outcome, Threshold):
            positive = labels[outcome.labels.index(outcome.positive)]
            other = labels[outcome.labels.index(outcome.other)]
            needed = self.number(outcome.needed)
            return f"CASE WHEN {scores[0]} >= {needed} THEN {positive} ELSE {other} END"
        if len(labels) == 1:
            return labels[0]
        cases = []
        for at, score in enumerate(scores[:-1]):
            ahead = " AND ".join(f"{score} >= {other}" for other in scores[at + 1 :])
            cases.append(f"WHEN {ahead} THEN {labels[at]}")
        return f"CASE {' '.join(cases)} ELSE {labels[-1]} END"

    def _labels(self, labels: Sequence[Label]) -> list[str]:
        """The classes; texts, where they are of several kinds."""
        if len({type(label) for label in labels}) > 1:
            return [self.string(str(label)) for label in labels]
        return [self._label(label) for label in labels]

    def _label(self, label: Label) -> str:
        if isinstance(label, bool):
            if self.dialect.name in WITHOUT_BOOLEANS:
                return str(int(label))
            return "TRUE" if label else "FALSE"
        if isinstance(label, int):
            return str(label)
        return self.string(label) if isinstance(label, str) else self.number(label)

    def chance(self, outcome: Threshold | Greatest, scores: Sequence[str], at: int) -> str:
        """The probability of a class, by its number."""
        bounded = [total.bounds for total in self.program.sums]
        widest = max(high for _, high in bounded) - min(low for low, _ in bounded)
        if isinstance(outcome, Threshold):
            sign = -1 if outcome.labels[at] == outcome.positive else 1
            slope = self.number(sign * outcome.slope)
            score = self.dialect.double(scores[0])
            power = f"{slope} * ({score} - {self.number(outcome.even)})".replace("- -", "+ ")
            return f"1 / (1 + {self._exp(power, outcome.slope * (widest + abs(outcome.even)))})"
        most = outcome.slope * widest + max(map(abs, outcome.shifts))
        parts = ["1"]
        for other, score in enumerate(scores):
            if other == at:
                continue
            difference = f"{self.dialect.double(score)} - {scores[at]}"
            power = f"{self.number(outcome.slope)} * ({difference})"
            shift = outcome.shifts[other] - outcome.shifts[at]
            power = f"{power} + {self.number(shift)}" if shift else power
            parts.append(self._exp(power, most))
        return f"1 / ({' + '.join(parts)})" if len(parts) > 1 else "1"

    def _exp(self, power: str, most: float) -> str:
        if most <= MOST_POWER:
            return f"EXP({power})"
        limit = self.number(MOST_POWER)
        return (
            f"EXP(CASE WHEN {power} > {limit} THEN {limit} "
            f"WHEN {power} < -{limit} THEN -{limit} ELSE {power} END)"
        )


def _words(value: bool) -> list[str]:
    from crisplogic.tables.levels import TRUTH_WORDS

    return ["1" if value else "0", *(w for w, truth in TRUTH_WORDS.items() if truth == value)]
