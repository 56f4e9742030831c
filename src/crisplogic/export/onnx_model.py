"""ONNX: raw columns in, the label and the probabilities out.

Every column is an input of shape (rows, 1): doubles, NaN where one is missing; or strings, the
empty one where one is missing. All arithmetic is in double precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from crisplogic.errors import ExportError
from crisplogic.export.about import About
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
from crisplogic.export.from_rules import make_program
from crisplogic.export.names import identifiers
from crisplogic.export.program import (
    Amount,
    Greatest,
    Program,
    RampDegree,
    Statement,
    Sum,
    Threshold,
)
from crisplogic.rules import RuleSet

# The oldest that has every operator for doubles, so that most runtimes can read it.
OPSET, ML_OPSET, IR_VERSION = 17, 3, 8
# The codes of strings: known ones count from 0.
UNSEEN, MISSING = -1, -2
COMPARE = {">": "Greater", ">=": "GreaterOrEqual", "<": "Less", "<=": "LessOrEqual"}
OPERATIONS = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div"}


def write_onnx(rules: RuleSet, about: About, *, missing: bool = True) -> bytes:
    """A model as bytes, checked by onnx."""
    try:
        import onnx
    except ImportError as error:
        raise ImportError("ONNX needs onnx: pip install 'crisplogic[export]'") from error
    program = make_program(rules, missing)
    if not program.columns:
        raise ExportError("a model of ONNX needs inputs, but these rules read no column")
    model = _Graph(program, onnx).model("\n".join(about.lines(rules)))
    onnx.checker.check_model(model)
    written: bytes = model.SerializeToString()
    return written


def input_names(program: Program) -> dict[Column, str]:
    """What the inputs are called: as their columns, if these have any name at all."""
    names = [column.name for column in program.columns]
    spare = identifiers([name or "column" for name in names], set(names))
    pairs = zip(program.columns, spare, strict=True)
    reserved = {"label", "probabilities", "number"}
    return {
        column: column.name
        if column.name and column.name not in reserved and "\0" not in column.name
        else f"column_{other}"
        for column, other in pairs
    }


class _Graph(Arithmetic[str]):
    """Collects the nodes of one model."""

    def __init__(self, program: Program, onnx: Any) -> None:
        self.program = program
        self.onnx = onnx
        self.helper = onnx.helper
        self.double = onnx.TensorProto.DOUBLE
        self.nodes: list[Any] = []
        self.constants: dict[tuple[str, Any], str] = {}
        self.initializers: list[Any] = []
        self.inputs = input_names(program)
        self.codes: dict[Column, str] = {}
        self.used = set(self.inputs.values())

    # Parts

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node; its result."""
        name = self._free(f"t{len(self.nodes)}")
        made = self.helper.make_node(operator, list(inputs), [name], **attributes)
        self.nodes.append(made)
        return name

    def _free(self, name: str) -> str:
        """A name that no column has."""
        while name in self.used:
            name += "_"
        return name

    def number(self, value: float) -> str:
        """A constant of double precision, for every row."""
        return self._constant("double", self.double, float(value))

    def truth(self, value: bool) -> str:
        """A constant truth value."""
        return self._constant("bool", self.onnx.TensorProto.BOOL, value)

    def _constant(self, kind: str, type_: int, value: Any) -> str:
        key = kind, repr(value)
        if key not in self.constants:
            name = self._free(f"c{len(self.constants)}")
            self.constants[key] = name
            self.initializers.append(self.helper.make_tensor(name, type_, [1, 1], [value]))
        return self.constants[key]

    def code(self, column: Column) -> str:
        """The code of the text in a column."""
        if column not in self.codes:
            known = [str(value) for value in column.values]
            keys, codes = list(known), list(range(len(known)))
            if "" not in known:
                keys.append("")
                codes.append(MISSING)
            found = self.node(
                "LabelEncoder",
                self.inputs[column],
                domain="ai.onnx.ml",
                keys_strings=[key.encode("utf-8", "surrogatepass") for key in keys],
                values_int64s=codes,
                default_int64=UNSEEN,
            )
            self.codes[column] = self.node("Cast", found, to=self.double)
        return self.codes[column]

    def column(self, column: Column) -> str:
        """The number in a column, or the code of its text."""
        return self.code(column) if column.kind == "text" else self.inputs[column]

    def condition(self, condition: Condition) -> str:
        """A condition as truth values."""
        match condition:
            case Fixed(value=value):
                return self.truth(value)
            case Compare(column=column, sign=sign, number=number):
                return self.node(COMPARE[sign], self.inputs[column], self.number(number))
            case Gap(column=column, missing=missing):
                return self._gap(column, missing)
            case OneOf(column=column, values=values, negated=negated):
                known = list(column.values)
                text = column.kind == "text"
                each = [known.index(v) if text else v for v in values]
                tests = [
                    self.node("Equal", self.column(column), self.number(float(v))) for v in each
                ]
                found = reduce(lambda a, b: self.node("Or", a, b), tests)
                return self.node("Not", found) if negated else found
            case Every(parts=parts) | Some(parts=parts):
                operator = "And" if isinstance(condition, Every) else "Or"
                return reduce(
                    lambda a, b: self.node(operator, a, b), map(self.condition, parts)
                )
        raise TypeError(type(condition).__name__)

    def _gap(self, column: Column, missing: bool) -> str:
        if column.kind == "text":
            found = self.node("Equal", self.code(column), self.number(MISSING))
        else:
            found = self.node("IsNaN", self.inputs[column])
        return found if missing else self.node("Not", found)

    def three(
        self, holds: Condition, fails: Condition | None, yes: float, unknown: float, no: float
    ) -> str:
        """The number that a yes/no statement stands for."""
        last = self.number(no)
        if fails is not None:
            open_ = self.number(unknown)
            last = self.node("Where", self.condition(fails), last, open_)
        return self.node("Where", self.condition(holds), self.number(yes), last)

    def statement(self, at: int) -> str:
        """The value of a statement."""
        found = self.program.statements[at]
        if isinstance(found, Statement):
            return self.three(found.holds, found.fails, 1.0, 0.5, 0.0)
        return self.value(found.expression)

    def degree(self, index: int) -> str:
        """What an input of graded logic is."""
        degree = self.program.degrees[index]
        if not isinstance(degree, RampDegree):
            return self.three(degree.truth.holds, degree.truth.fails, 1.0, 0.0, -1.0)
        if degree.half <= 0:
            return self.number(0)
        x = self.inputs[degree.column]
        place = self.node("Sub", x, self.number(degree.middle))
        place = self.node("Div", place, self.number(degree.half))
        high, low = (self.number(degree.end(end)) for end in (degree.high, degree.low))
        place = self.node("Where", self.node("Greater", place, high), high, place)
        place = self.node("Where", self.node("Less", place, low), low, place)
        return self.node("Where", self.node("IsNaN", x), self.number(0), place)

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

    # The model

    def model(self, description: str) -> Any:
        """The whole model."""
        statements = [self.statement(at) for at in range(len(self.program.statements))]
        sums = [self._per_row(self.total(each, statements)) for each in self.program.sums]
        outcome = self.program.outcome
        if isinstance(outcome, Amount):
            outputs = [self._amount(sums[0], outcome)]
        else:
            outputs = self._classes(sums, outcome)
        graph = self.helper.make_graph(
            self.nodes, "rules", self._inputs(), outputs, self.initializers
        )
        model = self.helper.make_model(
            graph,
            opset_imports=[
                self.helper.make_opsetid("", OPSET),
                self.helper.make_opsetid("ai.onnx.ml", ML_OPSET),
            ],
            producer_name="crisplogic",
            ir_version=IR_VERSION,
        )
        model.doc_string = description
        return model

    def _inputs(self) -> list[Any]:
        text = self.onnx.TensorProto.STRING
        return [
            self.helper.make_tensor_value_info(
                name, text if column.kind == "text" else self.double, ["rows", 1]
            )
            for column, name in self.inputs.items()
        ]

    def _per_row(self, value: str) -> str:
        """A value for every row, even if it is the same for all. Shape: (rows, 1)."""
        first = next(iter(self.program.columns))
        known = self.column(first)
        zero = self.node(
            "Where", self.node("Equal", known, known), self.number(0), self.number(0)
        )
        return self.node("Add", value, zero)

    def _output(self, value: str, name: str, type_: int, shape: list[Any]) -> Any:
        self.nodes.append(self.helper.make_node("Identity", [value], [name]))
        return self.helper.make_tensor_value_info(name, type_, shape)

    def _amount(self, total: str, outcome: Amount) -> Any:
        if outcome.transform is not None:
            total = self.node("Exp", total)
            if outcome.transform == "log1p":
                total = self.node("Sub", total, self.number(1))
            most = self.number(1.7976931348623157e308)
            total = self.node("Where", self.node("Greater", total, most), most, total)
        return self._output(total, "number", self.double, ["rows", 1])

    def _classes(self, sums: list[str], outcome: Threshold | Greatest) -> list[Any]:
        count = len(outcome.labels)
        if isinstance(outcome, Threshold):
            positive = outcome.labels.index(outcome.positive)
            enough = self.node("GreaterOrEqual", sums[0], self.number(outcome.needed))
            yes, no = self._whole(positive), self._whole(1 - positive)
            number = self.node("Where", enough, yes, no)
            power = self.node("Sub", self.number(outcome.even), sums[0])
            power = self.node("Exp", self.node("Mul", self.number(outcome.slope), power))
            one = self.number(1)
            p = self.node("Div", one, self.node("Add", one, power))
            both = [p, self.node("Sub", one, p)]
            chances = self.node("Concat", *(both if positive == 0 else both[::-1]), axis=1)
        else:
            scores = self.node("Concat", *sums, axis=1)
            number = self.node("ArgMax", scores, axis=1, keepdims=1)
            logits = self.node("Mul", scores, self.number(outcome.slope))
            if any(outcome.shifts):
                name = self._free("shifts")
                shifts = self.helper.make_tensor(name, self.double, [1, count], outcome.shifts)
                self.initializers.append(shifts)
                logits = self.node("Add", logits, name)
            chances = self.node("Softmax", logits, axis=1)
        flat = self.node("Squeeze", number, self._axis())
        return [
            self._label(flat, outcome),
            self._output(chances, "probabilities", self.double, ["rows", count]),
        ]

    def _whole(self, value: int) -> str:
        return self._constant("int64", self.onnx.TensorProto.INT64, value)

    def _axis(self) -> str:
        name = self._free("axis")
        tensor = self.helper.make_tensor(name, self.onnx.TensorProto.INT64, [1], [1])
        self.initializers.append(tensor)
        return name

    def _label(self, number: str, outcome: Threshold | Greatest) -> Any:
        """Whole numbers stay numbers, other classes are strings."""
        labels = outcome.labels
        whole = all(isinstance(each, int) and not isinstance(each, bool) for each in labels)
        name, keys = "label", list(range(len(labels)))
        if whole and list(labels) == keys:
            return self._output(number, name, self.onnx.TensorProto.INT64, ["rows"])
        if whole:  # from numbers to numbers there is no encoder of this version: look them up
            classes = self._free("classes")
            values = self.helper.make_tensor(
                classes, self.onnx.TensorProto.INT64, [len(labels)], list(labels)
            )
            self.initializers.append(values)
            found = self.node("Gather", classes, number)
            return self._output(found, name, self.onnx.TensorProto.INT64, ["rows"])
        found = self.node(
            "LabelEncoder",
            number,
            domain="ai.onnx.ml",
            keys_int64s=keys,
            values_strings=[str(each).encode("utf-8", "surrogatepass") for each in labels],
        )
        return self._output(found, name, self.onnx.TensorProto.STRING, ["rows"])
