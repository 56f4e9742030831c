"""Crisp rules as a card to read: a checklist, a score card, or amounts of a number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from crisplogic.expr import Expr
from crisplogic.plot._files import PlotError, fit_to_axes, page_axes
from crisplogic.plot.diagram import MAX_LITERALS, shorten_labels
from crisplogic.rules import RuleSet
from crisplogic.rules.checklist import Checklist, NumberCard, ScoreCard, normal_form
from crisplogic.rules.describe import (
    MOST_COUNTS,
    TO_BEGIN_WITH,
    describe,
    format_points,
    has_words,
    percent,
)
from crisplogic.rules.markup import Table
from crisplogic.rules.words import Words, labels_in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from crisplogic.plot._drawing import Pen

FONT = 9.0  # points
ROW, LINE, MARGIN, PADDING = 0.28, 0.19, 0.15, 0.1  # inches
LEAST_WIDTH = 0.42  # of a column of points
HINTED = 1.08  # letters may be so much wider where they are fitted to pixels
LINE_LENGTH = 86  # characters
FEW, MAX_HEAD = 6, 14  # classes, and characters of each above its points; of more classes half
ARE_POINTS, ARE_CHANCES = "points", "chances"


@dataclass(frozen=True)
class CardRow:
    """A statement as lines of text, and what it gives: an entry a column."""

    lines: tuple[str, ...]
    points: tuple[float, ...] = ()


@dataclass(frozen=True)
class Card:
    """What a card shows, from top to bottom.

    ``heads`` stand above the points. Without them statements have boxes to tick. ``chances``
    are the probabilities of the positive class at every count, and ``needed`` the count from
    which on it is predicted.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[CardRow, ...]
    ending: str = ""
    scale: str = ""
    chances: tuple[float, ...] = ()
    needed: float = 0.0

    @property
    def height(self) -> float:
        """In inches."""
        rows = sum(_row_height(row) for row in self.rows)
        top = ROW * (1 + bool(self.heads))
        return 2 * MARGIN + top + rows + ROW * bool(self.ending) + 3 * ROW * bool(self.chances)


def plot_checklist(rules: RuleSet, ax: Axes | None = None) -> Axes:
    """Draw crisp rules as a card: a checklist, a score card, or amounts that are added.

    A checklist has boxes to tick, or points where statements differ in what they are worth,
    and below them how likely the class is at every count. A score card has a column of points
    for each class: blue adds, orange takes away. Long statements are lists of their parts.

    Without ``ax`` it becomes pyplot's current figure, as large as the card needs to be. On
    small axes everything becomes smaller. Returns the axes.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Rule, Step
    >>> both = Rule("ill", parse("0 + 1 + 2")), Rule("well", parse("unknown"))
    >>> steps = Step(0, 40.0), Step(1, 127.0), Step(2, 30.0)
    >>> names = ("age", "glucose", "body mass")
    >>> rules = ClassificationRules(names, steps, both, 1.0, (-0.5, 0.0), crisp=True)
    >>> [text.get_text() for text in plot_checklist(rules).texts][:2]
    ['ill, if at least 2 of these 3 statements hold:', 'age is above 40']
    """
    from crisplogic.plot._drawing import Pen, text_width

    card = make_card(rules)
    widths = [
        max(LEAST_WIDTH, text_width(head, FONT, True) + PADDING, *_cell_widths(card, at))
        for at, head in enumerate(card.heads)
    ]
    left = MARGIN + (sum(widths) or ROW) + PADDING
    words = [line for row in card.rows for line in row.lines]
    ends = [MARGIN + text_width(card.title, FONT, True), MARGIN + _strip_width(card)]
    ends += [left + text_width(line, FONT) for line in words]
    width = max(ends) * HINTED + MARGIN
    ax = ax or page_axes(width, card.height)
    pen = Pen(ax, FONT, fit_to_axes(width, card.height, ax))
    _draw(card, pen, widths, left)
    return ax


def make_card(rules: RuleSet) -> Card:
    """Crisp rules as what a card shows."""
    if not has_words(rules) or rules.size > MAX_LITERALS:
        raise PlotError(
            f"a card shows crisp rules of at most {MAX_LITERALS} literals, these are "
            f"{'crisp' if rules.crisp else 'graded'} and have {rules.size}; draw graded rules "
            "by plot_rules"
        )
    form, words = normal_form(rules), Words(rules)
    body = describe(rules).body
    title = body.title if isinstance(body, Table) else body.heading
    ending = "" if isinstance(body, Table) else body.ending
    statements = [tuple(_lines(words, item.expression)) for item in form.items]
    match form:
        case Checklist():
            return _checklist(form, statements, title, ending)
        case ScoreCard(labels=labels, bases=bases):
            longest = MAX_HEAD if len(labels) <= FEW else MAX_HEAD // 2
            heads = tuple(shorten_labels(labels_in_words(labels), longest).values())
            rows = [CardRow((TO_BEGIN_WITH,), bases)] if len(set(bases)) > 1 else []
            rows += map(CardRow, statements, [item.points for item in form.items])
            return Card(title, heads if rows else (), tuple(rows))
        case NumberCard(amounts=amounts):
            rows = [
                CardRow(lines, (amount,))
                for lines, amount in zip(statements, amounts, strict=True)
            ]
            return Card(title, ("amount",) if rows else (), tuple(rows))


def _checklist(
    form: Checklist, statements: Sequence[tuple[str, ...]], title: str, ending: str
) -> Card:
    [positive] = labels_in_words([form.positive])
    if len(statements) == 1 and form.needed == 1 and form.always is None:
        title = f"{positive}, if this holds:"
    points = [item.points if form.has_points else () for item in form.items]
    shown = 0 < form.total < MOST_COUNTS
    what = "points" if form.has_points else "statements that hold"
    return Card(
        title=title,
        heads=("points",) if form.has_points else (),
        rows=tuple(map(CardRow, statements, points)),
        ending=ending,
        scale=f"probability of {positive} by the number of {what}",
        chances=tuple(map(form.probability, range(form.total + 1))) if shown else (),
        needed=form.needed,
    )


def _lines(words: Words, expression: Expr) -> Iterator[str]:
    """A statement as lines that are not too long; the parts of a long one are below it."""
    outline = words.outline(expression)
    for line in (outline if isinstance(outline, str) else outline.text()).split("\n"):
        inset = " " * (len(line) - len(line.lstrip(" -")))
        first, *rest = wrap(line.lstrip(), LINE_LENGTH, break_on_hyphens=False) or [""]
        start = " " * (len(line) - len(line.lstrip()))
        yield start + first
        yield from (inset + each for each in rest)


def _row_height(row: CardRow) -> float:
    return ROW + LINE * (len(row.lines) - 1)


def _cell_widths(card: Card, at: int) -> list[float]:
    from crisplogic.plot._drawing import text_width

    texts = [format_points(row.points[at]) for row in card.rows]
    return [text_width(text, FONT) + 2 * PADDING for text in texts]


# The strip of counts


STEP = 0.55  # inches of a count


def _strip_width(card: Card) -> float:
    from crisplogic.plot._drawing import text_width

    if not card.chances:
        return 0.0
    return max(STEP * len(card.chances), text_width(card.scale, FONT))


def _draw(card: Card, pen: Pen, widths: Sequence[float], left: float) -> None:
    y = card.height - MARGIN - ROW / 2
    pen.words((MARGIN, y), card.title, weight="bold", ha="left")
    y -= ROW
    if card.heads:
        for x, head in zip(_middles(widths), card.heads, strict=True):
            pen.words((x, y), head, weight="bold", ha="center", gid="head")
        y -= ROW
    most = max((abs(p) for row in card.rows for p in row.points), default=1.0) or 1.0
    for row in card.rows:
        _draw_row(row, pen, y, widths, left, most)
        y -= _row_height(row)
    if card.ending:
        pen.words((MARGIN, y), card.ending, ha="left")
        y -= ROW
    if card.chances:
        _draw_strip(card, pen, y)


def _draw_row(
    row: CardRow, pen: Pen, y: float, widths: Sequence[float], left: float, most: float
) -> None:
    from crisplogic.plot._drawing import AGAINST, FOR

    if not widths:
        side = 0.13
        pen.box((MARGIN + 0.05, y), side, side, fc="white", ec="0.3", gid="box")
    for x, width, points in zip(_middles(widths), widths, row.points, strict=bool(widths)):
        if points:
            shade = 0.12 + 0.5 * abs(points) / most
            colour = FOR if points > 0 else AGAINST
            corner = (x - width / 2 + 0.02, y)
            pen.box(corner, width - 0.04, ROW - 0.05, fc=colour, ec="none", alpha=shade)
        text = format_points(points)
        pen.words((x, y), text, ha="center", gid=ARE_POINTS)
    for at, line in enumerate(row.lines):
        inset = len(line) - len(line.lstrip(" "))
        place = left + inset * 0.05, y - LINE * at
        pen.words(place, line.lstrip(" "), ha="left", gid="statement")


def _draw_strip(card: Card, pen: Pen, y: float) -> None:
    """Counts and how likely the class is there; blue where it is predicted."""
    from crisplogic.plot._drawing import FOR

    pen.words((MARGIN, y), card.scale, colour="0.3", ha="left")
    for count, chance in enumerate(card.chances):
        left = MARGIN + STEP * count
        wins = count >= card.needed
        face, ink = (FOR, "white") if wins else ("0.93", "black")
        corner = left + 0.02, y - 1.5 * ROW
        pen.box(corner, STEP - 0.04, 2 * ROW - 0.06, fc=face, ec="none", gid="count")
        middle = left + STEP / 2
        place = middle, y - ROW - 0.04
        pen.words(place, str(count), colour=ink, ha="center", weight="bold")
        place = middle, y - 2 * ROW + 0.04
        pen.words(place, percent(chance), colour=ink, ha="center", gid=ARE_CHANCES)


def _middles(widths: Sequence[float]) -> list[float]:
    """The middles of columns, from left to right."""
    return [MARGIN + sum(widths[:at]) + width / 2 for at, width in enumerate(widths)]
