"""From stored results to the page: targets first, then every part with where it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.parts import PARTS
from benchmarks.tables import Verdict, number
from experiments.harness.markdown import markdown_table
from experiments.harness.store import Document

HEAD = (
    "# Benchmarks\n\n"
    "How fast crisplogic is; [docs/performance.md](../../docs/performance.md) says what is"
    " measured and how to run it. Figures are medians, with the least and the greatest in"
    " brackets."
)


def to_markdown(documents: Mapping[str, Document]) -> str:
    """The whole page, from the documents of the parts that there are."""
    sections = [HEAD]
    if any(document["quick"] for document in documents.values()):
        sections.append(
            "**Some of it was measured with `--quick`: those figures mean little.**"
        )
    found = [
        verdict
        for name, document in documents.items()
        for verdict in PARTS[name].told.verdicts(document["rows"])
    ]
    if found:
        sections += ["## Against the targets", outcome(found), targets_table(found)]
    sections += [part_section(name, document) for name, document in documents.items()]
    return "\n\n".join(sections) + "\n"


def part_section(name: str, document: Document) -> str:
    """One part: its table, its pictures and its origin."""
    told = PARTS[name].told
    table = told.table(document["rows"])
    pictures = [f"![{told.TITLE}]({picture}.png)" for picture in document["pictures"]]
    return "\n\n".join(
        [
            f"## {told.TITLE}",
            told.ABOUT,
            *pictures,
            markdown_table(table.head, table.lines),
            origin_line(document),
        ]
    )


def outcome(verdicts: Sequence[Verdict]) -> str:
    """How many targets are reached.

    >>> outcome([Verdict("a", 2.0, 1.0, "x"), Verdict("b", 2.0, 3.0, "x")])
    '1 of 2 targets are reached, 1 missed.'
    """
    missed = sum(verdict.missing > 0 for verdict in verdicts)
    said = f"{len(verdicts) - missed} of {len(verdicts)} targets are reached"
    return f"{said}, {missed} missed." if missed else f"{said}."


def targets_table(verdicts: Sequence[Verdict]) -> str:
    """Every target, and whether it is reached."""
    lines = []
    for verdict in verdicts:
        sign = "≥" if verdict.at_least else "≤"
        told = f"**{verdict.outcome}**" if verdict.missing else verdict.outcome
        target = f"{sign} {verdict.target:g} {verdict.unit}"
        lines.append([verdict.what, f"{number(verdict.found)} {verdict.unit}", target, told])
    return markdown_table(["what", "found", "target", "outcome"], lines)


def origin_line(document: Document) -> str:
    """Command, date, machine and versions."""
    versions = ", ".join(f"{name} {given}" for name, given in document["versions"].items())
    return (
        f"`{document['command']}`, {document['date']}, {document['seconds']:.0f} s;"
        f" {document['processor']}, {document['cores']} cores; {versions}."
    )
