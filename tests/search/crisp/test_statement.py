"""Statements are joined, split, negated and changed as logic says."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crisplogic.expr.program import evaluate_all
from crisplogic.search import CLASSIFICATION, TrainingSet
from crisplogic.search.crisp.literals import Literals
from crisplogic.search.crisp.objective import as_expression
from crisplogic.search.crisp.statement import (
    TRUE,
    UNKNOWN,
    Halves,
    Literal,
    Statement,
    grown,
    join,
    negation,
    other_joins,
    split,
    with_literal,
    without_literals,
)

# Every combination of false, unknown and true of five columns.
CELLS = np.array([0.0, np.nan, 1.0])
GRID = CELLS[np.indices((3,) * 5).reshape(5, -1).T]
TABLE = Literals(TrainingSet(GRID, np.arange(len(GRID)) % 2, ("a", "b"), CLASSIFICATION))

literals = st.builds(Literal, st.integers(0, 4), st.just(0.5), st.booleans())
singles = literals.map(lambda literal: Statement((literal,)))
statements = st.recursive(
    singles, lambda parts: st.builds(join, st.sampled_from("&|^"), parts, parts), max_leaves=6
)


def values(statement: Statement) -> Halves:
    return TABLE.values(statement)


@given(statements)
def test_an_expression_counts_what_its_statement_counts(statement: Statement) -> None:
    inputs = np.array([(values(Statement((each,))) - UNKNOWN) for each in statement.literals])
    bare = np.where([[each.negated] for each in statement.literals], -inputs, inputs)
    expected = evaluate_all([as_expression(statement)], bare.T.astype(float), crisp=True)
    assert np.array_equal(expected[:, 0], values(statement) - UNKNOWN)


@given(statements)
def test_a_negation_holds_where_the_statement_fails(statement: Statement) -> None:
    assert np.array_equal(values(negation(statement)), TRUE - values(statement))
    assert negation(statement).size == statement.size


@given(st.sampled_from("&|^"), statements, statements)
def test_what_is_joined_is_split_again(operator: str, one: Statement, other: Statement) -> None:
    assert split(join(operator, one, other)) == (one, other)


@given(statements, literals, st.sampled_from("&|^"), st.data())
def test_a_part_grows_where_it_stands(
    statement: Statement, literal: Literal, operator: str, data: st.DataObject
) -> None:
    end = data.draw(st.integers(0, len(statement.shape) - 1))
    changed = grown(statement, end, operator, literal)
    assert changed.size == statement.size + 1
    whole = grown(statement, len(statement.shape) - 1, operator, literal)
    assert whole == join(operator, statement, Statement((literal,)))
    # Known values only: there, the statement is what it is without the part, or with it.
    known = ~np.isnan(GRID).any(axis=1)
    without, change, part = (each[known] for each in TABLE.known.through(statement, end))
    assert np.array_equal(TRUE * (without + change * part), values(statement)[known])
    own = values(Statement((literal,)))[known] == TRUE
    joined = {"&": (part == 1) & own, "|": (part == 1) | own, "^": (part == 1) ^ own}[operator]
    assert np.array_equal(TRUE * (without + change * joined), values(changed)[known])


@given(statements)
def test_a_statement_without_a_literal_is_smaller_by_one(statement: Statement) -> None:
    found = list(without_literals(statement))
    assert len(found) == (statement.size if statement.size > 1 else 0)
    for place, each in enumerate(found):
        left = (*statement.literals[:place], *statement.literals[place + 1 :])
        assert each.literals == left
        assert len(each.shape) == len(statement.shape) - 2


@given(statements, literals)
def test_other_joins_have_the_same_columns(statement: Statement, literal: Literal) -> None:
    for each in other_joins(statement):
        assert [one.feature for one in each.literals] == [
            one.feature for one in statement.literals
        ]
        assert each != statement
    assert with_literal(statement, 0, literal).literals[0] == literal
