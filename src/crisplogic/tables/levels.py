"""Levels: the values of a category column, rare ones in one group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.tables.kinds import Text

Floats = NDArray[np.float64]

# The code of a value that is in no group. It is not missing, and still nothing is known of it.
UNSEEN = -1.0
# What the group of rare values is called, in data as in rules.
OTHER = "other"

MOST_GROUPS = 20
# A value is rare in fewer rows than this, as a share of all; nothing could be said of it.
RARE_SHARE = 0.01
# Nor of one in fewer rows than this, or, of tables of few rows, than this share of them.
RARE_ROWS = 5
RARE_SHARE_OF_FEW = 0.1
# Nearly all different: more different values than this share of the rows.
IDENTIFIER_SHARE = 0.5


@dataclass(frozen=True)
class Levels:
    """The groups of values that rules can speak of.

    Each of ``names`` is a group of its own, with its position for a code; ``others`` are
    together the last group.

    >>> colours = Levels(("red", "blue"), others=("mauve", "teal"))
    >>> colours.codes(Text.of(["blue", "teal", "new", None])).tolist()
    [1.0, 2.0, -1.0, nan]
    >>> colours.groups
    ('red', 'blue', None)
    """

    names: tuple[str, ...]
    others: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field in ("names", "others"):  # lists do as well
            object.__setattr__(self, field, tuple(getattr(self, field)))
        every = (*self.names, *self.others)
        wrong = next((value for value in every if not isinstance(value, str)), None)
        if wrong is not None:
            raise TableError(f"levels are texts, got {wrong!r}")
        if len(set(every)) < len(every):
            twice = next(value for value in every if every.count(value) > 1)
            raise TableError(f"levels must differ from each other, got {twice!r} twice")

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def groups(self) -> tuple[str | None, ...]:
        """What each code stands for: a value, or None for the group of the others."""
        return (*self.names, None) if self.others else self.names

    def codes(self, text: Text) -> Floats:
        """The group of every row; missing values are NaN, those in no group ``UNSEEN``.

        Shape: returns (rows,).
        """
        known = {name: float(code) for code, name in enumerate(self.names)}
        known |= dict.fromkeys(self.others, float(len(self.names)))
        codes = [known.get(word, UNSEEN) for word in text.words]
        return np.array([*codes, np.nan], dtype=np.float64)[text.numbers]


def find_levels(text: Text, most: int = MOST_GROUPS) -> Levels:
    """The groups of a column's values, the most frequent first, at most ``most`` of them.

    Rare values are one group, and so is a value that is called *other* already. A rare
    value that is the only one keeps its name.

    >>> find_levels(Text.of(["red"] * 60 + ["blue"] * 90 + ["teal", "mauve", None]))
    Levels(names=('blue', 'red'), others=('mauve', 'teal'))
    """
    counts = dict(zip(text.words, text.counts().tolist(), strict=True))
    counts = {word: count for word, count in counts.items() if count}
    order = sorted(counts, key=lambda word: (-counts[word], word))
    least = least_rows(sum(counts.values()))
    named = [word for word in order if counts[word] >= least and word != OTHER]
    others = [word for word in order if counts[word] < least or word == OTHER]
    if len(others) == 1 and others != [OTHER] and len(order) <= most:
        return Levels(tuple(order))
    if len(named) + bool(others) > most:
        named, others = named[: most - 1], named[most - 1 :] + others
    return Levels(tuple(named), tuple(sorted(others)))


def least_rows(rows: int) -> float:
    """In how many of ``rows`` rows a value has to be found to be a group of its own.

    >>> least_rows(10), least_rows(100), least_rows(10_000)
    (1.0, 5, 100.0)
    """
    return max(min(RARE_ROWS, RARE_SHARE_OF_FEW * rows), RARE_SHARE * rows)


def looks_like_identifier(text: Text) -> bool:
    """Whether nearly all values differ, as names and numbers of orders do.

    Nothing can be learned from such a column; it is best left out.

    >>> looks_like_identifier(Text.of(f"order {number}" for number in range(100)))
    True
    >>> looks_like_identifier(Text.of(["red", "blue"] * 50))
    False
    """
    counts = text.counts()
    different = np.count_nonzero(counts)
    return bool(different > MOST_GROUPS and different > IDENTIFIER_SHARE * counts.sum())
