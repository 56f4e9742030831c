"""Training steps: taken one by one, or recorded once as a CUDA graph and replayed."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from crisplogic.nn import LearnedMembership, LogicNetwork
from crisplogic.training.config import PhaseConfig
from crisplogic.training.losses import LOSSES
from crisplogic.training.optim import SGD, Adam
from crisplogic.training.problem import TrainingData

# Steps before one is recorded: CUDA libraries initialise in the first ones.
WARMUP_STEPS = 3


class TrainStep:
    """Takes one optimizer step for a batch of row numbers.

    With Adam the learning rate falls to 0 along a cosine. The slopes of crisp memberships
    become narrower.

    >>> network = LogicNetwork(2, 2, depth=1)
    >>> data = TrainingData(torch.tensor([[1.0, 1.0], [1.0, -1.0]]), torch.tensor([0, 1]))
    >>> step = TrainStep(network, data, PhaseConfig(epochs=1, batch_size=2))
    >>> bool(step(torch.tensor([0, 1])) > step(torch.tensor([0, 1])))
    True
    """

    def __init__(self, network: LogicNetwork, data: TrainingData, config: PhaseConfig) -> None:
        self.network = network
        self.data = data
        self.config = config
        self.n_steps = self.first_step = 0
        self.steps_per_epoch = math.ceil(len(data) / config.batch_size)
        self.max_steps = config.epochs * self.steps_per_epoch
        of_memberships = list(network.membership.parameters())
        ids = {id(parameter) for parameter in of_memberships}
        others = [parameter for parameter in network.parameters() if id(parameter) not in ids]
        self.rates = (
            config.learning_rate,
            config.membership_lr_scale * config.learning_rate,
        )
        kind = Adam if config.optimizer == "adam" else SGD
        device = data.targets.device
        self.optimizer = kind(
            [others, of_memberships],
            [torch.tensor(rate, dtype=torch.float64, device=device) for rate in self.rates],
        )

    def __call__(self, batch: Tensor) -> Tensor:
        """Take a step. Return the mean objective of all copies before it, as a tensor."""
        progress = self.n_steps / self.max_steps
        if self.config.optimizer == "adam":  # the paper's learning rate is constant
            self._set_rates((1 + math.cos(math.pi * progress)) / 2)
        if isinstance(membership := self.network.membership, LearnedMembership):
            membership.narrow_slopes(progress)  # they matter to crisp networks alone
        self.n_steps += 1
        return self._step(batch)

    def resume(self, epochs: int, optimizer_state: list[Tensor]) -> None:
        """Continue after some epochs, with the state of the optimizer at that time."""
        self.n_steps = self.first_step = epochs * self.steps_per_epoch
        for own, saved in zip(self.optimizer.state(), optimizer_state, strict=True):
            own.copy_(saved)

    def write_parameters(self) -> None:
        """Have the parameters in the network. They always are, unless a subclass keeps them."""

    def _step(self, batch: Tensor) -> Tensor:
        data = self.data[batch]
        scores = self.network.scores(data.inputs)
        values = objective(self.network, scores, data, self.config)
        self.optimizer.zero_grad()
        values.sum().backward()
        self.optimizer.step()
        return values.detach().mean()

    def _set_rates(self, factor: float) -> None:
        for tensor, rate in zip(self.optimizer.rates, self.rates, strict=True):
            tensor.fill_(factor * rate)


class CudaGraphTrainStep(TrainStep):
    """The same on a GPU, as a CUDA graph: one launch a step instead of a hundred.

    A batch of another size, the last of an epoch, takes a plain step.
    """

    def __init__(self, network: LogicNetwork, data: TrainingData, config: PhaseConfig) -> None:
        super().__init__(network, data, config)
        device = data.targets.device
        self.batch = torch.zeros(config.batch_size, dtype=torch.int64, device=device)
        self.stream = torch.cuda.Stream(device)
        self.graph: torch.cuda.CUDAGraph | None = None

    def _step(self, batch: Tensor) -> Tensor:
        if len(batch) != len(self.batch):
            return super()._step(batch)
        if self.n_steps - self.first_step <= WARMUP_STEPS:
            return self._warmup_step(batch)
        self.batch.copy_(batch)
        if self.graph is None:
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.value = super()._step(self.batch)
        self.graph.replay()
        return self.value.clone()

    def _warmup_step(self, batch: Tensor) -> Tensor:
        """Take a step on another stream, as CUDA graphs require before the recording."""
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            value = super()._step(batch)
        torch.cuda.current_stream().wait_stream(self.stream)
        return value


def objective(
    network: LogicNetwork, scores: Tensor, data: TrainingData, config: PhaseConfig
) -> Tensor:
    """The training objective of every copy, given its scores: mean loss plus penalties.

    Shape: () or (copies,).
    """
    losses = mean_loss(network, scores, data, config)
    penalty = config.l1 * network.l1()
    if config.literal_penalty:
        penalty = penalty + config.literal_penalty * network.literals()
    factors = data.penalty_factors
    return losses + (penalty if factors is None else penalty * factors)


def mean_loss(
    network: LogicNetwork, scores: Tensor, data: TrainingData, config: PhaseConfig
) -> Tensor:
    """The mean loss of every copy. Shape: () or (copies,)."""
    losses = LOSSES[config.loss](network, scores, data.targets)
    return (losses if data.weights is None else losses * data.weights).mean(-1)
