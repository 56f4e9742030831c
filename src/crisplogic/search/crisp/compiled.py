"""The search by compiled kernels: the same statements as numpy finds, sooner.

Rows and objectives of the kernels are capsules, which only they can read. They are None where
no kernels were built.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic import kernels
from crisplogic.search.crisp.statement import Literal, Statement
from crisplogic.search.training_set import TrainingSet

Floats = NDArray[np.float64]
NONE = np.zeros(0, dtype=bool)


def make_rows(
    data: TrainingSet,
    cuts: Sequence[Floats],
    coarse: tuple[NDArray[np.intp], Floats],
    screened: NDArray[np.intp],
) -> Any | None:
    """The rows of a table with the cuts of its columns.

    ``coarse`` are the features and the cuts of all coarse literals, ``screened`` the rows that
    screen statements.
    """
    if kernels.compiled is None:
        return None
    limits, weights = data.limits, data.weights
    rises, falls, pairs = NONE, NONE, NONE
    if limits is not None:
        rises, falls = (np.ascontiguousarray(each) for each in (limits.rises, limits.falls))
        pairs = NONE if limits.pairs is None else np.ascontiguousarray(limits.pairs)
    return kernels.compiled.search_rows(
        data.columns,
        np.ones(len(data)) if weights is None else np.ascontiguousarray(weights),
        np.concatenate([np.empty(0), *cuts]),
        np.array([len(each) for each in cuts], dtype=np.int64),
        coarse[0].astype(np.int64),
        np.ascontiguousarray(coarse[1]),
        screened.astype(np.int64),
        data.n_outputs,
        rises,
        falls,
        pairs,
        limits is None or limits.allows_xor,
        limits is None or limits.allows_and_or,
    )


def find_path(
    objective: Any, most: int, screened: int, longest: int, ways: int
) -> list[tuple[float, tuple[Statement, ...]]]:
    """The best statements of every size up to ``most`` literals, with their losses.

    Statements have at most ``longest`` literals, and those of ``screened`` are looked for as
    wholes. So many ``ways`` to a size are followed to the end.
    """
    assert kernels.compiled is not None
    found = kernels.compiled.follow_path(objective, most, screened, longest, ways)
    return [(loss, tuple(map(_as_statement, statements))) for loss, statements in found]


def statements_loss(objective: Any, statements: tuple[Statement, ...]) -> float:
    """The loss of statements with the best numbers for them."""
    assert kernels.compiled is not None
    loss: float = kernels.compiled.statements_loss(objective, statements)
    return loss


def moved_cut(
    unsmoothed: Any,
    rest: tuple[Statement, ...],
    statement: Statement,
    movable: NDArray[np.bool_],
) -> tuple[int, float] | None:
    """Which literal of a statement should have which other cut; None if none should."""
    assert kernels.compiled is not None
    moved: tuple[int, float] | None = kernels.compiled.moved_cut(
        unsmoothed, rest, statement, movable
    )
    return moved


def _as_statement(plain: tuple[Any, str]) -> Statement:
    literals, shape = plain
    return Statement(tuple(Literal(*each) for each in literals), shape)
