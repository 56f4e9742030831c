"""The training loop: the same for soft and for snapped networks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from crisplogic.errors import DivergedError
from crisplogic.nn import LogicNetwork
from crisplogic.train.losses import LOSSES
from crisplogic.train.settings import Settings


@dataclass(frozen=True)
class Rows:
    """Rows to learn from: memberships (rows, inputs) and class numbers (rows,)."""

    memberships: Tensor
    targets: Tensor

    def __getitem__(self, rows: Tensor) -> Rows:
        return Rows(self.memberships[rows], self.targets[rows])

    def __len__(self) -> int:
        return len(self.targets)


@dataclass(frozen=True)
class Epoch:
    """One line of a training history.

    ``loss`` is what training makes small: the loss on the training rows plus the price of
    the weights. ``validation_loss`` is the bare loss on the rows set aside, if there are any.
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
    """Train ``network`` in place, leave it as it was in its best epoch, return the history.

    Every random draw comes from ``generator``. A run that diverges raises
    :class:`~crisplogic.errors.DivergedError`.

    >>> generator = torch.Generator().manual_seed(0)
    >>> network = LogicNetwork(2, 2, depth=1, generator=generator)
    >>> rows = Rows(torch.tensor([[1.0, 1.0], [1.0, -1.0]]), torch.tensor([0, 1]))
    >>> history = train(network, rows, Settings(epochs=30, batch_size=1), generator)
    >>> network.scores(rows.memberships).argmax(1).tolist()
    [0, 1]
    """
    history: list[Epoch] = []
    best = _Best()
    network.train()
    optimizer, schedule = _optimizer(network, rows, settings)
    for number in range(1, settings.epochs + 1):
        for batch in torch.randperm(len(rows), generator=generator).split(settings.batch_size):
            _step(network, rows[batch], settings, optimizer)
            schedule.step()
        epoch = _evaluated(network, rows, validation, settings, phase, number)
        _check_sound(network, epoch, settings)
        history.append(epoch)
        on_epoch(epoch)
        best.see(epoch, network)
        if settings.patience is not None and number - best.number >= settings.patience:
            break
    best.restore(network)
    network.eval()
    return history


def _step(
    network: LogicNetwork, batch: Rows, settings: Settings, optimizer: torch.optim.Optimizer
) -> None:
    loss = LOSSES[settings.loss]
    objective = loss(network, network.scores(batch.memberships), batch.targets)
    optimizer.zero_grad()
    (objective + settings.l1 * network.l1()).backward()
    optimizer.step()


def _optimizer(
    network: LogicNetwork, rows: Rows, settings: Settings
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    if settings.optimizer == "sgd":
        optimizer: torch.optim.Optimizer = torch.optim.SGD(
            network.parameters(), lr=settings.learning_rate
        )
        return optimizer, torch.optim.lr_scheduler.ConstantLR(optimizer, factor=1.0)
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.learning_rate, fused=True)
    steps = settings.epochs * math.ceil(len(rows) / settings.batch_size)
    return optimizer, torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)


@torch.no_grad()
def _evaluated(
    network: LogicNetwork,
    rows: Rows,
    validation: Rows | None,
    settings: Settings,
    phase: str,
    number: int,
) -> Epoch:
    loss = LOSSES[settings.loss]

    def on(part: Rows) -> float:
        scores = network.scores_by_chunks(part.memberships)
        return loss(network, scores, part.targets).item()

    objective = on(rows) + settings.l1 * network.l1().item()
    return Epoch(phase, number, objective, None if validation is None else on(validation))


def _check_sound(network: LogicNetwork, epoch: Epoch, settings: Settings) -> None:
    """Layers keep their own bounds; the scale alone can run off: to infinity or to nothing."""
    scale = network.log_scale.exp().item()
    if scale == 0 or not math.isfinite(scale + epoch.loss + epoch.monitored):
        raise DivergedError(
            f"training diverged: after epoch {epoch.number} the loss was {epoch.loss:g} and "
            f"the scale of the scores {scale:g} with learning_rate={settings.learning_rate}; "
            f"try a smaller one, such as {settings.learning_rate / 10:g}, "
            f"or a lower price of weights than {settings.l1:g}"
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
