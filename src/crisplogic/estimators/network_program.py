"""From a trained network and the encoding of its columns to what an export writes."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crisplogic.estimators.encoder import FeatureEncoder
from crisplogic.export.literals import Literals
from crisplogic.export.network import (
    IndicatorInput,
    Input,
    LogicLevel,
    NetworkProgram,
    NumberInput,
    Scaling,
)
from crisplogic.export.program import Amount, Greatest
from crisplogic.nn import LogicNetwork
from crisplogic.nn.learned_membership import MAX_SCALED_VALUE, LearnedMembership
from crisplogic.nn.logic_layer import LogicLayer, coefficients

Floats = NDArray[np.float64]


@torch.no_grad()
def network_program(
    network: LogicNetwork,
    encoder: FeatureEncoder,
    outcome: Greatest | Amount,
    factor: float,
    offsets: Floats,
) -> NetworkProgram:
    """What a network computes from raw columns.

    It decides by its scores, times a factor, plus ``offsets``. Shape: (outputs,).
    """
    literals = Literals(encoder.features, encoder.levels)
    encoded = _inputs(encoder, literals)
    selected = network.columns.tolist()
    *levels, last = (_level(layer) for layer in network.logic if isinstance(layer, LogicLayer))
    last = last.times(factor, factor * _array(network.intercept) + offsets)
    needed = [at for at in range(len(encoder.features)) if at not in encoder.excluded]
    return NetworkProgram(
        tuple(literals.columns[at] for at in needed),
        tuple(encoded[at] for at in selected),
        _scaling(network),
        (*levels, last),
        network.skip,
        outcome,
    )


def _inputs(encoder: FeatureEncoder, literals: Literals) -> list[Input]:
    """All encoded columns, in their order."""
    numbers = [
        NumberInput(literals.columns[at], at in encoder.negated) for at in encoder.numbers
    ]
    indicators = [
        IndicatorInput(literals.truth(each), encoder.is_negated(each))
        for each in encoder.indicators
    ]
    return [*numbers, *indicators]


def _scaling(network: LogicNetwork) -> Scaling:
    membership = network.membership
    learned = isinstance(membership, LearnedMembership)
    ends = membership.range if isinstance(membership, LearnedMembership) else membership
    low, high = _array(ends.low), _array(ends.high)
    centre, width = np.zeros(len(low)), np.ones(len(low))
    if isinstance(membership, LearnedMembership):
        membership.keep_in_range_()
        centre, width = _array(membership.centre), _array(membership.log_width.exp())
    limit = MAX_SCALED_VALUE if learned else 1.0
    return Scaling(low / 2 + high / 2, high / 2 - low / 2, limit, centre, width)


def _level(layer: LogicLayer) -> LogicLevel:
    alpha = layer.fuzzy.used_alpha().double()
    weight = layer.selector.used_weight(layer.fuzzy.direction()).double()
    parts = coefficients(alpha, weight, layer.pair_indices, layer.in_features)
    return LogicLevel(*map(_array, parts))


def _array(values: Tensor) -> Floats:
    return values.detach().double().cpu().numpy()
