"""Logic expressions: immutable nodes and the functions that read, evaluate and shrink them."""

from crisplogic.expr.evaluate import evaluate, evaluate_all
from crisplogic.expr.lexicon import ASCII, PAPER, Notation
from crisplogic.expr.measure import Size, measure, shared_parts
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
    total,
)
from crisplogic.expr.parse import parse
from crisplogic.expr.simplify import simplify

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
    "parse",
    "shared_parts",
    "simplify",
    "total",
]
