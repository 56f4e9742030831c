"""The page: our crisp rules by size, the others, and who is ahead at its own size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from crisplogic.search.crisp.search import MAX_CHECKLIST
from experiments.harness.origin import Origin
from experiments.harness.pages import markdown_table, origins_list
from experiments.harness.store import Document
from experiments.peers.published import MEASURED_ON, PEERS, TABLES, Peer
from experiments.peers.tasks import SHOWN, SIZES, SPLIT_SEED, SPLITS


@dataclass(frozen=True)
class Ours:
    """Means over the folds of one table: errors in percent, also by the bound of the size."""

    error: float
    literals: float
    by_size: Mapping[int, float]
    seconds: float


def collect(documents: Sequence[Document]) -> dict[str, Ours]:
    """Our figures by table."""
    folds: dict[str, list[Document]] = {}
    for document in documents:
        folds.setdefault(document["table"], []).append(document["figures"])
    return {table: _ours(figures) for table, figures in folds.items()}


def _ours(folds: Sequence[Document]) -> Ours:
    def mean(figures: Sequence[Document]) -> float:
        return 100 * fmean(each["error"] for each in figures)

    return Ours(
        mean([fold["chosen"] for fold in folds]),
        fmean(fold["chosen"]["literals"] for fold in folds),
        {size: mean([fold["sizes"][str(size)] for fold in folds]) for size in SIZES},
        fmean(fold["seconds"] for fold in folds),
    )


def to_markdown(documents: Sequence[Document], origin: Origin, date: str) -> str:
    """The whole page."""
    ours = collect(documents)
    parts = [
        "# Other learners of yes/no rules",
        f"Error % (conditions) on `StratifiedKFold({SPLITS}, shuffle=True,"
        f" random_state={SPLIT_SEED})`, means over the folds. Ours are crisp rules with default"
        " settings, the seed being the number of the fold: those that held-out rows chose, and"
        " of the same fits the best with at most so many literals. The others were measured"
        f" once on the same folds, on {MEASURED_ON}, and are not measured again here. Errors of"
        " folds deviate by 1 to 5 points from their means: gaps below 2 to 4 points mean little"
        " by themselves.",
        *_incomplete(documents),
        "## Ours",
        _our_table(ours),
        "## The others, each beside ours at its own size",
        "Ours are the best rules with at most as many literals as the other has conditions;"
        f" checklists have at most {MAX_CHECKLIST}. *Ahead*: our error is not greater.",
        _outcome(ours),
        _their_table(ours),
        *_notes(),
        "## Where the figures come from",
        f"This page: `{origin.command}`, {date}.",
        origins_list(documents, "folds"),
    ]
    return "\n\n".join(parts) + "\n"


def _incomplete(documents: Sequence[Document]) -> list[str]:
    if len({document["fold"] for document in documents}) == SPLITS:
        return []
    return [f"**Not all {SPLITS} folds were measured: the figures are preliminary.**"]


def _our_table(ours: Mapping[str, Ours]) -> str:
    chosen = [f"{one.error:.2f} ({one.literals:.0f})" for one in ours.values()]
    rows = [["crisp rules, the default", *chosen]]
    rows += [
        [
            f"at most {size} literals",
            *[f"{one.by_size[size]:.2f}" for one in ours.values()],
        ]
        for size in SHOWN
    ]
    rows.append(["seconds of a fit", *[f"{one.seconds:.1f}" for one in ours.values()]])
    return markdown_table(["", *ours], rows)


def _their_table(ours: Mapping[str, Ours]) -> str:
    rows = [
        [_title(peer), *[_beside(peer, table, ours[table]) for table in ours]] for peer in PEERS
    ]
    return markdown_table(["theirs (conditions), ours", *ours], rows)


def _title(peer: Peer) -> str:
    return f"{peer.name} {_marks()[peer.note]}" if peer.note else peer.name


def _beside(peer: Peer, table: str, ours: Ours) -> str:
    theirs = peer.figures[TABLES.index(table)]
    if theirs is None:
        return ""
    own = ours.by_size[theirs.size]
    verdict = "ahead" if own <= theirs.error else "**behind**"
    return f"{theirs.error:.2f} ({theirs.size}), {own:.2f}: {verdict}"


def _outcome(ours: Mapping[str, Ours]) -> str:
    cells = [
        _beside(peer, table, one)
        for peer in PEERS
        if peer.is_crisp
        for table, one in ours.items()
    ]
    compared = [cell for cell in cells if cell.endswith(("ahead", "**behind**"))]
    ahead = sum(cell.endswith("ahead") for cell in compared)
    return f"Ahead in {ahead} of {len(compared)} comparisons with yes/no learners."


def _marks() -> dict[str, str]:
    notes = list(dict.fromkeys(peer.note for peer in PEERS if peer.note))
    return {note: "¹²³⁴⁵"[at] for at, note in enumerate(notes)}


def _notes() -> list[str]:
    return [f"{mark} {note[0].upper()}{note[1:]}." for note, mark in _marks().items()]
