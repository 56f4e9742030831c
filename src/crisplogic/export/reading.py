"""Targets for people: plain text, Markdown, an HTML fragment, LaTeX."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from crisplogic.export.about import About
from crisplogic.rules import RuleSet
from crisplogic.rules.describe import describe, has_words
from crisplogic.rules.markup import Listing, Table


def write_text(rules: RuleSet, about: About) -> str:
    """The rules with all that is needed to compute by hand, as they print themselves."""
    return f"{rules.describe()}\n\n{about.origin()}\n"


def write_markdown(rules: RuleSet, about: About) -> str:
    """A list or a table, and how to compute with it."""
    origin = re.sub(r"([\\`*_{}\[\]#|~<>&])", r"\\\1", about.origin())
    return f"{rules.to_markdown()}\n\n{origin}\n"


def write_html(rules: RuleSet, about: About) -> str:
    """A fragment of a page. All text is escaped."""
    return f"{rules._repr_html_()}\n<p>{html.escape(about.origin())}</p>\n"


def write_latex(rules: RuleSet, about: About, *, document: bool = False) -> str:
    """A list or a table, in packages that every LaTeX has; a whole document on request."""
    body = "\n".join([*(f"% {line}" for line in about.lines(rules)), *_latex(rules)])
    if not document:
        return f"{body}\n"
    head = [r"\documentclass{article}", r"\usepackage[T1]{fontenc}", r"\begin{document}"]
    return "\n".join([*head, body, r"\end{document}"]) + "\n"


def _latex(rules: RuleSet) -> Iterator[str]:
    if has_words(rules):
        found = describe(rules)
        yield from (
            _latex_table(found.body)
            if isinstance(found.body, Table)
            else _latex_list(found.body)
        )
        blocks = ["\n".join(block) for block in found.notes]
    else:
        blocks = [rules.to_text(), rules.legend(), rules.formulas()]
    for block in filter(None, blocks):
        yield ""
        yield r"\noindent"
        yield " \\\\\n".join(f"{{\\small {latex_text(line)}}}" for line in block.splitlines())


def _latex_list(listing: Listing) -> Iterator[str]:
    yield rf"\noindent {latex_text(listing.heading)}"
    if listing.items:
        yield from _latex_items(listing.items)
    if listing.ending:
        yield rf"\noindent {latex_text(listing.ending)}"


def _latex_items(items: Sequence[str | Listing], inset: str = "") -> Iterator[str]:
    yield rf"{inset}\begin{{itemize}}"
    for item in items:
        text = item if isinstance(item, str) else item.heading
        yield rf"{inset}  \item {{}}{latex_text(text)}"
        if not isinstance(item, str):
            yield from _latex_items(item.items, inset + "  ")
    yield rf"{inset}\end{{itemize}}"


def _latex_table(table: Table) -> Iterator[str]:
    yield rf"\noindent {latex_text(table.title)}"
    yield ""
    yield r"\noindent"
    yield rf"\begin{{tabular}}{{{'r' * (len(table.header) - 1)}l}}"
    # A bracket after the end of a line would be read as a distance.
    yield " & ".join(f"{{{latex_text(head)}}}" for head in table.header) + r" \\ \hline"
    for row in table.rows:
        yield " & ".join(f"{{{latex_text(cell.text)}}}" for cell in row) + r" \\"
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
