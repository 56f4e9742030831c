from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.datasets import load_iris

from experiments.harness.evaluation import Split
from experiments.reproduction.anfis import (
    LEAST_WIDTH,
    MEMBER_DESCENT,
    Anfis,
    Ensemble,
    ensemble_predictions,
    member_rows,
    rule_grid,
)
from experiments.reproduction.descent import (
    Descent,
    FoldedRows,
    descend,
    folded_rows,
    scores_of,
)

Array = np.ndarray[Any, Any]
SMALL = Ensemble(members=3, columns=2, descent=replace(MEMBER_DESCENT, epochs=5))
ROWS = np.arange(30)
SPLITS = [Split(train=ROWS[5:], test=ROWS[:5]), Split(train=ROWS[:25], test=ROWS[25:])]


def uneven_anfis(copies: int = 2) -> Anfis:
    """Three columns, three memberships, two classes, in double precision; nothing even."""
    anfis = Anfis(columns=3, classes=2, memberships=3, copies=copies).double()
    generator = torch.Generator().manual_seed(0)
    for parameter in anfis.parameters():
        parameter.data += 0.4 * torch.randn(parameter.shape, generator=generator)
    return anfis


def some_inputs(copies: int, columns: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.rand(copies, 6, columns, generator=generator, dtype=torch.float64) * 2 - 1


def by_hand(inputs: Array, centres: Array, widths: Array, conclusions: Array) -> Array:
    """One ANFIS, written out as in Jang's paper: no logarithms, a rule at a time."""
    scores = np.zeros((len(inputs), conclusions.shape[-1]))
    for score, x in zip(scores, inputs, strict=True):
        rules = list(product(range(centres.shape[1]), repeat=len(x)))
        firing = [
            np.prod(
                [
                    np.exp(-((x[i] - centres[i, m]) ** 2) / (2 * widths[i, m] ** 2))
                    for i, m in enumerate(rule)
                ]
            )
            for rule in rules
        ]
        for strength, conclusion in zip(firing, conclusions, strict=True):
            score += strength / sum(firing) * (x @ conclusion[:-1] + conclusion[-1])
    return scores


def parts(anfis: Anfis, one: int) -> tuple[Array, Array, Array]:
    tensors = (anfis.centres, anfis.widths, anfis.conclusions)
    return tuple(tensor[one].detach().numpy().copy() for tensor in tensors)  # type: ignore[return-value]


def clouds() -> tuple[Array, Array]:
    random = np.random.default_rng(0)
    y = np.arange(30) % 3
    X = random.normal(size=(30, 4)) + 3 * np.eye(3, 4)[y]
    X[2, 0] = np.nan
    return X, y


def test_scores_are_those_of_an_anfis_written_out() -> None:
    anfis, inputs = uneven_anfis(), some_inputs(2, 3)
    scores = anfis(inputs).detach().numpy()
    for one in range(2):
        expected = by_hand(inputs[one].numpy(), *parts(anfis, one))
        np.testing.assert_allclose(scores[one], expected, rtol=1e-10)


def test_gradients_are_the_slopes_of_an_anfis_written_out() -> None:
    anfis, inputs = uneven_anfis(copies=1), some_inputs(1, 3)
    anfis(inputs).square().sum().backward()
    # By the widths themselves; ours are softplus of a parameter, whose slope is a sigmoid.
    assert anfis.raw_widths.grad is not None
    by_widths = anfis.raw_widths.grad / anfis.raw_widths.sigmoid()
    found = (anfis.centres.grad, by_widths, anfis.conclusions.grad)
    values, step = parts(anfis, 0), 1e-6
    for value, gradient in zip(values, found, strict=True):
        assert gradient is not None
        for at in list(np.ndindex(value.shape))[::7]:
            ends = []
            for change in (step, -step):
                value[at] += change
                ends.append(np.sum(by_hand(inputs[0].numpy(), *values) ** 2))
                value[at] -= change
            slope = (ends[0] - ends[1]) / (2 * step)
            assert gradient[0][at].item() == pytest.approx(slope, rel=1e-5, abs=1e-7)


def test_firing_strengths_sum_to_one_even_far_from_all_centres() -> None:
    anfis = Anfis(columns=4, classes=2, memberships=2, copies=1)
    anfis.raw_widths.data.fill_(-100.0)
    anfis.centres.data.fill_(50.0)
    inputs = torch.tensor([[[-1.0, 1.0, 0.3, -0.2]]])
    strengths = anfis.firing_strengths(inputs)
    assert strengths.shape == (1, 1, 16)
    assert strengths.sum(-1).item() == pytest.approx(1)
    assert anfis.widths.min() >= LEAST_WIDTH
    anfis(inputs).sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in anfis.parameters())


def test_rules_take_one_membership_of_every_column_the_last_column_fastest() -> None:
    grid = rule_grid(columns=3, memberships=2)
    assert grid.shape == (6, 8)
    taken = grid.T.unflatten(1, (3, 2))
    assert taken.sum(-1).eq(1).all()
    assert [tuple(rule) for rule in taken.argmax(-1).tolist()] == list(
        product((0, 1), repeat=3)
    )


def test_the_rule_that_fires_is_the_one_of_the_nearest_centres() -> None:
    anfis = Anfis(columns=2, classes=2, memberships=3, copies=1)
    inputs = torch.tensor([[[-1.0, -1.0], [-0.9, 1.0], [0.1, -1.0], [1.0, 0.9]]])
    assert anfis.firing_strengths(inputs).argmax(-1).tolist() == [[0, 2, 3, 8]]


@pytest.mark.parametrize("memberships", [2, 3, 5])
def test_memberships_start_evenly_and_neighbours_meet_at_one_half(memberships: int) -> None:
    anfis = Anfis(columns=1, classes=2, memberships=memberships, copies=1)
    centres = torch.linspace(-1, 1, memberships)
    torch.testing.assert_close(anfis.centres[0, 0].detach(), centres)
    between = (centres[:-1] + centres[1:]) / 2
    degrees = anfis.log_memberships(between.reshape(1, -1, 1)).exp()[0, :, 0]
    for place in range(memberships - 1):
        assert degrees[place, place : place + 2].tolist() == pytest.approx([0.5, 0.5])


def test_members_see_few_columns_and_bootstraps_of_their_folds_training_rows() -> None:
    rows = folded_rows(*clouds(), SPLITS)
    seen = member_rows(rows, Ensemble(members=8, columns=3), torch.Generator())
    assert seen.inputs.shape == (16, 30, 3)
    assert seen.weights.shape == (16, 30)
    for member, (inputs, weights) in enumerate(zip(seen.inputs, seen.weights, strict=True)):
        fold = member // 8
        assert weights[SPLITS[fold].test].eq(0).all()
        assert weights.sum() == 25
        assert torch.equal(weights, weights.round())
        columns = [
            place
            for place in range(4)
            for column in inputs.T
            if torch.equal(rows.inputs[fold, :, place], column)
        ]
        assert len(set(columns)) == 3
    assert seen.weights.max() > 1
    assert not torch.equal(seen.weights[0], seen.weights[1])


def test_members_of_a_narrow_table_see_all_of_it() -> None:
    X, y = clouds()
    seen = member_rows(folded_rows(X[:, :2], y, SPLITS), Ensemble(), torch.Generator())
    assert seen.inputs.shape == (20, 30, 2)


def test_an_ensemble_says_what_most_speaks_for_in_the_mean_of_its_members() -> None:
    X, y = clouds()
    generator = torch.Generator().manual_seed(4)
    rows = member_rows(folded_rows(X, y, SPLITS), SMALL, generator)
    anfis = descend(Anfis(2, 3, 2, copies=6), rows, SMALL.descent, generator)
    scores = scores_of(anfis, rows.inputs).numpy()
    means = [scores[:3].mean(0), scores[3:].mean(0)]
    found = ensemble_predictions(X, y, 3, SPLITS, SMALL, seed=4)
    assert found.tolist() == [mean.argmax(1).tolist() for mean in means]


def test_an_anfis_learns_xor() -> None:
    inputs = torch.tensor([[[-1.0, -1], [-1, 1], [1, -1], [1, 1]]])
    rows = FoldedRows(inputs, torch.tensor([0, 1, 1, 0]), torch.ones(1, 4))
    settings = Descent(epochs=60, batch_size=2, learning_rate=0.05, optimizer="adam")
    anfis = descend(Anfis(2, 2, 2, copies=1), rows, settings, torch.Generator())
    assert scores_of(anfis, inputs).argmax(-1).tolist() == [[0, 1, 1, 0]]


def test_an_ensemble_learns_iris() -> None:
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    split = Split(train=order[:100], test=order[100:])
    found = ensemble_predictions(X, y, 3, [split], seed=0)
    assert np.mean(found[0, split.test] != y[split.test]) < 0.1


def test_a_fold_knows_nothing_of_its_test_rows() -> None:
    random = np.random.default_rng(3)
    X, y = random.normal(size=(30, 4)), random.integers(0, 3, 30)  # noise: all hangs on details
    before = ensemble_predictions(X, y, 3, SPLITS, SMALL, seed=0)
    test, train = SPLITS[0].test, SPLITS[0].train
    X[test], y[test] = 1e6, (y[test] + 1) % 3
    after = ensemble_predictions(X, y, 3, SPLITS, SMALL, seed=0)
    assert before[0, train].tolist() == after[0, train].tolist()
    assert before[1, train].tolist() != after[1, train].tolist()  # it learns from these rows


def test_copies_learn_together_what_each_learns_alone() -> None:
    generator = torch.Generator().manual_seed(0)
    rows = member_rows(folded_rows(*clouds(), SPLITS), SMALL, generator)
    together = descend(Anfis(2, 3, 2, copies=6), rows, SMALL.descent, torch.Generator())
    one = slice(4, 5)
    seen = FoldedRows(rows.inputs[one], rows.targets, rows.weights[one])
    alone = descend(Anfis(2, 3, 2, copies=1), seen, SMALL.descent, torch.Generator())
    for mine, ours in zip(alone.parameters(), together.parameters(), strict=True):
        torch.testing.assert_close(mine[0], ours[4], rtol=1e-4, atol=1e-5)


def test_a_seed_says_all_and_the_device_may_be_named() -> None:
    X, y = clouds()
    one = ensemble_predictions(X, y, 3, SPLITS, SMALL, seed=1, device=torch.device("cpu"))
    same = ensemble_predictions(X, y, 3, SPLITS, SMALL, seed=1)
    other = ensemble_predictions(X, y, 3, SPLITS, SMALL, seed=2)
    assert one.tolist() == same.tolist() != other.tolist()
