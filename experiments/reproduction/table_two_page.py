"""Table II as a page: expressions with numbers and with names, sizes, errors, diagrams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from crisplogic import RuleSet
from experiments.harness.markdown import markdown_table
from experiments.harness.store import Document
from experiments.reproduction.published import TABLE_ONE, TABLE_TWO
from experiments.reproduction.table_two import rules_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEAD = """## Table II: the expressions

Of all five tables, the two that the paper leaves out included. *Snapped to the nearest* and
*ours* were learned from the training rows of the first fold and are judged on its test rows
(means over all folds are in Table I); what the paper prints is judged on all rows, with the
classes in the order that suits it best. Numbers stand for inputs, counted from 0, as in the
paper: for columns, and in ours for thresholds of columns."""
# More literals than this make neither a picture nor a text that anyone can follow.
MOST_DRAWN = 60
TITLES = {
    "published": "as the paper prints it",
    "snapped": "the paper's network, snapped to the nearest",
    "ours": "ours",
}


def section(documents: Sequence[Document], folder: str) -> str:
    """The section, from what is stored."""
    parts = [HEAD]
    for table, kinds in _by_table(documents).items():
        parts += [f"### {table}", _summary(table, kinds)]
        for kind, document in kinds.items():
            parts += _expressions(table, kind, rules_of(document), folder)
    return "\n\n".join(parts)


def pictures(documents: Sequence[Document]) -> dict[str, Figure]:
    """A diagram of every rule set that says anything."""
    from crisplogic.plot import plot_rules

    drawn = {}
    for table, kinds in _by_table(documents).items():
        for kind, document in kinds.items():
            if _can_be_drawn(rules_of(document)):
                figure = plot_rules(rules_of(document)).get_figure(root=True)
                assert figure is not None
                drawn[_picture(table, kind)] = figure
    return drawn


def _by_table(documents: Sequence[Document]) -> dict[str, dict[str, Document]]:
    """Table by table, what there is of each kind, in the order of the titles."""
    found: dict[str, dict[str, Document]] = {}
    for document in documents:
        found.setdefault(document["table"], {})[_kind(document)] = document
    return {
        table: {kind: kinds[kind] for kind in TITLES if kind in kinds}
        for table, kinds in found.items()
    }


def _kind(document: Document) -> str:
    if "expressions" in document:
        return "published"
    return "snapped" if "reading" in document else "ours"


def _summary(table: str, kinds: dict[str, Document]) -> str:
    lines = [[TITLES[kind], *_figures(kind, document)] for kind, document in kinds.items()]
    if table in TABLE_TWO:
        lines.insert(
            0, ["as the paper reports it", f"{TABLE_ONE[table]['snapped']:.2f}", "", ""]
        )
    return markdown_table(["", "error %", "literals", "classes predicted"], lines)


def _figures(kind: str, document: Document) -> list[str]:
    figures = document["figures"]
    if kind == "snapped":
        fold = figures["folds"][0]
        found = [fold["snapped_error"], fold["snapped_literals"], fold["snapped_classes"]]
    else:
        found = [figures["error"], figures["literals"], figures["classes"]]
    return [f"{100 * found[0]:.2f}", str(found[1]), str(found[2])]


def _expressions(table: str, kind: str, rules: RuleSet, folder: str) -> Iterator[str]:
    title = TITLES[kind]
    yield f"*{title[0].upper()}{title[1:]}*, with numbers and with names:"
    text = f"```text\n{rules.to_text(numbered=True)}\n\n{rules.to_text()}\n```"
    yield text if rules.size <= MOST_DRAWN else _folded(text, rules.size)
    if _can_be_drawn(rules):
        yield f"![{table}, {title}, as a diagram]({folder}/{_picture(table, kind)}.png)"


def _folded(text: str, literals: int) -> str:
    """Something too long to be read by anyone who did not ask for it."""
    return (
        f"<details><summary>{literals} literals, too many to be read or drawn</summary>"
        f"\n\n{text}\n\n</details>"
    )


def _can_be_drawn(rules: RuleSet) -> bool:
    return 0 < rules.size <= MOST_DRAWN


def _picture(table: str, kind: str) -> str:
    return f"table-2-{table}-{kind}"
