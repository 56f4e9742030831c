"""The page: all sections, and where their figures come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from experiments.harness.markdown import origins_list
from experiments.harness.store import Document
from experiments.reproduction.parts import PARTS
from experiments.reproduction.scale import Scale

HEAD = """# The paper, reproduced

Luke B. Godfrey and Michael S. Gashler, *A parameterized activation function for learning fuzzy
logic operations in deep neural networks* (2017): its figures, tables and claims, done again.
This page is made by `make reproduce` from what is stored in
[experiments/results](../experiments/results/reproduction), one file a measurement with the
complete question, the seed, the command, the versions and the date;
[experiments/README.md](../experiments/README.md) says how. Sentences with figures in them are
computed from the same files. [paper.md](paper.md) goes through the paper line by line."""


def to_markdown(found: Mapping[str, Sequence[Document]], folder: str, scale: Scale) -> str:
    """The whole page, from the answers of the parts that there are."""
    parts = [HEAD]
    if scale.quick:
        parts.append("**A trial run with `--quick`: no figure on this page means anything.**")
    parts += ["## In short", _in_short(found)]
    for name, part in PARTS.items():
        if name in found:
            parts.append(part.section(found[name], folder))
        else:
            parts.append(f"## {name}\n\nNot measured yet: `make reproduce` goes on with it.")
    parts += ["## Where the figures come from", _origins(found)]
    return "\n\n".join(parts) + "\n"


def _in_short(found: Mapping[str, Sequence[Document]]) -> str:
    """What the parts say, a line each."""
    said = [PARTS[name].verdict(documents) for name, documents in found.items()]
    return "\n".join(text if text.startswith("- ") else f"- {text}" for text in said if text)


def _origins(found: Mapping[str, Sequence[Document]]) -> str:
    """Part by part: they may come from different machines."""
    return "\n\n".join(
        f"**{name}**\n\n{origins_list(documents, 'measurements')}"
        for name, documents in found.items()
        if documents
    )
