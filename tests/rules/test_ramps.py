"""Ramps: the degrees of many memberships at once are those of each alone, bit for bit."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from crisplogic.rules import Membership, Ramp
from crisplogic.rules.scoring import Ramps
from tests.rules.rule_sets import INF, NAN, finite

Floats = NDArray[np.float64]
COLUMNS = 3

bounds = st.tuples(finite, finite) | st.tuples(st.integers(-3, 3), st.integers(-3, 3))
ramps = st.builds(
    lambda kind, feature, ends: kind(feature, *sorted(ends)),
    st.sampled_from([Membership, Ramp]),
    st.integers(0, COLUMNS - 1),
    bounds,
)


def degrees(memberships: list[Membership], table: Floats) -> Floats:
    out = np.empty((len(memberships), len(table)))
    Ramps(memberships).write(table, out)
    return out


@given(
    st.lists(ramps, max_size=6),
    hnp.arrays(np.float64, (4, COLUMNS), elements=st.floats() | st.integers(-3, 3).map(float)),
)
def test_they_are_those_of_each_membership_alone(
    memberships: list[Membership], table: Floats
) -> None:
    expected = [each.degree(table).tolist() for each in memberships]
    assert degrees(memberships, table).tolist() == expected


def test_at_and_between_the_ends_no_bit_differs_from_a_membership_alone() -> None:
    rng = np.random.default_rng(0)
    for low, width in rng.uniform(0.01, 9, (200, 2)).round(2):
        membership = Ramp(0, low, low + width)
        table = np.linspace(low - 0.1, low + width + 0.1, 101)[:, None]
        table = np.concatenate([table, [[low], [low + width], [NAN], [INF], [-INF], [-0.0]]])
        expected = membership.degree(table)
        assert degrees([membership], table)[0].tobytes() == expected.tobytes()


def test_a_negative_zero_is_zero() -> None:
    assert degrees([Ramp(0, -1.0, 1.0)], np.array([[-0.0]])).tobytes() == bytes(8)


def test_values_beyond_all_measure_overflow_without_a_word() -> None:
    table = np.array([[1.7e308], [-1.7e308]])
    for ramp in (Ramp(0, -1.7e308, -1.6e308), Ramp(0, 0.0, 1e-300)):
        assert degrees([ramp], table)[0].tolist() == ramp.degree(table).tolist()


def test_a_table_in_any_order_gives_the_same_and_stays_as_it_is() -> None:
    table = np.random.default_rng(0).uniform(-2, 2, (9, COLUMNS))
    memberships: list[Membership] = [Ramp(2, -1, 1), Ramp(0, -1, 1), Ramp(2, 0, 1)]
    before = table.copy()
    expected = degrees(memberships, table).tolist()
    for other in (np.asfortranarray(table), table[::-1][::-1], np.repeat(table, 2, 0)[::2]):
        assert degrees(memberships, other).tolist() == expected
    assert table.tolist() == before.tolist()


def test_no_memberships_have_no_degrees() -> None:
    assert degrees([], np.zeros((2, COLUMNS))).shape == (0, 2)
