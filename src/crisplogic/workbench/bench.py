"""Bench: a session of edits beside the rows that they are measured on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import RuleError
from crisplogic.report import Summary, summarize
from crisplogic.rules import ClassificationRules, Frontier, RuleSet
from crisplogic.rules.analysis.comparison import Comparison, compare
from crisplogic.rules.words import labels_in_words
from crisplogic.search import refit
from crisplogic.workbench.edits import Edit, apply_edit
from crisplogic.workbench.session import Session
from crisplogic.workbench.start import with_truth_columns

Floats = NDArray[np.float64]
# Rules of all sizes are measured on no more rows: a page should come at once.
MOST_ROWS = 5000


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows to fit thresholds to, and rows that are kept from that, to measure on.

    ``numbers`` are those of the rows in their table, counted from 0. Shape: ``matrix`` (rows,
    features), as rules read it; ``y`` (rows,).
    """

    matrix: Floats
    y: NDArray[Any]
    held_out: NDArray[np.bool_]
    numbers: NDArray[np.intp]

    @classmethod
    def split(
        cls,
        matrix: Floats,
        y: NDArray[Any],
        share: float,
        numbers: NDArray[np.intp] | None = None,
        seed: int = 0,
    ) -> Rows:
        """Keep a share of the rows from fits, drawn at random, always the same."""
        order = np.random.default_rng(seed).permutation(len(y))
        held_out = np.zeros(len(y), dtype=bool)
        held_out[order[: round(share * len(y))]] = True
        return cls(matrix, y, held_out, np.arange(len(y)) if numbers is None else numbers)

    @property
    def measured(self) -> NDArray[np.intp]:
        """The places of the rows to measure on; all rows where none are kept."""
        return np.flatnonzero(self.held_out if self.held_out.any() else ~self.held_out)

    @property
    def fitted(self) -> NDArray[np.intp]:
        """The places of the rows to fit to."""
        return np.flatnonzero(~self.held_out)


@dataclass(frozen=True, eq=False)
class Bench:
    """A session, the rows beside it, and how they are called.

    ``compared`` is the version that others are compared with. The ``frontier`` has learned
    rules of other sizes, to look at and to take. Every method that changes something returns
    another bench.
    """

    session: Session
    rows: Rows
    title: str = ""
    compared: int = 0
    frontier: Frontier | None = None

    @property
    def rules(self) -> RuleSet:
        """The rules that are shown."""
        return self.session.rules

    def edit(self, document: Mapping[str, Any]) -> Bench:
        """Make one change."""
        rules, what = apply_edit(self.rules, Edit.read(document, len(self.rules.rules)))
        check_predicts(rules, self.rows.matrix)
        return replace(self, session=self.session.add(rules, what))

    def refit(self) -> Bench:
        """Fit thresholds, intercepts and scale to the rows that are there for it."""
        rows = self.rows.fitted
        rules = refit(self.rules, self.rows.matrix[rows], self.rows.y[rows], coded=True)
        return replace(self, session=self.session.add(rules, f"refitted to {len(rows)} rows"))

    def take(self, size: int) -> Bench:
        """Take the learned rules of at most so many literals."""
        if self.frontier is None or type(size) is not int or size < 0:
            raise RuleError("there are no rules of this size")
        rules = with_truth_columns(self.frontier.at(size).rules)
        what = f"took the learned rules of {rules.size} literals"
        return replace(self, session=self.session.add(rules, what))

    def with_session(self, session: Session) -> Bench:
        """The same rows beside another state of the session."""
        return replace(self, session=session)

    def compare_with(self, at: int) -> Bench:
        """Compare with another version."""
        self.session.version(at)
        return replace(self, compared=at)

    def comparison(self) -> Comparison[Any]:
        """What the rules do differently, on rows that are kept from fits."""
        rows = self.rows.measured
        before = self.session.version(self.compared).rules
        matrix, y = self.rows.matrix[rows], self.rows.y[rows]
        return compare(before, self.rules, matrix, y, coded=True)

    def summary(self) -> Summary:
        """The report of the rules that are shown, on rows that are kept from fits."""
        made = [*map(str, self.rules.history), *self.session.changes()]
        at, kept = self.rows.measured, "kept from refits"
        if not self.rows.held_out.any():
            kept = "all, since none are kept from refits"
        return summarize(
            self.rules,
            self.rows.matrix[at],
            self.rows.y[at],
            frontier=self.frontier if len(at) <= MOST_ROWS else None,
            title=self.title or None,
            made=[
                *(("changed", each) for each in made),
                ("measured on", f"{len(at)} rows, {kept}"),
            ],
            row_numbers=self.rows.numbers[at],
            coded=True,
        )

    def changed_rows(self, found: Comparison[Any], most: int) -> list[ChangedRow]:
        """The first rows that are predicted differently."""
        rows = self.rows.measured
        before = self.session.version(self.compared).rules
        some = found.changed[:most]
        matrix = self.rows.matrix[rows[some]]
        old, new = (
            _words(each, each.predict(matrix, coded=True)) for each in (before, self.rules)
        )
        true = _words(self.rules, self.rows.y[rows[some]])
        better, worse = set(found.better.tolist()), set(found.worse.tolist())
        verdicts = ["better" if at in better else "worse" if at in worse else "" for at in some]
        numbers = (self.rows.numbers[rows[some]] + 1).tolist()
        return [
            ChangedRow(*each) for each in zip(numbers, old, new, true, verdicts, strict=True)
        ]


@dataclass(frozen=True)
class ChangedRow:
    """A row, counted from 1, what was and is predicted, what is true, and whether it helps."""

    row: int
    before: str
    after: str
    true: str
    verdict: str


def check_predicts(rules: RuleSet, matrix: Floats) -> None:
    """Rules that cannot predict are refused before they become a version."""
    rules.scores(matrix[:1], coded=True)


def _words(rules: RuleSet, predicted: NDArray[Any]) -> list[str]:
    if not isinstance(rules, ClassificationRules):
        return [f"{number:.4g}" for number in predicted.tolist()]
    words = dict(zip(rules.labels, labels_in_words(rules.labels), strict=True))
    return [words[label] for label in predicted.tolist()]
