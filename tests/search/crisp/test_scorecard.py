"""Score cards keep to limits, and do not depend on the unit of a number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from crisplogic.constraints import Limits
from crisplogic.search import REGRESSION, TrainingSet
from crisplogic.search.crisp.scorecard import MOST_POINTS, ClassCard, NumberCard, round_points
from crisplogic.search.crisp.statement import Literal, Statement
from crisplogic.search.tasks import CLASSIFICATION, Regression

Floats = NDArray[np.float64]
X = np.random.default_rng(0).normal(size=(120, 3))
SUM = X[:, 0] - X[:, 1] + 0.5 * X[:, 2]
CLASSES = np.digitize(SUM, [-0.6, 0.6])
SINGLES = tuple(Statement((Literal(feature, 0.0),)) for feature in range(3))
PAIR = Statement((Literal(0, 0.5), Literal(1, -0.5)), "..&")


def classes(limits: Limits | None = None) -> TrainingSet:
    return TrainingSet(X, CLASSES, ("low", "middle", "high"), CLASSIFICATION, limits=limits)


def numbers(y: Floats = SUM, task: Regression = REGRESSION) -> TrainingSet:
    return TrainingSet(X, y, ("y",), task)


@pytest.mark.parametrize("most", [0.0, 1.0, 2.0, 3.0])
def test_no_class_has_points_for_more_literals_than_are_allowed(most: float) -> None:
    bound = np.array([most, np.inf, 2.0])
    limits = replace(Limits.free(3, 3), max_literals=bound)
    scored = ClassCard(classes(limits)).finish((*SINGLES, PAIR))
    sizes = np.array([each.size for each in scored.statements])
    assert (sizes @ (scored.points != 0) <= bound).all()
    assert scored.points.any()


def test_points_keep_to_directions_while_they_are_rounded() -> None:
    """Of statements about the same rows, one would make up for what another one lost."""
    rises, falls = np.ones((3, 3), dtype=bool), np.ones((3, 3), dtype=bool)
    rises[0], falls[0] = [True, False, False], [False, True, True]
    limits = Limits(rises, falls)
    near = tuple(Statement((Literal(0, cut),)) for cut in (-0.4, 0.0, 0.4))
    scored = ClassCard(classes(limits)).finish((*near, PAIR))
    about = [
        own for each, own in zip(scored.statements, scored.points, strict=True) if each in near
    ]
    assert (np.array(about) * [1, -1, -1] >= 0).all()


def test_rounding_keeps_to_bounds() -> None:
    values = np.eye(4)[:, :3] + 0.1
    points = np.array([[0.7], [-0.7], [3.4]])
    low, high = np.array([[-np.inf], [0.0], [0.0]]), np.array([[0.0], [np.inf], [2.0]])
    trials = round_points(points, np.zeros(1), values, np.ones(4), (low, high))
    assert len(trials) == len(MOST_POINTS)
    for whole, _ in trials:
        assert ((low <= whole) & (whole <= high)).all()


def test_what_a_direction_forbids_gains_nothing() -> None:
    """The search must not choose statements for points that they may not have."""
    only_falls = Limits(np.array([[False], [True], [True]]), np.ones((3, 1), dtype=bool))
    card = NumberCard(replace(numbers(X[:, 0]), limits=only_falls))
    nothing = card.loss(())
    assert card.losses((), SINGLES[:1])[0] == pytest.approx(nothing)
    assert NumberCard(numbers(X[:, 0])).losses((), SINGLES[:1])[0] < nothing - 10


@pytest.mark.parametrize("unit", [1e-90, 1e-3, 1e3, 1e90])
def test_a_number_in_another_unit_gets_the_same_points(unit: float) -> None:
    own = NumberCard(numbers()).finish((*SINGLES, PAIR))
    other = NumberCard(numbers(unit * SUM)).finish((*SINGLES, PAIR))
    assert other.statements == own.statements
    np.testing.assert_array_equal(other.points, own.points)
    np.testing.assert_allclose(other.scale, unit * own.scale, rtol=0.01)
    np.testing.assert_allclose(other.intercepts, unit * own.intercepts, atol=0.02 * unit)


def test_the_base_of_a_number_is_printed_in_few_digits() -> None:
    scored = NumberCard(numbers(1000 + SUM)).finish(SINGLES)
    base = scored.intercepts[0] - scored.scale * scored.points.sum()
    assert float(f"{base:.7g}") == pytest.approx(base, abs=1e-9)


def test_numbers_far_away_do_not_decide_alone() -> None:
    far = SUM.copy()
    far[:1] = 1e6
    robust = NumberCard(numbers(far, Regression(robust=True))).finish(SINGLES)
    clean = NumberCard(numbers()).finish(SINGLES)
    assert 0.5 * clean.scale < robust.scale < 2 * clean.scale
    assert abs(robust.intercepts[0] - clean.intercepts[0]) < SUM.std()


def test_amounts_are_those_of_the_rows_themselves() -> None:
    """Smooth targets differ less than the numbers do."""
    y = np.where(X[:, 0] > 0.1, 1000.0, 10.0)
    scored = NumberCard(numbers(y)).finish((Statement((Literal(0, 0.1),)),))
    np.testing.assert_allclose(2 * scored.scale * scored.points[0], 990.0, rtol=0.01)
    np.testing.assert_allclose(scored.intercepts, 505.0, rtol=0.01)
