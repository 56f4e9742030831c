"""The training loop: the same for soft and for snapped networks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from crisplogic.errors import DivergedError
from crisplogic.nn import LogicNetwork
from crisplogic.training.closed_form import make_step
from crisplogic.training.config import PhaseConfig
from crisplogic.training.problem import TrainingData
from crisplogic.training.step import TrainStep, mean_loss, objective


@dataclass(frozen=True)
class Epoch:
    """One line of a training history.

    ``loss`` is the training objective (loss plus penalties), the mean over all steps and
    copies. ``validation_loss`` is the loss on the validation rows after the epoch, without
    penalties; None if there are no such rows.
    """

    phase: str
    number: int
    loss: float
    validation_loss: float | None

    @property
    def monitored(self) -> float:
        """The loss that epochs are compared by."""
        return self.loss if self.validation_loss is None else self.validation_loss


OnEpoch = Callable[[Epoch], None]


@dataclass(frozen=True)
class TrainingState:
    """Training after an epoch: all that is needed to resume it bit for bit.

    ``tensors`` are named "generator", "network/...", "best/..." and "optimizer/...". They are
    the tensors that training changes in place, not copies of them.
    """

    history: list[Epoch]
    tensors: dict[str, Tensor]

    def group(self, prefix: str) -> dict[str, Tensor]:
        """The tensors of one group, by their names within it."""
        start = f"{prefix}/"
        return {
            name.removeprefix(start): tensor
            for name, tensor in self.tensors.items()
            if name.startswith(start)
        }


# Called after every epoch with the state, and whether that epoch was the last.
StateCallback = Callable[[TrainingState, bool], None]


def train(
    network: LogicNetwork,
    data: TrainingData,
    config: PhaseConfig,
    generator: torch.Generator,
    validation: TrainingData | None = None,
    phase: str = "soft",
    on_epoch: OnEpoch = lambda epoch: None,
    resume_state: TrainingState | None = None,
    callback: StateCallback | None = None,
) -> list[Epoch]:
    """Train a network, all its copies at once, in place and return the history.

    With ``validation`` rows the network ends as it was in its best epoch. All random numbers
    come from ``generator``. With ``resume_state`` training continues from there, bit for bit
    as if it had not been interrupted; ``callback`` receives such a state after every epoch.
    Training that diverges raises :class:`~crisplogic.errors.DivergedError`.

    >>> generator = torch.Generator().manual_seed(0)
    >>> network = LogicNetwork(2, 2, depth=1, generator=generator)
    >>> data = TrainingData(torch.tensor([[1.0, 1.0], [1.0, -1.0]]), torch.tensor([0, 1]))
    >>> history = train(network, data, PhaseConfig(epochs=30, batch_size=1), generator)
    >>> network.scores(data.inputs).argmax(1).tolist()
    [0, 1]
    """
    run = _Run(network, make_step(network, data, config), generator)
    network.train()
    if resume_state is not None:
        run.resume(resume_state)
    while not run.is_over(config):
        # A tensor: reading a number at every step would wait for the GPU every time.
        loss = torch.zeros((), device=data.targets.device)
        order = torch.randperm(len(data), generator=generator).to(data.targets.device)
        for batch in order.split(config.batch_size):
            loss += run.step(batch) * (len(batch) / len(data))
        run.step.write_parameters()
        network.keep_in_range_()
        validation_loss = _validation_loss(network, validation, config)
        epoch = Epoch(phase, len(run.history) + 1, loss.item(), validation_loss)
        _check_finite(network, epoch, config)
        run.history.append(epoch)
        on_epoch(epoch)
        run.best.update(epoch, network)
        if callback is not None:
            callback(run.state(), run.is_over(config))
    if validation is not None:
        network.load_state_dict(run.best.state)
    network.eval()
    return run.history


@torch.no_grad()
def objectives(network: LogicNetwork, data: TrainingData, config: PhaseConfig) -> Tensor:
    """The training objective of every copy on all rows. Shape: () or (copies,)."""
    return objective(network, network.scores_by_chunks(data.inputs), data, config)


@torch.no_grad()
def _validation_loss(
    network: LogicNetwork, validation: TrainingData | None, config: PhaseConfig
) -> float | None:
    if validation is None:
        return None
    scores = network.scores_by_chunks(validation.inputs)
    return mean_loss(network, scores, validation, config).mean().item()


def _check_finite(network: LogicNetwork, epoch: Epoch, config: PhaseConfig) -> None:
    """Raise an error if training diverged: all parameters but the scale have bounds."""
    scales = network.log_scale.exp()
    scale = (scales.max() if scales.min() > 0 else scales.min()).item()
    if scale == 0 or not math.isfinite(scale + epoch.loss + epoch.monitored):
        raise DivergedError(
            f"training diverged: after epoch {epoch.number} the loss was {epoch.loss:g} and "
            f"the scale of the scores {scale:g} with learning_rate={config.learning_rate}; "
            f"try a smaller one, such as {config.learning_rate / 10:g}, "
            f"or smaller penalties than {config.l1 + config.literal_penalty:g}"
        )


class _Best:
    """The best epoch so far, and the network as it was then."""

    def __init__(self) -> None:
        self.number = 0
        self.value = math.inf
        self.state: dict[str, Tensor] = {}

    def update(self, epoch: Epoch, network: LogicNetwork) -> None:
        if epoch.monitored < self.value:
            self.number = epoch.number
            self.value = epoch.monitored
            self.state = {name: t.clone() for name, t in network.state_dict().items()}


class _Run:
    """All that changes during training."""

    def __init__(
        self, network: LogicNetwork, step: TrainStep, generator: torch.Generator
    ) -> None:
        self.network = network
        self.step = step
        self.generator = generator
        self.history: list[Epoch] = []
        self.best = _Best()

    def is_over(self, config: PhaseConfig) -> bool:
        number, patience = len(self.history), config.patience
        impatient = patience is not None and number - self.best.number >= patience
        return number >= config.epochs or impatient

    def state(self) -> TrainingState:
        optimizer_state = enumerate(self.step.optimizer.state())
        tensors = {"generator": self.generator.get_state()}
        tensors |= {f"network/{name}": t for name, t in self.network.state_dict().items()}
        tensors |= {f"best/{name}": t for name, t in self.best.state.items()}
        tensors |= {f"optimizer/{number}": t for number, t in optimizer_state}
        return TrainingState(self.history, tensors)

    def resume(self, state: TrainingState) -> None:
        self.history = list(state.history)
        self.network.load_state_dict(state.group("network"))
        self.generator.set_state(state.tensors["generator"])
        self.step.resume(len(self.history), list(state.group("optimizer").values()))
        best = min(self.history, key=lambda epoch: epoch.monitored)  # the first of equals
        self.best.number, self.best.value = best.number, best.monitored
        self.best.state = state.group("best")
