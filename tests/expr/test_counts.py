"""Counts are what they say, in Kleene's logic, and are found again in what is written."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from crisplogic.errors import ExpressionError
from crisplogic.expr import Expr, Squash, Sum, Var, parse, to_text
from crisplogic.expr.counts import Count, at_least, between, check_vote, read_count
from crisplogic.expr.equivalence import EquivalenceClasses
from crisplogic.expr.negations import push_negations
from crisplogic.expr.program import evaluate_all

PARTS = [Var(at) for at in range(5)]
ROWS = np.array(list(product((-1.0, 0.0, 1.0), repeat=5)))
HOLD, OPEN = (ROWS > 0).sum(axis=1), (ROWS == 0).sum(axis=1)
RANGES = [(least, most) for least in range(1, 5) for most in range(least, 5)]


def counted(least: int, most: int) -> np.ndarray:
    """By definition: unknown where unknown parts could change the answer."""
    inside = (least <= HOLD) & (most >= HOLD + OPEN)
    outside = (least > HOLD + OPEN) | (most < HOLD)
    return np.where(inside, 1.0, np.where(outside, -1.0, 0.0))


@pytest.mark.parametrize("least", range(1, 6))
def test_at_least_so_many_hold(least: int) -> None:
    expr = at_least(least, PARTS)
    values = evaluate_all([expr, push_negations(expr, negated=True)], ROWS, crisp=True)
    np.testing.assert_array_equal(values[:, 0], counted(least, 5))
    np.testing.assert_array_equal(values[:, 1], -counted(least, 5))


@pytest.mark.parametrize(("least", "most"), RANGES)
def test_between_two_numbers_hold(least: int, most: int) -> None:
    expr = between(least, most, PARTS)
    values = evaluate_all([expr], ROWS, crisp=True)[:, 0]
    np.testing.assert_array_equal(values, counted(least, most))


@pytest.mark.parametrize(("least", "most"), [each for each in RANGES if each != (1, 4)])
def test_a_count_is_read_from_its_text(least: int, most: int) -> None:
    again = parse(to_text(between(least, most, PARTS)))
    assert read_count(push_negations(again)) == Count(least, most, tuple(PARTS))
    assert read_count(parse(to_text(at_least(3, PARTS)))) == Count(3, 5, tuple(PARTS))


@pytest.mark.parametrize(
    "text", ["0 | 1 | 2", "0 & 1", "(0 | 1) & (~0 | ~1)", "(0 + 1 + 2) & 3"]
)
def test_other_logic_is_no_count(text: str) -> None:
    assert read_count(parse(text)) is None


def test_a_count_and_its_negation_are_told_apart_however_they_are_written() -> None:
    classes = EquivalenceClasses(list("abcde"), crisp=True)
    expr = at_least(2, PARTS)
    denied = at_least(4, [~part for part in PARTS])
    assert classes.of(expr, negated=True) == classes.of(denied) != classes.of(expr)


@pytest.mark.parametrize(
    "terms", [(Var(0), Var(1)), (Var(0), ~Var(0), Var(1)), (Var(0),) * 101]
)
def test_a_vote_that_could_be_even_or_is_endless_is_refused(terms: tuple[Expr, ...]) -> None:
    with pytest.raises(ExpressionError, match="odd number of terms"):
        check_vote(Squash(Sum(terms)))
