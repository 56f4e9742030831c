"""ONNX of a soft network: raw columns in, the label and the probabilities out."""

from __future__ import annotations

import numpy as np

from crisplogic.export.about import About
from crisplogic.export.names import comment
from crisplogic.export.network import Input, LogicLevel, NetworkProgram, NumberInput
from crisplogic.export.onnx_graph import Graph
from crisplogic.messages import list_some


def write_onnx_network(program: NetworkProgram, about: About) -> bytes:
    """A model as bytes, checked by onnx. All arithmetic is in double precision.

    The network itself computes in single precision, so that probabilities differ by rounding.
    """
    return _Network(program).write("\n".join(_describe(program, about)))


def _describe(program: NetworkProgram, about: About) -> list[str]:
    outcome = program.outcome
    labels = getattr(outcome, "labels", None) or (getattr(outcome, "label", ""),)
    what = list_some(list(map(str, labels)), 8)
    inputs = len(program.inputs)
    head = f"Predicts {what} by a soft network of {inputs} input{'s'[: inputs != 1]}."
    return [comment(head), comment(about.origin())]


class _Network:
    """The graph of one network. Values have the shape (rows, units)."""

    def __init__(self, program: NetworkProgram) -> None:
        self.program = program
        self.graph = Graph(program.columns)
        self.node = self.graph.node

    def write(self, description: str) -> bytes:
        """The whole model."""
        degrees = self.degrees([self.input(each) for each in self.program.inputs])
        first, *others = self.program.levels
        values = self.level(first, degrees)
        for level in others:
            values = self.node("Tanh", values)
            if self.program.skip:
                values = self.node("Concat", values, degrees, axis=1)
            values = self.level(level, values)
        units = len(self.program.levels[-1].constant)
        sums = [
            self.node("Gather", values, self.graph.whole_numbers([unit]), axis=1)
            for unit in range(units)
        ]
        return self.graph.finish(sums, self.program.outcome, description)

    def input(self, given: Input) -> str:
        """One input of the network, NaN where it is missing. Shape: (rows, 1)."""
        if isinstance(given, NumberInput):
            x = self.graph.inputs[given.column]
            return self.node("Neg", x) if given.negated else x
        yes, no = (0.0, 1.0) if given.negated else (1.0, 0.0)
        return self.graph.three(given.truth.holds, given.truth.fails, yes, float("nan"), no)

    def degrees(self, inputs: list[str]) -> str:
        """The degrees of all memberships."""
        scaling, graph = self.program.scaling, self.graph
        varies = scaling.half > 0
        x = self.node("Concat", *map(graph.per_row, inputs), axis=1)
        missing = self.node("IsNaN", x)
        place = self.node("Sub", x, graph.array(scaling.middle))
        # What is missing is in the middle until the end: not all runtimes clip NaN alike.
        place = self.node("Where", missing, graph.number(0), place)
        place = self.node("Div", place, graph.array(np.where(varies, scaling.half, 1.0)))
        place = self._within(place, scaling.limit)
        place = self.node("Cast", place, to=graph.onnx.TensorProto.FLOAT)  # as the network does
        place = self.node("Cast", place, to=graph.double)
        ramps = len(scaling.centre) // len(scaling.half)
        if ramps > 1:
            place = self.node("Concat", *[place] * ramps, axis=1)
            missing = self.node("Concat", *[missing] * ramps, axis=1)
        place = self.node("Sub", place, graph.array(scaling.centre))
        place = self._within(self.node("Div", place, graph.array(scaling.width)), 1.0)
        known = self.node("Where", missing, graph.number(0), place)
        return self.node("Mul", known, graph.array(np.tile(varies, ramps)))

    def _within(self, value: str, limit: float) -> str:
        """A number, or the nearest one within a limit."""
        low, high = self.graph.number(-limit), self.graph.number(limit)
        return self.node("Max", self.node("Min", value, high), low)

    def level(self, level: LogicLevel, values: str) -> str:
        """The sums of one level of logic."""
        units, n = level.linear.shape
        # For every row and unit, what each input is multiplied by.
        factors = level.products.transpose(2, 0, 1).reshape(n, units * n)
        each = self.node("MatMul", values, self.graph.array(factors))
        each = self.node("Reshape", each, self.graph.whole_numbers([0, units, n]))
        beside = self.node("Unsqueeze", values, self.graph.whole_numbers([1]))
        each = self.node("Mul", each, beside)
        products = self.node("ReduceSum", each, self.graph.whole_numbers([2]), keepdims=0)
        linear = self.node("MatMul", values, self.graph.array(level.linear.T))
        constant = self.graph.array(level.constant)
        return self.node("Add", self.node("Add", products, linear), constant)
