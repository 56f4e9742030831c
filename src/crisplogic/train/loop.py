"""The training loop: the same for soft and for snapped networks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from crisplogic.errors import DivergedError
from crisplogic.nn import LogicNetwork
from crisplogic.train.losses import LOSSES
from crisplogic.train.settings import Settings


@dataclass(frozen=True)
class Rows:
    """Rows to learn from: scaled inputs (rows, inputs) and class numbers (rows,).

    Copies of a network that see the rows in different units need (copies, rows, inputs).
    ``weights``, of shape (copies, rows), say how much each row counts for each copy of a
    network; 0 keeps a row from a copy. By default every row counts 1.
    """

    scaled: Tensor
    targets: Tensor
    weights: Tensor | None = None

    def __getitem__(self, rows: Tensor) -> Rows:
        weights = None if self.weights is None else self.weights[:, rows]
        return Rows(self.scaled[..., rows, :], self.targets[rows], weights)

    def __len__(self) -> int:
        return len(self.targets)


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
    optimizer, schedule = _optimizer(network, rows, settings)
    for number in range(1, settings.epochs + 1):
        seen = torch.zeros(())  # a tensor: asking for numbers at every step would cost time
        for batch in torch.randperm(len(rows), generator=generator).split(settings.batch_size):
            loss = _step(network, rows[batch], settings, optimizer)
            seen = seen + loss * len(batch) / len(rows)
            schedule.step()
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
    """What training makes small, for every copy, on all rows. Shape: () or (copies,)."""
    scores = network.scores_by_chunks(rows.scaled)
    return _loss(network, scores, rows, settings) + _price(network, settings)


def _step(
    network: LogicNetwork, batch: Rows, settings: Settings, optimizer: torch.optim.Optimizer
) -> Tensor:
    losses = _loss(network, network.scores(batch.scaled), batch, settings)
    objective = losses + _price(network, settings)
    optimizer.zero_grad()
    objective.sum().backward()
    optimizer.step()
    return objective.detach().mean()


def _loss(network: LogicNetwork, scores: Tensor, rows: Rows, settings: Settings) -> Tensor:
    """The mean loss of every copy. Shape: () or (copies,)."""
    losses = LOSSES[settings.loss](network, scores, rows.targets)
    return (losses if rows.weights is None else losses * rows.weights).mean(-1)


def _price(network: LogicNetwork, settings: Settings) -> Tensor:
    """What the size of the network costs. Shape: () or (copies,)."""
    price = settings.l1 * network.l1()
    if settings.literal_price:
        price = price + settings.literal_price * network.literals()
    return price


def _optimizer(
    network: LogicNetwork, rows: Rows, settings: Settings
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    if settings.optimizer == "sgd":
        optimizer: torch.optim.Optimizer = torch.optim.SGD(
            _groups(network, settings), lr=settings.learning_rate
        )
        return optimizer, torch.optim.lr_scheduler.ConstantLR(optimizer, factor=1.0)
    optimizer = torch.optim.Adam(
        _groups(network, settings), lr=settings.learning_rate, fused=True
    )
    steps = settings.epochs * math.ceil(len(rows) / settings.batch_size)
    return optimizer, torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)


def _groups(network: LogicNetwork, settings: Settings) -> list[dict[str, Any]]:
    """Parameters with their learning rates: memberships have one of their own."""
    slow = list(network.membership.parameters())
    ids = {id(parameter) for parameter in slow}
    quick = [parameter for parameter in network.parameters() if id(parameter) not in ids]
    rate = settings.learning_rate
    return [{"params": quick}, {"params": slow, "lr": settings.membership_pace * rate}]


@torch.no_grad()
def _validated(
    network: LogicNetwork, validation: Rows | None, settings: Settings
) -> float | None:
    if validation is None:
        return None
    scores = network.scores_by_chunks(validation.scaled)
    return _loss(network, scores, validation, settings).mean().item()


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
