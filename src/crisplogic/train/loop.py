"""The training loop: the same for soft and for snapped networks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from crisplogic.errors import DivergedError
from crisplogic.nn import LogicNetwork
from crisplogic.train.rows import Rows
from crisplogic.train.settings import Settings
from crisplogic.train.steps import mean_loss, objective, steps_for


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


def train(
    network: LogicNetwork,
    rows: Rows,
    settings: Settings,
    generator: torch.Generator,
    validation: Rows | None = None,
    phase: str = "soft",
    on_epoch: OnEpoch = lambda epoch: None,
) -> list[Epoch]:
    """Train ``network``, all its copies at once, in place and return the history.

    With ``validation`` rows the network is left as it was in its best epoch. Every random
    draw comes from ``generator``. A run that diverges raises
    :class:`~crisplogic.errors.DivergedError`.

    >>> generator = torch.Generator().manual_seed(0)
    >>> network = LogicNetwork(2, 2, depth=1, generator=generator)
    >>> rows = Rows(torch.tensor([[1.0, 1.0], [1.0, -1.0]]), torch.tensor([0, 1]))
    >>> history = train(network, rows, Settings(epochs=30, batch_size=1), generator)
    >>> network.scores(rows.scaled).argmax(1).tolist()
    [0, 1]
    """
    history: list[Epoch] = []
    best = _Best()
    network.train()
    steps = steps_for(network, rows, settings)
    for number in range(1, settings.epochs + 1):
        # A tensor: to ask for a number at every step would be to wait for a GPU every time.
        seen = torch.zeros((), device=rows.targets.device)
        order = torch.randperm(len(rows), generator=generator).to(rows.targets.device)
        for batch in order.split(settings.batch_size):
            seen += steps(batch) * (len(batch) / len(rows))
        network.keep_in_range_()
        epoch = Epoch(phase, number, seen.item(), _validated(network, validation, settings))
        _check_sound(network, epoch, settings)
        history.append(epoch)
        on_epoch(epoch)
        best.see(epoch, network)
        if settings.patience is not None and number - best.number >= settings.patience:
            break
    if validation is not None:
        best.restore(network)
    network.eval()
    return history


@torch.no_grad()
def objectives(network: LogicNetwork, rows: Rows, settings: Settings) -> Tensor:
    """What training made small, for every copy, on all rows. Shape: () or (copies,)."""
    return objective(network, network.scores_by_chunks(rows.scaled), rows, settings)


@torch.no_grad()
def _validated(
    network: LogicNetwork, validation: Rows | None, settings: Settings
) -> float | None:
    if validation is None:
        return None
    scores = network.scores_by_chunks(validation.scaled)
    return mean_loss(network, scores, validation, settings).mean().item()


def _check_sound(network: LogicNetwork, epoch: Epoch, settings: Settings) -> None:
    """Layers keep their own bounds; the scale alone can run off: to infinity or to nothing."""
    scales = network.log_scale.exp()
    scale = (scales.max() if scales.min() > 0 else scales.min()).item()
    if scale == 0 or not math.isfinite(scale + epoch.loss + epoch.monitored):
        raise DivergedError(
            f"training diverged: after epoch {epoch.number} the loss was {epoch.loss:g} and "
            f"the scale of the scores {scale:g} with learning_rate={settings.learning_rate}; "
            f"try a smaller one, such as {settings.learning_rate / 10:g}, "
            f"or a lower price of weights than {settings.l1 + settings.literal_price:g}"
        )


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
