"""The path: ever smaller drafts down to a single term, whatever the table is like."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from crisplogic.search.convert import drafted
from crisplogic.search.draft import Draft
from crisplogic.search.path import shrinking
from crisplogic.search.sample import Sample
from tests.search.drafts import a_draft, a_sample, cases, loss_of, pairs, predicted, some_rules


def all_the_way(draft: Draft, sample: Sample) -> list[Draft]:
    """The whole path, or so much of it that it must be endless."""
    return list(islice(shrinking(draft, sample), 60))


def assert_falls_to_one_term(path: list[Draft], sample: Sample) -> None:
    """Sizes never rise; each comes at most twice, the second time with terms rewritten."""
    sizes = [draft.size() for draft in path]
    assert sizes == sorted(sizes, reverse=True)
    assert max(Counter(sizes).values()) <= 2
    assert len(path[-1].terms) == 1
    for draft in path:
        assert draft.terms
        assert len(set(draft.terms)) == len(draft.terms)
        assert (draft.votes != 0).any(axis=1).all()
        assert np.isfinite([*draft.centre, *draft.width, *draft.bias, draft.scale]).all()
        assert np.isfinite(loss_of(draft, sample))


@given(cases(max_terms=4))
@settings(max_examples=15)
def test_sizes_fall_and_the_last_has_one_term(case: tuple[Draft, Sample]) -> None:
    draft, sample = case
    path = all_the_way(draft, sample)
    assert path[0].size() <= draft.size()
    assert_falls_to_one_term(path, sample)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("pure", [False, True])
def test_many_terms_come_down_in_few_steps(classes: int, pure: bool) -> None:
    sample = a_sample(rows=80, classes=classes)
    rng = np.random.default_rng(0)
    terms = pairs(6)[6:66]
    assert len(terms) == 60
    votes = np.zeros((len(terms), classes))
    votes[np.arange(60), rng.integers(1, classes, 60)] = rng.choice([-1, 1], 60)
    path = all_the_way(a_draft(sample, terms, votes, pure=pure), sample)
    assert len(path) < 50
    assert_falls_to_one_term(path, sample)
    assert all(draft.pure == pure and (not pure or not draft.bias.any()) for draft in path)


def test_what_tells_the_classes_apart_is_kept_to_the_last() -> None:
    sample = a_sample(rows=300)
    rules = some_rules(sample, "(2 & 3) + ~3 + (1 ^ 3)", "0 + (0 | 1) + 2")
    *_, last = all_the_way(drafted(rules), sample)
    assert set(last.feature) <= {0, 1}
    assert (predicted(last, sample) == sample.targets).mean() > 0.8


def tables() -> dict[str, Sample]:
    rng = np.random.default_rng(0)
    column = np.linspace(-1, 1, 40)
    noise = rng.normal(size=(4, 40))
    two = (column > 0).astype(np.intp)
    same: NDArray[np.float64] = np.ones((4, 40))
    return {
        "separable": Sample(np.stack([column, column**2, *noise[:2]]), two, 2),
        "crisply separable": Sample(np.stack([two, *noise[:3]]).astype(float), two, 2),
        "noise": Sample(noise, rng.integers(2, size=40), 2),
        "noise in three classes": Sample(noise, rng.integers(3, size=40), 3),
        "one row a class": Sample(noise[:, :3], np.arange(3), 3),
        "two rows": Sample(noise[:, :2], np.arange(2), 2),
        "one class only": Sample(noise, np.zeros(40, dtype=np.intp), 2),
        "a class without rows": Sample(noise, two, 3),
        "the same rows": Sample(same + np.arange(4)[:, None] + 1e-3 * two, two, 2),
        "missing values": Sample(np.where(noise > 0.5, np.nan, noise), two, 2),
    }


@pytest.mark.parametrize("table", tables())
@pytest.mark.parametrize("pure", [False, True])
def test_it_ends_whatever_the_table_is_like(table: str, pure: bool) -> None:
    sample = tables()[table]
    texts = ["(0 & 1) + ~2", "0 + (1 | 3) + 2", "(0 ^ 3) + ~1"][: sample.classes]
    path = all_the_way(drafted(some_rules(sample, *texts), pure), sample)
    assert_falls_to_one_term(path, sample)


def test_perfectly_separable_classes_stay_a_little_in_doubt() -> None:
    sample = tables()["crisply separable"]
    for draft in all_the_way(drafted(some_rules(sample, "~0", "0 + (0 & 1)")), sample):
        assert (predicted(draft, sample) == sample.targets).all()
        assert np.abs(draft.logits(draft.values(sample))).max() < 20


@pytest.mark.parametrize("pure", [False, True])
def test_a_draft_without_terms_is_all_there_is(pure: bool) -> None:
    sample = a_sample(rows=30, classes=3)
    nothing = drafted(some_rules(sample, "true", "unknown", "false"), pure)
    (only,) = all_the_way(nothing, sample)
    assert only.terms == ()
    assert (only.bias == 0).all() if pure else (only.bias < 0).all()


def test_the_same_table_gives_the_same_path() -> None:
    sample = a_sample(classes=3, missing=0.1)
    draft = drafted(some_rules(sample, "(0 & 1) + ~2", "0 + (1 | 3)", "~0 + 3"))
    first, second = (all_the_way(draft, sample) for _ in range(2))
    assert [each.centre.tolist() for each in first] == [each.centre.tolist() for each in second]
    assert [each.votes.tolist() for each in first] == [each.votes.tolist() for each in second]


def test_the_draft_and_the_sample_are_left_as_they_were() -> None:
    sample = a_sample(classes=3, missing=0.1)
    draft = a_draft(sample, pairs(4)[:8], np.eye(3)[[0, 1, 2, 0, 1, 2, 0, 1]])
    before = [draft.centre.copy(), draft.votes.copy(), draft.bias.copy(), sample.columns.copy()]
    all_the_way(draft, sample)
    for array, copy in zip(
        [draft.centre, draft.votes, draft.bias, sample.columns], before, strict=True
    ):
        np.testing.assert_array_equal(array, copy)
