"""Section III-A: does one unit learn each of the eight operators, and where does it stick?

The paper *found experimentally that Eq. 2 was always able to learn simple boolean logical
expressions, while the other equations sometimes became stuck*, and gives no figures. Here
single units learn truth tables, thousands of them side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from crisplogic.algebra import OPERATORS, fuzzy, fuzzy_root, fuzzy_squared
from experiments.harness.processes import one_thread
from experiments.harness.store import Document
from experiments.reproduction.scale import Scale

EPSILON = 0.001
PAPER_RATE, HIGHER_RATE = 0.01, 0.1
# Presentations times the learning rate, by whether the sign is learned too: enough for a unit
# that does not stick to come within EXACT of every answer.
TRAVEL = {False: 40, True: 80}
EXACT = 0.05
PATTERNS = ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0))
# Failures are counted around these alphas.
PLACES = [place / 4 for place in range(-4, 5)]
# So many runs of this operator are stored one by one, for the picture.
SHOWN, KEPT = "nor", 150


def _middle(alpha: Tensor) -> Tensor:
    """Near 0 the slope is taken at 0, where it is the mean of both sides, as in nn.Fuzzy."""
    return alpha.where(alpha.abs() >= EPSILON, 0.0)


def _across(alpha: Tensor) -> Tensor:
    """An alpha near 0 changes its sign."""
    return alpha.where(alpha.abs() >= EPSILON, -alpha)


def _as_printed(alpha: Tensor) -> Tensor:
    """*If alpha < epsilon then alpha <- -alpha*: every negative alpha changes its sign."""
    return alpha.where(alpha >= EPSILON, -alpha)


def _as_it_is(alpha: Tensor) -> Tensor:
    return alpha


@dataclass(frozen=True)
class Method:
    """An equation, where its slope is taken, and how alpha changes after a step."""

    title: str
    equation: Callable[..., Any]
    slope_at: Callable[[Tensor], Tensor] = _as_it_is
    after_step: Callable[[Tensor], Tensor] = _as_it_is


METHODS = {
    "eq1": Method("Eq. 1", fuzzy_squared),
    "eq2": Method("Eq. 2", fuzzy, slope_at=_middle),
    "eq3": Method("Eq. 3", fuzzy_root),
    "eq3-rule": Method("Eq. 3, with the rule", fuzzy_root, slope_at=_middle),
    "eq2-bare": Method("Eq. 2, no rule", fuzzy),
    "eq2-printed": Method("Eq. 2, rule as printed", fuzzy, after_step=_as_printed),
    "eq2-meant": Method("Eq. 2, rule as meant", fuzzy, after_step=_across),
    "eq2-program": Method("Eq. 2, rule as in their program", fuzzy, slope_at=_across),
}
# What is compared where the sign is learned too: the rules of Eq. 2 differ only near 0.
RIVALS = ("eq1", "eq2", "eq3", "eq3-rule")


@dataclass(frozen=True)
class Runs:
    """Units before and after they learned. Shape of all: (operators, seeds)."""

    start: Tensor
    alpha: Tensor
    weight: Tensor


def truth_tables(names: Sequence[str]) -> tuple[Tensor, Tensor, Tensor]:
    """Both inputs and the right answers; *identity* and *not* have each pattern twice.

    Shape of each: (operators, 1, patterns).

    >>> truth_tables(["and", "not"])[2][:, 0].tolist()
    [[1.0, -1.0, -1.0, -1.0], [-1.0, -1.0, 1.0, 1.0]]
    """
    rows = []
    for operator in map(OPERATORS.__getitem__, names):
        inputs = [pattern[: operator.arity] for pattern in PATTERNS]
        second = [y if operator.constant is None else operator.constant for _, y in PATTERNS]
        rows.append([[x for x, _ in PATTERNS], second, [operator.signed(*i) for i in inputs]])
    x, y, target = torch.tensor(rows, dtype=torch.float64).unsqueeze(2).unbind(1)
    return x, y, target


def slope(equation: Callable[..., Any], x: Tensor, y: Tensor, alpha: Tensor) -> Tensor:
    """The derivative of an equation by alpha, element by element."""
    alpha = alpha.detach().requires_grad_()
    (found,) = torch.autograd.grad(equation(x, y, alpha).sum(), alpha)
    return found


@dataclass(frozen=True)
class OperatorTask:
    """All operators, learned by one method from many starts.

    Alpha starts uniform on [-1, 1] and so does the sign, a weight, where it is learned; both
    are kept there. Every unit sees its patterns in an order of its own. The loss is half the
    squared error.
    """

    method: str
    rate: float
    learns_sign: bool
    seeds: int
    presentations: int
    seed: int = 0

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        sign = "sign-learned" if self.learns_sign else "sign-given"
        return f"operators/{sign}-{self.rate:g}/{self.method}"

    @property
    def operators(self) -> list[str]:
        """Where the sign is learned, those of two inputs: the others' constants hold it."""
        return [
            name
            for name, operator in OPERATORS.items()
            if operator.arity == 2 or not self.learns_sign
        ]

    def question(self) -> Document:
        """What stored figures must agree with."""
        return {**asdict(self), "operators": self.operators, "epsilon": EPSILON}

    def perform(self) -> Document:
        """How many runs learned each operator and where the others ended, in one thread."""
        with one_thread():
            runs = self.runs()
            by_operator = measure_shares(METHODS[self.method].equation, self.operators, runs)
        ends = {"start": runs.start, "end": runs.alpha}
        row = self.operators.index(SHOWN)
        kept = {name: (values[row, :KEPT] * 1000).round() for name, values in ends.items()}
        in_thousandths = {name: values.int().tolist() for name, values in kept.items()}
        return {"by_operator": by_operator, "shown_in_thousandths": in_thousandths}

    def line(self, figures: Document) -> str:
        """The operator that was learned least often."""
        share, operator = hardest(figures)
        return f"{self.name}: {operator} least often, {share:.1%}"

    def runs(self) -> Runs:
        """Gradient descent, one pattern at a time, for all operators and seeds at once."""
        method = METHODS[self.method]
        generator = torch.Generator().manual_seed(self.seed)
        start, weight = self._starts(generator)
        alpha = start
        for x, y, target in self._presented(generator):
            value = method.equation(x, y, alpha)
            error = weight * value - target
            by_alpha = error * weight * slope(method.equation, x, y, method.slope_at(alpha))
            if self.learns_sign:
                weight = (weight - self.rate * error * value).clamp(-1, 1)
            alpha = method.after_step((alpha - self.rate * by_alpha).clamp(-1, 1))
        return Runs(start, alpha, weight)

    def _starts(self, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        shape = 2, len(self.operators), self.seeds
        drawn = 2 * torch.rand(shape, generator=generator, dtype=torch.float64) - 1
        alpha, weight = drawn.unbind()
        if not self.learns_sign:
            signs = [float(OPERATORS[name].weight) for name in self.operators]
            weight = torch.tensor(signs, dtype=torch.float64)[:, None].expand_as(weight)
        return alpha, weight

    def _presented(self, generator: torch.Generator) -> Iterator[tuple[Tensor, ...]]:
        """Yield one pattern for every unit; all four come before one is repeated."""
        shape = len(self.operators), self.seeds, len(PATTERNS)
        table = torch.stack(truth_tables(self.operators)).expand(3, *shape)
        for _ in range(self.presentations // len(PATTERNS)):
            order = torch.rand(shape, generator=generator).argsort(-1).expand(3, *shape)
            for pattern in table.gather(-1, order).unbind(-1):
                yield pattern.unbind()


def measure_shares(
    equation: Callable[..., Any], operators: Sequence[str], runs: Runs
) -> dict[str, Document]:
    """By operator: the share of runs that learned it in three senses, and the failures.

    ``learned``: rounded, the unit is right on the whole truth table. ``soft``: as it is, it
    has the right sign everywhere. ``exact``: it is nowhere more than EXACT off.
    """
    x, y, target = truth_tables(operators)
    alpha, weight = runs.alpha.unsqueeze(-1), runs.weight.unsqueeze(-1)
    output = weight * equation(x, y, alpha)
    learned = (weight.round() * equation(x, y, alpha.round()) == target).all(-1)
    soft = (output * target > 0).all(-1)
    exact = ((output - target).abs() < EXACT).all(-1)
    return {
        name: {
            "learned": learned[row].double().mean().item(),
            "soft": soft[row].double().mean().item(),
            "exact": exact[row].double().mean().item(),
            "failures_at": count_places(runs.alpha[row][~learned[row]]),
        }
        for row, name in enumerate(operators)
    }


def count_places(alphas: Tensor) -> list[int]:
    """The number of alphas that are nearest to each of PLACES.

    >>> count_places(torch.tensor([-0.9, 0.01, -0.01]))
    [1, 0, 0, 0, 2, 0, 0, 0, 0]
    """
    nearest = (4 * alphas).round().long() + 4
    return torch.bincount(nearest, minlength=len(PLACES)).tolist()


def hardest(figures: Document, sense: str = "learned") -> tuple[float, str]:
    """The least share of any operator, and the operator."""
    return min((found[sense], name) for name, found in figures["by_operator"].items())


def tasks(scale: Scale) -> list[OperatorTask]:
    """Every method at the paper's rate and at a higher one; rivals also with a learned sign."""
    seeds, shorter = (50, 5) if scale.quick else (1000, 1)
    return [
        OperatorTask(method, rate, learns_sign, seeds, round(travel / rate / shorter))
        for learns_sign, travel in TRAVEL.items()
        for rate in (PAPER_RATE, HIGHER_RATE)
        for method in (RIVALS if learns_sign else METHODS)
    ]
