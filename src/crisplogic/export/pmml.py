"""PMML 4.4: a scorecard with reason codes, for crisp rules of two classes or of a number.

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
from crisplogic.export.program import Amount, Greatest, Program, Statement
from crisplogic.export.xml_text import document, element
from crisplogic.rules import RuleSet

NAMESPACE = "http://www.dmg.org/PMML-4_4"
OPERATORS = {
    ">": "greaterThan",
    ">=": "greaterOrEqual",
    "<": "lessThan",
    "<=": "lessOrEqual",
}


def write_pmml(rules: RuleSet, about: About) -> str:
    """A scorecard. Its outputs are the score, the prediction and reason codes."""
    if not rules.crisp:
        raise ExportError("a scorecard of PMML needs crisp rules; these are graded")
    program = make_program(rules)
    if isinstance(program.outcome, Greatest):
        raise ExportError(
            "a scorecard of PMML has one score, so it is for two classes or a number; "
            "these rules have a score for each class"
        )
    return _Scorecard(program).render(about.lines(rules))


class _Scorecard:
    """The scorecard of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        taken = {column.name for column in program.columns}
        self.names = {}
        for name in ("score", "prediction", "reason"):
            free = name
            while free in taken:
                free += "_"
            self.names[name] = free

    def render(self, about: list[str]) -> str:
        """The whole document."""
        from crisplogic import __version__

        application = element("Application", {"name": "crisplogic", "version": __version__})
        header = element("Header", {"description": about[0]}, [application])
        fields = [self._field(column) for column in self.program.columns]
        dictionary = element("DataDictionary", {"numberOfFields": str(len(fields))}, fields)
        root = element(
            "PMML",
            {"version": "4.4", "xmlns": NAMESPACE},
            [header, dictionary, self._scorecard()],
        )
        return document(root, about)

    def _field(self, column: Column) -> Element:
        text = column.kind == "text"
        kind = {"optype": "categorical", "dataType": "string"} if text else _NUMBER
        return element("DataField", {"name": column.name, **kind})

    def _scorecard(self) -> Element:
        mining = [
            element("MiningField", {"name": column.name, "invalidValueTreatment": "asIs"})
            for column in self.program.columns
        ]
        [total] = self.program.sums
        return element(
            "Scorecard",
            {
                "modelName": "rules",
                "functionName": "regression",
                "initialScore": repr(total.base),
                "useReasonCodes": "true",
                "reasonCodeAlgorithm": "pointsAbove",
                "baselineMethod": "other",
            },
            [
                element("MiningSchema", {}, mining),
                element("Output", {}, list(self._outputs())),
                element("Characteristics", {}, list(self._characteristics())),
            ],
        )

    def _outputs(self) -> Iterator[Element]:
        outcome = self.program.outcome
        score = self.names["score"]
        yield element("OutputField", {"name": score, "feature": "predictedValue", **_NUMBER})
        reference = element("FieldRef", {"field": score})
        named = {"name": self.names["prediction"], "feature": "transformedValue"}
        if isinstance(outcome, Amount):
            function = {None: None, "log": "exp", "log1p": "expm1"}[outcome.transform]
            if function is not None:
                reference = element("Apply", {"function": function}, [reference])
            yield element("OutputField", {**named, **_NUMBER}, [reference])
        else:
            assert not isinstance(outcome, Greatest)
            needed = _constant(repr(outcome.needed), "double")
            enough = element("Apply", {"function": "greaterOrEqual"}, [reference, needed])
            both = [
                _constant(str(each), "string") for each in (outcome.positive, outcome.other)
            ]
            choice = element("Apply", {"function": "if"}, [enough, *both])
            text = {"optype": "categorical", "dataType": "string"}
            yield element("OutputField", {**named, **text}, [choice])
        for rank in range(1, len(self.program.statements) + 1):
            yield element(
                "OutputField",
                {
                    "name": f"{self.names['reason']}_{rank}",
                    "feature": "reasonCode",
                    "rank": str(rank),
                    "optype": "categorical",
                    "dataType": "string",
                },
            )

    def _characteristics(self) -> Iterator[Element]:
        [total] = self.program.sums
        for points, at in total.terms:
            statement = self.program.statements[at]
            assert isinstance(statement, Statement)
            attributes = [_attribute(points, statement.holds)]
            if statement.fails is not None:
                attributes.append(_attribute(0.0, statement.fails))
            last = points / 2 if statement.fails is not None else 0.0
            attributes.append(_attribute(last, Fixed(True)))
            yield element(
                "Characteristic",
                {"name": f"s{at + 1}", "reasonCode": statement.words, "baselineScore": "0"},
                attributes,
            )


_NUMBER = {"optype": "continuous", "dataType": "double"}


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
