"""Rails stand where few lines cross them, and are left where nothing else runs."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from crisplogic.plot.graph import graph_of
from crisplogic.plot.layout import Layout, laid_out
from crisplogic.plot.sheet import crossed, in_good_order, rails_before
from crisplogic.rules import RuleSet
from tests.rules.rule_sets import rules_of

levels = st.lists(st.integers(0, 9).map(float), min_size=1, max_size=6, unique=True)
collected = st.lists(levels, min_size=1, max_size=5).map(lambda some: dict(enumerate(some)))


def layout_of(rules: RuleSet) -> Layout:
    graph = graph_of(rules)
    links = [(link.source, link.target) for link in graph.links]
    return laid_out(len(graph.nodes), links, graph.of_kind("class"))


@settings(max_examples=40)
@given(collected, st.data())
def test_no_two_neighbours_would_stand_better_the_other_way_round(
    terms: dict[int, list[float]], data: st.DataObject
) -> None:
    exits = {rail: data.draw(st.integers(0, 9)) + 0.5 for rail in terms}
    order = in_good_order(terms, exits)
    assert sorted(order) == sorted(terms)
    fewest = crossed(order, terms, exits)
    assert fewest <= crossed(list(terms), terms, exits)
    for place in range(len(order) - 1):
        other = [*order[:place], order[place + 1], order[place], *order[place + 2 :]]
        assert crossed(other, terms, exits) >= fewest


def test_two_rails_are_in_the_best_order_there_is() -> None:
    terms, exits = {0: [1.0, 4.0], 1: [2.0, 3.0]}, {0: 4.0, 1: 5.0}
    every = [crossed(list(order), terms, exits) for order in permutations(terms)]
    assert crossed(in_good_order(terms, exits), terms, exits) == min(every)


def test_a_line_crosses_rails_on_its_way_but_not_those_it_has_a_dot_on() -> None:
    exits = {0: 9.0, 1: 9.5}
    assert crossed([0, 1], {0: [1.0, 3.0], 1: [2.0]}, exits) == 2  # the term, and the exit
    assert crossed([0, 1], {0: [1.0, 2.0, 3.0], 1: [2.0]}, exits) == 1


def test_sums_have_rails_before_their_layer_and_logic_has_none() -> None:
    rules = rules_of("((0 | 1) + 2) & 3", "(0 | 1) + 4", "unknown")
    graph, layout = graph_of(rules), layout_of(rules)
    sums = [
        {graph.nodes[target].label for target in rails_before(layer, graph, layout)}
        for layer in range(len(layout.columns))
    ]
    assert sums == [set(), set(), {"tanh Σ"}, set(), {"0", "1"}]


def test_a_rail_is_left_on_a_level_where_nothing_goes_on() -> None:
    rules = rules_of("((0 | 1) + (1 & 2) + (2 ^ 3)) & 3", "(0 | 1) + (1 & 2) + (2 ^ 3)")
    graph, layout = graph_of(rules), layout_of(rules)
    ((_, exit_),) = rails_before(2, graph, layout).items()
    going_on = [layout.rows[place] for place in layout.columns[1]]
    assert all(abs(exit_ - row) >= 0.5 for row in going_on)
