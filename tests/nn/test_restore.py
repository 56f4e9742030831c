"""Networks from the arrays of a file: the same, or refused before they take any memory."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from crisplogic.constraints.limits import Limits
from crisplogic.nn import LogicNetwork
from crisplogic.nn.restore import restore_network

NETWORKS: dict[str, dict[str, Any]] = {
    "plain": {"depth": 1},
    "deep": {"depth": 3, "width": 4},
    "memberships": {"depth": 2, "memberships": 2, "intercepts": True},
    "selected": {"depth": 1, "memberships": 1, "n_selected_features": 3},
    "skip": {"depth": 3, "width": 2, "memberships": 2, "skip": True},
    "double": {"depth": 1, "dtype": torch.float64},
}


def some_network(**options: Any) -> LogicNetwork:
    generator = torch.Generator().manual_seed(0)
    return LogicNetwork(5, 2, generator=generator, **options)


def state_of(network: LogicNetwork) -> dict[str, NDArray[Any]]:
    return {name: tensor.numpy().copy() for name, tensor in network.state_dict().items()}


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_network_comes_back_from_its_shape_and_state(kind: str) -> None:
    network = some_network(**NETWORKS[kind])
    network.fit(torch.rand(9, 5, dtype=torch.float64))
    again = restore_network(network.shape, state_of(network))
    rows = torch.rand(4, 5, dtype=network.log_scale.dtype)
    assert torch.equal(again(rows), network(rows))
    assert again.shape == network.shape
    assert not again.training


def test_a_shape_of_an_earlier_version_has_no_skip_connections() -> None:
    network = some_network(**NETWORKS["memberships"])
    shape = {name: each for name, each in network.shape.items() if name != "skip"}
    assert restore_network(shape, state_of(network)).shape == network.shape


def test_limits_hold_again() -> None:
    limits = Limits(np.ones((5, 2), bool), np.eye(5, 2, dtype=bool))
    network = some_network(depth=1, limits=limits)
    again = restore_network(network.shape, state_of(network), limits)
    for (_, own), (_, other) in zip(network.levels(), again.levels(), strict=True):
        assert own.min_weight is not None
        assert other.min_weight is not None
        assert torch.equal(own.min_weight, other.min_weight)


def test_the_random_numbers_of_others_stay_as_they_are() -> None:
    network = some_network(memberships=2)
    torch.manual_seed(1)
    expected = torch.rand(1)
    torch.manual_seed(1)
    restore_network(network.shape, state_of(network))
    assert torch.equal(torch.rand(1), expected)


SELECTED = some_network(depth=2, width=3, memberships=1, n_selected_features=3)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"in_features": 2}, "n_selected_features must be from 1 to 2"),
        ({"in_features": 0, "n_selected_features": None}, r"centre' of shape \(0,\)"),
        ({"n_selected_features": 10**9}, r"'columns' of shape \(1000000000,\)"),
        ({"width": 10**9}, "level1.selector.weight"),
        ({"out_features": 10**9}, "level2.selector.weight"),
        ({"memberships": 10**9}, "membership.centre"),
        ({"depth": 10**15}, "needs more than"),
        ({"depth": 3}, "level2"),
        ({"intercepts": True}, "'intercept'"),
        ({"intercepts": 1}, "cannot have the shape"),
        ({"skip": 1}, "cannot have the shape"),
        ({"depth": True}, "cannot have the shape"),
        ({"width": -1}, "cannot have the shape"),
        ({"width": 1.5}, "cannot have the shape"),
        ({"copies": 2}, "the shape of a network has"),
    ],
)
def test_another_shape_is_refused_without_making_a_network(
    changes: dict[str, Any], said: str
) -> None:
    state = state_of(SELECTED)
    tracemalloc.start()
    with pytest.raises(ValueError, match=said):
        restore_network({**SELECTED.shape, **changes}, state)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1_000_000


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("columns", np.array([0, 1, 5]), "columns that do not exist"),
        ("columns", np.array([0, 1, -1]), "columns that do not exist"),
        ("columns", np.array([0.0, 1.0, 2.0]), "of type"),
        ("log_scale", np.array(np.nan, np.float32), "not finite"),
        ("log_scale", np.array(1, np.int64), "of type|floating"),
        ("membership.range.low", np.zeros(3, np.float32), "of type"),
        ("another", np.zeros(3), "'another' of shape None"),
    ],
)
def test_other_arrays_are_refused(name: str, value: NDArray[Any], said: str) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        restore_network(SELECTED.shape, {**state_of(SELECTED), name: value})
