"""What looks like a word that nobody knows: for errors that ask whether that was meant."""

from __future__ import annotations

from collections.abc import Iterable


def similar(word: str, known: Iterable[str], most: int = 3) -> list[str]:
    """What of all that is known looks like ``word``, the most similar first.

    >>> similar("Glucos", ["glucose", "age"]), similar("x", ["glucose"])
    (['glucose'], [])
    """
    from difflib import get_close_matches  # which is needed only when something went wrong

    # One text of several that differ in case alone is enough.
    plain = {text.casefold(): text for text in known}
    return [plain[text] for text in get_close_matches(word.casefold(), plain, n=most)]
