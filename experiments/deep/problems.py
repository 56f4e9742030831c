"""All problems whose truth is known, and how right rules for them must be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from experiments.deep.functions import FUNCTIONS, Drawn
from experiments.deep.monks import MONKS

NOISE = 0.05
# Right rules may have so many literals more than the smallest right form.
MORE_LITERALS = 2


class Problem(Protocol):
    """Something to learn exactly; None if the smallest right form is not counted."""

    @property
    def formula(self) -> str:
        """What is to be learned, in words or symbols."""

    @property
    def smallest(self) -> int | None:
        """The number of literals of the smallest right form."""

    def draw(self, rng: np.random.Generator) -> Drawn:
        """Rows to learn from, and the known truth."""


PROBLEMS: Mapping[str, Problem] = {**FUNCTIONS, **MONKS}


class Setting(NamedTuple):
    """A problem with noise or without, and the share of seeds that must succeed."""

    problem: str
    noise: float
    target: float


SETTINGS = (
    *(Setting(name, 0.0, 0.95) for name in FUNCTIONS),
    *(Setting(name, NOISE, 0.80) for name in FUNCTIONS),
    Setting("monk-1", 0.0, 1.0),
    Setting("monk-2", 0.0, 1.0),
    Setting("monk-3", NOISE, 1.0),
)


def draw(problem: Problem, noise: float, seed: int) -> tuple[Drawn, NDArray[np.bool_]]:
    """Rows, and the labels to learn from: a share of them is wrong.

    >>> drawn, labels = draw(PROBLEMS["parity-of-3"], 0.05, seed=0)
    >>> drawn.X.shape, drawn.known.shape, int((labels != drawn.truth).sum())
    ((500, 8), (256, 8), 25)
    """
    rng = np.random.default_rng(seed)
    drawn = problem.draw(rng)
    wrong = rng.permutation(len(drawn.truth))[: round(noise * len(drawn.truth))]
    labels = drawn.truth.copy()
    labels[wrong] = ~labels[wrong]
    return drawn, labels


def succeeds(problem: Problem, error: float, literals: int) -> bool:
    """Whether rules are right everywhere, and hardly larger than they must be.

    >>> [succeeds(PROBLEMS["parity-of-3"], 0.0, literals) for literals in (3, 5, 6)]
    [True, True, False]
    """
    small = problem.smallest is None or literals <= problem.smallest + MORE_LITERALS
    return error == 0 and small
