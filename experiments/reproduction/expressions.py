"""Section III-A at the next size: networks that learn random expressions of two levels.

The paper's claim about *simple boolean logical expressions* is tested on
``(a op b) op (c op d)`` with the paper's own topology, which can hold each of them exactly:
two hidden units for the pairs, and one operator over these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING

import numpy as np
import torch

from crisplogic import LogicClassifier
from crisplogic.expr import Expr, Not, Xor, evaluate
from crisplogic.render import to_text
from crisplogic.train import PAPER_SETTINGS
from experiments.harness.markdown import markdown_table
from experiments.harness.pictures import BLUE, GREEN, ORANGE, page_figure
from experiments.harness.store import Document
from experiments.harness.threads import one_thread
from experiments.reproduction.expression_networks import (
    ExpressionNetworks,
    draw,
    patterns,
    train,
)
from experiments.reproduction.scale import Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EQUATIONS = (1, 2, 3)
VARIABLES = (3, 4, 5, 6)
# Our usual width, and as few hidden units as an expression needs.
WIDTHS = (8, 2)
DEPTHS = (1, 2)
# How often each pattern stands in the table that LogicClassifier learns from.
REPEATS = 8
# Networks are looked at so often, each time after twice as many presentations.
CHECKS = 8
KINDS = ("soft", "snapped")
LINES = {1: (ORANGE, "--"), 2: (BLUE, "-"), 3: (GREEN, ":")}


@dataclass(frozen=True)
class NetworkTask:
    """Networks of one equation that learn expressions, each from several starts."""

    equation: int
    variables: int
    width: int
    expressions: int
    starts: int
    presentations: int
    seed: int = 0

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"expressions/width-{self.width}/eq{self.equation}-{self.variables}"

    def question(self) -> Document:
        """What stored figures must agree with to count as an answer."""
        drawn = draw(self.variables, self.expressions, self.seed)
        settings = {"rate": PAPER_SETTINGS.learning_rate, "l1": PAPER_SETTINGS.l1}
        return {**asdict(self), **settings, "drawn": [to_text(expr) for expr in drawn]}

    def perform(self) -> Document:
        """Which share of the networks is right, softly and rounded, as they learn."""
        rows = patterns(self.variables)
        drawn = draw(self.variables, self.expressions, self.seed)
        tables = np.array([evaluate(expr, rows) for expr in drawn])
        truth = torch.tensor(tables.repeat(self.starts, axis=0), dtype=torch.float32)
        inputs = torch.tensor(rows, dtype=torch.float32)
        size = self.variables, self.width, len(truth)
        moments = [self.presentations >> halvings for halvings in reversed(range(CHECKS))]
        with one_thread():
            networks = ExpressionNetworks(self.equation, *size, self.seed)
            checks = list(train(networks, inputs, truth, PAPER_SETTINGS, moments, self.seed))
        shares = torch.tensor(checks).double().unflatten(-1, (self.expressions, -1)).mean(-1)
        figures: Document = {"presentations": moments}
        for kind, found in zip(KINDS, shares.unbind(1), strict=True):
            figures[kind] = found.mean(-1).tolist()
            figures[f"{kind}_by_expression"] = found[-1].tolist()
        return figures

    def line(self, figures: Document) -> str:
        """The shares at the end, for whoever waits."""
        soft, snapped = (figures[kind][-1] for kind in KINDS)
        return f"{self.name}: {soft:.1%} right, rounded {snapped:.1%}"


@dataclass(frozen=True)
class RulesTask:
    """The rules of :class:`LogicClassifier` for the first of the same expressions."""

    depth: int
    variables: int
    expressions: int
    seed: int = 0

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"expressions/rules/depth-{self.depth}-{self.variables}"

    def question(self) -> Document:
        """What stored figures must agree with; changed defaults are another question."""
        drawn = draw(self.variables, self.expressions, self.seed)
        settings = LogicClassifier(depth=self.depth).get_params()
        seeds = list(range(self.expressions))
        return {
            **asdict(self),
            "repeats": REPEATS,
            "settings": {**settings, "random_state": seeds},
            "drawn": [to_text(expr) for expr in drawn],
        }

    def perform(self) -> Document:
        """What is known of each expression's rules; the seed of a fit is its number."""
        drawn = draw(self.variables, self.expressions, self.seed)
        with one_thread():
            return {"rules": [self._fitted(expr, seed) for seed, expr in enumerate(drawn)]}

    def line(self, figures: Document) -> str:
        """How many are right, for whoever waits."""
        number = sum(found["right"] for found in figures["rules"])
        return f"{self.name}: {number} of {len(figures['rules'])} right"

    def _fitted(self, expr: Expr, seed: int) -> Document:
        rows = patterns(self.variables)
        truth = evaluate(expr, rows) > 0
        table, labels = np.tile(rows, (REPEATS, 1)), np.tile(truth, REPEATS)
        clf = LogicClassifier(depth=self.depth, random_state=seed).fit(table, labels)
        sizes = [
            point.size
            for point in clf.frontier_
            if (clf.classes_[point.rules.scores(rows).argmax(axis=1)] == truth).all()
        ]
        return {
            "outer_xor": isinstance(expr.operand if isinstance(expr, Not) else expr, Xor),
            "right": bool((clf.predict(rows) == truth).all()),
            "literals": clf.rules_.size,
            "least_right": min(sizes, default=None),
        }


def tasks(scale: Scale) -> list[NetworkTask | RulesTask]:
    """Networks of every equation, width and number of variables, and our rules beside them."""
    expressions, starts, presentations = (4, 2, 200) if scale.quick else (40, 3, 5000)
    numbers, fitted = (VARIABLES[:2], 1) if scale.quick else (VARIABLES, 8)
    networks = [
        NetworkTask(equation, variables, width, expressions, starts, presentations)
        for width in WIDTHS
        for variables in numbers
        for equation in EQUATIONS
    ]
    rules = [RulesTask(depth, variables, fitted) for depth in DEPTHS for variables in numbers]
    return [*networks, *rules]


# The page


def section(documents: Sequence[Document], folder: str | None = None) -> str:
    """The part of the page about expressions; with its picture if there is a folder."""
    networks = [document for document in documents if "equation" in document]
    rules = [document for document in documents if "depth" in document]
    picture = [f"![Share of right networks as they learn]({folder}/expressions.png)"]
    return "\n\n".join(
        [
            "## Section III-A, extended: random expressions",
            _introduction(networks[0]),
            _network_table(networks),
            _verdict(networks),
            *(picture if folder else []),
            _rules_introduction(rules),
            _rules_table(rules),
        ]
    )


def pictures(documents: Sequence[Document]) -> dict[str, Figure]:
    """By name: the share of right networks as they learn, softly and rounded."""
    found = {_place(document): document for document in documents if "equation" in document}
    numbers = sorted({variables for _, variables, _ in found})
    figure = page_figure(height=4.4)
    axes = figure.subplots(len(WIDTHS), len(numbers), sharex=True, sharey=True, squeeze=False)
    for (width, variables, equation), document in found.items():
        ax = axes[WIDTHS.index(width), numbers.index(variables)]
        figures, (colour, dash) = document["figures"], LINES[equation]
        for kind, thickness, marker in (("soft", 2.2, ""), ("snapped", 1.0, ".")):
            label = f"Eq. {equation}{', rounded' if kind == 'snapped' else ''}"
            style = {"color": colour, "linestyle": dash, "linewidth": thickness}
            shares = [100 * share for share in figures[kind]]
            ax.plot(figures["presentations"], shares, marker=marker, label=label, **style)
        ax.set_xscale("log")
        ax.set_title(f"{variables} variables, width {width}", fontsize="small")
        ax.grid(alpha=0.3)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, fontsize="small")
    figure.supxlabel("patterns presented", fontsize="medium")
    figure.supylabel("networks right on all patterns, %", fontsize="medium")
    return {"expressions": figure}


def _place(document: Document) -> tuple[int, int, int]:
    return document["width"], document["variables"], document["equation"]


def _introduction(document: Document) -> str:
    return (
        "The same for the paper's network and expressions of two levels, such as"
        f" `{document['drawn'][0]}`: pairs of literals joined by *and*, *or*, *xor*, *nand*,"
        " *nor* or *nxor*, and two pairs joined likewise. They depend on four variables (of"
        " three, on all); others are there to be left out. For each number of variables"
        f" {document['expressions']} expressions with different truth tables,"
        f" {document['starts']} starts each, the same ones for every equation; all patterns"
        f" are presented one at a time, {document['presentations']} times in all, with learning"
        f" rate {document['rate']:g}, L1 {document['l1']:g} and squared error. *Width* is the"
        " number of hidden units: 8, as everywhere here, or 2, what an expression needs."
        " Networks that answer all patterns rightly, and after rounding to the nearest, in %:"
    )


def _network_table(networks: Sequence[Document]) -> str:
    rows: dict[tuple[int, int], list[str]] = {}
    for document in sorted(networks, key=lambda one: (-one["width"], *_place(one))):
        soft, snapped = (100 * document["figures"][kind][-1] for kind in ("soft", "snapped"))
        row = rows.setdefault(_place(document)[:2], [])
        row.append(f"{soft:.1f}, rounded {snapped:.1f}")
    cells = [[f"{width}", f"{number}", *row] for (width, number), row in rows.items()]
    return markdown_table(["width", "variables", *(f"Eq. {one}" for one in EQUATIONS)], cells)


def _verdict(networks: Sequence[Document]) -> str:
    """What holds of the paper's claim, and what rounding leaves."""
    told = {width: _compared(networks, width) for width in WIDTHS}
    ahead = [f"{width}" for width, text in told.items() if "ahead of" in text]
    claim = f"shows at width {' and '.join(ahead)}" if ahead else "does **not** show here"
    lines = "\n".join(f"- Width {width}: {text}" for width, text in told.items())
    return f"That Eq. 2 learns where others stick {claim}.\n\n{lines}"


def _compared(networks: Sequence[Document], width: int) -> str:
    """Eq. 2 beside the others, expression by expression."""
    soft, snapped = (_by_expression(networks, width, kind) for kind in KINDS)
    others = " and ".join(_difference(soft[2], soft[other], f"Eq. {other}") for other in (1, 3))
    rounded = ", ".join(f"{100 * fmean(snapped[one]):.1f} % (Eq. {one})" for one in EQUATIONS)
    return (
        f"with Eq. 2 {100 * fmean(soft[2]):.1f} % of all networks are right; it is {others}."
        f" Rounded, {rounded} are right."
    )


def _by_expression(
    networks: Sequence[Document], width: int, kind: str
) -> dict[int, list[float]]:
    """By equation: the share of right starts of every expression, in one order."""
    found: dict[int, list[float]] = {equation: [] for equation in EQUATIONS}
    for document in sorted(networks, key=_place):
        if document["width"] == width:
            found[document["equation"]] += document["figures"][f"{kind}_by_expression"]
    return found


def _difference(ours: Sequence[float], theirs: Sequence[float], name: str) -> str:
    """In words and in points of a percent, with the standard error over expressions.

    >>> _difference([1.0, 1.0, 0.5], [0.5, 0.5, 0.0], "Eq. 1")
    'ahead of Eq. 1 (+50.0 ± 0.0 points)'
    >>> _difference([1.0, 0.0], [0.0, 1.0], "Eq. 3")
    'not different from Eq. 3 (+0.0 ± 100.0 points)'
    """
    points = [100 * (own - other) for own, other in zip(ours, theirs, strict=True)]
    mean, error = fmean(points), stdev(points) / sqrt(len(points))
    certain = "ahead of" if mean > 0 else "behind"
    word = certain if abs(mean) > 2 * error else "not different from"
    return f"{word} {name} ({mean:+.1f} ± {error:.1f} points)"


def _rules_introduction(rules: Sequence[Document]) -> str:
    default = [one for d in rules if d["depth"] == 1 for one in d["figures"]["rules"]]
    xors, others = (
        [one for one in default if one["outer_xor"] == is_xor] for is_xor in (True, False)
    )
    return (
        f"Beside them `LogicClassifier` on the first {rules[0]['expressions']} of the same"
        f" expressions, every pattern {rules[0]['repeats']} times in its table. Its default,"
        " one level, sums expressions of two columns and cannot express everything: a parity"
        f" of three inputs, for one. It is right on {_count(xors)} expressions whose outer"
        f" operator is *xor* or *nxor* and on {_count(others)} others. *Found* are those for"
        " which its frontier holds right rules, chosen by held-out rows or not; literals are"
        " those of the smallest right rules, their median."
    )


def _count(rules: Sequence[Document]) -> str:
    return f"{sum(one['right'] for one in rules)} of {len(rules)}"


def _rules_table(rules: Sequence[Document]) -> str:
    rows = []
    for document in rules:
        found = document["figures"]["rules"]
        sizes = [one["least_right"] for one in found if one["least_right"] is not None]
        cells = [document["depth"], document["variables"], sum(one["right"] for one in found)]
        cells += [len(sizes), f"{median(sizes):g}" if sizes else "–"]
        rows.append([f"{cell}" for cell in cells])
    of = f"of {rules[0]['expressions']}"
    head = ["depth", "variables", f"right, {of}", f"found, {of}", "literals"]
    return markdown_table(head, rows)
