"""LogicNetwork: the paper's topology, at any depth."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from crisplogic.constraints.levels import limits_of_levels
from crisplogic.constraints.limits import Limits
from crisplogic.nn._bounds import pair_bounds
from crisplogic.nn._straight_through import batch_shape, keep_in_range_
from crisplogic.nn.feature_selector import FeatureSelector
from crisplogic.nn.fuzzy import Fuzzy
from crisplogic.nn.learned_membership import LearnedMembership
from crisplogic.nn.linear_membership import LinearMembership
from crisplogic.nn.logic_layer import LogicLayer

# The most values in memory at once when many rows are scored.
MAX_CHUNK_VALUES = 2**20


class LogicNetwork(nn.Module):
    """Levels of logic (AllPairings, Fuzzy and FeatureSelector) over a membership layer.

    At depth 2 these are the paper's ten layers: (1) the inputs, (2) ``membership``,
    (3-5) the first level of ``logic``, (6) tanh, (7-9) the second level, and (10) the
    maximum, :meth:`predict`. Every level but the last has ``width`` outputs, its units.

    With ``skip`` every level sees the memberships, too, beside the units of the level below: a
    network of two levels contains those of one. Scores can then add whatever pays, so a
    snapped unit need not be a sum: it is the one expression of the greatest weight, without a
    tanh, and levels compose to logic.

    ``memberships`` is the number of learned memberships a column; 0 uses the paper's one.
    Two parameters are not part of the logic. Scores times the exponential of ``log_scale`` are
    the logits of the classes: it changes probabilities, never the predicted class. With
    ``intercepts=True`` each class has a number that is added to its score; the paper has none.

    ``copies`` networks can train side by side: every parameter then has a leading dimension,
    and :meth:`copy` takes one of them out.

    A network may select ``n_selected_features`` of the columns. ``columns`` holds their
    numbers: at first the first ones, later those of :meth:`select_columns`. Each copy has its
    own. Shape: ``columns`` (n_selected_features,) or (copies, n_selected_features).

    ``limits`` say whether scores may rise and fall as each column rises, which columns may
    stand together in a term, and which operators may join them. The network
    respects them whatever its parameters, soft or snapped. They are not part of its state: load
    a state into a network with the same limits. With limits the weight of a pair is how far its
    unit *rises* with the inputs. Read ``soft_weight`` and ``snapped_weight`` of the selector
    with the ``direction`` of the fuzzy layer.

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
        skip: bool = False,
        n_selected_features: int | None = None,
        limits: Limits | None = None,
        copies: int | None = None,
        generator: torch.Generator | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        selected = in_features if n_selected_features is None else n_selected_features
        _check_sizes(in_features, out_features, width, depth, selected)
        _check_limits(limits, in_features, out_features)
        self.in_features = in_features
        self.out_features = out_features
        self.width = width
        self.depth = depth
        self.skip = skip
        self.copies = copies
        options: dict[str, Any] = {"copies": copies, "generator": generator, "dtype": dtype}
        self._shape: dict[str, Any] = {
            "memberships": memberships,
            "intercepts": intercepts,
            "skip": skip,
            "n_selected_features": n_selected_features,
        }
        self.n_selected_features = selected
        leading = batch_shape(copies)
        columns = torch.arange(selected).expand(*leading, selected).clone()
        self.register_buffer("columns", columns, persistent=n_selected_features is not None)
        self.membership: LearnedMembership | LinearMembership = (
            LearnedMembership(selected, memberships, **options)
            if memberships
            else LinearMembership(selected)
        )
        degrees = selected * max(memberships, 1)
        sizes = level_sizes(degrees, out_features, width, depth, skip)
        self.logic = _logic_levels(sizes, options)
        self.snap(False)
        self.log_scale = nn.Parameter(torch.zeros(leading, dtype=dtype))
        start = torch.zeros(*leading, out_features, dtype=dtype)
        if intercepts:
            self.intercept = nn.Parameter(start)
        else:
            self.register_buffer("intercept", start, persistent=False)
        self.limits = limits
        if limits is not None:
            self.apply_constraints()
            # Loading a state may change the selected columns.
            self.register_load_state_dict_post_hook(_apply_constraints)  # type: ignore[no-untyped-call]

    @property
    def shape(self) -> dict[str, Any]:
        """The arguments that make a network of the same shape; copies and limits are apart.

        >>> LogicNetwork(4, 3, depth=1).shape["depth"]
        1
        """
        return {
            "in_features": self.in_features,
            "out_features": self.out_features,
            "width": self.width,
            "depth": self.depth,
            **self._shape,
        }

    def forward(self, inputs: Tensor) -> Tensor:
        """Compute the score of every class."""
        return self.scores(self.scale(inputs))

    def scale(self, inputs: Tensor) -> Tensor:
        """Select and scale columns: the part of memberships that has no parameters.

        Shape: (..., in_features) to (..., n_selected_features). If copies select different
        columns, call it on one :meth:`copy` at a time.
        """
        return self.membership.scale(self._select(inputs)).to(self.log_scale.dtype)

    def _select(self, inputs: Tensor) -> Tensor:
        if self.n_selected_features == self.in_features:
            return inputs
        columns = self.columns if self.copies is None else self.columns[0]
        return inputs[..., columns]

    def fit(self, inputs: Tensor) -> None:
        """Compute the ranges of the columns for the memberships. Shape: (rows, in_features)."""
        self.membership.fit(self._select(inputs))

    def usage(self) -> Tensor:
        """The absolute weights of each column in the levels that see it.

        Shape: (..., n_selected_features).
        """
        return torch.stack([self._usage_in(*each) for each in self._seeing_columns()]).sum(0)

    def _usage_in(self, layer: LogicLayer, units: int) -> Tensor:
        weights = layer.selector.weight.detach().abs().sum(-2)
        ends = weights.new_zeros(*weights.shape[:-1], layer.in_features + 2)
        for members in layer.pair_indices[:2]:
            ends.index_add_(-1, members, weights)
        used: Tensor = (
            ends[..., units : layer.in_features]
            .unflatten(-1, (-1, self.n_selected_features))
            .sum(-2)
        )
        return used

    def _seeing_columns(self) -> Iterator[tuple[LogicLayer, int]]:
        """The levels that see memberships, and how many units are inputs before these."""
        first, *others = self._logic_layers()
        yield first, 0
        if self.skip:
            yield from ((layer, self.width) for layer in others)

    @torch.no_grad()
    def select_columns(self, columns: Tensor) -> None:
        """Select these columns, and reset the parameters of the places that change.

        Shape: (n_selected_features,) or (copies, n_selected_features).
        """
        changed = self._repeat_per_membership(columns != self.columns)
        for layer, units in self._seeing_columns():
            inputs = functional.pad(changed, (units, 2))
            left, right = inputs[..., layer.pair_indices[:2]].unbind(-2)
            pairs = (left | right).unsqueeze(-2)
            layer.selector.weight.masked_fill_(pairs, 1.0 / layer.fuzzy.units)
        if isinstance(self.membership, LearnedMembership):
            self.membership.centre.masked_fill_(changed, 0.0)
            self.membership.log_width.masked_fill_(changed, 0.0)
        self.columns.copy_(columns)
        self.apply_constraints()

    @torch.no_grad()
    def apply_constraints(self) -> None:
        """Set the bounds of every level from the limits of the selected columns.

        Call it after changing ``columns`` by other means than :meth:`select_columns`.
        """
        if self.limits is None:
            return
        columns = self.columns
        if self.copies is not None and self.n_selected_features == self.in_features:
            columns = columns[0]  # copies that see all columns have the same bounds
        inputs = self._repeat_per_membership(columns)
        levels = limits_of_levels(self.limits, self.width, self.depth, self.skip)
        for number, (layer, limits) in enumerate(
            zip(self._logic_layers(), levels, strict=True)
        ):
            layer.fuzzy.only_xor = limits.allows_xor and not limits.allows_and_or
            used = self._units_and(inputs) if number else inputs
            members, dtype = layer.pair_indices[:2], self.log_scale.dtype
            layer.set_bounds(pair_bounds(limits, used, members, dtype))

    def _units_and(self, columns: Tensor) -> Tensor:
        """The inputs of a level above the first: units are numbered before columns.

        Shape: (..., inputs of the first level) to (..., inputs).
        """
        units = torch.arange(self.width, device=columns.device)
        units = units.expand(*columns.shape[:-1], self.width)
        return torch.cat([units, columns + self.width], -1) if self.skip else units

    def scores(self, scaled: Tensor) -> Tensor:
        """Compute the score of every class from scaled inputs."""
        values = degrees = self.membership.degrees(scaled)
        for number, layer in enumerate(self.logic):
            if self.skip and number and isinstance(layer, LogicLayer):
                beside = degrees.expand(*values.shape[:-1], -1)  # degrees may have no copies
                values = torch.cat([values, beside], -1)
            values = layer(values)
        return values + self._for_all_rows(self.intercept)

    def scores_by_chunks(self, scaled: Tensor) -> Tensor:
        """Compute the same for any number of rows, in chunks, with bounded memory."""
        most = max(layer.in_features * layer.out_features for layer in self._logic_layers())
        chunk = max(1, MAX_CHUNK_VALUES // int(most * (self.copies or 1)))
        return torch.cat([self.scores(rows) for rows in scaled.split(chunk, -2)], dim=-2)

    def logits(self, scores: Tensor) -> Tensor:
        """Multiply scores by the scale. The softmax of logits are probabilities."""
        return scores * self._for_all_rows(self.log_scale.exp().unsqueeze(-1))

    def predict(self, inputs: Tensor) -> Tensor:
        """Predict the number of the class with the greatest score."""
        scores: Tensor = self(inputs)
        return scores.argmax(-1)

    def levels(self) -> Iterator[tuple[Fuzzy, FeatureSelector]]:
        """Iterate over the layers with the parameters of the logic, level by level."""
        for layer in self._logic_layers():
            yield layer.fuzzy, layer.selector

    def l1(self) -> Tensor:
        """The sum of the absolute weights of all selectors. Shape: () or (copies,)."""
        return torch.stack([selector.l1() for _, selector in self.levels()]).sum(0)

    def literals(self) -> Tensor:
        """The number of literals of the rules, as a differentiable function.

        See :meth:`crisplogic.nn.LogicLayer.literals`. Shape: () or (copies,).
        """
        return torch.stack([layer.literals() for layer in self._logic_layers()]).sum(0)

    def multiplications(self) -> int:
        """The approximate number of multiplications that score one row with all copies."""
        layers = [layer.in_features**2 * layer.out_features for layer in self._logic_layers()]
        return sum(layers) * (self.copies or 1)

    def keep_in_range_(self) -> None:
        """Clamp all parameters that have bounds, in place.

        Layers do so in every forward pass; the last step of an optimizer comes after that.
        """
        for fuzzy, selector in self.levels():
            keep_in_range_(fuzzy.alpha)
            selector.keep_in_range_()
        if isinstance(self.membership, LearnedMembership):
            self.membership.keep_in_range_()

    def snap(self, snapped: bool = True, crisp: bool = False) -> None:
        """Switch rounding in the forward pass of every layer on or off.

        With ``crisp`` all values are true, false or unknown, too. Learned memberships are
        steps, logic is Kleene's, and a unit of any level but the last is one expression, as
        it is with ``skip``.

        This is not part of ``state_dict``.
        """
        if crisp and not isinstance(self.membership, LearnedMembership):
            raise ValueError(
                "a network of crisp rules needs learned thresholds: memberships of at least 1, "
                "got 0, the paper's membership"
            )
        if isinstance(self.membership, LearnedMembership):
            self.membership.crisp = snapped and crisp
        *hidden, last = self._logic_layers()
        for layer in (*hidden, last):
            layer.fuzzy.snapped = layer.selector.snapped = snapped
            layer.kleene = snapped and crisp
        for layer in hidden:
            layer.selector.single = self.skip or (snapped and crisp)
        for each in self.logic:
            if isinstance(each, _Squash):
                each.single = snapped and (crisp or self.skip)

    @property
    def crisp(self) -> bool:
        """Whether all values but the scores are true, false or unknown."""
        return isinstance(self.membership, LearnedMembership) and self.membership.crisp

    @property
    def has_sums(self) -> bool:
        """Whether a snapped unit of any level but the last is the tanh of a sum."""
        return not (self.crisp or self.skip)

    def copy(self, number: int) -> LogicNetwork:
        """Return one of the copies as a network without copies."""
        if self.copies is None:
            raise ValueError("only a network with copies has a copy to return")
        one = LogicNetwork(
            **self.shape,
            limits=self.limits,
            generator=torch.Generator(),  # not the global one: these draws are overwritten
        ).to(device=self.log_scale.device, dtype=self.log_scale.dtype)
        parameters = {name for name, _ in self.named_parameters()} | {"columns"}
        one.load_state_dict(
            {
                name: values[number] if name in parameters else values
                for name, values in self.state_dict().items()
            }
        )
        _, selector = next(self.levels())
        one.snap(selector.snapped, self.crisp)
        return one.train(self.training)

    def _logic_layers(self) -> Iterator[LogicLayer]:
        for layer in self.logic:
            if isinstance(layer, LogicLayer):
                yield layer

    def _repeat_per_membership(self, of_columns: Tensor) -> Tensor:
        """Shape: (..., n_selected_features) to (..., inputs of the first level)."""
        n = next(self._logic_layers()).in_features // self.n_selected_features
        return of_columns.repeat(*[1] * (of_columns.ndim - 1), n)

    def _for_all_rows(self, values: Tensor) -> Tensor:
        return values if self.copies is None else values.unsqueeze(-2)


class _Squash(nn.Tanh):
    """The tanh of sums. A unit that is no sum but a single expression stays as it is."""

    def __init__(self) -> None:
        super().__init__()
        self.single = False

    def forward(self, sums: Tensor) -> Tensor:
        return sums if self.single else super().forward(sums)


def level_sizes(
    degrees: int, outputs: int, width: int, depth: int, skip: bool
) -> list[tuple[int, int]]:
    """The inputs and outputs of every level: with ``skip`` degrees are inputs of all levels.

    >>> level_sizes(4, 3, 8, 2, skip=False), level_sizes(4, 3, 8, 2, skip=True)
    ([(4, 8), (8, 3)], [(4, 8), (12, 3)])
    """
    sizes = [degrees, *[width] * (depth - 1), outputs]
    beside = degrees if skip else 0
    return [
        (before + (beside if level else 0), after)
        for level, (before, after) in enumerate(pairwise(sizes))
    ]


def _logic_levels(sizes: list[tuple[int, int]], options: dict[str, Any]) -> nn.Sequential:
    """Levels of these sizes, with a tanh in between."""
    logic = nn.Sequential()
    for level, (inputs, outputs) in enumerate(sizes, 1):
        if level > 1:
            logic.add_module(f"tanh{level - 1}", _Squash())
        logic.add_module(f"level{level}", LogicLayer(inputs, outputs, **options))
    return logic


def _apply_constraints(network: nn.Module, *_: Any) -> None:
    """A hook. Not a method, so that a deep copy of a network does not refer to the original."""
    if isinstance(network, LogicNetwork):
        network.apply_constraints()


def _check_sizes(columns: int, outputs: int, width: int, depth: int, selected: int) -> None:
    if min(columns, outputs, width, depth) < 1:
        raise ValueError(
            "LogicNetwork needs in_features, out_features, width and depth of at least 1, "
            f"got {columns}, {outputs}, {width} and {depth}"
        )
    if not 1 <= selected <= columns:
        raise ValueError(f"n_selected_features must be from 1 to {columns}, got {selected}")


def _check_limits(limits: Limits | None, columns: int, outputs: int) -> None:
    if limits is None:
        return
    if limits.rises.shape != (columns, outputs):
        raise ValueError(
            f"a network of {columns} columns and {outputs} outputs needs limits of shape "
            f"{(columns, outputs)}, got {limits.rises.shape}"
        )
