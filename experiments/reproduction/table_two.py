"""Table II: the expressions of all five tables, the paper's and ours, and their section."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crisplogic import ClassificationRules, LogicClassifier, RuleSet
from crisplogic.datasets import Dataset, load
from crisplogic.expr import parse
from crisplogic.rules import Membership, Rule
from experiments.harness.evaluation import count_ties, error_of, splits
from experiments.harness.pages import markdown_table
from experiments.harness.processes import one_thread
from experiments.harness.store import Document
from experiments.harness.tasks import Task
from experiments.reproduction.published import TABLE_ONE, TABLE_TWO
from experiments.reproduction.scale import QUICK_SETTINGS, Scale
from experiments.reproduction.table_one import paper_tasks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEAD = """## Table II: the expressions

All five tables, including the two that the paper leaves out. *Snapped to the nearest* and
*ours* were learned from the training rows of the first fold and are tested on its test rows
(Table I has means over all folds). Ours are graded rules, as the paper's are. The paper's
printed expressions are tested on all rows, with the order of classes that gives the least
error. Numbers are inputs, counted from 0, as in the paper: columns, and in ours thresholds of
columns."""
# Nobody can read a picture or a text of more literals than this.
MOST_DRAWN = 60
TITLES = {
    "published": "as the paper prints it",
    "snapped": "the paper's network, snapped to the nearest",
    "ours": "ours",
}


@dataclass(frozen=True)
class OurRulesTask:
    """Our graded rules of the first fold, the same as in the rules table, to be shown."""

    table: str
    quick: bool = False

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"table-two/ours/{self.table}"

    def question(self) -> Document:
        """What a stored answer must agree with."""
        return {"table": self.table, "seed": 0, "settings": self._classifier().get_params()}

    def perform(self) -> Document:
        """Fit to the training rows of the first fold and test on its test rows."""
        table = load(self.table)
        split = splits(table)[0]
        clf = self._classifier()
        with one_thread():
            clf.fit(_frame(table, split.train), table.y[split.train])
        return describe(clf.rules_, table, split.test)

    def line(self, figures: Document) -> str:
        """Error and size."""
        return f"{self.name}: {figures['error']:.1%}, {figures['literals']} literals"

    def _classifier(self) -> LogicClassifier:
        changes = QUICK_SETTINGS if self.quick else {}
        return LogicClassifier(literals="graded", random_state=0, **changes)


@dataclass(frozen=True)
class PublishedTask:
    """The expressions that the paper prints, evaluated on the table.

    The paper does not say which number stands for which class, so all orders are tried, and
    the best is optimistic. Columns are high as in the paper: linearly over their whole range.
    """

    table: str

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"table-two/published/{self.table}"

    def question(self) -> Document:
        """What a stored answer must agree with."""
        return {"table": self.table, "seed": 0, "expressions": list(TABLE_TWO[self.table])}

    def perform(self) -> Document:
        """Evaluate on all rows, for the best order of the classes."""
        table = load(self.table)
        orders = permutations(np.unique(table.y).tolist())
        every_row = np.arange(len(table.y))
        found = [describe(published_rules(table, order), table, every_row) for order in orders]
        best = min(found, key=lambda figures: figures["error"])
        return {**best, "orders": len(found)}

    def line(self, figures: Document) -> str:
        """The error."""
        return f"{self.name}: {figures['error']:.1%}"


def tasks(scale: Scale) -> list[Task]:
    """The paper's printed expressions, the rules of its network (see Table I), and ours."""
    published = [PublishedTask(table) for table in scale.tables if table in TABLE_TWO]
    ours = [OurRulesTask(table, scale.quick) for table in scale.tables]
    return [*paper_tasks(scale), *published, *ours]


def published_rules(table: Dataset, labels: Sequence[str]) -> RuleSet:
    """The paper's expressions over the columns of a table, for classes in this order."""
    low, high = np.nanmin(table.X, axis=0).tolist(), np.nanmax(table.X, axis=0).tolist()
    ends = enumerate(zip(low, high, strict=True))
    memberships = tuple(Membership(number, *limits) for number, limits in ends)
    texts = zip(labels, TABLE_TWO[table.name], strict=True)
    rules = tuple(Rule(label, parse(text)) for label, text in texts)
    return ClassificationRules(table.feature_names, memberships, rules)


def describe(rules: RuleSet, table: Dataset, rows: NDArray[np.intp]) -> Document:
    """Rules and their figures on some rows."""
    X, y = table.X[rows], table.y[rows]
    return {
        "rules": json.loads(rules.to_json()),
        "error": error_of(rules.predict(X), y),
        "tied": count_ties(rules.scores(X)),
        "classes": len(np.unique(rules.predict(X))),
        "rows": len(rows),
        "literals": rules.size,
    }


def rules_of(document: Document) -> RuleSet:
    """The rules that a document holds."""
    figures = document["figures"]
    kept = figures["first_rules"] if "first_rules" in figures else figures["rules"]
    return RuleSet.from_json(json.dumps(kept))


def _frame(table: Dataset, rows: NDArray[np.intp]) -> Any:
    """With names of columns, which flow into the rules."""
    return table.to_frame().iloc[rows]


def section(documents: Sequence[Document], folder: str) -> str:
    """The section, from what is stored."""
    parts = [HEAD]
    for table, kinds in _by_table(documents).items():
        parts += [f"### {table}", _summary(table, kinds)]
        for kind, document in kinds.items():
            parts += _expressions(table, kind, rules_of(document), folder)
    return "\n\n".join(parts)


def pictures(documents: Sequence[Document]) -> dict[str, Figure]:
    """A diagram of every rule set that is neither empty nor too large."""
    import matplotlib.pyplot as plt

    from crisplogic.plot import plot_rules

    drawn = {}
    for table, kinds in _by_table(documents).items():
        for kind, document in kinds.items():
            if _can_be_drawn(rules_of(document)):
                figure = plot_rules(rules_of(document)).get_figure(root=True)
                assert figure is not None
                plt.close(figure)  # it is only written to a file
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
    """Text behind a fold: too long for readers who did not ask for it."""
    return (
        f"<details><summary>{literals} literals, too many to be read or drawn</summary>"
        f"\n\n{text}\n\n</details>"
    )


def _can_be_drawn(rules: RuleSet) -> bool:
    return 0 < rules.size <= MOST_DRAWN


def _picture(table: str, kind: str) -> str:
    return f"table-2-{table}-{kind}"
