"""Section III-A: does one unit learn each of the eight operators, and where does it stick?

The paper *found experimentally that Eq. 2 was always able to learn simple boolean logical
expressions, while the other equations sometimes became stuck*, and gives no figures. Here
single units learn truth tables, thousands of them side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from crisplogic.algebra import OPERATORS, fuzzy, fuzzy_root, fuzzy_squared
from experiments.harness.markdown import markdown_table
from experiments.harness.pictures import BLUE, ORANGE, page_figure
from experiments.harness.store import Document
from experiments.harness.threads import one_thread
from experiments.reproduction.scale import Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPSILON = 0.001
PAPER_RATE, HIGHER_RATE = 0.01, 0.1
# Presentations times the learning rate, by whether the sign is learned too: enough for a unit
# that does not stick to come within EXACT of every answer.
TRAVEL = {False: 40, True: 80}
EXACT = 0.05
PATTERNS = ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0))
# Where failures stand is counted around these alphas.
PLACES = [place / 4 for place in range(-4, 5)]
# So many runs of this operator are kept one by one, for the picture.
SHOWN, KEPT = "nor", 150


def _middle(alpha: Tensor) -> Tensor:
    """Near 0 the slope is taken at 0, where it is the mean of both sides, as in nn.Fuzzy."""
    return alpha.where(alpha.abs() >= EPSILON, 0.0)


def _across(alpha: Tensor) -> Tensor:
    """What is near 0 changes sides."""
    return alpha.where(alpha.abs() >= EPSILON, -alpha)


def _as_printed(alpha: Tensor) -> Tensor:
    """*If alpha < epsilon then alpha <- -alpha*: every negative alpha changes sides."""
    return alpha.where(alpha >= EPSILON, -alpha)


def _as_it_is(alpha: Tensor) -> Tensor:
    return alpha


@dataclass(frozen=True)
class Method:
    """An equation, where its slope is taken, and what becomes of alpha after a step."""

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
        """What stored figures must agree with to count as an answer."""
        return {**asdict(self), "operators": self.operators, "epsilon": EPSILON}

    def perform(self) -> Document:
        """How many runs learned each operator and where the others stand, in one thread."""
        with one_thread():
            runs = self.runs()
            by_operator = judged(METHODS[self.method].equation, self.operators, runs)
        ends = {"start": runs.start, "end": runs.alpha}
        row = self.operators.index(SHOWN)
        kept = {name: (values[row, :KEPT] * 1000).round() for name, values in ends.items()}
        in_thousandths = {name: values.int().tolist() for name, values in kept.items()}
        return {"by_operator": by_operator, "shown_in_thousandths": in_thousandths}

    def line(self, figures: Document) -> str:
        """The operator that was learned least often, for whoever waits."""
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
        """One pattern for every unit, time after time; all four before one comes again."""
        shape = len(self.operators), self.seeds, len(PATTERNS)
        table = torch.stack(truth_tables(self.operators)).expand(3, *shape)
        for _ in range(self.presentations // len(PATTERNS)):
            order = torch.rand(shape, generator=generator).argsort(-1).expand(3, *shape)
            for pattern in table.gather(-1, order).unbind(-1):
                yield pattern.unbind()


def judged(
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
            "failures_at": counted(runs.alpha[row][~learned[row]]),
        }
        for row, name in enumerate(operators)
    }


def counted(alphas: Tensor) -> list[int]:
    """How many alphas are nearest to each of PLACES.

    >>> counted(torch.tensor([-0.9, 0.01, -0.01]))
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


# The page


def section(documents: Sequence[Document], folder: str | None = None) -> str:
    """The part of the page about single operators; with its picture if there is a folder."""
    given, learned = (_asked(documents, sign, PAPER_RATE) for sign in (False, True))
    picture = [f"![Where alpha ends, from where it started]({folder}/operators.png)"]
    return "\n\n".join(
        [
            "## Section III-A: single operators",
            _introduction(given["eq1"]),
            _shares(given),
            _verdict(given, learned),
            "\n".join(f"- {METHODS[name].title}: {_stuck(given[name])}" for name in given),
            *(picture if folder else []),
            "The same with the sign learned too, as a weight that starts uniform on [-1, 1] and"
            f" is rounded with alpha; {learned['eq1']['presentations']} presentations:",
            _shares(learned),
            "\n".join(f"- {METHODS[name].title}: {_stuck(learned[name])}" for name in learned),
            "In all settings, the operator that is learned least often (in brackets: the least"
            f" share of runs that end within {EXACT:g} of every answer), in %:",
            _by_setting(documents),
        ]
    )


def pictures(documents: Sequence[Document]) -> dict[str, Figure]:
    """By name: where alpha ends, from where it started, when SHOWN is to be learned."""
    figure = page_figure(height=4.2)
    axes = figure.subplots(2, len(METHODS) // 2, sharex=True, sharey=True)
    given = _asked(documents, learns_sign=False, rate=PAPER_RATE)
    for ax, (name, document) in zip(axes.flat, given.items(), strict=True):
        kept = document["figures"]["shown_in_thousandths"]
        start, end = (torch.tensor(kept[key]) / 1000 for key in ("start", "end"))
        for right, colour, marker in ((True, BLUE, "o"), (False, ORANGE, "x")):
            chosen = (end.round() == OPERATORS[SHOWN].alpha) == right
            ax.scatter(start[chosen], end[chosen], s=12, color=colour, marker=marker)
        ax.set_title(METHODS[name].title.replace(", ", ",\n"), fontsize="small")
        ax.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1])
        ax.grid(alpha=0.3)
    figure.supxlabel("alpha at the start (-1 nor, 0 nxor, 1 and)", fontsize="medium")
    figure.supylabel("alpha at the end", fontsize="medium")
    figure.suptitle(f"One unit learns {SHOWN}: ● learned, × stuck", fontsize="medium")
    return {"operators": figure}


def _asked(
    documents: Sequence[Document], learns_sign: bool, rate: float
) -> dict[str, Document]:
    """By method: the answers in one setting."""
    setting = learns_sign, rate
    return {d["method"]: d for d in documents if (d["learns_sign"], d["rate"]) == setting}


def _introduction(document: Document) -> str:
    return (
        "One unit learns the truth table of one operator, its sign and constants given as in"
        " the paper's table: plain gradient descent on half the squared error, one pattern at"
        f" a time in random order, learning rate {document['rate']:g},"
        f" {document['presentations']} presentations, alpha kept in [-1, 1] and started there"
        f" uniformly, {document['seeds']} times. *The rule* is the one for alpha near 0: Eq. 2"
        f" takes, within epsilon = {EPSILON:g} of 0, the mean of the slopes on both sides, as"
        " `nn.Fuzzy` does. *As printed* changes the sign of every alpha below epsilon after a"
        " step, *as meant* of every alpha within epsilon of 0, *as in their program* the same"
        " inside the gradient only. Runs whose alpha, rounded, gives the whole truth table, %:"
    )


def _shares(answers: Mapping[str, Document]) -> str:
    """Operators by methods."""
    found = [document["figures"]["by_operator"] for document in answers.values()]
    rows = [[name, *(_percent(each[name]["learned"]) for each in found)] for name in found[0]]
    return markdown_table(["operator", *(METHODS[name].title for name in answers)], rows)


def _verdict(given: Mapping[str, Document], learned: Mapping[str, Document]) -> str:
    """What holds of the paper's claim."""
    least = {name: hardest(document["figures"])[0] for name, document in given.items()}
    signless = {name: hardest(document["figures"])[0] for name, document in learned.items()}
    always = "always learns" if least["eq2"] == signless["eq2"] == 1 else "**fails** to learn"
    stuck = [METHODS[name].title for name in ("eq1", "eq3") if least[name] < 1]
    others = f"sometimes {' and '.join(stuck)} stick" if stuck else "the others **never** stick"
    return (
        f"Of the paper's claim: Eq. 2 {always} its operator, and {others}. How much of it is"
        " the rule: without it Eq. 2 learns its hardest operator from"
        f" {_percent(least['eq2-bare'])} % of the starts, with the rule as printed from"
        f" {_percent(least['eq2-printed'])} %. Given the same rule, Eq. 3 learns its hardest"
        f" operator from {_percent(least['eq3-rule'])} % of the starts, and where the sign is"
        f" learned too (below) from {_percent(signless['eq3-rule'])} %, Eq. 2 from"
        f" {_percent(signless['eq2'])} %."
    )


def _stuck(document: Document) -> str:
    """Where the failures of a method stand."""
    found = document["figures"]["by_operator"]
    failed = {name: each for name, each in found.items() if each["learned"] < 1}
    if not failed:
        return "every operator from every start."
    told = []
    for name, each in failed.items():
        place = PLACES[max(range(len(PLACES)), key=each["failures_at"].__getitem__)]
        told.append(f"*{name}* {_percent(1 - each['learned'])} % (most at alpha {place:g})")
    return f"fails at {', '.join(told)}."


def _by_setting(documents: Sequence[Document]) -> str:
    settings = list(dict.fromkeys((d["learns_sign"], d["rate"]) for d in documents))
    heads = [f"sign {'learned' if sign else 'given'}, rate {rate:g}" for sign, rate in settings]
    rows = []
    for name, method in METHODS.items():
        answers = [_asked(documents, *setting).get(name) for setting in settings]
        rows.append([method.title, *(_hardest_text(answer) for answer in answers)])
    return markdown_table(["method", *heads], rows)


def _hardest_text(answer: Document | None) -> str:
    if answer is None:
        return "–"
    learned, exact = (hardest(answer["figures"], sense)[0] for sense in ("learned", "exact"))
    return f"{_percent(learned)} ({_percent(exact)})"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
