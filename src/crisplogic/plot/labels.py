"""Labels that fit: what is too long loses its middle, but neither threshold nor identity."""

from __future__ import annotations

from collections.abc import Iterable

from crisplogic.expr.lexicon import parted

LONGEST = 28  # characters, a threshold not counted


def shortened(texts: Iterable[str], longest: int = LONGEST) -> dict[str, str]:
    """Each text and what is drawn for it: itself, or its beginning and its end.

    Where two of them would look alike, all may be longer.

    >>> list(shortened(["mean_corpuscular_haemoglobin>127", "age>40"], longest=20).values())
    ['mean_corpu…emoglobin>127', 'age>40']
    """
    texts = list(dict.fromkeys(texts))
    while True:
        short = {text: _elided(text, longest) for text in texts}
        if len(set(short.values())) == len(texts):
            return short
        longest += 1


def _elided(text: str, longest: int) -> str:
    name, comparison = parted(text)
    if len(name) <= longest:
        return text
    end = (longest - 1) // 2
    return f"{name[: longest - 1 - end]}…{name[len(name) - end :]}{comparison}"
