"""DMN 1.3: decisions in FEEL, for crisp rules. Null is a missing value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import partial
from xml.etree.ElementTree import Element

from crisplogic.errors import ExportError
from crisplogic.export.about import About
from crisplogic.export.code import Code
from crisplogic.export.conditions import Column, OneOf
from crisplogic.export.from_rules import make_program
from crisplogic.export.names import comment, words
from crisplogic.export.program import (
    Amount,
    Greatest,
    Program,
    RampDegree,
    Threshold,
)
from crisplogic.export.xml_text import document, element
from crisplogic.rules import RuleSet
from crisplogic.rules.rule import Label

NAMESPACE = "https://www.omg.org/spec/DMN/20191111/MODEL/"
KEYWORDS = words(
    "and or not if then else for in return some every satisfies between instance of function "
    "external true false null date time duration list context number string boolean exp score "
    "prediction"
)


def write_dmn(
    rules: RuleSet, about: About, *, missing: bool = True, proba: bool = False
) -> str:
    """A decision for each statement and score, the table that decides, and probabilities."""
    if not rules.crisp:
        raise ExportError("decisions of DMN need crisp rules; these are graded")
    return _Decisions(make_program(rules, missing), proba).render(about.lines(rules))


class _Decisions(Code):
    """The decisions of one program."""

    AND, OR, EQUAL = "and", "or", "="

    def __init__(self, program: Program, proba: bool) -> None:
        chances = {f"probability_{at + 1}" for at in range(len(program.labels))}
        scores = {f"score_{at + 1}" for at in range(len(program.labels))}
        super().__init__(program, {*KEYWORDS, *chances, *scores})
        self.proba = proba

    def string(self, text: str) -> str:
        return feel_text(text)

    def choose(self, condition: str, yes: str, no: str) -> str:
        return f"if {condition} then {yes} else {no}"

    def negate(self, condition: str) -> str:
        return f"not({condition})"

    def gap(self, column: Column, missing: bool) -> str:
        return f"{self.names[column]} {'=' if missing else '!='} null"

    def ramp(self, degree: RampDegree) -> str:
        raise ExportError("decisions of DMN need crisp rules; these are graded")

    def one_of(self, test: OneOf, inside: str) -> str:
        values = [
            self.string(each) if isinstance(each, str) else self.number(each)
            for each in test.values
        ]
        if len(values) == 1:
            return f"{self.names[test.column]} {'!=' if test.negated else '='} {values[0]}"
        found = f"{self.names[test.column]} in ({', '.join(values)})"
        return f"not({found})" if test.negated else found

    def number(self, number: float) -> str:
        return feel_number(number)

    def expressions(self) -> dict[str, str]:
        """The name of every decision that is an expression of FEEL, and the expression."""
        found = {f"s{at + 1}": self.statement(at) for at in range(len(self.program.statements))}
        outcome = self.program.outcome
        if isinstance(outcome, Amount):
            inverse = {None: "{}", "log": "exp({})", "log1p": "exp({}) - 1"}[outcome.transform]
            return {**found, "prediction": inverse.format(self.sums()[0])}
        return {**found, **dict(zip(self.scores, self.sums(), strict=True)), **self._chances()}

    def _chances(self) -> dict[str, str]:
        """The probability of each class, on request."""
        outcome = self.program.outcome
        if not self.proba or isinstance(outcome, Amount):
            return {}
        chances = map(partial(self._chance, outcome), range(len(outcome.labels)))
        return {f"probability_{at + 1}": each for at, each in enumerate(chances)}

    def _chance(self, outcome: Threshold | Greatest, at: int) -> str:
        if isinstance(outcome, Threshold):
            sign = -1 if outcome.labels[at] == outcome.positive else 1
            slope, even = self.number(sign * outcome.slope), self.number(outcome.even)
            return f"1 / (1 + exp({slope} * (score - {even})))".replace("- -", "+ ")
        powers = ["1"]
        for other, score in enumerate(self.scores):
            if other == at:
                continue
            shift = outcome.shifts[other] - outcome.shifts[at]
            power = f"{self.number(outcome.slope)} * ({score} - {self.scores[at]})"
            powers.append(f"exp({power} + {self.number(shift)})" if shift else f"exp({power})")
        return f"1 / ({' + '.join(powers)})"

    @property
    def scores(self) -> list[str]:
        """What the decisions that add up for classes are called."""
        if isinstance(self.program.outcome, Threshold):
            return ["score"]
        return [f"score_{at + 1}" for at in range(len(self.program.labels))]

    def table(self) -> tuple[list[str], list[tuple[list[str], str]]]:
        """The table that decides: what its columns test; tests and the class of every row."""
        outcome = self.program.outcome
        if isinstance(outcome, Threshold):
            needed = self.number(outcome.needed)
            yes, no = _label(outcome.positive), _label(outcome.other)
            return ["score"], [([f">= {needed}"], yes), (["-"], no)]
        assert isinstance(outcome, Greatest)
        most = f"max({', '.join(self.scores)})"
        rows = [
            (["true" if at == own else "-" for at in range(len(self.scores))], _label(label))
            for own, label in enumerate(outcome.labels)
        ]
        return [f"{score} = {most}" for score in self.scores], rows

    def render(self, about: list[str]) -> str:
        """The whole document."""
        inputs = [self._input(column) for column in self.program.columns]
        decisions = [self._decision(name, text) for name, text in self.expressions().items()]
        if not isinstance(self.program.outcome, Amount):
            decisions.append(self._deciding())
        root = element(
            "definitions",
            {"xmlns": NAMESPACE, "id": "rules", "name": "rules", "namespace": "urn:crisplogic"},
            [*inputs, *decisions],
        )
        return document(root, about)

    def _input(self, column: Column) -> Element:
        name = self.names[column]
        kind = "string" if column.kind == "text" else "number"
        variable = element("variable", {"name": name, "typeRef": kind})
        given = {"id": f"input_{name}", "name": name, "label": column.name}
        return element("inputData", given, [variable])

    def _decision(self, name: str, text: str) -> Element:
        """A decision that is an expression; statements say in words what they are."""
        words = {}
        kind, at = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
        if kind == "s":
            words = {"label": self.program.statements[int(at) - 1].words}
        elif kind in ("score_", "probability_"):
            label = self.program.labels[int(at) - 1]
            words = {"label": comment(f"{kind.rstrip('_')} of {label}")}
        return element(
            "decision",
            {"id": f"decision_{name}", "name": name, **words},
            [
                element("variable", {"name": name, "typeRef": "number"}),
                *self._needs(text),
                element("literalExpression", {}, [_text(text)]),
            ],
        )

    def _needs(self, text: str) -> Iterator[Element]:
        """The columns, statements and scores that an expression names."""
        mentioned = set(re.findall(r"\w+", re.sub(r'"(?:\\.|[^"\\])*"', "", text)))
        for name in self.names.values():
            if name in mentioned:
                yield _requirement("requiredInput", f"input_{name}")
        statements = [f"s{at + 1}" for at in range(len(self.program.statements))]
        for name in (*statements, *self.scores):
            if name in mentioned:
                yield _requirement("requiredDecision", f"decision_{name}")

    def _deciding(self) -> Element:
        columns, rows = self.table()
        kind = "number" if columns == ["score"] else "boolean"
        clauses = [
            element(
                "input",
                {"id": f"clause_{at + 1}"},
                [element("inputExpression", {"typeRef": kind}, [_text(text)])],
            )
            for at, text in enumerate(columns)
        ]
        output = element("output", {"id": "output", "name": "prediction"})
        entries = [_rule(at, tests, label) for at, (tests, label) in enumerate(rows)]
        table = element(
            "decisionTable", {"id": "table", "hitPolicy": "FIRST"}, [*clauses, output, *entries]
        )
        needs = [_requirement("requiredDecision", f"decision_{name}") for name in self.scores]
        variable = element("variable", {"name": "prediction"})
        return element(
            "decision",
            {"id": "decision_prediction", "name": "prediction"},
            [variable, *needs, table],
        )


def _rule(at: int, tests: Sequence[str], label: str) -> Element:
    return element(
        "rule",
        {"id": f"rule_{at + 1}"},
        [
            *(
                element("inputEntry", {"id": f"rule_{at + 1}_{column + 1}"}, [_text(test)])
                for column, test in enumerate(tests)
            ),
            element("outputEntry", {"id": f"rule_{at + 1}_class"}, [_text(label)]),
        ],
    )


def _requirement(kind: str, name: str) -> Element:
    inner = element(kind, {"href": f"#{name}"})
    return element("informationRequirement", {}, [inner])


def _text(text: str) -> Element:
    return element("text", text=text)


def _label(label: Label) -> str:
    if isinstance(label, bool):
        return "true" if label else "false"
    return feel_text(label) if isinstance(label, str) else feel_number(label)


def feel_text(text: str) -> str:
    r"""A text as FEEL writes it. Letters stay letters: evaluators differ in escapes.

    >>> print(feel_text('größe "a"\n'))
    "größe \"a\"\n"
    """
    return json.dumps(text, ensure_ascii=False)


def feel_number(number: float) -> str:
    """A number as FEEL writes it, which has no exponents.

    >>> [feel_number(each) for each in (40.0, 6.5, 1e-7, 1e22)]
    ['40', '6.5', '0.0000001', '10000000000000000000000']
    """
    return f"{Decimal(repr(float(number) + 0.0)):f}".removesuffix(".0")
