"""Rules as a graph of literals, operators and classes.

A part that occurs several times is one node with several links. A literal is an exception, as
it is in text: every operand has a node of its own, or lines would run across the figure for a
single word. A literal that is a term of several classes is one node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
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
from crisplogic.expr.counts import Count, read_count
from crisplogic.expr.laws import negated_constant
from crisplogic.expr.negations import push_negations
from crisplogic.rules import RegressionRules, RuleSet
from crisplogic.rules.checklist import Checklist, NumberCard, ScoreCard, normal_form
from crisplogic.rules.describe import has_words, head_of
from crisplogic.rules.words import Words, labels_in_words

Kind = Literal["literal", "operator", "class"]

WORDS: dict[type[Expr], str] = {And: "and", Or: "or", Xor: "xor", Squash: "tanh"}
TANH_OF_SUM = "tanh Σ"
BOTH_OR_NEITHER = "both or neither"
_EMPTY_SUM = total(())  # the expression of a class without terms


@dataclass(frozen=True)
class Node:
    """A literal, an operator or a class; ``note`` is drawn beside a class.

    A number is drawn like a class: its terms are summed up in the same way.
    """

    kind: Kind
    label: str
    note: str = ""

    @property
    def is_sum(self) -> bool:
        """Whether its links are the terms of a sum, not the operands of logic."""
        return self.kind == "class" or (self.kind, self.label) == ("operator", TANH_OF_SUM)


class Link(NamedTuple):
    """Node ``source`` is an operand of node ``target``, or a term with a ``weight``.

    Only the terms of sums have weights above 1. A repeated operand has several links.
    """

    source: int
    target: int
    negated: bool = False
    weight: int = 1


@dataclass(frozen=True)
class Graph:
    """Nodes, numbered by position, and the links between them. Classes are in order."""

    nodes: tuple[Node, ...]
    links: tuple[Link, ...]

    def of_kind(self, kind: Kind) -> list[int]:
        """The numbers of all nodes of one kind."""
        return [number for number, node in enumerate(self.nodes) if node.kind == kind]


def build_graph(rules: RuleSet) -> Graph:
    """The graph of a rule set.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, Rule
    >>> ramps = Ramp(0, 30.0, 50.0), Ramp(1, 100.0, 140.0)
    >>> ill = Rule("ill", parse("(0 & ~1) + ~1"))
    >>> rules = ClassificationRules(("age", "glucose"), ramps, (ill,), intercepts=(0.5,))
    >>> graph = build_graph(rules)
    >>> [(node.label + " " + node.note).strip() for node in graph.nodes]
    ['age>40±10', 'glucose<120±20', 'and', 'glucose<120±20', 'ill + 0.5']
    >>> [link[:2] for link in graph.links]
    [(0, 2), (1, 2), (2, 4), (3, 4)]
    """
    if has_words(rules):
        return _build_crisp(rules)
    builder = _GraphBuilder(lambda expr: to_text(expr, rules.names))
    parts = zip(rules.rules, rules.heads(), rules.intercepts, strict=True)
    for rule, head, intercept in parts:
        terms = _weighted_terms(rule.expression)
        if isinstance(rules, RegressionRules):
            note = _number_note(bool(terms), intercept, rules.scale)
        else:
            note = _intercept_note(bool(terms), intercept)
        builder.add_class(head, terms, note)
    return builder.graph()


def _build_crisp(rules: RuleSet) -> Graph:
    """The graph of a checklist, a score card or a sum of amounts, with literals in words."""
    words, form = Words(rules), normal_form(rules)
    builder = _GraphBuilder(lambda expr: words.statement(push_negations(expr)), counts=True)
    points = [(item.expression, item.points) for item in form.items]
    match form:
        case Checklist(positive=positive, other=other):
            heads = labels_in_words([positive, other])
            builder.add_class(
                heads[0], {expr: of[0] for expr, of in points}, _needed_note(form)
            )
            if form.always is None:
                builder.add_class(heads[1], {}, "otherwise")
            else:
                builder.add_class(heads[1], {}, "never" if form.needed <= 0 else "always")
        case ScoreCard(labels=labels, bases=bases):
            for at, head in enumerate(labels_in_words(labels)):
                terms = {expr: of[at] for expr, of in points if of[at]}
                builder.add_class(head, terms, _intercept_note(bool(terms), bases[at]))
        case NumberCard(base=base, unit=unit):
            terms = {expr: of[0] for expr, of in points}
            builder.add_class(head_of(form), terms, _number_note(bool(terms), base, unit))
    return builder.graph()


def _needed_note(form: Checklist) -> str:
    """How many of the statements are needed."""
    if form.always is not None:
        return "always" if form.needed <= 0 else "never"
    if form.needed == form.total:
        return "if all hold" if form.total > 1 else "if it holds"
    if form.needed == 1 and not form.has_points:
        return "if any holds"
    what = " points" if form.has_points else ""
    return f"if at least {form.needed:g} of {form.total}{what}"


class _GraphBuilder:
    """Collects nodes and links; ``label`` writes a literal. Crisp rules have ``counts``."""

    def __init__(self, label: Callable[[Expr], str], counts: bool = False) -> None:
        self.label = label
        self.counts = counts
        self.nodes: list[Node] = []
        self.links: list[Link] = []
        self.literals: dict[int, Expr] = {}  # the expression of each node that is a literal
        self.shared: dict[Expr, int] = {}  # the nodes of expressions that may occur again

    def add_class(self, head: str, terms: Mapping[Expr, int], note: str) -> None:
        sources = [self._find_or_add(term) for term in terms]
        self._add_links(sources, terms.values(), self._add_node(Node("class", head, note)))

    def graph(self) -> Graph:
        """The graph, in which a literal that is always negated has the opposite label."""
        asserted = {link.source for link in self.links if not link.negated}
        opposite = self.literals.keys() - asserted
        nodes = list(self.nodes)
        for number in opposite:
            negated = negated_constant(Not(self.literals[number]))
            nodes[number] = replace(nodes[number], label=self.label(negated))
        links = (
            link._replace(negated=False) if link.source in opposite else link
            for link in self.links
        )
        return Graph(tuple(nodes), tuple(links))

    def _find_or_add(self, expr: Expr) -> int:
        if expr not in self.shared:
            self.shared[expr] = self._add(expr)
        return self.shared[expr]

    def _add(self, expr: Expr) -> int:
        if isinstance(split_sign(expr)[0], Var | Const):
            self.literals[len(self.nodes)] = expr
            return self._add_node(Node("literal", self.label(expr)))
        if isinstance(expr, Not):  # crisp rules deny nothing else than an exclusive or
            expr, word = expr.operand, BOTH_OR_NEITHER
        else:
            word = WORDS[type(expr)]
        operands: list[tuple[Expr, int]]
        if self.counts and (count := read_count(expr)) is not None:
            operands, word = [split_sign(part) for part in count.parts], _count_word(count)
        elif isinstance(expr, Squash) and isinstance(expr.operand, Sum):
            terms = _weighted_terms(expr.operand)
            if not terms:  # they cancel each other
                return self._add(_EMPTY_SUM)
            operands, word = list(terms.items()), TANH_OF_SUM
        else:
            operands = [split_sign(part) for part in expr.parts]
        sources = [self._add_operand(operand) for operand, _ in operands]
        target = self._add_node(Node("operator", word))
        self._add_links(sources, [weight for _, weight in operands], target)
        return target

    def _add_operand(self, expr: Expr) -> int:
        return self._add(expr) if isinstance(expr, Var | Const) else self._find_or_add(expr)

    def _add_links(self, sources: Iterable[int], weights: Iterable[int], target: int) -> None:
        for source, weight in zip(sources, weights, strict=True):
            self.links.append(Link(source, target, weight < 0, abs(weight)))

    def _add_node(self, node: Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1


def _count_word(count: Count) -> str:
    """How many operands have to hold, as the label of an operator."""
    n, exact = len(count.parts), count.least == count.most
    if count.most == n:
        return f"≥ {count.least} of {n}"
    return f"{count.least} of {n}" if exact else f"{count.least} to {count.most} of {n}"


def _weighted_terms(expr: Expr) -> dict[Expr, int]:
    """The terms of a sum without their signs, and how often each is added or subtracted.

    Terms that cancel each other are left out. What is no sum is a single term.
    """
    if expr == _EMPTY_SUM:
        return {}
    weights: Counter[Expr] = Counter()
    for term in expr.terms if isinstance(expr, Sum) else (expr,):
        bare, sign = split_sign(term)
        weights[bare] += sign
    return {term: weight for term, weight in weights.items() if weight}


def _intercept_note(has_terms: bool, intercept: float) -> str:
    """The intercept of a class: a summand beside terms, or the whole score.

    >>> _intercept_note(True, -0.5), _intercept_note(True, 0.0), _intercept_note(False, 0.44)
    ('− 0.5', '', '= 0.44')
    """
    if has_terms and intercept == 0:
        return ""
    size = f"{abs(intercept):.15g}".replace("-", "−")
    if has_terms:
        return f"{'+' if intercept > 0 else '−'} {size}"
    return f"= {'−' * (intercept < 0)}{size}"


def _number_note(has_terms: bool, intercept: float, scale: float) -> str:
    """How a number follows from the sum of its terms.

    >>> _number_note(True, -22.5, 4.13), _number_note(True, 0.0, 1.0)
    ('= −22.5 + 4.13 × Σ', '= 1 × Σ')
    >>> _number_note(False, 22.5, 4.13)
    '= 22.5'
    """
    if not has_terms:
        return _intercept_note(False, intercept)
    base = f"{intercept:.15g} + " if intercept else ""
    return f"= {base}{scale:.15g} × Σ".replace("-", "−")
