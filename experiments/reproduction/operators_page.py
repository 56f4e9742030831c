"""Section III-A as a page: how often single operators are learned, and what sticks where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch

from crisplogic.algebra import OPERATORS
from experiments.harness.pages import BLUE, ORANGE, markdown_table, page_figure
from experiments.harness.store import Document

if TYPE_CHECKING:
    from matplotlib.figure import Figure

from experiments.reproduction.operators import (
    EPSILON,
    EXACT,
    METHODS,
    PAPER_RATE,
    PLACES,
    SHOWN,
    hardest,
)


def verdict(documents: Sequence[Document]) -> str:
    """What holds of the paper's claim."""
    given, learned = (_asked(documents, sign, PAPER_RATE) for sign in (False, True))
    return _verdict(given, learned)


def section(documents: Sequence[Document], folder: str) -> str:
    """The part of the page about single operators."""
    given, learned = (_asked(documents, sign, PAPER_RATE) for sign in (False, True))
    picture = f"![Where alpha ends, from where it started]({folder}/operators.png)"
    return "\n\n".join(
        [
            "## Section III-A: single operators",
            _introduction(given["eq1"]),
            _shares(given),
            _verdict(given, learned),
            "\n".join(f"- {METHODS[name].title}: {_stuck(given[name])}" for name in given),
            picture,
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
