"""LogicNetwork: the paper's topology, at any depth."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import torch
from torch import Tensor, nn

from crisplogic.nn.all_pairings import AllPairings
from crisplogic.nn.feature_selector import FeatureSelector
from crisplogic.nn.fuzzy import Fuzzy
from crisplogic.nn.membership import LinearMembership

# How many values of pairs to hold at once when scoring many rows.
CHUNK_VALUES = 2**20


class LogicNetwork(nn.Module):
    """Levels of AllPairings, Fuzzy and FeatureSelector over a membership layer.

    At depth 2 these are the paper's ten layers: (1) the inputs, (2) ``membership``,
    (3-5) the first level of ``logic``, (6) tanh, (7-9) the second level, and (10) the
    maximum, :meth:`predict`. Every level but the last has ``width`` outputs.

    ``log_scale`` stands outside the logic: scores times its exponential are the logits of
    the classes. It changes how sure the network is, never what it predicts.

    Shape: (rows, in_features) to scores of shape (rows, out_features).

    >>> network = LogicNetwork(in_features=4, out_features=3)
    >>> network(torch.zeros(5, 4)).shape
    torch.Size([5, 3])
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        width: int = 8,
        depth: int = 2,
        *,
        generator: torch.Generator | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if min(in_features, out_features, width, depth) < 1:
            raise ValueError(
                "LogicNetwork needs in_features, out_features, width and depth of at least 1, "
                f"got {in_features}, {out_features}, {width} and {depth}"
            )
        self.in_features = in_features
        self.out_features = out_features
        self.width = width
        self.depth = depth
        sizes = [in_features, *[width] * (depth - 1), out_features]
        self.membership = LinearMembership(in_features)
        self.logic = nn.Sequential()
        for level, (inputs, outputs) in enumerate(pairwise(sizes), 1):
            pairings = AllPairings(inputs)
            pairs = pairings.out_features
            self.logic.add_module(f"pairings{level}", pairings)
            self.logic.add_module(
                f"fuzzy{level}", Fuzzy(pairs, generator=generator, dtype=dtype)
            )
            self.logic.add_module(
                f"selector{level}", FeatureSelector(pairs, outputs, dtype=dtype)
            )
            if level < depth:
                self.logic.add_module(f"tanh{level}", nn.Tanh())
        self.log_scale = nn.Parameter(torch.zeros((), dtype=dtype))

    def forward(self, inputs: Tensor) -> Tensor:
        """The score of every class."""
        return self.scores(self.memberships(inputs))

    def memberships(self, inputs: Tensor) -> Tensor:
        """The fuzzy values of the columns, in the network's own precision."""
        values: Tensor = self.membership(inputs)
        return values.to(self.log_scale.dtype)

    def scores(self, memberships: Tensor) -> Tensor:
        """The score of every class from memberships computed before."""
        scores: Tensor = self.logic(memberships)
        return scores

    def scores_by_chunks(self, memberships: Tensor) -> Tensor:
        """The same for any number of rows: as many at a time as keep memory bounded."""
        pairs = max(selector.in_features for _, selector in self.levels())
        chunk = max(1, CHUNK_VALUES // pairs)
        return torch.cat([self.scores(rows) for rows in memberships.split(chunk)])

    def logits(self, scores: Tensor) -> Tensor:
        """Scores times the scale: what a softmax turns into probabilities."""
        return scores * self.log_scale.exp()

    def predict(self, inputs: Tensor) -> Tensor:
        """The number of the class with the greatest score."""
        scores: Tensor = self(inputs)
        return scores.argmax(-1)

    def levels(self) -> Iterator[tuple[Fuzzy, FeatureSelector]]:
        """The trainable layers, level by level."""
        for level in range(1, self.depth + 1):
            fuzzy = self.logic.get_submodule(f"fuzzy{level}")
            selector = self.logic.get_submodule(f"selector{level}")
            assert isinstance(fuzzy, Fuzzy)
            assert isinstance(selector, FeatureSelector)
            yield fuzzy, selector

    def l1(self) -> Tensor:
        """The sum of the absolute weights of all selectors."""
        return torch.stack([selector.l1() for _, selector in self.levels()]).sum()

    def snap(self, snapped: bool = True) -> None:
        """Switch rounding in the forward pass of every layer on or off.

        It is a way of using the parameters, not one of them: ``state_dict`` leaves it out.
        """
        for fuzzy, selector in self.levels():
            fuzzy.snapped = selector.snapped = snapped
