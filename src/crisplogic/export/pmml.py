"""PMML 4.4: scorecards with reason codes, for crisp rules.

An attribute of a characteristic is chosen if its predicate is true. The first says when a
statement holds, the second when it fails, and the last is chosen if neither is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from crisplogic.errors import ExportError
from crisplogic.export.about import About
from crisplogic.export.conditions import (
    Column,
    Compare,
    Condition,
    Every,
    Fixed,
    Gap,
    OneOf,
    Some,
)
from crisplogic.export.from_rules import make_program
from crisplogic.export.program import (
    Amount,
    GradedStatement,
    Greatest,
    Program,
    Statement,
    Threshold,
)
from crisplogic.export.xml_text import document, element
from crisplogic.messages import list_some
from crisplogic.rules import RuleSet
from crisplogic.rules.rule import Label

NAMESPACE = "http://www.dmg.org/PMML-4_4"
OPERATORS = {
    ">": "greaterThan",
    ">=": "greaterOrEqual",
    "<": "lessThan",
    "<=": "lessOrEqual",
}


def write_pmml(rules: RuleSet, about: About) -> str:
    """Scorecards. Their outputs are scores, the prediction and reason codes."""
    if not rules.crisp:
        raise ExportError("a scorecard of PMML needs crisp rules; these are graded")
    program = make_program(rules)
    if any(total.factor != 1 for total in program.sums):
        raise ExportError(
            "a scorecard of PMML needs intercepts that are multiples of a quarter; "
            f"these rules have {list_some(rules.intercepts)}"
        )
    return _Document(program).render(about.lines(rules))


class _Document:
    """The document of one program: one scorecard, or one for each class in a chain."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.taken = {column.name for column in program.columns}
        single = len(program.sums) == 1
        self.scores = [
            self._free("score" if single else f"score_{at + 1}")
            for at in range(len(program.sums))
        ]
        self.prediction = self._free("prediction")

    def _free(self, name: str) -> str:
        """A name that no column has."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def render(self, about: list[str]) -> str:
        """The whole document."""
        from crisplogic import __version__

        application = element("Application", {"name": "crisplogic", "version": __version__})
        header = element("Header", {"description": about[0]}, [application])
        fields = [_field(column) for column in self.program.columns]
        dictionary = element("DataDictionary", {"numberOfFields": str(len(fields))}, fields)
        cards = [self._scorecard(at) for at in range(len(self.scores))]
        model = cards[0] if len(cards) == 1 else self._chain(cards)
        root = element(
            "PMML", {"version": "4.4", "xmlns": NAMESPACE}, [header, dictionary, model]
        )
        return document(root, about)

    def _chain(self, cards: list[Element]) -> Element:
        """Scorecards whose scores the last one compares."""
        segments = [
            element("Segment", {"id": str(at + 1)}, [element("True"), card])
            for at, card in enumerate(cards)
        ]
        chain = element("Segmentation", {"multipleModelMethod": "modelChain"}, segments)
        schema = element("MiningSchema", {}, list(map(_mining, self._columns)))
        # What a scorecard adds up is an output of the whole only if it is asked for.
        outputs = [
            element(
                "OutputField",
                {"name": self._free(f"points_{at + 1}"), "feature": "predictedValue", **_NUMBER}
                | {"segmentId": str(at + 1)},
            )
            for at in range(len(cards))
        ]
        return element(
            "MiningModel",
            {"modelName": "rules", "functionName": "regression"},
            [schema, element("Output", {}, outputs), chain],
        )

    @property
    def _columns(self) -> list[str]:
        return [column.name for column in self.program.columns]

    def _scorecard(self, at: int) -> Element:
        total = self.program.sums[at]
        is_last = at == len(self.scores) - 1
        earlier = self.scores[:at] if is_last else []
        schema = element("MiningSchema", {}, list(map(_mining, [*self._columns, *earlier])))
        score = {"name": self.scores[at], "feature": "predictedValue", **_NUMBER}
        outputs = [element("OutputField", score)]
        if is_last:
            outputs.append(self._predicted())
        outputs += self._reasons(at)
        items = [
            _characteristic(points, self.program.statements[n], n) for points, n in total.terms
        ]
        always = [_attribute(0.0, Fixed(True))]
        nothing = {"name": "always", "reasonCode": "always", "baselineScore": "0"}
        return element(
            "Scorecard",
            {
                "modelName": self.scores[at],
                "functionName": "regression",
                "initialScore": repr(total.base),
                "useReasonCodes": "true",
                "reasonCodeAlgorithm": "pointsAbove",
                "baselineMethod": "other",
            },
            [
                schema,
                element("Output", {}, outputs),
                element(
                    "Characteristics",
                    {},
                    items or [element("Characteristic", nothing, always)],
                ),
            ],
        )

    def _predicted(self) -> Element:
        """The field with the class, or the number."""
        outcome = self.program.outcome
        named = {"name": self.prediction, "feature": "transformedValue"}
        if isinstance(outcome, Amount):
            function = {None: None, "log": "exp", "log1p": "expm1"}[outcome.transform]
            value = _reference(self.scores[0])
            found = value if function is None else _apply(function, value)
            return element("OutputField", {**named, **_NUMBER}, [found])
        if isinstance(outcome, Threshold):
            needed = _constant(repr(outcome.needed), "double")
            enough = _apply("greaterOrEqual", _reference(self.scores[0]), needed)
            found = _apply("if", enough, _label(outcome.positive), _label(outcome.other))
        else:
            found = self._greatest(outcome)
        return element("OutputField", {**named, **_TEXT}, [found])

    def _greatest(self, outcome: Greatest) -> Element:
        """The first class that no later one surpasses."""
        found = _label(outcome.labels[-1])
        for at in reversed(range(len(self.scores) - 1)):
            ahead = [
                _apply("greaterOrEqual", _reference(self.scores[at]), _reference(other))
                for other in self.scores[at + 1 :]
            ]
            condition = ahead[0] if len(ahead) == 1 else _apply("and", *ahead)
            found = _apply("if", condition, _label(outcome.labels[at]), found)
        return found

    def _reasons(self, at: int) -> Iterator[Element]:
        """Fields for the statements that gave points, those that gave most first."""
        prefix = "reason" if len(self.scores) == 1 else f"reason_{at + 1}"
        for rank in range(1, len(self.program.sums[at].terms) + 1):
            name = {"name": self._free(f"{prefix}_{rank}")}
            yield element(
                "OutputField", {**name, "feature": "reasonCode", "rank": str(rank), **_TEXT}
            )


def _field(column: Column) -> Element:
    kind = _TEXT if column.kind == "text" else _NUMBER
    return element("DataField", {"name": column.name, **kind})


def _mining(name: str) -> Element:
    return element("MiningField", {"name": name, "invalidValueTreatment": "asIs"})


def _characteristic(points: float, statement: Statement | GradedStatement, at: int) -> Element:
    assert isinstance(statement, Statement)
    attributes = [_attribute(points, statement.holds)]
    last = 0.0
    if statement.fails is not None:
        attributes.append(_attribute(0.0, statement.fails))
        last = points / 2
    named = {"name": f"s{at + 1}", "reasonCode": statement.words, "baselineScore": "0"}
    return element("Characteristic", named, [*attributes, _attribute(last, Fixed(True))])


_NUMBER = {"optype": "continuous", "dataType": "double"}
_TEXT = {"optype": "categorical", "dataType": "string"}


def _reference(name: str) -> Element:
    return element("FieldRef", {"field": name})


def _apply(function: str, *arguments: Element) -> Element:
    return element("Apply", {"function": function}, arguments)


def _label(label: Label) -> Element:
    return _constant(str(label), "string")


def _constant(text: str, kind: str) -> Element:
    return element("Constant", {"dataType": kind}, text=text)


def _attribute(points: float, condition: Condition) -> Element:
    return element("Attribute", {"partialScore": repr(float(points))}, [_predicate(condition)])


def _predicate(condition: Condition) -> Element:
    match condition:
        case Fixed(value=value):
            return element("True" if value else "False")
        case Compare(column=column, sign=sign, number=number):
            return _simple(column, OPERATORS[sign], repr(number))
        case Gap(column=column, missing=missing):
            return _simple(column, "isMissing" if missing else "isNotMissing")
        case OneOf(column=column, values=values) if len(values) == 1:
            return _simple(column, "equal", _written(values[0]))
        case OneOf(column=column, values=values):
            quoted = (_quoted(_written(each)) for each in values)
            array = element(
                "Array",
                {"type": "string" if column.kind == "text" else "real", "n": str(len(values))},
                text=" ".join(quoted),
            )
            return element(
                "SimpleSetPredicate",
                {"field": column.name, "booleanOperator": "isIn"},
                [array],
            )
        case Every(parts=parts) | Some(parts=parts):
            joint = "and" if isinstance(condition, Every) else "or"
            return element(
                "CompoundPredicate", {"booleanOperator": joint}, list(map(_predicate, parts))
            )
    raise TypeError(type(condition).__name__)


def _simple(column: Column, operator: str, value: str | None = None) -> Element:
    given = {"field": column.name, "operator": operator}
    return element("SimplePredicate", given if value is None else {**given, "value": value})


def _written(value: str | float) -> str:
    return value if isinstance(value, str) else repr(value)


def _quoted(text: str) -> str:
    """A text of an array: quotes inside are escaped, and a backslash is not an escape."""
    if "\\" in text:
        raise ExportError(f"PMML has no list of texts with a backslash in one, got {text!r}")
    escaped = text.replace('"', '\\"')
    return f'"{escaped}"'
