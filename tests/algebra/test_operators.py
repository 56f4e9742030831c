"""The eight operators: three forms, one truth table each."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisplogic.algebra import FALSE, OPERATORS, TRUE, UNKNOWN, Operator, to_signed, to_unit
from tests.strategies import degrees

# In the order false-false, false-true, true-false, true-true, or false, true.
TRUTH_TABLES: dict[str, tuple[bool, ...]] = {
    "identity": (False, True),
    "not": (True, False),
    "or": (False, True, True, True),
    "xor": (False, True, True, False),
    "and": (False, False, False, True),
    "nor": (True, False, False, False),
    "nxor": (True, False, False, True),
    "nand": (True, True, True, False),
}

every_operator = pytest.mark.parametrize("operator", OPERATORS.values(), ids=OPERATORS.keys())


def patterns(operator: Operator) -> list[tuple[bool, ...]]:
    return list(itertools.product((False, True), repeat=operator.arity))


def test_there_are_the_papers_eight() -> None:
    assert list(OPERATORS) == list(TRUTH_TABLES)


@every_operator
def test_the_unit_form_has_its_truth_table(operator: Operator) -> None:
    values = tuple(operator.unit(*map(float, pattern)) for pattern in patterns(operator))
    assert values == TRUTH_TABLES[operator.name]


@every_operator
def test_the_signed_forms_have_its_truth_table(operator: Operator) -> None:
    expected = [TRUE if true else FALSE for true in TRUTH_TABLES[operator.name]]
    signed = [[TRUE if bit else FALSE for bit in pattern] for pattern in patterns(operator)]
    assert [operator.signed(*pattern) for pattern in signed] == expected
    assert [operator.from_fuzzy(*pattern) for pattern in signed] == expected


@every_operator
@given(x=degrees, y=degrees)
def test_all_three_forms_agree_on_fuzzy_values(operator: Operator, x: float, y: float) -> None:
    inputs = (x, y)[: operator.arity]
    signed = operator.signed(*inputs)
    assert operator.from_fuzzy(*inputs) == pytest.approx(signed, abs=1e-15)
    assert to_signed(operator.unit(*map(to_unit, inputs))) == pytest.approx(signed, abs=1e-15)


@every_operator
def test_unknown_gives_what_lies_between(operator: Operator) -> None:
    table = [TRUE if true else FALSE for true in TRUTH_TABLES[operator.name]]
    # Each form is linear in each input, so unknown in all of them gives the table's mean.
    assert operator.signed(*[UNKNOWN] * operator.arity) == sum(table) / len(table)


@given(st.floats(0, 1))
def test_the_two_conventions_translate_into_each_other(unit: float) -> None:
    assert to_unit(to_signed(unit)) == pytest.approx(unit, abs=1e-15)
