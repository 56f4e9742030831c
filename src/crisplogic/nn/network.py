"""LogicNetwork: the paper's topology, at any depth."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from crisplogic.constraints.limits import Limits
from crisplogic.nn._bounds import bounds_of
from crisplogic.nn._straight_through import batch_shape, keep_in_range_
from crisplogic.nn.feature_selector import FeatureSelector
from crisplogic.nn.fuzzy import Fuzzy
from crisplogic.nn.learned_membership import LearnedMembership
from crisplogic.nn.linear_membership import LinearMembership
from crisplogic.nn.logic_layer import LogicLayer

# How many values to hold at once when scoring many rows.
CHUNK_VALUES = 2**20


class LogicNetwork(nn.Module):
    """Levels of logic (AllPairings, Fuzzy and FeatureSelector) over a membership layer.

    At depth 2 these are the paper's ten layers: (1) the inputs, (2) ``membership``,
    (3-5) the first level of ``logic``, (6) tanh, (7-9) the second level, and (10) the
    maximum, :meth:`predict`. Every level but the last has ``width`` outputs.

    ``memberships`` is the number of learned memberships a column; 0 takes the paper's one.
    Two things stand outside the logic. ``log_scale``: scores times its exponential are the
    logits of the classes; it changes how sure the network is, never what it predicts. And,
    with ``intercepts=True``, one number a class that is added to its score; the paper has none.

    ``copies`` networks can be trained side by side: every parameter then has a leading
    dimension, and :meth:`copy` takes one of them out.

    A network may look at fewer columns than the table has: ``n_selected_features`` of them, at
    first the
    first ones, which ``columns`` names, each copy at its own. Shape: ``columns``
    (n_selected_features,)
    or (copies, n_selected_features).

    ``limits`` say what the scores may do as each column rises, and which columns may stand in
    one pair. The network keeps to them whatever it is trained on, soft or snapped; that can be
    guaranteed at depth 1 alone. They are no part of its state: whoever loads a state into
    another network makes it with the same limits. Where they apply, the weight of a pair is
    how far its unit *rises* with the inputs: read ``soft_weight`` and ``snapped_weight`` of
    the selector, with the ``turn`` of the fuzzy layer.

    Shape: (rows, in_features) to scores of shape (rows, out_features); with copies
    (copies, rows, out_features).

    >>> network = LogicNetwork(in_features=4, out_features=3)
    >>> network(torch.zeros(5, 4)).shape
    torch.Size([5, 3])
    """

    intercept: Tensor
    columns: Tensor

    def __init__(
        self,
        in_features: int,
        out_features: int,
        width: int = 8,
        depth: int = 2,
        *,
        memberships: int = 0,
        intercepts: bool = False,
        n_selected_features: int | None = None,
        limits: Limits | None = None,
        copies: int | None = None,
        generator: torch.Generator | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if min(in_features, out_features, width, depth) < 1:
            raise ValueError(
                "LogicNetwork needs in_features, out_features, width and depth of at least 1, "
                f"got {in_features}, {out_features}, {width} and {depth}"
            )
        _check_limits(limits, in_features, out_features, depth)
        self.in_features = in_features
        self.out_features = out_features
        self.width = width
        self.depth = depth
        self.copies = copies
        options: dict[str, Any] = {"copies": copies, "generator": generator, "dtype": dtype}
        self._shape: dict[str, Any] = {
            "memberships": memberships,
            "intercepts": intercepts,
            "n_selected_features": n_selected_features,
            "limits": limits,
            "dtype": dtype,
        }
        self.n_selected_features = (
            in_features if n_selected_features is None else n_selected_features
        )
        if not 1 <= self.n_selected_features <= in_features:
            raise ValueError(
                f"n_selected_features must be from 1 to {in_features}, "
                f"got {n_selected_features}"
            )
        columns = torch.arange(self.n_selected_features).expand(
            *batch_shape(copies), self.n_selected_features
        )
        self.register_buffer(
            "columns", columns.clone(), persistent=n_selected_features is not None
        )
        self.membership: LearnedMembership | LinearMembership = (
            LearnedMembership(self.n_selected_features, memberships, **options)
            if memberships
            else LinearMembership(self.n_selected_features)
        )
        sizes = [
            self.n_selected_features * max(memberships, 1),
            *[width] * (depth - 1),
            out_features,
        ]
        self.logic = nn.Sequential()
        for level, (inputs, outputs) in enumerate(pairwise(sizes), 1):
            self.logic.add_module(f"level{level}", LogicLayer(inputs, outputs, **options))
            if level < depth:
                self.logic.add_module(f"tanh{level}", nn.Tanh())
        leading = batch_shape(copies)
        self.log_scale = nn.Parameter(torch.zeros(leading, dtype=dtype))
        start = torch.zeros(*leading, out_features, dtype=dtype)
        if intercepts:
            self.intercept = nn.Parameter(start)
        else:
            self.register_buffer("intercept", start, persistent=False)
        self.limits = limits
        if limits is not None:
            self.apply_constraints()
            # A state says which columns the network looks at.
            self.register_load_state_dict_post_hook(_apply_constraints)  # type: ignore[no-untyped-call]

    def forward(self, inputs: Tensor) -> Tensor:
        """The score of every class."""
        return self.scores(self.scaled(inputs))

    def scaled(self, inputs: Tensor) -> Tensor:
        """What of the memberships never changes while training, in the network's
        precision.

        Shape: (..., in_features) to (..., n_selected_features). Copies that select different
        columns have no one answer: ask them one by one.
        """
        return self.membership.scaled(self.seen(inputs)).to(self.log_scale.dtype)

    def seen(self, inputs: Tensor) -> Tensor:
        """The selected columns. Shape: (..., in_features) to (..., n_selected_features)."""
        if self.n_selected_features == self.in_features:
            return inputs
        columns = self.columns if self.copies is None else self.columns[0]
        return inputs[..., columns]

    def fit(self, inputs: Tensor) -> None:
        """Let the memberships know the ranges of the columns. Shape: (rows, in_features)."""
        self.membership.fit(self.seen(inputs))

    def usage(self) -> Tensor:
        """How much of each column the first level uses. Shape: (..., n_selected_features)."""
        first = next(self._levels())
        weights = first.selector.weight.detach().abs().sum(-2)
        ends = weights.new_zeros(*weights.shape[:-1], first.in_features + 2)
        for places in first.places[:2]:
            ends.index_add_(-1, places, weights)
        used: Tensor = (
            ends[..., : first.in_features].unflatten(-1, (-1, self.n_selected_features)).sum(-2)
        )
        return used

    @torch.no_grad()
    def look_at(self, columns: Tensor) -> None:
        """Look at these columns; what is known of places that change is forgotten.

        Shape: (n_selected_features,) or (copies, n_selected_features).
        """
        first = next(self._levels())
        changed = columns != self.columns
        changed = changed.repeat(
            *[1] * (changed.ndim - 1), first.in_features // self.n_selected_features
        )
        left, right = functional.pad(changed, (0, 2))[..., first.places[:2]].unbind(-2)
        pairs = (left | right).unsqueeze(-2)
        first.selector.weight.masked_fill_(pairs, 1.0 / first.fuzzy.units)
        if isinstance(self.membership, LearnedMembership):
            self.membership.centre.masked_fill_(changed, 0.0)
            self.membership.log_width.masked_fill_(changed, 0.0)
        self.columns.copy_(columns)
        self.apply_constraints()

    @torch.no_grad()
    def apply_constraints(self) -> None:
        """Keep the first level to the limits of the columns that it looks at.

        To be called by whoever changes ``columns`` otherwise than by :meth:`look_at`.
        """
        if self.limits is None:
            return
        first = next(self._levels())
        columns = self.columns
        if self.copies is not None and self.n_selected_features == self.in_features:
            columns = columns[0]  # copies that look at all columns look at the same ones
        several = first.in_features // self.n_selected_features
        columns = columns.repeat(*[1] * (columns.ndim - 1), several)
        dtype = self.log_scale.dtype
        first.bound(bounds_of(self.limits, columns, first.places[:2], dtype))

    def scores(self, scaled: Tensor) -> Tensor:
        """The score of every class from inputs that were scaled before."""
        scores: Tensor = self.logic(self.membership.degrees(scaled))
        return scores + self._for_all_rows(self.intercept)

    def scores_by_chunks(self, scaled: Tensor) -> Tensor:
        """The same for any number of rows: as many at a time as keep memory bounded."""
        most = max(layer.in_features * layer.out_features for layer in self._levels())
        chunk = max(1, CHUNK_VALUES // int(most * (self.copies or 1)))
        return torch.cat([self.scores(rows) for rows in scaled.split(chunk, -2)], dim=-2)

    def logits(self, scores: Tensor) -> Tensor:
        """Scores times the scale: what a softmax turns into probabilities."""
        return scores * self._for_all_rows(self.log_scale.exp().unsqueeze(-1))

    def predict(self, inputs: Tensor) -> Tensor:
        """The number of the class with the greatest score."""
        scores: Tensor = self(inputs)
        return scores.argmax(-1)

    def levels(self) -> Iterator[tuple[Fuzzy, FeatureSelector]]:
        """The layers with the parameters of the logic, level by level."""
        for layer in self._levels():
            yield layer.fuzzy, layer.selector

    def l1(self) -> Tensor:
        """The sum of the absolute weights of all selectors, of each copy."""
        return torch.stack([selector.l1() for _, selector in self.levels()]).sum(0)

    def literals(self) -> Tensor:
        """How many literals the rules would have, as a number that gradients can lower.

        See :meth:`crisplogic.nn.LogicLayer.literals`. Shape: () or (copies,).
        """
        return torch.stack([layer.literals() for layer in self._levels()]).sum(0)

    def multiplications(self) -> int:
        """About how many it takes to score one row with all copies."""
        layers = [layer.in_features**2 * layer.out_features for layer in self._levels()]
        return sum(layers) * (self.copies or 1)

    def keep_in_range_(self) -> None:
        """Bring all parameters that have bounds back into them, in place.

        Layers do it whenever they are used; an optimiser's last step comes after that.
        """
        for fuzzy, selector in self.levels():
            keep_in_range_(fuzzy.alpha)
            selector.keep_in_range_()
        if isinstance(self.membership, LearnedMembership):
            self.membership.keep_in_range_()

    def snap(self, snapped: bool = True) -> None:
        """Switch rounding in the forward pass of every layer on or off.

        It is a way of using the parameters, not one of them: ``state_dict`` leaves it out.
        """
        for fuzzy, selector in self.levels():
            fuzzy.snapped = selector.snapped = snapped

    def copy(self, number: int) -> LogicNetwork:
        """One of the copies, as a network of its own."""
        if self.copies is None:
            raise ValueError("only a network with copies can be asked for one of them")
        one = LogicNetwork(
            self.in_features,
            self.out_features,
            self.width,
            self.depth,
            generator=torch.Generator(),  # what is drawn is overwritten: draw nothing global
            **self._shape,
        ).to(device=self.log_scale.device, dtype=self.log_scale.dtype)
        parameters = {name for name, _ in self.named_parameters()} | {"columns"}
        one.load_state_dict(
            {
                name: values[number] if name in parameters else values
                for name, values in self.state_dict().items()
            }
        )
        for (fuzzy, selector), (own_fuzzy, own_selector) in zip(
            self.levels(), one.levels(), strict=True
        ):
            own_fuzzy.snapped, own_selector.snapped = fuzzy.snapped, selector.snapped
        return one.train(self.training)

    def _levels(self) -> Iterator[LogicLayer]:
        for layer in self.logic:
            if isinstance(layer, LogicLayer):
                yield layer

    def _for_all_rows(self, values: Tensor) -> Tensor:
        return values if self.copies is None else values.unsqueeze(-2)


def _apply_constraints(network: nn.Module, *_: Any) -> None:
    """A hook; not a method, so that copies of a network have no hold on the first."""
    if isinstance(network, LogicNetwork):
        network.apply_constraints()


def _check_limits(limits: Limits | None, columns: int, outputs: int, depth: int) -> None:
    if limits is None:
        return
    if depth > 1:
        raise ValueError(
            "limits on what columns do can be kept to at depth 1 alone, where every term is "
            f"one pair; got depth {depth}"
        )
    if limits.rises.shape != (columns, outputs):
        raise ValueError(
            f"a network of {columns} columns and {outputs} outputs needs limits of shape "
            f"{(columns, outputs)}, got {limits.rises.shape}"
        )
