"""The picture of a change: for each column, where a row is and where it would have to be."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crisplogic.rules.analysis.counterfactual import Change, Counterfactual

WIDTH, MARGIN, HEIGHT = 480.0, 24.0, 64.0
# Blue is what would be; it can be told from grey in light and dark, and by colour-blind people.
NOW, THEN = "#808890", "#0072b2"


def draw_changes(found: Counterfactual) -> str:
    """The changes as SVG: a line from the least to the greatest number, a dot for each value.

    Values of a category stand at the ends of their line. Empty if nothing changes.
    """
    if not found.changes:
        return ""
    rows = "".join(_draw(change, at * HEIGHT) for at, change in enumerate(found.changes))
    height = HEIGHT * len(found.changes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {height:g}" '
        f'width="{WIDTH:g}" height="{height:g}" role="img" '
        f'aria-label="{_escape(found.to_text())}" font-family="sans-serif" font-size="12">'
        f"{rows}</svg>"
    )


def _draw(change: Change, top: float) -> str:
    before, after = _places(change)
    line = top + 40
    parts = [
        _text(WIDTH / 2, top + 14, change.column, "middle", "currentColor", weight="bold"),
        f'<line x1="{MARGIN:g}" x2="{WIDTH - MARGIN:g}" y1="{line:g}" y2="{line:g}" '
        f'stroke="{NOW}"/>',
        f'<line x1="{before:g}" x2="{after:g}" y1="{line:g}" y2="{line:g}" '
        f'stroke="{THEN}" stroke-width="3"/>',
        f'<circle cx="{before:g}" cy="{line:g}" r="5" fill="white" stroke="{NOW}" '
        'stroke-width="2"/>',
        f'<circle cx="{after:g}" cy="{line:g}" r="6" fill="{THEN}"/>',
    ]
    for place, other, value, colour in (
        (before, after, change.words[0], "currentColor"),
        (after, before, change.words[1], THEN),
    ):
        # The left one of two texts ends at its dot, the right one begins there.
        side = "end" if place < other else "start"
        if place < 4 * MARGIN or place > WIDTH - 4 * MARGIN:
            side = "start" if place < WIDTH / 2 else "end"
        level = top + (58 if (place < other) == (side == "end") else 30)
        parts.append(_text(place, level, value, side, colour))
    return "".join(parts)


def _places(change: Change) -> tuple[float, float]:
    """Where the dots stand, before and after."""
    numbers = change.before, change.after
    if change.ends is None or not all(_is_number(number) for number in numbers):
        return MARGIN, WIDTH - MARGIN
    low = min(change.ends[0], *numbers)  # type: ignore[type-var]
    high = max(change.ends[1], *numbers)  # type: ignore[type-var]
    span = high - low  # type: ignore[operator]
    if not 0 < span < math.inf:
        return MARGIN, WIDTH - MARGIN
    before, after = (
        MARGIN + (WIDTH - 2 * MARGIN) * (number - low) / span  # type: ignore[operator]
        for number in numbers
    )
    return round(before, 1), round(after, 1)


def _is_number(value: object) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def _text(
    x: float, y: float, text: str, anchor: str, colour: str, weight: str = "normal"
) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}" '
        f'font-weight="{weight}">{_escape(text)}</text>'
    )


def _escape(text: str) -> str:
    return html.escape(text, quote=True)
