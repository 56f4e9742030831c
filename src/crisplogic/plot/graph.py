"""Rules as a graph: literals, operators and classes, and who is asked by whom.

A part that is mentioned several times is one node with several links. A literal is too small
for that, as it is in text: it stands wherever it is an operand, or lines would run across
the picture for the sake of a word. As a term of classes, it stands once for all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from crisplogic.expr import (
    And,
    Const,
    Expr,
    Not,
    Or,
    Squash,
    Sum,
    Var,
    Xor,
    split_sign,
    to_text,
    total,
)
from crisplogic.expr.laws import negated_constant
from crisplogic.expr.notation import written_name
from crisplogic.rules import RegressionRules, RuleSet
from crisplogic.rules.rule import Label

Kind = Literal["literal", "operator", "class"]

WORDS: dict[type[Expr], str] = {And: "and", Or: "or", Xor: "xor", Squash: "tanh"}
TANH_OF_SUM = "tanh Σ"
_NOTHING = total(())  # what the expression of a class is that no term speaks for


@dataclass(frozen=True)
class Node:
    """What is drawn in one place; ``note`` is what a class has besides its terms.

    A number is drawn like the only class: its terms are collected in the same way.
    """

    kind: Kind
    label: str
    note: str = ""

    @property
    def sums(self) -> bool:
        """Whether what is linked to it are the terms of a sum, not the operands of logic."""
        return self.kind == "class" or (self.kind, self.label) == ("operator", TANH_OF_SUM)


class Link(NamedTuple):
    """Node ``source`` is an operand of node ``target``, or a term that counts ``weight`` times.

    Only terms of sums count more than once; an operand that is repeated has several links.
    """

    source: int
    target: int
    negated: bool = False
    weight: int = 1


@dataclass(frozen=True)
class Graph:
    """Nodes, whose numbers are their positions, and links; classes come in their order."""

    nodes: tuple[Node, ...]
    links: tuple[Link, ...]

    def of_kind(self, kind: Kind) -> list[int]:
        """The numbers of all nodes of one kind."""
        return [number for number, node in enumerate(self.nodes) if node.kind == kind]


def graph_of(rules: RuleSet) -> Graph:
    """The graph of a rule set.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, Rule
    >>> ramps = Ramp(0, 30.0, 50.0), Ramp(1, 100.0, 140.0)
    >>> ill = Rule("ill", parse("(0 & ~1) + ~1"))
    >>> rules = ClassificationRules(("age", "glucose"), ramps, (ill,), intercepts=(0.5,))
    >>> graph = graph_of(rules)
    >>> [(node.label + " " + node.note).strip() for node in graph.nodes]
    ['age>40', 'glucose<120', 'and', 'glucose<120', 'ill + 0.5']
    >>> [link[:2] for link in graph.links]
    [(0, 2), (1, 2), (2, 4), (3, 4)]
    """
    builder = _Builder(rules.names)
    for rule, intercept in zip(rules.rules, rules.intercepts, strict=True):
        votes = _votes(rule.expression)
        if isinstance(rules, RegressionRules):
            note = _note_of_number(bool(votes), intercept, rules.scale)
        else:
            note = _note(bool(votes), intercept)
        builder.add_class(rule.label, votes, note)
    return builder.graph()


class _Builder:
    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.nodes: list[Node] = []
        self.links: list[Link] = []
        self.leaves: dict[int, Expr] = {}  # what stands behind the label of a literal
        self.known: dict[Expr, int] = {}  # what is mentioned again is not drawn again

    def add_class(self, label: Label, votes: Mapping[Expr, int], note: str) -> None:
        sources = [self._known(term) for term in votes]
        node = Node("class", _written(label), note)
        self._link(sources, votes.values(), self._new(node))

    def graph(self) -> Graph:
        """What was added; a literal that is only ever denied is its contrary instead."""
        asserted = {link.source for link in self.links if not link.negated}
        contrary = self.leaves.keys() - asserted
        nodes = list(self.nodes)
        for number in contrary:
            negated = negated_constant(Not(self.leaves[number]))
            nodes[number] = replace(nodes[number], label=to_text(negated, self.names))
        links = (
            link._replace(negated=False) if link.source in contrary else link
            for link in self.links
        )
        return Graph(tuple(nodes), tuple(links))

    def _known(self, expr: Expr) -> int:
        if expr not in self.known:
            self.known[expr] = self._made(expr)
        return self.known[expr]

    def _made(self, expr: Expr) -> int:
        if isinstance(expr, Var | Const):
            self.leaves[len(self.nodes)] = expr
            return self._new(Node("literal", to_text(expr, self.names)))
        if isinstance(expr, Squash) and isinstance(expr.operand, Sum):
            votes = _votes(expr.operand)
            if not votes:  # all terms cancel each other
                return self._made(_NOTHING)
            operands, word = list(votes.items()), TANH_OF_SUM
        else:
            operands, word = [split_sign(part) for part in expr.parts], WORDS[type(expr)]
        sources = [self._operand(operand) for operand, _ in operands]
        target = self._new(Node("operator", word))
        self._link(sources, [weight for _, weight in operands], target)
        return target

    def _operand(self, bare: Expr) -> int:
        return self._made(bare) if isinstance(bare, Var | Const) else self._known(bare)

    def _link(self, sources: Iterable[int], weights: Iterable[int], target: int) -> None:
        for source, weight in zip(sources, weights, strict=True):
            self.links.append(Link(source, target, weight < 0, abs(weight)))

    def _new(self, node: Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1


def _votes(expr: Expr) -> dict[Expr, int]:
    """The terms of a sum, or of whatever a rule is, without their nots: how often each counts.

    What speaks for a class and against it alike says nothing, and is left out.
    """
    if expr == _NOTHING:
        return {}
    votes: Counter[Expr] = Counter()
    for term in expr.terms if isinstance(expr, Sum) else (expr,):
        bare, sign = split_sign(term)
        votes[bare] += sign
    return {term: weight for term, weight in votes.items() if weight}


def _written(label: Label) -> str:
    return written_name(label) if isinstance(label, str) else str(label)


def _note(has_terms: bool, intercept: float) -> str:
    """An intercept beside terms is a summand; alone, it is all there is.

    >>> _note(True, -0.5), _note(True, 0.0), _note(False, 0.44)
    ('− 0.5', '', '= 0.44')
    """
    if has_terms and intercept == 0:
        return ""
    size = f"{abs(intercept):.15g}".replace("-", "−")
    if has_terms:
        return f"{'+' if intercept > 0 else '−'} {size}"
    return f"= {'−' * (intercept < 0)}{size}"


def _note_of_number(has_terms: bool, intercept: float, scale: float) -> str:
    """How a number follows from the sum of its terms; without any, it is always the same.

    >>> _note_of_number(True, -22.5, 4.13), _note_of_number(True, 0.0, 1.0)
    ('= −22.5 + 4.13 × Σ', '= 1 × Σ')
    >>> _note_of_number(False, 22.5, 4.13)
    '= 22.5'
    """
    if not has_terms:
        return _note(False, intercept)
    base = f"{intercept:.15g} + " if intercept else ""
    return f"= {base}{scale:.15g} × Σ".replace("-", "−")
