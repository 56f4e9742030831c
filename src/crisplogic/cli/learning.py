"""From a table in a file to what was learned from it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from crisplogic.cli.app import shows_progress
from crisplogic.cli.progress import watched_share
from crisplogic.data import Layout, Table, check_classes, read_table

if TYPE_CHECKING:
    from crisplogic.estimators import LogicClassifier
    from crisplogic.rules import Frontier, RuleSet, SnapReport


@dataclass(frozen=True)
class Source:
    """A file to learn from, and how to read it."""

    path: Path
    target: str
    drop: tuple[str, ...]
    categories: tuple[str, ...]
    layout: Layout

    def read(self, quiet: bool) -> Table:
        """The table; its target must be classes."""
        with watched_share(f"reading {self.path.name}", shows_progress(quiet)) as on_share:
            table = read_table(
                self.path,
                self.target,
                drop=self.drop,
                categories=self.categories,
                layout=self.layout,
                on_share=on_share,
            )
        assert table.y is not None
        check_classes(table.y, self.target)
        if table.left_out and not quiet:
            names = ", ".join(map(repr, table.left_out))
            typer.echo(f"left out, texts nearly all different: {names}\n", err=True)
        return table


@dataclass(frozen=True)
class Lesson:
    """What was learned: the rules that were chosen, and those of all sizes."""

    rules: RuleSet
    frontier: Frontier
    report: SnapReport


def taught(classifier: LogicClassifier, table: Table, checkpoint: Path | None = None) -> Lesson:
    """Fit a classifier on a table from a file."""
    classifier.fit(table.columns, table.y, checkpoint=checkpoint)
    return Lesson(classifier.rules_, classifier.frontier_, classifier.snap_report_)
