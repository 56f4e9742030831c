"""Layouts: parts left of wholes, few crossings, nothing too close, the same every time."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisplogic.plot.layout import (
    APART,
    CLEARANCE,
    Layout,
    assign_layers,
    compute_layout,
    count_crossings,
    find_free_rows,
    spread,
)

Links = list[tuple[int, int]]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, Links, list[int]]:
    """Nodes that all lead to some end, and ends that may have nothing that leads to them."""
    inner, ends = draw(st.integers(0, 12)), draw(st.integers(1, 4))
    count = inner + ends
    links: Links = []
    for source in range(inner):
        targets = draw(st.lists(st.integers(source + 1, count - 1), min_size=1, max_size=4))
        links += [(source, target) for target in targets]
    return count, links, list(range(inner, count))


def tree(count: int) -> tuple[int, Links, list[int]]:
    """Pairs of literals, an operator each, all for one end."""
    links = [(literal, count + literal // 2) for literal in range(count)]
    operators = range(count, count + count // 2)
    return (
        count + len(operators) + 1,
        [*links, *((o, operators.stop) for o in operators)],
        [operators.stop],
    )


def crossed(layout: Layout) -> int:
    return count_crossings(layout.steps, layout.columns)


@settings(max_examples=40)
@given(graphs())
def test_every_link_leads_to_the_right_and_the_ends_stand_last(
    graph: tuple[int, Links, list[int]],
) -> None:
    count, links, ends = graph
    layers = assign_layers(count, links, ends)
    assert all(layers[source] < layers[target] for source, target in links)
    assert {layers[end] for end in ends} == {max(layers)}
    inner = [node for node in range(count) if node not in ends]
    for node in inner:  # no further right than it has to be
        before = [layers[source] + 1 for source, target in links if target == node]
        assert layers[node] == max(before, default=0)


@settings(max_examples=40)
@given(graphs())
def test_links_pass_through_all_layers_between(graph: tuple[int, Links, list[int]]) -> None:
    layout = compute_layout(*graph)
    steps = set(layout.steps)
    for source, target in graph[1]:
        last = layout.layers[target] - 1
        assert ((source, last), (target, last + 1)) in steps
        for layer in range(layout.layers[source], last):
            assert ((source, layer), (source, layer + 1)) in steps


@settings(max_examples=40)
@given(graphs())
def test_every_place_has_a_row_of_its_own(graph: tuple[int, Links, list[int]]) -> None:
    layout = compute_layout(*graph)
    placed = [place for column in layout.columns for place in column]
    assert sorted(placed) == sorted(layout.rows)
    assert {node for node, _ in placed} == set(range(graph[0]))
    for column in layout.columns:
        for one, other in pairwise(column):
            assert layout.rows[other] - layout.rows[one] >= APART - 1e-9
    assert min(layout.rows.values()) == 0.0


@settings(max_examples=40)
@given(graphs())
def test_the_ends_keep_their_order(graph: tuple[int, Links, list[int]]) -> None:
    layout = compute_layout(*graph)
    assert [node for node, _ in layout.columns[-1]] == graph[2]


@settings(max_examples=40)
@given(graphs())
def test_lines_to_an_end_meet_none_that_goes_on_to_another(
    graph: tuple[int, Links, list[int]],
) -> None:
    layout = compute_layout(*graph)
    last = len(layout.columns) - 1
    for end in graph[2]:
        others = [left for left, right in layout.steps if right[1] == last and right[0] != end]
        if any(target == end for _, target in graph[1]):
            assert all(
                abs(layout.rows[o] - layout.row(end)) >= CLEARANCE - 1e-9 for o in others
            )


@settings(max_examples=40)
@given(graphs())
def test_the_same_graph_has_the_same_layout(graph: tuple[int, Links, list[int]]) -> None:
    assert compute_layout(*graph) == compute_layout(*graph)


@pytest.mark.parametrize("count", [2, 10, 60])
def test_trees_have_no_crossings_and_operators_stand_amid_their_operands(count: int) -> None:
    layout = compute_layout(*tree(count))
    assert crossed(layout) == 0
    for literal in range(0, count, 2):
        middle = (layout.row(literal) + layout.row(literal + 1)) / 2
        assert layout.row(count + literal // 2) == pytest.approx(middle)


def test_crossings_that_can_be_avoided_are() -> None:
    # Three operators over six literals that are met in the worst of orders.
    links = [(0, 8), (1, 7), (2, 6), (3, 8), (4, 7), (5, 6), (6, 9), (7, 9), (8, 9)]
    assert crossed(compute_layout(10, links, [9])) == 0
    # What ends share stands between them.
    links = [(0, 3), (1, 4), (2, 3), (2, 4)]
    assert crossed(compute_layout(5, links, [3, 4])) == 0


def test_crossings_that_cannot_be_avoided_are_counted() -> None:
    links = [(0, 2), (0, 3), (1, 2), (1, 3)]
    assert crossed(compute_layout(4, links, [2, 3])) == 1


def test_ends_without_links_stand_beside_the_others() -> None:
    layout = compute_layout(4, [(0, 2)], [1, 2, 3])
    assert layout.row(0) == layout.row(2)
    assert layout.row(1) < layout.row(2) < layout.row(3)


def test_ends_alone_are_a_column() -> None:
    layout = compute_layout(3, [], [0, 1, 2])
    assert layout.layers == (0, 0, 0)
    assert [layout.row(end) for end in range(3)] == [0.0, 1.5, 3.0]


floats = st.floats(-20, 20)


@settings(max_examples=40)
@given(st.lists(floats, min_size=1, max_size=8), st.data())
def test_what_is_spread_is_far_enough_apart_and_as_near_as_can_be(
    wanted: list[float], data: st.DataObject
) -> None:
    apart = data.draw(st.lists(st.floats(0.1, 3), min_size=len(wanted), max_size=len(wanted)))
    rows = spread(wanted, apart[1:])
    for (one, other), least in zip(pairwise(rows), apart[1:], strict=True):
        assert other - one >= least - 1e-9
    # Any other rows that are far enough apart are further from what is wanted.
    steps = data.draw(st.lists(st.floats(0, 3), min_size=len(wanted), max_size=len(wanted)))
    others = [data.draw(floats)]
    for least, step in zip(apart[1:], steps[1:], strict=True):
        others.append(others[-1] + least + step)

    def distance(some: list[float]) -> float:
        return sum((row - want) ** 2 for row, want in zip(some, wanted, strict=True))

    assert distance(rows) <= distance(others) + 1e-6


@settings(max_examples=40)
@given(st.lists(floats, min_size=1, max_size=6), st.sets(st.integers(-5, 5), min_size=1))
def test_rows_between_others_are_clear_of_them_and_of_each_other(
    wanted: list[float], taken: set[int]
) -> None:
    levels = sorted(map(float, taken))
    wanted = sorted(wanted)
    rows = find_free_rows(wanted, levels, [levels[:1]] * len(wanted))
    assert all(other - one >= APART - 1e-9 for one, other in pairwise(rows))
    for row in rows:
        assert row == levels[0] or all(abs(row - level) >= CLEARANCE - 1e-9 for level in levels)
