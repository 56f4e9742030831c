"""Gradient descent: plain, as in the paper, and Adam.

PyTorch's own optimisers would do, but to make its first one a process spends more than a
second on loading PyTorch's compiler, longer than many a table takes to learn from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import torch
from torch import Tensor, nn

MEMORY_OF_SLOPES, MEMORY_OF_SQUARES = 0.9, 0.999
LEAST = 1e-8


class SGD:
    """Plain gradient descent, with a learning rate for each group of parameters.

    ``rates`` are tensors, so that a step recorded on a GPU reads what they are when it is
    replayed; change them in place.

    >>> parameter = nn.Parameter(torch.tensor([1.0, -3.0]))
    >>> descent = SGD([[parameter]], [torch.tensor(0.25)])
    >>> parameter.square().sum().backward()
    >>> descent.step()
    >>> parameter.tolist()
    [0.5, -1.5]
    """

    def __init__(
        self, groups: Sequence[Iterable[nn.Parameter]], rates: Sequence[Tensor]
    ) -> None:
        self.groups = [list(group) for group in groups]
        self.rates = list(rates)

    def __iter__(self) -> Iterator[tuple[nn.Parameter, Tensor]]:
        """Every parameter with its learning rate."""
        for group, rate in zip(self.groups, self.rates, strict=True):
            for parameter in group:
                yield parameter, rate

    def memory(self) -> list[Tensor]:
        """What it remembers from one step to the next, to be changed in place."""
        return []

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for parameter, _ in self:
            parameter.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Change all parameters that have a gradient."""
        for parameter, rate in self:
            if parameter.grad is not None:
                parameter.sub_(rate * parameter.grad)


class Adam(SGD):
    """Kingma & Ba (2015).

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
        self.taken = torch.zeros_like(self.rates[0])
        self.memories = [
            (torch.zeros_like(parameter), torch.zeros_like(parameter)) for parameter, _ in self
        ]

    def memory(self) -> list[Tensor]:
        """The number of steps, and of every parameter two means."""
        return [self.taken, *(each for pair in self.memories for each in pair)]

    @torch.no_grad()
    def step(self) -> None:
        """Change all parameters that have a gradient."""
        self.taken += 1
        # Both memories start at 0: what they lack of their weight is made up for.
        of_slopes = 1 - MEMORY_OF_SLOPES**self.taken
        of_squares = (1 - MEMORY_OF_SQUARES**self.taken).sqrt()
        pace, least = of_squares / of_slopes, LEAST * of_squares
        for (parameter, rate), (slope, square) in zip(self, self.memories, strict=True):
            if parameter.grad is not None:
                slope.lerp_(parameter.grad, 1 - MEMORY_OF_SLOPES)
                square.lerp_(parameter.grad.square(), 1 - MEMORY_OF_SQUARES)
                parameter.sub_(rate * pace * slope / (square.sqrt() + least))
