"""The engine changes how long it takes, never what is learned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.datasets import load_iris

from crisplogic.nn import LogicNetwork, logic_layer
from crisplogic.rules import RuleSet
from crisplogic.snap import snap
from crisplogic.training import PAPER_CONFIG, PhaseConfig, Rows, train

LAID_OUT, QUADRATIC = 2**60, 0
X, Y = load_iris(return_X_y=True)


def rules_learned(depth: int, phases: list[PhaseConfig]) -> tuple[RuleSet, torch.Tensor]:
    """The rules of a network in double precision, and its parameters in one row."""
    generator = torch.Generator().manual_seed(0)
    network = LogicNetwork(4, 3, 3, depth, generator=generator, dtype=torch.float64)
    inputs = torch.from_numpy(np.asarray(X))
    network.fit(inputs)
    rows = Rows(network.scaled(inputs), torch.from_numpy(np.asarray(Y)))
    for number, settings in enumerate(phases):
        network.snap(number > 0)
        train(network, rows, settings, generator)
    flat = torch.cat([p.detach().flatten() for p in network.parameters()])
    return snap(network, list("abcd"), [0, 1, 2]), flat


@pytest.mark.parametrize(
    ("depth", "phases"),
    [
        (2, [replace(PAPER_CONFIG, epochs=2)]),
        (
            1,
            [
                PhaseConfig(epochs=10, batch_size=32),
                PhaseConfig(epochs=10, literal_penalty=1e-3),
            ],
        ),
    ],
    ids=["as in the paper", "through the snap"],
)
def test_rules_are_the_same_however_a_level_is_computed(
    depth: int, phases: list[PhaseConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for few in (LAID_OUT, QUADRATIC):
        monkeypatch.setattr(logic_layer, "FEW", few)
        found.append(rules_learned(depth, phases))
    (rules, parameters), (same_rules, same_parameters) = found
    torch.testing.assert_close(parameters, same_parameters, rtol=1e-9, atol=1e-9)
    assert rules.expressions == same_rules.expressions
    np.testing.assert_array_equal(rules.predict(X), same_rules.predict(X))
