"""From rules to the target-neutral program that exports write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from crisplogic.errors import ExportError
from crisplogic.export.conditions import (
    Column,
    Fixed,
    Truth,
    decide,
    tests_in,
)
from crisplogic.export.literals import Literals
from crisplogic.export.program import (
    Amount,
    Degree,
    GradedStatement,
    Greatest,
    Outcome,
    Program,
    RampDegree,
    Statement,
    Sum,
    Threshold,
    YesNoDegree,
)
from crisplogic.expr import Const, Expr, Var, split_sign
from crisplogic.expr.printer import Printer
from crisplogic.expr.size import measure_written
from crisplogic.expr.walk import unique_nodes
from crisplogic.rules import (
    ClassificationRules,
    Flag,
    Level,
    Missing,
    RegressionRules,
)
from crisplogic.rules.checklist import (
    Checklist,
    Item,
    NumberCard,
    ScoreCard,
    normal_form,
    score_card,
)
from crisplogic.rules.decision import log_odds
from crisplogic.rules.formatting import terms_of
from crisplogic.rules.rule import as_plain
from crisplogic.rules.scoring import split_intercept
from crisplogic.rules.words import Words

if TYPE_CHECKING:
    from crisplogic.rules import RuleSet
    from crisplogic.rules.memberships import Membership

# Quarters of a point are exact in every arithmetic, as long as they are not too many.
NEAT, MOST_NEAT = 4, 2**40
# Longer rules are a network written out, which shares parts: no target has a use for them.
MOST_LITERALS = 20_000


def make_program(rules: RuleSet, missing: bool = True) -> Program:
    """The program of a rule set.

    Without ``missing``, no value is ever missing, nor one that was never seen. Then statements
    are shorter: what does not hold fails.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Rule, Step
    >>> both = Rule("ill", parse("0 + (1 | 0)")), Rule("well", parse("unknown"))
    >>> steps = Step(0, 40.0), Step(1, 31.5)
    >>> rules = ClassificationRules(("age", "mass"), steps, both, 1.0, (-1.5, 0.0), crisp=True)
    >>> program = make_program(rules)
    >>> [statement.words for statement in program.statements]
    ['age is above 40', 'mass is above 31.5, or age is above 40']
    >>> program.outcome.needed, program.sums[0].terms
    (2.0, ((1, 0), (1, 1)))
    """
    if sum(measure_written(expr).literals for expr in rules.expressions) > MOST_LITERALS:
        raise ExportError(
            f"these rules are too long to be written out: they have more than {MOST_LITERALS} "
            "literals where nothing is shared; choose smaller ones"
        )
    return _crisp_program(rules, missing) if rules.crisp else _graded_program(rules, missing)


class _Reader:
    """Reads the literals of one rule set as conditions on its columns."""

    def __init__(self, rules: RuleSet, missing: bool) -> None:
        self._rules = rules
        self._missing = missing
        self._literals = Literals(rules.features, rules.levels, missing)

    def columns(self) -> tuple[Column, ...]:
        """The columns that rules mention."""
        mentioned = {self._rules.memberships[index].feature for index in self._rules.used}
        return tuple(self._literals.columns[at] for at in sorted(mentioned))

    def truth(self, index: int) -> Truth:
        """When a literal holds, and when it fails."""
        return self._literals.truth(self._rules.memberships[index])

    def statement(self, expr: Expr, words: str) -> Statement:
        """A statement, without its second condition where nothing is unknown."""
        truth = decide(expr, self.truth)
        nodes = list(unique_nodes([expr]))
        used = [self._rules.memberships[node.index] for node in nodes if isinstance(node, Var)]
        unknown = any(isinstance(node, Const) and node.value == 0 for node in nodes)
        open_ = self._missing and any(not isinstance(each, Missing) for each in used)
        return Statement(truth.holds, truth.fails if open_ or unknown else None, words)

    def degree(self, membership: Membership, index: int) -> Degree:
        """What a graded expression computes with."""
        if isinstance(membership, Flag | Level | Missing):
            truth = self.truth(index)
            known = not self._missing or isinstance(membership, Missing)
            return YesNoDegree(truth.holds, None if known else truth.fails)
        return RampDegree(
            self._literals.columns[membership.feature], membership.low, membership.high
        )


def _crisp_program(rules: RuleSet, missing: bool) -> Program:
    form, reader, words = exported_form(rules), _Reader(rules, missing), Words(rules)
    statements = tuple(
        reader.statement(item.expression, words.statement(item.expression))
        for item in form.items
    )
    columns = _used(reader.columns(), statements)
    sums, outcome = _crisp_sums(rules, form)
    return Program(columns, (), statements, sums, outcome, crisp=True)


def exported_form(rules: RuleSet) -> Checklist | ScoreCard | NumberCard:
    """The normal form. It is a score card if rounding could decide a tie of two sums."""
    if isinstance(rules, ClassificationRules) and len(rules.rules) == 2:
        counted = sum(bool(terms_of(expr)) for expr in rules.expressions)
        if counted == 2 and not all(map(_is_neat, rules.intercepts)):
            return score_card(rules)
    return normal_form(rules)


def _used(columns: tuple[Column, ...], statements: tuple[Statement, ...]) -> tuple[Column, ...]:
    """The columns that are left: what is always true needs none."""
    conditions = (c for each in statements for c in (each.holds, each.fails) if c is not None)
    read = {test.column for condition in conditions for test in tests_in(condition)}
    return tuple(column for column in columns if column in read)


def _crisp_sums(
    rules: RuleSet, form: Checklist | ScoreCard | NumberCard
) -> tuple[tuple[Sum, ...], Outcome]:
    if isinstance(form, NumberCard):
        terms = tuple((amount, at) for at, amount in enumerate(form.amounts))
        outcome = Amount(as_plain(form.label), form.transform)
        return (Sum(terms, form.base),), outcome
    labels = tuple(map(as_plain, rules.labels))
    if isinstance(form, ScoreCard):
        neat = all(map(_is_neat, rules.intercepts))
        sums = tuple(
            _class_sum(form, at, intercept, neat)
            for at, intercept in enumerate(rules.intercepts)
        )
        return sums, Greatest(labels, rules.scale * (2 if neat else 1), _shifts(rules))
    decided = Threshold(
        as_plain(form.positive),
        as_plain(form.other),
        labels,
        form.needed,
        form.slope,
        form.even,
    )
    return (Sum(_terms(form.items, 0)),), decided


def _is_neat(intercept: float) -> bool:
    return abs(intercept) < MOST_NEAT and (intercept * NEAT).is_integer()


def _class_sum(form: ScoreCard, at: int, intercept: float, neat: bool) -> Sum:
    """The points of a class. Where half an intercept is no exact number of points, what it has
    beside a whole number is added last, as the library does: else rounding could decide a tie.
    """
    terms = _terms(form.items, at)
    if neat:
        return Sum(terms, form.bases[at])
    rest = split_intercept(intercept)[1]
    return Sum(terms, rest, 2.0, round(2 * form.bases[at] - rest) / 2)


def _terms(items: tuple[Item, ...], at: int) -> tuple[tuple[float, int], ...]:
    return tuple((item.points[at], n) for n, item in enumerate(items) if item.points[at])


def _shifts(rules: RuleSet) -> tuple[float, ...]:
    """What is added to the logits of classes."""
    assert isinstance(rules, ClassificationRules)
    odds = log_odds(rules.probability_of_a_tie)
    return tuple(
        odds if rules.positive is not None and label == rules.positive else 0.0
        for label in rules.labels
    )


def _graded_program(rules: RuleSet, missing: bool) -> Program:
    reader, used = _Reader(rules, missing), set(rules.used)
    degrees = tuple(
        reader.degree(each, index) if index in used else _UNUSED
        for index, each in enumerate(rules.memberships)
    )
    numbers: dict[Expr, int] = {}
    sums = []
    for expr, intercept, factor in zip(
        rules.expressions, rules.intercepts, rules.factors, strict=True
    ):
        signed = [split_sign(term) for term in terms_of(expr)]
        terms = [(float(sign), numbers.setdefault(term, len(numbers))) for term, sign in signed]
        if isinstance(rules, RegressionRules):
            terms = _counted(terms)
        sums.append(Sum(tuple(terms), intercept + 0.0, factor))
    texts = _term_texts(rules, list(numbers))
    statements = tuple(GradedStatement(e, t) for e, t in zip(numbers, texts, strict=True))
    outcome: Outcome
    if isinstance(rules, RegressionRules):
        outcome = Amount(as_plain(rules.labels[0]), rules.transform)
    else:
        labels = tuple(map(as_plain, rules.labels))
        outcome = Greatest(labels, rules.scale, _shifts(rules))
    return Program(reader.columns(), degrees, statements, tuple(sums), outcome, crisp=False)


def _counted(terms: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """Every term once, times how often it is there.

    That may change the last bit. So terms of classes are left as they are: ties would differ.
    """
    points: dict[int, float] = {}
    for sign, number in terms:
        points[number] = points.get(number, 0.0) + sign
    return [(count, number) for number, count in points.items() if count]


_UNUSED = YesNoDegree(Fixed(False), Fixed(False))
# Longer texts are no comments.
MOST_WORDS = 300


def _term_texts(rules: RuleSet, terms: list[Expr]) -> Iterator[str]:
    printer = Printer(rules.names)
    for term in terms:
        text = printer.text(term) if measure_written(term).literals < MOST_WORDS else ""
        yield text if len(text) <= MOST_WORDS else f"{text[:MOST_WORDS]} ..."
