"""Training sets and drafts for tests: tables that a rule made, and any pairs that vote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic.expr import And, Expr, Or, Var, Xor, parse
from crisplogic.expr.autodiff import Tape
from crisplogic.rules import ClassificationRules, Membership, Rule, RuleSet
from crisplogic.search.draft import Draft
from crisplogic.search.tasks import CLASSIFICATION, REGRESSION
from crisplogic.search.training_set import TrainingSet

Floats = NDArray[np.float64]


def training_set(
    columns: Floats, y: NDArray[Any], classes: int, weights: Floats | None = None
) -> TrainingSet:
    """Rows of so many classes. Shape: ``columns`` (features, rows)."""
    return TrainingSet(columns.T, y, range(classes), CLASSIFICATION, weights)


def number_set(columns: Floats, y: Floats, weights: Floats | None = None) -> TrainingSet:
    """Rows of a number. Shape: ``columns`` (features, rows)."""
    return TrainingSet(columns.T, y, ["y"], REGRESSION, weights)


COLUMNS = 4
FEATURES = tuple(f"x{number}" for number in range(COLUMNS))


def a_sample(
    seed: int = 0,
    rows: int = 60,
    classes: int = 2,
    columns: int = COLUMNS,
    missing: float = 0.0,
) -> TrainingSet:
    """Columns of very different units, and classes that the first two of them tell apart.

    Every tenth row belongs to a class drawn by lot.
    """
    rng = np.random.default_rng(seed)
    unit = rng.normal(size=(columns, rows))
    score = unit[0] + np.maximum(unit[0], unit[min(1, columns - 1)])
    targets = np.searchsorted(np.quantile(score, np.arange(1, classes) / classes), score)
    lot = rng.random(rows) < 0.1
    targets[lot] = rng.integers(classes, size=lot.sum())
    units = 10.0 ** rng.integers(-2, 4, size=(columns, 1))
    table = unit * units + rng.integers(-5, 6, size=(columns, 1)) * units
    table[rng.random(table.shape) < missing] = np.nan
    return training_set(table, targets.astype(np.intp), classes)


def weighed(data: TrainingSet, seed: int = 0) -> TrainingSet:
    """The data with rows that count 1, 2, 3 or 4."""
    weights = np.random.default_rng(seed).integers(1, 5, len(data)).astype(float)
    return replace(data, weights=weights)


def repeated(data: TrainingSet) -> TrainingSet:
    """Every row as often as it counts, and each of these counts 1."""
    assert data.weights is not None
    numbers = np.repeat(np.arange(len(data)), data.weights.astype(int))
    return replace(data.take(numbers), weights=None)


def some_rules(data: TrainingSet, *texts: str, scale: float = 1.0) -> RuleSet:
    """Rules over linear memberships, one a column, as a snapped network has them."""
    low, high = data.ranges()
    memberships = tuple(
        Membership(number, float(ends[0]), float(ends[1]))
        for number, ends in enumerate(zip(low, high, strict=True))
    )
    features = tuple(f"x{number}" for number in range(len(low)))
    rules = tuple(Rule(label, parse(text)) for label, text in enumerate(texts))
    return ClassificationRules(features, memberships, rules, scale)


def pairs(ramps: int) -> list[Expr]:
    """Every literal and every pair that a draft over so many ramps could have."""
    found: list[Expr] = [Var(ramp) for ramp in range(ramps)]
    for i, j in combinations(range(ramps), 2):
        x, y = Var(i), Var(j)
        found += [And((x, y)), Or((x, y)), Xor((x, y)), And((x, ~y)), And((~x, y))]
    return found


def a_draft(
    data: TrainingSet,
    terms: Sequence[Expr],
    votes: Sequence[Sequence[float]] | Floats,
    seed: int = 0,
    pure: bool = False,
    scale: float = 1.5,
) -> Draft:
    """Terms and votes as given over ramps somewhere within the data's columns."""
    rng = np.random.default_rng(seed)
    ramps = 1 + max(Tape(terms).used, default=0)
    feature = (np.arange(ramps) % len(data.columns)).astype(np.intp)
    low, high = (ends[feature] for ends in data.ranges())
    span = np.where(high > low, high - low, 1.0)
    return Draft(
        feature=feature,
        centre=low + span * rng.uniform(0.2, 0.8, ramps),
        width=span * rng.uniform(0.05, 0.6, ramps),
        terms=tuple(terms),
        votes=np.array(votes, dtype=float).reshape(len(terms), data.n_outputs),
        bias=np.zeros(data.n_outputs) if pure else rng.normal(size=data.n_outputs),
        scale=scale,
        pure=pure,
    ).keep(np.ones(len(terms), dtype=bool))


@st.composite
def votes_of_terms(draw: st.DrawFn, terms: int, classes: int) -> list[list[float]]:
    """Votes of so many terms, at least one each, some of several points.

    Of two classes the second takes them all.
    """
    vote = st.sampled_from([-1.0, 0.0, 1.0, 2.0, -3.0])
    if classes == 2:
        return [[0.0, draw(vote.filter(bool))] for _ in range(terms)]
    some = st.lists(vote, min_size=classes, max_size=classes).filter(any)
    return [draw(some) for _ in range(terms)]


@st.composite
def cases(
    draw: st.DrawFn,
    min_terms: int = 1,
    max_terms: int = 5,
    missing: float = 0.1,
    pure: bool | None = None,
) -> tuple[Draft, TrainingSet]:
    """Any draft of literals and pairs, and rows to improve it on."""
    classes = draw(st.integers(2, 4))
    seed = draw(st.integers(0, 2**32 - 1))
    data = a_sample(seed, draw(st.sampled_from([8, 40])), classes, missing=missing)
    known = st.sampled_from(pairs(COLUMNS + 2))
    terms = draw(st.lists(known, min_size=min_terms, max_size=max_terms, unique=True))
    votes = draw(votes_of_terms(len(terms), classes))
    scale = draw(st.sampled_from([0.05, 0.7, 3.0]))
    is_pure = draw(st.booleans()) if pure is None else pure
    if is_pure:
        votes = np.clip(votes, -1.0, 1.0).tolist()
    return a_draft(data, terms, votes, seed, is_pure, scale), data


def loss_of(draft: Draft, data: TrainingSet) -> float:
    return float(data.loss(draft.logits(draft.values(data))))


def predicted(draft: Draft, data: TrainingSet) -> NDArray[np.intp]:
    winners: NDArray[np.intp] = draft.logits(draft.values(data)).argmax(axis=0)
    return winners


def same(one: Draft, other: Draft) -> bool:
    """Whether two drafts are the same to the last bit."""
    arrays = ("feature", "centre", "width", "votes", "bias")
    return (
        one.terms == other.terms
        and (one.scale, one.pure) == (other.scale, other.pure)
        and all(getattr(one, a).tobytes() == getattr(other, a).tobytes() for a in arrays)
    )


# Terms that predict a number, and their votes.
TERMS = [pairs(4)[0], pairs(4)[5], pairs(4)[9]]
VOTES = [[1.0], [-1.0], [1.0]]


def numbers(
    seed: int = 0, rows: int = 60, unit: float = 3.0, missing: float = 0.0
) -> TrainingSet:
    """Rows whose first two columns say how large a number is, but for some noise."""
    data = a_sample(seed, rows, missing=missing)
    rng = np.random.default_rng(seed)
    known = np.nan_to_num(data.columns[:2])
    z = (known - known.mean(axis=1, keepdims=True)) / known.std(axis=1, keepdims=True)
    targets = 20 + unit * (z[0] + np.maximum(z[0], z[1]) + 0.3 * rng.normal(size=rows))
    return number_set(data.columns, targets)
