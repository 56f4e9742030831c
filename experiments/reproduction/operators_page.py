"""Section III-A on the page: how often single operators are learned, and where runs stick."""

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
    """Whether the paper's claim holds."""
    given, learned = (_in_setting(documents, sign, PAPER_RATE) for sign in (False, True))
    return _verdict(given, learned)


def section(documents: Sequence[Document], folder: str) -> str:
    """The part of the page about single operators."""
    given, learned = (_in_setting(documents, sign, PAPER_RATE) for sign in (False, True))
    picture = f"![Where alpha ends, from where it started]({folder}/operators.png)"
    return "\n\n".join(
        [
            "## Section III-A: single operators",
            _introduction(given["eq1"]),
            _shares(given),
            _verdict(given, learned),
            "\n".join(f"- {METHODS[name].title}: {_stuck(given[name])}" for name in given),
            picture,
            "The same with a learned sign: a weight that starts uniformly in [-1, 1] and is"
            f" rounded with alpha; {learned['eq1']['presentations']} presentations:",
            _shares(learned),
            "\n".join(f"- {METHODS[name].title}: {_stuck(learned[name])}" for name in learned),
            "The share of runs, in %, that learn the hardest operator in each setting (in"
            f" brackets: the least share of runs that end within {EXACT:g} of every answer):",
            _by_setting(documents),
        ]
    )


def pictures(documents: Sequence[Document]) -> dict[str, Figure]:
    """By name: where alpha ends, from where it started, for the operator SHOWN."""
    figure = page_figure(height=4.2)
    axes = figure.subplots(2, len(METHODS) // 2, sharex=True, sharey=True)
    given = _in_setting(documents, learns_sign=False, rate=PAPER_RATE)
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


def _in_setting(
    documents: Sequence[Document], learns_sign: bool, rate: float
) -> dict[str, Document]:
    """The documents of one setting, by method."""
    setting = learns_sign, rate
    return {d["method"]: d for d in documents if (d["learns_sign"], d["rate"]) == setting}


def _introduction(document: Document) -> str:
    return (
        "One unit learns the truth table of one operator; its sign and constants are given as"
        " in the paper's table. Plain gradient descent on half the squared error presents one"
        f" pattern at a time in random order, with learning rate {document['rate']:g} and"
        f" {document['presentations']} presentations. Alpha starts uniformly in [-1, 1] and is"
        f" kept there. There are {document['seeds']} runs per operator. *The rule* is about"
        f" alpha near 0: within epsilon = {EPSILON:g} of 0, Eq. 2 takes the mean of the slopes"
        " on both sides, as `nn.Fuzzy` does. *As printed* changes the sign of every alpha below"
        " epsilon after a step, *as meant* that of every alpha within epsilon of 0, *as in"
        " their program* the same inside the gradient only. Share of runs whose rounded alpha"
        " gives the whole truth table, %:"
    )


def _shares(answers: Mapping[str, Document]) -> str:
    """Operators by methods."""
    found = [document["figures"]["by_operator"] for document in answers.values()]
    rows = [[name, *(_percent(each[name]["learned"]) for each in found)] for name in found[0]]
    return markdown_table(["operator", *(METHODS[name].title for name in answers)], rows)


def _verdict(given: Mapping[str, Document], learned: Mapping[str, Document]) -> str:
    """Whether the paper's claim holds."""
    least = {name: hardest(document["figures"])[0] for name, document in given.items()}
    signless = {name: hardest(document["figures"])[0] for name, document in learned.items()}
    always = "always learns" if least["eq2"] == signless["eq2"] == 1 else "**fails** to learn"
    stuck = [METHODS[name].title for name in ("eq1", "eq3") if least[name] < 1]
    others = f"{' and '.join(stuck)} sometimes stick" if stuck else "the others **never** stick"
    return (
        f"The paper's claim: Eq. 2 {always} its operator, and {others}. The rule near 0"
        " matters: without it, Eq. 2 learns its hardest operator from"
        f" {_percent(least['eq2-bare'])} % of the starts, and with the rule as printed from"
        f" {_percent(least['eq2-printed'])} %."
        " With the same rule, Eq. 3 learns its hardest operator from"
        f" {_percent(least['eq3-rule'])} % of the starts. Where the sign is learned too, Eq. 3"
        f" with the rule learns it from {_percent(signless['eq3-rule'])} %, Eq. 2 from"
        f" {_percent(signless['eq2'])} %."
    )


def _stuck(document: Document) -> str:
    """Where the failures of a method end."""
    found = document["figures"]["by_operator"]
    failed = {name: each for name, each in found.items() if each["learned"] < 1}
    if not failed:
        return "learns every operator from every start."
    texts = []
    for name, each in failed.items():
        place = PLACES[max(range(len(PLACES)), key=each["failures_at"].__getitem__)]
        texts.append(f"*{name}* {_percent(1 - each['learned'])} % (most at alpha {place:g})")
    return f"fails at {', '.join(texts)}."


def _by_setting(documents: Sequence[Document]) -> str:
    settings = list(dict.fromkeys((d["learns_sign"], d["rate"]) for d in documents))
    heads = [f"sign {'learned' if sign else 'given'}, rate {rate:g}" for sign, rate in settings]
    rows = []
    for name, method in METHODS.items():
        answers = [_in_setting(documents, *setting).get(name) for setting in settings]
        rows.append([method.title, *(_hardest_text(answer) for answer in answers)])
    return markdown_table(["method", *heads], rows)


def _hardest_text(answer: Document | None) -> str:
    if answer is None:
        return "–"
    learned, exact = (hardest(answer["figures"], sense)[0] for sense in ("learned", "exact"))
    return f"{_percent(learned)} ({_percent(exact)})"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
