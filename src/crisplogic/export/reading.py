"""Targets for people: plain text, Markdown, an HTML fragment, LaTeX."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from crisplogic.export.about import About
from crisplogic.rules import RuleSet
from crisplogic.rules.describe import describe, has_words
from crisplogic.rules.latex import latex_notes


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
        yield describe(rules).to_latex()
    else:
        yield from latex_notes([rules.to_text(), rules.legend(), rules.formulas()])
