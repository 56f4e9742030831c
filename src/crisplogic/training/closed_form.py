"""A training step of networks of one level, in closed form: no graph is recorded.

All gradients of such a network are known. Written out, a step takes a few large operations in
memory that is used again, where autograd takes some hundred small ones.

A pair of inputs is a cell of a matrix with a row for each of the n inputs and a column for
each input, false and true. Only cells above the diagonal are pairs. The others stay 0, which
costs less than to collect the pairs at every step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import cast

import torch
from torch import Tensor, nn

from crisplogic.nn import LearnedMembership, LogicLayer, LogicNetwork
from crisplogic.nn.learned_membership import MAX_WIDTH, MIN_WIDTH
from crisplogic.training.config import PhaseConfig
from crisplogic.training.data import TrainingData
from crisplogic.training.losses import DELTA
from crisplogic.training.optim import Adam
from crisplogic.training.step import CudaGraphTrainStep, TrainStep
from crisplogic.training.windows import Window, Windows

# With more inputs, products with the empty half of the matrix cost more than is saved.
MAX_INPUTS = 64
LOSSES_IN_CLOSED_FORM = ("cross_entropy", "mean_squared_error", "huber")


def make_step(
    network: LogicNetwork, windows: Windows, first: Window, config: PhaseConfig
) -> TrainStep:
    """Make a recorded step for data on a GPU, else one in closed form, or a plain one.

    Steps of several processes are not recorded: they wait for each other.
    """
    kind: type[TrainStep] = TrainStep
    if first.data.targets.is_cuda:
        kind = CudaGraphTrainStep if windows.group.size == 1 else TrainStep
    elif is_in_closed_form(network, config):
        kind = ClosedFormStep
    return kind(network, windows, first, config)


def is_in_closed_form(network: LogicNetwork, config: PhaseConfig) -> bool:
    """Whether :class:`ClosedFormStep` can train these networks, and is faster."""
    return (
        network.depth == 1
        and network.copies is not None
        and network.limits is None
        and isinstance(network.membership, LearnedMembership)
        and not network.crisp
        and network.membership.out_features <= MAX_INPUTS
        and config.optimizer == "adam"
        and config.loss in LOSSES_IN_CLOSED_FORM
    )


@dataclass(frozen=True)
class _Parameters:
    """The parameters of all copies, or their gradients: views of two vectors.

    Shape: ``weight`` (copies, units, n, n + 2), ``alpha`` (copies, n, n + 2), ``intercept``
    (copies, units), ``log_scale`` (copies,); ``centre`` and ``log_width`` (copies, n).
    """

    weight: Tensor
    alpha: Tensor
    intercept: Tensor
    log_scale: Tensor
    centre: Tensor
    log_width: Tensor


@dataclass(frozen=True)
class _Buffers:
    """Memory for batches of one size.

    Shape: ``inputs`` (copies, rows, n + 2), the last two false and true; ``ramps`` (copies,
    rows, n), before they are clipped; others (copies, rows, units, n).
    """

    inputs: Tensor
    ramps: Tensor
    factors: Tensor
    products: Tensor


class ClosedFormStep(TrainStep):
    """The same steps as those of :class:`TrainStep`, but for rounding.

    Parameters live in vectors of its own. Call :meth:`write_parameters` to have them in the
    network.
    """

    def __init__(
        self, network: LogicNetwork, windows: Windows, first: Window, config: PhaseConfig
    ) -> None:
        super().__init__(network, windows, first, config)
        self.membership = cast(LearnedMembership, network.membership)
        self.layer = cast(LogicLayer, network.logic[0])
        self.n, self.units = self.layer.in_features, self.layer.out_features
        self.copies = len(network.log_scale)
        self.cells = self.layer.pair_indices[2]
        cells = torch.zeros(self.n * (self.n + 2)).index_fill_(0, self.cells, 1.0)
        self.is_pair = cells.view(self.n, self.n + 2).to(network.log_scale.dtype)
        of_inputs = torch.arange(self.n + 2) < self.n
        self.is_input_pair = self.is_pair * of_inputs
        self.buffers: dict[int, _Buffers] = {}
        self._make_vectors()
        self.read_parameters()
        self.see(first.data)

    def see(self, data: TrainingData) -> None:
        """Take the next steps on the rows of this window."""
        super().see(data)
        self.has_missing = bool(data.inputs.isnan().any())
        self.targets = data.targets
        if self.config.loss == "cross_entropy":
            self.targets = nn.functional.one_hot(data.targets, self.units)
        self.targets = self.targets.to(self.network.log_scale.dtype)

    def _make_vectors(self) -> None:
        copies, units, n = self.copies, self.units, self.n
        shapes = [(copies, units, n, n + 2), (copies, n, n + 2), (copies, units), (copies,)]
        ramps: list[tuple[int, ...]] = [(copies, n), (copies, n)]
        like = self.network.log_scale.detach()
        sizes = [sum(map(math.prod, group)) for group in (shapes, ramps)]
        vectors = [nn.Parameter(like.new_zeros(size), requires_grad=False) for size in sizes]
        self.joined = like.new_zeros(sum(sizes))  # all gradients, for one message
        for vector, gradient in zip(vectors, self.joined.split(sizes), strict=True):
            vector.grad = gradient
        self.bounded = vectors[0].detach()[: sum(map(math.prod, shapes[:2]))]
        self.optimizer = Adam([[vector] for vector in vectors], self.optimizer.rates)
        self.parameters, self.gradients = (
            _Parameters(*_split(others, shapes), *_split(of_ramps, ramps))
            for others, of_ramps in (
                [vector.detach() for vector in vectors],
                [cast(Tensor, vector.grad) for vector in vectors],
            )
        )

    def write_parameters(self) -> None:
        """Copy the parameters to the network."""
        own, network = self.parameters, self.network
        with torch.no_grad():
            self.layer.selector.weight.copy_(own.weight.flatten(-2)[..., self.cells])
            self.layer.fuzzy.alpha.copy_(own.alpha.flatten(-2)[..., self.cells])
            self.membership.centre.copy_(own.centre)
            self.membership.log_width.copy_(own.log_width)
            network.intercept.copy_(own.intercept)
            network.log_scale.copy_(own.log_scale)

    def resume(self, epochs: int, optimizer_state: list[Tensor]) -> None:
        """Continue after some epochs, with the parameters of the network."""
        super().resume(epochs, optimizer_state)
        self.read_parameters()

    @torch.no_grad()
    def read_parameters(self) -> None:
        """Continue with the parameters of the network."""
        own, network = self.parameters, self.network
        own.weight.flatten(-2)[..., self.cells] = self.layer.selector.weight
        own.alpha.flatten(-2)[..., self.cells] = self.layer.fuzzy.alpha
        own.centre.copy_(self.membership.centre)
        own.log_width.copy_(self.membership.log_width)
        own.intercept.copy_(network.intercept)
        own.log_scale.copy_(network.log_scale)

    @torch.no_grad()
    def _step(self, batch: Tensor, n_rows: int) -> Tensor:
        own, found = self.parameters, self.gradients
        self._keep_in_range()
        memory = self._memory(len(batch))
        steepness = self._write_inputs(batch, memory)
        level = _Level(own, self.layer.selector.snapped)
        scores = level.scores(memory)
        losses, by_scores = self._loss(batch, n_rows, scores + own.intercept.unsqueeze(1))
        by_inputs = level.gradients(by_scores, memory, found, self.layer.fuzzy.epsilon)
        self._ramp_gradients(by_inputs, memory.ramps, steepness)
        if not isinstance(self.network.intercept, nn.Parameter):
            found.intercept.zero_()
        if self.group.size > 1:
            self.group.add_up(self.joined)
        penalties = self._penalize()
        found.weight.mul_(self.is_pair)
        self.optimizer.step()
        return (losses + penalties / self.group.size).mean()

    def _keep_in_range(self) -> None:
        own = self.parameters
        self.bounded.clamp_(-1.0, 1.0)
        own.centre.clamp_(-1.0, 1.0)
        own.log_width.clamp_(math.log(MIN_WIDTH), math.log(MAX_WIDTH))

    def _memory(self, rows: int) -> _Buffers:
        if rows not in self.buffers:
            new, copies, units, n = self.parameters.alpha.new_empty, *self._sizes
            inputs = new(copies, rows, n + 2)
            inputs[..., n], inputs[..., n + 1] = -1.0, 1.0
            products = new(copies, rows, units, n)
            ramps = new(copies, rows, n)
            self.buffers[rows] = _Buffers(inputs, ramps, products, torch.empty_like(products))
        return self.buffers[rows]

    @property
    def _sizes(self) -> tuple[int, int, int]:
        return self.copies, self.units, self.n

    def _write_inputs(self, batch: Tensor, memory: _Buffers) -> Tensor:
        """Compute the ramps of a batch. Return how steep they are. Shape: (copies, n)."""
        own, per_column = self.parameters, (self.membership.per_feature, -1)
        columns = self.data.inputs.index_select(-2, batch).unsqueeze(-2)
        ramps = memory.ramps.unflatten(-1, per_column)
        steepness = (-own.log_width).exp()
        torch.sub(columns, own.centre.unflatten(-1, per_column).unsqueeze(1), out=ramps)
        ramps.mul_(steepness.unflatten(-1, per_column).unsqueeze(1))
        degrees = memory.inputs[..., : self.n]
        torch.clamp(memory.ramps, -1.0, 1.0, out=degrees)
        if self.has_missing:
            missing = memory.ramps.isnan()
            degrees.masked_fill_(missing, 0.0)
            memory.ramps.masked_fill_(missing, 2.0)  # beyond its end, where it has no slope
        return steepness

    def _ramp_gradients(self, by_inputs: Tensor, ramps: Tensor, steepness: Tensor) -> None:
        rising = by_inputs.mul_(ramps.abs() <= 1.0)
        torch.sum(rising, 1, out=self.gradients.centre).mul_(steepness).neg_()
        torch.sum(rising.mul_(ramps), 1, out=self.gradients.log_width).neg_()

    def _loss(self, batch: Tensor, n_rows: int, scores: Tensor) -> tuple[Tensor, Tensor]:
        """Compute the loss of every copy over ``n_rows``, and its gradient by the scores.

        Shape: (copies, rows, units) to (copies,) and (copies, rows, units).
        """
        scale = self.parameters.log_scale.exp().view(-1, 1, 1)
        logits = scores * scale
        if self.config.loss == "cross_entropy":
            targets = self.targets.index_select(-2, batch)
            logs = logits.log_softmax(-1)
            losses = -(logs * targets).sum(-1)
            by_logits = logs.exp_().sub_(targets)
        else:
            targets = self.targets.index_select(-1, batch)
            by_logits = logits - targets.unsqueeze(-1)
            sizes = by_logits.squeeze(-1).abs()
            if self.config.loss == "huber":
                by_logits.clamp_(-DELTA, DELTA)
            inside = by_logits.squeeze(-1).abs()
            losses = inside * (sizes - inside / 2)
        share = torch.full((), 1 / n_rows, dtype=logits.dtype)
        if self.data.weights is not None:
            share = self.data.weights.index_select(-1, batch) / n_rows
        by_logits.mul_(share.unsqueeze(-1))
        torch.sum((by_logits * logits).flatten(1), 1, out=self.gradients.log_scale)
        return (losses * share).sum(-1), by_logits.mul_(scale)

    def _penalize(self) -> Tensor:
        """Add the gradient of the penalties. Return them. Shape: (copies,)."""
        config, weight = self.config, self.parameters.weight
        factors = self.data.penalty_factors
        sizes = weight.abs()
        values, signs = config.l1 * sizes.sum((1, 2, 3)), weight.sign()
        if not config.literal_penalty and factors is None:
            self.gradients.weight.add_(signs, alpha=config.l1)
            return values
        shares = torch.full_like(signs, config.l1)
        if config.literal_penalty:
            # A pair of inputs counts two times its greatest weight, any other every weight.
            greatest = sizes.amax(1, keepdim=True)
            is_greatest = (sizes == greatest).to(sizes.dtype)
            of_pairs = 2 * self.is_input_pair * is_greatest.div_(is_greatest.sum(1, True))
            others = 1 - self.is_input_pair
            shares.add_(of_pairs + others, alpha=config.literal_penalty)
            of_pairs = 2 * (greatest.squeeze(1) * self.is_input_pair).sum((1, 2))
            literals = of_pairs + (sizes * others).sum((1, 2, 3))
            values = values + config.literal_penalty * literals
        if factors is not None:
            values, shares = values * factors, shares.mul_(factors.view(-1, 1, 1, 1))
        self.gradients.weight.addcmul_(shares, signs)
        return values


class _Level:
    """A level of logic as a quadratic form, as in :mod:`crisplogic.nn.logic_layer`."""

    def __init__(self, parameters: _Parameters, snapped: bool) -> None:
        weight, alpha = parameters.weight, parameters.alpha
        self.weight = weight.round() if snapped else weight
        self.alpha = alpha.round() if snapped else alpha
        size = self.alpha.abs()
        # The terms of a pair: of_both * xy + of_each * (x + y) - less.
        self.of_both = (1 + size).reciprocal_()
        self.of_each = self.alpha * self.of_both
        self.less = size * self.of_both
        n = self.alpha.shape[-2]
        each = self.weight * self.of_each.unsqueeze(1)
        linear = each.sum(-1) + each[..., :n].sum(-2)
        less = self.weight.flatten(-2) @ self.less.flatten(-2).unsqueeze(-1)
        constant = (each[..., n + 1] - each[..., n]).sum(-1)
        self.constant = constant - less.squeeze(-1)
        self.products = self.weight * self.of_both.unsqueeze(1)
        self.products[..., n + 1] += linear  # the product with true
        self.products = self.products.flatten(1, 2)

    def scores(self, memory: _Buffers) -> Tensor:
        """The sums of all units, without intercepts. Shape: (copies, rows, units)."""
        inputs, n = memory.inputs, self.alpha.shape[-2]
        torch.bmm(inputs, self.products.mT, out=memory.factors.flatten(-2))
        torch.mul(memory.factors, inputs[..., :n].unsqueeze(-2), out=memory.products)
        return memory.products.sum(-1).add_(self.constant.unsqueeze(1))

    def gradients(
        self, by_scores: Tensor, memory: _Buffers, found: _Parameters, epsilon: float
    ) -> Tensor:
        """Write the gradients by weights, alphas and intercepts; return those by the inputs.

        Shape: ``by_scores`` (copies, rows, units) to (copies, rows, n).
        """
        inputs, n = memory.inputs, self.alpha.shape[-2]
        by_scores = by_scores.unsqueeze(-1)
        torch.mul(by_scores, inputs[..., :n].unsqueeze(-2), out=memory.products)
        by_factors = memory.products.flatten(-2)
        by_both = torch.bmm(by_factors.mT, inputs).view_as(self.weight)
        by_inputs = torch.bmm(by_factors, self.products)[..., :n]
        by_inputs = memory.factors.mul_(by_scores).sum(-2).add_(by_inputs)
        by_constant = torch.sum(by_scores.squeeze(-1), 1, out=found.intercept)[..., None]
        by_end = torch.cat([by_both[..., n + 1], -by_constant, by_constant], -1)
        by_each = by_both[..., n + 1].unsqueeze(-1) + by_end.unsqueeze(-2)
        by_constant = by_constant.unsqueeze(-1)
        torch.mul(by_both, self.of_both.unsqueeze(1), out=found.weight)
        found.weight.addcmul_(by_each, self.of_each.unsqueeze(1))
        found.weight.addcmul_(by_constant, self.less.unsqueeze(1), value=-1)
        # Within epsilon of 0 the derivatives of |alpha| on both sides cancel.
        far = self.alpha.abs() >= epsilon
        signs = (self.alpha.sign() * far).unsqueeze(1)
        by_each.sub_(by_both.add_(by_constant).mul_(signs)).mul_(self.weight)
        slopes = self.of_both.square().where(far, 1.0)
        torch.sum(by_each, 1, out=found.alpha).mul_(slopes)
        return by_inputs


def _split(vector: Tensor, shapes: Sequence[tuple[int, ...]]) -> list[Tensor]:
    """Views of the parts of a vector."""
    ends = list(accumulate(map(math.prod, shapes)))
    starts = [0, *ends]
    return [
        vector[start:end].view(shape)
        for start, end, shape in zip(starts, ends, shapes, strict=False)
    ]
