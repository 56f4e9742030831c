"""Levels: the values of a category, and the code of each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.tables.kinds import Column, Numbers, Text, as_text, parse_number, written_number

Floats = NDArray[np.float64]

# The code of a value that was never seen. It is not missing, but nothing is known about it.
UNSEEN = -1.0
# The name of the group of rare values, in data and in rules.
OTHER = "other"

MOST_GROUPS = 20
# A value in a smaller share of the rows is rare.
RARE_SHARE = 0.01
# So is one in fewer rows than this or, in small tables, than this share of them.
RARE_ROWS = 5
RARE_SHARE_OF_FEW = 0.1
# A column with more distinct values than this share of the rows looks like an identifier.
IDENTIFIER_SHARE = 0.5
# Each of two numbers must be in so many rows to be a level.
LEAST_REPEATED = 2


# What the values of a column are, which says when two spellings are the same value.
Values = Literal["text", "numbers", "truth"]

# The spellings of truth values, in any letters, beside 0 and 1.
_PAIRS = (("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"))
TRUTH_WORDS = {word: float(truth) for pair in _PAIRS for truth, word in enumerate(pair)}

# A whole number with a decimal point: 2.0 is 2. But 007 is not 7, and 1.10 is not 1.1: these
# may be identifiers and versions.
_WHOLE = re.compile(r"([+-]?(?:0|[1-9]\d*))\.0+")

# Numbers this near are one: 0.1 in single precision is 0.1.
SAME = 1e-6


@dataclass(frozen=True)
class Levels:
    """The values of a category: each of ``names`` by itself, ``others`` in one last group.

    The code of a value is the position of its group. ``values`` says what they are: texts, two
    numbers in their order, or truth values (see ``TRUTH``).

    >>> colours = Levels(("red", "blue"), others=("mauve", "teal"))
    >>> colours.codes(Text.from_values(["blue", "teal", "new", None])).tolist()
    [1.0, 2.0, -1.0, nan]
    >>> colours.groups
    ('red', 'blue', None)
    >>> Levels(("1", "2"), values="numbers").codes(Text.from_values(["2.0", "3"])).tolist()
    [1.0, -1.0]
    >>> TRUTH.codes(Text.from_values(["yes", "No", "1", "maybe"])).tolist()
    [1.0, 0.0, 1.0, -1.0]
    """

    names: tuple[str, ...]
    others: tuple[str, ...] = ()
    values: Values = "text"

    def __post_init__(self) -> None:
        for field in ("names", "others"):  # lists do as well
            object.__setattr__(self, field, tuple(getattr(self, field)))
        every = (*self.names, *self.others)
        wrong = next((value for value in every if not isinstance(value, str)), None)
        if wrong is not None:
            raise TableError(f"levels are texts, got {wrong!r}")
        if len(set(every)) < len(every):
            twice = Counter(every).most_common(1)[0][0]
            raise TableError(f"levels must differ from each other, got {twice!r} twice")
        if self.values == "numbers" and not _are_two_numbers(every):
            raise TableError(f"levels that are numbers are two in their order, got {every}")
        if self.values == "truth" and every != _PAIRS[0]:
            raise TableError(f"levels that are truth values are {_PAIRS[0]}, got {every}")

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def groups(self) -> tuple[str | None, ...]:
        """The value of every code; None for the group of the others."""
        return (*self.names, None) if self.others else self.names

    @property
    def are_ordered(self) -> bool:
        """Whether a code rises with its value, as for numbers and truth values."""
        return self.values != "text"

    def codes(self, column: Column) -> Floats:
        """The code of every row: NaN for a missing value, ``UNSEEN`` for an unknown one.

        Shape: returns (rows,).
        """
        if isinstance(column, Numbers) and self.values != "text":
            return self._number_codes(column.values)
        text = as_text(column)
        codes = self._word_codes(text.uniques)
        return np.array([*codes, np.nan], dtype=np.float64)[text.codes]

    def _word_codes(self, words: tuple[str, ...]) -> list[float]:
        if self.values == "text":
            known, shorter = self._known
            return [known.get(word, shorter.get(_normalized(word), UNSEEN)) for word in words]
        numbers = [parse_number(word) for word in words]
        # A word is no number, and not missing either.
        floats = np.array([np.inf if each is None else each for each in numbers], np.float64)
        codes = self._number_codes(floats).tolist()
        truth = TRUTH_WORDS if self.values == "truth" else {}
        return [truth.get(word.casefold(), c) for word, c in zip(words, codes, strict=True)]

    @cached_property
    def _known(self) -> tuple[dict[str, float], dict[str, float]]:
        """The codes of all texts, as they are and normalized; there may be thousands."""
        known = {name: float(code) for code, name in enumerate(self.names)}
        known |= dict.fromkeys(self.others, float(len(self.names)))
        return known, {_normalized(word): code for word, code in known.items()}

    def _number_codes(self, numbers: Floats) -> Floats:
        if self.values == "truth" and ((numbers == 0) | (numbers == 1)).all():
            return numbers  # they are their own codes
        low, high = (0.0, 1.0) if self.values == "truth" else map(float, self.names)
        is_high: NDArray[np.bool_] = numbers == high
        if ((numbers == low) | is_high).all():  # nearly always
            return is_high.astype(np.float64)
        codes = np.where(np.isnan(numbers), np.nan, UNSEEN)
        for code, value in enumerate((low, high)):
            near = min(SAME * abs(value), (high - low) / 4)
            codes[np.abs(numbers - value) <= near] = code
        return codes


def _are_two_numbers(names: tuple[str, ...]) -> bool:
    numbers = [parse_number(name) for name in names]
    if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
        return False
    return -np.inf < numbers[0] < numbers[1] < np.inf


def _normalized(word: str) -> str:
    """A text without blanks around it, a whole number without its decimal point.

    >>> [_normalized(word) for word in ("2.0", "2", "007.0", "1.10", "red")]
    ['2', '2', '007.0', '1.10', 'red']
    """
    whole = _WHOLE.fullmatch(word.strip())
    return whole[1] if whole else word.strip()


# Truth values have these codes already. They are printed by the name of their column alone.
TRUTH = Levels(_PAIRS[0], values="truth")


def says_truth(text: Text) -> bool:
    """Whether a text column holds truth values: yes and no, or another such pair.

    >>> says_truth(Text.from_values(["Yes", "no", None])), says_truth(Text.from_values(["no"]))
    (True, False)
    """
    return are_truth_words(_counts(text))


def are_truth_words(found: Iterable[str]) -> bool:
    """Whether different texts are a pair that says whether something is true."""
    words = {word.casefold() for word in found}
    pairs = [set(pair) for pair in _PAIRS if words.intersection(pair)]
    return bool(words) and words == set().union(*pairs)


def _counts(text: Text) -> dict[str, int]:
    """How many rows hold each text that occurs."""
    counts = zip(text.uniques, text.counts().tolist(), strict=True)
    return {word: count for word, count in counts if count}


def find_number_levels(values: Floats) -> Levels | None:
    """The levels of a column of numbers that holds but two; None if it holds more, or one.

    0 and 1 are truth values. Other numbers have to repeat: in a small table two may be all
    that there are of many.

    >>> find_number_levels(np.array([2.0, 1.0, np.nan, 2.0, 1.0]))
    Levels(names=('1', '2'), others=(), values='numbers')
    >>> find_number_levels(np.array([0.0, 1.0])) == TRUTH
    True
    >>> find_number_levels(np.array([3.0, 1.0, 2.0])), find_number_levels(np.array([3.0, 5.0]))
    (None, None)
    """
    low, high = np.fmin.reduce(values, initial=np.inf), np.fmax.reduce(values, initial=-np.inf)
    if not -np.inf < low < high < np.inf:
        return None
    is_low, is_high = values == low, values == high
    if not (is_low | is_high | np.isnan(values)).all():
        return None
    counts = int(np.count_nonzero(is_low)), int(np.count_nonzero(is_high))
    return find_levels_of_two(dict(zip((float(low), float(high)), counts, strict=True)))


def find_levels_of_two(counts: Mapping[float, int]) -> Levels | None:
    """The levels of numbers that occur so often; None unless they are two that repeat.

    >>> find_levels_of_two({2.0: 5, 1.0: 3}).names, find_levels_of_two({2.0: 5})
    (('1', '2'), None)
    """
    if len(counts) != 2:
        return None
    low, high = sorted(counts)
    if not -np.inf < low < high < np.inf:
        return None
    if (low, high) == (0.0, 1.0):
        return TRUTH
    if min(counts.values()) < LEAST_REPEATED:
        return None
    return Levels((written_number(low), written_number(high)), values="numbers")


def find_levels(text: Text, most: int = MOST_GROUPS) -> Levels:
    """Find the levels of a column, the most frequent first, at most ``most`` of them.

    Rare values share one group, together with a value that is called *other* already. A
    rare value that is the only one keeps its name.

    >>> find_levels(Text.from_values(["red"] * 60 + ["blue"] * 90 + ["teal", "mauve", None]))
    Levels(names=('blue', 'red'), others=('mauve', 'teal'), values='text')
    """
    return levels_of_counts(_counts(text), most)


def levels_of_counts(counts: Mapping[str, int], most: int = MOST_GROUPS) -> Levels:
    """The levels of a column in which each text occurs so often; see :func:`find_levels`."""
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
    """The number of rows that make a value a level of its own.

    >>> least_rows(10), least_rows(100), least_rows(10_000)
    (1.0, 5, 100.0)
    """
    return max(min(RARE_ROWS, RARE_SHARE_OF_FEW * rows), RARE_SHARE * rows)


def looks_like_identifier(text: Text) -> bool:
    """Whether nearly all values are distinct, as in a column of names or order numbers.

    Nothing can be learned from such a column.

    >>> looks_like_identifier(Text.from_values(f"order {number}" for number in range(100)))
    True
    >>> looks_like_identifier(Text.from_values(["red", "blue"] * 50))
    False
    """
    counts = text.counts()
    return too_many_to_repeat(int(np.count_nonzero(counts)), int(counts.sum()))


def too_many_to_repeat(different: int, rows: int) -> bool:
    """Whether so many different texts in so many rows are names of rows."""
    return different > MOST_GROUPS and different > IDENTIFIER_SHARE * rows
