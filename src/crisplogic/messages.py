"""Parts of error messages: short lists, similar words, and the place in a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

MOST_LISTED = 12


def list_some(
    items: Iterable[object],
    most: int = MOST_LISTED,
    show: Callable[[object], str] = repr,
) -> str:
    """The first items, and how many more there are.

    >>> list_some(["a", "b"]), list_some(range(9), most=2)
    ("'a', 'b'", '0, 1 and 7 more')
    """
    shown = [show(item) for item in items]
    more = len(shown) - most
    return ", ".join(shown[:most]) + (f" and {more} more" if more > 0 else "")


def did_you_mean(
    word: object,
    known: Iterable[object],
    most: int = 3,
    show: Callable[[object], str] = repr,
) -> str:
    """A question that names what looks like ``word``; empty if nothing does.

    >>> did_you_mean("Glucos", ["glucose", "age"]), did_you_mean("x", ["glucose"])
    ("; did you mean 'glucose'?", '')
    """
    from difflib import get_close_matches  # needed only when something went wrong

    # One of several words that differ in case alone is enough.
    by_text = {str(each).casefold(): each for each in known}
    close = get_close_matches(str(word).casefold(), by_text, n=most)
    return (
        f"; did you mean {' or '.join(show(by_text[text]) for text in close)}?" if close else ""
    )


def point_at(text: str, start: int) -> str:
    """The text on a line of its own, and a mark below the position ``start``.

    >>> print("unknown column" + point_at("bmi>30 & ag>50", 9))
    unknown column
      bmi>30 & ag>50
               ^
    """
    one_line = re.sub(r"\s", " ", text)  # or the mark would miss its place
    return f"\n  {one_line}\n  {' ' * start}^"
