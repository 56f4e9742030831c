"""Conflicts: rows where several rules say yes, or none does."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules.formatting import written_label
from crisplogic.rules.number_format import format_rows
from crisplogic.rules.rule import Label
from crisplogic.rules.scoring import says_yes

if TYPE_CHECKING:
    from crisplogic.rules import ClassificationRules

Rows = NDArray[np.intp]

MOST_GROUPS_PRINTED = 5


@dataclass(frozen=True, eq=False)
class Conflicts:
    """Rows by how many rules say yes, that is, have a score above 0.

    A class with a constant alone, as in ``benign = 0.44``, is the default. The other rules say
    yes where they are above the constant, and the default where no other rule does.

    ``several``, ``none`` and ``ties`` are the numbers of the rows, counted from 0, where
    several rules say yes, where none does, and where the greatest score is that of several
    classes, so that their order decides. ``together`` has the classes that say yes in the same
    rows and the number of these rows, the most frequent first.

    Shape: (rows of its kind,) each.
    """

    rows: int
    several: Rows
    none: Rows
    ties: Rows
    together: tuple[tuple[tuple[Label, ...], int], ...]

    def to_text(self) -> str:
        """A few lines for a person to read."""
        one = self.rows - len(self.several) - len(self.none)
        kinds = {
            "several rules say yes": self.several,
            "no rule says yes": self.none,
            "the greatest score is a tie": self.ties,
        }
        width = len(f"{self.rows}")
        lines = [f"of {self.rows} rows", f"  {one:>{width}}  one rule says yes"]
        for what, rows in kinds.items():
            where = f": {format_rows(rows)}" if len(rows) else ""
            lines.append(f"  {len(rows):>{width}}  {what}{where}")
            lines += self._groups(width) if rows is self.several else []
        return "\n".join(lines)

    def _groups(self, width: int) -> list[str]:
        lines = [
            f"  {'':>{width}}    {count} {' and '.join(map(written_label, labels))}"
            for labels, count in self.together[:MOST_GROUPS_PRINTED]
        ]
        more = len(self.together) - MOST_GROUPS_PRINTED
        return [*lines, f"  {'':>{width}}    and {more} other groups"] if more > 0 else lines

    def __str__(self) -> str:
        return self.to_text()


def find_conflicts(rules: ClassificationRules, table: Any) -> Conflicts:
    """Where several rules say yes, or none, or the greatest score is that of several.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, Rule
    >>> ramps = Ramp(0, 107.0, 147.0), Ramp(0, 80.0, 100.0)
    >>> high, some = Rule("high", parse("0")), Rule("some", parse("1"))
    >>> rules = ClassificationRules(("glucose",), ramps, (high, some))
    >>> print(rules.conflicts([[60], [95], [200], [130]]))
    of 4 rows
      1  one rule says yes
      2  several rules say yes: rows 2, 3
           2 high and some
      1  no rule says yes: row 0
      2  the greatest score is a tie: rows 0, 2
    """
    matrix = rules.matrix(table)
    several, none, ties = ([np.empty(0, np.intp)] for _ in range(3))
    together: Counter[bytes] = Counter()
    for chunk, scores in rules._scorer.scores(matrix):
        yes = says_yes(scores, rules.constant)
        votes = yes.sum(axis=0)
        equal = (scores == scores.max(axis=0)).sum(axis=0)
        for rows, holds in ((several, votes > 1), (none, votes == 0), (ties, equal > 1)):
            rows.append(chunk.start + np.flatnonzero(holds))
        together.update(_groups(yes[:, votes > 1]))
    return Conflicts(
        len(matrix),
        np.concatenate(several),
        np.concatenate(none),
        np.concatenate(ties),
        tuple((_labels(key, rules.labels), together[key]) for key in _ordered(together)),
    )


def _groups(yes: NDArray[np.bool_]) -> dict[bytes, int]:
    """How many rows have the same classes. Shape: (classes, rows)."""
    groups, counts = np.unique(np.packbits(yes, axis=0).T, axis=0, return_counts=True)
    return {group.tobytes(): int(count) for group, count in zip(groups, counts, strict=True)}


def _ordered(together: Counter[bytes]) -> list[bytes]:
    # Of equally many rows, the first classes first.
    return sorted(together, key=lambda group: (-together[group], bytes(255 - x for x in group)))


def _labels(key: bytes, labels: tuple[Label, ...]) -> tuple[Label, ...]:
    bits = np.unpackbits(np.frombuffer(key, np.uint8), count=len(labels))
    return tuple(label for label, bit in zip(labels, bits, strict=True) if bit)
