"""The training loop: the same for soft and for snapped networks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from crisplogic.errors import DivergedError
from crisplogic.nn import LogicNetwork
from crisplogic.training.config import PhaseConfig
from crisplogic.training.dataset import Rows
from crisplogic.training.step import Steps, mean_loss, objective, steps_for


@dataclass(frozen=True)
class Epoch:
    """One line of a training history.

    ``loss`` is what training makes small: the loss on the training rows plus the price of
    the weights, as the steps of the epoch saw it, the mean of all copies. ``validation_loss``
    is the bare loss on the rows set aside, if there are any, after the epoch.
    """

    phase: str
    number: int
    loss: float
    validation_loss: float | None

    @property
    def monitored(self) -> float:
        """The number by which epochs are compared."""
        return self.loss if self.validation_loss is None else self.validation_loss


OnEpoch = Callable[[Epoch], None]


@dataclass(frozen=True)
class State:
    """Training after an epoch: all that it takes to go on as if it had never stopped.

    ``tensors`` are those that training changes, not copies of them: who keeps a state for
    later copies them at once. ``network``, ``best`` and ``descent`` stand before their names.
    """

    history: list[Epoch]
    tensors: dict[str, Tensor]

    def under(self, prefix: str) -> dict[str, Tensor]:
        """The tensors of one kind, by their own names."""
        start = f"{prefix}/"
        return {
            name.removeprefix(start): tensor
            for name, tensor in self.tensors.items()
            if name.startswith(start)
        }


# Called with the state after every epoch, and whether that was the last.
Keep = Callable[[State, bool], None]


def train(
    network: LogicNetwork,
    rows: Rows,
    settings: PhaseConfig,
    generator: torch.Generator,
    validation: Rows | None = None,
    phase: str = "soft",
    on_epoch: OnEpoch = lambda epoch: None,
    begun: State | None = None,
    keep: Keep | None = None,
) -> list[Epoch]:
    """Train ``network``, all its copies at once, in place and return the history.

    With ``validation`` rows the network is left as it was in its best epoch. Every random
    draw comes from ``generator``. A run that diverges raises
    :class:`~crisplogic.errors.DivergedError`. Training that was ``begun`` before goes on from
    there, bit for bit as if it had not been interrupted; ``keep`` is given what that takes.

    >>> generator = torch.Generator().manual_seed(0)
    >>> network = LogicNetwork(2, 2, depth=1, generator=generator)
    >>> rows = Rows(torch.tensor([[1.0, 1.0], [1.0, -1.0]]), torch.tensor([0, 1]))
    >>> history = train(network, rows, PhaseConfig(epochs=30, batch_size=1), generator)
    >>> network.scores(rows.scaled).argmax(1).tolist()
    [0, 1]
    """
    run = _Run(network, steps_for(network, rows, settings), generator)
    network.train()
    if begun is not None:
        run.go_on(begun)
    while not run.ended(settings):
        # A tensor: to ask for a number at every step would be to wait for a GPU every time.
        seen = torch.zeros((), device=rows.targets.device)
        order = torch.randperm(len(rows), generator=generator).to(rows.targets.device)
        for batch in order.split(settings.batch_size):
            seen += run.steps(batch) * (len(batch) / len(rows))
        network.keep_in_range_()
        worth = _validated(network, validation, settings)
        epoch = Epoch(phase, len(run.history) + 1, seen.item(), worth)
        _check_sound(network, epoch, settings)
        run.history.append(epoch)
        on_epoch(epoch)
        run.best.see(epoch, network)
        if keep is not None:
            keep(run.state(), run.ended(settings))
    if validation is not None:
        run.best.restore(network)
    network.eval()
    return run.history


@torch.no_grad()
def objectives(network: LogicNetwork, rows: Rows, settings: PhaseConfig) -> Tensor:
    """What training made small, for every copy, on all rows. Shape: () or (copies,)."""
    return objective(network, network.scores_by_chunks(rows.scaled), rows, settings)


@torch.no_grad()
def _validated(
    network: LogicNetwork, validation: Rows | None, settings: PhaseConfig
) -> float | None:
    if validation is None:
        return None
    scores = network.scores_by_chunks(validation.scaled)
    return mean_loss(network, scores, validation, settings).mean().item()


def _check_sound(network: LogicNetwork, epoch: Epoch, settings: PhaseConfig) -> None:
    """Layers keep their own bounds; the scale alone can run off: to infinity or to nothing."""
    scales = network.log_scale.exp()
    scale = (scales.max() if scales.min() > 0 else scales.min()).item()
    if scale == 0 or not math.isfinite(scale + epoch.loss + epoch.monitored):
        raise DivergedError(
            f"training diverged: after epoch {epoch.number} the loss was {epoch.loss:g} and "
            f"the scale of the scores {scale:g} with learning_rate={settings.learning_rate}; "
            f"try a smaller one, such as {settings.learning_rate / 10:g}, "
            f"or a lower price of weights than {settings.l1 + settings.literal_penalty:g}"
        )


class _Run:
    """All that changes while a network is trained."""

    def __init__(self, network: LogicNetwork, steps: Steps, generator: torch.Generator) -> None:
        self.network = network
        self.steps = steps
        self.generator = generator
        self.history: list[Epoch] = []
        self.best = _Best()

    def ended(self, settings: PhaseConfig) -> bool:
        number, patience = len(self.history), settings.patience
        impatient = patience is not None and number - self.best.number >= patience
        return number >= settings.epochs or impatient

    def state(self) -> State:
        memory = enumerate(self.steps.descent.memory())
        tensors = {"generator": self.generator.get_state()}
        tensors |= {f"network/{name}": t for name, t in self.network.state_dict().items()}
        tensors |= {f"best/{name}": t for name, t in self.best.state.items()}
        tensors |= {f"descent/{number}": t for number, t in memory}
        return State(self.history, tensors)

    def go_on(self, begun: State) -> None:
        self.history = list(begun.history)
        self.network.load_state_dict(begun.under("network"))
        self.generator.set_state(begun.tensors["generator"])
        self.steps.go_on(len(self.history), list(begun.under("descent").values()))
        best = min(self.history, key=lambda epoch: epoch.monitored)  # the first of equals
        self.best.number, self.best.value = best.number, best.monitored
        self.best.state = begun.under("best")


class _Best:
    """The best epoch so far, and the network as it was then."""

    def __init__(self) -> None:
        self.number = 0
        self.value = math.inf
        self.state: dict[str, Tensor] = {}

    def see(self, epoch: Epoch, network: LogicNetwork) -> None:
        if epoch.monitored < self.value:
            self.number = epoch.number
            self.value = epoch.monitored
            self.state = {name: t.clone() for name, t in network.state_dict().items()}

    def restore(self, network: LogicNetwork) -> None:
        network.load_state_dict(self.state)
