"""The table of results in the README, between two marks that readers do not see."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from crisplogic.files import atomic_writer
from experiments.harness.pages import markdown_table
from experiments.harness.store import Document
from experiments.rules_table.summary import RulesSummary, TableSummary, summarise

BEGIN, END = "<!-- results: make rules-table -->", "<!-- end of results -->"


def update_readme(path: Path, folds: Sequence[Document]) -> None:
    """Replace the table in a file by that of the folds."""
    text = path.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise ValueError(f"{path} needs the marks {BEGIN} and {END}, each once")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    with atomic_writer(path) as file:
        file.write(f"{before}{BEGIN}\n{to_table(summarise(folds))}\n{END}{after}")


def to_table(summaries: Sequence[TableSummary]) -> str:
    """Errors in percent, with the mean number of literals in brackets."""
    rows = [
        ["crisp rules, the default", *[_rules(one.crisp) for one in summaries]],
        [f"crisp rules, at most {_limits(summaries)}", *[_small(one) for one in summaries]],
        ["graded rules", *[_rules(one.graded) for one in summaries]],
        ["network", *[f"{fmean(one.crisp.network_error):.1f}" for one in summaries]],
    ]
    return markdown_table(["error % (literals)", *[one.table for one in summaries]], rows)


def _rules(found: RulesSummary) -> str:
    return f"{fmean(found.rules_error):.1f} ({fmean(found.rules_literals):.0f})"


def _small(summary: TableSummary) -> str:
    crisp = summary.crisp
    return f"{fmean(crisp.small_error):.1f} ({fmean(crisp.small_literals):.0f})"


def _limits(summaries: Sequence[TableSummary]) -> str:
    limits = sorted({summary.crisp.small_limit for summary in summaries})
    return " or ".join(map(str, limits))
