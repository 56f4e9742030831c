"""ONNX: rules as a model with raw columns in, the label and the probabilities out."""

from __future__ import annotations

from collections.abc import Sequence

from crisplogic.export.about import About
from crisplogic.export.arithmetic import Arithmetic
from crisplogic.export.from_rules import make_program
from crisplogic.export.onnx_graph import Graph
from crisplogic.export.program import Program, RampDegree, Statement, Sum
from crisplogic.rules import RuleSet

OPERATIONS = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div"}


def write_onnx(rules: RuleSet, about: About, *, missing: bool = True) -> bytes:
    """A model as bytes, checked by onnx."""
    program = make_program(rules, missing)
    return _Rules(program).write("\n".join(about.lines(rules)))


class _Rules(Arithmetic[str]):
    """The graph of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.graph = Graph(program.columns)
        self.node = self.graph.node

    def write(self, description: str) -> bytes:
        """The whole model."""
        statements = [self.statement(at) for at in range(len(self.program.statements))]
        sums = [self.total(each, statements) for each in self.program.sums]
        return self.graph.finish(sums, self.program.outcome, description)

    def statement(self, at: int) -> str:
        """The value of a statement."""
        found = self.program.statements[at]
        if isinstance(found, Statement):
            return self.graph.three(found.holds, found.fails, 1.0, 0.5, 0.0)
        return self.value(found.expression)

    def degree(self, index: int) -> str:
        """What an input of graded logic is."""
        degree = self.program.degrees[index]
        if not isinstance(degree, RampDegree):
            return self.graph.three(degree.holds, degree.fails, 1.0, 0.0, -1.0)
        if degree.half <= 0:
            return self.number(0)
        x = self.graph.inputs[degree.column]
        place = self.node("Sub", x, self.number(degree.middle))
        place = self.node("Div", place, self.number(degree.half))
        high, low = (self.number(degree.end(end)) for end in (degree.high, degree.low))
        place = self.node("Where", self.node("Greater", place, high), high, place)
        place = self.node("Where", self.node("Less", place, low), low, place)
        return self.node("Where", self.node("IsNaN", x), self.number(0), place)

    def number(self, value: float) -> str:
        """A constant."""
        return self.graph.number(value)

    def operation(self, sign: str, left: str, right: str) -> str:
        return self.node(OPERATIONS[sign], left, right)

    def negative(self, value: str) -> str:
        return self.node("Neg", value)

    def tanh(self, value: str) -> str:
        return self.node("Tanh", value)

    def total(self, total: Sum, statements: Sequence[str]) -> str:
        """A sum of statements."""
        found = self.added([(points, statements[at]) for points, at in total.terms])
        if total.start:
            found = self.node("Add", self.number(total.start), found)
        if total.factor != 1:
            found = self.node("Mul", self.number(total.factor), found)
        return self.node("Add", self.number(total.base), found)
