"""The path: ever smaller drafts down to a single term, whatever the table is like."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic.constraints import Limits
from crisplogic.expr import parse
from crisplogic.rules.formatting import terms_of
from crisplogic.search import path as path_module
from crisplogic.search.convert import draft_from_rules
from crisplogic.search.draft import Draft, count_literals
from crisplogic.search.fit import fit_draft
from crisplogic.search.path import VERY_FEW, follow_path, shrink
from crisplogic.search.rounding import round_draft
from crisplogic.search.training_set import TrainingSet
from tests.search.drafts import (
    TERMS,
    VOTES,
    a_draft,
    a_sample,
    cases,
    loss_of,
    numbers,
    pairs,
    predicted,
    some_rules,
    training_set,
)


def all_the_way(draft: Draft, data: TrainingSet) -> list[Draft]:
    """The whole path, or so much of it that it must be endless."""
    return list(islice(shrink(draft, data), 60))


def assert_falls_to_one_term(path: list[Draft], data: TrainingSet) -> None:
    """Sizes never rise; each comes at most twice, the second time with terms rewritten."""
    sizes = [int(draft.costs().sum()) for draft in path]
    assert sizes == sorted(sizes, reverse=True)
    assert max(Counter(sizes).values()) <= 2
    assert len(path[-1].terms) == 1
    for draft in path:
        assert draft.terms
        assert len(set(draft.terms)) == len(draft.terms)
        assert (draft.votes != 0).any(axis=1).all()
        assert np.isfinite([*draft.centre, *draft.width, *draft.bias, draft.scale]).all()
        assert np.isfinite(loss_of(draft, data))


@given(cases(max_terms=4))
@settings(max_examples=15)
def test_sizes_fall_and_the_last_has_one_term(case: tuple[Draft, TrainingSet]) -> None:
    draft, data = case
    path = all_the_way(draft, data)
    assert path[0].costs().sum() <= draft.costs().sum()
    assert_falls_to_one_term(path, data)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("pure", [False, True])
def test_many_terms_come_down_in_few_steps(classes: int, pure: bool) -> None:
    data = a_sample(rows=80, classes=classes)
    rng = np.random.default_rng(0)
    terms = pairs(6)[6:66]
    assert len(terms) == 60
    votes = np.zeros((len(terms), classes))
    votes[np.arange(60), rng.integers(1, classes, 60)] = rng.choice([-1, 1], 60)
    path = all_the_way(a_draft(data, terms, votes, pure=pure), data)
    assert len(path) < 50
    assert_falls_to_one_term(path, data)
    assert all(draft.pure == pure and (not pure or not draft.bias.any()) for draft in path)


def test_what_tells_the_classes_apart_is_kept_to_the_last() -> None:
    data = a_sample(rows=300)
    rules = some_rules(data, "(2 & 3) + ~3 + (1 ^ 3)", "0 + (0 | 1) + 2")
    *_, last = all_the_way(draft_from_rules(rules), data)
    assert set(last.feature) <= {0, 1}
    assert (predicted(last, data) == data.y).mean() > 0.8


def tables() -> dict[str, TrainingSet]:
    rng = np.random.default_rng(0)
    column = np.linspace(-1, 1, 40)
    noise = rng.normal(size=(4, 40))
    two = (column > 0).astype(np.intp)
    same: NDArray[np.float64] = np.ones((4, 40))
    return {
        "separable": training_set(np.stack([column, column**2, *noise[:2]]), two, 2),
        "crisply separable": training_set(np.stack([two, *noise[:3]]).astype(float), two, 2),
        "noise": training_set(noise, rng.integers(2, size=40), 2),
        "noise in three classes": training_set(noise, rng.integers(3, size=40), 3),
        "one row a class": training_set(noise[:, :3], np.arange(3), 3),
        "two rows": training_set(noise[:, :2], np.arange(2), 2),
        "one class only": training_set(noise, np.zeros(40, dtype=np.intp), 2),
        "a class without rows": training_set(noise, two, 3),
        "the same rows": training_set(same + np.arange(4)[:, None] + 1e-3 * two, two, 2),
        "missing values": training_set(np.where(noise > 0.5, np.nan, noise), two, 2),
    }


@pytest.mark.parametrize("table", tables())
@pytest.mark.parametrize("pure", [False, True])
def test_it_ends_whatever_the_table_is_like(table: str, pure: bool) -> None:
    data = tables()[table]
    texts = ["(0 & 1) + ~2", "0 + (1 | 3) + 2", "(0 ^ 3) + ~1"][: data.n_outputs]
    path = all_the_way(draft_from_rules(some_rules(data, *texts), pure), data)
    assert_falls_to_one_term(path, data)


def test_perfectly_separable_classes_stay_a_little_in_doubt() -> None:
    data = tables()["crisply separable"]
    for draft in all_the_way(draft_from_rules(some_rules(data, "~0", "0 + (0 & 1)")), data):
        assert (predicted(draft, data) == data.y).all()
        assert np.abs(draft.logits(draft.values(data))).max() < 20


@pytest.mark.parametrize("pure", [False, True])
def test_a_draft_without_terms_is_all_there_is(pure: bool) -> None:
    data = a_sample(rows=30, classes=3)
    nothing = draft_from_rules(some_rules(data, "true", "unknown", "false"), pure)
    (only,) = all_the_way(nothing, data)
    assert only.terms == ()
    assert (only.bias == 0).all() if pure else (only.bias < 0).all()


def test_the_same_table_gives_the_same_path() -> None:
    data = a_sample(classes=3, missing=0.1)
    draft = draft_from_rules(some_rules(data, "(0 & 1) + ~2", "0 + (1 | 3)", "~0 + 3"))
    first, second = (all_the_way(draft, data) for _ in range(2))
    assert [each.centre.tolist() for each in first] == [each.centre.tolist() for each in second]
    assert [each.votes.tolist() for each in first] == [each.votes.tolist() for each in second]


def test_the_draft_and_the_sample_are_left_as_they_were() -> None:
    data = a_sample(classes=3, missing=0.1)
    draft = a_draft(data, pairs(4)[:8], np.eye(3)[[0, 1, 2, 0, 1, 2, 0, 1]])
    before = [draft.centre.copy(), draft.votes.copy(), draft.bias.copy(), data.columns.copy()]
    all_the_way(draft, data)
    for array, copy in zip(
        [draft.centre, draft.votes, draft.bias, data.columns], before, strict=True
    ):
        np.testing.assert_array_equal(array, copy)


# --- numbers ------------


@pytest.mark.parametrize("unit", [1e-90, 1e-6, 1e6, 1e90])
def test_the_unit_of_the_numbers_changes_no_loss_and_no_rule(unit: float) -> None:
    one = numbers()
    other = replace(one, y=one.y * unit)
    draft = a_draft(one, TERMS, VOTES, scale=2.0)
    in_unit = replace(draft, bias=draft.bias * unit, scale=draft.scale * unit)
    ends = [list(shrink(draft, one))[-1], list(shrink(in_unit, other))[-1]]
    assert ends[0].terms == ends[1].terms
    assert loss_of(ends[0], one) == pytest.approx(loss_of(ends[1], other), rel=1e-4)


def test_numbers_that_are_all_the_same_are_no_problem() -> None:
    data = replace(numbers(), y=np.full(60, 7.1))
    draft = a_draft(data, TERMS, VOTES)
    for end in shrink(draft, data):
        tidy = round_draft(end, data)
        logits = tidy.logits(tidy.values(data))[0]
        np.testing.assert_allclose(logits, 7.1, rtol=0.02)  # terms are worth something


# --- bounds on the rules of classes ------------


def with_bounds(data: TrainingSet, *bounds: float) -> TrainingSet:
    free = Limits.free(len(data.columns), data.n_outputs)
    return replace(data, limits=replace(free, max_literals=np.array(bounds)))


def noisy_xor(seed: int, rows: int = 400) -> TrainingSet:
    """The *xor* of two columns of six, wrong in every fifth row."""
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(6, rows))
    y = (columns[0] > 0) ^ (columns[1] > 0) ^ (rng.random(rows) < 0.2)
    return training_set(columns, y.astype(np.intp), 2)


@pytest.mark.parametrize("seed", range(3))
def test_a_bound_a_class_keeps_the_term_that_matters(seed: int) -> None:
    data = with_bounds(noisy_xor(seed), 2, 2)
    texts = "(2 & 3) + (0 & 4) + 5", "(0 ^ 1) + 0 + 1 + (1 | 5) + (3 ^ 4) + 2"
    path = all_the_way(draft_from_rules(some_rules(data, *texts)), data)
    errors = [float((predicted(draft, data) != data.y).mean()) for draft in path]
    assert all(draft.literals_by_output().max() <= 2 for draft in path)
    assert min(errors) < 0.3


def test_a_draft_within_its_bounds_is_fitted() -> None:
    data = noisy_xor(0)
    rules = some_rules(data, "(2 & 3) + (3 ^ 4)", "(0 ^ 1) + 0")
    for draft in all_the_way(draft_from_rules(rules), with_bounds(data, 2, 2)):
        again = fit_draft(draft, data, steps=1)
        assert loss_of(again, data) > loss_of(draft, data) - 0.01


@given(cases(max_terms=6), st.integers(0, 5), st.integers(0, 5))
@settings(max_examples=15)
def test_every_draft_keeps_to_the_bounds(
    case: tuple[Draft, TrainingSet], first: int, others: int
) -> None:
    draft, data = case
    bounds = [first, *[others] * (data.n_outputs - 1)]
    path = all_the_way(draft, with_bounds(data, *bounds))
    assert path
    assert all((each.literals_by_output() <= bounds).all() for each in path)


# --- deep terms ------------


def test_a_deep_term_is_pruned_to_a_literal() -> None:
    data = a_sample(rows=80)
    deep = "tanh((0 & 1) + (1 ^ 2) + ~3) & tanh((0 | 3) + 2 + (1 & 2))"
    path = all_the_way(draft_from_rules(some_rules(data, "unknown", deep)), data)
    sizes = [draft.size() for draft in path]
    assert sizes[0] == 10
    assert sizes[-1] == 1
    assert sizes == sorted(sizes, reverse=True)


def test_units_that_all_terms_share_become_smaller_while_there_are_many_terms() -> None:
    """Whole terms would leave rules as large as their units, and then nearly none."""
    data = a_sample(rows=150, classes=3)
    unit = "tanh(0 + (0 & 1) + (0 | 2) + ~(0 & 3) + 1 + (1 ^ 2) + ~(1 | 3) + 2 + (2 & 3) + ~3)"
    texts = (
        f"({unit} & 2) + ({unit} | 1) + ({unit} & ~0)",
        f"({unit} ^ 3) + ({unit} & 1)",
        f"({unit} | 0) + ({unit} & 3)",
    )
    draft = draft_from_rules(some_rules(data, *texts))
    assert len(draft.terms) > 5
    of_unit = count_literals(parse(unit))
    path = all_the_way(draft, data)
    assert any(each.size() < of_unit for each in path if len(each.terms) > VERY_FEW)
    assert path[-1].size() <= 3


def test_where_no_term_can_be_made_small_there_are_rules_without_terms(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(path_module, "rank_prunings", lambda *_, **__: [])
    data = a_sample(rows=80)
    draft = draft_from_rules(some_rules(data, "unknown", "(0 & 1) | (2 & 3)"))
    sizes = [each.size() for each in all_the_way(draft, data)]
    assert (sizes[0], sizes[-1]) == (4, 0)


def test_terms_without_literals_belong_to_the_bias() -> None:
    data = a_sample(rows=40)
    rules = some_rules(data, "0 + tanh(true + true)", "1 + ~tanh(true + true)", scale=0.5)
    draft = draft_from_rules(rules)
    assert draft.size() == 2
    assert np.diff(draft.bias) == pytest.approx(-np.tanh(2.0))
    assert_falls_to_one_term(all_the_way(draft, data), data)


def test_the_rules_on_a_path_have_points_where_they_pay_unless_they_are_pure() -> None:
    rng = np.random.default_rng(0)
    columns = rng.integers(0, 2, (4, 300)).astype(float)
    y = (np.array([2, 1, 1, 1]) @ (2 * columns - 1) > 0).astype(np.intp)
    data = replace(training_set(columns, y, 2), crisp=np.ones(4, dtype=bool))
    start = some_rules(data, "unknown", "0 + 1 + 2 + 3")
    with_points = [each.rules for each in follow_path(start, data)]
    assert any(each.size == 4 and not data.task.error(each, data) for each in with_points)
    pure = [each.rules for each in follow_path(start, data, pure=True)]
    assert all(max(Counter(terms_of(each.expressions[1])).values()) == 1 for each in pure)
    assert all(data.task.error(each, data) for each in pure if each.size == 4)
