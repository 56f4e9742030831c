"""Compiled kernels find what numpy finds."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crisplogic import kernels
from crisplogic.constraints import Limits
from crisplogic.search import CLASSIFICATION, REGRESSION, TrainingSet
from crisplogic.search.crisp.any_of import AnyOf
from crisplogic.search.crisp.checklist import Checklist
from crisplogic.search.crisp.objective import MOST_SCREENED, Objective
from crisplogic.search.crisp.path import Found, follow_path, move_to_rows
from crisplogic.search.crisp.scorecard import ClassCard, NumberCard
from crisplogic.search.crisp.statement import size_of

built = pytest.mark.skipif(kernels.compiled is None, reason="no kernels were built")
MOST = 7


def table(
    seed: int, classes: int = 2, gaps: bool = True, weighted: bool = False
) -> TrainingSet:
    """Rows of numbers, whole numbers and a truth value; no classes: a number."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(150, 5)).round(2)
    X[:, 1], X[:, 4] = random.integers(0, 6, 150), random.random(150) < 0.4
    score = X[:, 0] * (X[:, 1] > 2) - X[:, 2] + X[:, 4] + 0.5 * random.normal(size=150)
    if gaps:
        X[random.random(X.shape) < 0.08] = np.nan
    weights = random.integers(1, 4, 150).astype(np.float64) if weighted else None
    crisp = np.array([False, False, False, False, True])
    if not classes:
        return TrainingSet(X, score, ("y",), REGRESSION, weights, crisp)
    y = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
    return TrainingSet(X, y, tuple("abcd"[:classes]), CLASSIFICATION, weights, crisp)


def limits(data: TrainingSet, **changes: Any) -> TrainingSet:
    return replace(data, limits=replace(Limits.free(5, data.n_outputs), **changes))


def one_way(data: TrainingSet) -> TrainingSet:
    rises = np.ones((5, data.n_outputs), bool)
    rises[0, -1] = rises[2, 0] = False
    pairs = np.ones((5, 5), bool)
    pairs[0, 1] = pairs[1, 0] = False
    return limits(data, rises=rises, pairs=pairs)


def deep(objective: Objective) -> Objective:
    objective.screened = MOST_SCREENED
    return objective


MAKERS: dict[str, Callable[[int], Objective]] = {
    "two classes": lambda seed: Checklist(table(seed)),
    "weights": lambda seed: Checklist(table(seed, weighted=True), None),
    "no gaps": lambda seed: Checklist(table(seed, gaps=False), None),
    "any of": lambda seed: AnyOf(Checklist(table(seed), None)),
    "none of": lambda seed: AnyOf(Checklist(table(seed), None), negated=True),
    "deep": lambda seed: deep(Checklist(table(seed), None)),
    "one way": lambda seed: Checklist(one_way(table(seed)), None),
    "no xor": lambda seed: Checklist(limits(table(seed), operators=frozenset(["or"]))),
    "xor alone": lambda seed: Checklist(limits(table(seed), operators=frozenset(["xor"]))),
    "classes": lambda seed: ClassCard(table(seed, 3), None),
    "classes with weights": lambda seed: ClassCard(table(seed, 4, weighted=True)),
    "classes, one way": lambda seed: ClassCard(one_way(table(seed, 3))),
    "deep classes": lambda seed: deep(ClassCard(table(seed, 3), None)),
    "a number": lambda seed: NumberCard(table(seed, 0), None),
    "a number with weights": lambda seed: NumberCard(table(seed, 0, weighted=True)),
    "a number, one way": lambda seed: NumberCard(one_way(table(seed, 0))),
}


def by_numpy(monkeypatch: pytest.MonkeyPatch, function: Callable[[], Any]) -> Any:
    with monkeypatch.context() as patch:
        patch.setattr(kernels, "compiled", None)
        return function()


@built
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("kind", MAKERS)
def test_kernels_find_the_statements_that_numpy_finds(
    kind: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find() -> dict[int, Found]:
        return follow_path(MAKERS[kind](seed), MOST)

    expected = by_numpy(monkeypatch, find)
    found = find()
    assert list(found) == sorted(expected)
    for size, (loss, statements) in found.items():
        assert statements == expected[size].statements
        assert loss == pytest.approx(expected[size].loss, abs=2e-6)


@built
@pytest.mark.parametrize("kind", MAKERS)
def test_kernels_move_cuts_to_where_numpy_moves_them(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    objective, plain = MAKERS[kind](3), MAKERS[kind](3)
    for _, statements in follow_path(objective, MOST).values():

        def move(statements: Any = statements) -> Any:
            return move_to_rows(plain, statements)

        assert move_to_rows(objective, statements) == by_numpy(monkeypatch, move)


@built
@pytest.mark.parametrize("kind", MAKERS)
def test_losses_of_kernels_are_those_of_numpy(kind: str) -> None:
    objective = MAKERS[kind](4)
    for _, statements in follow_path(objective, MOST).values():
        assert kernels.compiled is not None
        loss = kernels.compiled.statements_loss(objective.kernel, statements)
        if size_of(statements):  # without statements all scores are equal
            assert loss == pytest.approx(objective.loss(statements), abs=1e-6)


@built
def test_what_is_not_a_statement_of_the_table_is_refused() -> None:
    objective = Checklist(table(1)).kernel
    assert kernels.compiled is not None
    loss = kernels.compiled.statements_loss
    literal = (0, 0.5, False)
    for wrong in (
        (((5, 0.5, False),), "."),
        (((-1, 0.5, False),), "."),
        ((literal,), ".."),
        ((literal, literal), ".&."),
        ((literal,), "?"),
        ((), ""),
    ):
        with pytest.raises(ValueError, match=r"statement|column"):
            loss(objective, (wrong,))
    with pytest.raises(ValueError, match="too many"):
        loss(objective, (((literal,), "."),) * 200)
    with pytest.raises(TypeError):
        loss(objective, ("text",))
    with pytest.raises(ValueError, match="PyCapsule"):
        loss(table(1), ())


@built
def test_arrays_that_do_not_fit_are_refused() -> None:
    compiled = kernels.compiled
    assert compiled is not None
    objective = Checklist(table(1))
    rows = objective.literals.compiled
    with pytest.raises(ValueError, match="weight"):
        compiled.checklist(rows, 0, objective.positive[:-1], objective.weights, False, 1)
    with pytest.raises(ValueError, match="output"):
        compiled.checklist(rows, 7, objective.positive, objective.weights, False, 1)
    with pytest.raises(TypeError, match="8-byte floats"):
        compiled.checklist(
            rows, 0, objective.positive.astype(np.float32), objective.weights, False, 1
        )
    with pytest.raises(ValueError, match="target"):
        compiled.score_card(rows, np.zeros(150), 0.0)
    with pytest.raises(ValueError, match="size"):
        compiled.follow_path(objective.kernel, 3, 5, 8, 1)
    with pytest.raises(ValueError, match="literals"):
        compiled.follow_path(objective.kernel, 500, 2, 8, 1)


def test_kernels_are_built_where_there_is_a_compiler() -> None:
    if shutil.which("g++"):
        assert kernels.compiled is not None, "run: python setup.py build_ext --inplace"
