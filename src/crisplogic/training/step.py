"""Training steps: taken one by one, or recorded once as a CUDA graph and replayed."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from crisplogic.group import Group
from crisplogic.nn import LearnedMembership, LogicNetwork
from crisplogic.training.config import PhaseConfig
from crisplogic.training.data import TrainingData
from crisplogic.training.losses import LOSSES
from crisplogic.training.optim import SGD, Adam
from crisplogic.training.windows import Window, Windows

# Steps before one is recorded: CUDA libraries initialise in the first ones.
WARMUP_STEPS = 3


class TrainStep:
    """Takes one optimizer step for a batch of row numbers.

    With Adam the learning rate falls to 0 along a cosine. The slopes of crisp memberships
    become narrower. Where several processes hold parts of a batch, gradients are added up, so
    that all of them take the same step.

    >>> from crisplogic.training.windows import InMemory
    >>> network = LogicNetwork(2, 2, depth=1)
    >>> data = TrainingData(torch.tensor([[1.0, 1.0], [1.0, -1.0]]), torch.tensor([0, 1]))
    >>> config = PhaseConfig(epochs=1, batch_size=2)
    >>> step = TrainStep(network, InMemory(data), InMemory(data).read(0), config)
    >>> batch = torch.tensor([0, 1])
    >>> bool(step(batch, 2) > step(batch, 2))
    True
    """

    def __init__(
        self, network: LogicNetwork, windows: Windows, first: Window, config: PhaseConfig
    ) -> None:
        self.network = network
        self.data = first.data
        self.config = config
        self.group: Group = windows.group
        self.n_steps = self.first_step = 0
        self.steps_per_epoch = math.ceil(windows.n_rows / config.batch_size)
        self.max_steps = config.epochs * self.steps_per_epoch
        of_memberships = list(network.membership.parameters())
        ids = {id(parameter) for parameter in of_memberships}
        others = [parameter for parameter in network.parameters() if id(parameter) not in ids]
        self.rates = (
            config.learning_rate,
            config.membership_lr_scale * config.learning_rate,
        )
        kind = Adam if config.optimizer == "adam" else SGD
        device = first.data.targets.device
        self.optimizer = kind(
            [others, of_memberships],
            [torch.tensor(rate, dtype=torch.float64, device=device) for rate in self.rates],
        )

    def see(self, data: TrainingData) -> None:
        """Take the next steps on the rows of this window."""
        self.data = data

    def pass_over(self, window: Window, order: Tensor) -> Tensor:
        """Take a step for each batch of a window. Return the mean objective, as a tensor.

        Shape: ``order`` (rows of the window,), the order in which its rows are seen.
        """
        self.see(window.data)
        # A tensor: reading a number at every step would wait for the GPU every time.
        objective = torch.zeros((), device=order.device)
        for rows, n_rows in window.batches(order, self.config.batch_size):
            objective += self(rows, n_rows) * (n_rows / window.n_rows)
        return objective

    def __call__(self, batch: Tensor, n_rows: int) -> Tensor:
        """Take a step. Return the mean objective of all copies before it, as a tensor.

        Of several processes each has its own rows in ``batch``, and all together ``n_rows``.
        The values that they return add up to the objective.
        """
        progress = self.n_steps / self.max_steps
        if self.config.optimizer == "adam":  # the paper's learning rate is constant
            self._set_rates((1 + math.cos(math.pi * progress)) / 2)
        if isinstance(membership := self.network.membership, LearnedMembership):
            membership.narrow_slopes(progress)  # they matter to crisp networks alone
        self.n_steps += 1
        return self._step(batch, n_rows)

    def resume(self, epochs: int, optimizer_state: list[Tensor]) -> None:
        """Continue after some epochs, with the state of the optimizer at that time."""
        self.n_steps = self.first_step = epochs * self.steps_per_epoch
        for own, saved in zip(self.optimizer.state(), optimizer_state, strict=True):
            own.copy_(saved)

    def _step(self, batch: Tensor, n_rows: int) -> Tensor:
        data = self.data[batch]
        scores = self.network.scores(data.inputs)
        losses = total_loss(self.network, scores, data, self.config) / n_rows
        # Every process adds its share of the penalties, which do not depend on rows.
        values = losses + penalties(self.network, data, self.config) / self.group.size
        self.optimizer.zero_grad()
        values.sum().backward()
        self._add_up_gradients()
        self.optimizer.step()
        return values.detach().mean()

    def _add_up_gradients(self) -> None:
        """Add up the gradients of all processes, in one message."""
        if self.group.size == 1:
            return
        found = [parameter.grad for parameter, _ in self.optimizer]
        gradients = [gradient for gradient in found if gradient is not None]
        joined = torch.cat([gradient.flatten() for gradient in gradients])
        self.group.add_up(joined)
        parts = joined.split([gradient.numel() for gradient in gradients])
        for gradient, part in zip(gradients, parts, strict=True):
            gradient.copy_(part.view_as(gradient))

    def _set_rates(self, factor: float) -> None:
        for tensor, rate in zip(self.optimizer.rates, self.rates, strict=True):
            tensor.fill_(factor * rate)


class CudaGraphTrainStep(TrainStep):
    """The same on a GPU, as a CUDA graph: one launch a step instead of a hundred.

    A batch of another size, the last of an epoch, takes a plain step. A graph reads the rows
    where they were when it was recorded, so the rows of other windows are copied there.
    """

    def __init__(
        self, network: LogicNetwork, windows: Windows, first: Window, config: PhaseConfig
    ) -> None:
        super().__init__(network, windows, first, config)
        device = first.data.targets.device
        self.batch = torch.zeros(config.batch_size, dtype=torch.int64, device=device)
        self.stream = torch.cuda.Stream(device)
        self.graph: torch.cuda.CUDAGraph | None = None

    def see(self, data: TrainingData) -> None:
        """Take the next steps on the rows of this window."""
        if data is not self.data and not self.data.overwrite(data):
            self.data, self.graph = data, None

    def _step(self, batch: Tensor, n_rows: int) -> Tensor:
        if len(batch) != len(self.batch):
            return super()._step(batch, n_rows)
        if self.n_steps - self.first_step <= WARMUP_STEPS:
            return self._warmup_step(batch, n_rows)
        self.batch.copy_(batch)
        if self.graph is None:
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.value = super()._step(self.batch, n_rows)
        self.graph.replay()
        return self.value.clone()

    def _warmup_step(self, batch: Tensor, n_rows: int) -> Tensor:
        """Take a step on another stream, as CUDA graphs require before the recording."""
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            value = super()._step(batch, n_rows)
        torch.cuda.current_stream().wait_stream(self.stream)
        return value


def total_loss(
    network: LogicNetwork, scores: Tensor, data: TrainingData, config: PhaseConfig
) -> Tensor:
    """The sum of the weighted losses of the rows, for every copy. Shape: () or (copies,)."""
    losses = LOSSES[config.loss](network, scores, data.targets)
    return (losses if data.weights is None else losses * data.weights).sum(-1)


def penalties(network: LogicNetwork, data: TrainingData, config: PhaseConfig) -> Tensor:
    """The penalties of every copy. Shape: () or (copies,)."""
    penalty = config.l1 * network.l1()
    if config.literal_penalty:
        penalty = penalty + config.literal_penalty * network.literals()
    factors = data.penalty_factors
    return penalty if factors is None else penalty * factors
