"""Logic expressions: immutable nodes, and functions that parse, evaluate and simplify them."""

from crisplogic.expr.nodes import (
    And,
    Const,
    Expr,
    Not,
    Or,
    Squash,
    Sum,
    Var,
    Xor,
    negate,
    split_sign,
    total,
)
from crisplogic.expr.notation import ASCII, PAPER, Notation
from crisplogic.expr.parser import parse
from crisplogic.expr.printer import to_text
from crisplogic.expr.program import evaluate, evaluate_all
from crisplogic.expr.simplify import simplify
from crisplogic.expr.size import Size, measure, shared_parts

__all__ = [
    "ASCII",
    "PAPER",
    "And",
    "Const",
    "Expr",
    "Not",
    "Notation",
    "Or",
    "Size",
    "Squash",
    "Sum",
    "Var",
    "Xor",
    "evaluate",
    "evaluate_all",
    "measure",
    "negate",
    "parse",
    "shared_parts",
    "simplify",
    "split_sign",
    "to_text",
    "total",
]
