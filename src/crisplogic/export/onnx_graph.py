"""What models of ONNX share: their nodes, inputs and conditions, and what they predict.

Every column is an input of shape (rows, 1): doubles, NaN where one is missing; or strings, the
empty one where one is missing. All arithmetic is in double precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crisplogic.errors import ExportError
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
from crisplogic.export.names import identifiers
from crisplogic.export.program import Amount, Greatest, Outcome, Threshold

# The oldest that has every operator for doubles, so that most runtimes can read it.
OPSET, ML_OPSET, IR_VERSION = 17, 3, 8
# The codes of strings: known ones count from 0.
UNSEEN, MISSING = -1, -2
COMPARE = {">": "Greater", ">=": "GreaterOrEqual", "<": "Less", "<=": "LessOrEqual"}


def input_names(columns: Sequence[Column]) -> dict[Column, str]:
    """What the inputs are called: as their columns, if these have any name at all."""
    names = [column.name for column in columns]
    spare = identifiers([name or "column" for name in names], set(names))
    pairs = zip(columns, spare, strict=True)
    reserved = {"label", "probabilities", "number"}
    return {
        column: column.name
        if column.name and column.name not in reserved and "\0" not in column.name
        else f"column_{other}"
        for column, other in pairs
    }


class Graph:
    """Collects the nodes of one model that reads some columns."""

    def __init__(self, columns: Sequence[Column]) -> None:
        try:
            import onnx
        except ImportError as error:
            raise ImportError("ONNX needs onnx: pip install 'crisplogic[export]'") from error
        if not columns:
            raise ExportError("a model of ONNX needs inputs, but these rules read no column")
        self.onnx: Any = onnx
        self.helper: Any = onnx.helper
        self.double = onnx.TensorProto.DOUBLE
        self.nodes: list[Any] = []
        self.constants: dict[tuple[str, Any], str] = {}
        self.initializers: list[Any] = []
        self.inputs = input_names(columns)
        self.codes: dict[Column, str] = {}
        self.used = set(self.inputs.values())

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

    def array(self, values: ArrayLike) -> str:
        """Constants of double precision, of any shape."""
        return self._initialize(np.ascontiguousarray(values, dtype=np.float64))

    def whole_numbers(self, values: Sequence[int]) -> str:
        """Constants that say which axes or elements, or of what shape. Shape: (n,)."""
        return self._initialize(np.array(values, dtype=np.int64))

    def _initialize(self, values: NDArray[Any]) -> str:
        name = self._free(f"a{len(self.initializers)}")
        self.initializers.append(self.onnx.numpy_helper.from_array(values, name))
        return name

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

    # The model

    def finish(self, sums: Sequence[str], outcome: Outcome, description: str) -> bytes:
        """The whole model, checked by onnx. It decides by some sums, each (rows, 1)."""
        sums = [self.per_row(each) for each in sums]
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
        self.onnx.checker.check_model(model)
        written: bytes = model.SerializeToString()
        return written

    def _inputs(self) -> list[Any]:
        text = self.onnx.TensorProto.STRING
        return [
            self.helper.make_tensor_value_info(
                name, text if column.kind == "text" else self.double, ["rows", 1]
            )
            for column, name in self.inputs.items()
        ]

    def per_row(self, value: str) -> str:
        """A value for every row, even if it is the same for all. Shape: (rows, 1)."""
        first = next(iter(self.inputs))
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

    def _classes(self, sums: Sequence[str], outcome: Threshold | Greatest) -> list[Any]:
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
                logits = self.node("Add", logits, self.array(outcome.shifts))
            chances = self.node("Softmax", logits, axis=1)
        flat = self.node("Squeeze", number, self.whole_numbers([1]))
        return [
            self._label(flat, outcome),
            self._output(chances, "probabilities", self.double, ["rows", count]),
        ]

    def _whole(self, value: int) -> str:
        return self._constant("int64", self.onnx.TensorProto.INT64, value)

    def _label(self, number: str, outcome: Threshold | Greatest) -> Any:
        """Whole numbers stay numbers, other classes are strings."""
        labels = outcome.labels
        numbers = [
            each for each in labels if isinstance(each, int) and not isinstance(each, bool)
        ]
        whole = len(numbers) == len(labels)
        name, keys = "label", list(range(len(labels)))
        if whole and list(labels) == keys:
            return self._output(number, name, self.onnx.TensorProto.INT64, ["rows"])
        if whole:  # from numbers to numbers there is no encoder of this version: look them up
            found = self.node("Gather", self.whole_numbers(numbers), number)
            return self._output(found, name, self.onnx.TensorProto.INT64, ["rows"])
        found = self.node(
            "LabelEncoder",
            number,
            domain="ai.onnx.ml",
            keys_int64s=keys,
            values_strings=[str(each).encode("utf-8", "surrogatepass") for each in labels],
        )
        return self._output(found, name, self.onnx.TensorProto.STRING, ["rows"])
