"""The paper's DNN: "a depth and number of weights similar to our model", tanh throughout.

The paper's network has four layers with parameters: two of alphas and two of selector
weights. So has this one, three hidden and one of outputs, each fully connected with biases
and tanh, the last one too. The hidden layers are equally wide, so wide that the parameters
are as nearly as possible as many as those of the paper's network.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from crisplogic.algebra.pairing import pair_count
from experiments.harness.evaluation import Split
from experiments.reproduction.descent import (
    Baseline,
    Descent,
    FoldedRows,
    OnEpoch,
    descend,
    folded_rows,
    scores_of,
)

# The paper's network is trained in the same way: rate from the paper, the rest our reading.
TANH_SETTINGS = Descent(epochs=100, batch_size=1, learning_rate=0.01)


class TanhNetwork(Baseline):
    """Copies of a fully connected network of four layers.

    Starts as Glorot and Bengio (2010) advise for tanh: weights uniform, within
    sqrt(6 / (inputs + outputs)) of 0, and biases 0.

    Shape: (copies, rows, columns) to (copies, rows, classes).

    >>> network = TanhNetwork(9, 2, width=14, copies=30, generator=torch.Generator())
    >>> network(torch.zeros(30, 5, 9)).shape, network.parameter_count
    (torch.Size([30, 5, 2]), 590)
    """

    def __init__(
        self, columns: int, classes: int, width: int, copies: int, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.classes = classes
        sizes = (columns, width, width, width, classes)
        self.weights = nn.ParameterList(
            _glorot(copies, inputs, outputs, generator) for inputs, outputs in pairwise(sizes)
        )
        self.biases = nn.ParameterList(torch.zeros(copies, 1, size) for size in sizes[1:])

    def forward(self, inputs: Tensor) -> Tensor:
        """The scores of the classes, each between -1 and 1."""
        values = inputs
        for weights, biases in zip(self.weights, self.biases, strict=True):
            values = torch.baddbmm(biases, values, weights).tanh()
        return values

    @property
    def parameter_count(self) -> int:
        """How many parameters a single copy has."""
        return sum(parameter[0].numel() for parameter in self.parameters())


def _glorot(copies: int, inputs: int, outputs: int, generator: torch.Generator) -> Tensor:
    bound = math.sqrt(6 / (inputs + outputs))
    return (torch.rand(copies, inputs, outputs, generator=generator) * 2 - 1) * bound


def logic_parameters(columns: int, classes: int, width: int = 8) -> int:
    """How many alphas and weights the paper's network has, two levels of logic deep.

    >>> logic_parameters(9, 2)
    618
    """
    pairs, hidden_pairs = pair_count(columns), pair_count(width)
    return pairs * (1 + width) + hidden_pairs * (1 + classes)


def similar_width(columns: int, classes: int, parameters: int) -> int:
    """The width at which a tanh network has the number of parameters nearest to this one.

    >>> similar_width(9, 2, 618)
    14
    """
    # Two layers alone have more than 2 * width ** 2 parameters: wider only leads away.
    widths = range(1, math.isqrt(parameters) + 2)
    return min(widths, key=lambda width: abs(_count(columns, classes, width) - parameters))


def _count(columns: int, classes: int, width: int) -> int:
    return (columns + 1) * width + 2 * (width + 1) * width + (width + 1) * classes


def predictions(model: TanhNetwork, rows: FoldedRows) -> NDArray[np.int64]:
    """The class with the greatest score, for all rows of every copy. Shape: (copies, rows)."""
    classes: NDArray[np.int64] = scores_of(model, rows.inputs).argmax(-1).cpu().numpy()
    return classes


def tanh_predictions(
    X: NDArray[np.float64],
    y: NDArray[np.intp],
    classes: int,
    splits: Sequence[Split],
    settings: Descent = TANH_SETTINGS,
    seed: int = 0,
    device: torch.device | str = "cpu",
    on_epoch: OnEpoch = lambda number: None,
) -> NDArray[np.int64]:
    """Train a network for every fold; its class numbers for all rows, test rows or not.

    Shape: ``X`` (rows, columns), NaN where a value is missing, ``y`` (rows,) class numbers;
    returns (folds, rows).

    >>> X, y = np.arange(8.0).reshape(8, 1), np.repeat([0, 1], 4)
    >>> split = Split(train=np.array([0, 1, 3, 4, 6, 7]), test=np.array([2, 5]))
    >>> tanh_predictions(X, y, 2, [split]).tolist()
    [[0, 0, 0, 0, 1, 1, 1, 1]]
    """
    generator = torch.Generator().manual_seed(seed)
    rows = folded_rows(X, y, splits).to(device)
    columns = X.shape[1]
    width = similar_width(columns, classes, logic_parameters(columns, classes))
    network = TanhNetwork(columns, classes, width, len(splits), generator).to(device)
    return predictions(descend(network, rows, settings, generator, on_epoch), rows)
