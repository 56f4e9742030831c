"""Training steps by a compiled kernel: all steps of a window in one call.

The kernel is written in ``src/kernels/training``. Autograd records a graph of some hundred
small operations at every step. The kernel knows all gradients of a network, and needs as long
for a step as its multiplications take. It adds up in a fixed order and uses no function of a
library, so networks come out the same, bit for bit, on all processors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from crisplogic import kernels
from crisplogic.nn import LearnedMembership, LogicLayer, LogicNetwork
from crisplogic.nn.learned_membership import MAX_WIDTH, MIN_WIDTH
from crisplogic.threads import run_in_threads
from crisplogic.training.config import PhaseConfig
from crisplogic.training.data import TrainingData
from crisplogic.training.losses import DELTA
from crisplogic.training.optim import BETA1, BETA2, EPSILON, Adam
from crisplogic.training.step import CudaGraphTrainStep, TrainStep
from crisplogic.training.windows import Window, Windows

# With more inputs the kernel is no faster than autograd. It knows no more levels.
MAX_INPUTS, MAX_LEVELS = 512, 16
# With fewer multiplications a thread, starting it takes longer than it saves.
MIN_WORK_FOR_THREADS = 2**24

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]
Arrays = tuple[Floats, ...]
NO_FLOATS: Floats = np.zeros(0, dtype=np.float32)
NO_NUMBERS: Numbers = np.zeros(0, dtype=np.int64)


def make_step(
    network: LogicNetwork, windows: Windows, first: Window, config: PhaseConfig
) -> TrainStep:
    """Make a recorded step for data on a GPU, else a compiled one, or a plain one.

    Steps of several processes are neither: they wait for each other.
    """
    kind: type[TrainStep] = TrainStep
    if windows.group.size == 1:
        if first.data.targets.is_cuda:
            kind = CudaGraphTrainStep
        elif is_compiled(network):
            kind = CompiledTrainStep
    return kind(network, windows, first, config)


def is_compiled(network: LogicNetwork) -> bool:
    """Whether :class:`CompiledTrainStep` can train these networks, on a CPU."""
    layers = _layers(network)
    modes = {
        (layer.fuzzy.snapped, layer.selector.snapped, layer.fuzzy.epsilon) for layer in layers
    }
    return (
        kernels.compiled is not None
        and len(modes) == 1
        and network.limits is None
        and not network.crisp
        and len(layers) <= MAX_LEVELS
        and max(layer.in_features for layer in layers) <= MAX_INPUTS
        and all(_is_plain(parameter) for parameter in network.parameters())
    )


class CompiledTrainStep(TrainStep):
    """The same steps as those of :class:`TrainStep`, but for rounding.

    Parameters and the state of the optimizer are where they are in :class:`TrainStep`. The
    kernel changes them in place.
    """

    def pass_over(self, window: Window, order: Tensor) -> Tensor:
        """Take a step for each batch. Return the mean objective."""
        if window.places is not None:  # batches hold parts of a window
            return super().pass_over(window, order)
        copies = self.network.copies or 1
        objectives = np.zeros(copies)
        arguments = (
            self._network(copies),
            tuple((each.in_features, each.out_features) for each in _layers(self.network)),
            self._parameters(),
            self._rows(window.data),
            self._schedule(order),
            self._settings(),
        )

        def train(part: slice) -> None:
            assert kernels.compiled is not None
            which = part.start, part.stop
            kernels.compiled.train_networks(*arguments, which, best_processor(), objectives)

        work = self.network.multiplications() // copies * len(order)
        run_in_threads(train, copies, least=math.ceil(MIN_WORK_FOR_THREADS / work))
        steps = math.ceil(len(order) / self.config.batch_size)
        self.n_steps += steps
        if isinstance(self.optimizer, Adam):
            self.optimizer.n_steps += steps
        return torch.tensor(objectives.mean())

    def _network(self, copies: int) -> tuple[object, ...]:
        network, membership = self.network, self.network.membership
        learned = isinstance(membership, LearnedMembership)
        fuzzy = _layers(network)[0].fuzzy
        return (
            copies,
            network.n_selected_features,
            membership.per_feature if learned else 0,
            network.skip,
            fuzzy.snapped,
            isinstance(network.intercept, nn.Parameter),
            fuzzy.epsilon,
            math.log(MIN_WIDTH),
            math.log(MAX_WIDTH),
        )

    def _parameters(self) -> tuple[Arrays, Arrays, Arrays]:
        """The values of all parameters, and both moments of Adam, in the kernel's order."""
        parameters = list(_parameters(self.network))
        values = tuple(map(_floats, parameters))
        if not isinstance(self.optimizer, Adam):
            return values, (), ()
        moments = {
            id(parameter): pair
            for (parameter, _), pair in zip(self.optimizer, self.optimizer.moments, strict=True)
        }
        means, squares = zip(*(moments[id(each)] for each in parameters), strict=True)
        return values, tuple(map(_floats, means)), tuple(map(_floats, squares))

    def _rows(self, data: TrainingData) -> tuple[Floats, Numbers, Floats, Floats, Floats]:
        numbers = data.targets.is_floating_point()
        return (
            _floats(data.inputs),
            NO_NUMBERS if numbers else data.targets.long().contiguous().numpy(),
            _floats(data.targets if numbers else None),
            _floats(data.weights),
            _floats(data.penalty_factors),
        )

    def _schedule(self, order: Tensor) -> tuple[object, ...]:
        optimizer = self.optimizer
        adam_steps = int(optimizer.n_steps) if isinstance(optimizer, Adam) else 0
        return (
            order.numpy(),
            min(self.config.batch_size, len(order)),
            self.n_steps,
            self.max_steps,
            adam_steps,
        )

    def _settings(self) -> tuple[object, ...]:
        config = self.config
        return (
            config.loss,
            config.optimizer,
            *self.rates,
            config.l1,
            config.literal_penalty,
            DELTA,
            BETA1,
            BETA2,
            EPSILON,
        )


def best_processor() -> int:
    """The number of the fastest variant of the kernel that runs here; all compute the same."""
    assert kernels.compiled is not None
    best: int = kernels.compiled.best_processor()
    return best


def _layers(network: LogicNetwork) -> list[LogicLayer]:
    return [layer for layer in network.logic if isinstance(layer, LogicLayer)]


def _parameters(network: LogicNetwork) -> Iterable[nn.Parameter]:
    """All parameters in the order of the kernel."""
    for fuzzy, selector in network.levels():
        yield fuzzy.alpha
        yield selector.weight
    yield network.log_scale
    if isinstance(network.intercept, nn.Parameter):
        yield network.intercept
    if isinstance(network.membership, LearnedMembership):
        yield network.membership.centre
        yield network.membership.log_width


def _is_plain(parameter: nn.Parameter) -> bool:
    """Whether the kernel can change a parameter in place."""
    return (
        parameter.dtype == torch.float32
        and not parameter.is_cuda
        and parameter.requires_grad
        and parameter.is_contiguous()
    )


def _floats(tensor: Tensor | None) -> Floats:
    """The numbers of a tensor: its own memory, if they are what the kernel takes."""
    if tensor is None:
        return NO_FLOATS
    found: Floats = tensor.detach().float().contiguous().numpy()
    return found
