"""The scores of a trained network on many rows."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crisplogic.nn import LogicNetwork
from crisplogic.training.device import threads_for


@torch.no_grad()
def score_rows(network: LogicNetwork, inputs: NDArray[np.floating]) -> Tensor:
    """The scores of a network without copies, on no more cores than pay.

    Shape: (rows, features) to (rows, outputs), in the precision of the network.

    >>> score_rows(LogicNetwork(2, 3), np.zeros((5, 2))).shape
    torch.Size([5, 3])
    """
    with threads_for(network, len(inputs)):
        scaled = network.scale(torch.tensor(inputs, dtype=torch.float64))
        return network.scores_by_chunks(scaled)
