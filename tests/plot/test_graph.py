"""The graph of rules says the same as the rules: it can be computed with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from crisplogic.expr import evaluate, parse
from crisplogic.plot.graph import TANH_OF_SUM, Graph, build_graph
from crisplogic.rules import ClassificationRules, RuleSet
from tests.rules.rule_sets import LEARNED, as_number, number_rule_sets, rule_sets, rules_of
from tests.strategies import tables

Floats = NDArray[np.float64]


def labels(graph: Graph) -> list[str]:
    return [node.label for node in graph.nodes]


def links_to(graph: Graph, label: str) -> list[tuple[str, bool, int]]:
    target = labels(graph).index(label)
    return [
        (graph.nodes[link.source].label, link.negated, link.weight)
        for link in graph.links
        if link.target == target
    ]


def computed(graph: Graph, rules: RuleSet, degrees: Floats) -> Floats:
    """The scores that a reader of the graph comes to, intercepts left out."""
    values: list[Floats] = []
    for number, node in enumerate(graph.nodes):
        linked = [link for link in graph.links if link.target == number]
        parts = [
            link.weight * (-1 if link.negated else 1) * values[link.source] for link in linked
        ]
        values.append(
            value_of(node.label if node.kind != "class" else "", parts, rules, degrees)
        )
    return np.array([values[number] for number in graph.of_kind("class")]).T


def value_of(label: str, parts: list[Floats], rules: RuleSet, degrees: Floats) -> Floats:
    values = np.array(parts).reshape(len(parts), len(degrees))
    half = 2.0 ** (len(parts) - 1)
    operators: dict[str, Callable[[], Any]] = {
        "": lambda: values.sum(axis=0),
        "tanh": lambda: np.tanh(values.sum(axis=0)),
        TANH_OF_SUM: lambda: np.tanh(values.sum(axis=0)),
        "and": lambda: (1 + values).prod(axis=0) / half - 1,
        "or": lambda: 1 - (1 - values).prod(axis=0) / half,
        "xor": lambda: -(-values).prod(axis=0),
    }
    if label in operators:
        return np.asarray(operators[label]())
    return evaluate(parse(label, rules.names), degrees)


@settings(max_examples=40)
@given(rule_sets() | number_rule_sets(), tables())
def test_whoever_computes_with_the_graph_comes_to_the_scores(
    rules: RuleSet, degrees: Floats
) -> None:
    scores = np.array([evaluate(expr, degrees) for expr in rules.expressions]).T
    found = computed(build_graph(rules), rules, degrees)
    np.testing.assert_allclose(found, scores, atol=1e-9)


@settings(max_examples=40)
@given(rule_sets())
def test_parts_come_before_wholes_and_nothing_is_idle(rules: RuleSet) -> None:
    graph = build_graph(rules)
    assert all(link.source < link.target for link in graph.links)
    used = {link.source for link in graph.links}
    assert used == set(range(len(graph.nodes))) - set(graph.of_kind("class"))
    assert [graph.nodes[number].kind for number in graph.of_kind("class")] == ["class"] * len(
        rules.rules
    )


@settings(max_examples=40)
@given(rule_sets())
def test_no_more_literals_are_drawn_than_are_written_or_constant(rules: RuleSet) -> None:
    simple = rules.simplified()
    drawn = build_graph(simple)
    constants = sum(label in ("true", "false", "unknown") for label in labels(drawn))
    assert len(drawn.of_kind("literal")) - constants <= simple.size


def test_a_part_that_rules_share_is_drawn_once() -> None:
    graph = build_graph(rules_of("(0 & 3) | 1", "~(0 & 3) + 2"))
    assert labels(graph).count("and") == 1
    assert links_to(graph, "or") == [("and", False, 1), ("x1", False, 1)]
    assert links_to(graph, "1") == [("and", True, 1), ("x2", False, 1)]


def test_a_literal_stands_wherever_it_is_an_operand() -> None:
    assert labels(build_graph(rules_of("(0 & 1) + (0 | 2)"))).count("x0") == 2


def test_a_literal_that_several_classes_count_stands_once() -> None:
    graph = build_graph(rules_of("0 + 1", "~0 + 2"))
    assert labels(graph) == ["x0", "x1", "0", "x2", "1"]
    assert links_to(graph, "1") == [("x0", True, 1), ("x2", False, 1)]


def test_a_literal_that_is_only_denied_is_its_contrary() -> None:
    graph = build_graph(LEARNED)
    assert labels(graph) == [
        "glucose>127±37",
        '"body mass"<31.5±6',
        "and",
        "ill",
        "well",
        "glucose<127±37",
        "3",
    ]
    assert not any(link.negated for link in graph.links)
    assert labels(build_graph(rules_of("~0 & 1", "~true")))[:2] == ["¬x0", "x1"]
    assert "false" in labels(build_graph(rules_of("~true")))


def test_terms_that_are_repeated_count_so_often() -> None:
    graph = build_graph(rules_of("0 + 0 + ~(1 & 2) + ~(1 & 2) + ~(1 & 2)"))
    assert links_to(graph, "0") == [("x0", False, 2), ("and", True, 3)]


def test_operands_that_are_repeated_are_linked_so_often() -> None:
    assert (
        links_to(build_graph(rules_of("(0 ^ 1) & (0 ^ 1)")), "and") == [("xor", False, 1)] * 2
    )


def test_terms_that_cancel_each_other_are_left_out() -> None:
    graph = build_graph(rules_of("0 + ~0", "tanh(0 + ~0) & 1"))
    assert labels(graph) == ["0", "unknown", "x1", "and", "1"]
    assert graph.nodes[0].note == "= 0"


def test_a_class_collects_the_terms_of_its_sum_and_so_does_a_tanh() -> None:
    graph = build_graph(rules_of("((0 | 1) + 2 + 2) & 3", "tanh(0)"))
    assert labels(graph).count(TANH_OF_SUM) == 1
    assert links_to(graph, TANH_OF_SUM) == [("or", False, 1), ("x2", False, 2)]
    assert links_to(graph, "tanh") == [("x0", False, 1)]


@pytest.mark.parametrize(
    ("text", "intercept", "note"),
    [
        ("0", 0.0, ""),
        ("0", 0.44, "+ 0.44"),
        ("0", -2.0, "− 2"),
        ("unknown", 0.0, "= 0"),
        ("unknown", 0.44, "= 0.44"),
        ("unknown", -1e-7, "= −1e−07"),
    ],
)
def test_an_intercept_is_added_to_terms_or_is_all_there_is(
    text: str, intercept: float, note: str
) -> None:
    rules = rules_of(text)
    rules = ClassificationRules(
        rules.features, rules.memberships, rules.rules, intercepts=(intercept,)
    )
    assert build_graph(rules).nodes[-1].note == note


@pytest.mark.parametrize(
    ("text", "intercept", "scale", "note"),
    [
        ("0 + 1", 22.5, 4.125, "= 22.5 + 4.125 × Σ"),
        ("0", -22.5, 1.0, "= −22.5 + 1 × Σ"),
        ("0", 0.0, 1e-7, "= 1e−07 × Σ"),
        ("unknown", -22.5, 4.125, "= −22.5"),
        ("unknown", 0.0, 4.125, "= 0"),
        ("0 + ~0", 22.5, 4.125, "= 22.5"),  # what cancels is not drawn
    ],
)
def test_a_number_has_a_note_that_says_all_of_its_numbers(
    text: str, intercept: float, scale: float, note: str
) -> None:
    graph = build_graph(as_number(rules_of(text), "y", intercept, scale))
    [number] = graph.of_kind("class")
    assert (graph.nodes[number].label, graph.nodes[number].note) == ("y", note)
