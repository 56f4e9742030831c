"""What the paper leaves open: how much each choice changes the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from experiments.harness.evaluation import SPLITS
from experiments.harness.pages import markdown_table
from experiments.harness.store import Document
from experiments.reproduction.network_tasks import PaperTask
from experiments.reproduction.paper_network import Reading
from experiments.reproduction.scale import Scale

# What is changed, in words and as a reading. One thing at a time.
CHOSEN = Reading()
READINGS: dict[str, Reading] = {
    "as chosen": CHOSEN,
    "width 4 instead of 8": replace(CHOSEN, width=4),
    "width 16": replace(CHOSEN, width=16),
    "30 epochs instead of 100": replace(CHOSEN, epochs=30),
    "300 epochs": replace(CHOSEN, epochs=300),
    "cross-entropy instead of squared error": replace(CHOSEN, loss="cross_entropy"),
    "every alpha starts at 0 instead of uniform on [-1, 1]": replace(CHOSEN, alpha="zero"),
    "selector weights start at 1 instead of 1/n": replace(CHOSEN, selector="ones"),
    "selector weights start random on [-1, 1]": replace(CHOSEN, selector="random"),
    "selector of the authors' program: [0, 1], sum 1": replace(CHOSEN, selector="program"),
    "no epsilon rule instead of the mean of both slopes": replace(CHOSEN, crossing="none"),
    "epsilon rule of the text: alpha flips": replace(CHOSEN, crossing="flip"),
    "epsilon rule of the authors' program": replace(CHOSEN, crossing="flip in gradient"),
    "L1 not scaled by the learning rate": replace(CHOSEN, penalty="unscaled"),
}
WITHOUT_TANH = "tanh left out of snapped expressions"
# The tables whose expressions the paper prints; the others take hours.
TABLES = ("breast-cancer-wisconsin", "diabetes", "vehicle")
QUICK_EPOCHS = {30: 1, 100: 2, 300: 3}


def tasks(scale: Scale) -> list[PaperTask]:
    """Every reading on the folds of the first repetition."""
    folds = min(SPLITS, scale.folds)
    return [
        PaperTask(table, folds, _scaled(reading, scale), _label(number), scale.networks_on)
        for table in TABLES
        if table in scale.tables
        for number, reading in enumerate(READINGS.values())
    ]


def section(documents: Sequence[Document]) -> str:
    """The section, from what is stored."""
    tables = list(dict.fromkeys(document["table"] for document in documents))
    folds = documents[0]["folds"]
    lines = [[name, *_cells(found, "snapped")] for name, found in _by_reading(documents)]
    chosen = next(found for _, found in _by_reading(documents))
    lines.append([WITHOUT_TANH, *_cells(chosen, "without_tanh")])
    heads = [f"{table}: {what}" for table in tables for what in ("network", "snapped")]
    return "\n\n".join(
        [
            "## What the paper leaves open",
            "Chosen: width 8, 100 epochs, squared error against +1 and -1, alpha uniform on"
            " [-1, 1] and clipped (as in the authors' program), selector weights equal at 1/n"
            " and in [-1, 1] (as in the paper's text, unlike the authors' program), the mean of"
            " both slopes within epsilon of alpha = 0, L1 as part of the loss and so scaled by"
            " the learning rate, tanh kept in the evaluation of snapped expressions. One thing"
            f" is changed at a time; mean error % over {folds} folds. In brackets after a"
            " snapped error: literals, and the number of folds that predict a single class.",
            markdown_table(["", *heads], lines),
            verdict(documents),
        ]
    )


def _by_reading(documents: Sequence[Document]) -> list[tuple[str, list[Document]]]:
    """The documents of every reading, one a table, in the order of the readings."""
    count = len(READINGS)
    return [(name, list(documents[number::count])) for number, name in enumerate(READINGS)]


def _cells(documents: Sequence[Document], snapped: str) -> list[str]:
    cells = []
    for document in documents:
        cells += [f"{_mean(document, 'network_error'):.1f}", _snapped_cell(document, snapped)]
    return cells


def _snapped_cell(document: Document, snapped: str) -> str:
    folds = document["figures"]["folds"]
    literals = fmean(fold["snapped_literals"] for fold in folds)
    single = sum(fold["snapped_classes"] == 1 for fold in folds)
    error = f"{_mean(document, f'{snapped}_error'):.1f}"
    return error if snapped != "snapped" else f"{error} ({literals:.0f}, {single})"


def verdict(documents: Sequence[Document]) -> str:
    """Which choice changes the network most, and which the snapped rules."""
    (_, chosen), *others = _by_reading(documents)

    def moved(found: Sequence[Document], what: str) -> float:
        pairs = zip(found, chosen, strict=True)
        return fmean(_mean(one, what) - _mean(base, what) for one, base in pairs)

    sentences = []
    for what, title in (("network_error", "network"), ("snapped_error", "snapped rules")):
        moves = {name: moved(found, what) for name, found in others}
        best, worst = min(moves, key=moves.__getitem__), max(moves, key=moves.__getitem__)
        sentences.append(
            f"- For the {title}, on the mean of the tables, the best choice is *{best}*"
            f" ({moves[best]:+.1f} points) and the worst is *{worst}* ({moves[worst]:+.1f})."
        )
    return "\n".join(sentences)


def _mean(document: Document, what: str) -> float:
    return 100 * fmean(fold[what] for fold in document["figures"]["folds"])


def _scaled(reading: Reading, scale: Scale) -> Reading:
    return replace(reading, epochs=QUICK_EPOCHS[reading.epochs]) if scale.quick else reading


def _label(number: int) -> str:
    return f"choices/{number:02d}"
