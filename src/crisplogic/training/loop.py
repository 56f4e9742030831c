"""The training loop: for soft and snapped networks, tables in memory and beyond it."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

import torch
from torch import Tensor

from crisplogic.errors import DisagreementError, DivergedError
from crisplogic.group import Group, together
from crisplogic.nn import LogicNetwork
from crisplogic.training.compiled import make_step
from crisplogic.training.config import PhaseConfig
from crisplogic.training.data import TrainingData
from crisplogic.training.step import TrainStep, penalties, total_loss
from crisplogic.training.windows import InMemory, Window, Windows, read_ahead

# Networks of several processes differ by rounding alone, unless something is broken.
MAX_GAP = 1e-3


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
    data: TrainingData | Windows,
    config: PhaseConfig,
    generator: torch.Generator,
    validation: TrainingData | None = None,
    phase: str = "soft",
    on_epoch: OnEpoch = lambda epoch: None,
    resume_state: TrainingState | None = None,
    callback: StateCallback | None = None,
) -> list[Epoch]:
    """Train a network, all its copies at once, in place and return the history.

    ``data`` are rows in memory, or windows of which every epoch sees the next. With
    ``validation`` rows the network ends as it was in its best epoch. All random numbers
    come from ``generator``. With ``resume_state`` training continues from there, bit for bit
    as if it had not been interrupted; ``callback`` receives such a state after every epoch.
    Training that diverges raises :class:`~crisplogic.errors.DivergedError`.

    Processes of a group call this with the same arguments, except for the rows that each holds
    of a window, and end with the same network.

    >>> generator = torch.Generator().manual_seed(0)
    >>> network = LogicNetwork(2, 2, depth=1, generator=generator)
    >>> data = TrainingData(torch.tensor([[1.0, 1.0], [1.0, -1.0]]), torch.tensor([0, 1]))
    >>> history = train(network, data, PhaseConfig(epochs=30, batch_size=1), generator)
    >>> network.scores(data.inputs).argmax(1).tolist()
    [0, 1]
    """
    windows = _windows(data)
    run = _Run(network, windows, config, generator, resume_state)
    network.train()
    stop = len(run.history) if run.is_over else config.epochs
    with closing(read_ahead(windows, len(run.history), stop)) as found:
        for window in found:
            loss = run.pass_over(window)
            validation_loss = _validation_loss(network, validation, config)
            epoch = Epoch(phase, len(run.history) + 1, loss, validation_loss)
            _check_finite(network, epoch, config)
            run.history.append(epoch)
            on_epoch(epoch)
            run.best.update(epoch, network)
            if callback is not None:
                callback(run.state(), run.is_over)
            if run.is_over:
                break
    if validation is not None:
        network.load_state_dict(run.best.state)
    network.eval()
    return run.history


@torch.no_grad()
def objectives(
    network: LogicNetwork, data: TrainingData | Windows, config: PhaseConfig
) -> Tensor:
    """The training objective of every copy on all rows, or on those of the first window.

    Shape: () or (copies,).
    """
    windows = _windows(data)
    window = together(windows.group, lambda: windows.read(0))
    scores = network.scores_by_chunks(window.data.inputs)
    losses = total_loss(network, scores, window.data, config) / window.n_rows
    windows.group.add_up(losses)
    return losses + penalties(network, window.data, config)


def _windows(data: TrainingData | Windows) -> Windows:
    return InMemory(data) if isinstance(data, TrainingData) else data


@torch.no_grad()
def _validation_loss(
    network: LogicNetwork, validation: TrainingData | None, config: PhaseConfig
) -> float | None:
    if validation is None:
        return None
    scores = network.scores_by_chunks(validation.inputs)
    return (total_loss(network, scores, validation, config) / len(validation)).mean().item()


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
        self,
        network: LogicNetwork,
        windows: Windows,
        config: PhaseConfig,
        generator: torch.Generator,
        resume_state: TrainingState | None,
    ) -> None:
        self.network = network
        self.windows = windows
        self.config = config
        self.generator = generator
        self.step: TrainStep | None = None
        self.history: list[Epoch] = []
        self.best = _Best()
        self._optimizer_state: list[Tensor] | None = None
        if resume_state is not None:
            self._resume(resume_state)

    @property
    def is_over(self) -> bool:
        number, patience = len(self.history), self.config.patience
        impatient = patience is not None and number - self.best.number >= patience
        return number >= self.config.epochs or impatient

    def pass_over(self, window: Window) -> float:
        """Train on all rows of a window. Return the mean objective."""
        order = torch.randperm(window.n_rows, generator=self.generator)
        loss = self._step(window).pass_over(window, order.to(window.data.targets.device))
        self.network.keep_in_range_()
        if self.windows.group.size > 1:
            self.windows.group.add_up(loss)
            _use_one_network(self.network, self.windows.group)
        return loss.item()

    def _step(self, first: Window) -> TrainStep:
        if self.step is None:
            self.step = make_step(self.network, self.windows, first, self.config)
            if self._optimizer_state is not None:
                self.step.resume(len(self.history), self._optimizer_state)
        return self.step

    def state(self) -> TrainingState:
        assert self.step is not None
        optimizer_state = enumerate(self.step.optimizer.state())
        tensors = {"generator": self.generator.get_state()}
        tensors |= {f"network/{name}": t for name, t in self.network.state_dict().items()}
        tensors |= {f"best/{name}": t for name, t in self.best.state.items()}
        tensors |= {f"optimizer/{number}": t for number, t in optimizer_state}
        return TrainingState(self.history, tensors)

    def _resume(self, state: TrainingState) -> None:
        self.history = list(state.history)
        self.network.load_state_dict(state.group("network"))
        self.generator.set_state(state.tensors["generator"])
        self._optimizer_state = list(state.group("optimizer").values())
        best = min(self.history, key=lambda epoch: epoch.monitored)  # the first of equals
        self.best.number, self.best.value = best.number, best.monitored
        self.best.state = state.group("best")


def _use_one_network(network: LogicNetwork, group: Group) -> None:
    """Take over the network of the first process, which differs by rounding alone.

    Processors round differently, and small differences grow. Large ones mean that a process
    is broken, or does not do the same as the others.
    """
    state = network.state_dict()
    own = {name: tensor.cpu() for name, tensor in state.items()}
    first = group.broadcast(own)
    gaps = [(own[name] - tensor).abs().max().item() for name, tensor in first.items()]
    for rank, gap in enumerate(group.gather(max(gaps))):
        if gap > MAX_GAP:
            raise DisagreementError(
                f"the network of process {rank} of {group.size} differs from that of process 0 "
                f"by {gap:g} after the same steps, which should not happen; check that all "
                "machines have the same versions of PyTorch and crisplogic, and sound memory"
            )
    network.load_state_dict(first)
