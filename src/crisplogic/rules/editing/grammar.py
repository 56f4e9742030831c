"""Grammar: which numbers a written rule may have beside its terms, and where they stand.

The rule of a class ends in its intercept, ``age>41 + bmi>30 - 0.4``. That of a number begins
with it, and with what a term is worth: ``20 + 3.5 × (age>41 - bmi>30)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from crisplogic.rules.editing.hints import pointing
from crisplogic.rules.editing.lexer import Word, split_number
from crisplogic.rules.rule import Predicts

TIMES, SIGNS = frozenset("×*"), frozenset("+-")
AS_PRINTED = "20 + 3.5 × (... + 2 × (...))"


@dataclass(frozen=True)
class Written:
    """The words of the terms, from where to where they stand, and the numbers beside them."""

    terms: list[Word]
    start: int
    stop: int
    intercept: float | None = None
    factor: float | None = None

    @property
    def has_numbers(self) -> bool:
        """Whether there is anything but terms."""
        return self.intercept is not None or self.factor is not None


@dataclass(frozen=True)
class Grammar:
    """How rules of one kind are written.

    ``advice`` has why some signs are not understood and what to write instead, ``stray`` why a
    number is not, ``term`` who changes numbers; ``minus`` says whether one may take terms away,
    ``counts`` whether a term may count several times, as in ``2 × (age>41)``.
    """

    taken_apart: Callable[[Sequence[Word], str], Written]
    stray: str
    term: str
    minus: bool
    counts: bool
    advice: Mapping[str, str] = field(default_factory=dict)


def class_taken_apart(found: Sequence[Word], text: str) -> Written:
    """The rule of a class: a number at the end is its intercept.

    >>> from crisplogic.rules.editing.lexer import words
    >>> class_taken_apart(words("age>41 - 0.5"), "age>41 - 0.5").intercept
    -0.5
    """
    terms, intercept, body = split_number(found, text)
    return Written(terms, 0, len(body), intercept)


def number_taken_apart(found: Sequence[Word], text: str) -> Written:
    """The rule of a number: its base and a factor come first; the base may as well be last.

    >>> from crisplogic.rules.editing.lexer import words
    >>> text = "20 - 3.5 × (age>41)"
    >>> written = number_taken_apart(words(text), text)
    >>> written.intercept, written.factor, text[written.start:]
    (20.0, -3.5, '(age>41)')
    """
    base, factor, place = _numbers_before(found)
    terms, stop = list(found[place:]), len(text)
    if base is None and len(terms) > 2:
        terms, base, body = split_number(terms, text)
        stop = len(body)
    if factor is not None:
        _refuse_loose_terms(terms, text)
    return Written(terms, terms[0].start if terms else stop, stop, base, factor)


def _numbers_before(found: Sequence[Word]) -> tuple[float | None, float | None, int]:
    """A base, a factor, and the place of the first word that belongs to neither."""
    number, place = _signed_number(found, 0)
    if number is None:
        return None, None, 0
    if _symbol(found, place) in TIMES:
        return None, number, place + 1
    if place == len(found):
        return number, None, place
    factor, behind = _signed_number(found, place)
    if factor is not None and _symbol(found, behind) in TIMES:
        return number, factor, behind + 1
    sign = _symbol(found, place)
    if sign not in SIGNS:
        return None, None, 0
    # A minus belongs to the term behind it; a sign with nothing behind it is an error.
    return number, None, place + (sign == "+" and place + 1 < len(found))


def _signed_number(found: Sequence[Word], place: int) -> tuple[float | None, int]:
    """The number that begins at a place, with or without a sign, and the place behind it."""
    sign = _symbol(found, place)
    place += sign in SIGNS
    number = found[place].number if place < len(found) else None
    return (-number if number is not None and sign == "-" else number), place + 1


def _symbol(found: Sequence[Word], place: int) -> str | None:
    return found[place].symbol if place < len(found) else None


def _refuse_loose_terms(terms: Sequence[Word], text: str) -> None:
    """A factor is for all terms, so that no sign may stand outside of their brackets."""
    if not terms:
        raise pointing(f"there is nothing to multiply; write {AS_PRINTED}", text, len(text))
    depth = 0
    for word in terms:
        depth += (word.symbol == "(") - (word.symbol == ")")
        if depth == 0 and word.symbol in SIGNS:
            problem = f"the factor is one for all terms; write {AS_PRINTED}"
            raise pointing(problem, text, word.start)


_COMMON = {
    '"': "a name in double quotes has to end in one, too",
    **dict.fromkeys("<>=≤≥", "a threshold is written column>12.5 or column<12.5"),
}
GRAMMARS: dict[Predicts, Grammar] = {
    "class": Grammar(
        class_taken_apart,
        stray="a number stands at the end of a rule; inputs are called by their columns",
        term="a term has no number; see with_intercept",
        minus=False,
        counts=False,
        advice={
            **_COMMON,
            "-": "only a number can be taken away, at the end; write + ~(...) to count against "
            "a class",
        },
    ),
    "number": Grammar(
        number_taken_apart,
        stray=f"numbers stand before the terms, as in {AS_PRINTED}; inputs are called by their "
        "columns",
        term="a term has no number; see with_intercept and with_scale",
        minus=True,
        counts=True,
        advice={
            **_COMMON,
            **dict.fromkeys(
                TIMES,
                "before it stands what all terms are worth, or a whole number that says how "
                f"often one counts; write {AS_PRINTED}",
            ),
        },
    ),
}
