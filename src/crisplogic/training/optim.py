"""Optimizers: plain gradient descent, as in the paper, and Adam.

PyTorch's own optimizers load its compiler when the first one is made. That takes more than a
second, longer than many fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import torch
from torch import Tensor, nn

BETA1, BETA2 = 0.9, 0.999
EPSILON = 1e-8


class SGD:
    """Gradient descent with a learning rate for each group of parameters.

    ``rates`` are tensors, because a CUDA graph reads them when it is replayed. Change them in
    place.

    >>> parameter = nn.Parameter(torch.tensor([1.0, -3.0]))
    >>> optimizer = SGD([[parameter]], [torch.tensor(0.25)])
    >>> parameter.square().sum().backward()
    >>> optimizer.step()
    >>> parameter.tolist()
    [0.5, -1.5]
    """

    def __init__(
        self, groups: Sequence[Iterable[nn.Parameter]], rates: Sequence[Tensor]
    ) -> None:
        self.groups = [list(group) for group in groups]
        self.rates = list(rates)

    def __iter__(self) -> Iterator[tuple[nn.Parameter, Tensor]]:
        """Yield every parameter with its learning rate."""
        for group, rate in zip(self.groups, self.rates, strict=True):
            for parameter in group:
                yield parameter, rate

    def state(self) -> list[Tensor]:
        """Return the tensors that a step changes, parameters aside."""
        return []

    def zero_grad(self) -> None:
        """Reset all gradients."""
        for parameter, _ in self:
            parameter.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Update all parameters that have a gradient."""
        for parameter, rate in self:
            if parameter.grad is not None:
                parameter.sub_(rate * parameter.grad)


class Adam(SGD):
    """Adam (Kingma & Ba, 2015).

    >>> parameter = nn.Parameter(torch.tensor([1.0, -3.0]))
    >>> adam = Adam([[parameter]], [torch.tensor(0.5, dtype=torch.float64)])
    >>> parameter.square().sum().backward()
    >>> adam.step()
    >>> parameter.detach().round(decimals=6).tolist()
    [0.5, -2.5]
    """

    def __init__(
        self, groups: Sequence[Iterable[nn.Parameter]], rates: Sequence[Tensor]
    ) -> None:
        super().__init__(groups, rates)
        self.n_steps = torch.zeros_like(self.rates[0])
        self.moments = [
            (torch.zeros_like(parameter), torch.zeros_like(parameter)) for parameter, _ in self
        ]

    def state(self) -> list[Tensor]:
        """Return the number of steps, and both moments of every parameter."""
        return [self.n_steps, *(moment for pair in self.moments for moment in pair)]

    @torch.no_grad()
    def step(self) -> None:
        """Update all parameters that have a gradient."""
        self.n_steps += 1
        # A CUDA graph reads tensors; on a CPU a number is quicker.
        steps = self.n_steps if self.n_steps.is_cuda else self.n_steps.item()
        # Both moments start at 0. These factors correct the bias.
        correction1 = 1 - BETA1**steps
        correction2 = (1 - BETA2**steps) ** 0.5
        factor, epsilon = correction2 / correction1, EPSILON * correction2
        for (parameter, rate), (mean, square) in zip(self, self.moments, strict=True):
            if parameter.grad is not None:
                mean.lerp_(parameter.grad, 1 - BETA1)
                square.mul_(BETA2).addcmul_(parameter.grad, parameter.grad, value=1 - BETA2)
                size = square.sqrt().add_(epsilon)
                if rate.is_cuda:
                    parameter.sub_(mean.div(size).mul_(rate * factor))
                else:
                    parameter.addcdiv_(mean, size, value=-float(rate) * float(factor))
