"""Parts of error messages: short lists, similar words, and the place in a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import islice

MOST_LISTED = 12
# Longer texts are cut: they may come from a file of any size.
MOST_QUOTED = 80
# So much of a long text is shown before a position, and as much after it.
MOST_AROUND = 200
# Similar words are looked for among so many.
MOST_COMPARED = 5000


def shorten(text: str, most: int = MOST_QUOTED) -> str:
    """The text, or its beginning and its end.

    >>> shorten("age>41"), shorten("a" * 100 + "z", most=9)
    ('age>41', 'aaa...aaz')
    """
    if len(text) <= most:
        return text
    half = (most - 3) // 2
    return f"{text[:half]}...{text[-half:]}"


def list_some(
    items: Iterable[object],
    most: int = MOST_LISTED,
    show: Callable[[object], str] = repr,
) -> str:
    """The first items, and how many more there are.

    >>> list_some(["a", "b"]), list_some(range(9), most=2)
    ("'a', 'b'", '0, 1 and 7 more')
    """
    each = iter(items)
    shown = [shorten(show(item)) for item in islice(each, most)]
    more = sum(1 for _ in each)
    return ", ".join(shown) + (f" and {more} more" if more else "")


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
    by_text = {str(each).casefold(): each for each in islice(known, MOST_COMPARED)}
    by_text = {text: each for text, each in by_text.items() if len(text) <= MOST_QUOTED}
    close = get_close_matches(str(word).casefold()[:MOST_QUOTED], by_text, n=most)
    return (
        f"; did you mean {' or '.join(show(by_text[text]) for text in close)}?" if close else ""
    )


def point_at(text: str, start: int) -> str:
    """The text on a line of its own, and a mark below the position ``start``.

    Of a long text, what is around the position.

    >>> print("unknown column" + point_at("bmi>30 & ag>50", 9))
    unknown column
      bmi>30 & ag>50
               ^
    """
    first = max(0, start - MOST_AROUND) if len(text) > 2 * MOST_AROUND else 0
    last = first + 2 * MOST_AROUND
    before, after = "..." * (first > 0), "..." * (last < len(text))
    one_line = re.sub(r"\s", " ", text[first:last])  # or the mark would miss its place
    return f"\n  {before}{one_line}{after}\n  {' ' * (len(before) + start - first)}^"
