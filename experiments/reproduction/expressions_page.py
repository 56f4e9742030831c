"""Section III-A, extended, on the page: how often random expressions are learned."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING

from experiments.harness.pages import markdown_table, page_figure
from experiments.harness.store import Document

if TYPE_CHECKING:
    from matplotlib.figure import Figure

from experiments.reproduction.expressions import EQUATIONS, KINDS, LINES, WIDTHS


def verdict(documents: Sequence[Document]) -> str:
    """Whether the paper's claim holds for whole networks."""
    networks = [document for document in documents if "equation" in document]
    claim, _, widths = _verdict(networks).partition("\n\n")
    return " ".join([f"Random expressions: {claim}", *widths.removeprefix("- ").split("\n- ")])


def section(documents: Sequence[Document], folder: str) -> str:
    """The part of the page about expressions."""
    networks = [document for document in documents if "equation" in document]
    rules = [document for document in documents if "depth" in document]
    picture = f"![Share of right networks as they learn]({folder}/expressions.png)"
    return "\n\n".join(
        [
            "## Section III-A, extended: random expressions",
            _introduction(networks[0]),
            _network_table(networks),
            _verdict(networks),
            picture,
            _rules_introduction(rules),
            _rules_table(rules),
        ]
    )


def pictures(documents: Sequence[Document]) -> dict[str, Figure]:
    """By name: the share of right networks as they learn, soft and rounded."""
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
        " *nor* or *nxor*, and two such pairs joined in the same way. They depend on four"
        " variables (on all, if there are three); the other variables are irrelevant. For each"
        f" number of variables there are {document['expressions']} expressions with different"
        f" truth tables and {document['starts']} starts each, the same for every equation."
        f" Patterns are presented one at a time, {document['presentations']} in all, with"
        f" learning rate {document['rate']:g}, L1 {document['l1']:g} and squared error. *Width*"
        " is the number of hidden units: 8, as everywhere here, or 2, which is what an"
        " expression needs. Share of networks that answer all patterns correctly, before and"
        " after rounding to the nearest, in %:"
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
    """Whether the paper's claim holds, before and after rounding."""
    texts = {width: _compared(networks, width) for width in WIDTHS}
    ahead = [f"{width}" for width, text in texts.items() if "ahead of" in text]
    claim = f"holds at width {' and '.join(ahead)}" if ahead else "does **not** hold here"
    lines = "\n".join(f"- Width {width}: {text}" for width, text in texts.items())
    return f"The claim that Eq. 2 learns where others stick {claim}.\n\n{lines}"


def _compared(networks: Sequence[Document], width: int) -> str:
    """Eq. 2 compared with the others, expression by expression."""
    soft, snapped = (_by_expression(networks, width, kind) for kind in KINDS)
    others = " and ".join(_difference(soft[2], soft[other], f"Eq. {other}") for other in (1, 3))
    rounded = ", ".join(f"{100 * fmean(snapped[one]):.1f} % (Eq. {one})" for one in EQUATIONS)
    return (
        f"with Eq. 2 {100 * fmean(soft[2]):.1f} % of all networks are right; it is {others}."
        f" After rounding, {rounded} are right."
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
        "For comparison, `LogicClassifier(literals='graded')` on the first"
        f" {rules[0]['expressions']} of the same expressions, with every pattern"
        f" {rules[0]['repeats']} times in its table. Its default, one level, sums expressions"
        " of two columns and cannot express everything,"
        f" for example a parity of three inputs. It is right on {_count(xors)} expressions"
        f" whose outer operator is *xor* or *nxor* and on {_count(others)} others. *Found*"
        " counts the expressions for which its frontier has right rules, chosen on held-out"
        " rows or not. *Literals* is the median size of the smallest right rules."
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
