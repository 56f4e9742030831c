"""Tables and lists as LaTeX, in packages that every LaTeX has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from crisplogic.rules.markup import Block, Cell, Listing, Table

# LaTeX has lists in lists up to this level.
MOST_LEVELS = 4
# Longer texts of a table would leave the page.
LONG_TEXT = 60


def to_latex(blocks: Sequence[Block], headline: str = "", notes: Iterable[str] = ()) -> str:
    r"""Tables and lists below each other, and notes in a small font.

    >>> print(to_latex([Listing("if both hold:", ("a_1", "b"))]))
    \noindent if both hold:
    \begin{itemize}
      \item {}a\_1
      \item {}b
    \end{itemize}
    """
    lines = [rf"\noindent\textbf{{{latex_text(headline)}}}", ""] if headline else []
    for block in blocks:
        lines += _latex_list(block) if isinstance(block, Listing) else _latex_table(block)
    return "\n".join([*lines, *latex_notes(notes)])


def latex_notes(notes: Iterable[str]) -> Iterator[str]:
    """Blocks of lines in a small font; those that are empty are left out."""
    for block in filter(None, notes):
        yield ""
        yield r"\noindent"
        yield " \\\\\n".join(f"{{\\small {latex_text(line)}}}" for line in block.splitlines())


def _latex_list(listing: Listing) -> Iterator[str]:
    yield rf"\noindent {latex_text(listing.heading)}"
    if listing.items:
        yield from _latex_items(listing.items)
    if listing.ending:
        yield rf"\noindent {latex_text(listing.ending)}"


def _latex_items(items: Sequence[str | Listing], level: int = 1) -> Iterator[str]:
    inset = "  " * (level - 1)
    yield rf"{inset}\begin{{itemize}}"
    for item in items:
        has_room = isinstance(item, Listing) and level < MOST_LEVELS
        text = item.heading if isinstance(item, Listing) and has_room else _in_a_line(item)
        yield rf"{inset}  \item {{}}{latex_text(text)}"
        if isinstance(item, Listing) and has_room:
            yield from _latex_items(item.items, level + 1)
    yield rf"{inset}\end{{itemize}}"


def _in_a_line(item: str | Listing) -> str:
    """An item that would be too deep for a list of its own."""
    if isinstance(item, str):
        return item
    return f"{item.heading} ({'; '.join(map(_in_a_line, item.items))})"


def _column(cells: Sequence[Cell]) -> str:
    """Numbers stand right; texts that are long have several lines."""
    if any(cell.number for cell in cells):
        return "r"
    is_long = any(len(cell.text) > LONG_TEXT for cell in cells)
    return r"p{0.55\linewidth}" if is_long else "l"


def _latex_table(table: Table) -> Iterator[str]:
    if table.title:
        yield rf"\noindent {latex_text(table.title)}"
        yield ""
    yield r"\noindent"
    sides = "".join(_column([row[at] for row in table.rows]) for at in range(len(table.header)))
    yield rf"\begin{{tabular}}{{{sides}}}"
    # A bracket after the end of a line would be read as a distance.
    yield " & ".join(f"{{{latex_text(head)}}}" for head in table.header) + r" \\ \hline"
    for row in table.rows:
        cells = (f"{{{'~' * 2 * cell.indent}{latex_text(cell.text)}}}" for cell in row)
        yield " & ".join(cells) + r" \\"
    yield r"\end{tabular}"


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    "`": r"{\char96}",
    "-": r"{-}",
    "¬": r"$\lnot$",
    "⊕": r"$\oplus$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "²": r"$^2$",
}


def latex_text(text: str) -> str:
    r"""A text as LaTeX sets it; blanks at its beginning keep their width.

    >>> print(latex_text("  50% of a_b & c ≤ 3"))
    ~~50\% of a\_b \& c $\le$ 3
    """
    blanks = len(text) - len(text.lstrip(" "))
    shown = (c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[blanks:])
    return "~" * blanks + "".join(_LATEX.get(c, c) for c in "".join(shown))
