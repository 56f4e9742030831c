"""Tables as HTML, which notebooks show, and as Markdown. All text is escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# Blue speaks for, orange against; colour-blind readers can tell them apart, too.
_FOR, _AGAINST = "0, 114, 178", "213, 94, 0"
_SPACE = "\N{NO-BREAK SPACE}"


class Cell(NamedTuple):
    """One cell of a table, as plain text.

    ``code`` is set in a fixed width. ``number`` is aligned to the right. ``indent`` is how deep
    it stands below another. ``shade``, from -1 to 1, colours it: how much it speaks for or
    against something. A long text may also be given as a list of its ``parts``.
    """

    text: str
    code: bool = False
    number: bool = False
    indent: int = 0
    shade: float = 0.0
    parts: Listing | None = None


class Table(NamedTuple):
    """A title, which may be empty, the heads of the columns, and rows of cells."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]


class Listing(NamedTuple):
    """A heading, items below each other, and an ending; each may be empty.

    An item may be such a list itself.

    >>> print(Listing("if both hold:", ("a", Listing("any of:", ("b", "c"))), "else d").text())
    if both hold:
      - a
      - any of:
          - b
          - c
    else d
    """

    heading: str
    items: Sequence[str | Listing]
    ending: str = ""
    bullet: str = "- "

    def text(self) -> str:
        """The list as plain text."""
        lines = [self.heading]
        for item in self.items:
            first, *rest = (item if isinstance(item, str) else item.text()).split("\n")
            lines.append(f"  {self.bullet}{first}")
            lines += (f"  {' ' * len(self.bullet)}{line}" for line in rest)
        return "\n".join(filter(None, [*lines, self.ending]))

    def lines(self, depth: int = 0) -> Iterator[tuple[int, str]]:
        """The heading and the items, each with how deep it stands."""
        yield depth, self.heading
        for item in self.items:
            if isinstance(item, str):
                yield depth + 1, item
            else:
                yield from item.lines(depth + 1)


def put_before(text: str, item: str | Listing) -> str | Listing:
    """An item of a list with a text before it."""
    return text + item if isinstance(item, str) else item._replace(heading=text + item.heading)


Block = Table | Listing
# What is folded away, if nothing else is said.
SUMMARY = "What the statements mean"


def to_html(
    blocks: Sequence[Block], headline: str = "", legend: str = "", summary: str = SUMMARY
) -> str:
    """Tables and lists below each other; the ``legend`` is folded away at the end.

    >>> to_html([Table("", ["name"], [[Cell("<b>", code=True)]])])  # doctest: +ELLIPSIS
    '<div><table><thead><tr><th ...>name</th></tr></thead>...<code ...>&lt;b&gt;</code>...'
    """
    parts = [f"<p><strong>{_escape(headline)}</strong></p>"] if headline else []
    for block in blocks:
        if isinstance(block, Listing):
            parts.append(_html_list(block))
            continue
        if block.title:
            parts.append(f"<p>{_escape(block.title)}</p>")
        parts.append(_html_table(block))
    if legend:
        inside = f"<summary>{_escape(summary)}</summary><pre>{_escape(legend)}</pre>"
        parts.append(f"<details>{inside}</details>")
    return f"<div>{''.join(parts)}</div>"


def _html_list(listing: Listing) -> str:
    parts = [
        f"<p>{_escape(listing.heading)}</p>" if listing.heading else "",
        _html_items(listing.items),
        f"<p>{_escape(listing.ending)}</p>" if listing.ending else "",
    ]
    return "".join(parts)


def _html_items(items: Sequence[str | Listing]) -> str:
    shown = "".join(
        f"<li>{_escape(item)}</li>"
        if isinstance(item, str)
        else f"<li>{_escape(item.heading)}{_html_items(item.items)}</li>"
        for item in items
    )
    return f"<ul>{shown}</ul>" if shown else ""


def _html_table(table: Table) -> str:
    sides = ["right" if number else "left" for number in _numeric(table)]
    head = "".join(
        f'<th style="text-align: {side}">{_escape(name)}</th>'
        for name, side in zip(table.header, sides, strict=True)
    )
    rows = ("".join(map(_html_cell, row)) for row in table.rows)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _numeric(table: Table) -> list[bool]:
    """Which columns hold numbers."""
    return [any(row[at].number for row in table.rows) for at in range(len(table.header))]


def _html_cell(cell: Cell) -> str:
    styles = [f"text-align: {'right' if cell.number else 'left'}", "vertical-align: top"]
    if cell.indent:
        styles.append(f"padding-left: {1 + 1.5 * cell.indent}em")
    if cell.shade:
        colour = _FOR if cell.shade > 0 else _AGAINST
        styles.append(f"background-color: rgba({colour}, {0.4 * abs(cell.shade):.2f})")
    text = _escape(cell.text)
    if cell.parts is not None:
        text = f"{_escape(cell.parts.heading)}{_html_items(cell.parts.items)}"
    if cell.code:
        text = f'<code style="white-space: pre-wrap">{text}</code>'
    return f'<td style="{"; ".join(styles)}">{text}</td>'


def _escape(text: str) -> str:
    return html.escape(text, quote=True)


def to_markdown(blocks: Sequence[Block], headline: str = "") -> str:
    r"""Tables and lists below each other, as GitHub's Markdown has them.

    >>> row = [Cell("a | b", code=True), Cell("0.5", number=True)]
    >>> print(to_markdown([Table("", ["rule", "score"], [row])]))
    | rule | score |
    |---|---:|
    | `a \| b` | 0.5 |
    """
    texts = [f"**{_plain(headline)}**"] if headline else []
    for block in blocks:
        if isinstance(block, Listing):
            items = "\n".join(_markdown_items(block.items))
            texts += filter(None, [_plain(block.heading), items, _plain(block.ending)])
            continue
        if block.title:
            texts.append(_plain(block.title))
        texts.append(_markdown_table(block))
    return "\n\n".join(texts)


def _markdown_items(items: Sequence[str | Listing], inset: str = "") -> Iterator[str]:
    for item in items:
        if isinstance(item, str):
            yield f"{inset}- {_plain(item)}"
        else:
            yield f"{inset}- {_plain(item.heading)}"
            yield from _markdown_items(item.items, inset + "    ")


def _markdown_table(table: Table) -> str:
    rows = [
        list(map(_plain, table.header)),
        ["---:" if number else "---" for number in _numeric(table)],
        *(list(map(_markdown_cell, row)) for row in table.rows),
    ]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines[1] = f"|{'|'.join(rows[1])}|"
    return "\n".join(lines)


def _markdown_cell(cell: Cell) -> str:
    text = _code(cell.text) if cell.code and cell.text else _plain(cell.text)
    return 4 * _SPACE * cell.indent + text


def _plain(text: str) -> str:
    r"""Text that means itself in Markdown.

    >>> print(_plain("a_b | <i>"))
    a\_b \| &lt;i>
    """
    marked = re.sub(r"([\\`*_{}\[\]#|~])", r"\\\1", text)
    return marked.replace("&", "&amp;").replace("<", "&lt;")


def _code(text: str) -> str:
    r"""Text as code in a cell; a bar would end the cell, so it is escaped.

    >>> print(_code("a ` b"), _code("a | b"))
    `` a ` b `` `a \| b`
    """
    fence = _fence(text, 1)
    space = " " if "`" in text else ""
    return f"{fence}{space}{text}{space}{fence}".replace("|", "\\|")


def fenced(text: str) -> str:
    """Text as a block of code in Markdown, whatever it contains.

    >>> print(fenced("a = b"))
    ```text
    a = b
    ```
    """
    fence = _fence(text, 3)
    return f"{fence}text\n{text}\n{fence}"


def _fence(text: str, least: int) -> str:
    """More backticks than the text has in a row."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)
