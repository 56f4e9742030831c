"""Parts of PMML documents: fields, predicates of crisp logic, arithmetic of graded logic."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from xml.etree.ElementTree import Element

from crisplogic.export.arithmetic import Arithmetic
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
from crisplogic.export.names import plain_number
from crisplogic.export.program import Degree, RampDegree
from crisplogic.export.xml_text import element

OPERATORS = {
    ">": "greaterThan",
    ">=": "greaterOrEqual",
    "<": "lessThan",
    "<=": "lessOrEqual",
}
NUMBER = {"optype": "continuous", "dataType": "double"}
TEXT = {"optype": "categorical", "dataType": "string"}


# Fields and expressions


def data_field(column: Column) -> Element:
    """A column of the table."""
    return element("DataField", {"name": column.name, **_kind(column)})


def _kind(column: Column) -> dict[str, str]:
    return TEXT if column.kind == "text" else NUMBER


def mining_field(name: str) -> Element:
    """A field that a model reads. What was never seen is left as it is."""
    return element("MiningField", {"name": name, "invalidValueTreatment": "asIs"})


def derived_field(name: str, words: str, value: Element) -> Element:
    """A number that others are computed from; ``words`` say what it is, if anything does."""
    shown = {"displayName": words} if words else {}
    return element("DerivedField", {"name": name, **shown, **NUMBER}, [value])


def reference(name: str) -> Element:
    """The value of a field."""
    return element("FieldRef", {"field": name})


def apply(function: str, *arguments: Element) -> Element:
    """A function of PMML with its arguments."""
    return element("Apply", {"function": function}, arguments)


def text_constant(text: str) -> Element:
    """A constant text."""
    return element("Constant", {"dataType": "string"}, text=text)


def logistic(power: Element, *others: Element) -> Element:
    """``1 / (1 + exp(power))``, and the exp of others added."""
    powers = (apply("exp", each) for each in (power, *others))
    below = reduce(lambda a, b: apply("+", a, b), powers, number_constant(1))
    return apply("/", number_constant(1), below)


def number_constant(number: float) -> Element:
    """A constant number."""
    return element("Constant", {"dataType": "double"}, text=repr(float(number) + 0.0))


# Crisp logic


def predicate(condition: Condition) -> Element:
    """A condition as a predicate. It is unknown, and so not chosen, if a value is missing."""
    match condition:
        case Fixed(value=value):
            return element("True" if value else "False")
        case Compare(column=column, sign=sign, number=number):
            return _simple(column, OPERATORS[sign], repr(number))
        case Gap(column=column, missing=missing):
            return _simple(column, "isMissing" if missing else "isNotMissing")
        case OneOf(column=column, values=values) if len(values) == 1:
            return _simple(column, "equal", _written(values[0]))
        case OneOf(column=column, values=values) if any("\\" in _written(v) for v in values):
            # To a list a backslash is an escape, and evaluators differ in what of.
            return predicate(Some(tuple(OneOf(column, (str(each),)) for each in values)))
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
                "CompoundPredicate", {"booleanOperator": joint}, list(map(predicate, parts))
            )
    raise TypeError(type(condition).__name__)


def _simple(column: Column, operator: str, value: str | None = None) -> Element:
    given = {"field": column.name, "operator": operator}
    return element("SimplePredicate", given if value is None else {**given, "value": value})


def _written(value: str | float) -> str:
    return value if isinstance(value, str) else repr(value)


def _quoted(text: str) -> str:
    """A text of an array: quotes inside are escaped."""
    escaped = text.replace('"', '\\"')
    return f'"{escaped}"'


# Graded logic


def degree_value(degree: Degree) -> Element:
    """How true a statement about a column is, from -1 to 1; 0 if the value is missing.

    Ramps are written as arithmetic. ``NormContinuous`` would interpolate, and round its last
    bit otherwise than the library.
    """
    if isinstance(degree, RampDegree):
        return _ramp(degree)
    if isinstance(degree.holds, Gap):
        yes = 1.0 if degree.holds.missing else -1.0
        return _if_missing(degree.holds.column, yes, number_constant(-yes))
    found = number_constant(0)
    for condition, value in ((degree.fails, -1.0), (degree.holds, 1.0)):
        if isinstance(condition, OneOf):  # else never: a value that the table never had
            found = apply("if", _one_of(condition), number_constant(value), found)
            found = _if_missing(condition.column, 0.0, found)
    return found


def _if_missing(column: Column, number: float, otherwise: Element) -> Element:
    missing = apply("isMissing", reference(column.name))
    return apply("if", missing, number_constant(number), otherwise)


def degree_words(degree: Degree) -> str:
    """What a degree says of its column; the values of a category speak for themselves."""
    if not isinstance(degree, RampDegree):
        return ""
    low, high = plain_number(degree.low), plain_number(degree.high)
    return f"{degree.column.name}: -1 up to {low}, 1 from {high} on"


def _ramp(degree: RampDegree) -> Element:
    if degree.half <= 0:
        return number_constant(0)
    place = apply("-", reference(degree.column.name), number_constant(degree.middle))
    place = apply("/", place, number_constant(degree.half))
    low, high = (number_constant(degree.end(end)) for end in (degree.low, degree.high))
    return _if_missing(degree.column, 0.0, apply("max", low, apply("min", high, place)))


def _one_of(test: OneOf) -> Element:
    tests = [apply("equal", reference(test.column.name), _constant(v)) for v in test.values]
    return reduce(lambda a, b: apply("or", a, b), tests)


def _constant(value: str | float) -> Element:
    return text_constant(value) if isinstance(value, str) else number_constant(value)


class Terms(Arithmetic[Element]):
    """Terms of graded rules, over fields that hold degrees."""

    def __init__(self, degrees: Sequence[str]) -> None:
        self._degrees = degrees
        self.used: set[int] = set()
        """The numbers of the degrees that were used so far."""

    def number(self, value: float) -> Element:
        """A constant."""
        return number_constant(value)

    def degree(self, index: int) -> Element:
        """The field of a degree."""
        self.used.add(index)
        return reference(self._degrees[index])

    def operation(self, sign: str, left: Element, right: Element) -> Element:
        """A function of two numbers: PMML has the same signs."""
        return apply(sign, left, right)

    def tanh(self, value: Element) -> Element:
        """The hyperbolic tangent."""
        return apply("tanh", value)
