"""Learn the same with the other literals, to say what these would gain on held-out rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from sklearn.base import clone

from crisplogic.errors import RuleSizeWarning
from crisplogic.estimators.fitted import FittedEstimator

E = TypeVar("E", bound=FittedEstimator)


def with_other_literals(estimator: E) -> E:
    """The same for graded literals if these are crisp, with what is known of the table."""
    other = "graded" if estimator.literals == "crisp" else "crisp"
    made: E = clone(estimator)
    made.set_params(literals=other, compare_literals=False)
    known = {name: each for name, each in vars(estimator).items() if name[-1] == "_"}
    made.__dict__.update(known)
    return made


def keep_comparison(estimator: FittedEstimator, other: FittedEstimator) -> None:
    """Keep what rules of the other literals reach on held-out rows."""
    error = other.expected_error_
    estimator.frontier_ = replace(estimator.frontier_, other_rules_error=error)


@contextmanager
def sizes_ignored() -> Iterator[None]:
    """Rules that are only compared may have any size."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleSizeWarning)
        yield
