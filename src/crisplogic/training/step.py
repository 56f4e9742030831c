"""Steps of gradient descent: one after the other, or recorded once and replayed on a GPU."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from crisplogic.nn import LogicNetwork
from crisplogic.training.config import PhaseConfig
from crisplogic.training.dataset import Rows
from crisplogic.training.losses import LOSSES
from crisplogic.training.optim import SGD, Adam

# So many steps are taken before one is recorded: libraries set themselves up in the first.
BEFORE_RECORDING = 3


class Steps:
    """Takes a step for every batch of row numbers; the learning rate falls along a cosine.

    >>> network = LogicNetwork(2, 2, depth=1)
    >>> rows = Rows(torch.tensor([[1.0, 1.0], [1.0, -1.0]]), torch.tensor([0, 1]))
    >>> steps = Steps(network, rows, PhaseConfig(epochs=1, batch_size=2))
    >>> bool(steps(torch.tensor([0, 1])) > steps(torch.tensor([0, 1])))
    True
    """

    def __init__(self, network: LogicNetwork, rows: Rows, settings: PhaseConfig) -> None:
        self.network = network
        self.rows = rows
        self.settings = settings
        self.taken = self.taken_before = 0
        self.an_epoch = math.ceil(len(rows) / settings.batch_size)
        self.in_all = settings.epochs * self.an_epoch
        slow = list(network.membership.parameters())
        ids = {id(parameter) for parameter in slow}
        quick = [parameter for parameter in network.parameters() if id(parameter) not in ids]
        # Memberships have a pace of their own.
        self.rates = (
            settings.learning_rate,
            settings.membership_lr_scale * settings.learning_rate,
        )
        kind = Adam if settings.optimizer == "adam" else SGD
        device = rows.targets.device
        self.descent = kind([quick, slow], [_number(rate, device) for rate in self.rates])

    def __call__(self, batch: Tensor) -> Tensor:
        """The mean objective of all copies before the step, as a tensor: no need to wait."""
        if self.settings.optimizer == "adam":  # the paper's keeps its rate
            self._set_rates((1 + math.cos(math.pi * self.taken / self.in_all)) / 2)
        self.taken += 1
        return self._step(batch)

    def go_on(self, epochs: int, memory: list[Tensor]) -> None:
        """Go on after so many epochs, with what the descent remembered then."""
        self.taken = self.taken_before = epochs * self.an_epoch
        for own, kept in zip(self.descent.memory(), memory, strict=True):
            own.copy_(kept)

    def _step(self, batch: Tensor) -> Tensor:
        rows = self.rows[batch]
        scores = self.network.scores(rows.scaled)
        found = objective(self.network, scores, rows, self.settings)
        self.descent.zero_grad()
        found.sum().backward()
        self.descent.step()
        return found.detach().mean()

    def _set_rates(self, share: float) -> None:
        for tensor, rate in zip(self.descent.rates, self.rates, strict=True):
            tensor.fill_(share * rate)


class CudaGraphTrainStep(Steps):
    """The same on a GPU, as a CUDA graph: one launch a step instead of a hundred.

    A batch of another size than the others, the last of an epoch, is taken as usual.
    """

    def __init__(self, network: LogicNetwork, rows: Rows, settings: PhaseConfig) -> None:
        super().__init__(network, rows, settings)
        device = rows.targets.device
        self.batch = torch.zeros(settings.batch_size, dtype=torch.int64, device=device)
        self.aside = torch.cuda.Stream(device)
        self.graph: torch.cuda.CUDAGraph | None = None

    def _step(self, batch: Tensor) -> Tensor:
        if len(batch) != len(self.batch):
            return super()._step(batch)
        if self.taken - self.taken_before <= BEFORE_RECORDING:
            return self._step_aside(batch)
        self.batch.copy_(batch)
        if self.graph is None:
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.found = super()._step(self.batch)
        self.graph.replay()
        return self.found.clone()

    def _step_aside(self, batch: Tensor) -> Tensor:
        """On another stream, as steps that are recorded later have to be tried first."""
        self.aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.aside):
            found = super()._step(batch)
        torch.cuda.current_stream().wait_stream(self.aside)
        return found


def steps_for(network: LogicNetwork, rows: Rows, settings: PhaseConfig) -> Steps:
    """Recorded steps for rows on a GPU, plain ones for others."""
    kind = CudaGraphTrainStep if rows.targets.is_cuda else Steps
    return kind(network, rows, settings)


def objective(
    network: LogicNetwork, scores: Tensor, rows: Rows, settings: PhaseConfig
) -> Tensor:
    """What training makes small, for every copy, given its scores. Shape: () or (copies,)."""
    losses = mean_loss(network, scores, rows, settings)
    price = settings.l1 * network.l1()
    if settings.literal_penalty:
        price = price + settings.literal_penalty * network.literals()
    return losses + (price if rows.penalties is None else price * rows.penalties)


def mean_loss(
    network: LogicNetwork, scores: Tensor, rows: Rows, settings: PhaseConfig
) -> Tensor:
    """The mean loss of every copy. Shape: () or (copies,)."""
    losses = LOSSES[settings.loss](network, scores, rows.targets)
    return (losses if rows.weights is None else losses * rows.weights).mean(-1)


def _number(value: float, device: torch.device) -> Tensor:
    return torch.tensor(value, dtype=torch.float64, device=device)
