"""SQL for many databases: a query, a view or a dbt model.

sqlglot writes names, texts, types and functions as each dialect wants them. The rest is the
same in all dialects: CASE WHEN, comparisons, AND and OR. A comparison with NULL is not true,
so a statement of which neither side is true is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from crisplogic.errors import ExportError
from crisplogic.export.about import About
from crisplogic.export.code import Code
from crisplogic.export.conditions import Column, Compare, Condition, Gap, OneOf
from crisplogic.export.from_rules import make_program
from crisplogic.export.names import identifiers, plain_number
from crisplogic.export.program import (
    Amount,
    Greatest,
    Program,
    RampDegree,
    Statement,
    Threshold,
    is_finite_sum,
)
from crisplogic.export.sql_dialects import Dialect, sql_number
from crisplogic.export.sql_keywords import KEYWORDS
from crisplogic.expr import Const, Expr
from crisplogic.messages import list_some
from crisplogic.rules import RuleSet
from crisplogic.rules.rule import Label

# How truth values are stored: as 0 and 1, as a type of their own, as words.
TRUTH_TYPES = ("number", "boolean", "text")
# To these NaN is greater than every number. BigQuery compares it as programs do, and the
# others have none.
NAN_IS_GREAT = {"duckdb", "postgres", "spark", "snowflake"}
WITH_TANH = {"duckdb", "postgres", "spark", "bigquery", "snowflake"}
WITHOUT_BOOLEANS = {"sqlite", "tsql", "mysql"}
# e^709 is the greatest power that fits; some databases fail beside it.
MOST_POWER = 700.0


def write_sql(
    rules: RuleSet,
    about: About,
    *,
    dialect: str = "duckdb",
    table: str | Sequence[str] = "data",
    keep: Sequence[str] | None = None,
    proba: bool = False,
    view: str | Sequence[str] | None = None,
    dbt: bool = False,
    quote: bool = False,
    truth: str = "number",
    nan: bool = False,
    missing: bool = True,
) -> str:
    """A query of all rows of a table: their columns, score and prediction.

    A dot in a name of a table or a view separates it from its schema; where it does not, give
    the parts as a list.
    """
    if truth not in TRUTH_TYPES:
        raise ExportError(f"truth must be one of {list_some(TRUTH_TYPES)}, got {truth!r}")
    if view is not None and dbt:
        raise ExportError("a dbt model is a view by itself: give either view or dbt")
    database = Dialect(dialect, quote)
    query = _Query(make_program(rules, missing), database, truth, nan)
    source = _ref(table) if dbt else database.table(table)
    columns = None if keep is None else list(map(database.column, keep))
    taken = {*rules.features, *(keep or ())}
    text = "\n".join(query.lines(source, columns, taken, proba))
    if dbt:
        text = text.replace(source, "\0")
        text = re.sub(r"\{(?=[{%#])", '{{ "{" }}', text).replace("\0", source)
    head = [f"-- {_without_jinja(line) if dbt else line}" for line in about.lines(rules)]
    start = [] if view is None else [f"CREATE VIEW {database.table(view)} AS"]
    ending = "" if dbt else ";"
    return "\n".join([*head, *start, f"{text}{ending}"]) + "\n"


def _ref(table: str | Sequence[str]) -> str:
    name = table if isinstance(table, str) else ".".join(table)
    if not re.fullmatch(r"[\w.-]+", name):
        raise ExportError(f"a dbt model refers to another by a plain name, got {name!r}")
    return "{{ ref('" + name + "') }}"


def _without_jinja(line: str) -> str:
    return re.sub(r"\{(?=[{%#])", "{ ", line)


class _Query(Code):
    """The query of one program."""

    AND, OR, EQUAL, NOT_EQUAL = "AND", "OR", "=", "<>"
    TRUE, FALSE = "1 = 1", "1 = 0"

    def __init__(self, program: Program, dialect: Dialect, truth: str, nan: bool) -> None:
        super().__init__(program)
        self.dialect = dialect
        self.truth = truth
        self.nan = nan
        self.names = {each: dialect.column(each.name) for each in program.columns}

    def string(self, text: str) -> str:
        return self.dialect.text(text)

    def number(self, number: float) -> str:
        return sql_number(number)

    def choose(self, condition: str, yes: str, no: str) -> str:
        if no.startswith("CASE "):
            return f"CASE WHEN {condition} THEN {yes} {no.removeprefix('CASE ')}"
        return f"CASE WHEN {condition} THEN {yes} ELSE {no} END"

    def negate(self, condition: str) -> str:
        return f"NOT ({condition})"

    def is_missing(self, column: Column) -> str:
        name = self.names[column]
        if not self._may_be_nan(column):
            return f"{name} IS NULL"
        if self.dialect.name == "bigquery":
            return f"({name} IS NULL OR IS_NAN({name}))"
        return f"({name} IS NULL OR {name} = {self.dialect.double(_NAN)})"

    def _may_be_nan(self, column: Column) -> bool:
        known = {*NAN_IS_GREAT, "bigquery"}
        stored = column.kind == "number" or (column.kind == "truth" and self.truth == "number")
        return self.nan and stored and self.dialect.name in known

    def condition(self, condition: Condition, inside: bool = False) -> str:
        if isinstance(condition, Gap) and not condition.missing:
            if self._may_be_nan(condition.column):
                return self.negate(self.is_missing(condition.column))
            return f"{self.names[condition.column]} IS NOT NULL"
        return super().condition(condition, inside)

    def compare(self, test: Compare) -> str:
        written = super().compare(test)
        great = self._may_be_nan(test.column) and self.dialect.name in NAN_IS_GREAT
        if great and test.sign in (">", ">="):
            name = self.names[test.column]
            return f"({written} AND {name} <> {self.dialect.double(_NAN)})"
        return written

    def one_of(self, test: OneOf, inside: bool) -> str:
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

    def ramp(self, degree: RampDegree) -> str:
        name = self.names[degree.column]
        x = self.dialect.double(name)
        low, high = self.number(degree.low), self.number(degree.high)
        middle, half = self._exactly(degree.middle), self._exactly(degree.half)
        at_low, at_high = map(self._exactly, map(degree.end, (degree.low, degree.high)))
        inside = f"({x} - {middle}) / {half}".replace("- -", "+ ")
        unknown = ""
        if self._may_be_nan(degree.column):
            unknown = f"WHEN {self.is_missing(degree.column)} THEN {self._exactly(0)} "
        beyond = "".join(
            f"WHEN {inside} {sign} {self._exactly(end)} THEN {self._exactly(end)} "
            for sign, end in degree.overshoots()
        )
        return (
            f"CASE {unknown}WHEN {name} <= {low} THEN {at_low} WHEN {name} >= {high} "
            f"THEN {at_high} {beyond}WHEN {name} IS NOT NULL THEN {inside} "
            f"ELSE {self._exactly(0)} END"
        )

    def _exactly(self, number: float) -> str:
        """A number of double precision in every dialect: one with an exponent."""
        return sql_number(number, exponent=True)

    def tanh(self, value: str) -> str:
        if self.dialect.name in WITH_TANH:
            return f"TANH({value})"
        power = f"EXP(-2 * ({value}))"
        return f"((1 - {power}) / (1 + {power}))"

    # The query

    def lines(
        self, source: str, keep: list[str] | None, taken: set[str], proba: bool
    ) -> Iterator[str]:
        """The lines of the query. ``taken`` are names that no new column may have."""
        outcome = self.program.outcome
        everything = ["*"] if keep is None else keep
        if isinstance(outcome, Amount):
            [prediction] = _fresh(["prediction"], taken)
            inverse = {None: "", "log": "EXP", "log1p": "EXP"}[outcome.transform]
            yield "SELECT"
            yield from (f"  {each}," for each in everything)
            yield from self._sum(0, prediction, "  ", inverse, outcome)
            yield f"FROM {source}"
            return
        labels = outcome.labels
        single = isinstance(outcome, Threshold)
        wanted = ["score"] if single else [f"score_{label}" for label in labels]
        chances = [f"probability_{label}" for label in labels]
        every = _fresh([*wanted, "prediction", *chances], taken)
        scores, prediction = every[: len(wanted)], every[len(wanted)]
        more = every[len(wanted) + 1 :] if proba else []
        yield "SELECT"
        yield from (f"  {each}," for each in [*everything, *([] if keep is None else scores)])
        yield f"  {self._class(outcome, scores)} AS {prediction}{',' if more else ''}"
        for at, name in enumerate(more):
            comma = "" if at == len(more) - 1 else ","
            yield f"  {self._chance(outcome, scores, at)} AS {name}{comma}"
        yield "FROM ("
        yield "  SELECT"
        yield from (f"    {each}," for each in everything)
        for at, name in enumerate(scores):
            comma = "" if at == len(scores) - 1 else ","
            yield from self._sum(at, name, "    ", "", outcome, comma)
        yield f"  FROM {source}"
        yield ") AS scored"

    def _sum(
        self,
        at: int,
        name: str,
        indent: str,
        function: str,
        outcome: object,
        comma: str = "",
    ) -> Iterator[str]:
        """A sum over several lines, one statement each."""
        total = self.program.sums[at]
        transformed = isinstance(outcome, Amount) and outcome.transform is not None
        minus = " - 1" if isinstance(outcome, Amount) and outcome.transform == "log1p" else ""
        flat = self.program.crisp and total.factor == 1 and not transformed
        if not flat or not total.terms:
            values = [self._bracketed(number) for number in range(len(self.program.statements))]
            written = self.total(total, values)
            if not self.program.crisp or transformed:
                written = self.dialect.double(written) if not total.terms else written
            if transformed:
                if not is_finite_sum(total, MOST_POWER):
                    raise ExportError("these rules predict numbers that are too large for SQL")
                written = f"{function}({written}){minus}"
            yield f"{indent}{written} AS {name}{comma}"
            return
        first = True
        if total.base:
            yield f"{indent}{self.number(total.base)}"
            first = False
        for points, number in total.terms:
            statement = self.program.statements[number]
            assert isinstance(statement, Statement)
            sign = "  " if first else "+ "
            yield f"{indent}{sign}{self._case(statement, points)}"
            first = False
        yield f"{indent}AS {name}{comma}"

    def _case(self, statement: Statement, points: float) -> str:
        half = float(plain_number(points)) / 2
        return self.three(statement, points, half, 0)

    def _bracketed(self, number: int) -> str:
        return f"({self.statement(number)})"

    def degree(self, index: int) -> str:
        degree = self.program.degrees[index]
        if isinstance(degree, RampDegree):
            return f"({self.ramp(degree)})" if degree.half > 0 else self._exactly(0)
        truth = degree.truth
        whens = [
            f"WHEN {self.condition(each)} THEN {self._exactly(value)}"
            for each, value in ((truth.holds, 1), (truth.fails, -1))
        ]
        return f"(CASE {' '.join(whens)} ELSE {self._exactly(0)} END)"

    def arithmetic(self, expr: Expr) -> str:
        """Graded logic; whole numbers would be divided as such."""
        if isinstance(expr, Const):
            return f"({self._exactly(expr.value)})"
        return super().arithmetic(expr)

    def _class(self, outcome: Threshold | Greatest, scores: list[str]) -> str:
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

    def _chance(self, outcome: Threshold | Greatest, scores: list[str], at: int) -> str:
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


_NAN = "'NaN'"


def _words(value: bool) -> list[str]:
    from crisplogic.tables.levels import TRUTH_WORDS

    return ["1" if value else "0", *(w for w, truth in TRUTH_WORDS.items() if truth == value)]


def _fresh(names: list[str], taken: set[str]) -> list[str]:
    """Plain names for new columns, different from each other and from those in use."""
    return [name.lower() for name in identifiers(names, {*taken, *KEYWORDS})]
